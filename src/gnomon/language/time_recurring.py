"""Rules for what comes back: "on Mondays", "at weekends", "every December", "in Q4 of each year", "after 6 pm"."""

from __future__ import annotations

import re

from gnomon.language import calendar as cal
from gnomon.language.time_found import Found
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Point, Reader
from gnomon.language.time_words import MONTHS, WEEKDAYS, phrases

_HOUR = re.compile(r"(\d{1,2})(?::(\d{2}))? ?(a\.?m\.?|p\.?m\.?|o'clock|h)?(?!\w)", re.IGNORECASE)
_EVERY = frozenset({"each", "every"})
_YEARS = phrases(
    dict.fromkeys(
        (
            "of each year", "of every year", "in each year", "in every year", "each year", "every year", "of any year",
            "of all years", "across years", "across all years", "across the years", "over the years", "in all years",
        ),
        True,
    )
)  # fmt: skip
_GROUPS = {
    "weekends": (6, 7), "weekend": (6, 7), "weekdays": (1, 2, 3, 4, 5), "weekday": (1, 2, 3, 4, 5),
    "workdays": (1, 2, 3, 4, 5),
}  # fmt: skip


def recurring(r: Reader, i: int) -> Found | None:
    """A part of every week, year or day."""
    return _every(r, i) or _plural(r, i) or _each_year(r, i) or _hours(r, i)


def _every(r: Reader, i: int) -> Found | None:
    """``every Monday``, ``each December``, ``every Q4``, ``each weekend``."""
    if r.low(i) not in _EVERY:
        return None
    word = r.low(i + 1)
    if word in {"weekend", "weekday"}:
        return Found(i, i + 2, "recurring", recurring=Recurring("weekday", _GROUPS[word]), confidence=0.9)
    if word in WEEKDAYS:
        return Found(i, i + 2, "recurring", recurring=Recurring("weekday", (WEEKDAYS[word],)))
    point = r.point(i + 1)
    if point is None or point.recurring is None:
        return None
    return Found(i, point.end, "recurring", recurring=point.recurring)


def _plural(r: Reader, i: int) -> Found | None:
    """``Mondays``, ``Decembers``, ``weekends``; "the weekend" after "on" or "at"."""
    word = r.low(i)
    if word in _GROUPS and (word.endswith("s") or r.low(i - 1) in {"on", "at", "the", "during"}):
        sure = 0.95 if word.endswith("s") else 0.6
        return Found(i, i + 1, "recurring", recurring=Recurring("weekday", _GROUPS[word]), confidence=sure)
    if word in {"business", "working"} and r.low(i + 1) == "days" and not r.low(i - 1).isdecimal():
        return Found(
            i, i + 2, "recurring", recurring=Recurring("weekday", _GROUPS["weekdays"]), confidence=0.6
        )
    single = word[:-1]
    if not word.endswith("s") or len(single) < 4:
        return None
    if single in WEEKDAYS:
        return Found(i, i + 1, "recurring", recurring=Recurring("weekday", (WEEKDAYS[single],)))
    if single in MONTHS and single != "march":
        return Found(i, i + 1, "recurring", recurring=Recurring("month", (MONTHS[single],)), confidence=0.9)
    return None


def _each_year(r: Reader, i: int) -> Found | None:
    """``in December each year``, ``the first quarter of every year``, ``November to January each year``."""
    point = r.point(i)
    if point is None or point.recurring is None or point.in_year is None:
        return None
    last = point
    if r.low(point.end) in {"to", "through", "-", "–", "—", "and"}:
        last = r.point(point.end + 1) or point
    values = _months_between(point, last)
    if values is None or last.recurring is None:
        return None
    for end, _ in r.phrases(last.end, _YEARS):
        return Found(i, end, "recurring", recurring=values)
    return None


def _months_between(first: Point, last: Point) -> Recurring | None:
    if first.recurring is None or last.recurring is None or first.recurring.unit != last.recurring.unit:
        return None
    size = 12 if first.recurring.unit == "month" else 4 if first.recurring.unit == "quarter" else 7
    a, b = first.recurring.values[0], last.recurring.values[0]
    return Recurring(
        first.recurring.unit, tuple(sorted((a + n - 1) % size + 1 for n in range((b - a) % size + 1)))
    )


def _hours(r: Reader, i: int) -> Found | None:
    """``at 9am``, ``between 9 am and 5 pm``, ``after 18:00``, ``before noon``."""
    word = r.low(i)
    if word not in {"at", "between", "from", "after", "before", "since", "until"}:
        return None
    first = _hour(r, i + 1) or _short_hour(r, i + 1)
    if first is None:
        return None
    hour, at = first
    last = (
        _hour(r, at + 1) if word in {"between", "from"} and r.low(at) in {"and", "to", "-", "until"} else None
    )
    if word in {"between", "from"}:
        if last is None:
            return None
        values, at = tuple(sorted((hour + n) % 24 for n in range((last[0] - hour) % 24))), last[1]
    elif word in {"after", "since"}:
        values = tuple(range(hour, 24))
    elif word in {"before", "until"}:
        values = tuple(range(hour))
    else:
        values = (hour,)
    if not values:
        return None
    return Found(
        i, at, "recurring", grain=cal.HOUR.grain, recurring=Recurring("hour", values), confidence=0.8
    )


def _short_hour(r: Reader, i: int) -> tuple[int, int] | None:
    """The 6 of ``between 6 and 9 pm``, which is in the same half of the day."""
    last = _hour(r, i + 2) if r.low(i + 1) in {"and", "to", "-"} else None
    word = r.low(i)
    if last is None or not (word.isascii() and word.isdecimal()) or not 1 <= int(word) <= 12:
        return None
    hour = int(word) % 12 + (12 if last[0] >= 12 else 0)
    return (hour, i + 1) if hour < last[0] else None


def _hour(r: Reader, i: int) -> tuple[int, int] | None:
    """An hour of the day that says it is one: am, pm, minutes or o'clock."""
    if r.low(i) in {"noon", "midday", "midnight"}:
        return (0 if r.low(i) == "midnight" else 12), i + 1
    found = r.match(_HOUR, i)
    if not found or not (found[0][2] or found[0][3]):
        return None
    hour, half = int(found[0][1]), (found[0][3] or "").lower().replace(".", "")
    if hour > 23 or (half in {"am", "pm"} and not 1 <= hour <= 12):
        return None
    if half in {"am", "pm"}:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return hour, found[1]
