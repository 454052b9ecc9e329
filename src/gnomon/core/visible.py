"""Text as people may see it: no cell, name or message moves a cursor, recolours a screen or turns a line around.

The one place for it: terminals, pages, prose, charts and reports all write what :func:`visible` leaves.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

from gnomon.core.patterns import regex

STANDIN = "\N{REPLACEMENT CHARACTER}"
_KEPT = {"\n", "\t", "\N{ZERO WIDTH NON-JOINER}", "\N{ZERO WIDTH JOINER}"}  # the joiners are spelling
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_HALVES = regex("[\ud800-\udfff]")
_PRINTABLE = regex(r"[ -~\n\tÀ-\u024F]*")


def visible(text: str) -> str:
    """``text`` with a stand-in for every control, bidirectional and invisible character."""
    if _PRINTABLE.fullmatch(text):
        return text
    return "".join(STANDIN if _is_hidden(c) else c for c in text.replace("\r\n", "\n"))


def in_unicode(text: str) -> str:
    """``text`` without halves of characters, which no file, terminal or database takes.

    A byte of a command line that is not UTF-8 is read as Latin-1; half of a pair of ``\\ud800`` in JSON gets a stand-in.
    """
    return _HALVES.sub(lambda m: chr(ord(m[0]) - 0xDC00) if "\udca0" <= m[0] <= "\udcff" else STANDIN, text)


def visible_json(value: Any, **options: Any) -> str:
    """``value`` as JSON text in which such characters are escaped, so that nothing is lost and nothing acts."""
    text = json.dumps(value, ensure_ascii=False, default=str, **options)
    if _PRINTABLE.fullmatch(text):
        return text
    return "".join(_escaped(c) if _is_hidden(c) else c for c in text)


def visible_values(value: Any) -> Any:
    """JSON data with every text in it made visible, keys included."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {
            visible(k) if isinstance(k, str) else k: visible_values(v)
            for k, v in cast("Mapping[Any, Any]", value).items()
        }
    if isinstance(value, (list, tuple)):
        return [visible_values(v) for v in cast("list[Any]", value)]
    return value


def _is_hidden(character: str) -> bool:
    return character not in _KEPT and unicodedata.category(character) in _HIDDEN


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
