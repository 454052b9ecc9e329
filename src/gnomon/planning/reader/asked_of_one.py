"""A figure of the one row at an end, where nothing names the row: “the mileage on the most expensive Tesla”.

The row is found by what the superlative grades, among those that a value, a flag or the noun for all rows tells. Its figure is
what is asked for, and is never ranked, averaged or taken at its own end.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.parts import QuestionKind
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ranks import Rank
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_OF = vocabulary("of for on by from to in at the a an our is was are were has had have does did do")
_TIES = vocabulary("of for on by from to in at is was are were has had have does did do")
_HAVING = vocabulary("with having that which has had")
_FIGURES = (Op.AGGREGATE, Op.COUNT, Op.SHARE, Op.PER, Op.CHANGE)


@dataclass(frozen=True)
class AskedOfOne:
    """What grades the rows, from which end, and the column of the row that is asked for."""

    graded: Dimension
    asked: Dimension
    descending: bool
    said: Item


class RowAtEnd:
    """Finds a figure that is asked of the one row at an end.

    Args:
        sentence: The items.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]

    def find(self, rank: Rank) -> AskedOfOne | None:
        """What is asked of which row; None where things are ranked, or a figure of several rows is asked for."""
        if any(x.op(*_FIGURES) and not x.links for x in self._sentence.items) or self._words[0] in {
            "average",
            "mean",
        }:
            return None
        placed = self._graded_noun(rank) or self._noun_with(rank)
        if placed is None:
            return None
        first, noun, graded = placed
        column = self._names.column_of(graded)
        said = self._asked(first)
        asked = self._column(said, noun) if said is not None else None
        if said is None or column is None or asked is None or column.type is not DimensionType.NUMBER:
            return None
        if asked == column or asked.home.table != column.home.table or not self._is_one_row(noun, column):
            return None
        return AskedOfOne(column, asked, rank.descending, said)

    def _graded_noun(self, rank: Rank) -> tuple[int, Item, Metric] | None:
        """“the most expensive Tesla”, “the cheapest flat”: the noun behind an adjective, and what that grades."""
        at, said, graded = rank.at + 1, self._sentence[rank.at], rank.measure
        if said.op(Op.RANK):
            at, said = at + 1, self._sentence[at] if at < len(self._sentence) else said
            if said.association is None or said.links or said.association.descending is None:
                return None
            graded = graded or next(iter(self._names.metrics(said)), None)
        if graded is None or at >= len(self._sentence) or self._sentence[at].start != said.end:
            return None
        return self._sentence[rank.at].start, self._sentence[at], graded

    def _noun_with(self, rank: Rank) -> tuple[int, Item, Metric] | None:
        """“the car with the highest price”: the noun before, and the measure behind the superlative."""
        behind = self._sentence[rank.at + 1] if rank.at + 1 < len(self._sentence) else None
        graded = rank.measure or (
            self._names.measure(behind) if behind is not None and behind.links else None
        )
        before = [x for x in self._sentence.items[: rank.at] if x.links or x.values]
        if not self._sentence[rank.at].op(Op.RANK) or graded is None or not before:
            return None
        gap = self._words[before[-1].end : self._sentence[rank.at].start]
        led = bool(gap) and gap[0] in _HAVING and {*gap[1:]} <= {"the", "a"}
        return (before[-1].start, before[-1], graded) if led else None

    def _asked(self, first: int) -> Item | None:
        """The noun before the row, tied to it; or the adjective of “how old was …”."""
        before = [x for x in self._sentence.items if x.end <= first and (x.links or self._is_how(x))]
        gap = self._words[before[-1].end : first] if before else []
        tied = bool(_TIES & {*gap}) and {*gap} <= _OF
        return before[-1] if before and tied else None

    def _is_how(self, item: Item) -> bool:
        graded = item.association is not None and item.association.descending is not None
        return graded and not item.links and item.start > 0 and self._words[item.start - 1] == "how"

    def _column(self, said: Item, noun: Item) -> Dimension | None:
        """The column of numbers that is asked for."""
        if said.links:
            measure = self._names.measure(said)
        else:
            table = noun.named(LinkKind.TABLE)
            own = self._names.own(said.association, table.name) if said.association and table else None
            found = self._names.metric_of(own) if own is not None else None
            measure = found or next(iter(self._names.metrics(said)), None)
        column = self._names.column_of(measure) if measure is not None else None
        return column if column is not None and column.type is DimensionType.NUMBER else None

    def _is_one_row(self, noun: Item, graded: Dimension) -> bool:
        """Whether a noun tells rows of the table that is graded, one of them: a value, a flag, or what all of them are."""
        table = graded.home.table
        if noun.values and not noun.links:
            held = str(noun.values[0].value).lower()
            if noun.text.lower().endswith("s") and not held.endswith("s"):
                return False
            return any(self._names.model.dimension(v.dimension).at(table) is not None for v in noun.values)
        text = noun.text.lower()
        if text.endswith("s") and not text.endswith("ss"):
            return False
        rows = noun.named(LinkKind.TABLE)
        flag = self._names.dimension(noun, DimensionType.BOOLEAN)
        return (rows is not None and rows.name == table) or (flag is not None and flag.at(table) is not None)


def tell_one_row(draft: Draft, found: AskedOfOne) -> None:
    """Rank the values that are asked for by the end of what is graded: the first is that of the row."""
    how = Aggregation.MAX if found.descending else Aggregation.MIN
    groups = [d for d in draft.dimensions if d != found.asked.name]
    draft.metrics = [f"{how}({found.graded.home})"]
    draft.dimensions = [*groups, found.asked.name]
    draft.limit_per = groups[0] if groups else None  # "the price of the oldest car of each make"
    draft.kind, draft.limit, draft.descending, draft.grain = QuestionKind.RANKING, 1, found.descending, None
    draft.doubts = [d for d in draft.doubts if " … " not in d.text]
    found.said.used = True
    if len(groups) > 1:
        draft.unexplained.append(found.said.text)
