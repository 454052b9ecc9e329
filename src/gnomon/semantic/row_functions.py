"""What is computed of the values of a row: numbers that do not overflow, quotients, lengths and words of texts."""

from __future__ import annotations

from typing import Any

from gnomon.core.errors import InvalidInput

_WRITTEN_OUT = 1e15


def plain_number(column: Any) -> Any:
    """A column as numbers that arithmetic cannot overflow: whole numbers at their widest, decimals as floats."""
    kind = column.type()
    if kind.is_boolean() or kind.is_integer():
        return column.cast("int32" if kind.is_boolean() else "int64")
    return column.cast("float64") if kind.is_decimal() or kind.is_floating() else column


def divided(left: Any, right: Any) -> Any:
    """A quotient as a fraction; nothing where the divisor is zero."""
    if isinstance(right, int | float):
        if right == 0:
            raise InvalidInput("A metric divides by zero.")
        return left / float(right)
    return (_fraction(left) if hasattr(left, "cast") else float(left)) / _fraction(right).nullif(0.0)


def _fraction(value: Any) -> Any:
    return (value.cast("int32") if value.type().is_boolean() else value).cast("float64")


def as_text(value: Any) -> Any:
    """A value as text; numbers that may have a fraction show that they may, as the embedded data base writes them: 44.0."""
    if not value.type().is_floating():
        return value.cast("string")
    whole = (value == value.floor()) & (value.abs() < _WRITTEN_OUT)
    return whole.ifelse(value.cast("int64").cast("string") + ".0", value.cast("string"))


def visible_length(value: Any) -> Any:
    """How many letters a text has, without the space between them."""
    return as_text(value).re_replace(r"\s", "").length().cast("int64")


def word_count(value: Any) -> Any:
    """How many words a text has, whatever space stands between them."""
    text = as_text(value).re_replace(r"\s+", " ").strip()
    spaces = text.length() - text.replace(" ", "").length()
    return (text.length() > 0).ifelse(spaces + 1, 0).cast("int64")
