"""Periods beside one another: the one before, the same one of another year, and what people call them."""

from __future__ import annotations

from datetime import date, timedelta

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language import calendar as cal
from gnomon.language.time_mention import Shift

_LARGE_FIRST = (cal.YEAR, cal.QUARTER, cal.MONTH, cal.WEEK)


def previous_period(
    period: TimeRange, shift: Shift | None = None, grain: TimeGranularity | None = None
) -> TimeRange:
    """The period to compare ``period`` with.

    Without a shift it is the one just before: whole calendar units map to as many whole units before (March to
    February), a unit to date to the same dates of the unit before (1 to 15 March to 1 to 15 February), other
    days to as many days before.

    Args:
        period: A closed period.
        shift: How far to go back: so many units that end where the period begins, or, for the same period of
            another unit and for what is shorter than the unit, both ends moved by it. Whole months stay whole months, 29 February becomes the 28th in a year
            without one, and weeks go back a year by 52 weeks so that weekdays stay the same.
        grain: The unit to reason in; otherwise the period's own granularity, then the largest it is whole in.

    Returns:
        The other period, at the same granularity.
    """
    if shift is not None:
        return _shifted(period, shift)
    own = cal.OF_GRAIN[grain or period.granularity]
    if grain is not None:
        units = (own,)
    else:
        units = _LARGE_FIRST if own in (cal.HOUR, cal.DAY) else (own, *_LARGE_FIRST)
    for unit in units:
        if (count := _whole(period, unit)) is not None:
            return _made(period, unit.step(period.start, -count), period.start - cal.ONE_DAY)
        if unit is own and _begins(period, own):
            return _to_date(period, own)
    return _made(period, period.start - timedelta(days=period.days), period.start - cal.ONE_DAY)


def _begins(period: TimeRange, unit: cal.CalendarUnit) -> bool:
    """Whether the period is the beginning of one unit."""
    return unit.floor(period.start) == period.start and period.end <= unit.last_day(period.start)


def _to_date(period: TimeRange, unit: cal.CalendarUnit) -> TimeRange:
    """The same part of the unit before, never beyond that unit's end."""
    start = unit.step(period.start, -1)
    return _made(period, start, min(unit.step(period.end, -1), period.start - cal.ONE_DAY))


def _shifted(period: TimeRange, shift: Shift) -> TimeRange:
    unit = cal.OF_GRAIN[shift.unit]
    count = shift.count if shift.year is None else period.start.year - shift.year
    if not shift.same_period and _whole(period, unit) is not None:
        return _made(period, unit.step(period.start, -shift.count), period.start - cal.ONE_DAY)
    if (
        shift.unit is TimeGranularity.YEAR
        and period.granularity is TimeGranularity.WEEK
        and (_whole(period, cal.WEEK) or _begins(period, cal.WEEK))
    ):
        unit, back = cal.WEEK, 52 * count
    else:
        back = count
    end = unit.step(period.end, -back)
    if unit.months and period.start.day == 1 and period.end == cal.month_end(period.end):
        end = cal.month_end(end)
    return _made(period, unit.step(period.start, -back), end)


def _whole(period: TimeRange, unit: cal.CalendarUnit) -> int | None:
    """How many whole units the period is, or None when it is not."""
    if unit.floor(period.start) != period.start:
        return None
    if unit.days:
        count, rest = divmod(period.days, unit.days)
    else:
        after = period.end + cal.ONE_DAY if period.end < date.max else period.end
        months = (after.year - period.start.year) * 12 + after.month - period.start.month
        count, rest = divmod(months, unit.months)
        rest = rest or after.day - 1
    return count if count and not rest else None


def _made(period: TimeRange, start: date, end: date) -> TimeRange:
    return TimeRange(start=start, end=end, granularity=period.granularity)


def describe_period(period: TimeRange) -> str:
    """What people call a period: "March 2025", "Q2 2024", "3 – 30 March 2025", "since 3 March 2025"."""
    start, end = period.start, period.end
    if start == date.min or end == date.max:
        if start != date.min:
            return f"since {_long(start)}"
        return "all time" if end == date.max else f"until {_long(end)}"
    if start == end:
        return f"{start.day} {start:%b} {start.year}"
    if period.days == 7 and start.weekday() == 0:
        return f"the week of {_long(start)}"
    if start.day == 1 and end == cal.month_end(end):
        return _months(period)
    if (start.year, start.month) == (end.year, end.month):
        return f"{start.day} – {_long(end)}"
    if start.year == end.year:
        return f"{start.day} {start:%B} – {_long(end)}"
    return f"{_long(start)} – {_long(end)}"


def _months(period: TimeRange) -> str:
    start, end = period.start, period.end
    if years := _whole(period, cal.YEAR):
        return str(start.year) if years == 1 else f"{start.year} – {end.year}"
    if (start.year, start.month) == (end.year, end.month):
        return f"{start:%B} {start.year}"
    if _whole(period, cal.QUARTER) == 1 and period.granularity is not TimeGranularity.MONTH:
        return f"Q{(start.month + 2) // 3} {start.year}"
    left = f"{start:%B}" if start.year == end.year else f"{start:%B} {start.year}"
    return f"{left} – {end:%B} {end.year}"


def _long(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
