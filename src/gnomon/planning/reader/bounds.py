"""Numbers in a question: bounds, ranges and equalities, and the column or measure that each is about."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from gnomon.core.parts import FilterOperator
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.bound_fields import BoundFields
from gnomon.planning.reader.condition_finder import NumberCondition
from gnomon.planning.reader.lengths import in_unit, unit_of_time
from gnomon.planning.reader.naming import is_count, upward
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.range_ends import SAID_BEHIND
from gnomon.planning.reader.ratios import is_intensive
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.units import names_unit, unit_called

_F = FilterOperator

_LEVELS = frozenset({"fraction", "%", "°C", "°F", "kph", "mph", "bpm", "ppm", "hPa", "dB"})
_OPPOSITE = {
    _F.GREATER: _F.AT_MOST,
    _F.LESS: _F.AT_LEAST,
    _F.AT_LEAST: _F.LESS,
    _F.AT_MOST: _F.GREATER,
    _F.EQUALS: _F.NOT_EQUALS,
    _F.BETWEEN: _F.OUTSIDE,
}


class BoundFinder(BoundFields):
    """Finds bounds on columns and on what groups add up to."""

    def _find_numbers(self) -> None:
        for i, item in self.sentence:
            if item.number is None or item.used or item.time or self._is_coded(i):
                continue
            if (condition := self._list_of(i) or self._bound(i) or self._went_on(i)) is not None:
                self.numbers += self._with_ends(replace(condition, relative=item.number.relative))
        self._join_ends()

    def _with_ends(self, condition: NumberCondition) -> list[NumberCondition]:
        """“between 5 and 10 exclusive”: whether the ends belong to a range may be said behind it."""
        last = next((j for j in range(condition.at + 1, len(self.sentence)) if self.sentence[j].number), None)
        if condition.operator is not _F.BETWEEN or last is None:
            return [condition]
        end = self.sentence[last].end
        said = {
            w.lower: k
            for k, w in enumerate(self.sentence.words)
            if end <= k < end + 4 and w.lower in SAID_BEHIND
        }
        self._hear(said.values())
        if "exclusive" not in said and "exclusively" not in said:
            return [condition]
        low, high = condition.values
        return [
            replace(condition, operator=_F.GREATER, values=(low,)),
            replace(condition, operator=_F.LESS, values=(high,)),
        ]

    def _went_on(self, i: int) -> NumberCondition | None:
        """“a pH below 7 or above 8.2”: a second bound right behind the first is on the same."""
        number, last = self.sentence[i].number, self.numbers[-1] if self.numbers else None
        compare = self.sentence[i - 1] if i else None
        if last is None or number is None or compare is None or not compare.op(Op.COMPARE_NUMBER, Op.OR_MORE):
            return None
        between = range(last.at + 1, i - 1)
        joined = any(self.sentence[j].op(Op.AND, Op.OR) for j in between) or compare.op(Op.OR_MORE)
        plain = all(self.sentence[j].op(Op.AND, Op.OR, Op.UNIT) or self.sentence[j].used for j in between)
        if not joined or not plain or compare.operator is None or last.percent != number.percent:
            return None
        self._use(i, i - 1, *between)
        said: FilterOperator = compare.operator.payload
        if compare.op(Op.OR_MORE):  # "below 7 or above 8", which at other times ends a number
            said = _F.GREATER if said is _F.AT_LEAST else _F.LESS
        return replace(last, at=i, operator=said, values=(float(number.value),))

    def _join_ends(self) -> None:
        """“below 7 or above 8.2” keeps what is outside of both, not what is within neither."""
        for first, second in pairwise(self.numbers[:]):
            ends = {first.operator: first.values[0], second.operator: second.values[0]}
            between = self.sentence.items[first.at : second.at]
            either = any(
                x.op(Op.OR) or (x.op(Op.OR_MORE) and x.text.lower().startswith("or")) for x in between
            )
            same = (first.metric, first.dimension) == (second.metric, second.dimension)
            if (
                not same
                or not either
                or set(ends) != {_F.LESS, _F.GREATER}
                or ends[_F.LESS] > ends[_F.GREATER]
            ):
                continue
            at = self.numbers.index(first)
            whole = replace(first, operator=_F.OUTSIDE, values=(ends[_F.LESS], ends[_F.GREATER]))
            self.numbers[at : at + 2] = [whole]

    def _list_of(self, i: int) -> NumberCondition | None:
        """“1, 2 and 3 units”, “a rating of 4 or 5”: numbers joined to a list, each of them meant."""
        before = self.sentence.before(i, (Op.OF, Op.FILLER))
        if before is not None and self.sentence[before].op(
            Op.BETWEEN, Op.OUTSIDE, Op.COMPARE_NUMBER, Op.RANK
        ):
            return None
        run, joints = [i], set[str]()
        j = i + 1
        while j < len(self.sentence):
            item = self.sentence[j]
            if item.number is not None and not item.time and not item.used:
                run.append(j)
            elif item.op(Op.AND, Op.OR) and item.text != "&":
                joints.add("or" if item.op(Op.OR) else "and")
            else:
                break
            j += 1
        if len(run) < 2 or not joints or (j < len(self.sentence) and self.sentence[j].op(Op.OR_MORE)):
            return None
        whole = (self._equality(run[-1]), self._equality(run[0]))
        found = next((c for c in whole if c is not None and c.operator is _F.EQUALS), None)
        if found is None:
            return None
        self._use(*range(i, run[-1] + 1))
        said = {self.sentence[k].text: n.value for k in run if (n := self.sentence[k].number) is not None}
        joined = "or" if "or" in joints else "and"
        return replace(found, at=i, operator=_F.IN, values=tuple(map(float, said.values())), joined=joined)

    def _bound(self, i: int) -> NumberCondition | None:
        item = self.sentence[i]
        assert item.number is not None
        before = self.sentence.before(i, (Op.OF, Op.FILLER))
        left = self.sentence[before] if before is not None else None
        after = self.sentence.after(i, ())
        more = self._or_more(i)
        after = after if more is None else more
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
            # "was 2025 drier than 2024" sets two years against each other
            dated = any(x.time is not None and x.time.period is not None for x in self.sentence.items)
            year = dated and item.number.unit is None and 1900 <= item.number.value <= 2100
            if adjective and adjective.comparative and not year:
                metrics = self.names.metrics(self.sentence[than]) if than is not None else []
                large = upward(adjective, metrics[0]) if metrics else bool(adjective.descending)
                operator = _F.GREATER if large else _F.LESS
                start = than or 0
        elif right and right.op(Op.OR_MORE) and after is not None:
            operator = right.operator.payload if right.operator else None
            end = after
            after = self.sentence.after(after, ())
        if operator is None and (tail := self._noun_or_more(i)) is not None:
            operator = tail.payload  # "50 loans or more"
            after = i + 1
        if operator is None and (other := self._range_end(i)) is not None:
            values = tuple(sorted((item.number.value, self.sentence[other].number.value)))  # type: ignore[union-attr]
            operator, end = _F.BETWEEN, other
            after = self.sentence.after(other, ())
        if operator is None and self._is_had(i):
            operator, after = _F.EQUALS, i + 1
            if left and left.op(Op.ONLY):
                start = before or 0
        if operator is None:
            return self._equality(i) or self._measured(i)
        denied = start > 0 and (
            self.sentence[start - 1].op(Op.NOT) or self.sentence[start - 1].text.lower() == "but not"
        )
        if denied and self._beside(start - 1, start):
            operator = _OPPOSITE.get(operator, operator)
            self._use(start - 1)
        if (
            start
            and self.sentence[start - 1].op(Op.CHANGE)
            and self._beside(start - 1, start)
            and not item.number.percent
        ):
            self.sentence[start - 1].operator = Operator(Op.FILLER)  # "moved more than 4,000 kg"
        often = self._occurring(i, start, end, operator, values)
        if often is not None or (item.number.relative is None and self._says_often(end)):
            return often
        return self._on_field(i, start, end, after, operator, values)

    def _or_more(self, i: int) -> int | None:
        """“2 hours or more”: where it says that the number is an end, behind the unit that follows it."""
        following = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        beside = following is not None and following.start == self.sentence[i].end
        said = following is not None and (unit_of_time(following.text) or unit_called(following.text))
        behind = i + 2 if beside and said and i + 2 < len(self.sentence) else None
        return behind if behind is not None and self.sentence[behind].op(Op.OR_MORE) else None

    def _noun_or_more(self, i: int) -> Operator | None:
        """“50 loans or more”: the same behind what is counted; the words that say it are used."""
        if i + 2 >= len(self.sentence) or not self.sentence[i + 2].op(Op.OR_MORE):
            return None
        noun, tail = self.sentence[i + 1], self.sentence[i + 2]
        together = self._beside(i, i + 1) and self._beside(i + 1, i + 2)
        if not together or not noun.links or self.names.count(noun) is None:
            return None
        rows = tuple(x for x in noun.links if x.kind is LinkKind.TABLE)
        noun.links = rows or noun.links  # "three claims or more" are rows, not what was claimed
        self._use(i + 2)
        return tail.operator

    def _measured(self, i: int) -> NumberCondition | None:
        """“20 percent off”, “two metres tall”: a word behind the number says what it measures."""
        number = self.sentence[i].number
        if number is None or not self._told_behind(i)[0]:
            return None
        return self._implied(i, i, i, _F.EQUALS, (number.value,))

    def _range_end(self, i: int) -> int | None:
        """“3 to 4 units”: the second number of a range that is only written with “to”."""
        second = next((j for j in (i + 1, i + 2) if j < len(self.sentence) and self.sentence[j].number), None)
        if second is None or self.sentence[second].time:
            return None
        between = self.sentence.words[self.sentence[i].end : self.sentence[second].start]
        return second if len(between) == 1 and between[0].lower in {"to", "-", "–"} else None

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
        if after is not None and self.sentence[after].op(Op.NOT) and self.sentence[after].used:
            after += 1  # "fewer than 35 not delivered"
        if after is not None and self.sentence[after].op(Op.UNIT, Op.OF):
            following = self.sentence.after(after, ())
            if following is not None and self.sentence[following].association:
                after = following
        if after is not None and self.sentence[after].op(Op.IN, Op.OF) and not self.sentence[after].links:
            after = self.sentence.after(after)
        noun = self._behind_values(after, end)
        after = noun if noun is not None else after
        told = self._told_in_units(after)
        field_at = told if told is not None else self._field_near(start, end, after)
        counted = (
            field_at is not None and field_at < start and self._field(self.sentence[field_at])[1] is None
        )
        if (
            field_at is None
            or (counted and self._age_of(field_at))
            or self._is_person_nearer(field_at, start)
        ):
            aged = self._aged(i, start, end, operator, values)
            implied = aged or self._implied(i, start, end, operator, values)
            return None if implied is not None and self._is_counted(start, implied.dimension) else implied
        field_at = self._told_of(field_at, end)
        item = self.sentence[field_at]
        metric, dimension = self._field(item)
        bare = number.unit is None and not number.percent
        bare = bare and (field_at == noun or self.sentence[end].end == item.start)
        if bare and metric is not None and (rows := item.named(LinkKind.TABLE)) and rows.quality >= 0.85:
            metric, dimension = self.names.count(item) or metric, None  # "at least three loans"
        if metric is not None and dimension is None and (scale := self._numbered(item)) is not None:
            metric, dimension = None, scale
        if metric is not None and dimension is None and self._is_amount(metric, field_at, start, end):
            return self._implied(i, start, end, operator, values)
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
        if metric is None and dimension is not None and isinstance(subject, TimeGranularity):
            metric = self.names.metric_of(dimension)
        metric = self._amounted(metric, dimension, field_at, start, end)
        if metric is not None and dimension is None and self._impossible(metric, operator, values, subject):
            metric = self._units_of(item)
            if metric is None:
                return None
            dimension = self.names.column_of(metric)
            item.links = (Link(LinkKind.METRIC, metric.name, 1.0),)
        own = self._own(field_at, subject_at, subject)
        if own is not None:
            metric, dimension, subject = None, own, None
        if metric is not None and self._are_rows_themselves(subject_at, subject, metric):
            metric, dimension, subject = None, dimension or self.names.column_of(metric), None
        if number.percent and not _is_share(metric, dimension):
            metric, dimension = self.names.rate_of(metric) if metric is not None else None, None
            if metric is None:
                return None  # a percentage of what is not told in percent
        if (said := self._unit_said(end) or self._unit_said(i)) is not None:
            held = dimension.unit if dimension is not None else metric.unit if metric is not None else None
            told = in_unit(values, said, held)
            counted_days = start > 0 and self.sentence[start - 1].text.lower() == "on"
            if told is None or counted_days:
                return None  # "lasting more than 3 months", of days: how many that are is not said
            values = told
        if dimension is not None and field_at <= start and not self._fits_purpose(end, dimension):
            return None
        of = dimension or metric
        if (told := self.as_held(values, of.unit if of is not None else None, start, end)) is None:
            return None
        values = told
        verb = self.sentence[start - 1] if start else item
        if field_at > end and verb.association and not verb.links and not self.names.metrics(verb):
            verb.association = None  # "lasted more than 60 moves"
        if field_at == start - 1 and self._grades_verb(start):
            self.sentence[start].association = None  # "waited longer than 30 minutes"
        item.used = True
        self._use(*range(start, end + 1), *self._unit_items(end))
        return NumberCondition(
            i, operator, values, number.percent, metric, dimension, subject, subject_at, field_at
        )

    def _behind_values(self, after: int | None, end: int) -> int | None:
        """“more than 50 refused applications”: values between a number and a noun only say which of them are counted."""
        at = after
        while at is not None and at + 1 < len(self.sentence) and self._beside(at, at + 1):
            if not self.sentence[at].values or self.sentence[at].links:
                break
            at += 1
        if at is None or at == after or after is None or self.sentence[end].end != self.sentence[after].start:
            return None
        return at if self.sentence[at].links and self.names.count(self.sentence[at]) is not None else None

    def _told_of(self, at: int, end: int) -> int:
        """“5 units on hand”: pieces right behind a number are counted of what follows them."""
        following = self.sentence[at + 1] if at + 1 < len(self.sentence) else None
        pieces = at > end and self.sentence[at].text.lower() in {"units", "items", "pieces"}
        if not pieces or following is None or following.start != self.sentence[at].end or following.used:
            return at
        measure = self.names.measure(following) if following.links else None
        if measure is None or is_count(measure) or measure.additivity is Additivity.NON_ADDITIVE:
            return at
        self.sentence[at].links = ()
        self._use(at)
        return at + 1

    def _amounted(
        self, metric: Metric | None, column: Dimension | None, field_at: int, start: int, end: int
    ) -> Metric | None:
        """“more than 130 kg of honey”: an amount behind its number is all of it, though one row is told on average."""
        averaged = metric is not None and metric.aggregation is Aggregation.MEAN and column is not None
        said = {x.operator.payload for _, x in self.sentence if x.op(Op.AGGREGATE) and x.operator is not None}
        if not averaged or column is None:
            return metric
        unit = self.unit_said(start, end)
        named = names_unit(self.sentence[field_at].text) and column.unit is not None
        same = unit is not None and (unit == column.unit or in_unit((1.0,), unit, column.unit) is not None)
        moved = set(name_words(column.label)) <= {"weight", "distance", "volume"} and Aggregation.SUM in said
        if said - {Aggregation.SUM} or (is_intensive(column) and not moved):
            return metric
        if column.type is not DimensionType.NUMBER or column.unit in _LEVELS or not (same or named):
            return metric
        return self.names.model.metric(f"{Aggregation.SUM}({column.home})")

    def _is_amount(self, metric: Metric, field_at: int, start: int, end: int) -> bool:
        """Whether a bound behind a noun, or one with a unit, is on what each of them comes to, not on how many there are."""
        item = self.sentence[field_at]
        rows = item.links and item.links[0].kind is LinkKind.TABLE and item.links[0].quality >= 0.97
        if not is_count(metric) and not (rows and field_at < start):
            return False
        said = self.sentence[field_at].text.lower().split()
        before = self.sentence.before(field_at, (Op.OF,))
        counted = bool({*said} & {"number", "count", "counts"}) or (
            before is not None
            and self.sentence[before].text.lower() in {"number", "number of", "count of", "the count"}
        )
        return (field_at < start and not counted) or self.unit_said(start, end) is not None

    def _unit_said(self, at: int) -> str | None:
        """The unit of time that a number is in: within its item, or right behind it."""
        words = self.sentence.words
        inside = unit_of_time(words[self.sentence[at].end - 1].lower)
        end = self.sentence[at].end
        return inside or (unit_of_time(words[end].lower) if end < len(words) else None)

    def _own(
        self, at: int, subject_at: int | None, subject: Dimension | TimeGranularity | None
    ) -> Dimension | None:
        """“products that cost under 20”: the verb speaks of a column that products themselves have, their price."""
        said = self.sentence[at].association
        if said is None or subject_at is None or not isinstance(subject, Dimension):
            return None
        between = range(subject_at + 1, at)
        table = self.names.model.table(subject.home.table)
        alone = table.key == (subject.home.column,) or (subject.distinct or 0) == table.rows
        if not alone or any(not self.sentence[j].op(Op.THAT, Op.WHICH) for j in between):
            return None
        return self.names.own(said, subject.home.table)

    def _equality(self, i: int) -> NumberCondition | None:
        """“5 stars”, “rating 5”, “class 3”: a number beside a noun; before a noun it never names one of many."""
        number = self.sentence[i].number
        before = self.sentence.before(i, ())
        if number is None or (before is not None and self.sentence[before].op(Op.RANK)):
            return None
        left = (DimensionType.NUMBER, DimensionType.ID, DimensionType.CATEGORY)
        sides = [
            (self.sentence.after(i, ()), (DimensionType.NUMBER,)),
            (self.sentence.before(i, (Op.OF, Op.EQUALS)), left),
        ]
        following = self.sentence[i + 1].start if i + 1 < len(self.sentence) else None
        if i and self.sentence[i - 1].end == self.sentence[i].start and following != self.sentence[i].end:
            sides.reverse()  # "on line 5 were delayed": the noun that it touches
        for j, kinds in sides:
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
            unit = self._unit_said(i)
            told = in_unit((number.value,), unit, dimension.unit) if unit is not None else (number.value,)
            if told is None:
                return None
            self._use(i, j, *self._unit_items(i))
            # "zip 98122", where a pet is called Zip: what the number is of is no value beside it
            self.values = [v for v in self.values if v.at != j or len(v.choices) > 1]
            operator = more.payload if more is not None else _F.EQUALS
            return NumberCondition(i, operator, told, number.percent, None, dimension, None, None, j)
        return None


def _is_share(metric: Metric | None, dimension: Dimension | None) -> bool:
    units = {x.unit for x in (metric, dimension) if x is not None}
    return bool(units & {"fraction", "%", "percent", "pct"})
