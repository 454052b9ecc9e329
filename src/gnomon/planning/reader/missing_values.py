"""Rows without a value of a column, or with one: “missing heights”, “height and soil missing”, “ages that are not null”."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.language.word_places import is_verb
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
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
        """“entries that have a fault code”, “which gave any reason”: those that lack none, where no value is named."""
        for j in range(1, len(self.sentence)):
            i, item = j - 1, self.sentence[j]
            some = item.start > 0 and self.sentence.words[item.start - 1].lower in _SOME
            dimension = self.names.dimension(item) if some and not item.used else None
            if dimension is None or not self._may_lack(j, dimension):
                continue
            if not self._ends_clause(j, dimension):
                continue
            having = self.sentence[i].op(Op.WITH)
            if having and not self.sentence[i].used and not self._negated(i):
                self.filters.append((j, Filter(field=dimension.name, operator=_F.NOT_NULL)))
                self._use(i, j)
            elif not having and (denied := self._is_done_with(j)) is not None:
                operator = _F.NOT_NULL if denied is False else _F.IS_NULL
                self.filters.append((j, Filter(field=dimension.name, operator=operator)))
                self._use(j, *([j - 1] if denied else []))

    def _may_lack(self, j: int, column: Dimension) -> bool:
        """Whether rows may have no value of a column, or may refer to nothing of what it identifies."""
        if column.type is DimensionType.ID and self._table_of(self.sentence[j]):
            return self._refers(j, column)
        return column.nullable and column.type in _TOLD

    def _refers(self, i: int, key: Dimension) -> bool:
        """Whether rows that are named before refer to what ``key`` identifies, and may leave it open."""
        rows = {x.name for k in range(i) for x in self.sentence[k].links if x.kind is LinkKind.TABLE}
        return any(
            j.table in rows and j.to_table == key.home.table and key.at(j.table) == j.column
            for j in self.names.model.joins
        )

    def _is_done_with(self, j: int) -> bool | None:
        """“orders that (did not) use a promo code”: whether it is denied that rows did it; None where they are not said to."""
        start = self.sentence[j].start
        denied = self.sentence[j - 1].op(Op.NOT)
        rows = self.sentence.before(j, (Op.THAT, Op.FILLER, Op.NOT))
        verb = start > 1 and is_verb(self.sentence.words[start - 2].lower)
        return denied if verb and rows is not None and self.sentence[rows].named(LinkKind.TABLE) else None

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
