"""Ratios of a question: one total over another, said with “per” or as a ratio, and what finders of measures share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.planning.reader.cut_names import in_full
from gnomon.planning.reader.lattice import Item, is_filler
from gnomon.planning.reader.naming import Names, is_count, is_intensive
from gnomon.planning.reader.operators import Op, Operator, operators
from gnomon.planning.reader.people import may_be_person
from gnomon.planning.reader.sentence import LINKING, Sentence
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.units import names_unit
from gnomon.semantic.vocabulary import vocabulary

_ABOUT = frozenset(
    {"for", "in", "of", "from", "at", "on", "with", "without", "by", "to", "and", "or", "among"}
)
_PIECES = frozenset({"units", "items", "pieces", "articles"})
_GROUPS = 30
# Fewer things than these are told one by one.
_MANY = 30
_MARKS = frozenset({":", "(", "ie", "=", "namely", "meaning", "taking"})


@dataclass(frozen=True)
class Measure:
    """One measure that was asked for: the reference to its metric, and the item that named it."""

    reference: str
    at: int


class RatioFinder:
    """Finds ratios; items that name their parts are marked used.

    Args:
        sentence: The items.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self.sentence = sentence
        self.names = names
        self.found: list[Measure] = []
        self.groups: set[int] = set()
        self.defined: list[int] = []
        self.called: list[str] = []

    def _ratios(self) -> None:
        """“revenue per session”, “ad spend per order”: one total over another, unless what follows only groups."""
        divided = [i for i, item in self.sentence if divides(item)]
        for i in sorted([*self.sentence.find(Op.PER), *divided]):
            if i in divided and self._divide(i):
                continue
            left, right = self.sentence.before(i, (*LINKING, Op.WITH)), self.sentence.after(i)
            if self.sentence[i].used or left is None or right is None or self.sentence[right].used:
                continue
            noun = self.sentence[right]
            over = self.names.measure(self.sentence[left]) or self.names.count(self.sentence[left])
            dimension = self.names.dimension(noun)
            under = self.names.measure(noun)
            if over is not None and self._is_of_row(left, over, noun):
                self.groups.add(left)  # "orders by units per order"
                self.sentence[i].used = noun.used = True
                continue
            held = self.names.column_of(over) if over is not None else None
            many = held is not None and not is_intensive(held) and self._is_quantity(dimension)
            measured = under is not None and (names_unit(noun.text) or many or self._is_size(under))
            if over is not None and measured and under is not None:
                self._add(f"{self._total(over)} / {self._total(under)}", left, replace=True)
                self.sentence[i].used = noun.used = True
                self._use_again(right, under)
                continue
            single = under is not None and is_one_of(noun, dimension)
            if single and under is not None and over is not None and adds_up(over) and not is_count(over):
                self._add(f"{over.name} / {self._total(under)}", left, replace=True)  # "freight per pallet"
                self.sentence[i].used = noun.used = True
                continue
            single = single and under is not None and adds_up(under)
            if over is None or (dimension is not None and self._groups(over, dimension) and not single):
                continue
            if dimension is not None and tells_each(self.sentence, i, dimension):
                continue
            within = dimension is not None and is_within_another(self.sentence, i, dimension, self.names)
            if under is None and (dimension is None or dimension.type is DimensionType.ID or within):
                under = self.names.count(noun)
            column = self.names.column_of(over)
            above = over.name
            if not adds_up(over) and column is not None and not is_intensive(column):
                above = f"{Aggregation.SUM}({column.home})"  # "pageviews per session": all of them over all sessions
            elif not adds_up(over):
                continue
            if under is None or not adds_up(under) or (noun.links and noun.links[0].quality < 0.8):
                continue
            self._add(f"{above} / {under.name}", left, replace=True)
            self.sentence[i].used = noun.used = True

    def _divide(self, i: int) -> bool:
        """“total cost divided by total volume”: one total over another, each as it was asked for."""
        said = (*LINKING, Op.AGGREGATE, Op.COUNT)
        left, right = self.sentence.before(i, (*said, Op.WITH)), self.sentence.after(i, said)
        if self.sentence[i].used or left is None or right is None:
            return False
        over, under = self._operand(left, counted=True), self._operand(right, counted=False)
        if over is None or under is None:
            return False
        self.found = [m for m in self.found if m.at != right]
        self._add(f"{over} / {under}", left, replace=True)
        for j in range(i, right + 1):
            self.sentence[j].used = True
        measure = self.names.measure(self.sentence[right])
        if measure is not None:
            self._use_again(right, measure)
        return True

    def _operand(self, at: int, *, counted: bool) -> str | None:
        """What is divided, or divides: as it was aggregated, else all of it; nothing where that is a ratio itself."""
        found = [m.reference for m in self.found if m.at == at]
        if found:
            plain = len(found) == 1 and self.names.model.metric(found[0]).formula is None
            return found[0] if plain else None
        item = self.sentence[at]
        measure = None if item.used else self.names.measure(item)
        if measure is not None:
            return measure.name if _says_how(item, measure) else self._total(measure)
        dimension = self.names.dimension(item)
        thing = counted or dimension is None or dimension.type is DimensionType.ID
        count = self.names.count(item) if thing and not item.used else None
        return count.name if count is not None else None

    def _differences(self) -> None:
        """“revenue minus cost”: one amount less another of the same kind, under its own name where it has one."""
        for i in self.sentence.find(Op.EXCLUDE):
            left, right = self.sentence.before(i), self.sentence.after(i)
            if self.sentence[i].text.lower() != "minus" or left is None or right is None:
                continue
            over, less = self.names.measure(self.sentence[left]), self.names.measure(self.sentence[right])
            if over is None or less is None or over.unit != less.unit or adds_up(over) != adds_up(less):
                continue
            parts = f"{over.name} - {less.name}"
            named = (m.name for m in self.names.model.metrics if (m.formula or "").replace("`", "") == parts)
            self._add(next(named, parts), left, replace=True)
            self.sentence[i].used = self.sentence[right].used = True

    def _definitions(self) -> None:
        """“loss ratio: paid amount divided by premium”: what stands before a formula is what the asker calls it."""
        words = self.sentence.words
        for at in self.defined:
            start = self.sentence[at].start
            near = [w.lower for w in words[max(0, start - 4) : start]]
            marks = [
                j + max(0, start - 4)
                for j, w in enumerate(near)
                if w in _MARKS or near[j : j + 2] == ["i", "e"]
            ]
            if not marks or not all(is_filler(w) or w.lower in _MARKS for w in words[marks[0] : start]):
                continue
            if not _names_measure([w.lower for w in words[: marks[0]]], words[marks[0]].lower):
                continue
            self.called += [w.text for w in words[: marks[0]]]
            for item in self.sentence.items:
                own = self.names.measure(item) if item.links else None
                within = own is not None and any(own.name in m.reference for m in self.found if m.at == at)
                loose = within or item.end == marks[0] or (bool(item.links) and item.links[0].quality < 0.9)
                if item.end <= marks[0] and (loose or item.op(Op.SHARE)):
                    item.links, item.operator, item.used = (), None, True

    def _is_of_row(self, left: int, over: Metric, noun: Item) -> bool:
        """Whether a column of few numbers, said to be per row of its own table, groups what is counted before it."""
        before = self.sentence.before(left, (*LINKING, Op.COUNT))
        column, count = self.names.column_of(over), self.names.count(noun)
        if before is None or not self.sentence[before].op(Op.BY, Op.EACH) or column is None or count is None:
            return False
        counted = any(x.links and self.names.countable(x) is not None for x in self.sentence.items[:before])
        few = column.type is DimensionType.NUMBER and (column.distinct or 99) <= 30
        return counted and few and count.aggregation is Aggregation.COUNT and count.table == over.table

    def _is_quantity(self, column: Dimension | None) -> bool:
        """Whether numbers under “per” divide: too many different ones to group by, or people; no ages or prices."""
        if column is None or column.type is not DimensionType.NUMBER or is_intensive(column):
            return False
        people = {*in_full(name_words(column.label))} & vocabulary().stocks
        return bool(people) or (column.distinct or 0) > _GROUPS

    def _use_again(self, unit: int, metric: Metric) -> None:
        """“per square metre of floor area” names what is measured twice."""
        again = self.sentence.after(unit, (Op.OF,))
        if again is not None and not self.sentence[again].used:
            named = self.names.measure(self.sentence[again])
            self.sentence[again].used = named is not None and named.name == metric.name

    def _total(self, metric: Metric) -> str:
        """All of what a metric measures: the sum of its column, where the metric itself is a mean of it."""
        column = self.names.column_of(metric)
        summed = adds_up(metric) or column is None
        return metric.name if summed or column is None else f"{Aggregation.SUM}({column.home})"

    def _alike(self, over: Metric, under: Metric) -> str:
        """One over the other, both added up where one of them would be and the other averaged."""
        columns = all(self.names.column_of(m) is not None and not is_count(m) for m in (over, under))
        if columns and over.table == under.table and adds_up(over) != adds_up(under):
            return f"{self._total(over)} / {self._total(under)}"
        return f"{over.name} / {under.name}"

    def _drop_units(self) -> None:
        """“total weight in kg”: a unit behind what is measured in it says nothing more."""
        for i, item in self.sentence:
            unit = self.names.measure(item) if item.links and names_unit(item.text) else None
            before = self.sentence.before(i, ())
            if unit is None or before is None or not self.sentence[before].op(Op.IN):
                continue
            column = self.names.column_of(unit)
            others = [x for j, x in self.sentence if j != i and x.links and not names_unit(x.text)]
            named = [self.names.column_of(m) for x in others if (m := self.names.measure(x)) is not None]
            if column is not None and column in named:
                item.used = self.sentence[before].used = True

    def _drop_counters(self) -> None:
        """“units on hand”: pieces of what is measured right behind are no measure of their own."""
        for i, item in self.sentence:
            counted = self.names.measure(item) if item.links and not item.used else None
            if counted is None or counted.unit is not None or not {*item.text.lower().split()[-1:]} & _PIECES:
                continue
            for j in range(i + 1, min(i + 3, len(self.sentence))):
                behind = self.sentence[j]
                if (
                    behind.op(Op.AND, Op.OR, Op.BY, Op.EACH, Op.PER, Op.OF, Op.VERSUS, Op.IN)
                    and not behind.links
                ):
                    break
                other = self.names.measure(behind) if behind.links and not behind.used else None
                if (
                    other is not None
                    and other.unit is None
                    and other.table != counted.table
                    and adds_up(other)
                ):
                    item.links = ()
                    break

    def _ratio_of(self) -> None:
        """“the ratio of returned orders to orders”."""
        for i in self.sentence.find(Op.SHARE):
            if not self.sentence[i].text.lower().startswith("ratio"):
                continue
            to = next(
                (
                    j
                    for j in range(i + 1, len(self.sentence))
                    if self.sentence[j].text.lower() in {"to", "and", "over"}
                ),
                None,
            )
            left = next((j for j in range(i + 1, to or 0) if self.sentence[j].links), None)
            right = next(
                (
                    j
                    for j in range((to or len(self.sentence)) + 1, len(self.sentence))
                    if self.sentence[j].links
                ),
                None,
            )
            if left is None or right is None:
                continue
            over = self.names.measure(self.sentence[left]) or self.names.count(self.sentence[left])
            under = self.names.measure(self.sentence[right]) or self.names.count(self.sentence[right])
            if over is not None and under is not None and over.name != under.name:
                self._add(self._alike(over, under), left, replace=True)
                self.sentence[i].operator = None
                self.sentence[i].used = self.sentence[right].used = True

    def _turned_into(self) -> None:
        """“how well do sessions turn into orders”: what came out over what went in."""
        words = [w.lower for w in self.sentence.words]
        asked = any(words[i : i + 2] == ["how", "well"] for i in range(len(words)))
        for i in self.sentence.find(Op.INTO):
            left, right = self.sentence.before(i), self.sentence.after(i)
            rate = [j for j in self.sentence.find(Op.SHARE) if j < i]
            if left is None or right is None or not (asked or rate):
                continue
            source, result = self.sentence[left], self.sentence[right]
            under = self.names.measure(source) or self.names.count(source)
            over = self.names.measure(result) or self.names.count(result)
            if under is None or over is None or under.name == over.name:
                continue
            self._add(self._alike(over, under), left, replace=True)
            for item in (self.sentence[i], result, *(self.sentence[j] for j in rate)):
                item.used = True
            for j in rate:
                self.sentence[j].operator = None

    def _groups(self, metric: Metric, dimension: Dimension) -> bool:
        """Whether a column of few numbers is something to group by: reviews per star rating."""
        few = dimension.type is DimensionType.NUMBER and (dimension.distinct or 99) <= 30
        return few and self.names.model.reaches(metric, dimension)

    def _is_size(self, metric: Metric) -> bool:
        """Whether a column tells the size of things, each its own: kWh per floor area are no groups of sites."""
        column = self.names.column_of(metric)
        if column is None or metric.unit is None or is_intensive(column):
            return False
        return (column.distinct or 0) > 0.8 * max(self.names.model.table(column.home.table).rows or 0, 2)

    def _add(self, reference: str, at: int, *, replace: bool = False) -> None:
        if replace:
            self.found = [m for m in self.found if m.at != at]
            self.defined.append(at)
        if not any(m.reference == reference for m in self.found):
            self.found.append(Measure(reference, at))
        self.sentence[at].used = True


def _names_measure(said: list[str], mark: str) -> bool:
    """Whether words before a formula call it something; “for Norway: revenue per order” says what it is about."""
    if {*said} & _ABOUT:
        return False
    return mark != ":" or bool({*said} & {"the", "our", "a", "an"}) or bool({*said} & vocabulary().intensive)


def is_one_of(item: Item, dimension: Dimension | None) -> bool:
    """“price per bedroom”, of a column of bedrooms: one of what the numbers count."""
    sure = bool(item.links) and item.links[0].quality >= 0.85
    if not sure or dimension is None or dimension.type is not DimensionType.NUMBER:
        return False
    return dimension.label.lower().endswith("s") and not item.text.lower().split()[0].endswith("s")


def tells_each(sentence: Sentence, per: int, dimension: Dimension) -> bool:
    """“How many admissions per ward”: a few things with names are told one by one.

    An average is asked for by its name, and what is told per thing by another group is a ratio within that group.
    """
    if dimension.type is not DimensionType.ID or dimension.label_at is None:
        return False
    if sentence.has(Op.SHARE):
        return True
    if not sentence[per].op(Op.PER) or (dimension.distinct or _MANY) >= _MANY:
        return False
    how = (sentence[j].operator for j in sentence.find(Op.AGGREGATE))
    averaged = any(o is not None and o.payload is Aggregation.MEAN for o in how)
    ranked = sentence.find(Op.BY, Op.EACH, Op.WHICH, Op.RANK, Op.CHANGE, Op.VERSUS)
    return not averaged and not ranked


def is_over_things(sentence: Sentence, per: int, dimension: Dimension) -> bool:
    """Whether “per” divides by the number of things, instead of telling each of them."""
    things = sentence[per].op(Op.PER) and dimension.type is DimensionType.ID
    return things and not tells_each(sentence, per, dimension)


def is_within_another(sentence: Sentence, per: int, dimension: Dimension, names: Names) -> bool:
    """“honey per hive at each apiary”: hives lie within apiaries, so that each apiary has so much per hive of it.

    So do persons within any group: entry fees per swimmer by club are those of a club over its swimmers.
    """
    if dimension.type not in (DimensionType.CATEGORY, DimensionType.TEXT):
        return False
    wider: list[Dimension] = []
    for i, item in sentence:
        if i == per or not item.op(Op.BY, Op.EACH, Op.WHICH) or item.links:
            continue
        j = sentence.after(i, (Op.OF, Op.IN, Op.FILLER))
        other = names.dimension(sentence[j]) if j is not None and sentence[j].links else None
        wider += [other] if other is not None and other.name != dimension.name else []
    person = may_be_person(dimension.label)
    return any(
        d.name in dimension.within or (person and (d.distinct or 0) * 2 < (dimension.distinct or 0))
        for d in wider
    )


def _says_how(item: Item, metric: Metric) -> bool:
    """“average volume”: whether the words of a name say themselves how its values are taken together."""
    said = [operators().get((word,)) for word in item.text.lower().split()]
    return any(x is not None and x.op is Op.AGGREGATE and x.payload is metric.aggregation for x in said)


def divides(item: Item) -> bool:
    """Whether words may say a division; before something to group by they only group."""
    return item.op(Op.BY) and item.text.lower() == "divided by"


def with_divisions(cover: Sequence[Item], words: Sequence[Word], names: Names) -> list[Item]:
    """“revenue / orders”, “returned orders over orders”: between two measures a stroke, or “over”, divides."""
    found: list[Item] = []
    for n, item in enumerate(cover):
        before, behind = (cover[n - 1] if n else None), (cover[n + 1] if n + 1 < len(cover) else None)
        said = item.op(Op.COMPARE_NUMBER) and item.text.lower() == "over"
        said |= item.op(Op.AND) and not item.links and words[item.start].text == "/"
        if said and before is not None and behind is not None and _are_two(before, behind, names):
            item = _divided(item.start)
        found.append(item)
        at = item.end
        stroke = behind is not None and behind.start == at + 1 and words[at].text == "/"
        if stroke and behind is not None and _are_two(item, behind, names):
            found.append(_divided(at))
    return found


def _divided(at: int) -> Item:
    return Item(at, at + 1, operator=Operator(Op.BY, None), text="divided by")


def _are_two(left: Item, right: Item, names: Names) -> bool:
    """Whether both name something to measure or to count, and not the same."""
    measures = [
        names.measure(x) or names.count(x) if x.links and x.links[0].quality >= 0.85 else None
        for x in (left, right)
    ]
    first, second = measures
    return first is not None and second is not None and first.name != second.name


def adds_up(metric: Metric) -> bool:
    """Whether the values of a metric may be added."""
    return metric.additivity is not Additivity.NON_ADDITIVE or is_count(metric)
