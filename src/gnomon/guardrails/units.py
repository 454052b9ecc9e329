"""Units as one name each, whether a fact carries them or prose writes them."""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.data.column_names import vocabulary
from gnomon.data.currencies import CODES, SYMBOLS

PERCENT = "%"
FRACTION = "fraction"
POINTS = "pp"
TIMES = "x"
PLAIN = ""

CURRENCY_WORDS = {
    "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "pound": "GBP", "pounds": "GBP", "yen": "JPY",
    "rupee": "INR", "rupees": "INR", "franc": "CHF", "francs": "CHF", "yuan": "CNY",
}  # fmt: skip
_SPELLED = {
    "percent": PERCENT, "per cent": PERCENT, "pct": PERCENT, "percentage": PERCENT, "%": PERCENT,
    "fraction": FRACTION, "share": FRACTION, "proportion": FRACTION, "ratio": FRACTION, "probability": FRACTION,
    "pp": POINTS, "ppt": POINTS, "percentage point": POINTS, "percentage points": POINTS,
    "x": TIMES, "×": TIMES, "times": TIMES, "multiple": TIMES, "factor": TIMES, "fold": TIMES,
    "count": PLAIN, "number": PLAIN, "none": PLAIN, "integer": PLAIN,
}  # fmt: skip
_ALIASES = {
    "s": "second", "sec": "second", "secs": "second", "min": "minute", "mins": "minute", "h": "hour", "hr": "hour",
    "hrs": "hour", "d": "day", "wk": "week", "wks": "week", "mo": "month", "yr": "year", "yrs": "year",
    "kilogram": "kg", "kilo": "kg", "gram": "g", "kilometre": "km", "kilometer": "km", "kms": "km", "metre": "meter",
    "litre": "liter", "tonne": "ton", "megabyte": "mb", "gigabyte": "gb", "millisecond": "ms", "celsius": "°c",
    "fahrenheit": "°f", "lbs": "lb", "pound weight": "lb",
}  # fmt: skip
MEASURES = vocabulary(
    "second minute hour day week month quarter year decade kg g mg km meter cm mm mile foot feet inch "
    "yard liter ml gallon ton lb ounce mb gb kb tb kwh mwh ms °c °f watt kw degree star hectare acre "
    "kph mph"
)
DURATIONS = {"day": 1.0, "week": 7.0, "month": 0.0, "quarter": 0.0, "year": 0.0, "hour": 1 / 24}


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its plural ending, in lower case."""
    w = word.lower()
    if len(w) > 4 and w.endswith("ies"):
        return w[:-3] + "y"
    if len(w) > 4 and w.endswith(("sses", "shes", "ches", "xes")):
        return w[:-2]
    return w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith(("ss", "us", "is")) else w


@lru_cache(maxsize=4096)
def measure(word: str) -> str:
    """The unit that a word names in the singular: ``days`` and ``d`` are ``day``."""
    w = word.lower()
    return _ALIASES.get(w) or _ALIASES.get(stem(w)) or stem(w)


def canonical(unit: str | None) -> str:
    """One name for a fact's unit: ``%``, ``fraction``, ``pp``, ``x``, a currency code, a measure, or nothing."""
    written = (unit or "").strip()
    if written in SYMBOLS:
        return SYMBOLS[written]
    if written.upper() in CODES:
        return written.upper()
    low = written.lower()
    if low in _SPELLED:
        return _SPELLED[low]
    if low in CURRENCY_WORDS:
        return CURRENCY_WORDS[low]
    return " ".join(measure(w) for w in re.findall(r"[^\W_]+|°\w", low))


def is_currency(unit: str) -> bool:
    """Whether a canonical unit is money."""
    return unit in CODES or unit in SYMBOLS.values()
