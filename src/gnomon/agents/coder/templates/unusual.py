"""What is unusual: periods of a measure, periods of one group of it, and rows."""

from __future__ import annotations

from datetime import date
from statistics import fmean, median
from typing import Any

from gnomon.agents.coder.record import Section
from gnomon.agents.coder.templates.along_time import LEAST_PERIODS, capital
from gnomon.agents.coder.templates.desk import Desk, Draft, attempted, period_end
from gnomon.agents.coder.templates.drawing import marked_chart
from gnomon.agents.coder.templates.state import measures
from gnomon.analytics import seasonality, zscore_anomalies
from gnomon.analytics.anomalies import departure_limit, departures
from gnomon.answering.words import labelled
from gnomon.core.errors import CalculationError
from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import Aggregation, Dimension, Metric
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.wording import an

MOST_INVESTIGATED = 5_000
SECONDS = 20.0
MOST_GROUPS = 20
MOST_EPISODES = 5


def unusual_periods(desk: Desk) -> Section:
    """Periods whose value is far from what the series usually has."""
    draft = Draft("Unusual periods", "periods")

    def work() -> None:
        grain = desk.grain(60) if desk.time is not None else None
        if grain is None:
            draft.refuse("Unusual periods need a column with dates, and the table has none.")
            return
        for metric in desk.metrics(3):
            series = desk.series(metric, grain)
            pairs = [(t, v) for t, v in zip(series.times, series.values, strict=True) if v is not None]
            if len(pairs) < LEAST_PERIODS:
                raise CalculationError(f"there are only {len(pairs)} whole {grain}s with values.")
            times, values = [t for t, _ in pairs], [v for _, v in pairs]
            rest = _without_season(times, values)
            found = zscore_anomalies(rest, index=times)
            code = desk.note(
                f"unusual {grain}s of {metric.label}",
                f"zscore_anomalies(values without their season, index=times) of {metric.label} by {grain}",
            )
            count = draft.fact(f"{metric.label} unusual", len(found.anomalies), query=code)
            checked = draft.fact(f"{metric.label} checked", found.checked, query=code)
            are = "is" if len(found.anomalies) < 2 else "are"
            said = f"{count if found.anomalies else 'None'} of {checked} {grain}s of {metric.label} {are} unusual"
            draft.say(f"{said}.")
            if found.anomalies:
                worst = found.anomalies[0]
                at = draft.fact(f"{metric.label} most unusual", worst.index, query=code)
                value = draft.fact(
                    f"{metric.label} there", values[worst.position], metric.unit, query=series.query
                )
                way = "above" if worst.direction == "high" else "below"
                draft.say(f"The most unusual begins at {at}, with {value}, far {way} what is usual.")
            flagged = {a.position for a in found.anomalies}
            rows = [(t, v, i in flagged) for i, (t, v) in enumerate(pairs)]
            if found.anomalies:
                draft.table(
                    f"unusual {grain}s of {metric.label}",
                    [str(grain), metric.label, "deviations"],
                    [(a.index, values[a.position], a.score) for a in found.anomalies],
                )
            draft.chart(marked_chart(draft.filled(said), rows, grain, metric))

    return attempted(draft, work, "Unusual periods")


def unusual_groups(desk: Desk) -> Section:
    """Stretches of periods in which one group leaves what is usual for it, though the whole may not show it."""
    draft = Draft("Unusual periods of one group", "groups")

    def work() -> None:
        grain = desk.grain(60) if desk.time is not None else None
        by = desk.dimensions(1, largest=MOST_GROUPS)
        if grain is None or not by:
            draft.refuse(
                "This needs a column with dates, and one that parts the rows into a few named groups."
            )
            return
        for metric in desk.metrics(3):
            _episodes(desk, draft, metric, by[0], grain)

    return attempted(draft, work, "Unusual periods of one group")


def _episodes(desk: Desk, draft: Draft, metric: Metric, by: Dimension, grain: TimeGranularity) -> None:
    """One measure by group and period: flagged periods that follow each other are one stretch."""
    query = RetrievalQuery(
        metrics=(metric.name,),
        dimensions=(by.name,),
        grain=grain,
        time_dimension=desk.time.name if desk.time else None,
        order_by=None,
    )
    got = desk.retrieve(f"{metric.label} by {by.label} and {grain}", query)
    when = next(i for i, v in enumerate(got.rows[0]) if isinstance(v, date)) if got.rows else 0
    rows = sorted(
        ((r[1 - when], r[when], float(r[2])) for r in got.rows if None not in r),
        key=lambda r: (str(r[0]), r[1]),
    )
    last = desk.time.coverage[1] if desk.time and desk.time.coverage else None
    rows = [r for r in rows if last is None or period_end(r[1], grain) <= last]
    series = {g: [(t, v) for name, t, v in rows if name == g] for g in dict.fromkeys(r[0] for r in rows)}
    series = {g: s for g, s in series.items() if len(s) >= LEAST_PERIODS}
    if not series:
        raise CalculationError(f"no {by.label} has {LEAST_PERIODS} {grain}s with values.")
    limit = departure_limit(sum(len(s) for s in series.values()))
    found: list[tuple[float, Any, list[tuple[Any, float]], float]] = []
    for group, own in series.items():
        times, values = [t for t, _ in own], [v for _, v in own]
        scores = departures(_without_season(times, values), counts=metric.aggregation is Aggregation.COUNT)
        for stretch in _stretches([i for i, score in enumerate(scores) if score > limit]):
            worst = max(scores[i] for i in stretch)
            found.append((worst, group, [own[i] for i in stretch], median(values)))
    code = desk.note(
        f"unusual {grain}s of {metric.label} within each {by.label}",
        f"values without their season further than {limit:.2f} deviations from the middle, for each {by.label}",
    )
    checked = draft.fact(f"{metric.label} groups checked", len(series), query=code)
    if not found:
        draft.say(f"In none of {checked} groups by {by.label} has {metric.label} an unusual {grain}.")
        return
    for _, group, stretch, usual in sorted(found, key=lambda f: -f[0])[:MOST_EPISODES]:
        name = draft.fact(f"unusual {by.label}", labelled(group, by.label), query=got.query)
        begins = draft.fact("from", stretch[0][0], query=got.query)
        ends = draft.fact("to", period_end(stretch[-1][0], grain), query=got.query)
        value = draft.fact(
            f"{metric.label} then", fmean(v for _, v in stretch), metric.unit, query=code, metric=metric.name
        )
        typical = draft.fact(f"{metric.label} usually", usual, metric.unit, query=code)
        span = f"from {begins} to {ends}" if begins != ends and len(stretch) > 1 else f"at {begins}"
        mean = f" {an(grain)} on average" if len(stretch) > 1 else ""
        draft.say(f"{capital(metric.label)} of {name} was {value}{mean} {span}, where {typical} is usual.")
    listed = [
        (g, s[0][0], period_end(s[-1][0], grain), fmean(v for _, v in s), usual) for _, g, s, usual in found
    ]
    columns = [by.label, "from", "to", f"{metric.label} then", "usually"]
    draft.table(f"unusual {grain}s of {metric.label} by {by.label}", columns, listed)
    group = max(found, key=lambda f: f[0])[1]
    marked = {t for _, g, s, _ in found if g == group for t, _ in s}
    draft.chart(
        marked_chart(
            f"{capital(metric.label)} of {labelled(group, by.label)} left what is usual for it",
            [(t, v, t in marked) for t, v in series[group]],
            grain,
            metric,
        )
    )


def _stretches(positions: list[int]) -> list[list[int]]:
    """Positions that follow each other, together."""
    found: list[list[int]] = []
    for at in positions:
        if found and at == found[-1][-1] + 1:
            found[-1].append(at)
        else:
            found.append([at])
    return found


def _without_season(times: list[Any], values: list[float]) -> list[float]:
    """Values less what repeats, where something does."""
    try:
        found = seasonality(values, times=times)
    except CalculationError:
        return values
    if not found.significant or found.period is None or len(values) < 3 * found.period:
        return values
    import numpy as np

    data = np.asarray(values)
    phases = np.arange(len(data)) % found.period
    rest = data - np.array([np.median(data[phases == p]) for p in range(found.period)])[phases]
    # A phase that always varies more, such as the storms of autumn, is held to its own spread.
    spread = np.array([np.median(np.abs(rest[phases == p])) for p in range(found.period)])
    level = float(np.median(spread))
    return [float(v) for v in (rest * level / np.maximum(spread, level)[phases] if level > 0 else rest)]


def unusual_rows(desk: Desk) -> Section:
    """Rows that several detectors agree on, and whether that is more than chance."""
    draft = Draft("Unusual rows", "rows")

    def work() -> None:
        names = measures(desk.table)
        if len(names) < 2:
            draft.refuse("Unusual rows need at least two numeric measures.")
            return
        from gnomon.tools import Frame, ToolContext
        from gnomon.tools.investigation_tool import InvestigateInput, InvestigateOutput, run_investigation

        frame = desk.frame("numeric columns", names[:20], MOST_INVESTIGATED)
        given = InvestigateInput(data=Frame.of(frame), priority="speed", max_seconds=SECONDS)
        got = run_investigation(given, ToolContext())
        assert isinstance(got, InvestigateOutput)
        code = desk.note("unusual rows", f"anomaly_investigate(columns={names[:20]!r}, priority='speed')")
        rows = draft.fact("rows looked at", len(frame), query=code)
        used = draft.fact("columns", min(20, len(names)), query=code)
        if not got.significant or not got.anomaly_count:
            draft.say(f"Over {rows} rows and {used} columns, nothing stands out more than chance would give.")
            return
        count = draft.fact("unusual rows", got.anomaly_count, query=code)
        trust = draft.fact("trust", got.verdict, query=code)
        draft.say(
            f"{count} of {rows} rows stand out over {used} columns; how far this can be trusted: {trust}."
        )
        listed = [tuple(frame.iloc[a.index]) for a in got.anomalies if a.flagged]
        draft.table("unusual rows", names[:20], listed)

    return attempted(draft, work, "Unusual rows")
