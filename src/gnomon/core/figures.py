"""Numbers, amounts and moments as people read them; the exact values stay where they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from gnomon.core.patterns import regex

SYMBOLS = {
    "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "CN¥", "INR": "₹", "KRW": "₩", "BRL": "R$", "CAD": "CA$",
    "AUD": "A$", "NZD": "NZ$", "MXN": "MX$", "ILS": "₪", "TRY": "₺", "UAH": "₴", "PHP": "₱", "THB": "฿", "VND": "₫",
}  # fmt: skip
_CODES = frozenset(
    {*SYMBOLS, "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "RUB", "ZAR", "SGD", "HKD", "TWD", "AED", "SAR"}
)  # fmt: skip
_BY_SYMBOL = {symbol: code for code, symbol in SYMBOLS.items()}
_AS_WRITTEN = regex(r"[a-z]{1,2}[A-Z]")
_WITHOUT_CENTS = frozenset({"JPY", "KRW", "VND", "HUF"})
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
COMPACT = ((1e12, "T"), (1e9, "B"), (1e6, "M"))
UNKNOWN = "unknown"
PERCENT = "%"
FRACTION = "fraction"
POINTS = "percentage points"
POINTS_IN = {FRACTION: 100, PERCENT: 1}  # what a difference between two rates is multiplied by


_DEGREES = frozenset({"°C", "°F"})  # their zero is no nothing


def told_apart(unit: str | None) -> tuple[int, str] | None:
    """How two values differ where "up 10 %" would say two things (rates) or nothing (degrees): the factor, and the unit."""
    if unit in POINTS_IN:
        return POINTS_IN[unit], POINTS
    return (1, unit) if unit in _DEGREES else None


def currency(unit: str | None) -> str | None:
    """The currency code that a unit is, as a code or a symbol; None where it is no currency."""
    if unit is None:
        return None
    return _BY_SYMBOL.get(unit) or (unit.upper() if unit.upper() in _CODES else None)


def figure(value: Any, unit: str | None = None) -> str:
    """A value in its unit, with as many digits as a reader can use."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (date, datetime)):
        return moment(value)
    if not isinstance(value, (int, float)):
        return str(value)
    if math.isinf(value):
        return "beyond any number"
    if unit == FRACTION:
        return _percent(100 * value)
    if unit == PERCENT:
        return _percent(value)
    if unit == POINTS:
        text = _percent(value).removesuffix(" %")
        return f"{text} {_unit_for(text, unit)}"
    if code := currency(unit):
        return _money(value, code)
    text = number(value)
    if not unit:
        return text
    return f"{text} {_unit_for(text, unit)}"


def number(value: float) -> str:
    """A plain number: separators, few decimals, millions shortened unless the number is whole."""
    size = abs(value)
    whole = float(value).is_integer()
    if size >= 1e6 and (not whole or size >= 1e9):
        return _compact(value)
    if whole:
        return f"{value:,.0f}".replace("-0", "0") if value == 0 else f"{value:,.0f}"
    if size >= 10_000:
        return f"{value:,.0f}"
    if size >= 1:
        return _stripped(f"{value:,.2f}")
    if size >= 0.001:
        return _stripped(f"{value:.3g}")
    return f"{value:.2e}"


def _percent(value: float) -> str:
    size = abs(value)
    if size >= 1000:
        text = f"{value:,.0f}"
    elif size >= 0.95 or value == 0:
        text = _stripped(f"{value:.1f}")
    else:
        text = _stripped(f"{value:.2g}") if size >= 0.001 else f"{value:.1e}"
    return f"{text} %"


def _money(value: float, code: str) -> str:
    sign, size = ("-" if value < 0 else ""), abs(value)
    cents = code not in _WITHOUT_CENTS and size < 100_000 and not float(size).is_integer()
    if size >= 1e6:
        text = _compact(size)
    elif 0 < size < 0.01:
        text = f"{size:.2g}"
    else:
        text = f"{size:,.2f}" if cents else f"{size:,.0f}"
    symbol = SYMBOLS.get(code)
    return f"{sign}{symbol}{text}" if symbol else f"{sign}{text} {code}"


def _compact(value: float) -> str:
    scale, letter = next((s, le) for s, le in COMPACT if abs(value) >= s)
    return f"{_stripped(f'{value / scale:,.2f}')} {letter}"


def _stripped(text: str) -> str:
    """Without the zeros after the point that say nothing."""
    if "." not in text or "e" in text:
        return text
    text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _unit_for(text: str, unit: str) -> str:
    """The unit behind a number: one day, two days."""
    if text in {"1", "-1"} and unit.endswith("s") and len(unit) > 3:
        return unit[:-1]
    return unit


def moment(value: date | datetime) -> str:
    """A day, or a moment of a day, in words."""
    day = f"{value.day} {MONTHS[value.month - 1]} {value.year}"
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) != (0, 0, 0):
        return f"{day} {value.hour:02d}:{value.minute:02d}"
    return day


def group_name(value: Any) -> str:
    """The value of a dimension as prose names it."""
    if value is None:
        return "(no value)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (date, datetime)):
        return moment(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip() or "(empty)"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names as a sentence lists them: A; A and B; A, B and C."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop."""
    text = text.strip()
    if not text:
        return ""
    text = capital(text)
    return text if text[-1] in ".!?" else f"{text}."


def capital(text: str) -> str:
    """The text with its first letter large; a word with a capital further on is written as it is: kWh, pH."""
    return text if _AS_WRITTEN.match(text) else text[:1].upper() + text[1:]
