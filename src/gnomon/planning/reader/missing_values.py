"""Rows without a value of a column, or with one: “missing heights”, “height and soil missing”, “ages that are not null”."""

from __future__ import annotations

from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Dimension, DimensionType, Metric

_F = FilterOperator
_SOME = frozenset({"a", "an", "any", "some"})
_TOLD = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.TIME)
_BOUNDS = (Op.COMPARE_NUMBER, Op.BETWEEN, Op.OUTSIDE, Op.EQUALS, Op.CONTAINS, Op.RANK)


class MissingFinder(ConditionFinder):
    """Finds conditions on missing values."""

    def _find_missing(self) -> None:
        for i in self.sentence.find(Op.MISSING):
            for j in (self.sentence.after(i), self.sentence.before(i), self._before_denial(i)):
                if j is None or (dimension := self._holding(j)) is None:
                    continue
                operator = _F.NOT_NULL if self._negated(i) else _F.IS_NULL
                self.filters.append((i, Filter(field=dimension.name, operator=operator)))
                self._use(i, j)
                for k in self._listed_with(j, i):
                    other = self._holding(k)
                    assert other is not None
                    self.filters.append((k, Filter(field=other.name, operator=operator)))
                    self._use(k)
                break

    def _find_present(self) -> None:
        """“entries that have a fault code”, “with any reason”: those that lack none, where no value of it is named."""
        for i in self.sentence.find(Op.WITH):
            j = i + 1
            if self.sentence[i].used or j >= len(self.sentence) or self.sentence[j].used:
                continue
            between = {w.lower for w in self.sentence.words[self.sentence[i].end : self.sentence[j].start]}
            dimension = self._holding(j) if between and between <= _SOME else None
            if dimension is None or not dimension.nullable or dimension.type not in _TOLD:
                continue
            if self._negated(i) or not self._ends_clause(j, dimension):
                continue
            self.filters.append((j, Filter(field=dimension.name, operator=_F.NOT_NULL)))
            self._use(i, j)

    def _ends_clause(self, j: int, dimension: Dimension) -> bool:
        """Whether nothing behind a column says which of its values is meant."""
        valued = any(v.dimension == dimension.name for _, x in self.sentence for v in x.values)
        item, words = self.sentence[j], self.sentence.words
        behind = words[item.end].lower if item.end < len(words) else ""
        following = self.sentence[j + 1] if j + 1 < len(self.sentence) else None
        bound = (
            following is not None
            and following.start == item.end
            and (following.number or following.op(*_BOUNDS))
        )
        return (
            not valued
            and not bound
            and behind not in {"of", "that", "which", "called", "like", "such", "is", "="}
        )

    def _holding(self, j: int) -> Dimension | None:
        """The column that an item names; what rows are called names no column."""
        dimension = self.names.dimension(self.sentence[j])
        if dimension is None or (dimension.type is DimensionType.ID and self._table_of(self.sentence[j])):
            return None
        return dimension

    def _before_denial(self, i: int) -> int | None:
        """“ages that are not null”: the column stands before what denies it."""
        denial = self.sentence.before(i)
        if denial is None or not self.sentence[denial].op(Op.NOT):
            return None
        return self.sentence.before(denial, (Op.OF, Op.IN, Op.FILLER, Op.THAT))

    def _listed_with(self, j: int, i: int) -> list[int]:
        """“both height and soil missing”: the columns that are joined to the one that stands beside the word."""
        found: list[int] = []
        step = 1 if j > i else -1
        at = j + step
        while 0 < at < len(self.sentence) - (step == 1):
            other = at + step
            if not self.sentence[at].op(Op.AND) or other < 0 or self.sentence[other].used:
                break
            if self._holding(other) is None:
                break
            self._use(at)
            found.append(other)
            at = other + step
        return found


def missing_rows(sentence: Sentence, names: Names) -> Metric | None:
    """What “the most missing heights” are: the rows without one."""
    for i in sentence.find(Op.MISSING):
        if not sentence[i].used:
            continue
        near = [j for j in (sentence.after(i), sentence.before(i)) if j is not None]
        columns = [d for j in near if sentence[j].used and (d := names.dimension(sentence[j])) is not None]
        if columns:
            return names.count_of_table(columns[0].home.table)
    return None
