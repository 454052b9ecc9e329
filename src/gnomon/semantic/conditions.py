"""Filters as conditions on columns: values are bound as literals of the column's type, never as text."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from gnomon.core.errors import InvalidInput
from gnomon.core.request import Filter, FilterOperator

_TRUE = ("yes", "y", "true", "t", "on", "1")
_FALSE = ("no", "n", "false", "f", "off", "0")
_MOST_VALUES = 10_000
_COMPARE: dict[FilterOperator, Callable[[Any, Any], Any]] = {
    FilterOperator.EQUALS: lambda c, v: c == v,
    FilterOperator.NOT_EQUALS: lambda c, v: c != v,
    FilterOperator.LESS: lambda c, v: c < v,
    FilterOperator.AT_MOST: lambda c, v: c <= v,
    FilterOperator.GREATER: lambda c, v: c > v,
    FilterOperator.AT_LEAST: lambda c, v: c >= v,
}


def condition(column: Any, given: Filter) -> Any:
    """Whether each row meets the filter; nulls meet none but ``is null``.

    Raises:
        InvalidInput: The number or the type of the values does not fit.
    """
    how = given.operator
    if how is FilterOperator.IS_NULL:
        return column.isnull()
    if how is FilterOperator.NOT_NULL:
        return column.notnull()
    if how is FilterOperator.CONTAINS:
        return _contains(column, given)
    column, values = _typed(column, given)
    if how in (FilterOperator.IN, FilterOperator.NOT_IN):
        if not 1 <= len(values) <= _MOST_VALUES:
            raise InvalidInput(
                f"'{given.field} {how}' takes 1 to {_MOST_VALUES:,} values, not {len(values)}."
            )
        return column.isin(values) if how is FilterOperator.IN else column.notin(values)
    if how in (FilterOperator.BETWEEN, FilterOperator.OUTSIDE):
        if len(values) != 2:
            raise InvalidInput(f"'{given.field} {how}' takes two values, not {len(values)}.")
        low, high = values
        return (
            (column >= low) & (column <= high)
            if how is FilterOperator.BETWEEN
            else (column < low) | (column > high)
        )
    if len(values) != 1:
        raise InvalidInput(
            f"'{given.field} {how}' takes one value, not {len(values)}.",
            suggestions=["Use 'in' for several."],
        )
    return _COMPARE[how](column, values[0])


def compared(column: Any, given: Filter, bound: Any) -> Any:
    """Whether each row meets the filter against a bound that is an expression itself.

    Raises:
        InvalidInput: It does not compare with one bound.
    """
    if given.operator not in _COMPARE:
        raise InvalidInput(f"'{given.operator}' does not compare with one bound.")
    return _COMPARE[given.operator](column, bound)


def _contains(column: Any, given: Filter) -> Any:
    texts = [v for v in given.values if isinstance(v, str) and v]
    if not texts or len(texts) < len(given.values):
        raise InvalidInput(f"'{given.field} contains' takes pieces of text.")
    whole = column.cast("string").lower()
    return reduce(operator.or_, (whole.contains(t.lower()) for t in texts))


def _typed(column: Any, given: Filter) -> tuple[Any, list[Any]]:
    """The column and the values as one type that can be compared."""
    kind = column.type()
    if any(v is None for v in given.values):
        raise InvalidInput(
            f"'{given.field} {given.operator}' cannot compare with nothing.", suggestions=["Use 'is null'."]
        )
    if kind.is_timestamp() and all(_is_day(v) for v in given.values):
        column, kind = column.date(), column.date().type()
    if kind.is_string() and all(isinstance(v, bool) for v in given.values):
        return truth(column), [int(bool(v)) for v in given.values]
    return column, [_value(v, kind, given.field) for v in given.values]


def _is_day(value: Any) -> bool:
    return (isinstance(value, dt.date) and not isinstance(value, dt.datetime)) or (
        isinstance(value, str) and len(value) == 10
    )


def _value(value: Any, kind: Any, field: str) -> Any:
    try:
        if kind.is_boolean():
            return _boolean(value)
        if kind.is_date():
            return value.date() if isinstance(value, dt.datetime) else _date(value)
        if kind.is_timestamp():
            return _moment(value)
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
    if text in _TRUE or text in _FALSE or text in ("1.0", "0.0"):
        return text in _TRUE or text == "1.0"
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


def truth(column: Any) -> Any:
    """1 for yes, 0 for no, however a column writes them down; null for anything else."""
    import ibis

    if column.type().is_boolean():
        return column.cast("int32")
    if column.type().is_numeric():
        return column
    said = column.cast("string").lower().strip()
    return ibis.cases((said.isin(_TRUE), 1), (said.isin(_FALSE), 0), else_=ibis.null("int8"))
