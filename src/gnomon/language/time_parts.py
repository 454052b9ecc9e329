"""Rules for a part of another stretch: the first week of May, late March, the week of 3 March."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from gnomon.language import calendar as cal
from gnomon.language.time_dates import day_of_period
from gnomon.language.time_reader import Days, Point, Reader
from gnomon.language.time_units import part_of_year
from gnomon.language.time_words import ORDINALS, WEEKDAYS, phrases

_STATED = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "arrived", "arrive", "delivered", "paid", "came", "ran", "running", "departed",
     "left", "shipped", "returned", "submitted"}
)  # fmt: skip
_THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2, "close": 2}
_BEFORE = frozenset({"before", "preceding", "prior"})
_AFTER = frozenset({"after", "following"})
_AROUND = _BEFORE | _AFTER | {"of", "ended", "ending", "starting", "commencing", "beginning", "containing"}
_UP_TO = phrases(
    {
        "up to and including": 1, "up until and including": 1, "up to": 1, "up until": 1, "leading up to": 1,
        "running up to": 1, "to": 1, "through": 1, "until": 1, "till": 1,
    }
)  # fmt: skip
_SEVEN_DAYS = cal.CalendarUnit("week", 0, 7, cal.WEEK.grain)
_HALF = cal.CalendarUnit("half", 0, 0, cal.HALF.grain)


def with_article(r: Reader, i: int) -> Point | None:
    """``the`` before anything else."""
    return r.point(i + 1) if r.low(i) == "the" and r.low(i + 1) != "the" else None


def ordered_part(r: Reader, i: int) -> Point | None:
    """``first quarter of 2024``, ``second week of May``, ``last 10 days of June``, ``first Monday of 2025``."""
    found = _ordinal(r, i)
    if found is None:
        return None
    nth, at = found
    counted = r.number(at) if abs(nth) == 1 else None
    count, at, _ = counted or (1, at, 1.0)
    fiscal = r.low(at) in {"fiscal", "financial"}
    kind = _kind(r, at + fiscal)
    if kind is None or count == 0:
        return None
    unit, weekday, at = kind
    inner = _inside(r, at, unit)
    if inner is not None and inner.end > at:
        start = inner.start

        def part(start: date, stop: date) -> Days:
            if weekday:
                return _nth_weekday(start, stop, weekday, nth)
            from_first_day = unit is cal.WEEK and (counted or inner.unit is cal.MONTH)
            return _nth_unit(start, stop, _SEVEN_DAYS if from_first_day else unit, nth, count)

        grain = cal.DAY if weekday else unit if unit is not _HALF else _half_unit(inner)
        if (inner.unit.days and unit.months) or part(start, inner.stop)[1] > inner.stop + timedelta(days=3):
            return None
        return inner.map(part, inner.end, grain, confidence=min(inner.confidence, 0.95))
    if counted or nth < 0 or r.low(at) == "of":
        return None
    if unit is _HALF or unit is cal.QUARTER:
        named = part_of_year(r, at, cal.HALF if unit is _HALF else unit, nth, fiscal=fiscal)
        return replace(named, confidence=0.6) if named and unit is _HALF else named
    return None


def _ordinal(r: Reader, i: int) -> tuple[int, int] | None:
    word = r.low(i)
    if word in ORDINALS:
        return ORDINALS[word], i + 1
    if word == "last":
        return -1, i + 1
    if word.isascii() and word.isdecimal() and len(word) <= 2 and r.low(i + 1) in {"st", "nd", "rd", "th"}:
        return (int(word), i + 2) if r.glued(i + 1) and int(word) else None
    return None


def _kind(r: Reader, i: int) -> tuple[cal.CalendarUnit, int, int] | None:
    """The unit to count, or the weekday, and the token after it."""
    if r.low(i) in WEEKDAYS and len(r.low(i)) > 3:
        return cal.DAY, WEEKDAYS[r.low(i)], i + 1
    unit = r.unit(i)
    if unit is not None:
        return unit[0], 0, unit[1]
    return (_HALF, 0, i + 1) if r.low(i) == "half" else None


def _inside(r: Reader, i: int, unit: cal.CalendarUnit) -> Point | None:
    """What the part is of: a named stretch, or "the month" and "the year" for the current one."""
    if r.low(i) in {"of", "in"}:
        i = r.skip(i + 1, {"the"})
        whole = r.unit(i) if r.low(i - 1) == "the" else None
        if whole is not None and whole[0].months and r.low(whole[1]) != "of":
            start = whole[0].floor(r.today)
            return Point(
                whole[1], start, whole[0].last_day(start), whole[0], confidence=0.7, note="the current one"
            )
    elif unit is not _HALF and not unit.months:
        return None
    inner = r.point(r.skip(i, {","}))
    return inner if inner and inner.confidence >= 0.4 else None


def _nth_unit(start: date, stop: date, unit: cal.CalendarUnit, nth: int, count: int) -> Days:
    """The ``nth`` unit of a stretch (from its end when negative), or ``count`` of them from either side."""
    if unit is _HALF:
        return _half(start, stop, nth)
    first = _first_week(start) if unit is cal.WEEK else start
    if nth < 0:
        after = _first_week(stop + cal.ONE_DAY) if unit is cal.WEEK else stop + cal.ONE_DAY
        begin = unit.step(after, -count)
        return begin, unit.last_day(begin, count)
    begin = unit.step(first, nth - 1)
    return begin, unit.last_day(begin, count)


def _first_week(start: date) -> date:
    """The Monday of the first week whose Thursday is not before ``start``."""
    return start + timedelta(days=(3 - start.weekday()) % 7 - 3)


def _half(start: date, stop: date, nth: int) -> Days:
    if nth not in (1, 2, -1):
        raise ValueError("a whole has two halves")
    if cal.YEAR.last_day(start) == stop:
        middle = cal.add_months(start, 6)
    else:
        middle = start + timedelta(days=((stop - start).days + 1) // 2)
    return (start, middle - cal.ONE_DAY) if nth == 1 else (middle, stop)


def _half_unit(inner: Point) -> cal.CalendarUnit:
    return cal.HALF if inner.unit.grain == cal.YEAR.grain else cal.DAY


def _nth_weekday(start: date, stop: date, weekday: int, nth: int) -> Days:
    if nth > 0:
        day = start + timedelta(days=(weekday - start.isoweekday()) % 7 + 7 * (nth - 1))
    else:
        day = stop - timedelta(days=(stop.isoweekday() - weekday) % 7)
    return day, day


def rough_part(r: Reader, i: int) -> Point | None:
    """``early March``, ``mid-2023``, ``late last year``, ``the end of June``: about a third of it."""
    word = r.low(i)
    if word not in _THIRDS:
        return None
    named = word in {"beginning", "start", "middle", "end", "close"}
    if named and r.low(i + 1) != "of":
        return None
    at = i + 2 if named else r.skip(r.skip(i + 1, {"-"}), {"in"})
    if r.low(i + 1) == "in" and r.low(i - 1) in _STATED:
        return None  # "were late in May": how they were, not when in May
    inner = r.point(r.skip(at, {"the"}))
    if inner is None or (inner.stop - inner.start).days < 6:
        return None
    third = _THIRDS[word]
    unit = cal.MONTH if inner.unit.months > 1 else cal.DAY

    def part(start: date, stop: date) -> Days:
        months = (stop.year - start.year) * 12 + stop.month - start.month + 1
        if start.day == 1 and stop == cal.month_end(stop) and months % 3 == 0:
            begin = cal.add_months(start, third * months // 3)
            return begin, cal.add_months(begin, months // 3) - cal.ONE_DAY
        size = ((stop - start).days + 1) // 3
        begin = start + timedelta(days=size * third)
        return begin, stop if third == 2 else begin + timedelta(days=size - 1)

    note = f"{word} was read as about a third of it"
    return inner.map(part, inner.end, unit, confidence=round(inner.confidence * 0.6, 3), note=note)


def unit_around(r: Reader, i: int) -> Point | None:
    """``the week of 3 March``, ``the month of May``, ``quarter ending June 2024``, ``two weeks before Easter``."""
    counted = r.number(i)
    count, at, _ = counted or (1, i, 1.0)
    unit = r.unit(at)
    if unit is None or count == 0:
        return None
    word, at = r.low(unit[1]), r.skip(r.skip(unit[1] + 1, {"on", "in", "with"}), {"the"})
    for end, _ in r.phrases(unit[1], _UP_TO):
        inner = r.point(r.skip(end, {"the"}))
        finer = inner is not None and (inner.stop - inner.start).days < (unit[0].months * 28 or unit[0].days)
        if inner is not None and (counted or finer):
            return inner.map(_beside(unit[0], "ending", count), inner.end, unit[0], note="")
    if word not in _AROUND:
        return None
    if word == "prior":
        at = r.skip(r.skip(unit[1] + 1, {"to"}), {"the"})
    inner = r.point(at)
    if inner is None:
        return None
    within = not counted and word in {"ended", "ending"} and r.low(unit[1] + 1) == "in"
    if within and (inner.stop - inner.start).days > (unit[0].months * 31 or unit[0].days):
        return None  # weeks that end in 2024 are those of that year, not its last one
    if word in {"of", "containing"}:
        return _holding(unit[0], inner) if count == 1 and not counted else None
    sure = inner.confidence * (0.9 if word in _BEFORE | _AFTER else 1.0)
    return inner.map(_beside(unit[0], word, count), inner.end, unit[0], note="", confidence=round(sure, 3))


def _holding(unit: cal.CalendarUnit, inner: Point) -> Point | None:
    if inner.unit is unit and unit is not cal.DAY:
        return inner
    if inner.unit is not cal.DAY or inner.start != inner.stop or unit is cal.DAY:
        return None

    def around(start: date, _: date) -> Days:
        first = unit.floor(start)
        return first, unit.last_day(first)

    note = "weeks run Monday to Sunday" if unit is cal.WEEK else ""
    return inner.map(around, inner.end, unit, note=note)


def _beside(unit: cal.CalendarUnit, word: str, count: int) -> Callable[[date, date], Days]:
    if word in {"ended", "ending"}:
        return lambda _, stop: (unit.step(stop + cal.ONE_DAY, -count), stop)
    if word in _BEFORE:
        return lambda start, _: (unit.step(start, -count), start - cal.ONE_DAY)
    if word in _AFTER:
        return lambda _, stop: (stop + cal.ONE_DAY, unit.last_day(stop + cal.ONE_DAY, count))
    return lambda start, _: (start, unit.last_day(start, count))


def day_of_month(r: Reader, i: int) -> Point | None:
    """``the 15th of last month``; "the 15th" alone is that day of this month or the last."""
    day = _ordinal(r, i)
    if day is None or not r.low(i).isdecimal():
        return None
    nth, at = day
    if r.low(at) == "of":
        return day_of_period(r, i, r.point(r.skip(at + 1, {"the"})))
    if r.low(i - 1) != "the" or r.low(i - 2) not in {"on", "since", "until", "by", "before", "after"}:
        return None
    month = cal.MONTH.floor(r.today)
    when = month.replace(day=nth)
    when = when if when <= r.today else cal.add_months(month, -1).replace(day=nth)
    return replace(Point(at, when, when, cal.DAY), confidence=0.6, note="the most recent")
