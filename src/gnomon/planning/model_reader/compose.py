"""What a language model said of a question becomes a draft: names looked up, words found, times and values read here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from gnomon.core.errors import NotFound
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Comparison, Filter, FilterOperator, QuestionKind, Scalar
from gnomon.embedding.relations import Relation, relate
from gnomon.language import find_quantities
from gnomon.language.time_grammar import describe_period, previous_period
from gnomon.llm import Rejected
from gnomon.planning.model_reader.account import SURE
from gnomon.planning.model_reader.names import COLUMN, METRIC, Catalogue
from gnomon.planning.model_reader.output import SaidCondition, SaidGroup, SaidMeasure, SaidPart
from gnomon.planning.model_reader.shown import ShownQuestion
from gnomon.planning.reader.draft import Doubt, Draft
from gnomon.planning.reader.lattice import Item, is_filler
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times, read_times
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.values import ValueIndex, ValueMatch

CONFIDENCE = 0.85
MOST_WORDS = 4
_K, _O = QuestionKind, FilterOperator
_NEEDS_NO_MEASURE = (_K.LIST, _K.PROFILE, _K.ANOMALY)
_NO_VALUES = (_O.IS_NULL, _O.NOT_NULL)
_CHOSEN = (_O.EQUALS, _O.NOT_EQUALS, _O.IN, _O.NOT_IN)
_SPOKEN = (DimensionType.BOOLEAN, DimensionType.NUMBER)
_MEETING = (Relation.SAME, Relation.DERIVED, Relation.KIND_OF, Relation.BROADER)
_MANY = {_O.EQUALS: _O.IN, _O.NOT_EQUALS: _O.NOT_IN}
_GRAINS = frozenset(g.value for g in TimeGranularity)
_YES = {"true": True, "yes": True, "false": False, "no": False}


class PartComposer:
    """Turns one part of a model's reading into a draft.

    Args:
        names: The names of the data.
        index: Its values.
        catalogue: How the names were shown.
        shown: How the question was shown.
        items: What the grammar finds in its words.
        today: What relative times refer to.

    Attributes:
        explained: Positions of the words that the part accounts for.
        unknown: Positions of words that were to be values, and are none.
    """

    def __init__(
        self,
        names: Names,
        index: ValueIndex,
        catalogue: Catalogue,
        shown: ShownQuestion,
        items: Sequence[Item],
        today: date,
    ) -> None:
        self._names = names
        self._model = names.model
        self._index = index
        self._catalogue = catalogue
        self._shown = shown
        self._items = items
        self._today = today
        self._known = {i for item in items for i in range(item.start, item.end)}
        self._named_by: dict[int, str] = {}
        self.explained: set[int] = set()
        self.unknown: set[int] = set()

    def draft(self, part: SaidPart) -> Draft:
        """The draft.

        Raises:
            Rejected: The model said something that does not hold; the message tells it what.
        """
        draft = Draft(self._shown.question, kind=QuestionKind(part.kind), confidence=CONFIDENCE)
        # That a single figure is wanted needs no words: what is claimed to say so says something else.
        self._words(part.kind_words, unknown=draft.kind is not _K.VALUE)
        for measure in part.measures:
            draft.add_metric(self._reference(measure))
        for group in part.groups:
            draft.add_dimension(self._group(group))
        for condition in part.conditions:
            self._condition(draft, condition)
        self._times(draft, part)
        self._rank(draft, part)
        _settle(draft)
        return draft

    def _words(self, echo: str, *, unknown: bool = True) -> list[int]:
        """Where the words stand that the model repeats; they are accounted for, ``unknown`` ones only where they may be."""
        places = self._shown.locate(echo)
        if places is None:
            raise Rejected(f"“{echo}” does not stand in the question. Repeat its words exactly.")
        alone = [i for i in places if i not in self._known and not is_filler(self._shown.words[i])]
        if len(alone) > MOST_WORDS:
            raise Rejected(f"“{echo}” says more than one thing; words that name nothing go into not_in_data.")
        self.explained.update(places if unknown else set(places) - set(alone))
        return places

    def _naming(self, echo: str, what: str) -> None:
        """The words that name a measure or a group: there are some, and unknown ones name one thing only."""
        places = self._words(echo)
        if all(is_filler(self._shown.words[i]) and i not in self._known for i in places):
            raise Rejected(f"No words of the question name {what}; leave it out if it is not asked for.")
        for i in places:
            if i not in self._known and self._named_by.setdefault(i, what) != what:
                raise Rejected(f"“{echo}” cannot name both {self._named_by[i]} and {what}.")

    def _counting(self, measure: SaidMeasure, label: str) -> None:
        """Anything can be counted, so a noun that is unknown names what is counted only where their meanings meet."""
        for i in self._words(measure.words):
            word = self._shown.words[i]
            if i in self._known or is_filler(word):
                continue
            if not any(
                r.relation in _MEETING for name in name_words(label) for r in relate(word.lower, name)
            ):
                self.explained.discard(i)

    def _named(self, shown: Any, *kinds: str) -> tuple[str, str]:
        try:
            kind, name = self._catalogue.meant(str(shown))
        except (NotFound, KeyError):
            raise Rejected(f"{shown} is not listed under the data.") from None
        if kinds and kind not in kinds:
            raise Rejected(f"{shown} cannot stand here; choose a {' or '.join(kinds)}.")
        return kind, name

    def _dimension(self, shown: Any) -> Dimension:
        return self._model.dimension(self._named(shown, COLUMN)[1])

    def _reference(self, measure: SaidMeasure) -> str:
        self._naming(measure.words, str(measure.of))
        kind, name = self._named(measure.of)
        how = Aggregation(measure.aggregation) if measure.aggregation else None
        if measure.per is not None and kind != METRIC:
            raise Rejected(f"“per” goes with a metric; {measure.of} is none.")
        if how not in (None, Aggregation.COUNT) and kind not in (METRIC, COLUMN):
            raise Rejected(f"{measure.of} can only be counted.")
        if kind == METRIC:
            reference = self._of_metric(self._model.metric(name), how, measure)
        elif kind == COLUMN:
            reference = self._of_column(self._model.dimension(name), how)
        else:
            reference = self._names.count_of_table(name).name
        if measure.divided_by is not None:
            reference = f"{reference} / {self._named(measure.divided_by, METRIC)[1]}"
        try:
            metric = self._model.metric(reference)
        except (NotFound, ValueError):
            raise Rejected(f"{measure.of} cannot be computed that way.") from None
        if metric.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT):
            self._counting(measure, name)
        return metric.name

    def _of_metric(self, metric: Metric, how: Aggregation | None, measure: SaidMeasure) -> str:
        if measure.per is not None:
            per = str(measure.per)
            group = TimeGranularity(per) if per in _GRAINS else self._dimension(measure.per)
            return self._names.per(metric, how or Aggregation.MEAN, group)
        if how is None or how is metric.aggregation:
            return metric.name
        reference = self._names.aggregated(metric, how)
        if reference == metric.name:
            raise Rejected(f"{measure.of} cannot be aggregated by {how}; leave the aggregation out.")
        return reference

    def _of_column(self, column: Dimension, how: Aggregation | None) -> str:
        number = column.type is DimensionType.NUMBER
        how = how or (Aggregation.SUM if number else Aggregation.COUNT_DISTINCT)
        if how is Aggregation.COUNT_DISTINCT:
            return self._names.count_of_dimension(column).name
        if not number and how is not Aggregation.COUNT:
            raise Rejected(f"A column of type {column.type} can only be counted.")
        return f"{how}({column.home})"

    def _group(self, group: SaidGroup) -> str:
        self._naming(group.words, str(group.column))
        if str(group.column).startswith("part:"):
            name = f"@{str(group.column).removeprefix('part:')}"
            try:
                return self._model.dimension(name).name
            except NotFound:
                raise Rejected("The data has no time column.") from None
        return self._dimension(group.column).name

    def _condition(self, draft: Draft, said: SaidCondition) -> None:
        kind, name = self._named(said.on)
        operator = FilterOperator(said.operator)
        having = kind == METRIC
        self._said_of(said, operator, None if having else self._model.dimension(name))
        if said.of_each is not None and not having:
            raise Rejected("of_each goes with a condition on a metric.")
        if having:
            values: list[Scalar] = [self._number(v) for v in said.values]
            by = self._dimension(said.of_each).name if said.of_each is not None else None
        else:
            by, values = None, self._values(draft, self._model.dimension(name), operator, said.values)
        if not values and operator not in _NO_VALUES:
            if not self.unknown and not draft.doubts:
                raise Rejected(f"The condition on {said.on} has no values.")
            return
        if operator in (_O.BETWEEN, _O.OUTSIDE) and len(values) != 2:
            raise Rejected(f"{operator} needs two values.")
        if len(values) > 1:
            operator = _MANY.get(operator, operator)
        made = Filter(field=name, operator=operator, values=tuple(values), having=having, by=by)
        (draft.part if said.is_part and draft.kind is _K.SHARE else draft.filters).append(made)

    def _said_of(self, said: SaidCondition, operator: FilterOperator, column: Dimension | None) -> None:
        """The words of a condition: a value speaks for itself, and what is no value needs words to be there at all."""
        chosen = column is not None and operator in _CHOSEN and column.type not in _SPOKEN
        places = self._words(said.words, unknown=not chosen)
        spoken = column is not None and (operator in _NO_VALUES or column.type is DimensionType.BOOLEAN)
        if spoken and all(is_filler(self._shown.words[i]) for i in places):
            raise Rejected(f"No words of the question ask for the condition on {said.on}; leave it out.")

    def _values(
        self, draft: Draft, column: Dimension, operator: FilterOperator, said: Sequence[str]
    ) -> list[Scalar]:
        if operator in _NO_VALUES:
            return []
        if column.type is DimensionType.TIME:
            raise Rejected("Times go into period or compared_with, not into a condition.")
        if column.type is DimensionType.NUMBER:
            return [self._number(v) for v in said]
        found: list[Scalar] = []
        for echo in said:
            if column.type is DimensionType.BOOLEAN and echo.strip().lower() in _YES:
                found.append(_YES[echo.strip().lower()])
                continue
            places = self._words(echo)
            if not places:
                raise Rejected("A value is empty; repeat the word or the mark that stands for it.")
            if operator is _O.CONTAINS:
                found.append(self._shown.said(places).strip("\"'“”"))
            else:
                found += self._looked_up(draft, column, places)
        return found

    def _looked_up(self, draft: Draft, column: Dimension, places: Sequence[int]) -> list[Scalar]:
        """The value of a column that the words name; none, with a note, where they name none."""
        first, last = min(places), max(places) + 1
        words = [w.lower.strip("\"'“”") for w in self._shown.words[first:last]]
        matches = [m for m in self._index.find(words) if m.end - m.start == len(words)]
        own = [m for m in matches if m.dimension == column.name]
        if not own:
            if matches:
                held = {self._catalogue.shown(COLUMN, m.dimension) for m in matches}
                raise Rejected(f"That value is one of {' or '.join(sorted(held))}.")
            self.explained.difference_update(places)
            self.unknown.update(places)
            return []
        best = [m for m in own if m.score == own[0].score]
        if len(best) > 1:
            draft.doubts.append(Doubt(self._shown.said(places), tuple(str(m.value) for m in best)))
            return []
        self._doubt_column(draft, column, best[0], matches, places)
        return [best[0].value]

    def _doubt_column(
        self, draft: Draft, column: Dimension, best: ValueMatch, matches: Sequence[ValueMatch], places: Sequence[int]
    ) -> None:  # fmt: skip
        """A value that two columns hold alike is to be asked about, unless the question names the column."""
        alike = {m.dimension for m in matches if m.score == best.score}
        named = {link.name for item in self._items for link in item.links if link.quality >= SURE}
        if len(alike) > 1 and column.name not in named:
            options = [f"{best.value} {self._model.dimension(d).label}" for d in sorted(alike)]
            draft.doubts.append(Doubt(self._shown.said(places), tuple(options)))

    def _number(self, echo: str) -> float | int:
        places = self._words(echo, unknown=False)
        text = self._shown.said(places)
        quantities = find_quantities(text.replace("$", "").replace("€", "").replace("£", ""))
        if len(quantities) != 1:
            raise Rejected(f"“{echo}” is not a number of the question.")
        value = quantities[0].value
        return int(value) if float(value).is_integer() else value

    def _times(self, draft: Draft, part: SaidPart) -> None:
        draft.grain = TimeGranularity(part.grain) if part.grain else None
        found = self._read(part.period)
        if found is not None:
            draft.time_range, draft.recurring = found.period, found.recurring
            draft.comparison = found.comparison
            draft.grain = draft.grain or found.grain
            draft.notes += found.notes
            draft.confidence = min(draft.confidence, found.confidence)
            if found.group_by_part:
                draft.add_dimension(f"@{found.group_by_part}")
        if part.compared_with:
            self._compare(draft, part.compared_with)

    def _read(self, echo: str) -> Times | None:
        if not echo.strip():
            return None
        items = self._mentions(echo)
        return read_times(Sentence(self._shown.words, items), self._today)

    def _mentions(self, echo: str) -> list[Item]:
        places = set(self._words(echo, unknown=False))
        items = [i for i in self._items if i.time is not None and places & set(range(i.start, i.end))]
        if not items:
            raise Rejected(
                f"“{echo}” cannot be read as a time; leave it out and list its words in not_in_data."
            )
        for item in items:
            self.explained.update(range(item.start, item.end))
        return items

    def _compare(self, draft: Draft, echo: str) -> None:
        mention = self._mentions(echo)[0].time
        assert mention is not None
        period = mention.period
        if period is None and draft.time_range is not None:
            period = previous_period(draft.time_range, mention.shift)
        if period is None:
            raise Rejected(f"“{echo}” names no period to compare with; say in period what is compared.")
        draft.comparison = Comparison(kind="period", period=period, label=describe_period(period))

    def _rank(self, draft: Draft, part: SaidPart) -> None:
        draft.descending = part.rank != "smallest"
        if part.limit.strip():
            only = part.limit.strip().lower() == "one" and self._shown.locate("one") is None
            limit = 1 if only else self._number(part.limit)
            if limit < 1 or limit != int(limit):
                raise Rejected("The limit is not a whole number from one on.")
            draft.limit = int(limit)
        if part.limit_per is not None:
            draft.limit_per = self._dimension(part.limit_per).name
        if part.rank is not None and draft.kind in (_K.VALUE, _K.BREAKDOWN):
            draft.kind = _K.RANKING

    def check(self, draft: Draft) -> None:
        """Whether the kind of a draft has what it needs, and each metric reaches what it is set beside.

        Raises:
            Rejected: It does not; the message tells the model what.
        """
        if not self.unknown and not draft.doubts:
            for wrong, message in _shortcomings(draft):
                if wrong:
                    raise Rejected(message)
        used = [*draft.dimensions, *_fields(draft), *([draft.limit_per] if draft.limit_per else [])]
        for reference in draft.metrics:
            metric = self._model.metric(reference)
            for name in used:
                if not self._model.reaches(metric, self._model.dimension(name)):
                    shown = name if name.startswith("@") else self._catalogue.shown(COLUMN, name)
                    raise Rejected(f"One of the measures cannot be combined with {shown}.")


def _settle(draft: Draft) -> None:
    """What a kind follows from, though the model may have called it plainer: steps, two periods, two groups."""
    if draft.kind is _K.VALUE and draft.comparison is not None:
        draft.kind = _K.COMPARISON
    if draft.kind is _K.VALUE and draft.grain is not None:
        draft.kind = _K.TREND
    if draft.kind is not _K.COMPARISON or draft.comparison is not None:
        return
    groups = next((f for f in draft.filters if f.operator is _O.IN and not f.having), None)
    if groups is not None:
        draft.add_dimension(groups.field)
        draft.comparison = Comparison(kind="group", groups=tuple(str(v) for v in groups.values))


def _fields(draft: Draft) -> Iterable[str]:
    for f in (*draft.filters, *draft.part):
        if not f.having:
            yield f.field
        if f.by is not None:
            yield f.by


def _shortcomings(draft: Draft) -> list[tuple[bool, str]]:
    kind, grouped = draft.kind, bool(draft.dimensions or draft.grain)
    return [
        (not draft.metrics and kind not in _NEEDS_NO_MEASURE, "Nothing is measured; name a measure."),
        (kind is _K.LIST and not draft.dimensions and not draft.metrics, "Name what is to be listed."),
        (kind is _K.BREAKDOWN and not grouped, "A breakdown needs a group."),
        (kind is _K.RANKING and not grouped, "A ranking needs a group: what is ranked?"),
        (draft.limit is not None and not grouped, "A limit needs a group: the first of what?"),
        (kind is _K.SHARE and not draft.dimensions and not draft.part, "A share needs its part."),
        (kind is _K.COMPARISON and draft.comparison is None, "A comparison needs two groups or two periods."),
        (kind is _K.CORRELATION and len(draft.metrics) < 2, "A correlation needs two measures."),
    ]
