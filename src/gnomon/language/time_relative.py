"""Rules for time relative to today: last, this and next so many units, days ago, weekdays, to date."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from gnomon.language import calendar as cal
from gnomon.language import time_years
from gnomon.language.time_dates import BEFORE_TIME
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Days, Point, Reader, is_whole_year
from gnomon.language.time_words import PLURAL_UNITS, WEAK, WEEKDAYS, phrases, word_set

LAST = word_set("last past previous prior preceding trailing rolling recent latest")
THIS = word_set("this current present ongoing")
NEXT = word_set("next coming upcoming following subsequent")
_NEAR_DAYS = phrases(
    {
        "day before yesterday": -2, "day after tomorrow": 2, "yesterday": -1, "yest": -1, "yday": -1,
        "today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1,
    }
)  # fmt: skip
_SO_FAR = phrases({"so far": True, "to date": True, "up to now": True, "until now": True, "to today": True})
_TO_DATE = {"ytd": cal.YEAR, "qtd": cal.QUARTER, "mtd": cal.MONTH, "wtd": cal.WEEK}
_WINDOWS = word_set("average averages avg mean median sum total window windows std moving rolling")
WEEKEND = frozenset({"weekend", "weekends"})


def near_day(r: Reader, i: int) -> Point | None:
    """Today, yesterday, tomorrow, the day before yesterday."""
    for end, offset in r.phrases(i, _NEAR_DAYS):
        return _days(r, end, offset, offset)
    return None


def units_from_today(r: Reader, i: int) -> Point | None:
    """``last 3 months``, ``this week``, ``next year``, ``the past 30 days``.

    "Last N days" end today, today included. "Last N" of a longer unit are whole calendar units that end
    before the current one. "This" unit is the whole current one, noted as to date.
    """
    at = i + 2 if r.low(i) == "most" and r.low(i + 1) == "recent" else i + 1
    word = r.low(at - 1)
    if word not in LAST | THIS | NEXT or r.low(at) == "-":
        return None
    counted = r.number(at)
    count, at, sure = counted or (1, at, 1.0)
    fiscal = r.low(at) in {"fiscal", "financial"}
    unit = r.unit(at + fiscal)
    if unit is None or (count == 0) or (counted and word in THIS):
        return None
    end = unit[1]
    if r.low(end) in _WINDOWS:
        return None
    if not counted and r.low(end - 1) in PLURAL_UNITS:
        count, sure = 3, 0.4
    if counted and r.low(end) == "period":
        end += 1
    first_month = r.first_month if fiscal else 1
    point = _relative(r, end, unit[0], word, count if counted or sure < 1 else None, first_month)
    if point is None:
        return None
    vague = word in {"recent", "latest", "following", "subsequent"} or (word == "past" and not counted)
    return replace(point, confidence=round(point.confidence * sure * (0.8 if vague else 1.0), 3))


def _relative(
    r: Reader, end: int, unit: cal.CalendarUnit, word: str, count: int | None, first_month: int
) -> Point | None:
    n = count or 1
    current = unit.floor(r.today, first_month)
    if unit is cal.HOUR:
        days = -(-n // 24)
        first, last = (-days, 0) if word in LAST else (0, days if word in NEXT else 0)
        return replace(_days(r, end, first, last), unit=cal.HOUR, confidence=0.7, note="whole days")
    if word in THIS:
        stop = unit.last_day(current)
        return Point(end, current, stop, unit, note="to date" if r.today < stop else "")
    if unit is cal.DAY and count is not None:
        return _days(r, end, 1 - n, 0) if word in LAST else _days(r, end, 1, n)
    if word in LAST:
        start, stop = unit.step(current, -n), current - cal.ONE_DAY
    else:
        start = unit.step(current, 1)
        stop = unit.last_day(start, n)
    note = "weeks run Monday to Sunday" if unit in (cal.WEEK, cal.FORTNIGHT) else ""
    return Point(end, start, stop, unit, note=note)


def named_from_today(r: Reader, i: int) -> Point | None:
    """``last Friday``, ``next March``, ``this Christmas``, ``last weekend``, ``last Q4``."""
    word = r.low(i)
    if word not in LAST | THIS | NEXT or word in {"trailing", "rolling"}:
        return None
    if r.low(i + 1) in WEEKEND:
        return _weekend(r, i + 2, word)
    if r.low(i + 1) in WEEKDAYS:
        return _weekday_from_today(r, i + 2, WEEKDAYS[r.low(i + 1)], word)
    point = r.point(i + 1)
    if point is None or point.in_year is None:
        return None
    year = r.today.year
    if word in LAST:
        point = next(p for p in (point.at(year - n) for n in range(9)) if p.stop < r.today)
    elif word in NEXT:
        point = next(p for p in (point.at(year + n) for n in range(9)) if p.start > r.today)
    else:
        point = point.at(year)
    return replace(point, confidence=0.9 if point.unit is not cal.QUARTER else 0.8)


def part_of_named_year(r: Reader, i: int) -> Point | None:
    """``last year's Q4``, ``2024 March``: the year before its part."""
    year = units_from_today(r, i) or time_years.year(r, i) or time_years.fiscal_year(r, i)
    if year is None or not is_whole_year(year):
        return None
    at = year.end
    if r.low(at) == "'" and r.low(at + 1) == "s" and r.glued(at + 1):
        at += 2
    part = r.point(at)
    if part is None or part.in_year is None or part.confidence < 0.5 or r.glued(at):
        return None
    return part.at(year.year or year.start.year)


def _weekend(r: Reader, end: int, word: str) -> Point:
    offset = -1 if word in LAST else 1 if word in NEXT else 0
    saturday = cal.WEEK.floor(r.today) + timedelta(days=7 * offset + 5)
    return Point(end, saturday, saturday + cal.ONE_DAY, cal.DAY)


def _weekday_from_today(r: Reader, end: int, weekday: int, word: str) -> Point:
    ahead = (weekday - r.today.isoweekday()) % 7
    if word in LAST:
        offset = ahead - 7
    elif word in NEXT:
        offset = ahead or 7
    else:
        offset = weekday - r.today.isoweekday()
    return replace(_days(r, end, offset, offset), confidence=0.95 if word in LAST else 0.8)


def weekday(r: Reader, i: int) -> Point | None:
    """``Friday``, ``Monday of last week``; alone it is the most recent one."""
    word = r.low(i)
    if word not in WEEKDAYS:
        return None
    number, end = WEEKDAYS[word], i + 1
    week = r.point(r.skip(r.skip(r.skip(end, {","}), {"of", "in"}), {"the"}))
    if week is not None and week.unit is cal.WEEK and (week.stop - week.start).days == 6:
        return week.map(lambda start, _: _one(start + timedelta(days=number - 1)), week.end, cal.DAY)
    if (word in WEAK or len(word) <= 5) and not r.capital(i) and r.low(i - 1) not in BEFORE_TIME:
        return None
    offset = -((r.today.isoweekday() - number) % 7)
    near = _days(r, end, offset, offset)
    return replace(near, confidence=0.6, recurring=Recurring("weekday", (number,)), note="the most recent")


def ago(r: Reader, i: int) -> Point | None:
    """``3 days ago``, ``two months ago``: the day, or the whole calendar unit, that long before today."""
    counted = r.number(i) or ((1, i + 1, 1.0) if r.low(i) in {"a", "an"} else None)
    unit = r.unit(counted[1]) if counted else None
    if counted is None or unit is None:
        return None
    back = r.low(unit[1]) == "ago"
    if not back and r.phrase(unit[1], "from", "now") is None and r.phrase(unit[1], "from", "today") is None:
        return None
    count, end = (-counted[0], unit[1] + 1) if back else (counted[0], unit[1] + 2)
    if unit[0] is cal.HOUR:
        return replace(_days(r, end, -(counted[0] // 24), 0), unit=cal.HOUR, confidence=0.6)
    start = unit[0].step(unit[0].floor(r.today), count)
    note = "" if unit[0] is cal.DAY else f"the whole calendar {unit[0].name}"
    return Point(end, start, unit[0].last_day(start), unit[0], confidence=0.9 * counted[2], note=note)


def before_last(r: Reader, i: int) -> Point | None:
    """``the week before last``: the whole calendar unit before the last one."""
    unit = r.unit(i)
    if unit is None or (end := r.phrase(unit[1], "before", "last")) is None or r.unit(end) is not None:
        return None
    start = unit[0].step(unit[0].floor(r.today), -2)
    return Point(end, start, unit[0].last_day(start), unit[0])


def to_date(r: Reader, i: int) -> Point | None:
    """``YTD``, ``month to date``, ``this year so far``, ``so far this quarter``."""
    if r.low(i) in _TO_DATE:
        return _since_start(r, i + 1, _TO_DATE[r.low(i)])
    fiscal = r.low(i) in {"fiscal", "financial"}
    unit = r.unit(i + fiscal)
    if unit and (end := r.phrase(r.skip(unit[1], {"-"}), "to", "date")) is not None:
        return _since_start(r, end, unit[0], r.first_month if fiscal else 1)
    if (start := r.phrase(i, "so", "far")) is not None:
        point = r.point(r.skip(start, {"in"}))
        return _clipped(r, point, point.end) if point else None
    if r.low(i) in THIS and (point := units_from_today(r, i)) is not None:
        for end, _ in r.phrases(point.end, _SO_FAR):
            return _clipped(r, point, end)
    return None


def _since_start(r: Reader, end: int, unit: cal.CalendarUnit, first_month: int = 1) -> Point:
    start = unit.floor(r.today, first_month)
    if unit is not cal.YEAR or first_month != 1:
        return Point(end, start, r.today, unit, note="to date")

    def in_year(year: int) -> Days:
        return date(year, 1, 1), cal.add_months(r.today, 12 * (year - r.today.year))

    return Point(end, start, r.today, unit, in_year=in_year, note="to date")


def _clipped(r: Reader, point: Point, end: int) -> Point | None:
    if not point.start <= r.today:
        return None
    return replace(
        point, stop=min(point.stop, r.today), end=end, note="to date", in_year=None, recurring=None
    )


def _days(r: Reader, end: int, first: int, last: int) -> Point:
    return Point(end, r.today + timedelta(days=first), r.today + timedelta(days=last), cal.DAY)


def _one(day: date) -> Days:
    return day, day
