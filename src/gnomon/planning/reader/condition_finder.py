"""What finders of conditions share: the sentence, what was found, and who or what a condition is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gnomon.core.parts import Filter, FilterOperator, Relative
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.values import ValueIndex, ValueMatch

SURE = 0.62
_WHOLE = 0.97
_COPULAS = frozenset({"is", "are", "was", "were", "has", "have", "had", "did", "do"})
_GROUPING = (Op.BY, Op.EACH, Op.PER)
NEGATING = (Op.EXCLUDE, Op.NOT, Op.WITHOUT, Op.OUTSIDE)


@dataclass
class ValueCondition:
    """Values that rows must, or must not, have; which dimension they belong to may still be open."""

    at: int
    choices: list[tuple[ValueMatch, ...]]
    negated: bool = False
    absent: bool = False
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
    joined: str = ""
    relative: Relative | None = None


class ConditionFinder:
    """Looks around in one sentence; items that take part in a condition are marked used.

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
        self.heard: set[str] = set()
        self.unsaid: list[str] = []

    def _negated(self, i: int) -> bool:
        if (
            i > 1
            and self.sentence[i - 1].op(Op.IN)
            and self.sentence[i - 2].used
            and self.sentence[i - 2].values
        ):
            return False  # "outside the marketplace in the north": the second preposition begins anew
        before = self._before_verb(
            self.sentence.before(i, (Op.OF, Op.IN, Op.FILLER, Op.EACH, Op.THOSE, Op.COMES_FROM))
        )
        if before is not None and (denied := self._denied_having(before)) is not None:
            before = denied
        if before is not None and self.sentence[before].text.lower() == "nor":
            self.sentence[before].used = True
            return True  # "neither fragile nor delivered"
        if before is not None and self._is_of_another(before, i):
            return False
        while before is not None and self.sentence[before].used and not self.sentence[before].op(*NEGATING):
            before = self.sentence.before(before, (Op.OF, Op.IN, Op.FILLER, Op.AND, Op.OR))
            if before is not None and not self.sentence[before].used:
                break
        if before is None or not self.sentence[before].op(*NEGATING):
            return False
        self.sentence[before].used = True
        return True

    def _is_of_another(self, at: int, i: int) -> bool:
        """“not by Swift were late”: behind a verb of its own, what is said of them is not what was denied before."""
        held = self.sentence[at]
        between = [w.lower for w in self.sentence.words[held.end : self.sentence[i].start]]
        if any(self.sentence[k].op(Op.AND, Op.OR) for k in range(at + 1, i)) or not held.used:
            return False
        anew = any(w in _COPULAS for w in between)
        own, other = ({v.dimension for v in self.sentence[k].values} for k in (at, i))
        if held.links:  # "non-citizens are married"
            flag = self.names.dimension(held, DimensionType.BOOLEAN)
            return flag is not None and flag.name not in other and (anew or not between)
        return bool(own) and (anew or (not between and not own & other))

    def _denied_having(self, at: int) -> int | None:
        """“don't have a lift”: the word that denies the having that stands there."""
        before = self.sentence.before(at, (Op.FILLER,)) if self.sentence[at].op(Op.WITH) else None
        return before if before is not None and self.sentence[before].op(Op.NOT) else None

    def _before_verb(self, at: int | None) -> int | None:
        """“not paid in cash”, “not sold by phone”: what stands before the verb that a value belongs to."""
        if at is not None and self.sentence[at].op(Op.BY) and at:
            verb = self.sentence.before(at, (Op.FILLER, Op.THOSE))
            near = verb is not None and self.sentence[at].start - self.sentence[verb].end <= 1
            if verb is not None and (
                self._is_verb_only(verb) or (near and self.sentence[verb].op(*NEGATING))
            ):
                at = verb  # "not carried by A", "except those by B"
        while at is not None and self._is_verb_only(at):
            at = self.sentence.before(at, (Op.FILLER,))
        return at

    def _is_verb_only(self, at: int) -> bool:
        item = self.sentence[at]
        return item.association is not None and not item.links and not item.values and not item.used

    def _beside(self, i: int, j: int) -> bool:
        left, right = sorted((i, j))
        return self.sentence[right].start - self.sentence[left].end <= 2

    def _table_of(self, item: Item) -> str | None:
        link = item.named(LinkKind.TABLE)
        return link.name if link else None

    def _field(self, item: Item) -> tuple[Metric | None, Dimension | None]:
        """The measure or the numeric column that an item names, or the count of what it names."""
        if item.links and item.links[0].quality < SURE and not item.association:
            return None, None  # too little of a name to be sure that it is meant
        if (events := self._events(item)) is not None:
            return events, None
        if item.op(Op.ROWS) and not item.links and len(self.names.model.tables) == 1:
            return self.names.count_of_table(self.names.model.tables[0].name), None
        measure = self.names.measure(item)
        column = self.names.dimension(item, DimensionType.NUMBER)
        if measure is not None:
            own = self.names.column_of(measure)
            flag = (
                own is not None and own.type is DimensionType.BOOLEAN
            )  # how many are marked, never a yes above 16
            return measure, column if flag else own or column
        if column is not None:
            return None, column
        sure = bool(item.links) and (item.links[0].quality >= 0.85 or item.text.lower().endswith("s"))
        rows = item.named(LinkKind.TABLE)
        if rows is None or rows.quality < _WHOLE:  # "5 loans", of rows called so; a date is not counted
            sure = sure and self.names.dimension(item, DimensionType.TIME) is None
        return (self.names.count(item) if sure else None), None

    def _events(self, item: Item) -> Metric | None:
        """What a noun for buying counts where the data calls it otherwise: purchases, of sales."""
        said = item.association
        bought = said is not None and said.descending is None and "purchases" in said.nouns
        if not bought or item.links or item.text.lower() not in {"purchase", "purchases"}:
            return None
        happened = self.names.happened()
        return happened[0] if happened else None

    def _subject(
        self, before: int, metric: Metric | None, dimension: Dimension | None
    ) -> tuple[int | None, Dimension | TimeGranularity | None]:
        """Who or what the bound is about: the nearest noun before it that can be grouped by."""
        for j in range(before - 1, -1, -1):
            item = self.sentence[j]
            if item.op(Op.UNIT) and item.operator and not self._reached(item, metric):
                each = self._are_grouped(j, before, dimension, None)
                part = str(item.operator.payload).startswith(
                    "@"
                )  # days of the week have no bound of their own
                return (None, None) if each or part else (j, TimeGranularity(item.operator.payload))
            if item.op(Op.ROWS) and not item.links:
                return j, None
            if item.links and item.used and self._are_rows(j, before, dimension):
                return j, None
            if not item.links or item.used:
                continue
            rows = item.links[0].kind is LinkKind.TABLE and item.links[0].quality >= 0.97
            if metric is not None and self.names.measure(item) is not None and not rows:
                continue
            found = self.names.dimension(item, DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
            if found is not None and found != dimension and self._are_grouped(j, before, dimension, found):
                return None, None
            if found is not None and found != dimension:
                return j, (None if self._owned(item, found, metric) else found)
            if self._table_of(item):
                return j, None
        return None, None

    def _are_grouped(
        self, j: int, before: int, dimension: Dimension | None, subject: Dimension | None
    ) -> bool:
        """“the lowest price for each origin where weight is below 2000”, “distinct origins where …”: rows are bounded.

        So they are where another column is computed for each of the things, or where the things are only told apart.
        What the groups themselves come to is bounded where they are asked for, or where the same column is computed.
        """
        lead = self.sentence[j - 1] if j else None
        if dimension is None or lead is None or lead.links or not lead.op(*_GROUPING, Op.DISTINCT):
            return False
        led = any(
            self.sentence.words[k].lower == "where"
            for k in range(self.sentence[j].end, self.sentence[before].start)
        )
        if lead.op(Op.DISTINCT):
            held = subject is not None and subject.at(dimension.home.table) is not None
            return held and (led or self.names.metric_of(dimension).aggregation is Aggregation.MEAN)
        measured = [
            m for k in range(j) if self.sentence[k].links and (m := self.names.measure(self.sentence[k]))
        ]
        columns = [self.names.column_of(m) for m in measured]
        return bool(columns) and dimension not in columns

    def _are_rows(self, j: int, before: int, dimension: Dimension | None) -> bool:
        """“the most employees with a wage above 50”: the rows that are counted are bounded, not their groups."""
        table = self.sentence[j].named(LinkKind.TABLE)
        between = self.sentence.items[j + 1 : before]
        linked = all(x.op(Op.WITH, Op.THAT, Op.FILLER, Op.OF) and not x.links for x in between)
        own = table is not None and dimension is not None and dimension.home.table == table.name
        return own and linked

    def _owned(self, item: Item, column: Dimension, metric: Metric | None) -> bool:
        """“the cities of galleries with a capacity above 400”: the galleries are bounded, not their cities."""
        spoken = [w.lower for w in self.sentence.words[item.start : item.end]]
        owner = " ".join(spoken[spoken.index("of") + 1 :]) if "of" in spoken else ""
        links = self.names.vocabulary.named(owner) if owner else ()
        table = next((k.name for k in links if k.kind is LinkKind.TABLE), None)
        return table == column.home.table and (metric is None or metric.table == table)

    def _reached(self, item: Item, metric: Metric | None) -> bool:
        """Whether a word for a period is a column here that the measure can be grouped by."""
        dimension = self.names.dimension(item) if item.links else None
        if dimension is None or dimension.type is DimensionType.TIME:
            return False
        return metric is None or self.names.model.reaches(metric, dimension)

    def _hear(self, positions: Iterable[int]) -> None:
        """Words of no item that a condition understood all the same: “late”, behind a number of minutes."""
        self.heard |= {self.sentence.words[k].text for k in positions}

    def _use(self, *positions: int) -> None:
        for j in positions:
            self.sentence[j].used = True
