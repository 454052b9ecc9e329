"""Moments as columns hold them: dates, time stamps, and numbers that write dates down."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

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
