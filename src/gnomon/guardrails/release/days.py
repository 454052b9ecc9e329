"""Days in sentences: whoever knows the day of an event often knows whose it was, so they are told as months."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta

from gnomon.core.patterns import regex

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
_NAMES = "|".join([*_MONTHS, *(f"{m[:3]}\\.?" for m in _MONTHS), "Sept\\.?"])
_CLOCK = r"(?:[T ,]+(?:at )?\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?"
_NUMBERS = regex(rf"\b(\d{{4}})-(\d{{2}})-(\d{{2}})(?!\d){_CLOCK}")
_DAY_FIRST = regex(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_NAMES}) (\d{{4}})\b{_CLOCK}", re.IGNORECASE)
_MONTH_FIRST = regex(rf"\b({_NAMES}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b{_CLOCK}", re.IGNORECASE)


def coarse(text: str, known: Collection[date] = ()) -> str:
    """``text`` with months instead of days, except for ``known`` ones."""

    def numbers(found: re.Match[str]) -> str:
        year, month, day = (int(part) for part in found.groups())
        return found[0] if _is(known, year, month, day) else f"{year:04d}-{month:02d}"

    def words(found: re.Match[str], day: str, name: str, year: str) -> str:
        month = next(i for i, m in enumerate(_MONTHS, 1) if m.lower().startswith(name.lower()[:3]))
        return found[0] if _is(known, int(year), month, int(day)) else f"{name} {year}"

    text = _NUMBERS.sub(numbers, text)
    text = _DAY_FIRST.sub(lambda m: words(m, m[1], m[2], m[3]), text)
    return _MONTH_FIRST.sub(lambda m: words(m, m[2], m[1], m[3]), text)


def bounds_month(day: date) -> bool:
    """Whether a month begins or ends with a day: periods of calendars do, whatever the data."""
    return day.day == 1 or day == date.max or (day + timedelta(days=1)).day == 1


def _is(known: Collection[date], year: int, month: int, day: int) -> bool:
    try:
        return date(year, month, day) in known
    except ValueError:
        return False
