"""Names that stand for longer ones word by word: ``avg_hr_bpm`` for the heart rate, ``sys_bp`` for the systolic blood pressure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.words import ABBREVIATIONS
from gnomon.semantic.units import is_unit

_SUMMED = frozenset(
    {"avg", "average", "mean", "max", "maximum", "min", "minimum", "total", "tot", "number", "of"}
)
_LINKING = frozenset({"as", "a", "an", "the", "of"})
_SHORTEST, _LONGEST = 2, 4
_SURE = 0.9
T = TypeVar("T")


class ShortNames(Generic[T]):
    """Finds what words stand for that a name only has the first letters of.

    Args:
        whole: What names name, by their words, and how surely.
    """

    def __init__(self, whole: Mapping[tuple[str, ...], Mapping[T, float]]) -> None:
        self._whole = whole

    def find(self, spoken: tuple[str, ...]) -> dict[T, float]:
        """“systolic blood pressure” for a column named sys_bp; nothing where two columns could stand for it."""
        if spoken[0] not in _LINKING and spoken[-1] not in _LINKING:
            spoken = tuple(w for w in spoken if w not in _LINKING)  # heart rate as a percentage of max
        if not 1 < len(spoken) <= _LONGEST:
            return {}
        held = {words: targets for words, targets in self._short if stands_for(words, spoken)}
        found = {target: _SURE for targets in held.values() for target in targets}
        return found if len({tuple(w for w in words if w not in _SUMMED) for words in held}) == 1 else {}

    @cached_property
    def _short(self) -> list[tuple[tuple[str, ...], tuple[T, ...]]]:
        """Names in which first letters may stand for words."""
        told = (
            (words, tuple(t for t, q in held.items() if q > _SURE)) for words, held in self._whole.items()
        )
        return [(words, targets) for words, targets in told if targets and initials_in(words)]


def in_full(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a name, those that are usually cut short written out."""
    return tuple(ABBREVIATIONS.get(w, w) for w in words)


def initials_in(names: Sequence[str]) -> bool:
    """Whether one of the words of a name may be the first letters of others: hr, bp; no word of its own."""
    return any(_may_be_initials(w) for w in names)


def stands_for(name: Sequence[str], spoken: Sequence[str]) -> bool:
    """Whether every word of a name is one that was said, cut short or whole, or the first letters of several.

    How a figure was summed up need not be said: an ``avg_hr`` is a heart rate.
    """
    if (spoken[0],) in operators() or any(w in FILLERS or not get_lexicon().knows(w) for w in spoken):
        return False
    bare = [w for w in name if w not in _SUMMED]
    return initials_in(bare) and _aligned(
        bare, [w for w in spoken if w not in _SUMMED or w not in name], used=False
    )


def _aligned(name: list[str], spoken: list[str], *, used: bool) -> bool:
    if not name or not spoken:
        return used and not name and not spoken
    first, word = name[0], spoken[0]
    cut = first == word or ABBREVIATIONS.get(first) == word or (len(first) > 2 and word.startswith(first))
    if cut and _aligned(name[1:], spoken[1:], used=used):
        return True
    n = len(first)
    several = spoken[:n]
    usual = _may_be_initials(first) and "".join(w[0] for w in several) == first and _is_usual(several)
    return usual and _aligned(name[1:], spoken[n:], used=True)


def _is_usual(words: Sequence[str]) -> bool:
    """Whether words are said together as one: heart rate and blood pressure are, a hit ratio is not."""
    return get_lexicon().knows("_".join(words))


def _may_be_initials(word: str) -> bool:
    plain = get_lexicon().met(word) > 0 and bool(set(word) & set("aeiouy"))
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha() and not plain and not is_unit(word)
