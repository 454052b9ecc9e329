"""Calendar arithmetic: units of time, the unit that holds a day, and steps from one unit to another.

Weeks run Monday to Sunday. A week belongs to the month or year that holds its Thursday (as ISO 8601 has it).
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from gnomon.core.query import TimeGranularity

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class CalendarUnit:
    """A length on the calendar: so many months, or so many days, never both.

    Args:
        name: What people call it.
        months: Its length in months, 0 when it is counted in days.
        days: Its length in days, 0 when it is counted in months.
        grain: The granularity that comes nearest to it.
    """

    name: str
    months: int
    days: int
    grain: TimeGranularity

    def floor(self, day: date, first_month: int = 1) -> date:
        """The first day of the unit that holds ``day``, where years begin in ``first_month``."""
        if self.months:
            index = day.year * 12 + day.month - first_month
            return _month_start(index - index % self.months + first_month - 1)
        return day - timedelta(days=day.weekday()) if self.days > 1 else day

    def step(self, start: date, count: int) -> date:
        """The day ``count`` units after ``start``; a day that the month lacks becomes its last.

        Behind the ends of the calendar there is nothing: data that is valid until 9999-12-31 ends there.
        """
        return self._moved(start, count) or (date.max if count > 0 else date.min)

    def last_day(self, start: date, count: int = 1) -> date:
        """The last day of ``count`` units of which the first begins on ``start``."""
        after = self._moved(start, count)
        return after - ONE_DAY if after is not None and after > date.min else date.max

    def _moved(self, start: date, count: int) -> date | None:
        try:
            if self.months:
                return add_months(start, self.months * count)
            return start + timedelta(days=self.days * count)
        except (OverflowError, ValueError):
            return None


HOUR = CalendarUnit("hour", 0, 1, TimeGranularity.HOUR)
DAY = CalendarUnit("day", 0, 1, TimeGranularity.DAY)
WEEK = CalendarUnit("week", 0, 7, TimeGranularity.WEEK)
FORTNIGHT = CalendarUnit("fortnight", 0, 14, TimeGranularity.WEEK)
MONTH = CalendarUnit("month", 1, 0, TimeGranularity.MONTH)
QUARTER = CalendarUnit("quarter", 3, 0, TimeGranularity.QUARTER)
HALF = CalendarUnit("half-year", 6, 0, TimeGranularity.QUARTER)
YEAR = CalendarUnit("year", 12, 0, TimeGranularity.YEAR)
DECADE = CalendarUnit("decade", 120, 0, TimeGranularity.DECADE)
CENTURY = CalendarUnit("century", 1200, 0, TimeGranularity.YEAR)

OF_GRAIN = {u.grain: u for u in (HOUR, DAY, WEEK, MONTH, QUARTER, YEAR, DECADE)}


@dataclass(frozen=True)
class QueryContext:
    """The calendar around the day on which a question is asked."""

    today: date
    week_start: date
    week_end: date
    month_start: date
    month_end: date

    @classmethod
    def of(cls, today: date) -> QueryContext:
        """The Monday-to-Sunday week and the calendar month that hold ``today``."""
        week, month = WEEK.floor(today), MONTH.floor(today)
        return cls(today, week, WEEK.last_day(week), month, month_end(month))


def add_months(day: date, months: int) -> date:
    """The same day of the month so many months later, or that month's last day where there is none."""
    start = _month_start(day.year * 12 + day.month - 1 + months)
    return start.replace(day=min(day.day, monthrange(start.year, start.month)[1]))


def month_end(day: date) -> date:
    """The last day of the month that holds ``day``."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def iso_weeks(year: int) -> int:
    """How many ISO weeks a year has: 52 or 53."""
    return date(year, 12, 28).isocalendar().week


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """The ``nth`` weekday (Monday is 1) of a month, counted from the end when ``nth`` is negative."""
    if nth > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.isoweekday()) % 7 + 7 * (nth - 1))
    last = month_end(date(year, month, 1))
    return last - timedelta(days=(last.isoweekday() - weekday) % 7 + 7 * (-nth - 1))


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous Gregorian algorithm)."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    week = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    shift = (golden + 11 * moon + 22 * week) // 451
    month, day = divmod(moon + week - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def _month_start(index: int) -> date:
    return date(index // 12, index % 12 + 1, 1)
