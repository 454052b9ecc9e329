"""Rules for days that take their month from a neighbour: "25 and 26 October", "October 2025, 25th to 31st"."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from gnomon.language import calendar as cal
from gnomon.language.time_dates import NOT_A_DAY, day_number
from gnomon.language.time_found import Found
from gnomon.language.time_reader import Days, Point, Reader
from gnomon.language.time_spans import two_ended

_LISTS = frozenset({",", "and", "&", "or", "vs", "versus"})
_TO = frozenset({"to", "through", "thru", "until", "till", "-", "–", "—"})


def listed_day(r: Reader, i: int) -> Point | None:
    """The 25 of ``25 and 26 October 2025``, the 26 of ``October 25 and 26``."""
    day = day_number(r, i)
    if day is None or (r.low(i - 1) in NOT_A_DAY and not day[2]):
        return None
    if r.low(day[1]) in _LISTS:
        at = r.skip(r.skip(day[1] + 1, {"and"}), {"the"})
        following = r.point(at) if r.low(at).isdecimal() else None
        if (
            following is not None
            and following.unit is cal.DAY
            and following.start > _on(following, day[0]).start
        ):
            return _on(following, day[0], day[1])
    return _after_listed(r, i, day[0], day[1])


def _after_listed(r: Reader, i: int, day: int, end: int) -> Point | None:
    """A day behind others of the same month, which stands before all of them: ``May 5, 6 and 7``."""
    at = i - 1
    while at > 0 and (r.low(at) in _LISTS or day_number(r, at) is not None):
        at -= 1
    if not r.is_month(at) or i - at < 3 or (r.low(end).isalpha() and r.low(end) not in _LISTS | {"of", "in"}):
        return None
    first = r.point(at)
    if first is None or first.unit is not cal.DAY or first.start.day >= day:
        return None
    found = _on(first, day, end)
    year = r.year(r.skip(end, {","}))
    return found.at(*year) if year and found.in_year else found


def _on(point: Point, day: int, end: int | None = None) -> Point:
    """Another day of the month that a day is in."""

    def moved(start: date, _: date) -> Days:
        return start.replace(day=day), start.replace(day=day)

    return point.map(moved, point.end if end is None else end, cal.DAY)


def weekend_of(r: Reader, i: int) -> Found | None:
    """``the weekend of 25 and 26 October``, ``the weekend of 3 May``: the Saturday and Sunday that hold the days."""
    if r.low(i) != "weekend" or r.low(i + 1) not in {"of", ","}:
        return None
    at = r.skip(i + 2, {"the"})
    if (span := two_ended(r, at)) is not None and span.point is not None and _is_short(span.point):
        return replace(span, begin=i)
    first = last = r.point(at)
    while last is not None and r.low(last.end) in _LISTS:
        following = r.point(r.skip(r.skip(last.end + 1, {"and"}), {"the"}))
        if following is None or following.unit is not cal.DAY:
            break
        last = following
    if first is None or last is None or first.unit is not cal.DAY:
        return None
    length = last.start - first.start
    whole = first.map(lambda s, _: (s, s + length) if length else _saturday(s), last.end, cal.DAY)
    return Found.of_point(i, whole) if _is_short(whole) else None


def _is_short(point: Point) -> bool:
    return point.unit is cal.DAY and 0 <= (point.stop - point.start).days <= 3


def _saturday(day: date) -> Days:
    """The weekend that a day is on, or the one of its week."""
    saturday = day + timedelta(days=5 - day.weekday())
    return saturday, saturday + timedelta(days=1)


def ordinal_days(r: Reader, i: int) -> Found | None:
    """``25th to 31st`` behind the month that they are days of, as in ``October 2025, 25th to 31st``."""
    at = r.skip(r.skip(i, {"from", "between"}), {"the"})
    first = day_number(r, at)
    if first is None or not first[2]:
        return None
    joint = r.low(first[1])
    if joint not in _TO and not (joint == "and" and r.low(i) == "between"):
        return None
    last = day_number(r, r.skip(first[1] + 1, {"the"}))
    if last is None or not last[2] or last[0] <= first[0] or r.low(last[1]) == "of" or r.is_month(last[1]):
        return None
    month = next((m for n in range(i - 1, -1, -1) if r.is_month(n) and (m := r.point(n)) is not None), None)
    if month is None or month.unit not in (cal.MONTH, cal.DAY):
        return None
    whole = month.map(lambda s, _: (s.replace(day=first[0]), s.replace(day=last[0])), last[1], cal.DAY)
    return Found.of_point(i, whole)
