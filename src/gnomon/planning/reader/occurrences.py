"""Bounds on how often something happened: more than twenty times, on at least three days, at least one of a kind."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.condition_finder import NumberCondition
from gnomon.planning.reader.implied_columns import ImpliedColumns
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import is_count
from gnomon.planning.reader.number_items import ADVERBS
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_F = FilterOperator
_OFTEN = frozenset({"times", "occasions"})
_LARGE = (_F.GREATER, _F.AT_LEAST, _F.EQUALS)


class Occurrences(ImpliedColumns):
    """Finds bounds on numbers of occurrences, and what it is that occurs."""

    def _occurring(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """The bound on how often something happened, where that is what the words around a number say."""
        words = self.sentence.words
        ends = {
            self.sentence[i].end,
            self.sentence[end].end,
        }  # "fifty times or more", "more than fifty times"
        behind = {words[at].lower for at in ends if at < len(words)}
        if behind & _OFTEN or self.sentence[end].text.lower() in ADVERBS:
            return self._so_often(i, start, end, operator, values)
        following = self.sentence[end + 1] if end + 1 < len(self.sentence) else None
        if (
            following is not None
            and following.op(Op.UNIT)
            and words[self.sentence[start].start - 1].lower == "on"
        ):
            return self._on_days(i, start, end, operator, values)
        if operator is _F.AT_LEAST and values == (1.0,):
            return self._existing(i, start, end)
        return None

    def _so_often(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """“returned more than twenty times”: the verb says what is counted, for each of what is spoken of."""
        for j in range(start - 1, max(-1, start - 4), -1):
            counted = self._counted_by(self.sentence[j])
            if counted is None:
                continue
            at, subject = self._subject(j, counted, None)
            if isinstance(subject, Dimension) and self.names.model.reaches(counted, subject):
                self._use(j, *range(start, end + 1))
                if is_count(counted) and counted.table is not None:
                    self.sentence[j].links = (Link(LinkKind.TABLE, counted.table, 1.0),)
                return NumberCondition(i, operator, values, False, counted, None, subject, at, j)
        return self._seen_often(i, start, end, operator, values)

    def _seen_often(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """“patients who came more than twice”: a verb that says no more counts the rows that each of them has."""
        model = self.names.model
        at, subject = self._subject(start, None, None)
        if not isinstance(subject, Dimension) or self.sentence[i].number is None:
            return None
        homes = [t for t in model.tables if (c := subject.at(t.name)) is not None and t.key != (c,)]
        if len(homes) != 1:
            return None
        self._use(*range(start, end + 1))
        counted = self.names.count_of_table(homes[0].name)
        return NumberCondition(i, operator, values, False, counted, None, subject, at, start)

    def _says_often(self, end: int) -> bool:
        """“4 times”, which bounds how often, and never how much; “4 times the average” is an amount."""
        words = self.sentence.words
        at = self.sentence[end - 1 if self.sentence[end].op(Op.OR_MORE) and end else end].end
        behind = [w.lower for w in words[at : at + 2]]
        return behind[:1] == ["times"] and behind[1:] not in (["the"], ["as"], ["that"], ["their"], ["its"])

    def _counted_by(self, item: Item) -> Metric | None:
        """The number of what a verb or noun says happened."""
        flag = self.names.dimension(item, DimensionType.BOOLEAN) if item.links else None
        if flag is not None:
            sums = (m for m in self.names.model.metrics if m.aggregation is Aggregation.SUM)
            return next((m for m in sums if self.names.column_of(m) == flag), None)
        if item.links:
            return self.names.count(item) or self._rows_of(item)
        return next((m for m in self.names.metrics(item) if is_count(m)), None) if item.association else None

    def _rows_of(self, item: Item) -> Metric | None:
        """The number of rows of the table that is called after what a word says: absent, in a table of absences."""
        tables = [
            self.names.model.dimension(x.name).home.table for x in item.links if x.kind is LinkKind.DIMENSION
        ]
        named = [t for t in tables[:1] if any(kindred(item.text.lower(), w) for w in name_words(t))]
        return self.names.count_of_table(named[0]) if named else None

    def _on_days(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """“stockouts on more than three days”: the days on which there was any of it, for each of what had it."""
        model = self.names.model
        for j in range(start - 1, max(-1, start - 4), -1):
            item = self.sentence[j]
            measure = self.names.measure(item) if item.links else None
            column = self.names.column_of(measure) if measure is not None else None
            table = model.table(column.home.table) if column is not None else None
            if column is None or table is None or table.time_dimension is None:
                continue
            time = model.dimension(table.time_dimension)
            unit = self.sentence[end + 1].operator
            if unit is None or time.grain is None or unit.payload != time.grain.value:
                continue
            days = model.metric(f"{Aggregation.COUNT_DISTINCT}({table.name}.{time.at(table.name)})")
            at, subject = self._subject(j, days, column)
            if not isinstance(subject, Dimension) or not model.reaches(days, subject):
                continue
            if column.type is DimensionType.BOOLEAN:
                self.filters.append((j, Filter(field=column.name, operator=_F.EQUALS, values=(True,))))
            else:
                self.filters.append((j, Filter(field=column.name, operator=_F.GREATER, values=(0,))))
            self._use(j, *range(start, end + 2))
            return NumberCondition(i, operator, values, False, days, None, subject, at, j)
        return None

    def _existing(self, i: int, start: int, end: int) -> NumberCondition | None:
        """“at least one five-star review”: there is such a row, whatever narrows it down before its noun."""
        for j in range(end + 1, min(end + 6, len(self.sentence))):
            item = self.sentence[j]
            rows = item.named(LinkKind.TABLE)
            count = self.names.count(item) if rows is not None else self._events(item)
            if count is None:
                if item.number is None and not item.links and not item.values:
                    return None
                continue
            at, subject = self._subject(start, count, None)
            if not isinstance(subject, Dimension) or not self.names.model.reaches(count, subject):
                return None
            self._use(*range(start, end + 1), j)
            if item.association is not None and count.table is not None:
                item.links, item.association = (Link(LinkKind.TABLE, count.table, 1.0),), None
            return NumberCondition(i, _F.AT_LEAST, (1.0,), False, count, None, subject, at, j)
        return None

    def _impossible(
        self, metric: Metric, operator: FilterOperator, values: tuple[float, ...], subject: object
    ) -> bool:
        """Whether nothing can have so many different ones: there are not as many, or each row has just one."""
        if metric.aggregation is not Aggregation.COUNT_DISTINCT or metric.table is None:
            return False
        column = self.names.column_of(metric)
        if column is None:
            return False
        alone = subject is None or (
            isinstance(subject, Dimension)
            and self.names.model.table(metric.table).key == (subject.at(metric.table),)
        )
        many = operator in _LARGE and column.distinct is not None and max(values) > column.distinct
        return alone or many

    def _units_of(self, item: Item) -> Metric | None:
        """How many of them there were, where a measure tells it: items sold."""
        named = [
            x for x in self.names.vocabulary.named(f"{item.text.lower()} sold") if x.kind is LinkKind.METRIC
        ]
        return self.names.model.metric(named[0].name) if named else None
