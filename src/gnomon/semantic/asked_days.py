"""Which days a tree asks about: the bounds that its conditions set on a column of time."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from gnomon.core import algebra as al
from gnomon.core.query import TimeGranularity, TimeRange

_DAY = timedelta(days=1)
_TURNED = {
    al.Comparison.LESS: al.Comparison.MORE, al.Comparison.MORE: al.Comparison.LESS,
    al.Comparison.AT_MOST: al.Comparison.AT_LEAST, al.Comparison.AT_LEAST: al.Comparison.AT_MOST,
}  # fmt: skip


@dataclass(frozen=True)
class Bounds:
    """What conditions say of one column of time: its days, or which year, quarter and month they lie in."""

    start: date = date.min
    end: date = date.max
    years: tuple[int, int] | None = None
    quarter: int | None = None
    month: int | None = None

    @property
    def days(self) -> TimeRange | None:
        """The days, named as a year, quarter or month where they are one; None where they have no bounds."""
        start, end = self.start, self.end
        if self.years is not None:
            first, last = self.years
            start = max(start, date(max(first, 1), self._month(first == last, 0), 1))
            month = self._month(first == last, 1)
            last = min(last, 9999)
            end = min(end, date(last, month, calendar.monthrange(last, month)[1]))
        if (start, end) == (date.min, date.max) or start > end:
            return None
        return TimeRange(start=start, end=end, granularity=_grain(start, end))

    def _month(self, one_year: bool, last: int) -> int:
        if one_year and self.month is not None:
            return self.month
        if one_year and self.quarter is not None:
            return 3 * self.quarter - 2 + 2 * last
        return 12 if last else 1


def _grain(start: date, end: date) -> TimeGranularity:
    whole = start.day == 1 and end != date.max and (end + _DAY).day == 1 and start.year == end.year
    months = (start.month, end.month)
    if whole and months == (1, 12):
        return TimeGranularity.YEAR
    if whole and months[0] == months[1]:
        return TimeGranularity.MONTH
    if whole and months[0] % 3 == 1 and months[1] == months[0] + 2:
        return TimeGranularity.QUARTER
    return TimeGranularity.DAY


def asked_days(where: al.Node | None) -> dict[tuple[str, str], Bounds]:
    """The bounds that conditions which all have to hold set on columns of tables."""
    found: dict[tuple[str, str], Bounds] = {}
    for test in all_of(where):
        found |= dict(_bounds(test, found))
    return found


def all_of(where: al.Node | None) -> Iterator[al.Node]:
    """The conditions that all have to hold."""
    if isinstance(where, al.Every):
        for part in where.of:
            yield from all_of(part)
    elif where is not None:
        yield where


def _bounds(test: al.Node, known: dict[tuple[str, str], Bounds]) -> Iterator[tuple[tuple[str, str], Bounds]]:
    if isinstance(test, al.Among) and test.hold and test.query is None and test.values:
        held = [v.value for v in test.values]
        if all(isinstance(v, int) and not isinstance(v, bool) for v in held):
            years = sorted(v for v in held if isinstance(v, int))
            if years[-1] - years[0] == len(set(years)) - 1:
                yield from _part(test.left, years[0], years[-1], known)
        elif all(isinstance(v, date) for v in held) and isinstance(test.left, al.Column):
            days = sorted(_day(v) for v in held if isinstance(v, date))
            yield _narrowed(test.left, days[0], days[-1], known)
        return
    if not isinstance(test, al.Test):
        return
    left, sign, right = test.left, test.operator, test.right
    if isinstance(left, al.Literally):
        left, sign, right = right, _TURNED.get(sign, sign), left
    if not isinstance(right, al.Literally):
        return
    value = right.value
    if isinstance(value, date):
        yield from _dated(left, sign, value, known)
    elif isinstance(value, int) and not isinstance(value, bool):
        low = {al.Comparison.EQUAL: value, al.Comparison.AT_LEAST: value, al.Comparison.MORE: value + 1}.get(
            sign
        )
        high = {al.Comparison.EQUAL: value, al.Comparison.AT_MOST: value, al.Comparison.LESS: value - 1}.get(
            sign
        )
        if low is not None or high is not None:
            yield from _part(left, low, high, known)


def _part(
    left: al.Node, low: int | None, high: int | None, known: dict[tuple[str, str], Bounds]
) -> Iterator[tuple[tuple[str, str], Bounds]]:
    """A year, quarter or month that is compared with numbers."""
    if not (isinstance(left, al.Call) and left.arguments and isinstance(left.arguments[0], al.Column)):
        return
    column = left.arguments[0]
    at = (column.table, column.column)
    bounds = known.get(at, Bounds())
    if left.function is al.Function.YEAR:
        first, last = bounds.years or (1, 9999)
        years = (max(first, low or 1), min(last, high or 9999))
        if years[0] <= years[1]:
            yield at, replace(bounds, years=years)
    elif low == high and low is not None and left.function is al.Function.MONTH and 1 <= low <= 12:
        yield at, replace(bounds, month=low)
    elif low == high and low is not None and left.function is al.Function.QUARTER and 1 <= low <= 4:
        yield at, replace(bounds, quarter=low)


def _dated(
    left: al.Node, sign: al.Comparison, value: date, known: dict[tuple[str, str], Bounds]
) -> Iterator[tuple[tuple[str, str], Bounds]]:
    if isinstance(left, al.Call) and left.function is al.Function.START_OF and sign is al.Comparison.EQUAL:
        column, grain = left.arguments[0], left.arguments[1]
        months = {"month": 1, "quarter": 3, "year": 12}.get(str(getattr(grain, "value", "")), 0)
        if isinstance(column, al.Column) and months:
            start = _day(value)
            year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
            yield _narrowed(column, start, date(year, month + 1, 1) - _DAY, known)
        return
    if isinstance(left, al.Call) and left.function in (al.Function.DATE, al.Function.MOMENT):
        left = left.arguments[0]
    if not isinstance(left, al.Column):
        return
    begins = not isinstance(value, datetime) or value.time() == datetime.min.time()
    day = _day(value)
    before = day - _DAY if begins and day > date.min else day
    after = day if isinstance(value, datetime) or day == date.max else day + _DAY
    match sign:
        case al.Comparison.EQUAL:
            yield _narrowed(left, day, day, known)
        case al.Comparison.AT_LEAST:
            yield _narrowed(left, day, date.max, known)
        case al.Comparison.MORE:
            yield _narrowed(left, after, date.max, known)
        case al.Comparison.AT_MOST:
            yield _narrowed(left, date.min, day, known)
        case al.Comparison.LESS:
            yield _narrowed(left, date.min, before, known)
        case _:
            return


def _narrowed(
    column: al.Column, start: date, end: date, known: dict[tuple[str, str], Bounds]
) -> tuple[tuple[str, str], Bounds]:
    at = (column.table, column.column)
    bounds = known.get(at, Bounds())
    return at, replace(bounds, start=max(start, bounds.start), end=min(end, bounds.end))


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value
