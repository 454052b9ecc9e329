"""Templates for values along time: from where to where, the highest and lowest, periods that are not whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from gnomon.agents.figures import PERCENT, figure, group_name, labelled, moment, sentence, told_apart
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_periods import (
    as_day,
    hour_of,
    in_period,
    is_open,
    period_end,
    period_of,
    period_start,
)
from gnomon.agents.telling_steps import tell_steps
from gnomon.agents.telling_tables import row_name, tell_nothing
from gnomon.agents.telling_verdict import tell_verdict, tell_verdicts
from gnomon.agents.telling_words import is_plural, was
from gnomon.agents.workflow_kinds import PERIOD
from gnomon.agents.workflow_post import axis, frame_rows, table_of
from gnomon.core.operations import Walk
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.semantic.model import plural
from gnomon.tools.calculations import change_pct
from gnomon.tools.chart_frame import with_notes
from gnomon.tools.chart_series import line_chart

Row = Sequence[Any]


def tell_trend(t: Telling) -> None:
    """A metric along time."""
    grain = t.plan.grain
    if not t.main.rows or grain is None:
        tell_nothing(t)
        return
    columns, rows = _table(t)
    if (way := t.request.course.steps) is not None and "change" in columns:
        tell_steps(t, way, columns, rows, grain, lambda start: is_partial(t, start, grain))
        return
    t.told.tables.append(table_of(t.result, slug(t.metric().label), columns, rows))
    if t.request.dimensions:
        _tell_several(t, grain)
    else:
        _tell_one(t, grain)
        _tell_running(t, columns, rows, grain)
    notes = partial_periods(t, [r[0] for r in t.main.rows], grain)
    t.told.caveats += notes
    t.told.charts = [with_notes(chart, notes) for chart in t.told.charts]


def _table(t: Telling) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """The rows that were asked for, with what was asked to be computed along them."""
    wanted = tuple(t.main.columns)
    extra: list[str] = []
    role = "growth"
    if Walk.GROWTH in t.request.course.walks:
        extra = ["change", "change_pct"]
    if "running" in t.result.calculated:
        role, extra = "running", ["cumulative", "moving_average"]
    if not extra:
        return wanted, t.main.rows
    names, rows = frame_rows(t.result.calculated.get(role, {}).get("rows"), (*wanted, *extra))
    if "series" in t.result.retrieved:  # it began one period earlier
        asked, at = {r[wanted.index(PERIOD)] for r in t.main.rows}, names.index(PERIOD)
        rows = tuple(r for r in rows if r[at] in asked)
    return (names, rows) if rows else (wanted, t.main.rows)


def _tell_one(t: Telling, grain: TimeGranularity) -> None:
    """The first metric with its ends, its highest and its lowest; of each other one the ends, in a sentence of its own."""
    known, whole, t.told.lead = _way_of(t, grain, 0)
    at, when = t.main.columns.index(t.request.metrics[0]), t.main.columns.index(PERIOD)
    if len(whole) > 1:
        _extremes(t, known, whole, at, when, grain)
        if t.request.course.judged:
            tell_verdict(t, [r[at] for r in whole], grain)
    if len(known) > 1:
        _draw_one(t, grain, 0, t.told.lead)
    for place in range(1, len(t.request.metrics)):
        if t.request.metrics[place] not in t.main.columns:
            continue
        known, _, said = _way_of(t, grain, place)
        t.told.more.append(said)
        if len(known) > 1:
            _draw_one(t, grain, place, said)


def _way_of(t: Telling, grain: TimeGranularity, place: int) -> tuple[Sequence[Row], Sequence[Row], str]:
    """The rows of a metric, those of whole periods, and from where to where it went."""
    metric, reference = t.metric(place), t.request.metrics[place]
    at, when = t.main.columns.index(reference), t.main.columns.index(PERIOD)
    known = [r for r in t.main.rows if isinstance(r[at], (int, float)) and r[when] is not None]
    if not known:
        return [], [], sentence(f"{t.subject(place)}{t.when()} is unknown")
    whole = [r for r in known if not is_partial(t, r[when], grain)] or known
    first, last = whole[0], whole[-1]
    about: dict[str, Any] = {"role": "main", "metric": reference}
    start = t.fact(f"{t.name(place)}.start", first[at], metric.unit, **about, **_at(first[when], grain))
    lead = f"{t.subject(place)} {was(metric.label)}"
    if len(whole) == 1:
        only = f", the only {grain} that is whole" if len(known) > 1 else ""
        return known, whole, sentence(f"{lead} {t.say(start)} {in_period(first[when], grain)}{only}")
    end = t.fact(f"{t.name(place)}.end", last[at], metric.unit, **about, **_at(last[when], grain))
    way = _way(t, last[at], first[at], place)
    now, then = in_period(last[when], grain), in_period(first[when], grain)
    return known, whole, sentence(f"{lead} {t.say(end)} {now}{way} from {t.say(start)} {then}")


def _draw_one(t: Telling, grain: TimeGranularity, place: int, title: str) -> None:
    """A metric along time as a line."""
    reference = t.request.metrics[place]
    at, when = t.main.columns.index(reference), t.main.columns.index(PERIOD)
    t.told.charts.append(
        line_chart(
            title,
            [(r[when], r[at]) for r in t.main.rows if r[when] is not None],
            str(grain),
            axis(reference, t.result),
            grain=grain,
            open_periods=_open_periods(t, [r[when] for r in t.main.rows], grain),
        )
    )


def _tell_running(t: Telling, columns: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """What a running total has come to, or where a moving average stands, at the end."""
    role = "cumulative" if Walk.RUNNING in t.request.course.walks else "moving_average"
    if role not in columns or not rows:
        return
    at, when = columns.index(role), columns.index(PERIOD)
    last = next((r for r in reversed(rows) if isinstance(r[at], (int, float))), None)
    if last is None:
        return
    if t.request.course.points:
        _tell_points(t, [(as_day(r[when]), r[at]) for r in rows if isinstance(r[at], (int, float))])
        return
    metric, until = t.metric(), in_period(last[when], grain)
    fact = t.fact(
        f"{t.name()}.{role}",
        last[at],
        metric.unit,
        role="main",
        **_at(last[when], grain),
    )
    verb = "came to a running total of" if role == "cumulative" else "had a moving average of"
    t.told.more.insert(0, t.told.lead)
    t.told.lead = sentence(f"{t.subject()} {verb} {t.say(fact)} {until}")


def _tell_points(t: Telling, sums: Sequence[tuple[date, Any]]) -> None:
    """What a running total had come to by each of the days that were asked for; nothing else is told of it."""
    stood = [(day, [total for start, total in sums if start <= day]) for day in t.request.course.points]
    t.told.facts.clear()
    said: list[str] = []
    for day, totals in stood:
        until = TimeRange(start=sums[0][0], end=day)
        fact = t.fact(f"{t.name()}.cumulative", totals[-1] if totals else 0, t.metric().unit, period=until)
        said.append(f"{t.say(fact)} by {moment(day)}")
    t.told.more.clear()
    t.told.lead = sentence(
        f"{t.subject()} came to a running total of {' and '.join((', '.join(said[:-1]), said[-1])) if len(said) > 1 else said[0]}"
    )
    names, _ = _table(t)
    rows = tuple((day, totals[-1] if totals else 0) for day, totals in stood)
    t.told.tables[-1:] = [table_of(t.result, slug(t.metric().label), (PERIOD, names[-1]), rows)]


def _way(t: Telling, last: float, first: float, place: int) -> str:
    """Up or down, and by how much: in percent, of rates in points and of temperatures in degrees."""
    name, reference, change = t.name(place), t.request.metrics[place], last - first
    percent = t.fact(f"{name}.change_pct", change_pct(last, first), PERCENT, role="growth", metric=reference)
    told = told_apart(t.metric(place).unit)
    if not change:
        return ", unchanged"
    if told is None:
        return _size(change, percent.value)
    moved = t.fact(f"{name}.change", told[0] * change, told[1], role="growth", metric=reference)
    return f", {'up' if change > 0 else 'down'} {figure(abs(told[0] * change), moved.unit)}"


def _size(change: float, percent: Any) -> str:
    size = f" {figure(abs(percent), PERCENT)}" if isinstance(percent, (int, float)) else ""
    return f", {'up' if change > 0 else 'down'}{size}"


def _at(start: date, grain: TimeGranularity) -> dict[str, Any]:
    """Where in time a fact is: the days of its period, and the hour where that is one."""
    return {"period": period_of(start, grain), "group": hour_of(start, grain)}


def _extremes(
    t: Telling, rows: Sequence[Row], whole: Sequence[Row], at: int, when: int, grain: TimeGranularity
) -> None:
    """The highest and the lowest period, in a sentence of their own; one that the data cuts short is not the lowest."""
    high, low = max(rows, key=lambda r: r[at]), min(whole, key=lambda r: r[at])
    if len(rows) < 3 or high[at] == low[at]:
        return
    unit = t.metric().unit
    top = t.fact(
        f"{t.name()}.highest",
        high[at],
        unit,
        **_at(high[when], grain),
    )
    bottom = t.fact(
        f"{t.name()}.lowest",
        low[at],
        unit,
        **_at(low[when], grain),
    )
    t.told.more.append(
        sentence(
            f"{'they were' if is_plural(t.metric().label) else 'it was'} highest {in_period(high[when], grain)} ({t.say(top)}) and lowest {in_period(low[when], grain)} ({t.say(bottom)})"
        )
    )


def _tell_several(t: Telling, grain: TimeGranularity) -> None:
    """One series for each group: which led in the last whole period."""
    metric, reference = t.metric(), t.request.metrics[0]
    columns = t.main.columns
    at, when = columns.index(reference), columns.index(PERIOD)
    known = [r for r in t.main.rows if isinstance(r[at], (int, float)) and r[when] is not None]
    whole = [r for r in known if not is_partial(t, r[when], grain)] or known
    if not whole:
        t.told.lead = sentence(f"{t.subject()}{t.when()} is unknown")
        return
    last = max(r[when] for r in whole)
    rows = [r for r in whole if r[when] == last]
    top = max(rows, key=lambda r: r[at])
    groups = {c: group_name(top[columns.index(c)]) for c in t.request.dimensions}
    name = " · ".join(labelled(g, t.result.labels.get(c, c)) for c, g in groups.items())
    fact = t.fact(
        f"{t.name()}.top",
        top[at],
        metric.unit,
        group=groups | hour_of(last, grain),
        period=period_of(last, grain),
    )
    by = " and ".join(plural(t.model.dimension(d).label) for d in t.request.dimensions)
    places = [columns.index(c) for c in t.request.dimensions]
    count = t.fact("series.count", len({tuple(r[i] for i in places) for r in known}))
    t.told.lead = sentence(
        f"among {t.say(count)} {by}, {name} had the highest {t.subject()} {in_period(last, grain)}: {t.say(fact)}"
    )
    if t.request.course.judged and len(t.request.dimensions) == 1:
        series: dict[str, list[Any]] = {}
        for r in whole:
            series.setdefault(group_name(r[places[0]]), []).append(r[at])
        tell_verdicts(t, series, grain)
    lines = [(r[when], row_name(t, columns, r).split(" · ", 1)[-1], r[at]) for r in known]
    t.told.charts.append(
        line_chart(
            t.told.lead,
            lines,
            str(grain),
            axis(reference, t.result),
            group=by,
            grain=grain,
            open_periods=_open_periods(t, [r[when] for r in known], grain),
        )
    )


def _open_periods(t: Telling, starts: Sequence[Any], grain: TimeGranularity) -> set[Any]:
    return {s for s in starts if s is not None and is_partial(t, s, grain)}


def bounds(t: Telling) -> tuple[date, date] | None:
    """The days that the rows can be of: those asked for, as far as the data covers them."""
    coverage, asked = t.plan.coverage, t.request.time_range
    if coverage is None:
        return (asked.start, asked.end) if asked is not None and not is_open(asked) else None
    if asked is None:
        return coverage
    return max(coverage[0], asked.start), min(coverage[1], asked.end)


# A year whose first row is of the 3rd of January is whole: some days have no rows.
_DAYS = (TimeGranularity.HOUR, TimeGranularity.DAY)
_SLACK = {TimeGranularity.YEAR: 7, TimeGranularity.QUARTER: 2}


def is_partial(t: Telling, start: Any, grain: TimeGranularity) -> bool:
    """Whether the data or the question cut the period that begins at ``start`` short."""
    time, limits = t.plan.time, _reach(t)
    if grain is TimeGranularity.HOUR:
        return time is not None and start in time.open_hours
    day, slack = as_day(start), timedelta(days=_SLACK.get(grain, 0))
    last = period_end(day, grain)
    if time is not None and not slack and any(day <= d <= last for d in time.open_days):
        return True
    return limits is not None and (day + slack < limits[0] or last - slack > limits[1])


def _reach(t: Telling) -> tuple[date, date] | None:
    """The same days, where rows stand for more than the day that they name: the whole month, the week before or after it."""
    limits, time = bounds(t), t.plan.time
    if limits is None or time is None or time.coverage is None or time.grain in (None, *_DAYS):
        return limits
    ends = as_day(time.coverage[0]), as_day(time.coverage[1])
    if time.grain is TimeGranularity.WEEK:  # it may be named by any of its days
        ends = ends[0] - timedelta(days=6), ends[1] + timedelta(days=6)
    else:
        ends = period_start(ends[0], time.grain), period_end(ends[1], time.grain)
    asked = t.request.time_range
    return ends if asked is None else (max(ends[0], asked.start), min(ends[1], asked.end))


def partial_periods(t: Telling, starts: Sequence[Any], grain: TimeGranularity) -> list[str]:
    """Where the first or last period is not whole, told with the day at which it is cut."""
    present = [s for s in starts if s is not None]
    limits = bounds(t)
    if not present or limits is None:
        return []
    found: list[str] = []
    for verb, start, day in (("begin", min(present), limits[0]), ("end", max(present), limits[1])):
        if not is_partial(t, start, grain):
            continue
        if grain is TimeGranularity.HOUR:
            found.append(f"The hour in which the rows {verb} is not whole")
            continue
        if not as_day(start) <= day <= period_end(as_day(start), grain):
            continue
        within = t.plan.time is not None and day in t.plan.time.open_days
        cut = "that day" if grain is TimeGranularity.DAY else f"the {grain} of that day"
        found.append(f"The rows {verb} {'within' if within else 'on'} {moment(day)}, so {cut} is not whole")
        t.bound(day)
    return found
