"""The one row at an end: “who caught the heaviest pike, and where”, “which day had the strongest gust”.

A superlative before what one row is (a catch, a pike, a gust) means that row, not the group that has most on average.
What else is asked of it (who, where, when) is told beside.
"""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.graded_nouns import FIRST
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.named_rows import row_names, tells_apart
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.people import is_person_noun, may_be_person
from gnomon.planning.reader.ranks import Rank
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.where_things_are import is_place_noun, place_share
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_PLAIN = vocabulary(
    "highest lowest most least best worst top bottom leading largest smallest biggest greatest"
)
_MOST = frozenset({"most", "the most", "least", "the least", "fewest", "the fewest"})
_FIGURES = frozenset(
    {"average", "avg", "mean", "median", "total", "typical", "typically", "overall", "combined"}
)
_SPOTS = vocabulary(
    "spot point place one reading measurement value record case instance occasion sample event moment"
)
_RECORDED = vocabulary("ever recorded measured observed registered logged seen reached")
_BOUNDS = frozenset({"min", "max", "minimum", "maximum"})
_ONE = frozenset({"single", "individual", "one"})
_SIZES = vocabulary("largest smallest biggest greatest")
_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_GROUPED = (Op.BY, Op.EACH, Op.PER)


class RowExtreme:
    """Turns a ranking of groups by their average into the group of the row at the end, where one row is meant.

    Args:
        sentence: The items.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]

    def tell(self, draft: Draft, ranks: list[Rank]) -> None:
        """Rank by the column itself and add what “who”, “where” and “when” ask for."""
        if not ranks or (ranks[0].measure is not None and ranks[0].measure.name in draft.metrics[:1]):
            self._tell_day(draft)
        called = self._names_of_rows(draft)
        if len(ranks) != 1 or ((ranks[0].limit or 1) != 1 and not called) or ranks[0].place or ranks[0].all:
            return
        if draft.comparison is not None or self._is_grouped() or draft.limit_per:
            return
        rank = ranks[0]
        single = self._is_of_one_row(draft)
        said = self._sentence[rank.at].text.lower()
        figures = _FIGURES & set(self._words) - ({"overall"} if said in FIRST else set[str]())
        if not (single or called) and ((said in _MOST and not self._grades(rank)) or figures):
            return  # "produced the most copper": in all, not in one row; "quickest average time": of all rows
        if single:  # the rows themselves are not counted
            draft.metrics = [m for m in draft.metrics if not is_count(self._names.model.metric(m))]
        graded = self._graded(draft, rank, single=single)
        column = self._names.column_of(graded) if graded is not None else None
        if graded is None or column is None or column.type is not DimensionType.NUMBER:
            return
        companions = self._companions(graded)
        if not (single or called) and not self._is_row(rank, graded, companions):
            return
        self._add(draft, companions, graded)
        if (not draft.dimensions and draft.grain is None) or self._is_told_apart(draft, graded):
            return
        how = Aggregation.MAX if rank.descending else Aggregation.MIN
        draft.metrics = [
            f"{how}({graded.table}.{column.at(graded.table or '')})",
            *(m for m in draft.metrics if not self._is_told(m, column)),
        ]
        draft.kind, draft.limit, draft.descending = QuestionKind.RANKING, rank.limit or 1, rank.descending
        draft.doubts = [d for d in draft.doubts if " … " not in d.text]

    def _names_of_rows(self, draft: Draft) -> list[Dimension]:
        """What the rows are called, where the noun for them is what is ranked: “which boat is the longest”."""
        named = [link for x in self._sentence.items if (link := x.named(LinkKind.TABLE)) is not None]
        told = {self._names.model.metric(m).table for m in draft.metrics}
        table = named[0].name if named else next(iter(told), None) if self._words[:1] == ["who"] else None
        if table is None or not draft.dimensions or told != {table}:
            return []  # what a product brought in is told by the orders, not by its row
        called = row_names(table, self._names)
        if not named and not tells_apart(called, table, self._names):
            return []
        if not {*draft.dimensions} <= {d.name for d in called}:
            return []
        draft.dimensions = [d.name for d in called]
        return called

    def _grades(self, rank: Rank) -> bool:
        """“the most expensive”: an adjective says what there is most of."""
        following = self._sentence[rank.at + 1] if rank.at + 1 < len(self._sentence) else None
        said = following.association if following is not None and not following.links else None
        return said is not None and said.descending is not None

    def _is_told_apart(self, draft: Draft, graded: Metric) -> bool:
        """Whether each group is one row anyway, so that its average is its value."""
        key = self._names.model.table(graded.table or "").key
        held = {self._names.model.dimension(d).at(graded.table or "") for d in draft.dimensions}
        return bool(key) and set(key) <= held

    def _tell_day(self, draft: Draft) -> None:
        """“who wrote the most recent review”: whose day it is, not the last day of everybody."""
        edges = [i for i in self._sentence.find(Op.EDGE, Op.ORDINAL) if self._sentence[i].used]
        asked = [i for i in self._sentence.find(Op.WHICH, Op.THAT) if edges and i < edges[0]]
        one = len(draft.metrics) == 1 and draft.metrics[0].startswith(("min(", "max("))
        metric = self._names.model.metric(draft.metrics[0]) if one else None
        column = self._names.column_of(metric) if metric is not None else None
        if metric is None or column is None or column.type is not DimensionType.TIME or not asked:
            return
        if self._is_grouped() or self._sentence.words[self._sentence[asked[0]].start].lower == "what":
            return
        self._add(draft, [d for d in self._companions(metric) if d is not None], metric)
        if draft.dimensions and draft.grain is None:
            draft.kind, draft.limit = QuestionKind.RANKING, 1
            draft.descending = metric.aggregation is Aggregation.MAX

    def _is_told(self, reference: str, column: Dimension) -> bool:
        """“and how heavy was it”: what the row is ranked by is told anyway, and its day is told as such."""
        held = self._names.column_of(self._names.model.metric(reference))
        return held is not None and (held == column or held.type is DimensionType.TIME)

    def _is_grouped(self) -> bool:
        """Whether each of some groups is asked about; “by whom” asks for one thing more of the row."""
        marks = [self._sentence[i] for i in self._sentence.find(*_GROUPED)]
        return any(x.end >= len(self._words) or self._words[x.end] != "whom" for x in marks)

    def _is_of_one_row(self, draft: Draft) -> bool:
        """“the most honey at one visit”, “in a single trip”: one row of the table that is measured."""
        metrics = [self._names.model.metric(m) for m in draft.metrics]
        tables = {m.table for m in metrics if not is_count(m)}
        for item in self._sentence.items:
            link = item.named(LinkKind.TABLE)
            before = self._words[max(0, item.start - 3) : item.start]
            one = before[-1:] == ["one"] or before[-2:] in (
                ["a", "single"],
                ["one", "single"],
                ["any", "single"],
            )
            placed = bool({"at", "in", "on", "from", "during", "for"} & {*before[:-1]})
            if link is not None and link.name in tables and one and placed:
                return True
        return False

    def _graded(self, draft: Draft, rank: Rank, *, single: bool = False) -> Metric | None:
        """What is ranked by: a column that was not said to be averaged or added up."""
        behind = self._behind(rank)
        told = [x for x in self._sentence.items if x is not behind or not x.links]  # "peak" may be a column
        if not single and any(x.op(Op.AGGREGATE, Op.COUNT, Op.SHARE, Op.CHANGE) for x in told):
            return None
        named = self._names.measure(behind) if behind is not None and behind.links else None
        model = self._names.model
        first = model.metric(draft.metrics[0]) if draft.metrics else None
        found = (None if single else rank.measure) or named or first
        if found is None or is_count(found) or found.table is None:
            return None
        return found if found.aggregation in (Aggregation.MEAN, Aggregation.SUM) else None

    def _behind(self, rank: Rank) -> Item | None:
        """The noun that the superlative stands before, an adjective between them aside (“most expensive”)."""
        at = rank.at + 1
        said = self._sentence[rank.at]
        while at < len(self._sentence) and {*self._words[said.end : self._sentence[at].start]} <= _ONE:
            said = self._sentence[at]
            if said.association is None or said.links or said.association.descending is None:
                return said
            at += 1
        return None

    def _is_row(self, rank: Rank, graded: Metric, companions: list[Dimension | None]) -> bool:
        noun = self._behind(rank)
        if noun is None and rank.measure == graded and self._is_before_spot(rank):
            return True
        if self._is_of_persons(rank, graded, noun):
            return True
        if noun is None or _is_plural(noun.text):
            return False
        table = noun.named(LinkKind.TABLE)
        if table is not None and table.quality >= 0.85:
            return table.name == graded.table
        model = self._names.model
        held = [model.dimension(v.dimension) for v in noun.values]
        if held and not noun.links:
            return any(d.at(graded.table or "") is not None for d in held)
        measured = bool(noun.links) and self._names.measure(noun) == graded
        said = self._sentence[rank.at].text.lower()
        if measured and said in _SIZES and self._is_asked_of_it(rank):
            return True
        if not measured or graded.aggregation is not Aggregation.MEAN:
            return False
        if self._is_on_record(rank) or self._is_told_first(rank):
            return True
        return said not in _PLAIN or len(companions) > 1 or (said in _SIZES and self._asks_for_a_day())

    def _is_on_record(self, rank: Rank) -> bool:
        """“the highest peak ever recorded”: one record, not the group that has most on average."""
        behind = self._words[self._sentence[rank.at].end :]
        return bool(_RECORDED & {*behind}) or "all-time" in self._words or behind[-2:] == ["on", "record"]

    def _is_told_first(self, rank: Rank) -> bool:
        """“what is the highest peak, and at which site”: a value, and then something of the row that has it."""
        words, start = self._words, self._sentence[rank.at].start
        led = words[0] in {"what", "what's", "whats"} and {*words[1:start]} <= {"is", "was", "s", "the", "'s"}
        later = [i for i in self._sentence.find(Op.WHICH, Op.WHEN) if i > rank.at]
        return led and bool(later) and "and" in words[start : self._sentence[later[0]].start]

    def _is_asked_of_it(self, rank: Rank) -> bool:
        """“the largest bill, and which day was it”: one bill, of which something is asked."""
        behind = {*self._words[self._sentence[rank.at].end :]}
        asked = any(i > rank.at for i in self._sentence.find(Op.WHICH))
        units = any(x.op(Op.UNIT) and not x.links for x in self._sentence.items)
        return asked and not units and bool(behind & {"it", "that"})

    def _is_of_persons(self, rank: Rank, graded: Metric, noun: Item | None) -> bool:
        """“the oldest swimmer”: who was oldest in a row, not the one whose rows have the highest mean."""
        said = self._sentence[rank.at].association
        first = self._sentence[rank.at].text.lower() in FIRST
        adjective = (said is not None and said.superlative and rank.measure == graded) or first
        asked = [
            self._sentence[j]
            for w in self._sentence.find(Op.WHICH)
            if (j := self._sentence.after(w)) is not None
        ]
        things = [self._names.dimension(x, *_THINGS) for x in (noun, *asked) if x is not None and x.links]
        persons = [
            d for d in things if d is not None and is_person_noun(d.label) and not is_place_noun(d.label)
        ]
        person = bool(persons) or self._words[0] == "who"
        column = self._names.column_of(graded)
        if column is None or _BOUNDS & {*name_words(column.label)}:
            return False  # the age from which a book may be read is nobody's age
        plural = noun is not None and bool(noun.links) and _is_plural(noun.text)
        return adjective and person and not plural and graded.aggregation is Aggregation.MEAN

    def _is_before_spot(self, rank: Rank) -> bool:
        """“where was the deepest spot”: a noun that names nothing stands for the one row that was met there."""
        at = self._sentence[rank.at].end
        word = self._words[at] if at < len(self._words) else ""
        led = self._sentence[rank.at].start > 0 and self._words[self._sentence[rank.at].start - 1] == "the"
        return led and word in _SPOTS

    def _asks_for_a_day(self) -> bool:
        """“which day had the largest difference”: a day has many rows, and the largest is one of them."""
        asked = [x.operator.payload for x in self._sentence.items if x.op(Op.UNIT) and x.operator]
        return "day" in asked

    def _companions(self, graded: Metric) -> list[Dimension | None]:
        """What “who”, “where” and “when” ask for; None stands for the day."""
        found: list[Dimension | None] = []
        for word in dict.fromkeys(self._words):
            if word in {"who", "whom"}:
                found += self._nearest(graded, may_be_person)[:1]
            elif word == "where":
                places = self._nearest(graded, is_place_noun)
                found += sorted(places, key=lambda d: -place_share(d.label))[:1]
            elif word == "when":
                found.append(None)
        return found

    def _nearest(self, graded: Metric, fits: object) -> list[Dimension]:
        """The things of that sort that the rows point to themselves, else those that they lead to."""
        model, table = self._names.model, graded.table or ""
        assert callable(fits)
        told = [
            d for d in model.dimensions if d.type in _THINGS and fits(d.label) and model.reaches(graded, d)
        ]
        own = [d for d in told if d.at(table) is not None]
        return own or told

    def _add(self, draft: Draft, companions: list[Dimension | None], graded: Metric) -> None:
        for one in companions:
            if one is not None:
                draft.add_dimension(one.name)
            elif self._names.model.time_dimension(graded) is not None:
                draft.grain = draft.grain or TimeGranularity.DAY
        for i in self._sentence.find(Op.WHEN, Op.WHICH):
            if self._sentence[i].text.lower() in {"who", "whom", "where", "when"}:
                self._sentence[i].used = True
        for i in self._sentence.find(Op.BY):
            self._sentence[i].used = True


def _is_plural(text: str) -> bool:
    low = text.lower()
    return low.endswith("s") and not low.endswith("ss")
