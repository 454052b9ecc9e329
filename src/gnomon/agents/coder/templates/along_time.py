"""Measures along time: trend, season, level changes, forecasts, and one period against the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon.agents.coder.record import Section
from gnomon.agents.coder.templates.desk import Desk, Draft, Series, attempted, period_end
from gnomon.agents.coder.templates.drawing import Axis, axis, band_chart, bar_chart, line_chart
from gnomon.analytics import change_points, forecast, seasonality, trend
from gnomon.analytics.relative import percent_change
from gnomon.analytics.significance import ChangeVerdict, change_test
from gnomon.answering.words import is_plural, labelled
from gnomon.core.errors import CalculationError, InvalidInput
from gnomon.core.figures import group_name, listed, told_apart
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.query import RetrievalQuery

MOST_METRICS = 3
LEAST_PERIODS = 8
_AHEAD = {
    TimeGranularity.HOUR: 24,
    TimeGranularity.DAY: 14,
    TimeGranularity.WEEK: 8,
    TimeGranularity.MONTH: 6,
    TimeGranularity.QUARTER: 4,
    TimeGranularity.YEAR: 3,
}


def _timed(
    draft: Draft, desk: Desk, work: Callable[[TimeGranularity], None], what: str, least: int = 24
) -> Section:
    """A section that needs dates; without them it says so."""
    grain = desk.grain(least)
    if desk.time is None or grain is None:
        draft.refuse(f"{what} needs a column with dates, and the table has none.")
        return draft.section()
    return attempted(draft, lambda: work(grain), what)


def _chosen(desk: Desk) -> list[Metric]:
    return desk.metrics(MOST_METRICS)


def _whole(series: Series) -> tuple[list[float], list[object]]:
    pairs = [(v, t) for v, t in zip(series.values, series.times, strict=True) if v is not None]
    if len(pairs) < LEAST_PERIODS:
        raise CalculationError(
            f"{series.metric.label} has only {len(pairs)} whole {series.grain}s, and at least {LEAST_PERIODS} are needed."
        )
    return [v for v, _ in pairs], [t for _, t in pairs]


def trends(desk: Desk) -> Section:
    """Whether each measure has a direction, and how much it changed along it."""
    draft = Draft("Trend", "trend")

    def work(grain: TimeGranularity) -> None:
        for metric in _chosen(desk):
            _trend(desk, draft, metric, grain)

    return _timed(draft, desk, work, "A trend")


def _trend(desk: Desk, draft: Draft, metric: Metric, grain: TimeGranularity) -> None:
    series = desk.series(metric, grain)
    values, times = _whole(series)
    season = _season(grain, len(values))
    found = trend(values, times=times, season=season)
    code = desk.note(
        f"trend of {metric.label}",
        f"trend(values, times=times, season={season}) of {metric.label} by {grain}",
    )
    count = draft.fact(f"{metric.label} periods", found.count, query=code)
    many = is_plural(metric.label)
    way = {"up": "rise", "down": "fall"}.get(found.direction, "")
    way = way if many else f"{way}s"
    if not found.significant:
        draft.say(f"Over {count} {grain}s, {metric.label} {'have' if many else 'has'} no direction that stands out from chance.")  # fmt: skip
    else:
        slope = draft.fact(f"{metric.label} slope", found.slope, metric.unit, query=code, metric=metric.name)
        change = draft.fact(f"{metric.label} change along the trend", found.change, metric.unit, query=code)
        draft.say(
            f"Over {count} {grain}s, {metric.label} {way}: typically {slope} from one {grain} to the next, {change} in all."
        )
    first = draft.fact(f"{metric.label} first {grain}", values[0], metric.unit, query=series.query)
    last = draft.fact(f"{metric.label} last {grain}", values[-1], metric.unit, query=series.query)
    draft.say(f"The first whole {grain} has {first}, the last {last}.")
    shown = way if found.direction in ("up", "down") else f"{'show' if many else 'shows'} no clear direction"
    rows = list(zip(times, values, strict=True))
    draft.table(f"{metric.label} by {grain}", [str(grain), metric.label], rows)
    draft.chart(line_chart(f"{capital(metric.label)} {shown}", rows, str(grain), axis(metric), grain=grain))


def seasons(desk: Desk) -> Section:
    """Whether each measure has a pattern that repeats."""
    draft = Draft("Season", "season")

    def work(_: TimeGranularity) -> None:
        fine = desk.grain(finest=True)
        assert fine is not None
        for metric in _chosen(desk)[:2]:
            series = desk.series(metric, fine)
            values, times = _whole(series)
            found = seasonality(values, times=times)
            code = desk.note(
                f"season of {metric.label}", f"seasonality(values, times=times) of {metric.label} by {fine}"
            )
            if not found.significant or found.period is None:
                count = draft.fact(f"{metric.label} {fine}s", len(values), query=code)
                have = "have" if is_plural(metric.label) else "has"
                draft.say(
                    f"Over {count} {fine}s, {metric.label} {have} no pattern that repeats beyond chance."
                )
                continue
            length = draft.fact(f"{metric.label} season length", found.period, query=code)
            again = "repeat themselves" if is_plural(metric.label) else "repeats itself"
            draft.say(f"{capital(metric.label)} {again} every {length} {fine}s.")
            title = f"Pattern of {metric.label}"
            if found.peak is not None and found.trough is not None:
                peak = draft.fact(f"{metric.label} peak", found.peak, query=code)
                trough = draft.fact(f"{metric.label} trough", found.trough, query=code)
                many = is_plural(metric.label)
                draft.say(f"{'They are' if many else 'It is'} highest for {peak} and lowest for {trough}.")
                title = draft.filled(f"{capital(metric.label)} {'are' if many else 'is'} highest for {peak}")
            rows = [(p.label, p.offset, p.count) for p in found.profile]
            draft.table(f"pattern of {metric.label}", ["phase", "away from the mean", "values"], rows)
            draft.chart(
                bar_chart(
                    title,
                    [(p.label, p.offset) for p in found.profile],
                    "phase",
                    Axis(f"{metric.label} away from its mean", metric.unit),
                )
            )

    return _timed(draft, desk, work, "A season")


def level_changes(desk: Desk) -> Section:
    """When a measure moved to another level and stayed there."""
    draft = Draft("Changes of level", "levels")

    def work(grain: TimeGranularity) -> None:
        for metric in _chosen(desk)[:2]:
            series = desk.series(metric, grain)
            values, times = _whole(series)
            season = _season(grain, len(values))
            found = change_points(values, times=times, season=season)
            code = desk.note(
                f"level changes of {metric.label}",
                f"change_points(values, times=times, season={season}) of {metric.label} by {grain}",
            )
            count = draft.fact(f"{metric.label} changes of level", len(found.changes), query=code)
            if not found.changes:
                kept = "keep their level" if is_plural(metric.label) else "keeps its level"
                draft.say(f"{capital(metric.label)} by {grain} {kept} throughout.")
                continue
            times_said = "once" if len(found.changes) == 1 else f"{count} times"
            draft.say(f"{capital(metric.label)} by {grain} changes its level {times_said}.")
            for change in sorted(found.changes, key=lambda c: -abs(c.change))[:1]:
                at = draft.fact(f"{metric.label} largest change at", change.time, query=code)
                before = draft.fact(f"{metric.label} level before", change.before, metric.unit, query=code)
                after = draft.fact(f"{metric.label} level after", change.after, metric.unit, query=code)
                draft.say(f"The largest is at {at}, from {before} to {after} on average.")
            rows = [(c.time, c.before, c.after, c.change) for c in found.changes]
            draft.table(f"levels of {metric.label}", ["from", "before", "after", "change"], rows)

    return _timed(draft, desk, work, "A change of level")


def outlook(desk: Desk) -> Section:
    """What comes next, how sure that is, and how good it was in the past."""
    draft = Draft("Forecast", "forecast")

    def work(grain: TimeGranularity) -> None:
        for metric in _chosen(desk)[:2]:
            series = desk.series(metric, grain)
            values, times = _whole(series)
            ahead = min(_AHEAD[grain], max(1, len(values) // 4))
            found = forecast(values, times=times, horizon=ahead)
            code = desk.note(
                f"forecast of {metric.label}",
                f"forecast(values, times=times, horizon={ahead}) of {metric.label} by {grain}",
            )
            points = found.points
            first, last = points[0], points[-1]
            steps = draft.fact(f"{metric.label} periods ahead", len(points), query=code)
            value = draft.fact(
                f"{metric.label} next", first.value, metric.unit, query=code, metric=metric.name
            )
            low = draft.fact(f"{metric.label} next low", first.lower, metric.unit, query=code)
            high = draft.fact(f"{metric.label} next high", first.upper, metric.unit, query=code)
            sure = draft.fact(f"{metric.label} confidence", found.confidence, "fraction", query=code)
            draft.say(
                f"The next {grain} of {metric.label} is expected at {value}, between {low} and {high} with {sure} confidence."
            )
            end = draft.fact(f"{metric.label} last forecast", last.value, metric.unit, query=code)
            draft.say(f"The forecast of {steps} {grain}s ends at {end}.")
            model = draft.fact(f"{metric.label} model", found.model, query=code)
            error = draft.fact(f"{metric.label} past error", found.accuracy.mae, metric.unit, query=code)
            naive = draft.fact(
                f"{metric.label} past error of baseline", found.baseline_accuracy.mae, metric.unit, query=code
            )
            draft.say(
                f"It was made by {model}. Tested on the past, forecasts chosen this way were off by {error} on average, and "
                f"those of the simplest rule by {naive}."
            )
            if found.accuracy.mae >= found.baseline_accuracy.mae:
                draft.say("So it tells no more than the simplest rule does.")
            rows = [(t, v, None, None, "so far") for t, v in zip(times, values, strict=True)]
            rows += [(p.time, p.value, p.lower, p.upper, "forecast") for p in points]
            draft.table(
                f"forecast of {metric.label}",
                [str(grain), "forecast", "low", "high"],
                [(p.time, p.value, p.lower, p.upper) for p in points],
            )
            draft.chart(
                band_chart(
                    draft.filled(f"{capital(metric.label)} is expected at {value} in the next {grain}"),
                    rows,
                    str(grain),
                    axis(metric),
                )
            )

    return _timed(draft, desk, work, "A forecast")


def latest_against_before(desk: Desk) -> Section:
    """The last whole period against the one before it."""
    draft = Draft("The last period against the one before", "change")

    def work(_: TimeGranularity) -> None:
        grain = _compared(desk)
        rows: list[tuple[object, ...]] = []
        units: list[str | None] = []
        judged: dict[str, bool | None] = {}
        for metric in desk.metrics(5):
            series = desk.series(metric, grain)
            pairs = [(t, v) for t, v in zip(series.times, series.values, strict=True) if v is not None]
            if len(pairs) < 2:
                continue
            (start, before), (at, after) = pairs[-2], pairs[-1]
            now = _period(at, grain)
            old = draft.fact(
                f"{metric.label} before",
                before,
                metric.unit,
                query=series.query,
                metric=metric.name,
                period=_period(start, grain),
            )
            new = draft.fact(
                f"{metric.label} last", after, metric.unit, query=series.query, metric=metric.name, period=now
            )
            if not rows:
                begins = draft.fact("last period from", at)
                ends = draft.fact("last period to", period_end(at, grain))
                draft.say(f"The last whole {grain} goes from {begins} to {ends}.")
            scale, unit = told_apart(metric.unit) or (0, metric.unit)
            if after == before:
                draft.say(f"{capital(metric.label)} stayed at {new}.")
            else:
                way = "rose" if after > before else "fell"
                size = draft.fact(
                    f"{metric.label} difference",
                    abs(after - before) * (scale or 1),
                    unit,
                    query=series.query,
                )
                rate = ""
                if before > 0 and after >= 0 and not scale:
                    share = draft.fact(
                        f"{metric.label} relative difference",
                        abs(after - before) / abs(before),
                        "fraction",
                        query=series.query,
                    )
                    rate = f" ({share})"
                draft.say(f"{capital(metric.label)} {way} from {old} to {new}, by {size}{rate}.")
            percent = None if scale else percent_change(before, after)
            relative = None if percent is None else percent / 100
            rows.append((metric.label, before, after, (after - before) * (scale or 1), unit, relative))
            units.append(metric.unit)
            judged[metric.label] = _is_unusual(desk, metric, _period(start, grain), now)
        if not rows:
            raise CalculationError(f"There are not two whole {grain}s with values.")
        _tell_usual(draft, judged)
        draft.table(
            "the last period against the one before",
            ["measure", "before", "last", "difference", "difference in", "relative"],
            rows,
            rates=["relative"],
            units=units,
        )

    return _timed(draft, desk, work, "A comparison of periods")


def _is_unusual(desk: Desk, metric: Metric, before: TimeRange, last: TimeRange) -> bool | None:
    """Whether a measure moved more than its days let expect; None where they cannot tell."""
    time = desk.time
    if time is None or time.grain not in (None, TimeGranularity.DAY, TimeGranularity.HOUR):
        return None
    days = desk.series(metric, TimeGranularity.DAY)
    held = [(t, v) for t, v in zip(days.times, days.values, strict=True) if v is not None]
    adds = metric.aggregation in (Aggregation.SUM, Aggregation.COUNT)
    try:
        tested = change_test([t for t, _ in held], [v for _, v in held], last, before, mean=not adds)
    except (CalculationError, InvalidInput):
        return None
    return None if tested.verdict is ChangeVerdict.UNTESTED else tested.verdict is ChangeVerdict.UNUSUAL


def _tell_usual(draft: Draft, judged: dict[str, bool | None]) -> None:
    """Which measures moved beyond what they do anyway."""
    beyond = [m for m, unusual in judged.items() if unusual]
    usual = [m for m, unusual in judged.items() if unusual is False]
    if beyond:
        draft.say(f"Beyond normal variation: {draft.fact('moved beyond normal variation', listed(beyond))}.")
    if usual:
        draft.say(
            f"No more than normal variation: {draft.fact('moved within normal variation', listed(usual))}."
        )


def groups_that_moved(desk: Desk) -> Section:
    """Which groups the difference between the last two periods comes from."""
    draft = Draft("Where the difference comes from", "movers")

    def work(_: TimeGranularity) -> None:
        grain = _compared(desk)
        added = [m for m in desk.metrics(5) if m.aggregation in (Aggregation.SUM, Aggregation.COUNT)]
        groups = [d for d in desk.dimensions(4) if d.type is not DimensionType.BOOLEAN][:3]
        if not added or not groups:
            draft.refuse("There is no measure that adds up, or no column that parts the rows into groups.")
            return
        series = desk.series(added[0], grain)
        if len(series.times) < 2:
            raise CalculationError(f"There are not two whole {grain}s.")
        before, last = _period(series.times[-2], grain), _period(series.times[-1], grain)
        metric = next((m for m in added if _is_unusual(desk, m, before, last)), added[0])
        for by in groups:
            _movers(desk, draft, metric, by, before, last)

    return _timed(draft, desk, work, "A comparison of groups")


def _movers(
    desk: Desk, draft: Draft, metric: Metric, by: Dimension, before: TimeRange, last: TimeRange
) -> None:
    def of(period: TimeRange) -> tuple[dict[Any, float], str]:
        time = desk.time
        query = RetrievalQuery(
            metrics=(metric.name,),
            dimensions=(by.name,),
            time_range=period,
            time_dimension=time.name if time else None,
        )
        got = desk.retrieve(f"{metric.label} by {by.label}", query)
        return {r[0]: float(r[1] or 0) for r in got.rows if r[0] is not None}, got.query

    (old, _), (new, query) = of(before), of(last)
    moved = {g: new.get(g, 0.0) - old.get(g, 0.0) for g in {*old, *new}}
    ordered = sorted(moved, key=lambda g: (-abs(moved[g]), str(g)))
    if not ordered or not moved[ordered[0]]:
        groups = draft.fact(f"{by.label} groups", len(ordered), query=query)
        draft.say(f"By {by.label}, none of {groups} groups moved.")
        return
    top = ordered[0]
    way = "rose" if moved[top] > 0 else "fell"
    name = draft.fact(f"{by.label} that moved most", labelled(top, by.label), query=query)
    size = draft.fact(f"{by.label} largest difference", abs(moved[top]), metric.unit, query=query)
    draft.say(f"By {by.label}, no group moved more than {name}: its {metric.label} {way} by {size}.")
    rows = [(group_name(g), old.get(g, 0.0), new.get(g, 0.0), moved[g]) for g in ordered]
    draft.table(f"{metric.label} by {by.label}", [by.label, "before", "last", "difference"], rows)
    title = draft.filled(f"By {by.label}, no group moved more than {name}")
    moves = Axis(f"difference in {metric.label}", metric.unit)
    draft.chart(bar_chart(title, [(group_name(g), moved[g]) for g in ordered], by.label, moves))


def _compared(desk: Desk) -> TimeGranularity:
    """The longest usual period of which the data has four."""
    return desk.grain(4) or TimeGranularity.DAY


def _period(start: object, grain: TimeGranularity) -> TimeRange:
    from datetime import date, datetime

    assert isinstance(start, date)
    first = start.date() if isinstance(start, datetime) else start
    return TimeRange(start=first, end=period_end(start, grain), granularity=grain)


def _season(grain: TimeGranularity, count: int) -> int | None:
    """Steps of the usual season, where the series has seen it often enough to take it out first."""
    return 12 if grain is TimeGranularity.MONTH and count >= 36 else None


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]
