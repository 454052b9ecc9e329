"""Which of the words around a bound say what it bounds: the noun behind the number, an adjective, the noun before."""

from __future__ import annotations

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.implied_columns import MONEY_UNIT
from gnomon.planning.reader.lengths import in_unit, unit_of_time
from gnomon.planning.reader.naming import is_count
from gnomon.planning.reader.numbered_things import NumberedThings
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.things_as_rows import NEARLY_ALL
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Dimension, DimensionType, Metric
from gnomon.semantic.units import names_unit, times_as_many, unit_called

_HAVING = frozenset({"have", "has", "had", "having"})
_GROUPING = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)


class BoundFields(NumberedThings):
    """Finds the words that name what a bound is on."""

    def _field_near(self, start: int, end: int, after: int | None) -> int | None:
        if self._grades_verb(start):
            return start - 1
        if self.sentence[start].association and any(self._field(self.sentence[start])):
            if self._tells_unit(start, end):
                return start
            named = after is not None and names_unit(self.sentence[after].text) and self._is_field(after)
            return after if named else None
        inside = next((j for j in range(start + 1, end) if self._is_field(j)), None)
        if inside is not None:
            return inside  # "5 kg or lighter"
        timed = after is not None and unit_of_time(self.sentence[after].text) is not None
        near = not timed and after is not None and after - end <= 3 and not self.sentence[after].used
        before = self._field_before(start)
        done = after is not None and before is not None and self._is_deed(after)
        if (
            near
            and after is not None
            and self._is_field(after)
            and not (done or self._is_predicate(end, after))
        ):
            return before if before is not None and self._is_unit_of(after, before) else after
        return before

    def _told_in_units(self, after: int | None) -> int | None:
        """“20 years of service”: the column of numbers that a unit of time behind the number is a unit of."""
        if after is None or after + 2 >= len(self.sentence) or not self.sentence[after].op(Op.UNIT):
            return None
        of, noun = self.sentence[after + 1], self.sentence[after + 2]
        if not of.op(Op.OF) or not noun.links or noun.start != of.end:
            return None
        column = self._field(noun)[1]
        return after + 2 if column is not None and column.type is DimensionType.NUMBER else None

    def _field_before(self, start: int) -> int | None:
        for j in range(start - 1, max(-1, start - 6), -1):
            if self.sentence[j].op(Op.BY) and j == start - 1:
                continue  # "delayed by over two hours"
            if self.sentence[j].number or self.sentence[j].op(Op.BY, Op.EACH):
                return None
            if self._is_field(j):
                return j if not self._has_number(j, start) else None
        return None

    def _has_number(self, field: int, start: int) -> bool:
        """“2 or more bathrooms under 300000”: the noun has its number before it, and nothing joins another to it."""
        before = self.sentence[field - 1] if field else None
        counted = before is not None and (before.number is not None or before.op(Op.OR_MORE))
        between = self.sentence.words[self.sentence[field].end : self.sentence[start].start]
        return counted and not {w.lower for w in between} & {"and", "or", "but", ",", "&"}

    def _is_counted(self, start: int, column: Dimension | None) -> bool:
        """Whether a column has its number already, right before the bound."""
        at = start - 1
        return at > 0 and self._has_number(at, start) and self._field(self.sentence[at])[1] == column

    def _is_unit_of(self, unit: int, field: int) -> bool:
        """“a weight above 50 kg”: the unit of what stands before the bound is nothing else to bound."""
        column = self._field(self.sentence[field])[1]
        said = unit_called(self.sentence[unit].text)
        return column is not None and said is not None and column.unit == said

    def _grades_verb(self, start: int) -> bool:
        """“waited longer than 30 minutes”: a verb that names a column says what is longer."""
        item, before = self.sentence[start], self.sentence[start - 1] if start else None
        graded = item.association is not None and item.association.comparative
        if not graded or before is None or before.end != item.start or not before.links:
            return False
        measure = self.names.measure(before)
        return measure is not None and not is_count(measure) and before.text.lower().endswith("ed")

    def _tells_unit(self, start: int, end: int) -> bool:
        """Whether what an adjective speaks of can be told in the unit that was said: not a duration in kilometres."""
        metric, dimension = self._field(self.sentence[start])
        held = dimension.unit if dimension is not None else metric.unit if metric is not None else None
        unit = self.unit_said(start, end)
        if unit is None or held is None or unit in (held, MONEY_UNIT):
            return True
        if times_as_many(held, unit) is not None:
            return True
        return unit_of_time(unit) is not None and in_unit((1.0,), unit, held) is not None

    def _is_predicate(self, end: int, after: int) -> bool:
        """“orders over 100 were returned”: a yes-or-no column behind a verb is not what the number bounds."""
        between = {w.lower for w in self.sentence.words[self.sentence[end].end : self.sentence[after].start]}
        flag = self.names.dimension(self.sentence[after], DimensionType.BOOLEAN)
        return flag is not None and bool(between & {"is", "are", "was", "were", "got", "been"})

    def _is_deed(self, at: int) -> bool:
        """“with an income above 5 voted”, “… did vote”: what was done is not counted, where a noun before is bounded."""
        item, words = self.sentence[at], self.sentence.words
        flag = self.names.dimension(item, DimensionType.BOOLEAN) is not None
        did = item.start > 0 and words[item.start - 1].lower in {"do", "does", "did"}
        return flag and (did or get_lexicon().is_participle(words[item.start].lower))

    def _is_field(self, j: int) -> bool:
        metric, dimension = self._field(self.sentence[j])
        return metric is not None or dimension is not None

    def _is_had(self, i: int) -> bool:
        """“owners who have two dogs”: a bare number of rows that belong to something named before it."""
        number, noun = self.sentence[i].number, self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        rows = noun.named(LinkKind.TABLE) if noun is not None and self._beside(i, i + 1) else None
        if number is None or rows is None or number.unit or number.percent or not number.value.is_integer():
            return False
        owners = {j.to_table for j in self.names.model.joins if j.table == rows.name}
        joined = i > 0 and self.sentence[i - 1].op(Op.AND, Op.OR, Op.BY, Op.EACH, Op.VERSUS)
        named = {
            link.name for k in range(i) for link in self.sentence[k].links if link.kind is LinkKind.TABLE
        }
        return not joined and (not named.isdisjoint(owners) or self._has_rows(i, rows.name))

    def _has_rows(self, i: int, table: str) -> bool:
        """“artists with only two works”: a number of rows behind the name of a column that groups them."""
        has = i - 1 - (i > 1 and self.sentence[i - 1].op(Op.ONLY))
        if has < 1 or not (self.sentence[has].op(Op.WITH) or self.sentence[has].text.lower() in _HAVING):
            return False
        group = self.names.dimension(self.sentence[has - 1])
        return group is not None and group.home.table == table and group.type in _GROUPING

    def _are_rows_themselves(self, at: int | None, subject: object, metric: Metric) -> bool:
        """“schools with expenses above 6,000”: a name that nearly every row has alone is said of the rows themselves."""
        if at is None or not isinstance(subject, Dimension) or subject.home.table != metric.table:
            return False
        rows = self.names.model.table(subject.home.table).rows or 0
        named = self.sentence[at].named(LinkKind.TABLE)
        several = (subject.distinct or 0) < rows and self.names.column_of(metric) is not None
        nearly = (subject.distinct or 0) >= NEARLY_ALL * rows
        if not several or not nearly or named is None or named.name != metric.table:
            return False
        if self.sentence.has(Op.COUNT):
            item = self.sentence[at]
            item.links = tuple(x for x in item.links if x.kind is not LinkKind.DIMENSION)
        return True
