"""Methods along time: where a measure heads, the steps in its level, what repeats, and what stands out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from gnomon.agents.insight.exposition import is_worse
from gnomon.agents.insight.findings import WHAT, WHY, named, size
from gnomon.agents.insight.methods import Work
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.analytics.standouts import unexpected
from gnomon.answering.words import fact_figure
from gnomon.core.answer import ResultTable
from gnomon.core.figures import PERCENT, listed, moment
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_names import as_day, in_period, in_range, period_end
from gnomon.semantic.model import Metric
from gnomon.semantic.query import RetrievalQuery
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_series import annotated_series_chart, line_chart

_STANDS_OUT = 3.5  # robust standard deviations of what weekday and recent level leave over
_MOST_STANDING = 5


def trend_of(work: Work) -> None:
    """Where the main measure is heading, tested against its scatter, and the steps in its level."""
    from gnomon.analytics import change_points, trend

    grain, days = _grain(work)
    points, query, last = _series(work, grain, days)
    metric, name = work.metric, named(work.metric.name)
    if len(points) < 8:
        work.say(WHAT, f"There are too few whole {grain}s to tell a trend in {metric.label}", [])
        return
    times, values = [p[0] for p in points], [p[1] for p in points]
    found = trend(values, times=times)
    over = TimeRange(start=times[0], end=period_end(times[-1], grain), granularity=grain)
    about: dict[str, Any] = {"metric": metric.name, "period": over, "query": query, "step": "trend"}
    if found.significant:
        slope = work.ledger.fact(f"{name}.slope", found.slope, metric.unit, **about)
        change = work.ledger.fact(f"{name}.trend.change", found.change, metric.unit, **about)
        work.say(
            WHAT,
            f"{metric.label}{work.about} has been going {'up' if found.slope > 0 else 'down'} by {size(slope)} per {grain} "
            f"{in_range(over)}, a change of {size(change)} in all, beyond what scatter explains",
            [slope, change], metric.label,
        )  # fmt: skip
        work.find(
            "trend", AnalyticalMethod.TREND_ANALYSIS, metric.name, verdict=found.direction,
            worse=is_worse(found.slope, metric.direction), words={"metric": metric.label, "grain": str(grain)},
            facts={"slope": slope, "change": change}, weight=abs(found.change),
        )  # fmt: skip
    else:
        count = work.ledger.fact(f"{name}.periods", len(values), f"{grain}s", **about)
        work.say(
            WHAT,
            f"No clear trend in {metric.label}{work.about}: {fact_figure(count)} scatter without a direction",
            [count],
            metric.label,
        )
    steps = change_points(values, times=times)
    for place, step in enumerate(sorted(steps.changes, key=lambda c: -abs(c.change))[:2], start=1):
        day = as_day(_plain_day(step.time))
        began = work.ledger.fact(f"{name}.step{place}.day", day, metric="", query=query, step="change_points")
        effect = work.ledger.fact(
            f"{name}.step{place}.change",
            step.change,
            metric.unit,
            metric=metric.name,
            query=query,
            step="change_points",
        )
        way = "up" if step.change > 0 else "down"
        work.say(
            WHY,
            f"The level stepped {way} by {size(effect)} per {grain} around {moment(day)}",
            [began, effect],
        )
        work.find(
            "step", AnalyticalMethod.TREND_ANALYSIS, metric.name, worse=is_worse(step.change, metric.direction),
            words={"metric": metric.label, "day": moment(day), "grain": str(grain)}, facts={"change": effect},
            weight=abs(step.change),
        )  # fmt: skip
    _chart_series(work, points, grain, last)


def _plain_day(value: Any) -> date:
    import pandas as pd

    return pd.Timestamp(value).date()


def _grain(work: Work) -> tuple[TimeGranularity, TimeRange]:
    """Months where there are enough of them, else weeks, else days; and the whole of the data, or the days asked for."""
    time = work.model.time_dimension(work.metric)
    finest = time.grain if time is not None and time.grain is not None else TimeGranularity.DAY
    first, last = work.coverage
    asked = work.topic.time_range
    if asked is not None and asked.days >= 90:
        first, last = max(first, asked.start), min(last, asked.end)
    span = (last - first).days + 1
    order = list(TimeGranularity)
    for grain, length in ((TimeGranularity.MONTH, 30.4), (TimeGranularity.WEEK, 7), (TimeGranularity.DAY, 1)):
        if span / length >= 12 and order.index(grain) >= order.index(finest):
            return grain, TimeRange(start=first, end=last)
    return max(finest, TimeGranularity.DAY, key=order.index), TimeRange(start=first, end=last)


def _series(
    work: Work, grain: TimeGranularity, days: TimeRange
) -> tuple[list[tuple[date, float]], str, date | None]:
    """The main measure by whole periods, the query, and the start of a last period that is not over."""
    query = RetrievalQuery(
        metrics=(work.metric.name,), grain=grain, filters=work.allowed(work.metric), time_range=days
    )
    given = work.fetch({"series": query}).get("series")
    rows = [
        (as_day(r[0]), float(r[-1]))
        for r in (given.rows if given else ())
        if r[0] is not None and isinstance(r[-1], (int, float))
    ]
    whole = [r for r in rows if r[0] >= days.start and period_end(r[0], grain) <= days.end]
    open_ = rows[-1][0] if rows and period_end(rows[-1][0], grain) > days.end else None
    return whole, given.query if given else "", open_


def _chart_series(
    work: Work, points: Sequence[tuple[date, float]], grain: TimeGranularity, open_: date | None
) -> None:
    title = work.told.statements[0].text if work.told.statements else work.metric.label
    unit = work.metric.unit
    note = [f"The {grain} that begins on {moment(open_)} is not over and is left out"] if open_ else []
    axis = Axis(work.metric.label, unit)
    work.told.charts.append(line_chart(title, points, str(grain), axis, grain=grain, notes=note))


def season_of(work: Work) -> None:
    """The pattern that repeats in the main measure: over the week, or over the year."""
    from gnomon.analytics import seasonality

    metric, name = work.metric, named(work.metric.name)
    time = work.model.time_dimension(metric)
    finest = time.grain if time is not None and time.grain is not None else TimeGranularity.DAY
    steps = list(TimeGranularity)
    if steps.index(finest) > steps.index(TimeGranularity.QUARTER):
        work.say(
            WHAT, f"{metric.label} is recorded by {finest}, so that no pattern within a year can be seen", []
        )
        return
    yearly = max(TimeGranularity.MONTH, finest, key=steps.index)
    for grain, phase in ((yearly, "year"), (TimeGranularity.DAY, "week")):
        if grain is TimeGranularity.DAY and finest not in (TimeGranularity.DAY, TimeGranularity.HOUR):
            continue
        points, query, _ = _series(work, grain, TimeRange(start=work.coverage[0], end=work.coverage[1]))
        period = {TimeGranularity.MONTH: 12, TimeGranularity.QUARTER: 4}.get(grain, 7)
        if len(points) < 2 * period:
            if phase == "year":
                work.say(
                    WHAT,
                    f"There is too little history to tell a yearly pattern in {metric.label} from single events",
                    [],
                )
            continue
        found = seasonality([p[1] for p in points[-800:]], times=[p[0] for p in points[-800:]], period=period)
        if not found.significant or found.peak is None or found.trough is None:
            work.say(
                WHAT,
                f"No evidence for a pattern over the {phase} in {metric.label}{work.about}",
                [],
                metric.label,
            )
            continue
        when = "in" if phase == "year" else "on"
        strength = work.ledger.fact(
            f"{name}.{phase}.share",
            100 * found.strength,
            PERCENT,
            metric=metric.name,
            query=query,
            step="seasonality",
        )
        work.say(
            WHAT,
            f"{metric.label}{work.about} repeats over the {phase}: {fact_figure(strength)} of its variation is that pattern, with the "
            f"high {when} {found.peak} and the low {when} {found.trough}",
            [strength], metric.label, found.peak, found.trough,
        )  # fmt: skip
        work.find(
            "pattern", AnalyticalMethod.SEASONAL_ANALYSIS, metric.name, verdict="repeats",
            words={"metric": metric.label, "peak": found.peak, "trough": found.trough, "cycle": phase}, facts={"strength": strength},
        )  # fmt: skip


# What stands out


def standing_out(work: Work, metrics: Sequence[Metric]) -> None:
    """The days (or weeks, or months) that lie far from what their weekday and the time around them let expect."""
    asked = work.topic.time_range or (None if work.topic.named else work.current)
    for metric in metrics:
        grain, points, query = _watched(work, metric)
        if len(points) < 20:
            continue
        strays = unexpected([v for _, v in points], 7 if grain is TimeGranularity.DAY else 0)
        inside = [
            (day, value, stray)
            for (day, value), stray in zip(points, strays, strict=True)
            if asked is None or (asked.start <= day and period_end(day, grain) <= asked.end)
        ]
        far = sorted((p for p in inside if abs(p[2]) > _STANDS_OUT), key=lambda p: -abs(p[2]))
        name = named(metric.name)
        about: dict[str, Any] = {"query": query, "step": "anomalies"}
        looked = work.ledger.fact(
            f"{name}.checked", len(inside), f"{grain}s", metric=metric.name, period=asked, **about
        )
        when = f" {in_range(asked)}" if asked is not None else ""
        if not inside:
            continue
        if not far:
            if metric is work.metric:
                work.say(
                    WHAT, f"Of {fact_figure(looked)} of {metric.label}{work.about}{when}, none lies far from what its neighbours let expect",
                    [looked], metric.label,
                )  # fmt: skip
            continue
        count = work.ledger.fact(
            f"{name}.anomalies", len(far), None, metric=metric.name, period=asked, **about
        )
        told = [
            work.ledger.fact(
                named(metric.name, day.isoformat()), value, metric.unit, metric=metric.name,
                period=TimeRange(start=day, end=period_end(day, grain), granularity=grain), **about,
            )
            for day, value, _ in far[:_MOST_STANDING]
        ]  # fmt: skip
        said = [
            f"{fact_figure(f)} {in_period(day, grain)} (unusually {'high' if stray > 0 else 'low'})"
            for f, (day, _, stray) in zip(told, far, strict=False)
        ]
        lead = "The farthest are" if len(far) > _MOST_STANDING else "They are" if len(far) > 1 else "It is"
        verb = "stand" if len(far) > 1 else "stands"
        text = f"{fact_figure(count)} of {fact_figure(looked)} {verb} out in {metric.label}{work.about}{when}. {lead} {listed(said)}"
        work.say(WHAT, text, [count, looked, *told], metric.label, *said)
        rows = tuple((day, value) for day, value, _ in sorted(far))
        work.told.tables.append(
            ResultTable(name=f"{metric.label} that stands out", columns=("period", metric.label), rows=rows)
        )
        if metric is work.metric:
            marks = [(day, "") for day, *_ in sorted(far)]
            title = text.partition(". ")[0]
            work.told.charts.append(
                annotated_series_chart(title, points, marks, str(grain), Axis(metric.label, metric.unit), grain=grain)
            )  # fmt: skip


def _watched(work: Work, metric: Metric) -> tuple[TimeGranularity, list[tuple[date, float]], str]:
    """A measure by its finest period from days on; a day of which nothing is recorded counts as nothing only for sums."""
    time = work.model.time_dimension(metric)
    finest = time.grain if time is not None and time.grain is not None else TimeGranularity.DAY
    grain = max(finest, TimeGranularity.DAY, key=list(TimeGranularity).index)
    days = time.coverage if time is not None and time.coverage is not None else work.coverage
    query = RetrievalQuery(
        metrics=(metric.name,), grain=grain, filters=work.allowed(metric), time_range=TimeRange(start=days[0], end=days[1])
    )  # fmt: skip
    role = f"watched_{named(metric.name)}"
    given = work.fetch({role: query}).get(role)
    rows = [
        (as_day(r[0]), float(r[-1]))
        for r in (given.rows if given else ())
        if r[0] is not None and isinstance(r[-1], (int, float))
    ]
    whole = [r for r in rows if r[0] >= days[0] and period_end(r[0], grain) <= days[1]]
    return grain, whole, given.query if given else ""
