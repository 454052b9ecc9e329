"""Moments as columns hold them: dates, time stamps, and numbers that write dates down."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from typing import Any

from gnomon.core.errors import NotFound
from gnomon.core.query import TimeGranularity

_EPOCH = dt.datetime(1970, 1, 1)


class Written(StrEnum):
    """How a number writes a moment down: 2024, 202401, 20240131, or time since 1970."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    MICROSECONDS = "microseconds"

    def day(self, number: int) -> dt.date:
        """The day that ``number`` writes down (the first of a month or year).

        Raises:
            ValueError: There is no such day.
        """
        if self is Written.YEAR:
            return dt.date(number, 1, 1)
        if self is Written.MONTH:
            return dt.date(number // 100, number % 100, 1)
        if self is Written.DAY:
            return dt.date(number // 10_000, number // 100 % 100, number % 100)
        return (_EPOCH + dt.timedelta(seconds=number / self.per_second)).date()

    @property
    def per_second(self) -> int:
        """How many of its units make a second."""
        return {Written.SECONDS: 1, Written.MILLISECONDS: 10**3, Written.MICROSECONDS: 10**6}[self]


def moment(column: Any, written: Written | None) -> Any:
    """A column as dates or time stamps, whatever it holds them as."""
    import ibis

    if written is Written.YEAR:
        return ibis.date(column.cast("int32"), 1, 1)
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


def period(column: Any, grain: TimeGranularity) -> Any:
    """The first day (or the first moment of the hour) of the period that each moment lies in."""
    if grain is TimeGranularity.HOUR:
        return column.cast("timestamp").truncate("h")
    unit = {"day": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}[grain.value]
    if unit == "D":
        return column.date() if column.type().is_timestamp() else column
    return column.truncate(unit).cast("date")


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
