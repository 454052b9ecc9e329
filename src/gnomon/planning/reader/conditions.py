"""Conditions in a question: values, numbers, flags and missing values, with what they are conditions on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gnomon.core.query import TimeGranularity
from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.values import ValueIndex, ValueMatch

_NEGATING = (Op.EXCLUDE, Op.NOT, Op.WITHOUT, Op.OUTSIDE)
_COMPARATIVES = frozenset(
    {"more", "better", "higher", "bigger", "larger", "less", "fewer", "lower", "worse", "smaller"}
)
_F = FilterOperator
_NAMING = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.TIME, DimensionType.ID)
_OPPOSITE = {
    _F.GREATER: _F.AT_MOST,
    _F.LESS: _F.AT_LEAST,
    _F.AT_LEAST: _F.LESS,
    _F.AT_MOST: _F.GREATER,
    _F.EQUALS: _F.NOT_EQUALS,
    _F.BETWEEN: _F.OUTSIDE,
}


@dataclass
class ValueCondition:
    """Values that rows must, or must not, have; which dimension they belong to may still be open."""

    at: int
    choices: list[tuple[ValueMatch, ...]]
    negated: bool = False
    hint: str | None = None
    versus: bool = False
    joined: str = ""
    texts: list[str] = field(default_factory=list[str])


@dataclass
class NumberCondition:
    """A bound on a column or on a metric, and whose it is."""

    at: int
    operator: FilterOperator
    values: tuple[float, ...]
    percent: bool
    metric: Metric | None
    dimension: Dimension | None
    subject: Dimension | TimeGranularity | None
    subject_at: int | None = None
    field_at: int | None = None


class Conditions:
    """Finds the conditions of one sentence; items that take part in one are marked used.

    Args:
        sentence: The items.
        names: The names of the model.
        index: The values of the data.
    """

    def __init__(self, sentence: Sentence, names: Names, index: ValueIndex) -> None:
        self.sentence = sentence
        self.names = names
        self.index = index
        self.values: list[ValueCondition] = []
        self.numbers: list[NumberCondition] = []
        self.filters: list[tuple[int, Filter]] = []
        self._find_literals()
        self._find_values()
        self._find_numbers()
        self._find_ordinals()
        self._find_missing()
        self._find_presence()
        self._find_signs()
        self._find_undone()
        self._find_flags()

    # values

    def _find_values(self) -> None:
        run: ValueCondition | None = None
        for i, item in self.sentence:
            if not self._is_value(i, item):
                continue
            continued = run if run and self._continues(run, i) else None
            if continued is not None:
                continued.choices.append(item.values)
                continued.texts.append(item.text)
                run = continued
            else:
                run = ValueCondition(i, [item.values], self._negated(i), texts=[item.text])
                self.values.append(run)
            item.used = True
            item.operator = None
            self._absorb_noun(run, i)
            run.negated = run.negated or self._negated(i)
        self._link_versus()

    def _is_value(self, i: int, item: Item) -> bool:
        if not item.values or item.used or item.time:
            return False
        if item.links and item.links[0].quality >= item.values[0].score - 0.03:
            # "metric conversion", "status returned": the noun beside it says that the value is meant
            return any(self._names_any(j, {v.dimension for v in item.values}) for j in (i - 1, i + 1))
        return not (item.operator and item.values[0].score < 0.97)

    def _names_any(self, i: int, dimensions: set[str]) -> bool:
        if not 0 <= i < len(self.sentence):
            return False
        return any(d.name in dimensions for d in self.names.dimensions(self.sentence[i]))

    def _continues(self, run: ValueCondition, i: int) -> bool:
        """Whether the value at ``i`` goes on with the list before it: A, B and C."""
        between = [
            j for j in range(self._last(run) + 1, i)
            if not self.sentence[j].op(Op.IN, Op.OF) and not self.sentence[j].used
        ]  # fmt: skip
        joints = [self.sentence[j] for j in between]
        if len(joints) > 2 or not all(j.op(Op.AND, Op.OR, Op.VERSUS) for j in joints):
            return False
        shared = {v.dimension for v in run.choices[-1]} & {v.dimension for v in self.sentence[i].values}
        if not shared:
            return False
        if any(j.op(Op.VERSUS) for j in joints):
            run.versus = True
        if any(j.op(Op.OR) for j in joints):
            run.joined = "or"
        elif joints and not run.joined:
            run.joined = "and"
        return bool(joints) or self.sentence[i].start - self.sentence[self._last(run)].end == 0

    def _last(self, run: ValueCondition) -> int:
        at = [j for j, item in self.sentence if any(item.values is c for c in run.choices)]
        return at[-1]

    def _negated(self, i: int) -> bool:
        before = self.sentence.before(i, (Op.OF, Op.IN, Op.FILLER, Op.EACH))
        while before is not None and self.sentence[before].used and not self.sentence[before].op(*_NEGATING):
            before = self.sentence.before(before, (Op.OF, Op.IN, Op.FILLER, Op.AND, Op.OR))
            if before is not None and not self.sentence[before].used:
                break
        if before is None or not self.sentence[before].op(*_NEGATING):
            return False
        self.sentence[before].used = True
        return True

    def _absorb_noun(self, run: ValueCondition, i: int) -> None:
        """“the West region”, “region West”: the noun only says what the value is."""
        possible = {v.dimension for choice in run.choices for v in choice}
        for j in (self.sentence.after(i, ()), self.sentence.before(i, (Op.OF, Op.EQUALS, Op.IN))):
            if j is None or self.sentence[j].used or not self.sentence[j].links:
                continue
            noun = self.sentence[j]
            named = [d for d in self.names.dimensions(noun) if d.name in possible]
            before = self.sentence.before(j, ())
            grouped = before is not None and self.sentence[before].op(
                Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.COUNT, Op.DISTINCT
            )
            if named and not grouped and self._beside(i, j):
                run.hint = named[0].name
                noun.used = True
                return
            table = self._table_of(noun)
            if table and not grouped and run.hint is None:
                at_home = [d for d in possible if self.names.model.dimension(d).home.table == table]
                run.hint = at_home[0] if len(at_home) == 1 else None

    def _beside(self, i: int, j: int) -> bool:
        left, right = sorted((i, j))
        return self.sentence[right].start - self.sentence[left].end <= 2

    def _table_of(self, item: Item) -> str | None:
        link = item.named(LinkKind.TABLE)
        return link.name if link else None

    def _link_versus(self) -> None:
        """Values that the question sets against each other, in one list or in two."""
        for run in self.values:
            comparing = run.joined == "or" and any(w.lower in _COMPARATIVES for w in self.sentence.words)
            if run.joined and (comparing or self.sentence.has(Op.VERSUS)) and not run.negated:
                run.versus = True
        for left, right in zip(self.values, self.values[1:], strict=False):
            between = range(self._last(left) + 1, right.at)
            if any(self.sentence[j].op(Op.VERSUS) for j in between) or (
                self.sentence.has(Op.VERSUS)
                and all(self.sentence[j].op(Op.AND, Op.VERSUS, Op.IN, Op.OF) for j in between)
            ):
                left.versus = right.versus = True

    # numbers

    def _find_numbers(self) -> None:
        for i, item in self.sentence:
            if item.number is None or item.used or item.time:
                continue
            if (condition := self._bound(i)) is not None:
                self.numbers.append(condition)

    def _bound(self, i: int) -> NumberCondition | None:
        item = self.sentence[i]
        assert item.number is not None
        before = self.sentence.before(i, (Op.OF, Op.FILLER))
        left = self.sentence[before] if before is not None else None
        after = self.sentence.after(i, ())
        right = self.sentence[after] if after is not None else None
        if left and left.op(Op.RANK):
            return None
        operator: FilterOperator | None = None
        values = (item.number.value,)
        start = end = i
        if left and left.op(Op.BETWEEN, Op.OUTSIDE):
            second = next(
                (j for j in range(i + 1, min(i + 4, len(self.sentence))) if self.sentence[j].number), None
            )
            if second is not None:
                other = self.sentence[second].number
                assert other is not None
                values = tuple(sorted((item.number.value, other.value)))
                operator = _F.BETWEEN if left.op(Op.BETWEEN) else _F.OUTSIDE
                start, end = before or 0, second
                after = self.sentence.after(second, ())
        elif left and left.op(Op.COMPARE_NUMBER, Op.EQUALS):
            operator = left.operator.payload if left.operator and left.op(Op.COMPARE_NUMBER) else _F.EQUALS
            start = before or 0
        elif left and left.op(Op.VERSUS) and before:
            than = self.sentence.before(before, ())
            adjective = self.sentence[than].association if than is not None else None
            if adjective and adjective.comparative:
                operator = _F.GREATER if adjective.descending else _F.LESS
                start = than or 0
        elif right and right.op(Op.OR_MORE) and after is not None:
            operator = right.operator.payload if right.operator else None
            end = after
            after = self.sentence.after(after, ())
        if operator is None and (other := self._range_end(i)) is not None:
            values = tuple(sorted((item.number.value, self.sentence[other].number.value)))  # type: ignore[union-attr]
            operator, end = _F.BETWEEN, other
            after = self.sentence.after(other, ())
        if operator is None:
            return self._equality(i)
        if start > 0 and self.sentence[start - 1].op(Op.NOT) and self._beside(start - 1, start):
            operator = _OPPOSITE.get(operator, operator)
            self._use(start - 1)
        return self._on_field(i, start, end, after, operator, values)

    def _range_end(self, i: int) -> int | None:
        """“3 to 4 units”: the second number of a range that is only written with “to”."""
        joint = self.sentence.after(i, ())
        if (
            joint is None
            or self.sentence[joint].text.lower() not in {"to", "-"}
            or joint + 1 >= len(self.sentence)
        ):
            return None
        return (
            joint + 1
            if self.sentence[joint + 1].number is not None and not self.sentence[joint + 1].time
            else None
        )

    def _on_field(
        self,
        i: int,
        start: int,
        end: int,
        after: int | None,
        operator: FilterOperator,
        values: tuple[float, ...],
    ) -> NumberCondition | None:
        """What a bound is a bound on: the noun right after the number, else the nearest one before it."""
        number = self.sentence[i].number
        assert number is not None
        if after is not None and self.sentence[after].op(Op.UNIT, Op.OF):
            following = self.sentence.after(after, ())
            if following is not None and self.sentence[following].association:
                after = following
        if after is not None and self.sentence[after].op(Op.IN, Op.OF) and not self.sentence[after].links:
            after = self.sentence.after(after)
        field_at = self._field_near(start, end, after)
        if field_at is None or (
            field_at < start and self._field(self.sentence[field_at])[1] is None and self._age_of(field_at)
        ):
            return self._aged(i, start, end, operator, values)
        item = self.sentence[field_at]
        metric, dimension = self._field(item)
        if metric is None and dimension is None:
            return None
        before = self.sentence.before(field_at, (Op.OF, Op.FILLER))
        if before is not None and self.sentence[before].op(Op.AGGREGATE) and field_at < start:
            # "teachers with an average score above 78": a bound on what groups average to
            operator_of = self.sentence[before].operator
            base = metric or (
                self.names.model.metric(f"{Aggregation.MEAN}({dimension.home})") if dimension else None
            )
            if base is not None and operator_of is not None:
                metric, dimension = (
                    self.names.model.metric(self.names.aggregated(base, operator_of.payload)),
                    None,
                )
                self._use(before)
        subject_at, subject = self._subject(min(field_at, start), metric, dimension)
        counted = metric is not None and dimension is None and is_count(metric)
        if counted and subject_at is None and field_at < start:
            return None  # "orders between 100 and 200" does not say of what
        item.used = True
        self._use(*range(start, end + 1))
        return NumberCondition(
            i, operator, values, number.percent, metric, dimension, subject, subject_at, field_at
        )

    def _age_of(self, at: int) -> Dimension | None:
        """The age column of the table that a noun names."""
        table = self._table_of(self.sentence[at])
        ages = [d for d in self.names.model.dimensions if d.label == "age" and d.type is DimensionType.NUMBER]
        return next((d for d in ages if table is not None and d.at(table)), None)

    def _aged(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """“players under 21”: a bare bound on people is one on their age."""
        for j in range(start - 1, max(-1, start - 4), -1):
            age = self._age_of(j) if self.sentence[j].links else None
            if age is not None and all(0 < v < 130 for v in values):
                self._use(*range(start, end + 1))
                return NumberCondition(i, operator, values, False, None, age, None, None, None)
        return None

    def _field_near(self, start: int, end: int, after: int | None) -> int | None:
        if self.sentence[start].association and any(self._field(self.sentence[start])):
            return start
        if after is not None and after - end <= 3 and not self.sentence[after].used and self._is_field(after):
            return after
        for j in range(start - 1, max(-1, start - 6), -1):
            if self.sentence[j].number or self.sentence[j].op(Op.BY, Op.EACH):
                break
            if self._is_field(j):
                return j
        return None

    def _is_field(self, j: int) -> bool:
        metric, dimension = self._field(self.sentence[j])
        return metric is not None or dimension is not None

    def _field(self, item: Item) -> tuple[Metric | None, Dimension | None]:
        """The measure or the numeric column that an item names, or the count of what it names."""
        measure = self.names.measure(item)
        column = self.names.dimension(item, DimensionType.NUMBER)
        if measure is not None:
            return measure, self.names.column_of(measure) or column
        if column is not None:
            return None, column
        return self.names.count(item), None

    def _subject(
        self, before: int, metric: Metric | None, dimension: Dimension | None
    ) -> tuple[int | None, Dimension | TimeGranularity | None]:
        """Who or what the bound is about: the nearest noun before it that can be grouped by."""
        for j in range(before - 1, -1, -1):
            item = self.sentence[j]
            if item.op(Op.UNIT) and item.operator and not self._reached(item, metric):
                return j, TimeGranularity(item.operator.payload)
            if item.op(Op.ROWS) and not item.links:
                return j, None
            if not item.links or item.used:
                continue
            if metric is not None and self.names.measure(item) is not None:
                continue
            found = self.names.dimension(item, DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
            if found is not None and found != dimension:
                return j, found
            if self._table_of(item):
                return j, None
        return None, None

    def _reached(self, item: Item, metric: Metric | None) -> bool:
        """Whether a word for a period is a column here that the measure can be grouped by."""
        dimension = self.names.dimension(item) if item.links else None
        if dimension is None or dimension.type is DimensionType.TIME:
            return False
        return metric is None or self.names.model.reaches(metric, dimension)

    def _equality(self, i: int) -> NumberCondition | None:
        """“5 stars”, “rating 5”, “class 3”: a number beside a noun; before a noun it never names one of many."""
        number = self.sentence[i].number
        before = self.sentence.before(i, ())
        if number is None or (before is not None and self.sentence[before].op(Op.RANK)):
            return None
        left = (DimensionType.NUMBER, DimensionType.ID, DimensionType.CATEGORY)
        for j, kinds in (
            (self.sentence.after(i, ()), (DimensionType.NUMBER,)),
            (self.sentence.before(i, (Op.OF, Op.EQUALS)), left),
        ):
            if j is None or not self._beside(i, j) or not self.sentence[j].links:
                continue
            item = self.sentence[j]
            measure = self.names.measure(item)
            column = self.names.column_of(measure) if measure is not None else None
            dimension = self.names.dimension(item, *kinds) or column
            if dimension is None or (
                dimension.type is not DimensionType.NUMBER and self.sentence[i].start != item.end
            ):
                continue
            following = self.sentence.after(max(i, j), ())
            tail = self.sentence[following] if following is not None else None
            more = tail.operator if tail is not None and tail.op(Op.OR_MORE) else None
            if more is not None and following is not None:
                self._use(following)  # "three units or more"
            self._use(i, j)
            operator = more.payload if more is not None else _F.EQUALS
            return NumberCondition(
                i, operator, (number.value,), number.percent, None, dimension, None, None, j
            )
        return None

    def _find_ordinals(self) -> None:
        """“third class”: an ordinal right before a column of numbers is one of them."""
        for i in self.sentence.find(Op.ORDINAL):
            item = self.sentence[i]
            j = i + 1
            if item.used or item.operator is None or j >= len(self.sentence) or not self.sentence[j].links:
                continue
            dimension = self.names.dimension(self.sentence[j], DimensionType.NUMBER, DimensionType.CATEGORY)
            held = (
                {str(v) for v in self.index.values(dimension.name)} if dimension is not None else set[str]()
            )
            if dimension is None or (held and str(item.operator.payload) not in held):
                continue
            condition = Filter(field=dimension.name, operator=_F.EQUALS, values=(int(item.operator.payload),))
            self.filters.append((i, condition))
            self._use(i, j)

    # the rest

    def _find_literals(self) -> None:
        for i in self.sentence.find(Op.CONTAINS):
            after = self.sentence.after(i)
            if after is None or self.sentence[after].literal is None:
                continue
            before = self.sentence.before(i)
            named = (
                self.names.dimension(self.sentence[before], DimensionType.TEXT, DimensionType.CATEGORY)
                if before is not None
                else None
            )
            column = named or self._only_text(self.sentence[before] if before is not None else None)
            if column is not None:
                self.filters.append(
                    (
                        i,
                        Filter(
                            field=column.name, operator=_F.CONTAINS, values=(self.sentence[after].literal,)
                        ),
                    )
                )
                self._use(i, after)

    def _only_text(self, item: Item | None) -> Dimension | None:
        table = self._table_of(item) if item else None
        texts = [d for d in self.names.model.dimensions if d.type is DimensionType.TEXT]
        here = [d for d in texts if table is None or d.at(table)]
        return here[0] if len(here) == 1 else None

    def _find_missing(self) -> None:
        for i in self.sentence.find(Op.MISSING):
            for j in (self.sentence.after(i), self.sentence.before(i)):
                if j is None:
                    continue
                dimension = self.names.dimension(self.sentence[j])
                if dimension is None or (
                    dimension.type is DimensionType.ID and self._table_of(self.sentence[j])
                ):
                    continue
                negated = self._negated(i)
                operator = _F.NOT_NULL if negated else _F.IS_NULL
                self.filters.append((i, Filter(field=dimension.name, operator=operator)))
                self._use(i, j)
                break

    def _find_presence(self) -> None:
        """“orders with a discount”, “without a region”, “discounted orders”: there is some of it, or none."""
        for i, item in self.sentence:
            if item.used:
                continue
            state = item.association is not None and item.association.state
            if state and i + 1 < len(self.sentence) and self.names.count(self.sentence[i + 1]) is not None:
                self._present(i, i, i + 2, _F.GREATER)
            elif item.op(Op.WITH, Op.WITHOUT) and not item.links:
                j = self.sentence.after(i, (Op.OF, Op.FILLER, Op.DISTINCT))
                following = self.sentence.after(j, ()) if j is not None else None
                compared = following is not None and (
                    self.sentence[following].op(Op.COMPARE_NUMBER, Op.BETWEEN, Op.OUTSIDE, Op.EQUALS)
                    or self.sentence[following].number is not None
                )
                if j is not None and not self.sentence[j].used and not compared:
                    self._present(i, j, i, _F.EQUALS if item.op(Op.WITHOUT) else _F.GREATER)

    def _present(self, i: int, j: int, before: int, operator: FilterOperator) -> None:
        item = self.sentence[j]
        if i != j and (not item.links or item.op(Op.RANK, Op.AGGREGATE, Op.COUNT)):
            return
        dimension = self.names.dimension(item)
        if operator is _F.EQUALS and dimension is not None and dimension.type in _NAMING:
            if dimension.type is DimensionType.ID and not dimension.nullable:
                return  # "products with no orders": rows that are not there cannot be found by looking for nulls
            self.filters.append((i, Filter(field=dimension.name, operator=_F.IS_NULL)))
            self._use(i, j)
            return
        metric = self.names.measure(item)
        column = (
            self.names.column_of(metric)
            if metric is not None
            else self.names.dimension(item, DimensionType.NUMBER)
        )
        if column is not None and column.type is DimensionType.BOOLEAN:
            return
        if metric is None and column is None and i != j:
            metric = self.names.countable(item)
        at, subject = self._subject(before, metric, column)
        if at is None or (subject is None and column is None) or (metric is None and column is None):
            return
        if operator is _F.EQUALS and column is not None and column.nullable:
            self.filters.append((i, Filter(field=column.name, operator=_F.IS_NULL)))
            self._use(i, j)
            return
        if isinstance(subject, TimeGranularity):
            self.sentence[at].used = True
        self.numbers.append(NumberCondition(i, operator, (0.0,), False, metric, column, subject, at, j))
        self._use(i, j)

    def _find_signs(self) -> None:
        for i in self.sentence.find(Op.SIGN):
            j = self.sentence.after(i)
            item = self.sentence[i]
            if j is None or item.operator is None:
                continue
            if i and self.sentence[i - 1].op(Op.RANK):
                continue  # "the most negative" ranks
            metric, dimension = self._field(self.sentence[j])
            if metric is None and dimension is None:
                continue
            at, subject = self._subject(i, metric, dimension)
            self.numbers.append(
                NumberCondition(i, item.operator.payload, (0.0,), False, metric, dimension, subject, at, j)
            )
            self._use(i, j)

    def _find_undone(self) -> None:
        """“loans that have not been returned”: the date on which it would have happened is missing."""
        for i, item in self.sentence:
            if item.used or not item.links or not item.text.lower().endswith(("ed", "en", "t", "d")):
                continue
            dimension = self.names.dimension(item, DimensionType.TIME)
            before = self.sentence.before(i)
            undone = before is not None and self.sentence[before].op(Op.NOT)
            if dimension is None or not dimension.nullable or not undone or before is None:
                continue
            self.filters.append((i, Filter(field=dimension.name, operator=_F.IS_NULL)))
            self._use(i, before)

    def _find_flags(self) -> None:
        """A yes-or-no column used as an adjective or verb: returned orders, orders that were not returned."""
        for i, item in self.sentence:
            if item.used or not item.links:
                continue
            dimension = self._flag(i, item)
            if dimension is None:
                continue
            before = self.sentence.before(i)
            grouped = before is not None and self.sentence[before].op(
                Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.AGGREGATE
            )
            if grouped:
                continue
            if self._never(i, dimension):
                item.used = True
                continue
            value = self._flag_value(dimension, not self._negated(i))
            self.filters.append((i, Filter(field=dimension.name, operator=_F.EQUALS, values=(value,))))
            item.used = True

    def _never(self, i: int, dimension: Dimension) -> bool:
        """“products that were never returned”: none of a subject's rows, not rows that were not."""
        before = self.sentence.before(i)
        if before is None or self.sentence[before].text.lower() != "never":
            return False
        summed = next(
            (
                m
                for m in self.names.model.metrics
                if m.aggregation is Aggregation.SUM and self.names.column_of(m) == dimension
            ),
            None,
        )
        at, subject = self._subject(before, summed, dimension)
        if summed is None or not isinstance(subject, Dimension):
            return False
        self.sentence[before].used = True
        self.numbers.append(NumberCondition(i, _F.EQUALS, (0.0,), False, summed, None, subject, at, i))
        return True

    def _flag(self, i: int, item: Item) -> Dimension | None:
        """The yes-or-no column that an item means: by its name, or as rows that are left out or looked at alone."""
        dimension = self.names.dimension(item)
        if (
            dimension is not None
            and dimension.type is DimensionType.BOOLEAN
            and item.links[0].name == dimension.name
        ):
            return dimension
        measure = self.names.measure(item)
        column = self.names.column_of(measure) if measure is not None else None
        if measure is None or column is None or column.type is not DimensionType.BOOLEAN:
            return None
        before = self.sentence.before(i, ())
        limiting = before is not None and self.sentence[before].op(*_NEGATING, Op.ONLY, Op.IN, Op.OF, Op.WITH)
        others = any(
            j != i and x.links and (m := self.names.measure(x)) is not None and m.name != measure.name
            for j, x in self.sentence
        )
        return column if measure.aggregation is Aggregation.SUM and others and limiting else None

    def _flag_value(self, dimension: Dimension, wanted: bool) -> Any:
        """The stored value that means yes, or no."""
        yes = {"true", "yes", "y", "t", "1", "on"}
        for value in self.index.values(dimension.name):
            if (str(value).strip().lower().removesuffix(".0") in yes) is wanted:
                return value
        return wanted

    def _use(self, *positions: int) -> None:
        for j in positions:
            self.sentence[j].used = True


def as_filter(condition: NumberCondition, names: Names) -> Filter:
    """A bound as a filter on rows, or on groups where it speaks of what groups add up to."""
    metric, dimension, subject = condition.metric, condition.dimension, condition.subject
    on_rows = dimension is not None and not _needs_groups(metric, dimension, subject, names)
    unit = (
        dimension.unit if on_rows and dimension is not None else metric.unit if metric is not None else None
    )
    values = tuple(v / 100 if condition.percent and unit == "fraction" else v for v in condition.values)
    plain = tuple(int(v) if float(v).is_integer() else v for v in values)
    if on_rows and dimension is not None:
        return Filter(field=dimension.name, operator=condition.operator, values=plain)
    by = subject.value if isinstance(subject, TimeGranularity) else subject.name if subject else None
    on = metric.name if metric is not None else ""
    return Filter(field=on, operator=condition.operator, values=plain, having=True, by=by)


def _needs_groups(
    metric: Metric | None, dimension: Dimension, subject: Dimension | TimeGranularity | None, names: Names
) -> bool:
    """Whether a bound on a column means its total per subject: it does where a subject has several rows."""
    if metric is None or subject is None:
        return False
    if isinstance(subject, TimeGranularity):
        return True
    table = metric.table or dimension.home.table
    return names.model.table(table).key != (subject.at(table),)
