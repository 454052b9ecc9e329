"""Figures, periods and names of insights as people write them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from gnomon.analytics.insight import Grain, Grid, Number
from gnomon.core.figures import figure, moment, number
from gnomon.core.query import TimeGranularity
from gnomon.language.time_names import period_name
from gnomon.semantic.model import plural

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LOOSE = frozenset({"to", "by", "at", "on", "of", "for", "from", "with"})


def period(iso: str, grain: Grain) -> str:
    """A period by its first day, as people call it."""
    at = datetime.fromisoformat(iso)
    if grain is Grain.HOUR:
        return f"{moment(at.date())} {at:%H}:00"
    return period_name(at.date(), TimeGranularity(grain.value))


def figure_of(n: Number) -> str:
    value = n.value
    if isinstance(value, (date, datetime)) or value is None:
        return figure(value)
    if n.unit == "fraction" or not isinstance(value, float):
        return figure(value, n.unit)
    return figure(short(value), n.unit)


def short(value: float) -> float:
    """Three digits, or all before the point: as many as an average deserves."""
    if value == 0 or abs(value) >= 100:
        return float(round(value))
    return float(f"{value:.3g}")


def plain_size(value: float, like: Number) -> str:
    return number(100 * value) + " points" if like.unit == "fraction" else number(short(value))


def size_of(n: Number, *, absolute: bool = False) -> str:
    value = abs(n.value) if absolute else n.value
    if n.unit == "fraction":
        return f"{number(short(100 * value))} points"
    return figure(short(value), n.unit)


def signed(n: Number) -> str:
    text = figure(n.value, n.unit)
    return text if text.startswith("-") else f"+{text}"


def in_unit(label: str, unit: str | None) -> str:
    if unit is None or unit == "fraction":
        return label
    return label if unit in label.split() else f"{label} ({unit})"


def units_of(grid: Grid) -> tuple[str | None, ...]:
    return grid.units or (None,) * len(grid.columns)


def as_percent(value: Any, unit: str | None) -> Any:
    return 100 * value if unit == "fraction" and isinstance(value, (int, float)) else value


def drawn_name(label: str, unit: str | None) -> str:
    return f"{label} (%)" if unit == "fraction" else in_unit(label, unit)


def values_of(label: str) -> str:
    return f"values of {label}" if label.rpartition(" ")[2] in LOOSE else plural(label)


def listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def spelt(text: str) -> str:
    n = int(text)
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
