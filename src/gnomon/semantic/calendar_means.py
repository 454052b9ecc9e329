"""How many there are per day on average: days on which nothing happened count too, and have no rows to say so."""

from __future__ import annotations

from datetime import date

from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import Additivity, Aggregation, Dimension, Metric, SemanticModel
from gnomon.semantic.scope import Key, Scope

_MONTHS = {TimeGranularity.MONTH: 1, TimeGranularity.QUARTER: 3, TimeGranularity.YEAR: 12}
_TICKING = (TimeGranularity.DAY, TimeGranularity.HOUR)


def calendar_periods(
    metric: Metric, counted: Metric, keys: list[Key], scope: Scope, model: SemanticModel
) -> tuple[int | None, str | None]:
    """By how many periods a total is divided, and what is to be said of it; none where those with rows are averaged.

    Rows that are counted are events, and a day without any had none. What is measured on some days only (a
    price, a reading) is unknown on the others, so its average stays that of the days that have rows.
    """
    grain = TimeGranularity(metric.per) if metric.per in set(TimeGranularity) else None
    plain = metric.aggregation is Aggregation.MEAN and not metric.where and not any(k.is_timed for k in keys)
    parts = scope.recurring is not None or any(f.field.startswith("@") for f in scope.filters)
    added = counted.additivity is Additivity.ADDITIVE and counted.inner is None and counted.table is not None
    if grain is None or grain is TimeGranularity.HOUR or not plain or parts or not added:
        return None, None
    time = scope.time_of(counted, counted.table or "", model)
    span = _span(time, scope) if time is not None and time.grain in _TICKING else None
    if time is None or span is None:
        return None, None
    periods = _between(grain, *span)
    known = grain is TimeGranularity.DAY and time.grain is TimeGranularity.DAY
    if known and not scope.filters and scope.time_range is None and (time.distinct or 0) >= periods:
        return None, None  # no day is missing
    if counted.aggregation is Aggregation.COUNT and counted.expression is None:
        return periods, f"The average is over all {grain}s of the calendar; those without rows count as none."
    whole = known and (time.distinct or 0) >= (_days(time) or periods)
    day = grain is TimeGranularity.DAY
    return None, f"The average is over the {grain}s that have rows." if day and not whole else None


def _days(time: Dimension) -> int | None:
    """How many days of the calendar the data spans."""
    return (time.coverage[1] - time.coverage[0]).days + 1 if time.coverage is not None else None


def _span(time: Dimension, scope: Scope) -> tuple[date, date] | None:
    """The days of the data, within those that were asked for."""
    if time.coverage is None:
        return None
    first, last = time.coverage
    if scope.time_range is not None:
        first, last = max(first, scope.time_range.start), min(last, scope.time_range.end)
    return (first, last) if first <= last else None


def _between(grain: TimeGranularity, first: date, last: date) -> int:
    """How many periods of the calendar the days lie in."""
    if grain in _MONTHS:
        months = [d.year * 12 + d.month - 1 for d in (first, last)]
        return months[1] // _MONTHS[grain] - months[0] // _MONTHS[grain] + 1
    days = (last - first).days
    return (days + first.weekday()) // 7 + 1 if grain is TimeGranularity.WEEK else days + 1
