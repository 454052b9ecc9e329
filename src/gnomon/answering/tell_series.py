"""Values along time: from where to where, the highest and lowest, steps, and whether there is a trend."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from gnomon.answering.plan import PERIOD
from gnomon.answering.run import axis
from gnomon.answering.tell_table import row_name
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import is_number, is_plural, slug, was, way
from gnomon.core.answer import Fact
from gnomon.core.errors import CalculationError
from gnomon.core.figures import PERCENT, figure, group_name, listed, moment, sentence, told_apart
from gnomon.core.operations import Tell, Walk, Way
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_names import (
    as_day,
    hour_of,
    in_period,
    is_open,
    period_end,
    period_of,
    period_start,
)
from gnomon.semantic.model import plural
from gnomon.tools.calculations import change_pct
from gnomon.tools.chart_frame import with_notes
from gnomon.tools.chart_series import line_chart

if TYPE_CHECKING:
    from gnomon.analytics.trends import Trend

_FEWEST = 6
_NAMED = 6
_CALLED = {Way.UP: "rose most", Way.DOWN: "fell most", Way.EITHER: "moved"}
_ENDS = {Way.UP: ".highest", Way.DOWN: ".lowest"}


def tell_trend(t: Telling) -> None:
    """A metric along time."""
    grain = t.plan.grain
    if not t.main.rows or grain is None:
        t.nothing()
        return
    columns, rows = _table(t)
    if (asked := t.request.course.steps) is not None and "change" in columns:
        _tell_steps(t, asked, columns, rows, grain)
        return
    t.table(columns, rows)
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
    wanted, role, extra = tuple(t.main.columns), "growth", ("change", "change_pct")
    if "running" in t.result.calculated:
        role, extra = "running", ("cumulative", "moving_average")
    elif Walk.GROWTH not in t.request.course.walks:
        return wanted, t.main.rows
    names, rows = t.rows(role, columns=(*wanted, *extra))
    if "series" in t.result.retrieved:  # it began one period earlier
        asked, at = {r[wanted.index(PERIOD)] for r in t.main.rows}, names.index(PERIOD)
        rows = tuple(r for r in rows if r[at] in asked)
    return (names, rows) if rows else (wanted, t.main.rows)


def _known(t: Telling, place: int, grain: TimeGranularity) -> tuple[int, int, list[Row], list[Row]]:
    """Where a metric and its periods stand, the rows that have both, and those of whole periods."""
    at, when = t.main.columns.index(t.request.metrics[place]), t.main.columns.index(PERIOD)
    known: list[Row] = [r for r in t.main.rows if is_number(r[at]) and r[when] is not None]
    return at, when, known, whole_rows(t, known, when, grain) or known


def _tell_one(t: Telling, grain: TimeGranularity) -> None:
    """The first metric with its ends, its highest and its lowest; of each other one the ends, in a sentence of its own."""
    for place in range(len(t.request.metrics)):
        if place and t.request.metrics[place] not in t.main.columns:
            continue
        at, when, known, whole = _known(t, place, grain)
        said = _way_of(t, grain, place, known, whole) if not t.only_steps else sentence(t.subject(place))
        if t.only_steps:
            pass
        elif place:
            t.told.more.append(said)
        else:
            t.told.lead = said
        if place == 0 and len(whole) > 1:
            _tell_extremes(t, known, whole, at, when, grain)
            if t.request.course.judged:
                _tell_verdict(t, [r[at] for r in whole], grain)
        if len(known) > 1:
            title = said if place or t.only_steps else t.told.lead
            _draw(t, grain, place, title, [(r[when], r[at]) for r in t.main.rows if r[when] is not None])


def _way_of(t: Telling, grain: TimeGranularity, place: int, known: list[Row], whole: list[Row]) -> str:
    """From where to where a metric went."""
    if not known:
        return sentence(f"{t.subject(place)}{t.when()} is unknown")
    at, when = t.main.columns.index(t.request.metrics[place]), t.main.columns.index(PERIOD)
    first, last = whole[0], whole[-1]
    start = _point(t, "start", first, at, when, grain, place)
    lead, then = f"{t.subject(place)} {was(t.metric(place).label)}", in_period(first[when], grain)
    if len(whole) == 1:
        only = f", the only {grain} that is whole" if len(known) > 1 else ""
        return sentence(f"{lead} {t.say(start)} {then}{only}")
    end = _point(t, "end", last, at, when, grain, place)
    went = _went(t, last[at], first[at], place)
    return sentence(f"{lead} {t.say(end)} {in_period(last[when], grain)}, {went} from {t.say(start)} {then}")


def _point(
    t: Telling, name: str, row: Row, at: int, when: int, grain: TimeGranularity, place: int = 0
) -> Fact:
    """The value of one period, as a fact about its days, and about the hour where that is one."""
    about: dict[str, Any] = {"period": period_of(row[when], grain), "group": hour_of(row[when], grain)}
    metric = t.request.metrics[place]
    return t.fact(f"{t.name(place)}.{name}", row[at], t.metric(place).unit, metric=metric, **about)


def _went(t: Telling, last: float, first: float, place: int) -> str:
    """Up or down, and by how much: in percent, of rates in points and of temperatures in degrees."""
    name, change = t.name(place), last - first
    about: dict[str, Any] = {"role": "growth", "metric": t.request.metrics[place]}
    percent = t.fact(f"{name}.change_pct", change_pct(last, first), PERCENT, **about).value
    told = told_apart(t.metric(place).unit)
    if not change:
        return "unchanged"
    if told is None:
        return f"{way(change)} {figure(abs(percent), PERCENT)}" if is_number(percent) else way(change)
    t.fact(f"{name}.change", told[0] * change, told[1], **about)
    return f"{way(change)} {figure(abs(told[0] * change), told[1])}"


def _draw(
    t: Telling,
    grain: TimeGranularity,
    place: int,
    title: str,
    points: Sequence[Row],
    group: str | None = None,
) -> None:
    """A metric along time as a line, or as one for each group."""
    open_periods = {r[0] for r in points if is_partial(t, r[0], grain)}
    measured = axis(t.request.metrics[place], t.result)
    more: dict[str, Any] = {"grain": grain, "open_periods": open_periods} | (
        {"group": group} if group else {}
    )
    t.draw(line_chart(title, [tuple(r) for r in points], str(grain), measured, **more))


def _tell_running(t: Telling, columns: Sequence[str], rows: Sequence[Row], grain: TimeGranularity) -> None:
    """What a running total has come to, or where a moving average stands, at the end."""
    role = "cumulative" if Walk.RUNNING in t.request.course.walks else "moving_average"
    if role not in columns:
        return
    at, when = columns.index(role), columns.index(PERIOD)
    known = [r for r in rows if is_number(r[at])]
    if not known:
        return
    if t.request.course.points:
        _tell_points(t, [(as_day(r[when]), r[at]) for r in known], columns[-1])
        return
    fact = _point(t, role, known[-1], at, when, grain)
    verb = "came to a running total of" if role == "cumulative" else "had a moving average of"
    t.lead_before(f"{t.subject()} {verb} {t.say(fact)} {in_period(known[-1][when], grain)}")


def _tell_points(t: Telling, sums: Sequence[tuple[date, Any]], column: str) -> None:
    """What a running total had come to by each of the days that were asked for; nothing else is told of it."""
    stood = [
        (day, [0, *(total for start, total in sums if start <= day)][-1]) for day in t.request.course.points
    ]
    t.told.facts.clear()
    said: list[str] = []
    for day, total in stood:
        until = TimeRange(start=sums[0][0], end=day)
        fact = t.fact(f"{t.name()}.cumulative", total, t.metric().unit, period=until)
        said.append(f"{t.say(fact)} by {moment(day)}")
    t.told.more.clear()
    t.lead(f"{t.subject()} came to a running total of {listed(said)}")
    t.told.tables.pop()
    t.table((PERIOD, column), stood)


def _tell_extremes(
    t: Telling, rows: Sequence[Row], whole: Sequence[Row], at: int, when: int, grain: TimeGranularity
) -> None:
    """The highest and the lowest period, in a sentence of their own; one that the data cuts short is not the lowest."""
    high, low = max(rows, key=lambda r: r[at]), min(whole, key=lambda r: r[at])
    if len(rows) < 3 or high[at] == low[at]:
        return
    top, bottom = _point(t, "highest", high, at, when, grain), _point(t, "lowest", low, at, when, grain)
    it = "they were" if is_plural(t.metric().label) else "it was"
    highest, lowest = in_period(high[when], grain), in_period(low[when], grain)
    t.more(f"{it} highest {highest} ({t.say(top)}) and lowest {lowest} ({t.say(bottom)})")


def _tell_several(t: Telling, grain: TimeGranularity) -> None:
    """One series for each group: which led in the last whole period."""
    columns = t.main.columns
    at, when, known, whole = _known(t, 0, grain)
    if not whole:
        t.lead(f"{t.subject()}{t.when()} is unknown")
        return
    last = max(r[when] for r in whole)
    top = max((r for r in whole if r[when] == last), key=lambda r: r[at])
    groups = {c: group_name(top[columns.index(c)]) for c in t.request.dimensions}
    about: dict[str, Any] = {"group": groups | hour_of(last, grain), "period": period_of(last, grain)}
    fact = t.fact(f"{t.name()}.top", top[at], t.metric().unit, **about)
    by = " and ".join(plural(t.label(d)) for d in t.request.dimensions)
    places = [columns.index(c) for c in t.request.dimensions]
    count = t.fact("series.count", len({tuple(r[i] for i in places) for r in known}))
    lead = f"{t.named(groups)} had the highest {t.subject()} {in_period(last, grain)}: {t.say(fact)}"
    t.lead(f"among {t.say(count)} {by}, {lead}")
    if t.request.course.judged and len(places) == 1:
        series: dict[str, list[Any]] = {}
        for r in whole:
            series.setdefault(group_name(r[places[0]]), []).append(r[at])
        _tell_verdicts(t, series, grain)
    lines = [(r[when], row_name(t, columns, r).split(" · ", 1)[-1], r[at]) for r in known]
    _draw(t, grain, 0, t.told.lead, lines, by)


# Steps ----------------------------------------------------------------------------------------------------------------


def _tell_steps(
    t: Telling, asked: Way, columns: Sequence[str], rows: Sequence[Row], grain: TimeGranularity
) -> None:
    """The periods that moved most from the one before, as many as were asked for.

    Periods that are not whole are neither told nor compared with.
    """
    by = columns.index("change_pct" if Tell.PERCENT in t.request.tells else "change")
    when = columns.index(PERIOD)
    cut = {as_day(r[when]) for r in rows if r[when] is not None and is_partial(t, r[when], grain)}
    whole = [
        r for n, r in enumerate(rows)
        if is_number(r[by]) and as_day(r[when]) not in cut and not (n and as_day(rows[n - 1][when]) in cut)
    ]  # fmt: skip
    moved = [r for r in whole if asked is Way.EITHER or (r[by] > 0 if asked is Way.UP else r[by] < 0)]
    moved.sort(key=lambda r: -abs(r[by]))
    limit = t.request.limit or 1
    told = moved[:limit] + [r for r in moved[limit : limit + 5] if abs(r[by]) == abs(moved[limit - 1][by])]
    t.table(columns, told)
    if not told:
        verb = {Way.UP: "rose", Way.DOWN: "fell"}.get(asked, "changed")
        t.lead(f"{t.subject()} {verb} from no {grain} to the next{t.when()}")
        return
    steps = [_step(t, columns, r, grain, "" if n else _ENDS.get(asked, "")) for n, r in enumerate(told)]
    t.lead(f"{t.subject()} {_CALLED[asked]} {listed(steps)}")


def _step(t: Telling, columns: Sequence[str], row: Row, grain: TimeGranularity, end: str) -> str:
    """One step and what it led to: in March 2024, up 20 (25 %) to 100; ``end`` names that of the largest."""
    metric, cells = t.metric(), dict(zip(columns, row, strict=True))
    start, change, percent = as_day(cells[PERIOD]), cells["change"], cells["change_pct"]
    about: dict[str, Any] = {"role": "growth", "period": period_of(start, grain)}
    name = f"{t.name()}.{slug(str(start))}"
    now = t.fact(name, cells[t.request.metrics[0]], metric.unit, **about)
    scale, unit = told_apart(metric.unit) or (0, metric.unit)
    size = (scale or 1) * change
    t.fact(f"{name}.change{end}", size, unit, **about)
    t.fact(f"{name}.change_pct", percent, PERCENT, **about)
    share = f" ({figure(abs(percent), PERCENT)})" if is_number(percent) and not scale else ""
    return f"{in_period(start, grain)}, {way(change)} {figure(abs(size), unit)}{share} to {t.say(now)}"


# Whether there is a trend ---------------------------------------------------------------------------------------------


def _tell_verdict(t: Telling, values: list[Any], grain: TimeGranularity) -> None:
    """Say first whether there is a trend; what was said before follows."""
    found = _trend(values)
    if found is None:
        _tell_too_few(t, len(values))
        return
    p = t.plain("p_value", found.p_value)
    how, trend, claim = f"the Mann–Kendall test, {t.chance(p)}", "no significant trend", _claimed(t)
    if found.significant:
        slope = t.fact(f"{t.name()}.slope", found.slope, t.metric().unit)
        trend = f"{_TRENDS[found.direction]} trend"
        t.told.more.insert(0, sentence(f"the typical change from one {grain} to the next is {t.say(slope)}"))
    met = found.significant and (claim is None or found.direction == claim)
    t.told.more.insert(1 if found.significant else 0, t.told.lead)
    t.lead(f"{_met(t, met)}{t.subject()}{t.when()} {_show(t)} {trend} by {grain} ({how})")


def _tell_verdicts(t: Telling, series: dict[str, list[Any]], grain: TimeGranularity) -> None:
    """The same for each group: which of them have a trend."""
    judged = {name: found for name, values in series.items() if (found := _trend(values)) is not None}
    if not judged:
        _tell_too_few(t, max((len(v) for v in series.values()), default=0))
        return
    moving: dict[str, list[str]] = {"up": [], "down": []}
    for name, found in judged.items():
        place = {t.request.dimensions[0]: name}
        t.fact("p_value", found.p_value, None, metric="", group=place)
        t.fact(f"{t.name()}.slope", found.slope, t.metric().unit, group=place)
        if found.significant:
            moving[found.direction].append(name)
    claim = _claimed(t)
    met = bool(moving[claim]) if claim else any(moving.values())
    parts = [f"{_TRENDS[to]} trend for {listed(names[:_NAMED])}" for to, names in moving.items() if names]
    said = listed(parts) or f"no significant trend for any {t.label(t.request.dimensions[0])}"
    test = f"(the Mann–Kendall test by {grain})"
    t.lead_before(f"{_met(t, met)}{t.subject()}{t.when()} {_show(t)} {said} {test}")


_TRENDS = {"up": "an upward", "down": "a downward"}


def _claimed(t: Telling) -> str | None:
    """Where it is claimed to go."""
    return {">": "up", "<": "down"}[t.request.claim.side] if t.request.claim.side is not None else None


def _met(t: Telling, met: bool) -> str:
    """Yes or no, where that was asked."""
    return ("yes: " if met else "no: ") if t.request.claim.whether else ""


def _show(t: Telling) -> str:
    return "show" if is_plural(t.metric().label) else "shows"


def _tell_too_few(t: Telling, count: int) -> None:
    t.plain("periods", count)
    t.note("There are too few whole periods to judge a trend")


def _trend(values: list[Any]) -> Trend | None:
    from gnomon.analytics.trends import trend

    if len(values) < _FEWEST:
        return None
    try:
        return trend([float(v) for v in values])
    except CalculationError:
        return None


# Periods that are not whole -------------------------------------------------------------------------------------------

# A year whose first row is of the 3rd of January is whole: some days have no rows.
_DAYS = (TimeGranularity.HOUR, TimeGranularity.DAY)
_SLACK = {TimeGranularity.YEAR: 7, TimeGranularity.QUARTER: 2}


def whole_rows(t: Telling, rows: Sequence[Row], when: int, grain: TimeGranularity) -> list[Row]:
    """The rows of periods that are whole."""
    return [r for r in rows if not is_partial(t, r[when], grain)]


def _bounds(t: Telling) -> tuple[date, date] | None:
    """The days that the rows can be of: those asked for, as far as the data covers them."""
    coverage, asked = t.plan.coverage, t.request.time_range
    if coverage is None:
        return (asked.start, asked.end) if asked is not None and not is_open(asked) else None
    return coverage if asked is None else (max(coverage[0], asked.start), min(coverage[1], asked.end))


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
    limits, time = _bounds(t), t.plan.time
    if limits is None or time is None or time.coverage is None or time.grain in (None, *_DAYS):
        return limits
    first, last = as_day(time.coverage[0]), as_day(time.coverage[1])
    if time.grain is TimeGranularity.WEEK:  # it may be named by any of its days
        first, last = first - timedelta(days=6), last + timedelta(days=6)
    else:
        first, last = period_start(first, time.grain), period_end(last, time.grain)
    asked = t.request.time_range
    return (first, last) if asked is None else (max(first, asked.start), min(last, asked.end))


def partial_periods(t: Telling, starts: Sequence[Any], grain: TimeGranularity) -> list[str]:
    """Where the first or last period is not whole, told with the day at which it is cut."""
    present = [s for s in starts if s is not None]
    limits = _bounds(t)
    if not present or limits is None:
        return []
    found: list[str] = []
    for verb, start, day in (("begin", min(present), limits[0]), ("end", max(present), limits[1])):
        if not is_partial(t, start, grain):
            continue
        if grain is TimeGranularity.HOUR:
            found.append(f"The hour in which the rows {verb} is not whole")
        elif as_day(start) <= day <= period_end(as_day(start), grain):
            within = "within" if t.plan.time is not None and day in t.plan.time.open_days else "on"
            cut = "that day" if grain is TimeGranularity.DAY else f"the {grain} of that day"
            found.append(f"The rows {verb} {within} {moment(day)}, so {cut} is not whole")
            t.bound(day)
    return found
