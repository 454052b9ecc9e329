"""The second gate: what a request asks for, held against what the data has and which days it covers.

A period that the data cuts short has less only because days are still to come: it is not told as the lowest, and is
compared with the same days of the one before, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil

from gnomon.answering.words import is_plural
from gnomon.core import algebra as al
from gnomon.core.errors import NotFound, OutOfScope
from gnomon.core.figures import capital, listed, moment
from gnomon.core.parts import Filter, Parts, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.studies import Outliers
from gnomon.language.time_names import (
    as_day,
    covered,
    in_range,
    is_open,
    period_end,
    period_start,
    range_name,
)
from gnomon.language.time_periods import previous_period
from gnomon.semantic.asked_days import asked_days
from gnomon.semantic.model import (
    Aggregation,
    ColumnRef,
    Dimension,
    DimensionType,
    Metric,
    SemanticModel,
    plural,
)
from gnomon.semantic.provenance import queries_of
from gnomon.semantic.row_values import table_of_rows

_G = TimeGranularity
GRAINS = tuple(TimeGranularity)
SAME_DAYS = "same_days"
_PERIODS_SHOWN = 40
_LENGTHS = {_G.DAY: 1, _G.WEEK: 7, _G.MONTH: 30.4, _G.QUARTER: 91}
_ALONG_TIME = (QuestionKind.TREND, QuestionKind.FORECAST, QuestionKind.ANOMALY)
_SHORTEST = {_G.MONTH: 27, _G.QUARTER: 89, _G.YEAR: 358}
_PART_GRAINS = {
    "minute": _G.HOUR,
    "hour": _G.HOUR,
    "weekday": _G.DAY,
    "month": _G.MONTH,
    "quarter": _G.QUARTER,
}
_GROWING = (Aggregation.SUM, Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_RANKED = (_G.DAY, _G.WEEK, _G.MONTH, _G.QUARTER, _G.YEAR)
Days = tuple[date, date]


@dataclass(frozen=True)
class Scope:
    """What the gate found: why not, or what to say besides and the days that this names; what time there is."""

    reason: str | None = None
    caveats: tuple[str, ...] = ()
    told: tuple[date, ...] = ()
    time: Dimension | None = None
    coverage: Days | None = None
    comparable: bool = True


def scope_of(request: Parts, model: SemanticModel) -> Scope:
    """Whether the data can answer ``request``, and what limits the answer."""
    try:
        metrics = [model.metric(m) for m in _measured(request, model)]
        if own := next((m for m in metrics if m.name in request.dimensions), None):
            return Scope(f"{capital(own.label)} cannot be broken down by itself.")
        conditions = (*request.filters, *request.part)
        for name in _dimension_names(request, conditions):
            if reason := _unreachable(model, metrics, model.dimension(name)):
                return Scope(reason)
        for condition in (f for f in conditions if f.having):
            model.metric(condition.field)
        time = _time_dimension(request, model, metrics)
    except NotFound as e:
        return Scope(e.message)
    days = covered(time.coverage, time.grain) if time is not None and time.coverage is not None else None
    if reason := _no_time(request, metrics, time):
        return Scope(reason)
    asked = None if request.kind is QuestionKind.FORECAST else request.time_range
    subject = _subject(model, metrics, time)
    if reason := _outside(asked, days, time, subject):
        return Scope(reason, time=time, coverage=days)
    caveats = _partly(request, asked, days, subject) + _within(request, time)
    named = tuple(day for day in days or () if any(moment(day) in c for c in caveats))
    return Scope(None, tuple(caveats), named, time, days, _comparable(request, days))


@dataclass(frozen=True)
class AskedDays:
    """What limits a tree: why nothing can be told, and what to say of days that the data has not or only in part."""

    reason: str | None = None
    caveats: tuple[str, ...] = ()


def scope_of_tree(ask: al.Ask, model: SemanticModel) -> AskedDays:
    """Whether the data has the days that a tree asks about, those of its sides, figures and inner results included."""
    reasons, caveats = list[str](), dict[str, None]()
    queries = [n for n in ask.walk() if isinstance(n, al.Query)]
    sides = queries_of(ask)
    for query in queries:
        told, notes = _of_days(query.rows.where, query, model)
        caveats |= dict.fromkeys(notes)
        if told is not None and (query is sides[0] or _is_below(query, sides[0])):
            return AskedDays(told)
        caveats |= dict.fromkeys([told] if told is not None else [])
        own = [a for m in query.measures for a in m.walk() if isinstance(a, al.Aggregate)]
        for figure in own:
            told, notes = _of_days(figure.where, query, model)
            reasons += [told] if told is not None and query in sides else []
            caveats |= dict.fromkeys([*notes, *([told] if told is not None else [])])
        if own and len(reasons) == len(own):  # no figure has any day in the data
            return AskedDays(reasons[0])
    return AskedDays(None, tuple(caveats))


def _is_below(query: al.Query, side: al.Query) -> bool:
    """Whether a result is all that another one is made of."""
    inner = side.rows.query if not side.rows.also else None
    return inner is not None and (inner is query or _is_below(query, inner))


def _of_days(where: al.Node | None, query: al.Query, model: SemanticModel) -> tuple[str | None, list[str]]:
    """Why rows under a condition have nothing to tell, or what to say of the days that they are to be of."""
    caveats: list[str] = []
    for (table, column), bounds in asked_days(where).items():
        ref = ColumnRef(table=table, column=column)
        time = next((d for d in model.dimensions if ref in d.locations and d.coverage is not None), None)
        asked = bounds.days
        if time is None or time.coverage is None or asked is None:
            continue
        days, base = covered(time.coverage, time.grain), query.rows.table
        own = next((t.time_dimension for t in model.tables if t.name == base), None)
        main = own == time.name or (own is None and time.home.table == base)
        subject = _called(model, base) if main else _subject(model, [], time)
        if reason := _outside(asked, days, time, subject):
            return reason, []
        request = Parts(question="", kind=QuestionKind.VALUE, time_range=asked)
        caveats += (_partly(request, asked, days, subject) if main else []) + _within(request, time)
    return None, caveats


def _measured(request: Parts, model: SemanticModel) -> tuple[str, ...]:
    """The metrics of a request; of one that relates columns, the rows that it looks at."""
    table = table_of_rows(model, request.columns) if request.columns else None
    return request.metrics if table is None else (*request.metrics, f"count({table})")


def _dimension_names(request: Parts, conditions: Iterable[Filter]) -> list[str]:
    held = list(conditions)
    named = [*request.dimensions, *([request.limit_per] if request.limit_per else [])]
    named += [f.field for f in held if not f.having]
    return list(dict.fromkeys([*named, *(f.by for f in held if f.by)]))


def _unreachable(model: SemanticModel, metrics: list[Metric], dimension: Dimension) -> str | None:
    metric = next((m for m in metrics if not model.reaches(m, dimension)), None)
    if metric is None:
        return None
    can = reachable(model, metric)
    other = f"; it can be by {listed([d.label for d in can[:5]])}" if can else ""
    return f"{capital(metric.label)} cannot be broken down by {dimension.label}{other}."


def reachable(model: SemanticModel, metric: Metric) -> list[Dimension]:
    """The categories that a metric can be broken down by, those with few values first."""
    groups = [d for d in model.dimensions if d.type is DimensionType.CATEGORY and model.reaches(metric, d)]
    return sorted(groups, key=lambda d: (d.distinct or 10**9, d.name))


def _time_dimension(request: Parts, model: SemanticModel, metrics: Iterable[Metric]) -> Dimension | None:
    if request.time_dimension is not None:
        return model.dimension(request.time_dimension)
    found = [t for m in metrics if (t := model.time_dimension(m)) is not None]
    return next((t for t in found if t.coverage is not None), found[0] if found else None)


# Time that there is none of -------------------------------------------------------------------------------------------


def _no_time(request: Parts, metrics: list[Metric], time: Dimension | None) -> str | None:
    days, again = request.time_range, request.recurring
    per_time = [_G(m.per) for m in metrics if m.per in set(_G)]  # "how many days have more than …"
    along = request.grain is not None or bool(per_time)
    along |= request.kind in _ALONG_TIME and not isinstance(request.study, Outliers)
    if time is None and metrics and (days is not None or along or again is not None):
        when = f"in {range_name(days)}" if days else "over time"
        return f"There are no dates for {metrics[0].label}, so nothing can be said about it {when}."
    if time is None or time.grain is None:
        return None
    parts = [d[1:] for d in request.dimensions if d.startswith("@")] + (
        [again[0]] if again is not None else []
    )
    ahead = days.granularity if days is not None and request.kind is QuestionKind.FORECAST else None
    ahead = ahead if ahead is not _G.DAY else None
    asked = [g for g in (request.grain, ahead, *(_PART_GRAINS.get(p) for p in parts)) if g is not None]
    finest = min([*asked, *per_time], key=GRAINS.index, default=None)
    none = ""
    if finest is not None and GRAINS.index(finest) < GRAINS.index(time.grain):
        none = f"by {finest}"
    elif days is not None and days.days < _SHORTEST.get(time.grain, 0):
        none = f"{in_range(days)} alone"
    return f"The data is recorded by {time.grain}, so there is nothing {none}." if none else None


def _subject(model: SemanticModel, metrics: list[Metric], time: Dimension | None) -> str:
    """What the covered days are those of: the rows of a table."""
    tables = model.base_tables(metrics[0]) if metrics else ()
    table = tables[0] if tables else (time.home.table if time is not None else None)
    return "the data" if table is None else _called(model, table)


def _called(model: SemanticModel, table: str) -> str:
    label = model.table(table).label
    return plural(label) if label != table else f"the {label} data"


def span(days: Days) -> str:
    """Two days as a span."""
    return f"{moment(days[0])} – {moment(days[1])}"


def _outside(asked: TimeRange | None, days: Days | None, time: Dimension | None, subject: str) -> str | None:
    """Why nothing can be told of days that the data does not reach, or of a year that is missing between others."""
    years = time.years if time is not None else ()
    if asked is None:
        return None
    what, many = capital(subject), is_plural(subject)
    if days is not None and (asked.start > days[1] or asked.end < days[0]):
        what += f" {'cover' if many else 'covers'} {span(days)}"
    elif years and not any(asked.start.year <= year <= asked.end.year for year in years):
        what += f" {'are' if many else 'is'} of {listed([str(y) for y in years])}"
    else:
        return None
    return f"{what}; there is nothing {in_range(asked)}."


def _partly(request: Parts, asked: TimeRange | None, days: Days | None, subject: str) -> list[str]:
    """What to say of days that are asked about and that the data has only a part of."""
    if days is None or asked is None:
        return []
    s, (first, last) = "" if is_plural(subject) else "s", days
    ends = [("end", last)] if asked.end > last and asked.end != date.max else []
    ends += [("begin", first)] if asked.start < first and asked.start != date.min else []
    found = [
        f"{subject} {verb}{s} on {moment(day)}, within the days that were asked about" for verb, day in ends
    ]
    other = request.comparison.period if request.comparison is not None else None
    if other is not None and _comparable(request, days):
        found += ["so the periods do not have the same days in the data"] if found else []
        if date.min < other.start < first or last < other.end < date.max:
            found.append(f"{subject} cover{s} only a part of {range_name(other)}, which it is compared with")
    return found


def _within(request: Parts, time: Dimension | None) -> list[str]:
    """What to say of a day that is asked about, alone or at an end, and that the rows begin or end in the middle of."""
    if time is None or request.grain is not None or request.kind in _ALONG_TIME:
        return []  # along time each period tells itself
    other = request.comparison.period if request.comparison is not None else None
    asked = [p for p in (request.time_range, other) if p is not None]
    last = time.coverage[1] if time.coverage is not None else None
    cut = [d for d in time.open_days if any(d in (p.start, p.end) for p in asked)]
    verbs = [(d, "end" if d == last else "begin") for d in cut]
    return [f"the rows {verb} within {moment(d)}, so that day is not whole" for d, verb in verbs]


def _comparable(request: Parts, days: Days | None) -> bool:
    """Whether the period that is compared with has any day in the data."""
    other = request.comparison.period if request.comparison is not None else None
    return other is None or days is None or (other.start <= days[1] and other.end >= days[0])


# Periods --------------------------------------------------------------------------------------------------------------


def chosen_grain(request: Parts, scope: Scope) -> TimeGranularity:
    """The grain that was asked for, or the finest that people can still read at a glance."""
    if request.grain is not None:
        return request.grain
    start, end = scope.coverage or (date.min, date.min)
    if request.time_range is not None:
        start = max(start, request.time_range.start) if scope.coverage else request.time_range.start
        end = min(end, request.time_range.end) if scope.coverage else request.time_range.end
    days = (as_day(end) - as_day(start)).days + 1
    finest = scope.time.grain if scope.time is not None and scope.time.grain is not None else GRAINS[1]
    for grain, length in _LENGTHS.items():
        if days / length <= _PERIODS_SHOWN and GRAINS.index(grain) >= GRAINS.index(finest):
            return grain
    return _G.YEAR


def whole_days(scope: Scope) -> Days | None:
    """The first and the last day that are covered, without one that the rows begin or end in the middle of."""
    if scope.coverage is None or scope.time is None:
        return scope.coverage
    first, last = scope.coverage
    cut = scope.time.open_days
    whole = first + timedelta(days=first in cut), last - timedelta(days=last in cut)
    return whole if whole[0] <= whole[1] else scope.coverage


def whole_periods(scope: Scope, grain: TimeGranularity, asked: TimeRange | None) -> TimeRange | None:
    """The days that are covered by whole periods, within those that were asked for."""
    if scope.coverage is None:
        return asked
    first, last = scope.coverage if grain is _G.HOUR else whole_days(scope) or scope.coverage
    if asked is not None:
        first, last = max(first, asked.start), min(last, asked.end)
    start, end = period_start(first, grain), period_end(last, grain)
    start = start if start >= first else period_end(first, grain) + timedelta(days=1)
    end = end if end <= last else period_start(last, grain) - timedelta(days=1)
    return TimeRange(start=start, end=end, granularity=grain) if start <= end else None


def only_whole(
    request: Parts, model: SemanticModel, scope: Scope
) -> tuple[TimeRange | None, tuple[str, ...]]:
    """The days to rank from the lowest, without periods that the data cuts short, and what to say of these."""
    asked, grain, days = request.time_range, request.grain, scope.coverage
    growing = _grows(model.metric(request.metrics[0]))
    if grain is None or grain not in _RANKED or days is None or not growing:
        return asked, ()
    if request.descending or request.recurring is not None:
        return asked, ()
    start = max(days[0], asked.start) if asked is not None else days[0]
    end = min(days[1], asked.end) if asked is not None else days[1]
    slack, notes = _slack(scope, days), list[str]()
    cut = scope.time.open_days if scope.time is not None else ()
    if start == days[0] and (start - slack > period_start(start, grain) or start in cut):
        start = period_end(start, grain) + timedelta(days=1)
        notes.append(f"the data does not hold the first {grain} in full, so it is not ranked")
    if end == days[1] and (end + slack < period_end(end, grain) or end in cut):
        end = period_start(end, grain) - timedelta(days=1)
        notes.append(f"the data does not hold the last {grain} in full, so it is not ranked")
    several = start < end and period_end(start, grain) < end
    return (
        (TimeRange(start=start, end=end, granularity=grain), tuple(notes))
        if notes and several
        else (asked, ())
    )


def _slack(scope: Scope, days: Days) -> timedelta:
    """How many days may lack rows at an end though the period is whole: rows that come seldom leave gaps."""
    known = scope.time.distinct if scope.time is not None else None
    gap = ((days[1] - days[0]).days + 1) / known if known else 1.0
    return timedelta(days=0 if gap < 1.1 else ceil(2 * gap))


def _grows(metric: Metric) -> bool:
    """Whether more days make it more: a total or a number, not an average."""
    return metric.formula is None and metric.inner is None and metric.aggregation in _GROWING


def earlier_part(request: Parts, model: SemanticModel, scope: Scope) -> TimeRange | None:
    """The days of the earlier of two periods that match those which the data has of the later, unfinished one."""
    days, other = request.time_range, request.comparison.period if request.comparison else None
    if days is None or other is None or scope.coverage is None or request.dimensions or is_open(days):
        return None
    cut = days.start <= scope.coverage[1] < days.end and other == previous_period(days)
    if not cut or len(request.metrics) != 1 or not _grows(model.metric(request.metrics[0])):
        return None
    part = previous_period(days.model_copy(update={"end": scope.coverage[1]}))
    return part if scope.coverage[0] <= part.start == other.start else None


def compared_periods(request: Parts, scope: Scope) -> tuple[TimeRange, TimeRange]:
    """The period in question and the one before it; the last whole month where none is named.

    A period that the data cuts short is compared with the same part of the one before.
    """
    days = request.time_range
    if days is None:
        if scope.coverage is None:
            raise OutOfScope("There are no dates, so nothing can be said about a change over time.")
        whole = whole_periods(scope, _G.MONTH, None)
        if whole is None:
            raise OutOfScope("The data covers no whole month to compare with the one before.")
        days = TimeRange(start=period_start(whole.end, _G.MONTH), end=whole.end, granularity=_G.MONTH)
    other = request.comparison.period if request.comparison is not None else None
    if other is not None and other != previous_period(days):
        return days, other
    if scope.coverage is not None and days.start <= scope.coverage[1] < days.end:
        days = days.model_copy(update={"end": scope.coverage[1]})
    return days, previous_period(days)
