"""Rules for what comes back: "on Mondays", "at weekends", "every December", "in Q4 of each year", "on an average Friday"."""

from __future__ import annotations

from gnomon.language.time_found import Found
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Point, Reader
from gnomon.language.time_words import MONTHS, WEEKDAYS, phrases

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
_ARTICLES = frozenset({"a", "an", "any", "the", "either"})
_ASKED_OF = frozenset({"do", "does", "did", "is", "are", "was", "were"})
_ORDINARY = frozenset({"average", "typical", "normal", "usual", "ordinary", "regular", "mean"})
_PARTS = frozenset({"mornings", "afternoons", "evenings", "nights"})
_GROUPS = {
    "weekends": (6, 7), "weekend": (6, 7), "weekdays": (1, 2, 3, 4, 5), "weekday": (1, 2, 3, 4, 5),
    "workdays": (1, 2, 3, 4, 5),
}  # fmt: skip


def recurring(r: Reader, i: int) -> Found | None:
    """A part of every week, year or day."""
    return (
        _either_day(r, i)
        or _every(r, i)
        or _plural(r, i)
        or _each_year(r, i)
        or _any_of_them(r, i)
        or _week_part(r, i)
    )


def _either_day(r: Reader, i: int) -> Found | None:
    """``a Saturday or a Sunday``, ``Monday, Tuesday or on Fridays``: any of several days of the week.

    ``do Saturdays or Sundays bring more`` asks which of them, so there each day is one of its own.
    """
    if r.low(i - 1) in _ASKED_OF:
        return None
    at, end, days, either = r.skip(i, _ARTICLES), i, list[int](), False
    joined = ""
    while (day := WEEKDAYS.get(r.low(at)) or WEEKDAYS.get(r.low(at).removesuffix("s"))) is not None:
        days.append(day)
        either |= joined == "or"
        end = at + 1
        joint = r.skip(end, {","})
        joined = r.low(joint)
        at = r.skip(r.skip(r.skip(joint, {"or"}), {"on"}), _ARTICLES)
        if at == end:
            break
    if not either:
        return None
    return Found(i, end, "recurring", recurring=Recurring("weekday", tuple(sorted({*days}))), confidence=0.95)


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
    if word in WEEKDAYS and r.low(i + 1) in _PARTS:  # "on Saturday evenings": of all of them
        return Found(i, i + 1, "recurring", recurring=Recurring("weekday", (WEEKDAYS[word],)))
    single = word[:-1]
    if not word.endswith("s") or len(single) < 4:
        return None
    if single in WEEKDAYS:
        return Found(i, i + 1, "recurring", recurring=Recurring("weekday", (WEEKDAYS[single],)))
    if single in MONTHS and single != "march":
        return Found(i, i + 1, "recurring", recurring=Recurring("month", (MONTHS[single],)), confidence=0.9)
    return None


def _week_part(r: Reader, i: int) -> Found | None:
    """``Mon-Fri``, ``Sat to Sun``: short names that only their joint shows to be days."""
    first, last = WEEKDAYS.get(r.low(i)), WEEKDAYS.get(r.low(i + 2))
    if first is None or last is None or r.low(i + 1) not in {"-", "–", "to", "through", "thru"}:
        return None
    values = tuple(sorted((first + n - 1) % 7 + 1 for n in range((last - first) % 7 + 1)))
    return Found(i, i + 3, "recurring", recurring=Recurring("weekday", values), confidence=0.9)


def _any_of_them(r: Reader, i: int) -> Found | None:
    """``on a Monday``, ``a typical weekday``, ``an average Saturday``; how they are taken is left to its own word."""
    at = r.skip(r.skip(i, {"a", "an", "any", "one"}), {"given"})
    ordinary = r.low(at) in _ORDINARY
    day = at + ordinary
    word = r.low(day)
    if at == i and not ordinary:
        return None
    part = _named_part(word)
    if part is None or (part.unit == "month" and not ordinary):
        return None
    return Found(day if ordinary else i, day + 1, "recurring", recurring=part, confidence=0.9)


def _named_part(word: str) -> Recurring | None:
    """A day of the week or a month by its full name."""
    if word in _GROUPS or (word in WEEKDAYS and len(word) > 5):
        return Recurring("weekday", _GROUPS.get(word) or (WEEKDAYS[word],))
    return Recurring("month", (MONTHS[word],)) if word in MONTHS and len(word) > 3 else None


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
