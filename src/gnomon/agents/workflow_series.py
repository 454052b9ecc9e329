"""How questions about a series are handed to the analytics tools: anomalies, forecast, what drove a change."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from gnomon.agents.telling_periods import period_end, period_start
from gnomon.agents.workflow_builder import WorkflowBuilder, asked
from gnomon.agents.workflow_scope import Scope, chosen_grain, reachable, whole_days
from gnomon.agents.workflow_shapes import outliers
from gnomon.core.errors import OutOfScope
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Request
from gnomon.core.studies import Outliers, Outlook
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_periods import previous_period
from gnomon.semantic.query import RetrievalQuery

Taken = tuple["TimeGranularity | None", tuple[str, ...]]
DRIVERS_LOOKED_AT = 4
_FEW_GROUPS = 60
_ENOUGH_DAYS = 60
_DAYS_FORECAST = 92
_DEFAULT_HORIZON = {
    TimeGranularity.HOUR: 24,
    TimeGranularity.DAY: 14,
    TimeGranularity.WEEK: 8,
    TimeGranularity.MONTH: 3,
    TimeGranularity.QUARTER: 4,
    TimeGranularity.YEAR: 2,
    TimeGranularity.DECADE: 1,
}


def _query(request: Request, **changes: Any) -> RetrievalQuery:
    return asked(request, metrics=request.metrics[:1], **({"dimensions": ()} | changes))


def whole_periods(scope: Scope, grain: TimeGranularity, asked: TimeRange | None) -> TimeRange | None:
    """The days that are covered by whole periods, within those that were asked for."""
    if scope.coverage is None:
        return asked
    first, last = scope.coverage if grain is TimeGranularity.HOUR else whole_days(scope) or scope.coverage
    if asked is not None:
        first, last = max(first, asked.start), min(last, asked.end)
    start = period_start(first, grain)
    start = start if start >= first else period_end(first, grain) + timedelta(days=1)
    end = period_end(last, grain)
    end = end if end <= last else period_start(last, grain) - timedelta(days=1)
    return TimeRange(start=start, end=end, granularity=grain) if start <= end else None


def _needs_metric(request: Request) -> None:
    if not request.metrics:
        raise OutOfScope("The question names nothing that could be measured along time.")


def anomaly(b: WorkflowBuilder, request: Request, scope: Scope) -> Taken:
    """Values of a series far from the rest of it, or values of rows."""
    _needs_metric(request)
    if isinstance(request.study, Outliers):
        return outliers(b, request, request.study)
    grain = request.grain or _watchable(request, scope)
    main = b.retrieve(
        "main", _query(request, grain=grain, time_range=whole_periods(scope, grain, request.time_range))
    )
    b.calculate(
        "anomalies",
        "anomaly_zscore",
        f"values of {request.metrics[0]} far from the rest",
        {"data": main},
        value=request.metrics[0],
        time="period",
    )
    return grain, ()


def _watchable(request: Request, scope: Scope) -> TimeGranularity:
    """Days where there are enough of them, else what reads best."""
    finest = scope.time.grain if scope.time is not None else None
    days = request.time_range.days if request.time_range is not None else _ENOUGH_DAYS
    if finest in (None, TimeGranularity.HOUR, TimeGranularity.DAY) and days >= _ENOUGH_DAYS // 3:
        return TimeGranularity.DAY
    return chosen_grain(request, scope)


def forecast(b: WorkflowBuilder, request: Request, scope: Scope) -> Taken:
    """The series as it may go on after its last whole period."""
    _needs_metric(request)
    grain = request.grain or _forecast_grain(request, scope)
    known = whole_periods(scope, grain, None)
    if known is None:
        raise OutOfScope(f"The data covers no whole {grain}, so there is nothing to forecast from.")
    steps = horizon(request, grain, known.end)
    main = b.retrieve("main", _query(request, grain=grain, time_range=known))
    b.calculate(
        "forecast",
        "timeseries_forecaster",
        f"forecast {request.metrics[0]}",
        {"data": main},
        value=request.metrics[0],
        time="period",
        horizon=steps,
    )
    return grain, ()


def _forecast_grain(request: Request, scope: Scope) -> TimeGranularity:
    if (unit := request.options(Outlook).unit) is not None:
        return unit
    days = request.time_range
    if days is not None and days.granularity is not TimeGranularity.DAY:
        return days.granularity
    finest = scope.time.grain if scope.time is not None else None
    daily = finest in (None, TimeGranularity.HOUR, TimeGranularity.DAY)
    if days is not None and daily and days.days <= _DAYS_FORECAST:
        return TimeGranularity.DAY  # a month would be another period than the days that were asked for
    return chosen_grain(request.model_copy(update={"time_range": None}), scope)


def horizon(request: Request, grain: TimeGranularity, end: date) -> int:
    """How many periods ahead: as asked in numbers, or up to the end of the days that were asked for."""
    asked = request.options(Outlook).horizon
    if asked is not None:
        return min(asked, 1000)
    if request.time_range is not None and request.time_range.end > end and request.time_range.end != date.max:
        unit, steps, at = OF_GRAIN[grain], 0, end
        while at < request.time_range.end and steps < 1000:
            at = unit.last_day(at + timedelta(days=1))
            steps += 1
        return steps
    return _DEFAULT_HORIZON[grain]


def cause(b: WorkflowBuilder, request: Request, scope: Scope) -> Taken:
    """A change between two periods, and the groups that it came from."""
    _needs_metric(request)
    days, other = compared_periods(request, scope)
    metric = b.model.metric(request.metrics[0])
    now = b.retrieve("main", _query(request, time_range=days))
    then = b.retrieve("previous", _query(request, time_range=other))
    b.calculate(
        "change", "calculate_change", f"change of {metric.label}", {"data": now, "other": then}, value=request.metrics[0]
    )  # fmt: skip
    fixed = {f.field for f in request.filters}
    groups = [
        d
        for d in reachable(b.model, metric)
        if d.name not in fixed and not d.personal and 1 < (d.distinct or 2) <= _FEW_GROUPS
    ]
    for d in groups[:DRIVERS_LOOKED_AT]:
        here = b.retrieve(f"now_{d.name}", _query(request, time_range=days, dimensions=(d.name,)))
        there = b.retrieve(f"before_{d.name}", _query(request, time_range=other, dimensions=(d.name,)))
        b.calculate(
            f"driver_{d.name}",
            "calculate_change",
            f"change of {metric.label} by {d.label}",
            {"data": here, "other": there},
            value=request.metrics[0],
            on=[d.name],
        )
    return None, ()


def compared_periods(request: Request, scope: Scope) -> tuple[TimeRange, TimeRange]:
    """The period in question and the one before it; the last whole month where none is named.

    A period that the data cuts short is compared with the same part of the one before.
    """
    days = request.time_range
    if days is None:
        if scope.coverage is None:
            raise OutOfScope("There are no dates, so nothing can be said about a change over time.")
        whole = whole_periods(scope, TimeGranularity.MONTH, None)
        if whole is None:
            raise OutOfScope("The data covers no whole month to compare with the one before.")
        days = TimeRange(
            start=period_start(whole.end, TimeGranularity.MONTH),
            end=whole.end,
            granularity=TimeGranularity.MONTH,
        )
    other = request.comparison.period if request.comparison is not None else None
    if other is not None and other != previous_period(days):
        return days, other
    if scope.coverage is not None and days.start <= scope.coverage[1] < days.end:
        days = days.model_copy(update={"end": scope.coverage[1]})
    return days, previous_period(days)
