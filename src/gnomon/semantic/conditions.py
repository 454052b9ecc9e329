"""Values of conditions as columns hold them: bound as literals of the column's type, never as text."""

from __future__ import annotations

import datetime as dt
from typing import Any

from gnomon.core.errors import InvalidInput

TRUE = ("yes", "y", "true", "t", "on", "1")
FALSE = ("no", "n", "false", "f", "off", "0")
MOST_VALUES = 10_000


def is_day(value: Any) -> bool:
    """Whether a value names a day, and no moment of it."""
    return (isinstance(value, dt.date) and not isinstance(value, dt.datetime)) or (
        isinstance(value, str) and len(value) == 10
    )


def value_as(value: Any, kind: Any, field: str) -> Any:
    """A value of a filter as a column of some type holds it.

    Raises:
        InvalidInput: It is no such value.
    """
    try:
        if kind.is_boolean():
            return _boolean(value)
        if kind.is_date():
            return value.date() if isinstance(value, dt.datetime) else _date(value)
        if kind.is_timestamp():
            return _moment(value)
        if kind.is_time():
            return value if isinstance(value, dt.time) else dt.time.fromisoformat(str(value))
        if kind.is_numeric():
            return _number(value)
        if kind.is_string():
            return value.isoformat() if isinstance(value, dt.date) else str(value)
    except (ValueError, TypeError):
        raise InvalidInput(
            f"{field} holds values of type {kind}, and {value!r} is none.",
            suggestions=["Give a value of that type."],
        ) from None
    return value


def _boolean(value: Any) -> bool:
    text = str(value).strip().lower()
    if text in TRUE or text in FALSE or text in ("1.0", "0.0"):
        return text in TRUE or text == "1.0"
    raise ValueError


def _date(value: Any) -> dt.date:
    return value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value))


def _moment(value: Any) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return (
            value.replace(tzinfo=None)
            if value.tzinfo is None
            else value.astimezone(dt.UTC).replace(tzinfo=None)
        )
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, dt.time())
    return dt.datetime.fromisoformat(str(value))


def _number(value: Any) -> float | int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    text = str(value)
    return int(text) if text.lstrip("+-").isdigit() else float(text)
