"""Rules for named parts of a year: quarters, halves, weeks by number, seasons, holidays."""

from __future__ import annotations

import re
from datetime import date, timedelta

from gnomon.core.patterns import late_pattern, regex
from gnomon.language import calendar as cal
from gnomon.language.holidays import FIRST_WORDS, HOLIDAYS, LONGEST_NAME, OBSERVED_DIFFERENTLY
from gnomon.language.time_dates import BEFORE_TIME
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Days, Point, Reader, full_year
from gnomon.language.time_words import AFTER_TIME, SEASONS, WEAK
from gnomon.language.time_years import fiscal_note, fiscal_start

_PART = regex(r"(?:(q|h|cq|fq)[ -]?([1-4])|([1-4])(q|h))(?![^\W\d])", re.IGNORECASE)
_PART_YEAR = late_pattern(
    r"[ ]?(?:[-/,]|of|in)?[ ]?(?:(fy|fiscal year)[ ']?)?(?:(\d{4})|'?(\d{2}))(?![\d%])", re.IGNORECASE
)
_YEAR_PART = regex(
    r"(?:(fy) ?'?(\d{2}|\d{4})|(\d{4}))[ \-/]?(?:(q|h)[ -]?([1-4])|([1-4])(q|h))(?!\w)", re.IGNORECASE
)
_ISO_WEEK = regex(r"(\d{4})-?w(\d{1,2})(?!\w)", re.IGNORECASE)
_WEEK_NUMBER = regex(
    r"(?:(?:calendar |iso )?(?:week|wk)(?: (?:number|no\.?|#))? ?|[ck]?w)(\d{1,2})(?!\w)", re.IGNORECASE
)


def quarter_or_half(r: Reader, i: int) -> Point | None:
    """``Q1``, ``Q1 2024``, ``2024Q1``, ``1Q24``, ``H1 2023``, ``2H23``, ``Q1 FY24``."""
    if r.glued(i) and r.low(i - 1) not in {"-", "–", "—", "(", "/", ",", "'", '"'}:
        return None
    said_fiscal = r.low(i) in {"fiscal", "financial"}
    i += said_fiscal
    if found := r.match(_YEAR_PART, i):
        m, end = found
        year = full_year(m[2] or m[3], r.today)
        return _part(
            r, end, (m[4] or m[7]).lower(), int(m[5] or m[6]), year, fiscal=said_fiscal or bool(m[1])
        )
    found = r.match(_PART, i)
    if not found:
        return None
    m, end = found
    letter, number = (m[1] or m[4]).lower(), int(m[2] or m[3])
    if letter == "h" and m[1] and not r.glued(i + 1):
        return None
    figure_first = bool(m[3])
    fiscal = said_fiscal or letter == "fq"
    if found := _part_year(r, end):
        m, after = found
        year = full_year(m[2] or m[3], r.today)
        return _part(r, after, letter, number, year, fiscal=fiscal or bool(m[1]))
    # "2h" alone is two hours.
    return None if figure_first else _part(r, end, letter, number, None, fiscal=fiscal)


def _part_year(r: Reader, i: int) -> tuple[re.Match[str], int] | None:
    """The year after a quarter, tied to it: a bare two-digit number is glued on, or a year of late that counts nothing."""
    found = r.match(_PART_YEAR, i)
    if found and found[0][3] and not r.glued(i) and "'" not in found[0][0] and not found[0][1]:
        of_late = 0 <= r.today.year % 100 - int(found[0][3]) <= 9
        if not of_late or (r.low(found[1]).isalpha() and r.low(found[1]) not in AFTER_TIME):
            return None
    if not found:
        return None
    return found if not found[0][2] or 1900 <= int(found[0][2]) <= 2100 else None


def _part(r: Reader, end: int, letter: str, number: int, year: int | None, *, fiscal: bool) -> Point | None:
    unit = cal.HALF if letter == "h" else cal.QUARTER
    return part_of_year(r, end, unit, number, year, fiscal=fiscal)


def part_of_year(
    r: Reader, end: int, unit: cal.CalendarUnit, number: int, year: int | None = None, *, fiscal: bool = False
) -> Point | None:
    """The ``number``-th quarter or half of a year, the most recent one when no year is given."""
    if not 1 <= number <= 12 // unit.months:
        return None
    fiscal = fiscal and r.first_month != 1

    def in_year(y: int) -> Days:
        first = fiscal_start(r, y) if fiscal else date(y, 1, 1)
        start = unit.step(first, number - 1)
        return start, unit.last_day(start)

    if year is not None:
        start, stop = in_year(year)
        return Point(end, start, stop, unit, year=year, note=fiscal_note(r, year) if fiscal else "")
    start, stop = r.latest(in_year)
    recurring = Recurring("quarter", (number,)) if unit is cal.QUARTER and not fiscal else None
    return Point(
        end, start, stop, unit, in_year=in_year, recurring=recurring, confidence=0.9,
        note=f"the most recent, in {start.year}",
    )  # fmt: skip


def week_number(r: Reader, i: int) -> Point | None:
    """``2024-W12``, ``week 12``, ``week 12 of 2024``, ``CW12``: weeks of ISO 8601."""
    if found := r.match(_ISO_WEEK, i):
        m, end = found
        start, stop = _iso(int(m[1]), int(m[2]))
        return Point(end, start, stop, cal.WEEK, year=int(m[1]), note="ISO week, Monday to Sunday")
    found = r.match(_WEEK_NUMBER, i) if not r.glued(i) else None
    if not found or not 1 <= int(found[0][1]) <= 53:
        return None
    number = int(found[0][1])

    def in_year(year: int) -> Days:
        return _iso(year, number)

    start, stop = r.latest(in_year)
    confidence = 0.85 if r.low(i) in {"week", "wk", "calendar", "iso", "cw", "kw"} else 0.45
    return Point(
        found[1],
        start,
        stop,
        cal.WEEK,
        in_year=in_year,
        confidence=confidence,
        note="ISO week, Monday to Sunday",
    )


def _iso(year: int, week: int) -> Days:
    start = date.fromisocalendar(year, week, 1)
    return start, start + timedelta(days=6)


def season(r: Reader, i: int) -> Point | None:
    """``summer 2023``, ``in the fall``: the three months of the northern hemisphere."""
    word = r.low(i)
    if word not in SEASONS:
        return None
    before = r.low(i - 1) if r.low(i - 1) != "the" else r.low(i - 2)
    dated = r.year(r.skip(i + 1, {"of", ","})) is not None
    spelt = r.low(i + 1) in {"months", "season"}
    if not (dated or spelt or before in {*BEFORE_TIME, "over"}):
        return None
    first_month = SEASONS[word]

    def in_year(year: int) -> Days:
        start = date(year, first_month, 1)
        return start, cal.QUARTER.last_day(start)

    start, stop = r.latest(in_year)
    sure = 0.6 if dated or spelt or word not in WEAK or before in {"last", "next", "this", "since"} else 0.45
    if word == "spring" and before in {"in", "during"}:
        sure = max(sure, 0.55)
    note = "three months, as seasons fall in the northern hemisphere"
    return Point(
        r.skip(i + 1, {"months", "season"}),
        start,
        stop,
        cal.MONTH,
        in_year=in_year,
        confidence=sure,
        note=note,
    )


def holiday(r: Reader, i: int) -> Point | None:
    """A named day whose date the calendar settles, in the year given or the most recent."""
    if r.low(i) not in FIRST_WORDS:
        return None
    words: list[str] = []
    ends: list[int] = []
    at = i
    while len(words) < LONGEST_NAME and r.low(at):
        words.append(r.low(at))
        at += 1
        if r.low(at) == "'" and r.low(at + 1) == "s" and r.glued(at + 1):
            at += 2
        at = r.skip(
            at,
            {"'", "."} if r.glued(at) and words[-1] in {"presidents", "st", "mothers", "valentines"} else (),
        )
        ends.append(at)
    for length in range(len(words), 0, -1):
        rule = HOLIDAYS.get(tuple(words[:length]))
        if rule is not None:
            start, stop = r.latest(rule)
            note = OBSERVED_DIFFERENTLY.get(words[0], f"the most recent, in {start.year}")
            sure = 0.6 if words[:length] in (["new", "year"], ["valentine"]) else 0.9
            end = ends[length - 1]
            day = Point(end, start, stop, cal.DAY, in_year=rule, confidence=sure, note=note)
            return day.map(_week_around, end + 1, cal.WEEK) if r.low(end) == "week" else day
    return None


def _week_around(start: date, _: date) -> Days:
    monday = cal.WEEK.floor(start)
    return monday, cal.WEEK.last_day(monday)
