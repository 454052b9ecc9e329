"""Numbers in text, with their units and where they stand."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from gnomon.core.patterns import late_pattern, regex


class Unit(StrEnum):
    """What a number counts, where the text says so."""

    NONE = ""
    PERCENT = "percent"
    SIGMA = "sigma"
    MILLISECOND = "millisecond"
    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    @property
    def seconds(self) -> float | None:
        """Length of one unit in seconds, for the clock units."""
        return _SECONDS.get(self)


_SECONDS = {Unit.MILLISECOND: 0.001, Unit.SECOND: 1.0, Unit.MINUTE: 60.0, Unit.HOUR: 3600.0}

_WORDS: dict[str, float] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12,
}  # fmt: skip
_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
    "hundred": 100,
}

_UNITS: dict[str, Unit] = {
    "%": Unit.PERCENT, "percent": Unit.PERCENT, "pct": Unit.PERCENT,
    "sigma": Unit.SIGMA, "sigmas": Unit.SIGMA, "σ": Unit.SIGMA, "sd": Unit.SIGMA, "sds": Unit.SIGMA,
    "std": Unit.SIGMA, "stds": Unit.SIGMA, "stdev": Unit.SIGMA, "stdevs": Unit.SIGMA, "mad": Unit.SIGMA,
    "mads": Unit.SIGMA, "ms": Unit.MILLISECOND, "s": Unit.SECOND, "sec": Unit.SECOND, "secs": Unit.SECOND,
    "min": Unit.MINUTE, "mins": Unit.MINUTE, "h": Unit.HOUR, "hr": Unit.HOUR, "hrs": Unit.HOUR, "d": Unit.DAY,
    "wk": Unit.WEEK, "wks": Unit.WEEK, "mo": Unit.MONTH, "mos": Unit.MONTH, "yr": Unit.YEAR, "yrs": Unit.YEAR,
    "fortnight": Unit.WEEK, "fortnights": Unit.WEEK,
} | {f"{u.value}{s}": u for u in Unit if u not in {Unit.NONE, Unit.PERCENT, Unit.SIGMA} for s in ("", "s")}  # fmt: skip

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_NUMBER = regex(
    rf"""(?<![\w.])
    (?:(?P<digits>[-+]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)?(?:(?<=\d)\.\d+|\.\d+)?(?:e[-+]?\d+)?)
      |(?P<word>(?:a|half\sa|(?:a\s)?quarter\sof\sa)\s+(?:dozen|hundred|thousand|million|billion)|(?:{_TENS})[-\s](?:one|two|three|four|five|six|seven|eight|nine)|{"|".join(_WORDS)})\b)
    (?:\s?(?P<scale>k|mn|bn|million|billion|thousand|hundred)\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_UNIT = regex(
    r"[\s-]?(?P<unit>%|σ|standard[\s-]deviations?|business\s+days?|calendar\s+\w+|[a-z]+)", re.IGNORECASE
)


@dataclass(frozen=True)
class Quantity:
    """One number in a text.

    Args:
        value: The number; a percentage stays as written (95 for ``95 %``).
        unit: What it counts.
        start: Where it begins in the text.
        end: Where it (with its unit) ends.
        text: How it was written.
    """

    value: float
    unit: Unit
    start: int
    end: int
    text: str

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return float(self.value).is_integer()


def find_quantities(text: str) -> list[Quantity]:
    """Every number of ``text``, in order.

    Dates written with digits (``2024-03-01``, ``11/8/2018``) are left to the time grammar.
    """
    dates = [m.span() for m in _DATE.finditer(text)]
    found: list[Quantity] = []
    for match in _NUMBER.finditer(text):
        if not match.group(0).strip("+-") or any(a <= match.start() < b for a, b in dates):
            continue
        value = _value(match)
        if value is None:
            continue
        if _MILLIONS.match(text, match.end()) and text[match.start() - 1 : match.start()] in tuple("$€£"):
            found.append(
                Quantity(
                    value * 1e6,
                    Unit.NONE,
                    match.start(),
                    match.end() + 1,
                    text[match.start() : match.end() + 1],
                )
            )
            continue
        unit, end = _unit(text, match.end())
        if unit is Unit.WEEK and text[match.end() : end].strip().lower().startswith("fortnight"):
            value *= 2
        found.append(Quantity(value, unit, match.start(), end, text[match.start() : end]))
    return _of_one_scale(found, text)


_TO = late_pattern(r"\s*(?:and|to|-|–)\s*[$€£]?", re.IGNORECASE)
_FROM = late_pattern(r"(?:between|from|\bof)\s+[$€£]?$", re.IGNORECASE)
_SIZE = late_pattern(r"\d\s?(k|mn|bn|million|billion|thousand)$", re.IGNORECASE)


def _of_one_scale(found: list[Quantity], text: str) -> list[Quantity]:
    """“between 20 and 40 million”: the scale behind a range is that of both its ends."""
    result = list(found)
    for i, (first, second) in enumerate(pairwise(found)):
        size = _SIZE.search(second.text.strip())
        between = text[first.end : second.start]
        dashed = between.strip() in {"-", "–"}
        begun = dashed or _FROM.search(text, max(0, first.start - 20), first.start)
        if size is None or not begun or not _TO.fullmatch(between) or _SIZE.search(first.text.strip()):
            continue
        whole = first.value * _SCALES[size[1].lower()]
        if first.unit is Unit.NONE and whole <= second.value:
            result[i] = replace(first, value=whole)
    return result


_MILLIONS = regex(r"m\b", re.IGNORECASE)
_DATE = regex(r"\b\d{4}-\d{1,2}(?:-\d{1,2})?\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b")


def _value(match: re.Match[str]) -> float | None:
    scale = _SCALES.get((match.group("scale") or "").lower(), 1.0)
    if digits := match.group("digits"):
        try:
            value = float(digits.replace(",", "")) * scale
        except ValueError:
            return None
        return value if math.isfinite(value) else None
    words = re.split(r"[-\s]+", (match.group("word") or "").lower())
    if len(words) > 1 and words[-2] == "a":
        part = 0.5 if words[0] == "half" else 0.25 if "quarter" in words else 1.0
        return part * _SCALES.get(words[-1], 12.0)
    return sum(_WORDS[w] for w in words) * scale if all(w in _WORDS for w in words) else None


def _unit(text: str, at: int) -> tuple[Unit, int]:
    match = _UNIT.match(text, at)
    if not match:
        return Unit.NONE, at
    word = match.group("unit").lower()
    if word.startswith("standard"):
        return Unit.SIGMA, match.end()
    if word.startswith(("business", "calendar")):
        word = word.split()[-1]
    return (_UNITS[word], match.end()) if word in _UNITS else (Unit.NONE, at)


_ONE_SIGN = str.maketrans(
    {
        "≥": ">=",
        "⩾": ">=",
        "≧": ">=",
        "≤": "<=",
        "⩽": "<=",
        "≦": "<=",
        "≠": "!=",
        "＝": "=",
        "＞": ">",
        "＜": "<",
    }
)


def plain_signs(text: str) -> str:
    """The text with each sign of comparison as it is written everywhere: ≥ is >=, ≠ and <> are !=."""
    return text.translate(_ONE_SIGN).replace("<>", "!=").replace("==", "=")
