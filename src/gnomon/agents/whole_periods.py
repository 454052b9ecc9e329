"""Periods that the data cuts short: a month that is not over has less only because days are still to come.

Such a one is not told as the lowest, and is compared with the same days of the one before, too.
"""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil

from gnomon.agents.telling_periods import is_open, period_end, period_start
from gnomon.agents.workflow_scope import Scope
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Request
from gnomon.language.time_periods import previous_period
from gnomon.semantic.model import Aggregation, Metric, SemanticModel

_GROWING = (Aggregation.SUM, Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_RANKED = (
    TimeGranularity.DAY,
    TimeGranularity.WEEK,
    TimeGranularity.MONTH,
    TimeGranularity.QUARTER,
    TimeGranularity.YEAR,
)

SAME_DAYS = "same_days"


def only_whole(
    request: Request, model: SemanticModel, scope: Scope
) -> tuple[TimeRange | None, tuple[str, ...]]:
    """The days to rank from the lowest, without periods that the data cuts short, and what to say of these."""
    asked, grain, days = request.time_range, request.grain, scope.coverage
    growing = _grows(model.metric(request.metrics[0]))
    if grain is None or grain not in _RANKED or days is None or not growing:
        return asked, ()
    if request.descending or request.recurring is not None:
        return asked, ()
    first = max(days[0], asked.start) if asked is not None else days[0]
    last = min(days[1], asked.end) if asked is not None else days[1]
    slack = _slack(scope, days)
    notes: list[str] = []
    start, end = first, last
    cut = scope.time.open_days if scope.time is not None else ()
    if first == days[0] and (first - slack > period_start(first, grain) or first in cut):
        start = period_end(first, grain) + timedelta(days=1)
        notes.append(f"the data does not hold the first {grain} in full, so it is not ranked")
    if last == days[1] and (last + slack < period_end(last, grain) or last in cut):
        end = period_start(last, grain) - timedelta(days=1)
        notes.append(f"the data does not hold the last {grain} in full, so it is not ranked")
    several = start < end and period_end(start, grain) < end
    return (
        (TimeRange(start=start, end=end, granularity=grain), tuple(notes))
        if notes and several
        else (asked, ())
    )


def _slack(scope: Scope, days: tuple[date, date]) -> timedelta:
    """How many days may lack rows at an end though the period is whole: rows that come seldom leave gaps."""
    known = scope.time.distinct if scope.time is not None else None
    gap = ((days[1] - days[0]).days + 1) / known if known else 1.0
    return timedelta(days=0 if gap < 1.1 else ceil(2 * gap))


def _grows(metric: Metric) -> bool:
    """Whether more days make it more: a total or a number, not an average."""
    return metric.formula is None and metric.inner is None and metric.aggregation in _GROWING


def earlier_part(request: Request, model: SemanticModel, scope: Scope) -> TimeRange | None:
    """The days of the earlier of two periods that match those which the data has of the later, unfinished one."""
    days, other = request.time_range, request.comparison.period if request.comparison else None
    if days is None or other is None or scope.coverage is None or request.dimensions or is_open(days):
        return None
    cut = days.start <= scope.coverage[1] < days.end and other == previous_period(days)
    if not cut or len(request.metrics) != 1 or not _grows(model.metric(request.metrics[0])):
        return None
    part = previous_period(days.model_copy(update={"end": scope.coverage[1]}))
    return part if scope.coverage[0] <= part.start == other.start else None
