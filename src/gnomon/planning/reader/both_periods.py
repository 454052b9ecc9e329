"""Things that did it in both years: those with rows in each of two periods, not those with rows in either."""

from __future__ import annotations

from datetime import timedelta

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.derived import Derived, column_in

_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


def take_both_periods(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“how many guests booked in both years”, “which guests came in both 2022 and 2023”."""
    if not _says_both(sentence):
        return
    thing, column = _thing(draft, names), _time(draft, names)
    if thing is None or draft.comparison is not None:
        return  # "sales in both years": told of each, whoever they are from
    span = _span(draft, column)
    if (
        draft.kind is QuestionKind.SHARE
        or column is None
        or span is None
        or thing.at(column.home.table) is None
    ):
        draft.unexplained.append("both")
        return
    table = column.home.table
    year = Derived(f"year of {column.label}", f"year({column_in(column.home.column)})")
    years = f"{Aggregation.COUNT_DISTINCT}({table}.{year.spelling})"
    draft.time_range, draft.other_periods, draft.grain = span, [], None
    if draft.dimensions:
        two = Filter(field=years, operator=FilterOperator.EQUALS, values=(2,), having=True, by=thing.name)
        draft.filters.append(two)
    else:
        draft.metrics, draft.kind = [f"{Aggregation.COUNT}({years} per {thing.name} = 2)"], QuestionKind.VALUE


def _says_both(sentence: Sentence) -> bool:
    """Whether “both” stands before years: the word itself, or two of them."""
    for k, word in enumerate(sentence.words):
        if word.lower != "both":
            continue
        behind = next((x for x in sentence.items if x.start > k and not x.op(Op.OF, Op.IN, Op.FILLER)), None)
        near = behind is not None and behind.start - k <= 2
        if behind is not None and near and (behind.time is not None or behind.text.lower() == "years"):
            return True
    return False


def _span(draft: Draft, column: Dimension | None) -> TimeRange | None:
    """The days of two years that follow each other; those of the data where none are named."""
    years = sorted(
        (p for p in (draft.time_range, *draft.other_periods) if p is not None), key=lambda p: p.start
    )
    if len(years) == 2:
        whole = all(p.granularity is TimeGranularity.YEAR for p in years)
        follow = years[0].end + timedelta(days=1) == years[1].start
        return TimeRange(start=years[0].start, end=years[1].end) if whole and follow else None
    covered = column.coverage if column is not None and not years else None
    if covered is None or covered[1].year - covered[0].year != 1:
        return None
    return TimeRange(start=covered[0], end=covered[1])


def _time(draft: Draft, names: Names) -> Dimension | None:
    if draft.time_dimension is not None:
        return names.model.dimension(draft.time_dimension)
    thing = _thing(draft, names)
    tables = {ref.table for ref in thing.locations} if thing is not None else set[str]()
    named = {names.model.table(t).time_dimension for t in tables} - {None}
    return names.model.dimension(named.pop() or "") if len(named) == 1 else None


def _thing(draft: Draft, names: Names) -> Dimension | None:
    """The things that are counted or listed."""
    things = [names.model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
    if not things and len(draft.metrics) == 1:
        metric = names.model.metric(draft.metrics[0])
        counted = metric.aggregation is Aggregation.COUNT_DISTINCT
        things = [d] if counted and (d := names.column_of(metric)) is not None else []
    return things[0] if len(things) == 1 and things[0].type in _THINGS else None
