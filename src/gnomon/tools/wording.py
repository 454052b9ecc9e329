"""Numbers and names as people read them, for the summaries of tools."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any


def figure(value: float | None) -> str:
    """A number with as many digits as a reader can use."""
    if value is None:
        return "n/a"
    if value != value or value in {float("inf"), float("-inf")}:
        return "not a number"
    size = abs(value)
    if float(value).is_integer() and size < 1e15:
        return f"{value:,.0f}"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 1:
        return f"{value:,.2f}"
    return f"{value:.3g}"


def percent(share: float | None) -> str:
    """A share of one as a percentage."""
    return "n/a" if share is None else f"{100 * share:.3g} %"


def moment(value: Any) -> str:
    """A point in time without the zeros that say nothing."""
    if isinstance(value, str):
        return value.removesuffix("T00:00:00")
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    if isinstance(value, (date, datetime)):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    return str(value)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: 1 row, 2 rows, no rows."""
    word = noun if count == 1 else plural or f"{noun}s"
    return f"{'no' if count == 0 else f'{count:,}'} {word}"
