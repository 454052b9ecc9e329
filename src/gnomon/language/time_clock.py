"""Rules for times of day: "at 9 am", "7 pm or later", "between 8:30 and 10", "in the evening"."""

from __future__ import annotations

import re

from gnomon.core.patterns import regex
from gnomon.language import calendar as cal
from gnomon.language.time_found import Found
from gnomon.language.time_mention import Recurring
from gnomon.language.time_reader import Reader
from gnomon.language.time_words import AFTER_TIME, Phrases, phrases

_CLOCK = regex(r"(\d{1,2})(?:[:.](\d{2}))? ?(a\.?m\.?|p\.?m\.?|o'clock|h)?(?!\w)", re.IGNORECASE)
_MINUTES = 24 * 60
_SIDES = phrases(
    {
        "at": "at", "between": "between", "from": "between", "after": "from", "past": "from", "since": "from",
        "later than": "from", "no earlier than": "from", "not before": "from", "before": "to", "until": "to", "till": "to",
        "earlier than": "to", "up to": "to", "by": "to", "no later than": "to", "prior to": "to",
    }
)  # fmt: skip
_CLOSERS = phrases(
    {
        "or later": "from", "and later": "from", "or after": "from", "and after": "from", "onwards": "from",
        "onward": "from", "on": "from", "or earlier": "to", "and earlier": "to", "or before": "to", "and before": "to",
    }
)  # fmt: skip
_HALVES = phrases(
    {"in the morning": "am", "in the afternoon": "pm", "in the evening": "pm", "at night": "pm"}
)
_SPANS = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 22), "night": (22, 6)}
_PARTS: Phrases[str] = phrases(
    {
        "in the morning": "morning", "in the mornings": "morning", "mornings": "morning", "during the morning": "morning",
        "in the afternoon": "afternoon", "in the afternoons": "afternoon", "afternoons": "afternoon",
        "during the afternoon": "afternoon", "in the evening": "evening", "in the evenings": "evening",
        "evenings": "evening", "during the evening": "evening", "at night": "night", "during the night": "night",
        "in the night": "night", "nights only": "night", "overnight": "night",
    }
)  # fmt: skip


def clock(r: Reader, i: int) -> Found | None:
    """A part of every day, to the minute."""
    return _between(r, i) or _one_sided(r, i) or _part_of_day(r, i)


def _between(r: Reader, i: int) -> Found | None:
    """``between 9 am and 5 pm``, ``from 8:30 to 10``, ``6-9 pm``."""
    opened = r.low(i) in {"between", "from"}
    at = i + opened
    first = _time(r, at) or _short(r, at)
    if first is None or r.low(first[1]) not in {"and", "to", "-", "–", "until", "till"}:
        return None
    if r.low(first[1]) == "and" and r.low(i) != "between":
        return None
    last = _time(r, first[1] + 1) or _same_half(r, first, first[1] + 1)
    return _found(i, last[1], _span(first[0], last[0])) if last is not None else None


def _one_sided(r: Reader, i: int) -> Found | None:
    """``after 18:00``, ``before noon``, ``at 7 pm or later``, ``from 9 am on``."""
    opened = next(iter(r.phrases(i, _SIDES)), None)
    at, side = opened or (i, "")
    time = _time(r, at)
    if time is None:
        return None
    start, end = time
    closed = next(iter(r.phrases(end, _CLOSERS)), None)
    if closed is not None and side in {"", "at", "between"} and _closes(r, end):
        end, side = closed
    if side == "at":
        return _found(i, end, _span(start, start + (1 if start % 60 else 60)))
    if side == "from":
        return _found(i, end, tuple(range(start, _MINUTES)))
    return _found(i, end, tuple(range(start))) if side == "to" else None


def _closes(r: Reader, i: int) -> bool:
    """“from 9 am on”, not “at 9 am on Mondays”."""
    return r.low(i) != "on" or not r.low(i + 1).isalnum()


def _part_of_day(r: Reader, i: int) -> Found | None:
    """``in the evening``, ``overnight``: parts of the day as they are commonly divided, which is said."""
    for end, name in r.phrases(i, _PARTS):
        first, last = _SPANS[name]
        note = f"{name} was read as {first}:00 to {last}:00"
        return _found(i, end, _span(60 * first, 60 * last), confidence=0.7, note=note)
    return None


def _span(first: int, last: int) -> tuple[int, ...]:
    """The minutes from one time to the next other, over midnight where need be."""
    return tuple(sorted((first + n) % _MINUTES for n in range((last - first) % _MINUTES)))


def _found(
    begin: int, end: int, minutes: tuple[int, ...], *, confidence: float = 0.8, note: str = ""
) -> Found | None:
    if not minutes:
        return None
    hours = sorted({m // 60 for m in minutes})
    whole = len(minutes) == 60 * len(hours)
    part = Recurring("hour", tuple(hours)) if whole else Recurring("minute", minutes)
    return Found(
        begin, end, "recurring", grain=cal.HOUR.grain, recurring=part, confidence=confidence, note=note
    )


def _short(r: Reader, i: int) -> tuple[int, int] | None:
    """The 6 of ``between 6 and 9 pm``, which is in the same half of the day."""
    last = _time(r, i + 2) if r.low(i + 1) in {"and", "to", "-", "–"} else None
    word = r.low(i)
    if last is None or not (word.isascii() and word.isdecimal()) or not 1 <= int(word) <= 12:
        return None
    minute = 60 * (int(word) % 12 + (12 if last[0] >= 720 else 0))
    return (minute, i + 1) if minute < last[0] else None


def _same_half(r: Reader, first: tuple[int, int], i: int) -> tuple[int, int] | None:
    """The 10 of ``from 8:30 to 10``: a bare hour after a time that says it is one."""
    word = r.low(i)
    if not (word.isascii() and word.isdecimal()) or not 0 <= int(word) <= 24:
        return None
    if r.low(i + 1).isalpha() and r.low(i + 1) not in AFTER_TIME:
        return None  # "from 8:30 to 10 orders"
    hour = int(word) + (12 if first[0] >= 720 and int(word) < 12 else 0)
    return (60 * hour % _MINUTES, i + 1) if 60 * hour > first[0] else None


def _time(r: Reader, i: int) -> tuple[int, int] | None:
    """A time of day that says it is one (am, pm, minutes, o'clock), in minutes, and the token after it."""
    if r.low(i) in {"noon", "midday", "midnight"}:
        return (0 if r.low(i) == "midnight" else 720), i + 1
    found = r.match(_CLOCK, i)
    if found is None or (r.glued(i) and r.low(i - 1) not in {"-", "–", "("}):
        return None
    end = found[1]
    half = (found[0][3] or "").lower().replace(".", "")
    if half not in {"am", "pm"}:
        end, half = next(iter(r.phrases(end, _HALVES)), (end, half))
    dotted = "." in found[0][0].split(found[0][3] or "\0")[0] and half not in {"am", "pm"}
    if not (found[0][2] or half) or dotted:
        return None
    hour, minute = int(found[0][1]), int(found[0][2] or 0)
    if hour > 23 or minute > 59 or (half in {"am", "pm"} and not 1 <= hour <= 12):
        return None
    if half in {"am", "pm"}:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return 60 * hour + minute, end
