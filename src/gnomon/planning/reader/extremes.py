"""What is asked of the one thing at an end: “the age of the employee with the highest wage”, “the oldest tree's girth”.

The thing is found by the measure that is graded; what is asked of it is told beside, and never ranked itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.parts import QuestionKind
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.asked_of_one import AskedOfOne, RowAtEnd, tell_one_row
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ranks import Rank
from gnomon.planning.reader.row_extremes import RowExtreme
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Dimension, DimensionType, Metric

_OF = vocabulary(
    "of for by from to in at the a an our that this is was are were does did do has had have paid held given taken made"
)
_HAVING = vocabulary(
    "with having has had have who that which whose a an the was is were received got reached"
)
_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


@dataclass(frozen=True)
class Extreme:
    """The thing at an end, what puts it there, and what is asked of it."""

    thing: Dimension
    graded: Metric
    descending: bool
    measure: Metric | None = None
    column: Dimension | None = None


class Extremes:
    """Finds what is asked of the thing at an end.

    Args:
        sentence: The items.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]
        self._ranks: list[Rank] = []
        self._row: AskedOfOne | None = None

    def find(self, ranks: list[Rank]) -> Extreme | None:
        """The one that a question asks about; None where things are ranked for their own sake."""
        self._ranks = ranks
        if len(ranks) != 1 or ranks[0].all or ranks[0].both or (ranks[0].limit or 1) != 1 or ranks[0].place:
            return None
        rank = ranks[0]
        thing = self._find(rank)
        self._row = RowAtEnd(self._sentence, self._names).find(rank) if thing is None else None
        return thing

    def _find(self, rank: Rank) -> Extreme | None:
        placed = self._graded_thing(rank) or self._thing_with(rank)
        if placed is None:
            return None
        at, graded = placed
        thing = self._thing(self._sentence[at])
        asked = self._asked(at, rank)
        if thing is None or asked is None:
            return None
        measure, column = self._told(asked, thing)
        own = self._names.column_of(graded)
        asks_it = measure is not None and own is not None and self._names.column_of(measure) == own
        if (
            asks_it
            or (column is not None and column in (own, thing))
            or (measure is None and column is None)
            or not self._one(thing, graded)
        ):
            return None
        return Extreme(thing, graded, rank.descending, measure, column)

    def _graded_thing(self, rank: Rank) -> tuple[int, Metric] | None:
        """“the oldest employee”: the thing right behind an adjective, and what the adjective grades."""
        at, graded, said = rank.at + 1, rank.measure, self._sentence[rank.at]
        if said.op(Op.RANK):  # "the most expensive product"
            at, said = at + 1, self._sentence[at] if at < len(self._sentence) else said
            spoken = said.association is not None and not said.links and at < len(self._sentence)
            graded = self._meant(said, self._sentence[at]) if spoken else None
        if graded is None or at >= len(self._sentence) or self._sentence[at].start != said.end:
            return None
        return (at, graded) if self._sentence[at].links else None

    def _meant(self, adjective: Item, thing: Item) -> Metric | None:
        """What an adjective grades: a column of the very thing, else what it means here."""
        table = thing.named(LinkKind.TABLE)
        said = adjective.association
        own = self._names.own(said, table.name) if said is not None and table is not None else None
        if own is not None:
            return self._names.metric_of(own)
        return next(iter(self._names.metrics(adjective)), None)

    def _thing_with(self, rank: Rank) -> tuple[int, Metric] | None:
        """“the employee with the highest wage”: the thing before, and the measure behind the superlative."""
        behind = rank.at + 1
        if not self._sentence[rank.at].op(Op.RANK) or behind >= len(self._sentence):
            return None
        noun = self._sentence[behind]
        graded = rank.measure or (
            self._names.measure(noun) or self._names.count(noun) if noun.links else None
        )
        before = [j for j in range(rank.at) if self._sentence[j].links]
        if graded is None or not before:
            return None
        at = before[-1]
        gap = self._words[self._sentence[at].end : self._sentence[rank.at].start]
        return (at, graded) if gap and all(w in _HAVING for w in gap) else None

    def _thing(self, item: Item) -> Dimension | None:
        """What is told apart, one of them: an employee, not employees."""
        if item.text.lower().endswith("s") and not item.text.lower().endswith("ss"):
            return None
        return self._names.dimension(item, *_GROUPABLE)

    def _asked(self, at: int, rank: Rank) -> Item | None:
        """What is asked of the thing: the noun before it, or right behind it where it is the thing's own."""
        thing = self._sentence[at]
        first = min(thing.start, self._sentence[rank.at].start)
        before = [x for x in self._sentence.items if x.end <= first and x.links]
        if before:
            gap = self._words[before[-1].end : first]
            linked = bool({"of", "for", "by", "from", "to", "did", "does"} & {*gap}) or self._is_which(
                before[-1]
            )
            return before[-1] if linked and all(w in _OF for w in gap) else None
        behind = self._sentence[at + 1] if at + 1 < len(self._sentence) else None
        owned = behind is not None and behind.start == thing.end and bool(behind.links)
        return behind if owned and thing.start > self._sentence[rank.at].start else None

    def _is_which(self, item: Item) -> bool:
        """“which city has the oldest shop”, “in which ward is the youngest patient”."""
        return item.start > 0 and self._words[item.start - 1] in {"which", "what"}

    def _told(self, item: Item, thing: Dimension) -> tuple[Metric | None, Dimension | None]:
        """What an item asks of the thing: a measure of it, or a column of its rows."""
        measure = self._names.measure(item)
        if measure is not None and not is_count(measure):
            return measure, None
        if item.named(LinkKind.TABLE) is not None:
            return None, None
        column = self._names.dimension(
            item, DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.BOOLEAN
        )
        near = column is not None and self._names.model.path(thing.home.table, column) is not None
        return None, column if near else None

    def _one(self, thing: Dimension, graded: Metric) -> bool:
        """Whether the measure tells the things apart."""
        return self._names.model.reaches(graded, thing)

    def tell(self, draft: Draft, found: Extreme | None) -> None:
        """Rank the things by what puts one at the end, and tell beside what is asked of it."""
        if self._row is not None:
            tell_one_row(draft, self._row)
            return
        if found is None:
            RowExtreme(self._sentence, self._names).tell(draft, self._ranks)
            return
        asked = [found.measure.name] if found.measure is not None else []
        spoken = [
            m
            for m in draft.metrics
            if found.measure is not None and m not in (found.graded.name, found.measure.name)
        ]
        asked = (
            spoken[:1] or asked
        )  # "the total revenue of the most expensive product" is asked for as it is said
        draft.metrics = [found.graded.name, *asked]
        fixed = {
            f.field for f in draft.filters if not f.having
        }  # "which insured patient" asks for no more of him
        beside = [c.name for c in (found.column,) if c is not None and c.name not in fixed]
        draft.dimensions = [found.thing.name, *beside]
        draft.kind, draft.limit, draft.descending = QuestionKind.RANKING, 1, found.descending
        draft.grain = None
        draft.doubts = [d for d in draft.doubts if " … " not in d.text]  # both measures have their part
        # "which city has the employee …" says of what the thing is, not that there is one
        draft.filters = [f for f in draft.filters if not (f.having and f.values == (0,))]


_MIDDLES = vocabulary("avg average mean median typical")
_TOPS = vocabulary("high highest max maximum peak top")
_BOTTOMS = vocabulary("low lowest min minimum bottom")


def at_its_end(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the hottest temperature”, of a day's high, average and low one: the highest that was measured is a high one."""
    said = {w.lower for w in sentence.words}
    if said & _MIDDLES:
        return
    for i, reference in enumerate(draft.metrics):
        metric = names.model.metric(reference)
        column = names.column_of(metric)
        first, _, rest = column.label.partition(" ") if column is not None else ("", "", "")
        if column is None or first not in _MIDDLES or not rest:
            continue
        ranked = draft.kind is QuestionKind.RANKING or draft.limit is not None
        most = reference.startswith("max(") or (ranked and draft.descending)
        least = reference.startswith("min(") or (ranked and not draft.descending)
        ends = _TOPS if most else _BOTTOMS if least else frozenset[str]()
        table = column.home.table
        beside = [
            d for d in names.model.dimensions
            if d.home.table == table and d.label.partition(" ")[0] in ends and d.label.partition(" ")[2] == rest
        ]  # fmt: skip
        if len(beside) == 1:
            draft.metrics[i] = f"{'max' if most else 'min'}({beside[0].home})"
            for _, item in sentence:
                if any(link.name in (column.name, metric.name) for link in item.links):
                    item.links = (Link(LinkKind.DIMENSION, beside[0].name, item.links[0].quality),)
