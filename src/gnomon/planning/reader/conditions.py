"""Conditions in a question: values, numbers, flags and missing values, with what they are conditions on."""

from __future__ import annotations

from itertools import pairwise

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.absent_rows import AbsenceFinder
from gnomon.planning.reader.all_of_them import AllFinder
from gnomon.planning.reader.bounds import BoundFinder
from gnomon.planning.reader.condition_finder import NEGATING, SURE, NumberCondition
from gnomon.planning.reader.graded_ranges import GradeFinder
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.listed_values import COMPARATIVES, ValueFinder
from gnomon.planning.reader.mentions import MentionFinder
from gnomon.planning.reader.missing_values import MissingFinder
from gnomon.planning.reader.naming import Names, head_of
from gnomon.planning.reader.operators import FILLERS, Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.stated_columns import StatedColumns
from gnomon.planning.reader.states import StateFinder
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.values import ValueIndex

_F = FilterOperator
_COPULAS = frozenset({"is", "are", "was", "were", "been", "being", "be", "got"})
_TAKEN_OFF = frozenset({"discount", "reduction", "rebate", "markdown"})
_NAMING = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.TIME, DimensionType.ID)


_WHOLE = 0.85  # a link to less than the whole name


class Conditions(
    AllFinder,
    GradeFinder,
    ValueFinder,
    BoundFinder,
    AbsenceFinder,
    MissingFinder,
    MentionFinder,
    StateFinder,
    StatedColumns,
):
    """Finds the conditions of one sentence; items that take part in one are marked used.

    Args:
        sentence: The items.
        names: The names of the model.
        index: The values of the data.
    """

    def __init__(self, sentence: Sentence, names: Names, index: ValueIndex) -> None:
        super().__init__(sentence, names, index)
        self._deny_counts()
        self._take_any()
        self._find_in_all()
        self._find_literals()
        self._find_stated()
        self._find_grades()
        self._find_values()
        self._find_full_price()
        self._find_numbers()
        self._find_ordinals()
        self._find_decades()
        self._find_absent()
        self._find_taken()
        self._find_missing()
        self._find_present()
        self._find_presence()
        self._find_signs()
        self._find_lasting()
        self._find_undone()
        self._find_flags()
        self._find_done()
        self._find_either()

    def _find_either(self) -> None:
        """“fragile or heavier than 20 kg”: rows that meet either of two conditions cannot be kept; it is not left out."""
        found = [
            (n.at, self._list_end(n.at), n.dimension.name if n.dimension is not None else "")
            for n in self.numbers
        ]
        found += [(v.at, self._last(v), v.hint or "") for v in self.values]
        found += [(at, at, f.field) for at, f in self.filters]
        for j, item in self.sentence:  # "fragile shipments" are counted by their flag
            measure = self.names.measure(item) if item.links and not item.used else None
            column = self.names.column_of(measure) if measure is not None else None
            if column is not None and column.type is DimensionType.BOOLEAN:
                found.append((j, j, column.name))
        found.sort()
        for (_, end, one), (start, _, other) in pairwise(found):
            either = [j for j in range(end + 1, start) if self.sentence[j].op(Op.OR)]
            nor = any(self.sentence[j].text.lower() == "nor" for j in either)
            if either and not nor and (one != other or not one):
                self.unsaid.append(self.sentence[either[0]].text)

    def _list_end(self, at: int) -> int:
        """Where a list of numbers ends that begins there: “priority 1 or 2”."""
        end = at
        while end + 1 < len(self.sentence) and self.sentence[end + 1].used:
            following = self.sentence[end + 1]
            if following.number is None and not following.op(Op.AND, Op.OR):
                break
            end += 1
        return end

    def _deny_counts(self) -> None:
        """“not disputed invoices”: the noun is what rows are, of which the flag does not hold."""
        for i, item in self.sentence:
            measure = self.names.measure(item) if i and self.sentence[i - 1].op(Op.NOT) else None
            column = self.names.column_of(measure) if measure is not None else None
            summed = (
                measure is not None and measure.aggregation is Aggregation.SUM and item.end - item.start > 1
            )
            if not summed or column is None or column.type is not DimensionType.BOOLEAN or measure is None:
                continue
            no = self._flag_value(column, False)
            self.filters.append((i, Filter(field=column.name, operator=_F.EQUALS, values=(no,))))
            item.links = (Link(LinkKind.TABLE, column.home.table, 1.0),)
            self._use(i - 1)

    def _find_full_price(self) -> None:
        """“full-price orders”: those of which nothing was taken off, where a column says how much was."""
        words = self.sentence.words
        for i, item in self.sentence:
            first = item.start - 2 if item.start and words[item.start - 1].lower == "-" else item.start - 1
            if first < 0 or words[first].lower != "full" or item.text.lower() not in {"price", "prices"}:
                continue
            off = [
                d for d in self.names.model.dimensions
                if d.type is DimensionType.NUMBER and head_of(d.label) in _TAKEN_OFF
            ]  # fmt: skip
            if len(off) == 1:
                self.filters.append((i, Filter(field=off[0].name, operator=_F.EQUALS, values=(0,))))
                item.links = ()
                self._use(i)

    def _find_presence(self) -> None:
        """“orders with a discount”, “without a region”, “discounted orders”: there is some of it, or none."""
        for i, item in self.sentence:
            if item.used:
                continue
            state = item.association is not None and item.association.state
            if state and i + 1 < len(self.sentence) and self.names.count(self.sentence[i + 1]) is not None:
                self._present(i, i, i + 2, _F.GREATER)
            elif state and i and self.sentence.words[item.start - 1].lower in _COPULAS:
                self._present(i, i, i, _F.GREATER)  # "orders that were discounted"
            elif self._is_weather(i):
                self._present(i, i, i, _F.GREATER)  # "on how many days did it rain"
            elif item.op(Op.WITH, Op.WITHOUT) and not item.links and not self._relates(i):
                j = self.sentence.after(i, (Op.OF, Op.FILLER, Op.DISTINCT))
                j = self._narrowed(j) if item.op(Op.WITH) else j
                following = self.sentence.after(j, ()) if j is not None else None
                compared = following is not None and (
                    self.sentence[following].op(Op.COMPARE_NUMBER, Op.BETWEEN, Op.OUTSIDE, Op.EQUALS)
                    or self.sentence[following].number is not None
                )
                compared = compared or (j is not None and self._compared_at(i, j))
                if j is not None and not self.sentence[j].used and not compared:
                    denied = self._denied_having(i)
                    none = item.op(Op.WITHOUT) or denied is not None
                    self._present(i, j, i, _F.EQUALS if none else _F.GREATER)
                    if denied is not None and item.used:
                        self._use(denied)

    def _narrowed(self, j: int | None) -> int | None:
        """“on how many days were there repair calls”: the rows behind a value are what there was some of."""
        value = self.sentence[j] if j is not None else None
        rows = self.sentence[j + 1] if j is not None and j + 1 < len(self.sentence) else None
        if value is None or rows is None or value.links or not value.values or rows.start != value.end:
            return j
        named = rows.named(LinkKind.TABLE)
        counted = any(x.op(Op.UNIT) for x in self.sentence.items[:j]) and named is not None
        return self.sentence.after(j, ()) if counted and j is not None else j

    def _relates(self, i: int) -> bool:
        """“correlates with price” asks how two things go together, not for rows that have one."""
        before = (
            self.sentence[i - 1].operator
            if i and self.sentence[i - 1].end == self.sentence[i].start
            else None
        )
        return before is not None and before.payload is QuestionKind.CORRELATION

    def _is_weather(self, i: int) -> bool:
        """“did it rain”, “it snowed”: a measure said as what happens, of the periods that are asked for."""
        item, words = self.sentence[i], self.sentence.words
        if not item.links or self.names.measure(item) is None or not item.start:
            return False
        doing = [w.lower for w in words[max(0, item.start - 2) : item.start]]
        happens = doing in (["did", "it"], ["does", "it"]) or (
            doing[-1:] == ["it"] and item.text.endswith("ed")
        )
        following = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        bounded = following is not None and (
            following.op(Op.COMPARE_NUMBER, Op.BETWEEN) or following.number is not None
        )
        counted = any(self.sentence[j].op(Op.UNIT) for j in range(i))
        return happens and counted and not bounded

    def _compared_at(self, i: int, j: int) -> bool:
        """“have a higher average delay” compares; it does not ask for rows that have one."""
        between = {w.lower for w in self.sentence.words[self.sentence[i].end : self.sentence[j].end]}
        return bool(between & COMPARATIVES)

    def _present(self, i: int, j: int, before: int, operator: FilterOperator) -> None:
        item = self.sentence[j]
        if i != j and (not item.links or item.op(Op.RANK, Op.AGGREGATE, Op.COUNT)):
            return
        if item.links and item.links[0].quality < SURE:
            return
        dimension = self.names.dimension(item)
        timed = dimension is not None and dimension.type is DimensionType.TIME and not dimension.nullable
        if operator is _F.EQUALS and timed and item.named(LinkKind.TABLE) is not None:
            dimension = None  # "no harvest in 2024": the rows are meant, not the day of each
        if operator is _F.EQUALS and dimension is not None and dimension.type in _NAMING:
            if (
                dimension.type is DimensionType.ID
                and not dimension.nullable
                and not self._refers(i, dimension)
            ):
                return  # "products with no orders": rows that are not there cannot be found by looking for nulls
            self.filters.append((i, Filter(field=dimension.name, operator=_F.IS_NULL)))
            self._use(i, j)
            return
        if dimension is not None and dimension.type is DimensionType.TIME:
            return  # "bookings that have an arrival in May": it says which date is meant
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
        if operator is _F.GREATER and column is None and self._has_one(subject, metric):
            item.links = tuple(x for x in item.links if x.kind is LinkKind.TABLE)
            self._use(i, j)  # "trips with vehicles built before 2015": what follows says which of them
            return
        if isinstance(subject, TimeGranularity):
            self.sentence[at].used = True
        self.numbers.append(NumberCondition(i, operator, (0.0,), False, metric, column, subject, at, j))
        self._use(i, j)

    def _has_one(self, subject: object, rows: Metric | None) -> bool:
        """Whether each of the things leads to one row of those that are counted, and not the other way round."""
        model = self.names.model
        if not isinstance(subject, Dimension) or rows is None or rows.table is None or rows.expression:
            return False
        key = model.table(rows.table).key
        thing = self.names.at(rows.table, key[0]) if len(key) == 1 else None
        if thing is None or rows.aggregation is not Aggregation.COUNT or model.reaches(rows, subject):
            return False
        return model.path(subject.home.table, thing) is not None

    def _find_signs(self) -> None:
        """“a negative change”, “years in which the change was negative”: below or above zero."""
        for i in self.sentence.find(Op.SIGN):
            item = self.sentence[i]
            if item.operator is None or item.used or (i and self.sentence[i - 1].op(Op.RANK)):
                continue  # "the most negative" ranks
            for j in (self.sentence.after(i), self._said_of(i)):
                metric, dimension = self._field(self.sentence[j]) if j is not None else (None, None)
                if j is None or (metric is None and dimension is None):
                    continue
                at, subject = self._subject(min(i, j), metric, dimension)
                said = NumberCondition(
                    i, item.operator.payload, (0.0,), False, metric, dimension, subject, at, j
                )
                self.numbers.append(said)
                self._use(i, j)
                break

    def _said_of(self, i: int) -> int | None:
        """What is said to be positive or negative: the name before it, with no more than a verb between."""
        j = self.sentence.before(i)
        words = self.sentence.words
        if j is None or self.sentence[j].used or not self.sentence[j].links:
            return None
        between = {w.lower for w in words[self.sentence[j].end : self.sentence[i].start]}
        asked = self.sentence[j].start and words[self.sentence[j].start - 1].lower in _COPULAS | {
            "the",
            "its",
        }
        return j if between <= _COPULAS | {"not"} and (between or asked) else None

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
        denied: set[int] = set()
        for i, item in self.sentence:
            if item.used or not item.links:
                continue
            dimension = self._flag(i, item)
            if dimension is None:
                continue
            before = self.sentence.before(i)
            grouped = before is not None and self.sentence[before].op(
                Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.AGGREGATE, Op.DISTINCT
            )
            grouped = grouped and not self._goes_on_about(before) and not self._says_which(i, before)
            if grouped or self._is_grouped_too(i):
                continue
            if self._never(i, dimension) or self._leads_to_value(i, dimension):
                item.used = True
                continue
            negated = self._negated(i)
            if not negated and i - 2 in denied and self._goes_on(i):
                self.unsaid.append(self.sentence[i - 1].text)  # "no shed and tap": is the second denied too?
            denied |= {i} if negated else set()
            value = self._flag_value(dimension, not negated)
            self.filters.append((i, Filter(field=dimension.name, operator=_F.EQUALS, values=(value,))))
            item.used = True

    def _leads_to_value(self, i: int, flag: Dimension) -> bool:
        """“voted nay”, beside a flag called vote and a column of votes: what they voted is said by the value."""
        item, value = self.sentence[i], self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        if value is None or value.start != item.end or not value.values:
            return False
        said = {stem(w) for w in name_words(item.text)}
        told = (self.names.model.dimension(v.dimension) for v in value.values)
        return any(d != flag and said & {stem(w) for w in name_words(d.label)} for d in told)

    def _says_which(self, i: int, before: int | None) -> bool:
        """“which insured patient”, “each insured patient”: right before those who are asked for it says which of them."""
        asking = before is not None and self.sentence[before].op(Op.WHICH, Op.EACH)
        noun = self.sentence[i + 1] if asking and i + 1 < len(self.sentence) else None
        if noun is None or noun.start != self.sentence[i].end or not noun.links:
            return False
        dimension = self.names.dimension(noun)
        return dimension is not None and dimension.type in _NAMING and noun.links[0].quality >= SURE

    def _goes_on_about(self, at: int | None) -> bool:
        """“guests who cancelled”, “women over 60 who smoke”: behind those who do it, who and which ask for nothing."""
        if not at or self.sentence[at].text.lower() not in {"who", "which"}:
            return False
        noun = self.sentence[at - 1]
        told = bool(noun.links or noun.values) or noun.number is not None or noun.op(Op.THOSE)
        return told and noun.end == self.sentence[at].start

    def _is_grouped_too(self, i: int) -> bool:
        """“by job and overtime”: the second of two columns to group by, named as one."""
        following = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        narrows = following is not None and bool(following.links) and self._beside(i, i + 1)
        if i < 3 or not self.sentence[i - 1].op(Op.AND) or narrows:
            return False  # "by job and married employees"
        grouping = self.sentence.before(i - 2)
        first = self.names.dimension(self.sentence[i - 2])
        return (
            grouping is not None and first is not None and self.sentence[grouping].op(Op.BY, Op.EACH, Op.PER)
        )

    def _goes_on(self, i: int) -> bool:
        """Whether a list goes on there: only “and” and an article before it, no verb that begins anew."""
        joint = self.sentence[i - 1]
        between = {w.lower for w in self.sentence.words[joint.end : self.sentence[i].start]}
        return joint.op(Op.AND) and between <= {"a", "an", "the"}

    def _never(self, i: int, dimension: Dimension) -> bool:
        """“products that were never returned”: none of a subject's rows, not rows that were not."""
        before = self.sentence.before(i)
        denied = self._denied_having(before) if before is not None else None
        before = before if denied is None else denied
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
            return None if self._is_whose(i, dimension) or self._is_said_before(item) else dimension
        measure = self.names.measure(item)
        column = self.names.column_of(measure) if measure is not None else None
        if measure is None or column is None or column.type is not DimensionType.BOOLEAN:
            return None
        before = self.sentence.before(i, ())
        limiting = before is not None and self.sentence[before].op(*NEGATING, Op.ONLY, Op.IN, Op.OF, Op.WITH)
        others = any(
            j != i and x.links and (m := self.names.measure(x)) is not None and m.name != measure.name
            for j, x in self.sentence
        )
        return column if measure.aggregation is Aggregation.SUM and others and limiting else None

    def _is_said_before(self, item: Item) -> bool:
        """“in poor condition at baseline”: a part of several names says no more of a column that a value was said of."""
        alike = {x.name for x in item.all_named(LinkKind.DIMENSION)}
        told = {v.dimension for run in self.values for choice in run.choices for v in choice[:1]}
        item.used = item.used or (len(alike) > 1 and item.links[0].quality < SURE and bool(alike & told))
        return item.used

    def _is_whose(self, i: int, flag: Dimension) -> bool:
        """“critical goals”, of a flag called goal met, “cars”, of a courtesy car: the things, not what is told of them."""
        item, told = self.sentence[i], name_words(flag.label)
        said = {stem(w) for w in name_words(item.text)}
        things = item.links[0].quality < SURE and item.text.lower().endswith("s")
        stated = len(told) > 1 and get_lexicon().is_participle(told[-1]) and stem(told[-1]) not in said
        unsaid = [w for w in told[:-1] if stem(w) not in said and w not in FILLERS]
        headed = bool(unsaid) and any(stem(w) in said for w in told[-1:]) and item.links[0].quality < _WHOLE
        before = self.sentence.before(i)
        owned = before is not None and self.sentence[before].op(Op.WITH, Op.WITHOUT)
        return ((things and stated) or headed) and not owned
