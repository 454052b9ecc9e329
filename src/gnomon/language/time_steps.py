"""Rules for steps in time: "by month", "weekly", "over time", "which day of the week"."""

from __future__ import annotations

from gnomon.language import calendar as cal
from gnomon.language.time_found import Found
from gnomon.language.time_mention import Recurring, RecurringUnit
from gnomon.language.time_reader import Reader
from gnomon.language.time_words import AFTER_TIME, EVERY, PLURAL_UNITS, UNITS, Phrases, phrases, word_set

_STEPS = (cal.HOUR, cal.DAY, cal.WEEK, cal.MONTH, cal.QUARTER, cal.YEAR, cal.DECADE)
_BY = frozenset({"by", "per", "each", "every"})
_ASKS = frozenset({"which", "what", "whichever"})
_ENDS = word_set("fewest maximum minimum max min")
_SUPERLATIVES = word_set(
    "best worst top bottom highest lowest peak busiest strongest weakest biggest slowest largest smallest greatest "
    "quietest hottest coldest fastest most least record"
)
_CYCLES: Phrases[RecurringUnit] = phrases(
    {
        "day of the week": "weekday", "days of the week": "weekday", "day of week": "weekday", "week day": "weekday",
        "weekday": "weekday", "weekdays": "weekday", "month of the year": "month", "month of year": "month",
        "calendar month of the year": "month", "quarter of the year": "quarter", "hour of the day": "hour",
        "hour of day": "hour", "hours of the day": "hour", "time of the day": "hour", "time of day": "hour",
    }
)  # fmt: skip
_HABITS: dict[str, RecurringUnit] = {"month": "month", "quarter": "quarter", "hour": "hour"}
_OVER_TIME = phrases(
    dict.fromkeys(("over time", "across time", "through time", "with time", "time series"), True)
)


def step(r: Reader, i: int) -> Found | None:
    """Whatever says in which steps to show or to rank time."""
    return (
        _cycle(r, i)
        or _in_one(r, i)
        or _by(r, i)
        or _adverb(r, i)
        or _repeated(r, i)
        or _over_time(r, i)
        or _asked(r, i)
    )


def _cycle(r: Reader, i: int) -> Found | None:
    """``by day of the week``, ``which hour of the day``, ``each weekday``, and the ``which month`` of "do most come"."""
    if r.low(i) in _ASKS and r.low(i + 1) in _HABITS and r.low(i + 2) in {"do", "does"}:
        return Found(i, i + 2, "grain", recurring=Recurring(_HABITS[r.low(i + 1)]), confidence=0.95)
    at = r.skip(i, _BY | _ASKS | {"across"})
    at = r.skip(at, {"the"}) if at > i else at
    for end, unit in r.phrases(at, _CYCLES):
        if at > i or end - at > 2:
            return Found(i, end, "grain", recurring=Recurring(unit), confidence=0.95)
    return None


def _in_one(r: Reader, i: int) -> Found | None:
    """The most ``in a day``, the highest ``in any one month``: the length of what is ranked, behind a superlative."""
    if r.low(i) not in {"in", "on", "within", "during", "for"}:
        return None
    at = r.skip(i + 1, {"any", "a", "an"})
    at = r.skip(r.skip(at, {"one", "given"}), {"single"})
    found = _unit(r, at) if at > i + 1 else None
    ranked = any(r.low(n) in _SUPERLATIVES | _ENDS for n in range(max(0, i - 9), i))
    if found is None or r.low(found[1] - 1) in PLURAL_UNITS or not ranked or r.low(found[1]) == "of":
        return None
    return Found(i, found[1], "grain", grain=found[0].grain, confidence=0.9)


def _by(r: Reader, i: int) -> Found | None:
    """``by month``, ``per week``, ``for each quarter``, ``by year and month`` (the finer one)."""
    begin = i
    if r.low(i) == "for" and r.low(i + 1) in {"each", "every"}:
        i += 1
    if r.low(i) not in _BY:
        return _listed(r, begin)
    at = r.skip(i + 1, {"the", "each", "every"})
    if r.low(i) == "per" and r.low(at) == "annum":
        return Found(begin, at + 1, "grain", grain=cal.YEAR.grain)
    found = _unit(r, at)
    if found is None:
        return None
    unit, end = found
    while r.low(end) in {"and", ",", "/"} and (more := _unit(r, end + 1)) is not None:
        unit, end = min(unit, more[0], key=_length), more[1]
    part = r.low(i - 1) == "of" and r.low(i) in {
        "each",
        "every",
    }  # "the first of each month" is a day, no step
    return Found(begin, end, "grain", grain=unit.grain, confidence=0.4 if part else _alone(r, end))


def _listed(r: Reader, i: int) -> Found | None:
    """The month of ``by region and month``."""
    if r.low(i) not in {"and", ","} or not any(r.low(n) in {"by", "per"} for n in range(max(0, i - 4), i)):
        return None
    found = _unit(r, r.skip(i + 1, {"by", "and"}))
    if found is None or r.low(found[1] - 1) in PLURAL_UNITS:
        return None
    return Found(found[1] - 1, found[1], "grain", grain=found[0].grain, confidence=_alone(r, found[1]) * 0.85)


def _alone(r: Reader, end: int) -> float:
    """Less sure where another noun follows, as in "by year built" or "by day part"."""
    word = r.low(end)
    if word.isalpha() and word not in AFTER_TIME:
        return 0.4 if word in {"part", "parts", "type", "name", "number", "end", "built"} else 0.75
    return 1.0


def _adverb(r: Reader, i: int) -> Found | None:
    """``monthly``, ``on a weekly basis``, ``month-level``."""
    if r.low(i) == "on" and r.low(i + 1) in {"a", "an"} and r.low(i + 2) in EVERY and r.low(i + 3) == "basis":
        return Found(i, i + 4, "grain", grain=EVERY[r.low(i + 2)].grain)
    if r.low(i) in EVERY and not (r.low(i - 1) == "-" and r.low(i - 2) in {"half", "semi", "bi"}):
        end = r.skip(i + 1, {"basis"})
        return Found(
            i, end, "grain", grain=EVERY[r.low(i)].grain, confidence=0.95 if _alone(r, end) == 1.0 else 0.85
        )
    found = _unit(r, i)
    if found and r.low(r.skip(found[1], {"-"})) in {"level", "granularity", "grain", "resolution"}:
        return Found(i, r.skip(found[1], {"-"}) + 1, "grain", grain=found[0].grain, confidence=0.9)
    return None


def _repeated(r: Reader, i: int) -> Found | None:
    """``month by month``, ``week after week``, ``from day to day``."""
    begin = i
    i = r.skip(i, {"from"})
    if r.low(i) == "one" and (one := _unit(r, i + 1)) is not None:
        end = r.phrase(one[1], "to", "the", "next") or r.phrase(one[1], "to", "another")
        return Found(begin, end, "grain", grain=one[0].grain, confidence=0.95) if end is not None else None
    found = _unit(r, i)
    if found is None:
        return None
    at = r.skip(found[1], {"-"})
    if r.low(at) not in {"by", "after", "to"}:
        return None
    again = r.skip(at + 1, {"-"})
    if r.low(again) != r.low(i):
        return None
    return Found(begin, again + 1, "grain", grain=found[0].grain, confidence=0.95)


def _over_time(r: Reader, i: int) -> Found | None:
    """``over time`` (whatever step suits the data), ``over the years``."""
    for end, _ in r.phrases(i, _OVER_TIME):
        return Found(i, end, "grain", confidence=0.9)
    if r.low(i) in {"over", "across", "through"}:
        at = r.skip(i + 1, {"the"})
        if r.low(at) in PLURAL_UNITS and (unit := UNITS[r.low(at)]) in _STEPS and r.low(at + 1) != "of":
            return Found(i, at + 1, "grain", grain=unit.grain, confidence=0.85)
    return None


def _asked(r: Reader, i: int) -> Found | None:
    """``which month``, ``the best week``, ``top 5 days``, ``months in which``: a step to rank by."""
    at, sure = i, 0.9
    if r.low(at) in _ASKS:
        at += 1
    elif r.phrase(i, "how", "many") is not None and r.low(i - 1) in {"in", "on", "during", "for"}:
        at += 2
    elif r.low(at) in _SUPERLATIVES:
        counted = r.number(at + 1)
        at = counted[1] if counted else at + 1
        at, sure = at + (r.low(at).isalpha() and r.low(at) not in UNITS and r.low(at + 1) in UNITS), 0.85
    elif r.low(at) in PLURAL_UNITS and r.low(at + 1) in {"when", "where", "with", "that", "in"}:
        if r.low(at + 1) == "in" and r.low(at + 2) != "which":
            return None
        sure = 0.6
    else:
        return None
    for end, unit in r.phrases(at, _CYCLES):
        if end - at > 2:
            return Found(at, end, "grain", recurring=Recurring(unit), confidence=0.9)
    found = _unit(r, at)
    if found is None or (r.low(found[1]) == "of" and r.unit(r.skip(found[1] + 1, {"the"})) is None):
        return None
    return Found(at, found[1], "grain", grain=found[0].grain, confidence=sure)


def _unit(r: Reader, i: int) -> tuple[cal.CalendarUnit, int] | None:
    found = r.unit(i)
    return found if found is not None and found[0] in _STEPS else None


def _length(unit: cal.CalendarUnit) -> int:
    return _STEPS.index(unit)
