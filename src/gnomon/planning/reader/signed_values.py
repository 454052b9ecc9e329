"""Values that differ by a sign alone: O- is no O+, grade B+ no B, whether it is written or said (“O negative”)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.core.patterns import regex
from gnomon.planning.reader.words import Word
from gnomon.semantic.values import ValueMatch

_SIGNED = regex(r"[^\W_]\s?([+\-–−])$")
_MINUS = frozenset({"-", "–", "−", "negative", "neg", "minus"})
_PLUS = frozenset({"+", "positive", "pos", "plus"})


def signed(matches: Sequence[ValueMatch], words: Sequence[Word]) -> list[ValueMatch]:
    """The matches without those whose sign the question denies; those that bear it reach over it.

    Where no sign is said, all of them stay: which one is meant is then a doubt.
    """
    found: list[ValueMatch] = []
    for match in matches:
        sign = _SIGNED.search(str(match.value))
        said = _said(words, match.end)
        if sign is None:
            bare = said is None or not any(
                _SIGNED.search(str(m.value)) for m in matches if m.start == match.start
            )
            found += [match] if bare else []
        elif said is None:
            found.append(match)
        elif (sign[1] == "+") == (said == "+"):
            found.append(replace(match, end=match.end + 1, kind="exact", score=1.0))
    return found


def _said(words: Sequence[Word], at: int) -> str | None:
    """The sign right behind a word, where one is."""
    if at >= len(words):
        return None
    word, before = words[at], words[at - 1]
    if word.kind == "symbol" and word.start != before.end:
        return None
    joined = word.kind == "symbol" and at + 1 < len(words) and words[at + 1].start == word.end
    if joined and words[at + 1].kind in {"word", "number"}:
        return None  # "B-side": a hyphen
    return "-" if word.lower in _MINUS else "+" if word.lower in _PLUS else None
