"""Moments as columns hold them: dates, time stamps, and numbers that write dates down."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from gnomon.core.errors import NotFound
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity

_EPOCH = dt.datetime(1970, 1, 1)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BETWEEN = r"[ ./,-]{0,2}"
_APART = r"[ ./,-]{1,2}"  # W000001 is a number of something
_YEAR = r"(?:1[5-9]|2[01])\d\d"
_WEEK = r"0?[1-9]|[1-4]\d|5[0-3]"
_WEEK_WORD = r"(?:W|WK|WEEK|KW|CW)"
_QUARTERED = regex(
    rf"({_YEAR}){_BETWEEN}Q(?:UARTER)?\s?([1-4])|Q(?:UARTER|TR)?\s?([1-4])(?:{_BETWEEN}|\s?')({_YEAR}|\d{{2}})|([1-4])Q{_BETWEEN}({_YEAR}|\d{{2}})",
    re.IGNORECASE,
)
_WEEKLY = regex(
    rf"({_YEAR}){_BETWEEN}{_WEEK_WORD}\s?({_WEEK})|{_WEEK_WORD}\s?({_WEEK}){_APART}({_YEAR})",
    re.IGNORECASE,
)
_CENTURY = 2000  # of years of two digits


class Written(StrEnum):
    """How a moment is written down: 2024, 202401, 20240131, time since 1970; in text 2024Q1, Q1 2024, 2024-W05.

    A year may have its quarter in the column beside it.
    """

    YEAR = "year"
    YEAR_AND_QUARTER = "year and quarter"
    MONTH = "month"
    DAY = "day"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    MICROSECONDS = "microseconds"
    QUARTER = "quarter"
    WEEK = "week"

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> Written | None:
        """How texts write periods down, where all of them do so alike."""
        said = [t.strip() for t in texts]
        for written, form in ((cls.QUARTER, _QUARTERED), (cls.WEEK, _WEEKLY)):
            if said and all(form.fullmatch(t) for t in said):
                return written
        return None

    @property
    def is_text(self) -> bool:
        """Whether it is text that writes it down."""
        return self in (Written.QUARTER, Written.WEEK)

    @property
    def tells_time(self) -> bool:
        """Whether it is a moment of a day that it writes down."""
        return self in (Written.SECONDS, Written.MILLISECONDS, Written.MICROSECONDS)

    def day(self, number: int | str) -> dt.date:
        """The day that ``number`` writes down (the first of a week, month, quarter or year).

        Raises:
            ValueError: There is no such day.
        """
        if self.is_text:
            return self._first_day(str(number).strip())
        number = int(number)
        if self in (Written.YEAR, Written.YEAR_AND_QUARTER):
            return dt.date(number, 1, 1)
        if self is Written.MONTH:
            return dt.date(number // 100, number % 100, 1)
        if self is Written.DAY:
            return dt.date(number // 10_000, number // 100 % 100, number % 100)
        return (_EPOCH + dt.timedelta(seconds=number / self.per_second)).date()

    def _first_day(self, text: str) -> dt.date:
        found = (_QUARTERED if self is Written.QUARTER else _WEEKLY).fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} writes no {self} down")
        if self is Written.WEEK:
            first = dt.date.fromisocalendar(int(found[1] or found[4]), 1, 1)
            return first + dt.timedelta(
                weeks=int(found[2] or found[3]) - 1
            )  # a year without a week 53 runs on
        year = int(found[1] or found[4] or found[6])
        return dt.date(
            year if year > 99 else _CENTURY + year, 3 * int(found[2] or found[3] or found[5]) - 2, 1
        )

    @property
    def per_second(self) -> int:
        """How many of its units make a second."""
        return {Written.SECONDS: 1, Written.MILLISECONDS: 10**3, Written.MICROSECONDS: 10**6}[self]


def month_number(text: str) -> int | None:
    """The month that a text names in full or by its first letters, or writes as a number; None where it is none."""
    said = text.strip().lower().rstrip(".")
    if said.isdecimal():
        return (
            int(said) if len(said) <= 3 and 1 <= int(said) <= 12 else None
        )  # others may have thousands of digits
    short = said[:3]
    return MONTHS.index(short) + 1 if short in MONTHS and _FULL[short].startswith(said) else None


_FULL = dict(
    zip(
        MONTHS,
        ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
         "december"),
        strict=True,
    )
)  # fmt: skip


def moment(column: Any, written: Written | None, beside: Sequence[Any] = ()) -> Any:
    """A column as dates or time stamps, whatever it holds them as.

    Args:
        column: The column.
        written: How it writes moments down, where it holds none.
        beside: For years, the columns of the month and perhaps of the day; for days, the column of the time of day.
    """
    import ibis

    if written is Written.YEAR_AND_QUARTER and beside:
        return ibis.date(column.cast("int32"), (3 * quarter_in(beside[0]) - 2).cast("int32"), 1)
    if written is Written.YEAR and beside:
        month, day = _month(beside[0]), beside[1].cast("int32") if len(beside) > 1 else 1
        return ibis.date(column.cast("int32"), month, day)
    if written is Written.YEAR:
        return ibis.date(column.cast("int32"), 1, 1)
    if written is None and beside:
        return column.cast("timestamp") + _minutes(beside[0]).as_interval("m")
    if written is not None and written.is_text:
        return _period_text(column, written)
    if written is Written.MONTH:
        whole = column.cast("int32")
        return ibis.date((whole // 100).cast("int32"), (whole % 100).cast("int32"), 1)
    if written is Written.DAY:
        whole = column.cast("int32")
        return ibis.date(
            (whole // 10_000).cast("int32"),
            (whole // 100 % 100).cast("int32"),
            (whole % 100).cast("int32"),
        )
    if written is not None:
        return (column // written.per_second).cast("int64").as_timestamp("s")
    kind = column.type()
    if kind.is_date():
        return column
    if kind.is_timestamp():
        return column.cast("timestamp") if kind.timezone else column
    return column.cast("timestamp" if kind.is_string() else "date")


def _month(column: Any) -> Any:
    """A column of months as their numbers, whether it holds those or names."""
    import ibis

    if not column.type().is_string():
        return column.cast("int32")
    said = column.strip().lower()
    named = ibis.cases(
        *((said.startswith(m), n) for n, m in enumerate(MONTHS, start=1)), else_=ibis.null("int8")
    )
    return named.cast("int32")


def quarter_in(column: Any) -> Any:
    """A column of quarters as their numbers, whether it holds those or Q1."""
    return (column.strip().right(1) if column.type().is_string() else column).cast("int32")


def _minutes(column: Any) -> Any:
    """The minutes of the day that a column of times tells."""
    if column.type().is_time():
        return column.hour() * 60 + column.minute()
    hours, minutes = (column.re_extract(r"(\d{1,2}):(\d{2})", n).cast("int32") for n in (1, 2))
    return hours * 60 + minutes


def _period_text(column: Any, written: Written) -> Any:
    """The first day of the quarter or week that text writes down."""
    import ibis

    said = column.upper()
    if written is Written.QUARTER:
        alone = said.re_replace(r"^\s*[1-4]Q|Q(?:UARTER|TR)?\s?[1-4]", "")
        year = alone.re_extract(r"(\d{4}|\d{2})", 1).cast("int32")
        year = ibis.cases((year < 100, year + _CENTURY), else_=year)
        either = said.re_extract(r"(^\s*[1-4]Q|Q(?:UARTER|TR)?\s?[1-4])", 1)
        quarter = either.re_extract(r"([1-4])", 1).cast("int32")
        return ibis.date(year.cast("int32"), (quarter * 3 - 2).cast("int32"), 1)
    year = said.re_extract(r"(\d{4})", 1).cast("int32")
    week = said.re_extract(r"(?:W|K|C)\D*(\d{1,2})", 1).cast("int32")
    fourth = ibis.date(year, 1, 4)  # always in the first week
    first = fourth + ((week - 1) * 7 - fourth.day_of_week.index()).as_interval("D")
    return first.cast("timestamp").cast("date")  # a database gives a time stamp for a date and an interval


def period(column: Any, grain: TimeGranularity) -> Any:
    """The first day (or the first moment of the hour) of the period that each moment lies in."""
    if grain is TimeGranularity.HOUR:
        return column.cast("timestamp").truncate("h")
    if grain is TimeGranularity.DECADE:
        import ibis

        return ibis.date((column.year() // 10 * 10).cast("int32"), 1, 1)
    unit = {"day": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}[grain.value]
    if unit == "D":
        return column.date() if column.type().is_timestamp() else column
    # A database may give the first day of a month as a time stamp, also of a date.
    return column.cast("timestamp").truncate(unit).cast("date")


def usual_step(grain: TimeGranularity | None, coverage: tuple[dt.date, dt.date] | None) -> TimeGranularity:
    """The step at which people look first: months, days of less than two of them, never finer than it is recorded."""
    short = coverage is not None and (coverage[1] - coverage[0]).days < 62
    usual = TimeGranularity.DAY if short else TimeGranularity.MONTH
    steps = list(TimeGranularity)
    return max(usual, grain or usual, key=steps.index)


def within(column: Any, first: dt.date, last: dt.date) -> Any:
    """Whether each moment lies on one of the days from ``first`` to ``last``, both included."""
    if column.type().is_timestamp():
        start = dt.datetime.combine(first, dt.time())
        if last == dt.date.max:
            return column >= start
        return (column >= start) & (column < dt.datetime.combine(last, dt.time()) + dt.timedelta(days=1))
    return (column >= first) & (column <= last)


def part(column: Any, name: str) -> Any:
    """A part of time that repeats: month 1–12, weekday 0–6 from Monday, quarter, hour, minute of the day, day, year.

    Raises:
        InvalidInput: There is no such part.
    """
    if name == "weekday":
        return column.day_of_week.index()
    if name == "hour":
        return column.cast("timestamp").hour()
    if name == "minute":
        return column.cast("timestamp").hour() * 60 + column.cast("timestamp").minute()
    parts = {"month": "month", "quarter": "quarter", "day": "day", "year": "year", "week": "week_of_year"}
    if name not in parts:
        raise NotFound.among("part of time", name, [*parts, "weekday", "hour", "minute"])
    return getattr(column, parts[name])()
