"""What is asked of the one row at an end, in a list: “biggest order: order number, date, and what it was worth”.

The row is found by what the superlative grades; each thing of the list is a column of it and never a count or a measure
to rank by.
"""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.people import may_be_person
from gnomon.planning.reader.ranks import Rank
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.where_things_are import is_place_noun
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_CALLED = vocabulary("number no id reference ref code name identifier")
_DAY = vocabulary("date day when")
_WORTH = vocabulary("much worth value amount cost")
_BEGINS = (":", ",", "and", "-", "–", "with")
_ENDS = (Aggregation.MIN, Aggregation.MAX)
_COLUMNS = (
    DimensionType.ID,
    DimensionType.CATEGORY,
    DimensionType.TEXT,
    DimensionType.BOOLEAN,
    DimensionType.TIME,
)
_MOST = frozenset({"most", "fewest", "least"})


def tell_attributes(draft: Draft, sentence: Sentence, ranks: list[Rank], names: Names) -> None:
    """Tell the columns that a list asks for of the row at the end, where a question is a superlative and a list."""
    found = _Listed(draft, sentence, names).read(ranks)
    if found is None:
        return
    graded, columns, descending = found
    named = [names.model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
    draft.metrics = [graded]
    draft.dimensions = list(dict.fromkeys(d.name for d in (*named, *columns)))
    draft.grain, draft.kind, draft.limit, draft.descending = None, QuestionKind.RANKING, 1, descending
    draft.doubts = [d for d in draft.doubts if " … " not in d.text]


class _Listed:
    """Reads the list behind a superlative."""

    def __init__(self, draft: Draft, sentence: Sentence, names: Names) -> None:
        self._draft = draft
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]

    def read(self, ranks: list[Rank]) -> tuple[str, list[Dimension], bool] | None:
        """What is ranked by, the columns of the list, and from which end."""
        draft = self._draft
        if draft.comparison is not None or draft.limit_per or len(ranks) > 1 or (draft.limit or 1) != 1:
            return None
        at = ranks[0].at if ranks else next(iter(self._sentence.find(Op.EDGE)), None)
        graded = self._graded(ranks[0] if ranks else None)
        begin = self._begin(at) if at is not None else None
        if at is None or graded is None or graded.table is None or begin is None:
            return None
        listed = [x for x in self._sentence.items if x.start >= begin]
        columns = [self._column(x, graded) for x in listed if not self._says_nothing(x, graded)]
        columns += [self._spelt(w, graded) for w in self._loose(begin)]
        known = [c for c in columns if c is not None]
        if len(known) < len(columns) or not (known or self._asks_day(begin)):
            return None
        own = self._own_day(graded)
        for item in listed:
            item.used = True
        draft.unexplained = [u for u in draft.unexplained if u.lower() not in self._words[begin:]]
        key = self._key(graded.table)
        reference = self._reference(graded, ranks[0].descending if ranks else True)
        columns = [c for c in [*key, *known] if c.name != (own.name if own is not None else None)]
        return reference, columns, ranks[0].descending if ranks else graded.aggregation is Aggregation.MAX

    def _graded(self, rank: Rank | None) -> Metric | None:
        """What puts the row at the end: the measure of the superlative, or the end of a date."""
        model, metrics = self._names.model, self._draft.metrics
        if rank is None:
            ends = [m for r in metrics if (m := model.metric(r)).aggregation in _ENDS]
            column = self._names.column_of(ends[0]) if len(ends) == 1 else None
            return ends[0] if column is not None and column.type is DimensionType.TIME else None
        if self._sentence[rank.at].text.lower().split()[-1] in _MOST and rank.measure is None:
            behind = self._sentence[rank.at + 1] if rank.at + 1 < len(self._sentence) else None
            if behind is None or behind.association is None:
                return None  # "the most orders" adds up
        plain = [
            m for r in metrics if not is_count(m := model.metric(r)) and m.formula is None and m.inner is None
        ]
        return rank.measure or next(iter(plain), None)

    def _begin(self, at: int) -> int | None:
        """Where the list begins: behind the noun that the superlative grades, and what is said of it."""
        noun = next((x for x in self._sentence.items[at + 1 :] if x.links), None)
        several = (
            noun is not None and noun.text.lower().endswith("s") and not noun.text.lower().endswith("ss")
        )
        if noun is None or (several and noun.named(LinkKind.TABLE) is not None):
            return None
        marks = [k for k in range(noun.end, len(self._words)) if self._words[k] in _BEGINS]
        colon = [k for k in marks if self._words[k] == ":"]
        said = noun.named(LinkKind.TABLE) is not None or self._sentence[at].op(Op.EDGE)
        said = said or bool(
            {"it", "its"} & {*self._words[noun.end :]}
        )  # "the lowest score and the subject it was in"
        first = (colon or (marks if said else []))[:1]
        between = [x for x in self._sentence.items if first and noun.end <= x.start < first[0]]
        grouped = any(x.op(Op.BY, Op.EACH, Op.PER, Op.COUNT, Op.AGGREGATE) for x in between)
        return first[0] + 1 if first and not grouped else None

    def _says_nothing(self, item: Item, graded: Metric) -> bool:
        """Joints, and what is told anyway: what it was worth, how much, who before what they did."""
        following = next(
            (x for x in self._sentence.items if x.start >= item.end and not x.op(Op.FILLER, Op.THOSE)), None
        )
        if (
            item.op(Op.WHICH, Op.WHEN)
            and following is not None
            and following.links
            and following.start - item.end <= 2
        ):
            return True
        if item.links or item.values or item.number is not None or item.time is not None:
            measure = self._names.measure(item) if item.links else None
            return measure is not None and self._names.column_of(measure) == self._names.column_of(graded)
        return (
            item.op(Op.AND, Op.FILLER, Op.THOSE, Op.OF, Op.WITH, Op.IN)
            or item.text.lower() in {"what", *_CALLED}
            or self._worth(item)
        )

    def _worth(self, item: Item) -> bool:
        return item.text.lower().split()[-1] in _WORTH or (
            item.association is not None and "amount" in item.association.nouns
        )

    def _column(self, item: Item, graded: Metric) -> Dimension | None:
        """The column that a thing of the list names; None where it is no column of the row."""
        model, table, said = self._names.model, graded.table or "", item.text.lower()
        if said in _DAY and not item.links:
            return model.time_dimension(model.metric(f"count({table})"))
        if said in {"who", "whom"}:
            return self._nearest(graded, may_be_person)
        if said == "where":
            return self._nearest(graded, is_place_noun)
        if item.values or item.number is not None or not item.links:
            return None
        column = self._names.dimension(item)
        near = column is not None and (column.at(table) is not None or model.path(table, column) is not None)
        return column if near and column is not None and column.type in _COLUMNS else None

    def _spelt(self, word: str, graded: Metric) -> Dimension | None:
        """A word of the list that names a column only in part: the plan, of a plan type."""
        parts = [x.name for x in self._names.vocabulary.part(word) if x.kind is LinkKind.DIMENSION]
        held = [d for n in parts if (d := self._names.model.dimension(n)).at(graded.table or "") is not None]
        return held[0] if len(held) == 1 else None

    def _loose(self, begin: int) -> list[str]:
        """The words of the list that no item holds and that were found to be nothing."""
        lost = {u.lower() for u in self._draft.unexplained} - _CALLED
        return [w for w in self._words[begin:] if w in lost]

    def _nearest(self, graded: Metric, fits: object) -> Dimension | None:
        assert callable(fits)
        things = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
        told = [
            d
            for d in self._names.model.dimensions
            if d.type in things and fits(d.label) and self._names.model.reaches(graded, d)
        ]
        own = [d for d in told if d.at(graded.table or "") is not None]
        return next(iter(own or told), None)

    def _asks_day(self, begin: int) -> bool:
        return bool({*self._words[begin:]} & (_DAY | _CALLED))

    def _own_day(self, graded: Metric) -> Dimension | None:
        """The date that is ranked by, which is told as the value already."""
        column = self._names.column_of(graded)
        return column if column is not None and column.type is DimensionType.TIME else None

    def _key(self, table: str) -> list[Dimension]:
        key = self._names.model.table(table).key
        found = [self._names.at(table, c) for c in key] if len(key) == 1 else []
        return [d for d in found if d is not None]

    def _reference(self, graded: Metric, descending: bool) -> str:
        """The value of the one row: an end of the column, where its metric would be taken over several."""
        column = self._names.column_of(graded)
        if column is None or graded.table is None or graded.aggregation in _ENDS or self._key(graded.table):
            return graded.name
        how = Aggregation.MAX if descending else Aggregation.MIN
        return f"{how}({graded.table}.{column.at(graded.table)})"
