"""Questions as tokens for row arithmetic: words, numbers, quoted names and the signs of formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.core.patterns import regex
from gnomon.planning.reader.words import fold

_TOKEN = regex(
    r"""
    (?P<quoted>"[^"]{1,80}"|“[^”]{1,80}”|‘[^’]{1,80}’|`[^`]{1,80}`|(?<!\w)'[^']{1,80}'(?!\w))
    |(?P<number>\d+(?:,\d{3})*(?:\.\d+)?(?![\w]))
    |(?P<word>[^\W]+(?:\.(?=\w)[^\W]+)*)
    |(?P<sign>>=|<=|==|!=|≥|≤|[-−–+*×/÷()=<>:;,.?!%^&])
    """,
    re.VERBOSE,
)
_SIGNS = {"−": "-", "–": "-", "×": "*", "÷": "/", "≥": ">=", "≤": "<=", "==": "=", "&": "and"}


@dataclass(frozen=True)
class Token:
    """A piece of a question.

    Args:
        text: As it stands there.
        plain: Folded, without quotes; signs in one spelling.
        kind: ``word``, ``number``, ``quoted`` or ``sign``.
        start: Where it begins.
        end: Where it ends.
    """

    text: str
    plain: str
    kind: str
    start: int
    end: int


def tokens_of(question: str) -> list[Token]:
    """The tokens of a question in order."""
    found: list[Token] = []
    for match in _TOKEN.finditer(question):
        kind, text = match.lastgroup or "word", match.group()
        plain = fold(text.strip("\"'“”‘’`")) if kind != "sign" else _SIGNS.get(text, text)
        found.append(Token(text, plain, kind, match.start(), match.end()))
    return found


def number_of(token: Token) -> float | int:
    """The number that a token writes."""
    value = float(token.text.replace(",", ""))
    return int(value) if value.is_integer() else value
