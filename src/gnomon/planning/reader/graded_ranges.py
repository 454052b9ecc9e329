"""Ranges over values that have an order of their own: grades between B and D, rooms from 2.1 to 2.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import regex
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.operators import Op
from gnomon.semantic.values import ValueMatch

_LETTER = regex(r"([A-Za-z])([+-]?)")
_SIGNS = {"+": 0, "": 1, "-": 2}


class GradeFinder(ConditionFinder):
    """Finds ranges whose ends are two values of one column."""

    def _find_grades(self) -> None:
        """“a grade between B and D”: all grades from the one to the other, both of them included."""
        for i in self.sentence.find(Op.BETWEEN):
            low, joint, high = i + 1, i + 2, i + 3
            if high >= len(self.sentence) or not self.sentence[joint].op(Op.AND):
                continue
            ends = self.sentence[low], self.sentence[high]
            if any(x.used or not x.values for x in ends) or self.sentence.has(Op.VERSUS, Op.CHANGE):
                continue
            if (kept := self._between(ends[0].values, ends[1].values)) is not None:
                self.filters.append((i, kept))
                self._use(i, low, joint, high)
                self._use(*(j for j in (i - 1, high + 1) if self._is_name_of(j, kept.field)))

    def _between(self, low: Sequence[ValueMatch], high: Sequence[ValueMatch]) -> Filter | None:
        for a in low:
            b = next((m for m in high if m.dimension == a.dimension and m.value != a.value), None)
            ordered = _in_order(self.index.values(a.dimension)) if b is not None else ()
            if b is not None and a.value in ordered and b.value in ordered:
                first, last = sorted((ordered.index(a.value), ordered.index(b.value)))
                return Filter(
                    field=a.dimension, operator=FilterOperator.IN, values=tuple(ordered[first : last + 1])
                )
        return None

    def _is_name_of(self, j: int, dimension: str) -> bool:
        if not 0 <= j < len(self.sentence):
            return False
        return any(d.name == dimension for d in self.names.dimensions(self.sentence[j]))


def _in_order(values: Sequence[Any]) -> list[Any]:
    """Values that are letters, with or without a sign, in their order; none where they are something else."""
    read = [(m, v) for v in values if (m := _LETTER.fullmatch(str(v).strip())) is not None]
    if len(read) < 3 or len(read) != len(values):
        return []
    return [v for _, v in sorted(read, key=lambda x: (x[0][1].upper(), _SIGNS[x[0][2]]))]
