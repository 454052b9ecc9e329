"""Rules for ranges with two ends ("from March to May 2024") and with one ("since 2019", "before Easter")."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from gnomon.language import calendar as cal
from gnomon.language.time_dates import day_number
from gnomon.language.time_found import Found, days
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Point, Reader, full_year
from gnomon.language.time_words import phrases, word_set

_DASHES = frozenset({"-", "–", "—"})
_TO = frozenset({"to", "through", "thru", "until", "till", *_DASHES})
_AND_INCLUDING = phrases(
    dict.fromkeys(("up to and including", "to and including", "through and including"), True)
)
_BESIDE = word_set("with against versus vs")
_COMPARES = word_set(
    "compare compared compares comparing comparison difference differences differ vs versus against gap"
)
_START = frozenset({"start", "beginning", "opening"})
_END = frozenset({"end", "close"})


def two_ended(r: Reader, i: int) -> Found | None:
    """``from A to B``, ``between A and B``, ``A - B``, ``Jan–Mar 2024``, ``3 to 30 March``."""
    opener = r.low(i) if r.low(i) in {"from", "between", "since", "starting", "beginning"} else ""
    at = i + 1 if opener else i
    if opener in {"starting", "beginning"}:
        at = r.skip(at, {"from", "in", "on"})
    compared = opener in {"", "between", "from"} and _compares(r, i)
    pair = _short_left(r, at, opener) or _short_right(r, at, opener) or _two_points(r, at, opener)
    if pair is None:
        return None
    left, right, join = pair
    if compared and r.low(join) not in _DASHES and not (r.low(join) in _TO and _is_beside(r, i, right.end)):
        return None
    if left.recurring and right.recurring and left.recurring.unit == right.recurring.unit == "weekday":
        return _weekdays(i, left, right)
    if right.stop < left.start or min(left.confidence, right.confidence) < 0.35:
        return None
    whole = replace(
        right,
        start=left.start,
        unit=min(left.unit, right.unit, key=lambda u: u.months * 31 + u.days),
        in_year=None,
        recurring=None,
        confidence=_surer(left, right, bool(opener)),
        note=left.note if left.in_year and right.in_year else right.note,
    )
    return Found(i, right.end, "period", point=whole, ends=(left, right))


def _surer(left: Point, right: Point, opened: bool) -> float:
    """Two ends that fit together are surer than either alone."""
    low, high = sorted((left.confidence, right.confidence))
    return round(min(high, low + (0.1 if opened else 0.05)), 3)


def _is_beside(r: Reader, i: int, end: int) -> bool:
    """Whether what is compared is joined otherwise: “compare June to August with September to November”."""
    behind = r.skip(end, {","})
    return r.low(behind) in _BESIDE or any(r.low(n) in _BESIDE for n in range(max(0, i - 12), i))


def _compares(r: Reader, i: int) -> bool:
    """Whether the sentence compares two things, so that "A and B" are not the ends of a range."""
    return any(r.low(n) in _COMPARES for n in range(max(0, i - 12), i))


def _join(r: Reader, i: int, opener: str) -> int | None:
    """The token after the word between two ends."""
    word = r.low(i)
    if word == "." and r.low(i + 1) == "." and r.glued(i + 1):
        return i + 2 + (r.low(i + 2) == ".")
    for end, _ in r.phrases(i, _AND_INCLUDING):
        return end
    if word == "up" and r.low(i + 1) == "to":
        return i + 2
    if word == "and":
        return i + 1 if opener == "between" else None
    if word in _TO and not (word in {"until", "till", "through", "thru"} and opener == "between"):
        return r.skip(i + 1, {"the"} if word not in _DASHES else ())
    return None


def _two_points(r: Reader, i: int, opener: str) -> tuple[Point, Point, int] | None:
    left = r.point(i)
    at = _join(r, left.end, opener) if left else None
    if left is None or at is None:
        return None
    right = _now(r, at) or r.point(at) or _second_year(r, left, at)
    return (*_dated(left, right), left.end) if right else None


def _now(r: Reader, i: int) -> Point | None:
    """``now`` and ``the present`` as the end of a range."""
    if r.low(i) in {"now", "present", "date"}:
        return Point(i + 1, r.today, r.today, cal.DAY, note="to date")
    return None


def _second_year(r: Reader, left: Point, i: int) -> Point | None:
    """The 20 of ``2019-20``."""
    short = r.low(i)
    if left.unit is cal.YEAR and left.year and r.glued(i) and len(short) == 2 and short.isdecimal():
        start = date(left.year - left.year % 100 + int(short), 1, 1)
        return Point(i + 1, start, cal.YEAR.last_day(start), cal.YEAR, year=start.year, confidence=0.8)
    return None


def _dated(left: Point, right: Point) -> tuple[Point, Point]:
    """Both ends in years that fit: each may lend its year to the other."""
    if left.in_year and (right.year or right.in_year) and right.unit.months <= cal.HALF.months:
        year = right.year or right.start.year
        earlier = left.at(year)
        return (earlier if earlier.start <= right.start else left.at(year - 1)), right
    if right.in_year and left.year:
        later = right.at(left.year)
        return left, later if later.stop >= left.start else right.at(left.year + 1)
    return left, right


def _short_left(r: Reader, i: int, opener: str) -> tuple[Point, Point, int] | None:
    """``3 to 30 March``: a day that takes its month from the other end."""
    day = day_number(r, i)
    at = _join(r, day[1], opener) if day else None
    if day is None or at is None:
        return None
    right = r.point(at)
    if right is None or right.unit is not cal.DAY or not r.low(at).isdecimal() or right.start.day <= day[0]:
        return None
    left = replace(right, start=right.start.replace(day=day[0]), stop=right.start.replace(day=day[0]))
    return left, right, day[1]


def _short_right(r: Reader, i: int, opener: str) -> tuple[Point, Point, int] | None:
    """``March 3-30, 2025``: a day that takes its month from the first end."""
    left = r.point(i) if r.is_month(i) else None
    at = _join(r, left.end, opener) if left else None
    day = day_number(r, at) if at is not None else None
    if left is None or day is None or left.unit is not cal.DAY or r.is_month(r.skip(day[1], {"of"})):
        return None
    if left.start.day >= day[0]:
        return None
    year = r.point(r.skip(day[1], {",", "of"}))
    if year is not None and year.unit is cal.YEAR and year.year and left.in_year:
        left, day = left.at(year.year), (day[0], year.end, True)
    stop = left.start.replace(day=day[0])
    return left, replace(left, start=stop, stop=stop, end=day[1]), left.end


def _weekdays(begin: int, left: Point, right: Point) -> Found | None:
    a, b = (point.recurring.values[0] if point.recurring else 0 for point in (left, right))
    values = tuple(sorted((a + n - 1) % 7 + 1 for n in range((b - a) % 7 + 1)))
    return Found(begin, right.end, "recurring", recurring=Recurring("weekday", values), confidence=0.9)


def one_ended(r: Reader, i: int) -> Found | None:
    """``since A``, ``after A``, ``before A``, ``until A``, ``from A on``, ``A onwards``, ``A or later``.

    "Since" and "until" include what they name; "after" and "before" do not. "The run-up to" and "around" do not
    say which days they mean: they are found, and not sure.
    """
    for end, _ in r.phrases(i, _VAGUE):
        if (point := r.point(r.skip(end, {"the"}))) is not None:
            return _open(i, point.end, "to", point, 0.3)
    if r.low(i) == "up" and r.low(i - 1) in _ADDING:
        return None  # "what do the hours add up to in May"
    for end, side in r.phrases(i, _OPENERS):
        at = r.skip(r.skip(end, {"in", "on", "from", "-"}), {"the"})
        point = _boundary(r, at) or (_now(r, at) if r.low(at) != "date" else None) or r.point(at)
        if point is None:
            continue
        if (
            r.low(i) in {"through", "thru"}
            and r.low(point.end) in {"and", "&", ","}
            and r.point(point.end + 1)
        ):
            return None  # "through May and June" are both of them, from end to end
        if r.low(i) == "by" and point.unit is not cal.DAY and not point.year:
            return None
        sure = point.confidence * _LESS_SURE.get(r.low(i), 1.0)
        point, side = _turned(r, point, side)
        return _open(i, point.end, side, point, sure)
    return _year_bound(r, i) or _trailing(r, i) or _long_ago(r, i)


def _turned(r: Reader, point: Point, side: str) -> tuple[Point, str]:
    """``before 2024 began``, ``after May ended``: the end of the stretch that is meant is said."""
    verb = r.low(point.end)
    if verb in _BEGAN:
        first = replace(point, end=point.end + 1, stop=point.start)
        return first, {"to": "before", "after": "from"}.get(side, side)
    if verb in _ENDED:
        last = replace(point, end=point.end + 1, start=point.stop)
        return last, {"before": "to", "from": "after"}.get(side, side)
    return point, side


_BEGAN = word_set("began begins started starts")
_ENDED = word_set("ended ends")


def _year_bound(r: Reader, i: int) -> Found | None:
    """``year >= 2015``, ``a year of at least 2015``: a bound on a column of years."""
    before = i - 1 - (r.low(i - 1) in {"is", "was", "of"})
    if r.low(before) not in {"year", "years", "yr"}:
        return None
    for end, side in r.phrases(i, _BOUNDS):
        if (year := r.year(end)) is not None:
            start = date(year[0], 1, 1)
            return _open(i, year[1], side, Point(year[1], start, cal.YEAR.last_day(start), cal.YEAR), 0.95)
    return None


_OPENERS = phrases(
    {
        "ever since": "from", "since": "from", "on or after": "from", "not before": "from", "starting": "from",
        "beginning": "from", "after": "after", "later than": "after", "on or before": "to", "no later than": "to",
        "not after": "to", "before": "before", "prior to": "before", "earlier than": "before", "up until": "to",
        "up till": "to", "up to": "to", "up through": "to", "until": "to", "till": "to", "through": "to",
        "thru": "to", "as of": "to", "as at": "to", "by": "to", "pre": "before", "post": "after",
    }
)  # fmt: skip
_ADDING = frozenset({"add", "adds", "added", "adding", "sum", "sums", "summed", "total", "totals"})
_VAGUE = phrases(
    {
        "run up to": "", "run - up to": "", "runup to": "", "lead up to": "", "lead - up to": "", "build up to": "",
        "leading up to": "", "ahead of": "", "around": "", "shortly before": "", "shortly after": "",
        "just before": "", "just after": "", "right before": "", "right after": "",
    }
)  # fmt: skip
_BOUNDS = phrases(
    {
        "> =": "from", "≥": "from", ">": "after", "< =": "to", "≤": "to", "<": "before", "greater than": "after",
        "more than": "after", "later than": "after", "at least": "from", "less than": "before", "at most": "to",
        "above": "after", "below": "before", "over": "after", "under": "before",
    }
)  # fmt: skip
_LESS_SURE = {"by": 0.6, "through": 0.8}
_CLOSERS = phrases(
    {
        "onwards": "from", "onward": "from", "forward": "from", "or later": "from", "and later": "from",
        "or after": "from", "and after": "from", "or earlier": "to", "and earlier": "to", "or before": "to",
        "and before": "to",
    }
)  # fmt: skip
_AGES = phrases({"more than": "before", "over": "before", "less than": "from", "within": "from"})
_UP_TO_NOW = phrases({"to date": 0.75, "so far": 0.65})


def _boundary(r: Reader, i: int) -> Point | None:
    """The first or last day of a stretch: "the start of 2024", "the end of March"."""
    if r.low(i) not in _START | _END or r.low(i + 1) != "of":
        return None
    at = r.skip(i + 2, {"the"})
    inner = r.point(at)
    current = r.unit(at) if inner is None and at > i + 2 else None
    if current is not None and current[0].months:
        first = current[0].floor(r.today)
        inner = Point(current[1], first, current[0].last_day(first), current[0], confidence=0.9)
    if inner is None:
        return None
    day = inner.start if r.low(i) in _START else inner.stop
    return replace(inner, start=day, stop=day, unit=cal.DAY, in_year=None, recurring=None)


def _trailing(r: Reader, i: int) -> Found | None:
    """``from 2020 on``, ``2020 onwards``, ``March 2024 or later``."""
    opened = r.low(i) == "from"
    point = r.point(i + 1 if opened else i)
    if point is None:
        return None
    if opened and r.low(point.end) == "on" and not r.low(point.end + 1).isalpha():
        return _open(i, point.end + 1, "from", point, point.confidence)
    for end, side in r.phrases(point.end, _CLOSERS):
        return _open(i, end, side, point, point.confidence)
    return None


def _long_ago(r: Reader, i: int) -> Found | None:
    """``more than 90 days ago``, ``less than 2 weeks ago``."""
    for at, side in r.phrases(i, _AGES):
        counted = r.number(at)
        unit = r.unit(counted[1]) if counted else None
        if counted and unit and r.low(unit[1]) == "ago" and unit[0] is not cal.HOUR:
            day = unit[0].step(r.today, -counted[0])
            return _open(i, unit[1] + 1, side, Point(unit[1] + 1, day, day, cal.DAY), 0.9)
    return None


def _open(begin: int, end: int, side: str, point: Point, sure: float) -> Found:
    if side == "from":
        period = days(point.start, date.max, point.unit.grain)
    elif side == "after":
        period = days(point.stop + timedelta(days=1), date.max, point.unit.grain)
    elif side == "before":
        period = days(date.min, point.start - timedelta(days=1), point.unit.grain)
    else:
        period = days(date.min, point.stop, point.unit.grain)
    return Found(
        begin, end, "open", period=period, grain=point.unit.grain, confidence=round(sure, 3), note=point.note
    )


def up_to_now(r: Reader, i: int) -> Found | None:
    """``to date`` and ``so far`` alone."""
    for end, sure in r.phrases(i, _UP_TO_NOW) if r.low(i - 1) != "up" else ():
        return Found(i, end, "open", period=days(date.min, r.today), confidence=sure, note="to date")
    return None


def school_year(r: Reader, i: int) -> Found | None:
    """``2019/20``: the two years that it joins."""
    left = r.year(i)
    if left is None or r.low(left[1]) != "/" or not r.glued(left[1]) or len(r.low(left[1] + 1)) != 2:
        return None
    short = r.low(left[1] + 1)
    if not short.isdecimal() or full_year(short, r.today) != left[0] + 1:
        return None
    start = date(left[0], 1, 1)
    point = Point(
        left[1] + 2, start, cal.YEAR.last_day(start, 2), cal.YEAR, confidence=0.6, note="both years whole"
    )
    return Found.of_point(i, point)
