"""The second gate: what a request asks for, held against what the data has and which days it covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from gnomon.agents.figures import listed, moment
from gnomon.agents.telling_periods import as_day, covered, in_range, range_name
from gnomon.agents.telling_words import cased, is_plural
from gnomon.core.errors import NotFound
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Filter, QuestionKind, Request
from gnomon.core.studies import Outliers
from gnomon.semantic.model import Dimension, DimensionType, Metric, SemanticModel, plural
from gnomon.semantic.row_values import table_of_rows

GRAINS = tuple(TimeGranularity)
_PERIODS_SHOWN = 40
_LENGTHS = {
    TimeGranularity.DAY: 1,
    TimeGranularity.WEEK: 7,
    TimeGranularity.MONTH: 30.4,
    TimeGranularity.QUARTER: 91,
}
_ALONG_TIME = (QuestionKind.TREND, QuestionKind.FORECAST, QuestionKind.ANOMALY)


@dataclass(frozen=True)
class Scope:
    """What the gate found: why not, or what to say besides and the days that this names; what time there is."""

    reason: str | None = None
    caveats: tuple[str, ...] = ()
    told: tuple[date, ...] = ()
    time: Dimension | None = None
    coverage: tuple[date, date] | None = None
    comparable: bool = True


def scope_of(request: Request, model: SemanticModel) -> Scope:
    """Whether the data can answer ``request``, and what limits the answer."""
    try:
        metrics = [model.metric(m) for m in _measured(request, model)]
        if own := next((m for m in metrics if m.name in request.dimensions), None):
            return Scope(f"{cased(own.label)} cannot be broken down by itself.")
        for name in _dimension_names(request):
            if reason := _unreachable(model, metrics, model.dimension(name)):
                return Scope(reason)
        for condition in (f for f in _conditions(request) if f.having):
            model.metric(condition.field)
        time = _time_dimension(request, model, metrics)
    except NotFound as e:
        return Scope(e.message)
    days = covered(time.coverage, time.grain) if time is not None and time.coverage is not None else None
    if reason := _no_time(request, metrics, time):
        return Scope(reason)
    asked = None if request.kind is QuestionKind.FORECAST else request.time_range
    subject = _subject(model, metrics, time)
    if reason := _outside(asked, days, subject) or _between(asked, time, subject):
        return Scope(reason, time=time, coverage=days)
    caveats = _partly(request, days, subject) + _within(request, time)
    named = tuple(day for day in days or () if any(moment(day) in c for c in caveats))
    return Scope(None, tuple(caveats), named, time, days, _comparable(request, days))


def _measured(request: Request, model: SemanticModel) -> tuple[str, ...]:
    """The metrics of a request; of one that relates columns, the rows that it looks at."""
    table = table_of_rows(model, request.columns) if request.columns else None
    return request.metrics if table is None else (*request.metrics, f"count({table})")


def _conditions(request: Request) -> tuple[Filter, ...]:
    return (*request.filters, *request.part)


def _dimension_names(request: Request) -> list[str]:
    named = [*request.dimensions, *([request.limit_per] if request.limit_per else [])]
    named += [f.field for f in _conditions(request) if not f.having]
    named += [f.by for f in _conditions(request) if f.by]
    return list(dict.fromkeys(named))


def _unreachable(model: SemanticModel, metrics: list[Metric], dimension: Dimension) -> str | None:
    for metric in metrics:
        if not model.reaches(metric, dimension):
            can = reachable(model, metric)
            other = f"; it can be by {listed([d.label for d in can[:5]])}" if can else ""
            return f"{cased(metric.label)} cannot be broken down by {dimension.label}{other}."
    return None


def reachable(model: SemanticModel, metric: Metric) -> list[Dimension]:
    """The categories that a metric can be broken down by, those with few values first."""
    groups = [d for d in model.dimensions if d.type is DimensionType.CATEGORY and model.reaches(metric, d)]
    return sorted(groups, key=lambda d: (d.distinct or 10**9, d.name))


def _time_dimension(request: Request, model: SemanticModel, metrics: Iterable[Metric]) -> Dimension | None:
    if request.time_dimension is not None:
        return model.dimension(request.time_dimension)
    found = [t for m in metrics if (t := model.time_dimension(m)) is not None]
    return next((t for t in found if t.coverage is not None), found[0] if found else None)


_SHORTEST = {TimeGranularity.MONTH: 27, TimeGranularity.QUARTER: 89, TimeGranularity.YEAR: 358}
_PART_GRAINS = {
    "minute": TimeGranularity.HOUR,
    "hour": TimeGranularity.HOUR,
    "weekday": TimeGranularity.DAY,
    "month": TimeGranularity.MONTH,
    "quarter": TimeGranularity.QUARTER,
}


def _no_time(request: Request, metrics: list[Metric], time: Dimension | None) -> str | None:
    rows = isinstance(request.study, Outliers)
    along = request.grain is not None or (request.kind in _ALONG_TIME and not rows)
    along |= any(m.per in set(TimeGranularity) for m in metrics)  # "how many days have more than …"
    if (
        time is None
        and metrics
        and (request.time_range is not None or along or request.recurring is not None)
    ):
        when = f"in {range_name(request.time_range)}" if request.time_range else "over time"
        return f"There are no dates for {metrics[0].label}, so nothing can be said about it {when}."
    if time is None or time.grain is None:
        return None
    parts = [d[1:] for d in request.dimensions if d.startswith("@")]
    parts += [request.recurring[0]] if request.recurring is not None else []
    asked = [g for g in (request.grain, *(_PART_GRAINS.get(p) for p in parts)) if g is not None]
    asked += [TimeGranularity(m.per) for m in metrics if m.per in set(TimeGranularity)]
    ahead = request.time_range.granularity if request.time_range is not None else None
    if request.kind is QuestionKind.FORECAST and ahead not in (None, TimeGranularity.DAY):
        asked.append(ahead)
    finest = min(asked, key=GRAINS.index, default=None)
    if finest is not None and GRAINS.index(finest) < GRAINS.index(time.grain):
        return f"The data is recorded by {time.grain}, so there is nothing by {finest}."
    if request.time_range is not None and request.time_range.days < _SHORTEST.get(time.grain, 0):
        return (
            f"The data is recorded by {time.grain}, so there is nothing {in_range(request.time_range)} alone."
        )
    return None


def _subject(model: SemanticModel, metrics: list[Metric], time: Dimension | None) -> str:
    """What the covered days are those of: the rows of a table."""
    tables = model.base_tables(metrics[0]) if metrics else ()
    table = tables[0] if tables else (time.home.table if time is not None else None)
    if table is None:
        return "the data"
    label = model.table(table).label
    return plural(label) if label != table else f"the {label} data"


def span(days: tuple[date, date]) -> str:
    """Two days as a span."""
    return f"{moment(days[0])} – {moment(days[1])}"


def _outside(asked: TimeRange | None, days: tuple[date, date] | None, subject: str) -> str | None:
    if asked is None or days is None or (asked.start <= days[1] and asked.end >= days[0]):
        return None
    verb = "cover" if is_plural(subject) else "covers"
    return f"{cased(subject)} {verb} {span(days)}; there is nothing {in_range(asked)}."


def _between(asked: TimeRange | None, time: Dimension | None, subject: str) -> str | None:
    """Why nothing can be told of a year that is missing between others."""
    if asked is None or time is None or not time.years:
        return None
    if any(asked.start.year <= year <= asked.end.year for year in time.years):
        return None
    verb = "are" if is_plural(subject) else "is"
    return f"{cased(subject)} {verb} of {listed([str(y) for y in time.years])}; there is nothing {in_range(asked)}."


def _partly(request: Request, days: tuple[date, date] | None, subject: str) -> list[str]:
    asked = request.time_range
    if days is None or asked is None or request.kind is QuestionKind.FORECAST:
        return []
    found: list[str] = []
    if asked.end > days[1] and asked.end != date.max:
        verb = "end" if is_plural(subject) else "ends"
        found.append(f"{subject} {verb} on {moment(days[1])}, within the days that were asked about")
    if asked.start < days[0] and asked.start != date.min:
        verb = "begin" if is_plural(subject) else "begins"
        found.append(f"{subject} {verb} on {moment(days[0])}, within the days that were asked about")
    other = request.comparison.period if request.comparison is not None else None
    if other is not None and found and _comparable(request, days):
        found.append("so the periods do not have the same days in the data")
    cut = other is not None and (date.min < other.start < days[0] or days[1] < other.end < date.max)
    if other is not None and cut and _comparable(request, days):
        verb = "cover" if is_plural(subject) else "covers"
        found.append(f"{subject} {verb} only a part of {range_name(other)}, which it is compared with")
    return found


def _within(request: Request, time: Dimension | None) -> list[str]:
    """What to say of a day that is asked about, alone or at an end, and that the rows begin or end in the middle of."""
    if time is None or request.grain is not None or request.kind in _ALONG_TIME:
        return []  # along time each period tells itself
    other = request.comparison.period if request.comparison is not None else None
    asked = [p for p in (request.time_range, other) if p is not None]
    cut = [d for d in time.open_days if any(d in (p.start, p.end) for p in asked)]
    last = time.coverage[1] if time.coverage is not None else None
    return [
        f"the rows {'end' if d == last else 'begin'} within {moment(d)}, so that day is not whole"
        for d in cut
    ]


def _comparable(request: Request, days: tuple[date, date] | None) -> bool:
    """Whether the period that is compared with has any day in the data."""
    other = request.comparison.period if request.comparison is not None else None
    return other is None or days is None or (other.start <= days[1] and other.end >= days[0])


def whole_days(scope: Scope) -> tuple[date, date] | None:
    """The first and the last day that are covered, without one that the rows begin or end in the middle of."""
    if scope.coverage is None or scope.time is None:
        return scope.coverage
    first, last = scope.coverage
    cut = scope.time.open_days
    whole = first + timedelta(days=first in cut), last - timedelta(days=last in cut)
    return whole if whole[0] <= whole[1] else scope.coverage


def chosen_grain(request: Request, scope: Scope) -> TimeGranularity:
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
    return TimeGranularity.YEAR
