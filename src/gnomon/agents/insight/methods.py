"""The analytical methods of a domain path: each looks at retrieved data and gives findings and sentences with facts."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from gnomon.agents.figures import PERCENT, POINTS, POINTS_IN, fact_figure, group_name, listed, moment
from gnomon.agents.insight.explaining import Explained, is_worse
from gnomon.agents.insight.findings import WHAT, WHY, Finding, Ledger, Statement, moved, named, size
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.agents.insight.topic import Topic
from gnomon.agents.telling_periods import as_day, in_range, period_end
from gnomon.agents.telling_words import cased, conditions, was
from gnomon.agents.workflow_scope import reachable
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.errors import GnomonError
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Filter
from gnomon.semantic.model import Direction, Metric, SemanticModel
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.semantic.yardsticks import PREFIX
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_series import line_chart

Fetch = Callable[[Mapping[str, RetrievalQuery]], Mapping[str, Retrieved]]
PEERS_LOOKED_AT = 60
MOST_GROUPS = 200
_LOW = re.compile(r"(?:^|_)(?:p25|q1|lower|low)(?:_|$)", re.IGNORECASE)
_HIGH = re.compile(r"(?:^|_)(?:p75|q3|upper|high)(?:_|$)", re.IGNORECASE)
_GRAIN_WORDS = {TimeGranularity.DAY: "day", TimeGranularity.WEEK: "week", TimeGranularity.MONTH: "month"}


@dataclass
class Work:
    """What the methods share: the topic, its periods, how to retrieve, and what was found so far."""

    topic: Topic
    model: SemanticModel
    current: TimeRange
    previous: TimeRange
    coverage: tuple[date, date]
    fetch: Fetch
    ledger: Ledger
    told: Explained = field(default_factory=Explained)

    @property
    def metric(self) -> Metric:
        """The main measure."""
        return self.model.metric(self.topic.metrics[0])

    @property
    def about(self) -> str:
        """The conditions, with a blank before them."""
        said = conditions(self.topic.filters, self.model)
        return f" {said}" if said else ""

    def say(self, section: str, text: str, facts: Sequence[Fact], *names: str) -> None:
        """Add a sentence with its facts."""
        self.told.statements.append(
            Statement(section, cased(text), tuple(facts), tuple(n for n in names if n))
        )

    def find(self, kind: str, method: AnalyticalMethod, metric: str, **given: Any) -> None:
        """Add a finding."""
        self.told.findings.append(Finding(kind, method.value, metric, **given))

    def allowed(self, metric: Metric) -> tuple[Filter, ...]:
        """The conditions that a metric can be looked at under."""
        return tuple(
            f for f in self.topic.filters if self.model.reaches(metric, self.model.dimension(f.field))
        )


# The sides of a business, side by side


def levels(work: Work, metrics: Sequence[Metric]) -> None:
    """The main figures of every side of the data in both periods, retrieved side by side."""
    queries: dict[str, RetrievalQuery] = {}
    for i, metric in enumerate(metrics):
        for role, days in (("now", work.current), ("before", work.previous)):
            queries[f"{role}_{i}"] = RetrievalQuery(
                metrics=(metric.name,), filters=work.allowed(metric), time_range=days
            )
    given = work.fetch(queries)
    rows: list[tuple[Any, ...]] = []
    changes: list[tuple[Metric, Fact, Fact, Fact]] = []
    for i, metric in enumerate(metrics):
        now, before = _only(given.get(f"now_{i}")), _only(given.get(f"before_{i}"))
        if now is None or before is None:
            continue
        scale, name = POINTS_IN.get(metric.unit or ""), named(metric.name)
        about: dict[str, Any] = {"metric": metric.name, "step": f"retrieve_now_{i}"}
        current = work.ledger.fact(
            f"{name}.current", now, metric.unit, period=work.current, query=given[f"now_{i}"].query, **about
        )
        previous = work.ledger.fact(
            f"{name}.previous",
            before,
            metric.unit,
            period=work.previous,
            query=given[f"before_{i}"].query,
            **about,
        )
        change = (now - before) * scale if scale else 100 * (now - before) / abs(before) if before else None
        moves = work.ledger.fact(
            f"{name}.change{'' if scale else '_pct'}", change, POINTS if scale else PERCENT, **about
        )
        rows.append((metric.label, previous.value, current.value, change, POINTS if scale else PERCENT))
        changes.append((metric, current, previous, moves))
        work.find(
            "level", AnalyticalMethod.TIME_SERIES_ANALYSIS, metric.name, area=metric.business_dimension,
            worse=is_worse(now - before, metric.direction), words={"metric": metric.label},
            facts={"current": current, "previous": previous, "change": moves},
        )  # fmt: skip
    columns = ("figure", "before", "after", "change", "change in")
    if len(rows) > 1:
        work.told.tables.append(ResultTable(name="main figures", columns=columns, rows=tuple(rows)))
    _tell_levels(work, changes)


def _tell_levels(work: Work, changes: Sequence[tuple[Metric, Fact, Fact, Fact]]) -> None:
    """One sentence for the figure that matters most, one for those that moved against it or with it."""
    if not changes:
        return
    for metric, current, previous, moves in changes[:4]:
        change = (
            f", {moved(moves)} from {fact_figure(previous)} {in_range(work.previous)}"
            if moves.value is not None
            else ""
        )
        when = f" {in_range(work.current)}"
        work.say(
            WHAT, f"{metric.label}{work.about} {was(metric.label)} {fact_figure(current)}{when}{change}",
            [current, previous, moves], metric.label,
        )  # fmt: skip
    rest = [(m, c) for m, _, _, c in changes[4:] if c.value is not None]
    if rest:
        said = listed([f"{m.label} {moved(c)}" for m, c in rest])
        work.say(WHAT, f"Besides: {said}", [c for _, c in rest], *[m.label for m, _ in rest])


def _only(given: Retrieved | None) -> float | None:
    value = given.rows[0][-1] if given is not None and given.rows else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def changes_by(work: Work, dimension: str) -> None:
    """The change group by group, where the asker wants to see it by something: the table, and what moved most."""
    known = work.model.dimension(dimension)
    if known.personal or not work.model.reaches(work.metric, known):
        return
    named_by = str(known.label_at) if known.label_at is not None else None
    dims = (
        (dimension, named_by)
        if named_by and work.model.reaches(work.metric, work.model.dimension(named_by))
        else (dimension,)
    )
    queries = {
        role: RetrievalQuery(metrics=(work.metric.name,), dimensions=dims, filters=work.allowed(work.metric), time_range=days)
        for role, days in (("by_now", work.current), ("by_before", work.previous))
    }  # fmt: skip
    given = work.fetch(queries)
    if len(given) < 2:
        return
    now, before = (
        {" · ".join(map(group_name, r[:-1])): r[-1] or 0 for r in given[k].rows}
        for k in ("by_now", "by_before")
    )
    rows = [
        (g, before.get(g, 0), now.get(g, 0), now.get(g, 0) - before.get(g, 0))
        for g in dict.fromkeys([*now, *before])
    ]
    rows.sort(key=lambda r: -abs(r[3]))
    if not rows:
        return
    columns = (known.label, "before", "after", "change")
    work.told.tables.insert(
        0, ResultTable(name=f"change by {known.label}", columns=columns, rows=tuple(rows[:MOST_GROUPS]))
    )
    scale = POINTS_IN.get(work.metric.unit or "")
    facts = [
        work.ledger.fact(
            named(work.metric.name, g, "change"), change * scale if scale else change, POINTS if scale else work.metric.unit,
            metric=work.metric.name, group={dimension: g}, query=given["by_now"].query, step="retrieve_by_now",
        )
        for g, _, _, change in rows[:3]
    ]  # fmt: skip
    said = listed([f"{g} {moved(f)}" for (g, *_), f in zip(rows, facts, strict=False)])
    work.say(
        WHY,
        f"By {known.label}, the change in {work.metric.label}: {said}",
        facts,
        *[g for g, *_ in rows[:3]],
        known.label,
    )


# Trend and steps


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


# Season


def season_of(work: Work) -> None:
    """The pattern that repeats in the main measure: over the week, or over the year."""
    from gnomon.analytics import seasonality

    metric, name = work.metric, named(work.metric.name)
    time = work.model.time_dimension(metric)
    finest = time.grain if time is not None and time.grain is not None else TimeGranularity.DAY
    for grain, phase in ((TimeGranularity.MONTH, "year"), (TimeGranularity.DAY, "week")):
        if grain is TimeGranularity.DAY and finest not in (TimeGranularity.DAY, TimeGranularity.HOUR):
            continue
        points, query, _ = _series(work, grain, TimeRange(start=work.coverage[0], end=work.coverage[1]))
        period = 12 if grain is TimeGranularity.MONTH else 7
        if len(points) < 2 * period:
            if grain is TimeGranularity.MONTH:
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
        when = "in" if grain is TimeGranularity.MONTH else "on"
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


# Benchmarks


def benchmarks(work: Work) -> None:
    """Against benchmark tables where the data has them, against peers, and against the own past."""
    known = {m.name for m in work.model.metrics}
    asked = [work.model.metric(m) for m in work.topic.metrics] if work.topic.named else []
    measured = [m for m in work.model.metrics if f"{PREFIX}{m.name}" in known]
    chosen = [m for m in asked if m in measured] if asked else measured
    for metric in chosen[:4]:
        _against_table(work, metric)
    if not chosen or any(f.kind == "benchmark" for f in work.told.findings) is False:
        _among_peers(work, asked[0] if asked else work.metric)


def _against_table(work: Work, metric: Metric) -> None:
    from gnomon.analytics.benchmarks import against_quartiles

    yardstick = work.model.metric(f"{PREFIX}{metric.name}")
    low, high = _quartiles(work.model, yardstick)
    by = _shared_dimension(work, metric, yardstick)
    dims = (by,) if by else ()
    edges = tuple(m for m in (low, high) if m)
    queries = {
        "own": RetrievalQuery(
            metrics=(metric.name,), dimensions=dims, filters=work.allowed(metric), time_range=work.current
        ),
        "all": RetrievalQuery(metrics=(metric.name,), filters=work.allowed(metric), time_range=work.current),
        "field": RetrievalQuery(metrics=(yardstick.name,), dimensions=dims, time_range=work.current),
        "whole": RetrievalQuery(metrics=(yardstick.name,), time_range=work.current),
    }
    if edges:
        queries["edges"] = RetrievalQuery(metrics=edges, filters=yardstick.where, time_range=work.current)
    given = work.fetch(queries)
    value, middle = _only(given.get("all")), _only(given.get("whole"))
    if value is None or middle is None:
        return
    ends = (
        list(given["edges"].rows[0][-len(edges) :])
        if "edges" in given and given["edges"].rows and len(edges) == 2
        else [None, None]
    )
    higher = metric.direction is not Direction.LOWER_IS_BETTER
    try:
        found = against_quartiles(value, middle, ends[0], ends[1], higher_is_better=higher)
    except GnomonError:
        found = against_quartiles(value, middle, higher_is_better=higher)
    name = named(metric.name)
    about: dict[str, Any] = {"metric": metric.name, "period": work.current, "step": "benchmark"}
    current = work.ledger.fact(f"{name}.current", value, metric.unit, query=given["all"].query, **about)
    mark = work.ledger.fact(f"{name}.benchmark", middle, metric.unit, query=given["whole"].query, **about)
    scale = POINTS_IN.get(metric.unit or "")
    gap = work.ledger.fact(
        f"{name}.gap.difference",
        found.gap * scale if scale else found.gap,
        POINTS if scale else metric.unit,
        **about,
    )
    way = "above" if found.gap > 0 else "below"
    text = f"{metric.label}{work.about} {was(metric.label)} {fact_figure(current)} {in_range(work.current)}, {size(gap)} {way} the benchmark ({fact_figure(mark)})"
    if found.gap == 0:
        text = f"{metric.label}{work.about} {was(metric.label)} {fact_figure(current)} {in_range(work.current)}, the same as the benchmark"
    work.say(WHAT, text, [current, gap, mark], metric.label)
    if "quarter" in found.standing:
        work.say(
            WHAT,
            f"In the field of {metric.label} that is the {found.standing}",
            [],
            metric.label,
            str(found.standing),
        )
    worse = is_worse(found.gap, metric.direction)
    work.find(
        "benchmark", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, area=metric.business_dimension, worse=worse, verdict=str(found.standing),
        words={"metric": metric.label, "where": ""}, facts={"current": current, "benchmark": mark, "gap": gap},
        weight=abs(found.gap_percent or 0.0),
    )  # fmt: skip
    if by is not None:
        _gaps_by_group(work, metric, by, given, higher)


def _gaps_by_group(work: Work, metric: Metric, by: str, given: Mapping[str, Retrieved], higher: bool) -> None:
    """Group by group against its own benchmark: the table, and the gap that is worst."""
    own = {r[0]: r[-1] for r in given["own"].rows} if "own" in given else {}
    field_ = {r[0]: r[-1] for r in given["field"].rows} if "field" in given else {}
    rows = [
        (group_name(g), own[g], field_[g], own[g] - field_[g])
        for g in own if g in field_ and isinstance(own[g], (int, float)) and isinstance(field_[g], (int, float))
    ]  # fmt: skip
    if not rows:
        return
    label = work.model.dimension(by).label
    rows.sort(key=lambda r: r[3] if higher else -r[3])
    columns = (label, metric.label, f"benchmark of {metric.label}", "gap")
    work.told.tables.append(
        ResultTable(name=f"{metric.label} against the benchmark", columns=columns, rows=tuple(rows))
    )
    group, value, mark, gap = rows[0]
    if (gap < 0) is not higher or gap == 0:
        return
    name = named(metric.name, group)
    about: dict[str, Any] = {
        "metric": metric.name,
        "period": work.current,
        "group": {by: group},
        "step": "benchmark",
    }
    scale = POINTS_IN.get(metric.unit or "")
    current = work.ledger.fact(f"{name}.current", value, metric.unit, query=given["own"].query, **about)
    bench = work.ledger.fact(f"{name}.benchmark", mark, metric.unit, query=given["field"].query, **about)
    away = work.ledger.fact(
        f"{name}.gap.difference", gap * scale if scale else gap, POINTS if scale else metric.unit, **about
    )
    work.say(
        WHY, f"The gap is widest for {group} ({label}): {size(away)} {'below' if gap < 0 else 'above'} its benchmark", [away], group, label, "widest"
    )  # fmt: skip
    work.find(
        "benchmark", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, area=metric.business_dimension, worse=True,
        words={"metric": metric.label, "where": f"for {group}", "segment": group}, facts={"current": current, "benchmark": bench, "gap": away},
        weight=100 * abs(gap) / abs(mark) if mark else 0.0,
    )  # fmt: skip


def _shared_dimension(work: Work, metric: Metric, yardstick: Metric) -> str | None:
    """A category that both the measure and its benchmark can be split by."""
    wanted = work.topic.dimensions
    both = [d for d in reachable(work.model, metric) if work.model.reaches(yardstick, d)]
    fixed = {f.field for f in yardstick.where}
    return next(
        (d.name for d in both if d.name in wanted), next((d.name for d in both if d.name not in fixed), None)
    )


def _quartiles(model: SemanticModel, yardstick: Metric) -> tuple[str | None, str | None]:
    """The metrics over the columns that hold the quartiles beside a benchmark's middle."""
    own = [
        m
        for m in model.metrics
        if m.table == yardstick.table and m.expression and not m.name.startswith(PREFIX)
    ]
    low = next((m.name for m in own if _LOW.search((m.expression or "").strip("`"))), None)
    return low, next((m.name for m in own if _HIGH.search((m.expression or "").strip("`"))), None)


def _among_peers(work: Work, metric: Metric) -> None:
    """The groups of the data against each other; the group that the question names against all others."""
    groups = [
        d
        for d in reachable(work.model, metric)
        if not d.personal and 3 <= (d.distinct or 0) <= PEERS_LOOKED_AT
    ]
    own = next(
        (f for f in work.allowed(metric) if len(f.values) == 1 and any(d.name == f.field for d in groups)),
        None,
    )
    wanted = own.field if own is not None else next(iter(work.topic.dimensions), None)
    chosen = next((d for d in groups if d.name == wanted), groups[0] if groups else None)
    if chosen is None:
        work.say(
            WHAT,
            f"The data holds no benchmark and no groups to compare {metric.label} with",
            [],
            metric.label,
        )
        return
    query = RetrievalQuery(
        metrics=(metric.name,), dimensions=(chosen.name,), time_range=work.current,
        filters=tuple(f for f in work.allowed(metric) if f.field != chosen.name),
    )  # fmt: skip
    given = work.fetch({"peers": query}).get("peers")
    rows = [
        (group_name(r[0]), float(r[-1]))
        for r in (given.rows if given else ())
        if isinstance(r[-1], (int, float))
    ]
    if given is None or len(rows) < 3:
        work.say(WHAT, f"There are too few groups to compare {metric.label} with", [], metric.label)
        return
    better = metric.direction is not Direction.LOWER_IS_BETTER
    rows.sort(key=lambda r: -r[1] if better else r[1])
    named_by = ResultTable(
        name=f"{metric.label} by {chosen.label}", columns=(chosen.label, metric.label), rows=tuple(rows)
    )
    work.told.tables.append(named_by)
    work.say(
        WHAT, f"The data holds no benchmark of {metric.label}, so its groups are compared with each other", [], metric.label
    )  # fmt: skip
    focus = group_name(own.values[0]) if own is not None else rows[-1][0]
    value = dict(rows).get(focus)
    if value is None:
        return
    middle = statistics.median(v for g, v in rows if g != focus)
    about: dict[str, Any] = {
        "metric": metric.name,
        "period": work.current,
        "query": given.query,
        "step": "peers",
    }
    name = named(metric.name)
    mine = work.ledger.fact(
        f"{named(metric.name, focus)}.current", value, metric.unit, group={chosen.name: focus}, **about
    )
    centre = work.ledger.fact(f"{name}.others.median", middle, metric.unit, **about)
    first = work.ledger.fact(
        f"{name}.{'top' if better else 'bottom'}",
        rows[0][1],
        metric.unit,
        group={chosen.name: rows[0][0]},
        **about,
    )
    place = work.ledger.fact(f"{name}.rank", [g for g, _ in rows].index(focus) + 1, None, **about)
    count = work.ledger.fact(f"{name}.groups", len(rows), None, **about)
    work.say(
        WHAT, f"{metric.label} {in_range(work.current)}: {focus} ({chosen.label}) has {fact_figure(mine)}, the median of the others is {fact_figure(centre)}",
        [mine, centre], metric.label, chosen.label, focus,
    )  # fmt: skip
    work.say(
        WHAT,
        f"That is place {fact_figure(place)} of {fact_figure(count)}, the best being {rows[0][0]} with {fact_figure(first)}",
        [place, count, first],
        rows[0][0],
    )
    if focus != rows[0][0]:
        worse = is_worse(value - middle, metric.direction)
        work.find(
            "peer", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, worse=True if worse is None else worse, area=metric.business_dimension,
            words={"metric": metric.label, "segment": focus, "best": rows[0][0]}, facts={"current": mine, "benchmark": first},
            weight=abs(rows[0][1] - value),
        )  # fmt: skip
    else:
        work.find(
            "peer", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, worse=False, area=metric.business_dimension,
            words={"metric": metric.label, "segment": focus, "best": focus}, facts={"current": mine, "benchmark": centre},
        )  # fmt: skip


# Relations


def correlations(work: Work, metrics: Sequence[Metric]) -> None:
    """Which other figures moved with the main one, week by week; changes are related, so that trends are no relation."""
    import pandas as pd

    from gnomon.analytics import correlation

    main = work.metric
    home = set(work.model.base_tables(main))
    others = [m for m in metrics if not home & set(work.model.base_tables(m))]
    if not others:
        return
    span = TimeRange(
        start=max(work.coverage[0], work.current.end - timedelta(days=728)), end=work.current.end
    )
    queries = {
        f"week_{i}": RetrievalQuery(metrics=(m.name,), grain=TimeGranularity.WEEK, filters=work.allowed(m), time_range=span)
        for i, m in enumerate([main, *others])
    }  # fmt: skip
    given = work.fetch(queries)
    held: dict[str, dict[date, float]] = {}
    for i, m in enumerate([main, *others]):
        rows = given[f"week_{i}"].rows if f"week_{i}" in given else ()
        held[m.name] = {
            as_day(r[0]): float(r[-1]) for r in rows if r[0] is not None and isinstance(r[-1], (int, float))
        }
    frame = pd.DataFrame(held).sort_index().iloc[1:-1]
    changes = frame.diff().dropna()
    if len(changes) < 16:
        return
    found = correlation(changes, target=main.name)
    for pair in [p for p in found.pairs if p.significant and abs(p.coefficient) >= 0.3][:3]:
        other = work.model.metric(pair.second if pair.first == main.name else pair.first)
        fact = work.ledger.fact(
            named(other.name, "correlation"),
            round(pair.coefficient, 2),
            None,
            metric=None,
            query=given["week_0"].query,
            step="correlation",
        )
        way = "the same way" if pair.coefficient > 0 else "opposite ways"
        work.say(
            WHY,
            f"Correlated, week by week: {other.label} and {main.label} move {way} (correlation {fact_figure(fact)})",
            [fact],
            other.label,
            main.label,
        )
        work.find(
            "correlation", AnalyticalMethod.CORRELATION_ANALYSIS, main.name, area=other.business_dimension, verdict="correlated",
            words={"metric": main.label, "other": other.label}, facts={"correlation": fact}, weight=abs(pair.coefficient),
        )  # fmt: skip
