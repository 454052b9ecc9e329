"""Expression text to tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from gnomon.core.errors import InvalidInput, UnfitRows
from gnomon.core.patterns import late_pattern

LONGEST = 2000


class Kind(StrEnum):
    """What a token is."""

    NUMBER = "number"
    TEXT = "text"
    NAME = "name"
    COLUMN = "column"
    OPERATOR = "operator"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text and where it starts."""

    kind: Kind
    text: str
    at: int


class ExpressionError(InvalidInput):
    """An expression that cannot be read or computed; ``position`` is where in its text."""

    def __init__(self, message: str, position: int, *, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(f"{message} (at character {position + 1})", suggestions=suggestions)
        self.position = position


class RowsError(ExpressionError, UnfitRows):
    """An expression that some rows cannot be computed with."""


_PATTERN = late_pattern(
    r"""(?P<space>\s+)
      |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      |(?P<text>'(?:[^']|'')*')
      |(?P<column>`(?:[^`]|``)+`|"(?:[^"]|"")+")
      |(?P<name>[^\W\d]\w*)
      |(?P<operator>\*\*|//|<=|>=|==|!=|<>|&&|\|\||[-+*/%^<>=(),!])""",
    re.VERBOSE,
)
_SAME = {"**": "^", "==": "=", "<>": "!=", "&&": "and", "||": "or", "!": "not"}


def tokens(text: str) -> list[Token]:
    """Cut ``text`` into tokens; the last one is always ``END``."""
    if len(text) > LONGEST:
        raise ExpressionError(
            f"The expression has {len(text)} characters; at most {LONGEST} are read",
            LONGEST,
            suggestions=("Split it into several derived columns.",),
        )
    out: list[Token] = []
    at = 0
    while at < len(text):
        match = _PATTERN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        kind, piece = str(match.lastgroup), match.group()
        if kind == "text":
            out.append(Token(Kind.TEXT, piece[1:-1].replace("''", "'"), at))
        elif kind == "column":
            quote = piece[0]
            out.append(Token(Kind.COLUMN, piece[1:-1].replace(quote * 2, quote), at))
        elif kind == "operator":
            out.append(Token(Kind.OPERATOR, _SAME.get(piece, piece), at))
        elif kind != "space":
            word = piece.casefold()
            is_operator = kind == "name" and word in {"and", "or", "not"}
            out.append(Token(Kind.OPERATOR, word, at) if is_operator else Token(Kind(kind), piece, at))
        at = match.end()
    out.append(Token(Kind.END, "", len(text)))
    return out


def _unreadable(text: str, at: int) -> ExpressionError:
    if text[at] in "'\"`":
        return ExpressionError(
            f"The quote {text[at]} is never closed", at, suggestions=(f"Add a closing {text[at]}.",)
        )
    return ExpressionError(
        f"The character {text[at]!r} is not part of the language",
        at,
        suggestions=("Write column names with spaces or signs in `backticks` and text in 'quotes'.",),
    )
