"""Words that several values share: “Lee”, where both Ann Lee and Lee Moss occur; never one of them in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.values import ValueMatch

_UNSURE = ("partial", "fuzzy")


def hold_whole(choice: Sequence[ValueMatch]) -> bool:
    """Whether words are some value as it stands, and not only a part of one."""
    return any(v.kind not in _UNSURE for v in choice)


def shared_by(choice: Sequence[ValueMatch], dimension: str) -> tuple[Any, ...]:
    """The values of a column that words fit alike: those that have them among others, or resemble them as much."""
    held = sorted((v for v in choice if v.dimension == dimension), key=lambda v: -v.score)
    if not held or hold_whole(held):
        return ()
    alike = [v for v in held if v.kind == held[0].kind]
    if held[0].kind == "fuzzy":
        alike = [v for v in alike if v.score == held[0].score]
    return tuple(sorted({v.value for v in alike}, key=str))


def is_name(text: str) -> bool:
    """Whether words name one thing: written large, or no word of the language; what all such things are is none."""
    lexicon = get_lexicon()
    return text[:1].isupper() or not any(lexicon.knows(w) for w in text.lower().split())
