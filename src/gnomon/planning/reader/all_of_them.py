"""Things that are met with all of something: fields harvested in all three seasons, members who did every activity."""

from __future__ import annotations

from gnomon.core.parts import FilterOperator
from gnomon.language import find_quantities
from gnomon.planning.reader.condition_finder import SURE, ConditionFinder, NumberCondition
from gnomon.planning.reader.operators import Op
from gnomon.semantic import Dimension, DimensionType

_POINTING = frozenset({"of", "the", "our", "these", "those"})
_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


class AllFinder(ConditionFinder):
    """Finds conditions on how many different values of a column the rows of one thing have."""

    def _find_in_all(self) -> None:
        for j, item in self.sentence:
            if not item.links and not item.op(Op.UNIT):
                continue
            said = self._all_said(item.start)
            if said is None or item.used:
                continue
            at, thing = self._met(j)
            if thing is None:
                continue
            start, number = said
            column = self.names.dimension(item) if item.links and item.links[0].quality >= SURE else None
            if column is None or thing.name == column.name or not self._is_whole(column, number):
                self.unsaid.append(self.sentence.words[start].text)
                continue
            counted = self.names.count_of_dimension(column)
            if not self.names.model.reaches(counted, thing):
                self.unsaid.append(self.sentence.words[start].text)
                continue
            values = (float(column.distinct or 0),)
            self.numbers.append(
                NumberCondition(j, FilterOperator.EQUALS, values, False, counted, None, thing, at, j)
            )
            self._use(j, *(k for k, x in self.sentence if start - 1 <= x.start < item.start and not x.links))

    def _all_said(self, before: int) -> tuple[int, int | None] | None:
        """Where “all three”, “every” or “each of the three” begins right before a word, and the number that it says."""
        words, k, number = self.sentence.words, before - 1, None
        quantities = find_quantities(words[k].text) if k >= 0 else []
        if quantities and float(quantities[0].value).is_integer():
            number, k = int(quantities[0].value), k - 1
        while k > 0 and words[k].lower in _POINTING:
            k -= 1
        said = words[k].lower if k >= 0 else ""
        counted = said == "all" and number is not None
        pointed = said == "each" and number is not None and k + 1 < before and words[k + 1].lower == "of"
        return (k, number) if counted or pointed or said == "every" else None

    def _is_whole(self, column: Dimension, number: int | None) -> bool:
        return (column.distinct or 0) > 1 and number in (None, column.distinct)

    def _met(self, before: int) -> tuple[int | None, Dimension | None]:
        """The things that are asked about: a noun before that names one of several rows each, not the rows."""
        model = self.names.model
        asked = any(self.sentence[k].op(Op.COUNT, Op.WHICH) for k in range(before))
        for k in range(before if asked else 0):
            item = self.sentence[k]
            if not item.links or item.links[0].quality < SURE:
                continue
            thing = self.names.dimension(item, *_THINGS)
            if thing is None:
                continue
            rows = max((model.table(ref.table).rows or 0 for ref in thing.locations), default=0)
            return (k, thing) if (thing.distinct or rows) < rows else (None, None)
        return None, None
