"""Days, periods and parts of time that repeat, as headings and sentences name them."""

from __future__ import annotations

from datetime import date, datetime

from gnomon.core.figures import MONTHS, listed, moment
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_periods import describe_period

_G = TimeGranularity
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def as_day(value: date | datetime) -> date:
    """The day of a moment."""
    return value.date() if isinstance(value, datetime) else value


def period_start(day: date, grain: TimeGranularity) -> date:
    """The first day of the period of that length that ``day`` lies in; weeks start on Monday."""
    return OF_GRAIN[grain].floor(day)


def period_end(day: date, grain: TimeGranularity) -> date:
    """The last day of that period."""
    return OF_GRAIN[grain].last_day(period_start(day, grain))


def period_name(start: date | datetime, grain: TimeGranularity) -> str:
    """The name of the period that begins at ``start``."""
    if grain is _G.HOUR:
        return f"{moment(as_day(start))} {start:%H:%M}"
    day = as_day(start)
    return range_name(TimeRange(start=day, end=period_end(day, grain), granularity=grain))


def period_of(start: date | datetime, grain: TimeGranularity) -> TimeRange:
    """The days of the period that begins at ``start``."""
    day = as_day(start)
    return TimeRange(start=day, end=period_end(day, grain), granularity=grain)


def hour_of(start: date | datetime, grain: TimeGranularity) -> dict[str, str]:
    """What places a fact within a day, which the days of its period do not tell; nothing for longer periods."""
    return {str(grain): period_name(start, grain)} if grain is _G.HOUR else {}


def is_open(days: TimeRange) -> bool:
    """Whether a range has no beginning or no end of its own."""
    return days.start == date.min or days.end == date.max


def range_name(days: TimeRange) -> str:
    """A range of days as a heading names it."""
    return moment(days.start) if days.start == days.end else describe_period(days)


def in_range(days: TimeRange) -> str:
    """A range of days as a sentence places something in it: in March 2025, on 3 March 2025, from … to …."""
    name = range_name(days)
    if is_open(days):
        return "over all time" if name == "all time" else name
    if days.start == days.end:
        return f"on {name}"
    if " – " not in name:
        return f"in {name}"
    first, last = name.split(" – ")
    month = last.split(" ", 1)[1].rsplit(" ", 1)[0] if first.isdigit() and len(first) < 3 else ""
    return f"from {first}{' ' + month if month else ''} to {last}"


def in_period(start: date | datetime, grain: TimeGranularity) -> str:
    """One period of a series as a sentence places something in it."""
    name = period_name(start, grain)
    if grain is _G.DECADE:
        return in_range(period_of(start, grain))
    return f"on {name}" if grain is _G.DAY else f"at {name}" if grain is _G.HOUR else f"in {name}"


def covered(coverage: tuple[date, date], grain: TimeGranularity | None) -> tuple[date, date]:
    """The days that are covered, the last one to the end of the period that it stands for."""
    first, last = as_day(coverage[0]), as_day(coverage[1])
    return (first, period_end(last, grain)) if grain is not None else (first, last)


def recurring(part: tuple[str, tuple[int, ...]]) -> str:
    """A part of time that repeats: on Saturday and Sunday, in December of any year."""
    unit, values = part
    if unit == "weekday":
        return f"on {listed([f'{WEEKDAYS[v]}s' for v in values])}"
    if unit == "month" and len(values) > 6:
        return f"without {listed([MONTHS[v - 1] for v in range(1, 13) if v not in values])}"
    if unit == "month":
        return f"in {listed([MONTHS[v - 1] for v in values])} of any year"
    if unit == "quarter":
        return f"in {listed([f'Q{v}' for v in values])} of any year"
    if unit in ("hour", "minute"):
        return listed(
            [_clock_span(first, last) for first, last in _runs(values, 60 if unit == "hour" else 1)]
        )
    return f"in {unit} {listed([str(v) for v in values])}"


def _runs(values: tuple[int, ...], size: int) -> list[tuple[int, int]]:
    """Stretches of a day in minutes, the one over midnight as one."""
    runs: list[tuple[int, int]] = []
    for v in sorted(values):
        if runs and runs[-1][1] == v * size:
            runs[-1] = (runs[-1][0], (v + 1) * size)
        else:
            runs.append((v * size, (v + 1) * size))
    if len(runs) > 1 and runs[0][0] == 0 and runs[-1][1] == 24 * 60:
        runs = [*runs[1:-1], (runs[-1][0], runs[0][1])]
    return runs


def _clock_span(first: int, last: int) -> str:
    if last - first == 1:
        return f"at {first // 60:02d}:{first % 60:02d}"
    return f"from {first // 60:02d}:{first % 60:02d} to {last // 60:02d}:{last % 60:02d}"
