"""When two cells say the same: numbers within a tolerance, days however they are written, names whatever their case."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from gnomon.core.patterns import regex

Plain = str | float | bool | date | None
Form = tuple[str, str]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = regex(r"(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?)?")
_QUARTER = regex(r"(?:(\d{4})[\s-]*q([1-4])|q([1-4])[\s-]*(\d{4}))", re.IGNORECASE)
_NAMED = regex(r"(?:(\d{1,2})\s+)?([a-z]{3,9})\.?\s+(\d{4})", re.IGNORECASE)
_WEEK = regex(r"(\d{4})-?W(\d{2})", re.IGNORECASE)
# Sums over the same rows in another order differ in the last bits; nothing that anybody reads does.
_LEAST = 1e-9
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


def plain(value: Any) -> Plain:
    """A cell as a float, a bool, a date, folded text, or None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, datetime):
        return value.date() if (value.hour, value.minute, value.second) == (0, 0, 0) else str(value)
    if isinstance(value, date):
        return value
    if isinstance(value, (int, float, Decimal)):
        number = float(value)
        return None if math.isnan(number) else number
    if hasattr(value, "item"):
        return plain(value.item())
    text = str(value).strip()
    return _day(text) or " ".join(text.replace("_", " ").casefold().split())


def _day(text: str) -> date | None:
    """The day that a text names, or the first day of the week, month or quarter; None where it names none."""
    try:
        if m := _ISO.fullmatch(text):
            return date(int(m[1]), int(m[2]), int(m[3] or 1))
        if m := _QUARTER.fullmatch(text):
            return date(int(m[1] or m[4]), 3 * int(m[2] or m[3]) - 2, 1)
        if m := _WEEK.fullmatch(text):
            return date.fromisocalendar(int(m[1]), int(m[2]), 1)
        if (m := _NAMED.fullmatch(text)) and m[2][:3].lower() in _MONTHS:
            return date(int(m[3]), _MONTHS.index(m[2][:3].lower()) + 1, int(m[1] or 1))
    except ValueError:
        return None
    return None


def is_number(value: Any) -> bool:
    """Whether a cell is a number; truth values are none."""
    return isinstance(plain(value), float)


def same_number(one: float, other: float, tolerance: float) -> bool:
    """Whether two numbers differ by no more than the tolerance, as a share of the larger."""
    return abs(one - other) <= max(tolerance * max(abs(one), abs(other)), _LEAST)


def same(truth: Any, told: Any, tolerance: float, *, percent: bool = False) -> bool:
    """Whether a told cell says what the true one says.

    Args:
        truth: The true value.
        told: The value in the answer.
        tolerance: Relative, for numbers.
        percent: A rate may be told as a fraction or in percent.
    """
    a, b = plain(truth), plain(told)
    if isinstance(a, float) and isinstance(b, float):
        return any(same_number(a * scale, b, tolerance) for scale in scales(percent))
    return not forms(a).isdisjoint(forms(b))


def scales(percent: bool) -> tuple[float, ...]:
    """The factors by which a told number may differ from the true one."""
    return (1.0, 100.0, 0.01) if percent else (1.0,)


def forms(value: Any) -> frozenset[Form]:
    """The ways in which a cell may be written; two cells that share one name the same thing."""
    cell = plain(value)
    found: set[Form] = {("none", "")} if cell is None else {("text", _written(cell))}
    if (year := _year(cell)) is not None:
        found.add(("year", str(year)))
    if (truth := _as_truth(cell)) is not None:
        found.add(("truth", str(truth)))
    return frozenset(found)


def _year(cell: Plain) -> int | None:
    """The year that a cell stands for as a whole."""
    if isinstance(cell, date):
        return cell.year if (cell.month, cell.day) == (1, 1) else None
    if isinstance(cell, float) and cell.is_integer() and 1000 <= cell <= 9999:
        return int(cell)
    return int(cell) if isinstance(cell, str) and re.fullmatch(r"\d{4}", cell) else None


def _as_truth(cell: Plain) -> bool | None:
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, float):
        return {1.0: True, 0.0: False}.get(cell)
    return _TRUTHS.get(cell) if isinstance(cell, str) else None


def _written(cell: Plain) -> str:
    return f"{cell:.12g}" if isinstance(cell, float) else str(cell).casefold()
