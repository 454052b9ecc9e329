"""Bounds that are not written but computed: above the average, twice the median, more than the mean of their department."""

from __future__ import annotations

from gnomon.core.parts import FilterOperator, Relative
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.lattice import Item, Number
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator, operators
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType

_HOW = {
    Aggregation.MEAN: "mean",
    Aggregation.MEDIAN: "median",
    Aggregation.MIN: "min",
    Aggregation.MAX: "max",
}
_TIMES = {"twice": 2.0, "double": 2.0, "half": 0.5, "triple": 3.0, "thrice": 3.0}
_IDLE = vocabulary(
    "the a an its their his her our overall global general total whole that of for value values level all times x as"
)
_OWN = vocabulary("their its his her own same respective each")
_EVERY = vocabulary("all every everyone everybody overall entire whole")
_LINKS = vocabulary("of in for within among across from on at")
_ENDS = vocabulary("and or but , ? ; by per when which that who whose with where while then")
_STANDING = vocabulary("is are was were be been being of a an the in at")
_END_WORDS = {
    **dict.fromkeys(("highest", "largest", "biggest", "greatest", "maximum", "max"), "max"),
    **dict.fromkeys(("lowest", "smallest", "minimum", "min"), "min"),
}
_JOINED = {
    **dict.fromkeys(("and above", "and over"), FilterOperator.GREATER),
    **dict.fromkeys(("and below", "and under"), FilterOperator.LESS),
}
_GRADED = {
    **dict.fromkeys(("more", "higher", "greater", "larger", "bigger"), FilterOperator.GREATER),
    **dict.fromkeys(("less", "fewer", "lower", "smaller"), FilterOperator.LESS),
}


class RelativeBounds:
    """Puts a number for each bound that the data gives, so that it is read like a written one.

    Args:
        sentence: The items; those of the bound become one.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]
        self._heard: set[str] = set()

    def find(self) -> set[str]:
        """Replace the words of each bound by its number; gives the words that say it."""
        for item in list(self._sentence.items):
            if item not in self._sentence.items or not self._compares(item):
                continue
            self._take(item)
        self._take_end()
        return self._heard

    def _take_end(self) -> None:
        """“how many have the lowest age”: those are counted that reach the end of the column."""
        items = self._sentence.items
        for i in range(1, len(items) - 1):
            having, said = items[i - 1], items[i]
            gap = self._words[having.end : said.start]
            column, length = self._column(items[i + 1].start)
            counted = any(x.op(Op.COUNT) and x.end <= having.start for x in items[: i - 1])
            how = _END_WORDS.get(self._words[said.start]) if said.end == said.start + 1 else None
            plain = not any(x.values or x.time or x.number for x in items)
            if not having.op(Op.WITH) or gap != ["the"] or how is None or not counted or not plain:
                continue
            if column is None or not self._ends(items[i + 1].start + length):
                continue
            having.operator = Operator(Op.EQUALS)
            items[i] = Item(
                said.start, said.end, number=Number(1.0, relative=Relative(how=how)), text=said.text
            )
            return

    def _compares(self, item: Item) -> bool:
        if item.op(Op.COMPARE_NUMBER):
            return True
        if item.op(Op.OR_MORE) and item.text.lower() in _JOINED:
            if self._aggregate(self._past(item.end, _IDLE))[0] is None:
                return False
            item.operator = Operator(Op.COMPARE_NUMBER, _JOINED[item.text.lower()])  # "and below the average"
            return True
        if not item.op(Op.VERSUS) or item.text.lower() != "than":
            return False
        at = self._sentence.items.index(item)
        before = self._sentence.items[at - 1] if at else None
        if before is not None and before.association is not None and before.association.comparative:
            return True
        graded = self._words[before.start - 1] if before is not None and before.links and before.start else ""
        column = self._names.column_of(m) if before and (m := self._names.measure(before)) else None
        if graded in _GRADED and before is not None and before.end == item.start and column is not None:
            if self._aggregate(self._past(item.end, _IDLE))[0] is None:
                return False
            item.operator = Operator(Op.COMPARE_NUMBER, _GRADED[graded])  # "more units than average"
            return True
        return False

    def _take(self, compare: Item) -> None:
        at, factor = self._factor(self._past(compare.end, _IDLE))
        at = self._past(at, _IDLE)
        how, size = self._aggregate(at)
        if how is None or self._is_aggregated(compare):
            return
        end = at + size
        end = self._period(end)
        column_at = self._past(end, _IDLE)
        column, length = self._column(column_at)
        if column is not None:
            end = column_at + length
        per, end = self._per(end, column)
        if not self._ends(end):
            return
        same = column is not None and (self._stands_before(compare, column) or self._grades(compare, column))
        bound = Item(
            compare.end, at + size if column is not None and not same else end,
            number=Number(factor, relative=Relative(how=_HOW[how], per=per.name if per is not None else None)),
            text=" ".join(w.text for w in self._sentence.words[compare.end : end]),
        )  # fmt: skip
        self._heard |= {w.text for w in self._sentence.words[compare.end : end]}
        field = self._field_item(column, column_at, length) if column is not None and not same else None
        items = [x for x in self._sentence.items if x.end <= compare.end or x.start >= end]
        place = items.index(compare) + 1
        items[place:place] = [bound, *([field] if field is not None else [])]
        self._sentence.items[:] = items

    def _past(self, at: int, words: frozenset[str]) -> int:
        """The first word from ``at`` on that is none of these; a hyphen is passed too."""
        while at < len(self._words) and (self._words[at] in words or self._words[at] == "-"):
            at += 1
        return at

    def _factor(self, at: int) -> tuple[int, float]:
        """“twice”, “1.5 times”, “half”: how many times the bound is meant, and where the words go on."""
        if at < len(self._words) and self._words[at] in _TIMES:
            return at + 1, _TIMES[self._words[at]]
        item = next((x for x in self._sentence.items if x.start == at and x.number is not None), None)
        behind = self._words[item.end] if item is not None and item.end < len(self._words) else ""
        if item is not None and item.number is not None and behind in {"times", "x", "×"}:
            return item.end + 1, item.number.value
        return at, 1.0

    def _aggregate(self, at: int) -> tuple[Aggregation | None, int]:
        """The word for an average or an extreme that stands there, and how many words it takes."""
        for size in (3, 2, 1):
            found = (
                operators().get(tuple(self._words[at : at + size])) if at + size <= len(self._words) else None
            )
            if found is not None and found.op is Op.AGGREGATE and found.payload in _HOW:
                return found.payload, size - (self._words[at + size - 1] == "of")
        return None, 0

    def _period(self, at: int) -> int:
        """“days above the average day”: the period that is compared with its like needs not be said twice."""
        unit = next((x for x in self._sentence.items if x.start == at and x.op(Op.UNIT)), None)
        said = [x for x in self._sentence.items if x.op(Op.UNIT) and x.end < at]
        same = unit is not None and any(x.operator == unit.operator for x in said)
        return unit.end if unit is not None and same else at

    def _column(self, at: int) -> tuple[Dimension | None, int]:
        """The column of numbers that the words from ``at`` on name."""
        for size in range(min(4, len(self._words) - at), 0, -1):
            if any(w.kind == "symbol" for w in self._sentence.words[at : at + size]):
                continue
            links = self._names.vocabulary.named(" ".join(self._words[at : at + size]))
            item = Item(at, at + size, links=tuple(x for x in links if x.quality > 0.8))
            if not item.links:
                continue
            measure = self._names.measure(item)
            column = self._names.column_of(measure) if measure is not None else None
            column = column or self._names.dimension(item, DimensionType.NUMBER)
            if column is not None and column.type is DimensionType.NUMBER:
                return column, size
        return None, 0

    def _per(self, at: int, column: Dimension | None) -> tuple[Dimension | None, int]:
        """“of their department”, “in the same city”: the groups within which it is taken; “of all rows” is all of them."""
        if at >= len(self._words) or self._words[at] not in _LINKS | _EVERY:
            return None, at
        said = self._past(at, _LINKS | _OWN | _EVERY | {"the"})
        between = set(self._words[at:said])
        if said == at + 1 and not between & _EVERY:
            return None, at
        item = next((x for x in self._sentence.items if x.start == said and x.links), None)
        if between & _EVERY:
            rows = item is not None and item.named(LinkKind.TABLE) is not None
            rows = rows or any(x.start == said and x.op(Op.ROWS) for x in self._sentence.items)
            return None, (item.end if item is not None else said + 1) if rows else said
        group = self._names.dimension(item) if item is not None and between & _OWN else None
        home = column.home.table if column is not None else None
        if item is None or group is None or group.type is DimensionType.NUMBER:
            return None, at
        if home is not None and self._names.model.path(home, group) is None:
            return None, at
        return group, item.end

    def _ends(self, at: int) -> bool:
        """Whether the bound is said in full there: a place or a time behind it would be part of it."""
        return (
            at >= len(self._words)
            or self._words[at] in _ENDS
            or self._words[at : at + 2] in (["for", "each"], ["in", "each"])
        )

    def _stands_before(self, compare: Item, column: Dimension) -> bool:
        """“a salary above the average salary”: the column is named right before already."""
        before = [x for x in self._sentence.items if x.end <= compare.start]
        for item in reversed(before):
            gap = self._words[item.end : compare.start]
            if any(w not in _STANDING for w in gap):
                return False
            if not item.links:
                if item.op(Op.FILLER, Op.WITH, Op.IN, Op.OF):
                    continue
                return False
            measure = self._names.measure(item)
            own = self._names.column_of(measure) if measure is not None else None
            return column in (own, self._names.dimension(item, DimensionType.NUMBER))
        return False

    def _grades(self, compare: Item, column: Dimension) -> bool:
        """“older than the median age”: the adjective speaks of the column already."""
        at = self._sentence.items.index(compare)
        said = self._sentence.items[at - 1] if at else None
        if said is None or said.association is None or said.links:
            return False
        return any(self._names.column_of(m) == column for m in self._names.metrics(said))

    def _is_aggregated(self, compare: Item) -> bool:
        """“is the average salary above the average”: two averages are compared, which is no condition on rows."""
        before = [x for x in self._sentence.items if x.end <= compare.start]
        near = before[-2:] if before else []
        return any(x.op(Op.AGGREGATE) for x in near) and not self._sentence.has(Op.WHICH, Op.WITH, Op.THAT)

    def _field_item(self, column: Dimension, at: int, length: int) -> Item:
        text = " ".join(w.text for w in self._sentence.words[at : at + length])
        links = tuple(x for x in self._names.vocabulary.named(text) if x.quality > 0.8)
        return Item(at, at + length, links=links, text=text)
