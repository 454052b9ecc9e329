"""The time grammar: every mention of time in a question, relative to the day on which it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import lru_cache

from gnomon.core.errors import InvalidInput
from gnomon.language import calendar as cal
from gnomon.language import (
    time_dates,
    time_days,
    time_parts,
    time_relative,
    time_spans,
    time_units,
    time_years,
)
from gnomon.language.calendar import QueryContext
from gnomon.language.time_clock import clock
from gnomon.language.time_compare import comparison
from gnomon.language.time_found import Found
from gnomon.language.time_mention import Recurring, Shift, TimeMention
from gnomon.language.time_periods import describe_period, previous_period
from gnomon.language.time_reader import Reader, is_whole_year
from gnomon.language.time_recurring import recurring
from gnomon.language.time_steps import step
from gnomon.language.time_words import word_set

__all__ = [
    "QueryContext", "Recurring", "Shift", "TimeMention", "describe_period", "find_times", "previous_period",
]  # fmt: skip

_FROM_FIGURES = (
    time_dates.numeric_date, time_dates.numeric_month, time_dates.named_date, time_units.quarter_or_half,
    time_units.week_number, time_units.holiday, time_years.year, time_years.decade, time_relative.part_of_named_year, time_relative.ago,
    time_parts.ordered_part, time_parts.unit_around, time_parts.day_of_month,
    time_days.listed_day,
)  # fmt: skip
_FROM_WORDS = (
    time_parts.with_article, time_dates.named_date, time_dates.month, time_units.quarter_or_half,
    time_units.week_number, time_units.season, time_units.holiday, time_years.fiscal_year, time_years.decade,
    time_relative.near_day, time_relative.units_from_today, time_relative.named_from_today, time_relative.weekday, time_relative.part_of_named_year,
    time_relative.ago, time_relative.before_last, time_relative.to_date, time_parts.ordered_part, time_parts.rough_part, time_parts.unit_around,
)  # fmt: skip


def _plain(r: Reader, i: int) -> Found | None:
    point = r.point(i)
    return Found.of_point(i, point) if point else None


_RULES: tuple[Callable[[Reader, int], Found | None], ...] = (
    recurring, clock, comparison, time_spans.two_ended, time_days.ordinal_days, time_days.weekend_of,
    time_spans.one_ended, time_spans.school_year, _plain, step,
    time_spans.up_to_now,
)  # fmt: skip
_REMEMBERED = 512
_CONNECTORS = word_set("and or vs versus compared to with than against in the for plus , . & / of during")


def find_times(question: str, today: date, *, fiscal_year_start: int = 1) -> list[TimeMention]:
    """Every mention of time in ``question``, in order, none overlapping another.

    How words are read: weeks run Monday to Sunday. "Last N days" are the N days that end today. "Last N weeks",
    months, quarters or years are whole calendar units, the current one excluded; "last month" is the whole month
    before. "This month" is the whole current month, noted as to date. A month, quarter, date or holiday without a
    year is the most recent one that does not begin after today, unless a neighbour states the year; what it would
    mean for every year is kept in ``recurring``. A numeric date is read month first unless that is impossible.
    "First week of May" is its first seven days; weeks of a year are counted by their Thursday, as ISO 8601
    does. Fiscal years are named by the year in
    which they end.

    Args:
        question: Any text.
        today: The day that relative words count from.
        fiscal_year_start: The month in which fiscal years begin, 1 to 12.

    Returns:
        The mentions, longest first where two would share words.

    Raises:
        InvalidInput: If ``fiscal_year_start`` is not a month.
    """
    if not 1 <= fiscal_year_start <= 12:
        raise InvalidInput(
            f"fiscal_year_start is {fiscal_year_start}; it must be a month from 1 (January) to 12 (December)"
        )
    return list(_mentions(question, today, fiscal_year_start))


@lru_cache(maxsize=_REMEMBERED)
def _mentions(question: str, today: date, fiscal_year_start: int) -> tuple[TimeMention, ...]:
    reader = Reader(question, today, fiscal_year_start, _FROM_WORDS, _FROM_FIGURES)
    found: list[Found] = []
    i = 0
    while i < len(reader.tokens):
        best = _best(reader, i)
        if best is not None:
            found.append(best)
        i = best.end if best is not None else i + 1
    return tuple(f.mention(reader) for f in _years_not_days(reader, _lend_years(reader, found)))


def _best(reader: Reader, i: int) -> Found | None:
    """The longest reading at a token; among equals the rule that comes first."""
    best: Found | None = None
    for rule in _RULES:
        try:
            found = rule(reader, i)
        except (ValueError, OverflowError):  # no such day on the calendar
            continue
        if found is not None and (best is None or found.end > best.end):
            best = found
    if best is not None and best.point is None and reader.typo(best.begin, best.end):
        best = replace(best, confidence=round(best.confidence * 0.8, 3))
    return best


def _lend_years(reader: Reader, found: list[Found]) -> list[Found]:
    """Years for periods that state none: "March and April 2024", "March or April in 2024"."""
    for k in range(len(found) - 2, -1, -1):
        found[k] = _borrow(reader, found[k], found[k + 1], found[k].end, found[k + 1].begin)
    for k in range(1, len(found)):
        found[k] = _borrow(reader, found[k], found[k - 1], found[k - 1].end, found[k].begin)
    years = {f.point.start.year for f in found if f.point and f.kind == "period" and is_whole_year(f.point)}
    if len(years) == 1:
        (year,) = years
        found = [_in_year(f, year) for f in found]
    return found


def _years_not_days(reader: Reader, found: list[Found]) -> list[Found]:
    """“Oct 25 vs Oct 24”: one month with two numbers that are years of late is that month of two years."""
    named: dict[int, tuple[int, int]] = {}
    for k, f in enumerate(found):
        short = f.point is not None and f.kind == "period" and f.end - f.begin == 2
        number = reader.low(f.end - 1)
        if (
            short
            and f.point is not None
            and reader.is_month(f.begin)
            and number.isdecimal()
            and len(number) == 2
        ):
            named[k] = (f.point.start.month, int(number))
    latest = reader.today.year % 100
    for k, (month, number) in named.items():  # "in Oct 25"; a day would be said with "on"
        if latest - 9 <= number <= latest and reader.low(found[k].begin - 1) in {"in", "during"}:
            found[k] = _month_of(found[k], month, number, reader)
    months, numbers = {m for m, _ in named.values()}, {n for _, n in named.values()}
    if (
        len(named) != 2
        or len(months) != 1
        or len(numbers) != 2
        or not all(latest - 9 <= n <= latest for n in numbers)
    ):
        return found
    return [_month_of(f, *named[k], reader) if k in named else f for k, f in enumerate(found)]


def _month_of(found: Found, month: int, short: int, reader: Reader) -> Found:
    assert found.point is not None
    start = date(reader.today.year // 100 * 100 + short, month, 1)
    note = f"read as {start:%B %Y}, not as a day"
    whole = replace(found.point, start=start, stop=cal.MONTH.last_day(start), unit=cal.MONTH, note=note,
                    year=start.year, in_year=None, recurring=None, confidence=0.85)  # fmt: skip
    return replace(found, point=whole)


def _borrow(reader: Reader, found: Found, neighbour: Found, after: int, until: int) -> Found:
    year = neighbour.point.year if neighbour.point else None
    between = [reader.low(n) for n in range(after, until)]
    joined = 1 < len(between) <= 4 and between[0] in {
        "and",
        "but",
        "or",
    }  # "received in May and paid in June 2024"
    if year is None or not (joined or all(word in _CONNECTORS for word in between)):
        return found
    return _in_year(found, year)


def _in_year(found: Found, year: int) -> Found:
    if found.kind != "period" or found.point is None or found.point.in_year is None:
        return found
    try:
        return found.in_year(year)
    except ValueError:  # 29 February, in a year without one
        return found
