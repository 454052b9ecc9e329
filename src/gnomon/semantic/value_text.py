"""Values and questions in one spelling: case, accents, punctuation and plural aside; and how far two words are apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from gnomon.core.patterns import regex
from gnomon.semantic.model import singular

_WORD = regex(r"[^\W_]+", re.UNICODE)
_NUMBERED = regex(r"^\s*\d{1,2}\s*[._):-]\s*(?=[^\W\d_<>=])")
_FEW = 40
JOINING = frozenset({"and", "the", "of", "de", "la"})


# The nouns of English whose plural is another word; all others end in s or stay as they are.
_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose",
    "mice": "mouse", "lice": "louse", "oxen": "ox", "gentlemen": "gentleman", "policemen": "policeman",
    "firemen": "fireman", "fishermen": "fisherman", "craftsmen": "craftsman", "salesmen": "salesman",
    "businessmen": "businessman", "freshmen": "freshman", "grandchildren": "grandchild",
}  # fmt: skip


ORDINALS = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th",
    "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip


def normalised(text: str) -> list[str]:
    """The words of a text in lower case, without accents and punctuation; ``don't`` is one word."""
    if "'" in text or "’" in text:
        text = text.replace("'", "").replace("’", "")
    if not text.isascii():
        folded = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in folded if not unicodedata.combining(c))
    return _WORD.findall(text.casefold())


def stemmed(words: list[str]) -> list[str]:
    """The words in the singular; ordinal numbers beside other words in digits (``first class``: ``1st class``)."""
    if len(words) > 1:
        words = [ORDINALS.get(w, w) for w in words]
    return [singular(w) if len(w) > 3 and w[-1] == "s" else _IRREGULAR.get(w, w) for w in words]


def are_numbered(values: Sequence[Any]) -> bool:
    """Whether all values of a column begin with the number that orders them: 1. Yes, 2. No; 3_Poor."""
    texts = [v for v in values[:_FEW] if isinstance(v, str)]
    return 1 < len(values) < _FEW and len(texts) == len(values) and all(map(_NUMBERED.match, texts))


def without_number(value: str) -> str:
    """A value without the number in front that orders it."""
    return _NUMBERED.sub("", value)


def letters(text: str) -> int:
    """Which letters occur, as bits: texts a few edits apart differ in few bits."""
    mask = 0
    for c in set(text):
        mask |= 1 << (ord(c) & 63)
    return mask


def distance(a: str, b: str, most: int) -> int:
    """Edits (insert, delete, replace, swap neighbours) from ``a`` to ``b``; ``most + 1`` when it takes more."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    start, end = 0, min(len(a), len(b))
    while start < end and a[start] == b[start]:
        start += 1
    a, b = a[start:], b[start:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    if not a or not b:
        return len(a) + len(b)
    if most == 1:
        return 1 if len(a) == len(b) == 1 or (len(a) == 2 and a == b[::-1]) else 2
    far = most + 1
    before: list[int] = []
    row = [j if j <= most else far for j in range(len(b) + 1)]
    for i, x in enumerate(a, start=1):
        following = [far] * (len(b) + 1)
        following[0] = min(i, far)
        best = following[0]
        for j in range(max(1, i - most), min(len(b), i + most) + 1):  # cells further off cost too much
            cost = row[j - 1] if x == b[j - 1] else 1 + min(row[j], following[j - 1], row[j - 1])
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == b[j - 1] and before[j - 2] + 1 < cost:
                cost = before[j - 2] + 1
            following[j] = cost
            if cost < best:
                best = cost
        if best > most:
            return far
        before, row = row, following
    return min(row[-1], far)
