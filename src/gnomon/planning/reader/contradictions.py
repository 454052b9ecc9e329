"""Bounds that no row can meet, or that say the same column twice over: signs that a question was misread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader.sentence import Sentence

_F = FilterOperator
_LOWER = (_F.GREATER, _F.AT_LEAST)
_SAME, _OTHERS = (_F.EQUALS, _F.IN), (_F.NOT_EQUALS, _F.NOT_IN)
_UPPER = (_F.LESS, _F.AT_MOST)


def contradicted(filters: Sequence[Filter]) -> list[str]:
    """The numbers of bounds on one column that cannot both be meant.

    A lower end above the upper one keeps no row; one number and a bound on the same column would be said
    together by nobody. Neither is answered with what little, or nothing, is left.
    """
    lost: list[str] = []
    for one, other in combinations([f for f in filters if _is_bound(f)], 2):
        if (one.field, one.having, one.by) == (other.field, other.having, other.by) and _clash(one, other):
            lost += [f"{float(v):g}" for f in (one, other) for v in f.values if isinstance(v, int | float)]
    for one, other in permutations([f for f in filters if not f.having and not f.relative], 2):
        apart = one.field == other.field and one.operator in _SAME and other.operator in _OTHERS
        if apart and not {*map(str, one.values)} & {*map(str, other.values)}:
            lost += [str(v) for v in other.values]  # "seen by A but not by B": rows of A are never of B
    return list(dict.fromkeys(lost))


_ARITHMETIC = frozenset({"times", "multiplied", "divided", "minus", "plus", "×"})


def arithmetic_lost(sentence: Sentence, metrics: Sequence[str]) -> list[str]:
    """“quantity times unit price”: each of the two by itself is not what they come to."""
    if len(metrics) < 2 or any(sign in m for m in metrics for sign in (" * ", " / ", " + ", " - ", "{")):
        return []
    named = [item for item in sentence.items if item.links]
    between = [sentence.words[x.end] for x, y in pairwise(named) if x.end < y.start <= x.end + 3]
    return [word.text for word in between if word.lower in _ARITHMETIC]


def _is_bound(given: Filter) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in given.values)
    known = (*_LOWER, *_UPPER, _F.EQUALS, _F.BETWEEN, _F.IN)
    return given.operator in known and bool(given.values) and numbers and given.relative is None


def _clash(one: Filter, other: Filter) -> bool:
    if _F.EQUALS in (one.operator, other.operator):
        return one.values != other.values or one.operator is not other.operator
    low, high = max(_ends(f)[0] for f in (one, other)), min(_ends(f)[1] for f in (one, other))
    open_ended = any(f.operator in (_F.GREATER, _F.LESS) for f in (one, other))
    return low > high or (low == high and open_ended)


def _ends(given: Filter) -> tuple[float, float]:
    numbers = [float(str(v)) for v in given.values]
    if given.operator in _LOWER:
        return numbers[0], float("inf")
    return (float("-inf"), numbers[0]) if given.operator in _UPPER else (min(numbers), max(numbers))
