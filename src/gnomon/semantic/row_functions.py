"""What is computed of the values of a row: numbers that do not overflow, quotients, lengths and words of texts."""

from __future__ import annotations

from typing import Any

from gnomon.core.errors import InvalidInput


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
    left = left.cast("float64") if hasattr(left, "cast") else float(left)
    return left / right.cast("float64").nullif(0.0)


def visible_length(value: Any) -> Any:
    """How many letters a text has, without the space between them."""
    return value.cast("string").re_replace(r"\s", "").length().cast("int64")


def word_count(value: Any) -> Any:
    """How many words a text has, whatever space stands between them."""
    text = value.cast("string").re_replace(r"\s+", " ").strip()
    spaces = text.length() - text.replace(" ", "").length()
    return (text.length() > 0).ifelse(spaces + 1, 0).cast("int64")
