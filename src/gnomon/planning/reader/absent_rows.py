"""Things of which another table has no rows: “members with no visits”, “products that were never ordered”."""

from __future__ import annotations

from gnomon.core.request import FilterOperator
from gnomon.planning.reader.condition_finder import SURE, ConditionFinder, NumberCondition
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, Metric

_AUXILIARIES = frozenset({"been", "be", "had", "have", "made", "a", "an", "any", "single"})


class AbsenceFinder(ConditionFinder):
    """Finds what is asked to have no rows in another table."""

    def _find_absent(self) -> None:
        for i, item in self.sentence:
            never = item.op(Op.NOT) and (item.text.lower() == "never" or self._lacks(i))
            if item.used or not (item.op(Op.WITHOUT) or never):
                continue
            j = next(
                (k for k in range(i + 1, len(self.sentence)) if not self._passed(self.sentence[k])), None
            )
            used = self._rows_named(self.sentence[j]) if j is not None else None
            if used is None or j is None:
                continue
            at, thing = self._owner(i, used)
            if thing is not None:
                zero = (0.0,)
                self.numbers.append(
                    NumberCondition(i, FilterOperator.EQUALS, zero, False, used, None, thing, at, j)
                )
                self._use(i, j)

    def _lacks(self, i: int) -> bool:
        """“did not have an exhibition”: not having any is being without."""
        words = self.sentence.words
        end = self.sentence[i].end
        return end < len(words) and words[end].lower in {"have", "had", "get", "got"}

    @staticmethod
    def _passed(item: Item) -> bool:
        filler = item.op(Op.FILLER, Op.OF, Op.EACH, Op.WITH) and not item.links
        return filler or item.text.lower() in _AUXILIARIES

    def _rows_named(self, item: Item) -> Metric | None:
        """The count of the rows that a noun or its verb names."""
        link = item.named(LinkKind.TABLE)
        table = link.name if link is not None and link.quality >= SURE else self._done_in(item)
        if table is None or item.used:
            return None
        counts = (m for m in self.names.model.metrics if m.table == table and m.expression is None)
        return next((m for m in counts if m.aggregation is Aggregation.COUNT), None)

    def _done_in(self, item: Item) -> str | None:
        """The table that keeps what an everyday verb does: who never bought anything has no sales."""
        verb = item.association is not None and item.association.descending is None and not item.links
        return next((m.table for m in self.names.metrics(item)), None) if verb else None

    def _owner(self, before: int, rows: Metric) -> tuple[int | None, Dimension | None]:
        """The nearest things before that the rows point to, by the column that names them."""
        model = self.names.model
        for at in range(before - 1, -1, -1):
            link = self.sentence[at].named(LinkKind.TABLE)
            if link is None or link.quality < SURE:
                continue
            key = model.table(link.name).key
            if any(
                (j.table, j.to_table, (j.to_column,)) == (rows.table, link.name, key) for j in model.joins
            ):
                return at, model.dimension(f"{link.name}.{key[0]}")
        return None, None
