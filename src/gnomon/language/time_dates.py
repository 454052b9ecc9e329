"""Rules for dates: ISO and numeric forms, days of named months, months with and without a year."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from gnomon.core.patterns import regex
from gnomon.language import calendar as cal
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Days, Point, Reader, century_of
from gnomon.language.time_words import MONTHS, ORDINALS, WEAK, WEEKDAYS, word_set

_CLOCK = r"(?:(?:[T ]|,? at )\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_ISO = regex(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_CLOCK}(?!\d)")
_NUMERIC = regex(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_CLOCK}(?!\d)")
_YEAR_MONTH = regex(r"(\d{4})[-/](\d{1,2})(?![\d-])")
_MONTH_YEAR = regex(r"(\d{1,2})[-/](\d{4})(?!\d)")
_SHORT = regex(r"(\d{1,2})/(\d{1,2})(?![\d/])")
_COMPACT = regex(r"((?:19|20)\d{2})(\d{2})(\d{2})(?!\d)")
NOT_A_DAY = word_set("top bottom first last next past previous limit than least most over under above below")

BEFORE_TIME = word_set(
    "in during since until till from through thru by before after of for last this next past previous prior "
    "early mid late each every between on starting ending beginning around within throughout per"
)
_AFTER_MODAL = word_set(
    "i we you they he she it be have has not the need also want also see get ask help know please well still "
    "contain include affect cause depend explain vary differ require"
)
OF = frozenset({"of", "in", ","})


def numeric_date(r: Reader, i: int) -> Point | None:
    """``2024-03-05``, ``3/4/2025`` (month first unless that is impossible), ``20240305``."""
    if r.glued(i) and r.low(i - 1) not in {"(", "'", '"', "[", ",", "."}:
        return None
    if found := r.match(_ISO, i):
        m, end = found
        return _day(end, date(int(m[1]), int(m[3]), int(m[4])))
    if found := r.match(_NUMERIC, i):
        m, end = found
        year = int(m[4]) if len(m[4]) == 4 else century_of(int(m[4]), r.today)
        return _either_order(end, year, int(m[1]), int(m[3]), dotted=m[2] == ".", short=len(m[4]) == 2)
    if (found := r.match(_COMPACT, i)) and len(r.low(i)) == 8:
        m, end = found
        return _day(end, date(int(m[1]), int(m[2]), int(m[3])), confidence=0.6)
    if (found := r.match(_SHORT, i)) and r.low(i - 1) in {
        "on",
        "since",
        "before",
        "after",
        "until",
        "from",
        "to",
    }:
        m, end = found
        return _either_order(end, r.today.year, int(m[1]), int(m[2]), dotted=False, short=True)
    return None


def _either_order(end: int, year: int, a: int, b: int, *, dotted: bool, short: bool) -> Point | None:
    """A date whose day and month may stand either way round."""
    if a > 12 or (dotted and b <= 12):
        return _day(end, date(year, b, a), confidence=0.9 if dotted or not short else 0.7)
    clear = b > 12 or a == b
    note = "" if clear else f"read month first: {a}/{b}"
    return _day(
        end, date(year, a, b), confidence=(0.95 if clear else 0.7) - (0.15 if short else 0.0), note=note
    )


def numeric_month(r: Reader, i: int) -> Point | None:
    """``2024-03`` and ``03/2024``."""
    if r.glued(i) and r.low(i - 1) not in {"(", "'", '"'}:
        return None
    for pattern, year, month in ((_YEAR_MONTH, 1, 2), (_MONTH_YEAR, 2, 1)):
        if (found := r.match(pattern, i)) and 1900 <= int(found[0][year]) <= 2100:
            m, end = found
            start = date(int(m[year]), int(m[month]), 1)
            return Point(end, start, cal.month_end(start), cal.MONTH, year=start.year, confidence=0.9)
    return None


def named_date(r: Reader, i: int) -> Point | None:
    """``3 March``, ``March 3rd``, ``Monday, 3rd of March``, ``3-Mar-2025``; the year is read by the caller."""
    start, weekday = i, WEEKDAYS.get(r.low(i))
    if weekday:
        i = r.skip(r.skip(i + 1, {"."}), {","})
        i = r.skip(i, {"the"})
    point = _day_month(r, i, start) or _month_day(r, i)
    return _on_weekday(point, weekday) if point and weekday else point


def _on_weekday(point: Point, weekday: int) -> Point:
    """A date without a year, in the most recent year in which it fell on the weekday named with it."""
    if point.in_year is None or point.start.isoweekday() == weekday:
        return point
    for year in range(point.start.year - 1, point.start.year - 41, -1):
        try:
            day = point.in_year(year)[0]
        except ValueError:  # 29 February, in a year without one
            continue
        if day.isoweekday() == weekday:
            return replace(point, start=day, stop=day, note=_recent(day))
    return point


def _day_month(r: Reader, i: int, start: int) -> Point | None:
    day = day_number(r, i)
    if not day or (start == i and r.low(i - 1) in NOT_A_DAY and not day[2]):
        return None
    at = r.skip(r.skip(day[1], {"-", "/"}), {"of"})
    if not r.is_month(at):
        return None
    end = _abbreviation(r, at)
    point = yearless_day(r, end, MONTHS[r.low(at)], day[0])
    if r.low(day[1]) in {"-", "/"} or r.glued(at):
        return _dashed_year(r, point)
    return point


def _month_day(r: Reader, i: int) -> Point | None:
    if not r.is_month(i):
        return None
    at = _abbreviation(r, i)
    dashed = r.low(at) == "-" and r.glued(at)
    day = day_number(r, r.skip(r.skip(at, {"-"} if dashed else ()), {"the"}))
    if not day or (r.low(day[1]) in {"%", "."} and r.glued(day[1] + 1)):
        return None
    if _counts_something(r, day[1]) and not day[2]:
        return None
    point = yearless_day(r, day[1], MONTHS[r.low(i)], day[0])
    if dashed:
        return _dashed_year(r, point) if r.low(point.end) == "-" else None
    return point


def _counts_something(r: Reader, i: int) -> bool:
    """Whether a number before ``i`` counts units ("March 3 months ago" never names the third)."""
    found = r.unit(i)
    return found is not None and not r.low(i).startswith("-")


def _dashed_year(r: Reader, point: Point) -> Point:
    """The year of ``3-Mar-24`` and ``03Mar2024``."""
    at = r.skip(point.end, {"-", "/"})
    word = r.low(at)
    if word.isascii() and word.isdecimal() and r.glued(at) and len(word) in {2, 4}:
        year = int(word) if len(word) == 4 else century_of(int(word), r.today)
        return point.at(year, at + 1)
    return point


def day_number(r: Reader, i: int) -> tuple[int, int, bool] | None:
    """A day of the month at ``i``: its number, the token after it, whether it is written as an ordinal."""
    word = r.low(i)
    if word.isascii() and word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31:
        if r.glued(i) and r.low(i - 1) not in {"-", "–", "—", "(", ",", "/"}:
            return None
        if r.low(i + 1) in {"st", "nd", "rd", "th"} and r.glued(i + 1):
            return int(word), i + 2, True
        return int(word), i + 1, False
    if ORDINALS.get(word, 0) > 0:
        return ORDINALS[word], i + 1, True
    return None


def yearless_day(r: Reader, end: int, month: int, day: int) -> Point:
    """A day of a month in the most recent year that has had it."""

    def in_year(year: int) -> Days:
        return date(year, month, day), date(year, month, day)

    start, stop = r.latest(in_year)
    return Point(end, start, stop, cal.DAY, in_year=in_year, confidence=0.85, note=_recent(start))


def month(r: Reader, i: int) -> Point | None:
    """A month by name; ``Mar-24`` is a month of a year."""
    if not r.is_month(i) or (r.glued(i) and r.low(i - 1) not in {"-", "–", "—", "(", "/", ",", "'", '"'}):
        return None
    number, end = MONTHS[r.low(i)], _abbreviation(r, i)

    def in_year(year: int) -> Days:
        first = date(year, number, 1)
        return first, cal.month_end(first)

    confidence = _month_confidence(r, i, end)
    if confidence is None:
        return None
    start, stop = r.latest(in_year)
    point = Point(
        end, start, stop, cal.MONTH, in_year=in_year, recurring=Recurring("month", (number,)),
        confidence=confidence, note=_recent(start),
    )  # fmt: skip
    if r.low(end) in {"-", "/"} and r.glued(end) and r.glued(end + 1):
        short = r.low(end + 1)
        if short.isascii() and short.isdecimal() and len(short) == 2:
            return point.at(century_of(int(short), r.today), end + 2)
    return point


def _month_confidence(r: Reader, i: int, end: int) -> float | None:
    """How surely a word spelled like a month is one; None when it is plainly another word."""
    word = r.low(i)
    signs = r.low(i - 1) in BEFORE_TIME or (r.low(i - 1) == "-" and r.low(i - 2) in BEFORE_TIME)
    beside_month = r.is_month(i - 2) or r.is_month(end + 1) or r.is_month(i - 1)
    if signs or r.year(r.skip(end, OF)) or (beside_month and word != "may"):
        return 0.9
    if r.tokens[i].typo and word in {"march", "april", "june", "july", "may"}:
        return None
    if word not in WEAK:
        return 0.85
    if r.capital(i) or (beside_month and r.low(end) not in _AFTER_MODAL):
        return 0.75
    if r.low(i + 1) in _AFTER_MODAL or word in {"mar", "apr", "jan", "dec"} or (i == 0 and word == "may"):
        return None
    return 0.6 if i == 0 and r.tokens[i].text[0].isupper() else 0.4


def day_of_period(r: Reader, i: int, inner: Point | None) -> Point | None:
    """``the 15th of last month``, given the month that follows "of"."""
    day = day_number(r, i)
    if not day or not day[2] or inner is None or inner.unit is not cal.MONTH:
        return None
    when = inner.start + timedelta(days=day[0] - 1)
    return _day(inner.end, when, confidence=inner.confidence) if when <= inner.stop else None


def _abbreviation(r: Reader, i: int) -> int:
    """The token after a month name, past the full stop of an abbreviation inside a sentence."""
    stop = len(r.low(i)) <= 4 and r.low(i + 1) == "." and r.glued(i + 1) and i + 2 < len(r.tokens)
    return i + 2 if stop else i + 1


def _day(end: int, day: date, *, confidence: float = 1.0, note: str = "") -> Point:
    return Point(end, day, day, cal.DAY, year=day.year, confidence=confidence, note=note)


def _recent(start: date) -> str:
    return f"the most recent, in {start.year}"


_WRITTEN = regex(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_SAID = regex(rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b(?P<month>{_NAMES})\b\.?"
              rf"(?: (?P<behind>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?(?:,? (?P<year>\d{{4}}))?")  # fmt: skip


def no_such_day(text: str) -> str | None:
    """The first day that is written in a text and that no calendar has: 2024-02-30, “31 April”, “February 29, 2023”."""
    for found in _WRITTEN.finditer(text):
        if not _is_day(int(found[1]), int(found[3]), int(found[4])):
            return found[0]
    for found in _SAID.finditer(text.lower()):
        day = found["before"] or found["behind"]
        # Without a year the day may be of a leap year; “top 40 may” is no day at all.
        if (
            day is not None
            and int(day) <= 31
            and not _is_day(int(found["year"] or 2024), MONTHS[found["month"]], int(day))
        ):
            return text[found.start() : found.end()]
    return None


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
