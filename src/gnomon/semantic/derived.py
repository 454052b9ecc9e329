"""Columns that are computed for each row: how one is spelled out, read back, and what kind of values it holds.

A derived column is written as ``{name: expression}`` wherever a column's name may stand, such as
``mean(prices.{range: [high] - [low]})``: whoever meets the reference knows all that there is to know about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from gnomon.core.patterns import regex
from gnomon.semantic.arithmetic import COMPARISONS, Binary, Call, Name, Negative, Node, Text, names_in, parse
from gnomon.semantic.kinds import DimensionType

_SPELLED = regex(r"\{([^{}:]+): ([^{}]+)\}")
_BRACKETED = regex(r"\[([^\[\]]+)\]")
_SPECIAL = regex(r"[%\[\]{}`':]")
PARTS = frozenset({"year", "quarter", "month", "week", "day", "hour"})
_GROUPING = PARTS | {"ranges", "weekday", "in_words", "month_name"}
_FLAGS = frozenset({"missing", "outlying", "repeated", "equals", "holds"})
_KEEPS_UNIT = frozenset({"fill", "absolute", "previous", "rounded", "least", "greatest"})


@dataclass(frozen=True)
class Derived:
    """A column that is computed for each row.

    Args:
        name: What it is called.
        expression: Arithmetic over the columns of its table, their names in square brackets.
    """

    name: str
    expression: str

    @property
    def spelling(self) -> str:
        """The column as references write it."""
        return f"{{{_safe(self.name)}: {self.expression}}}"

    @property
    def arithmetic(self) -> str:
        """The expression as arithmetic over names."""
        return _BRACKETED.sub(lambda m: f"`{_plain(m[1])}`", self.expression)

    @property
    def is_ranges(self) -> bool:
        """Whether it labels ranges of numbers, outside of which it has no value."""
        return self.expression.startswith("ranges(")

    @property
    def tells_value(self) -> bool:
        """Whether it tells of each row whether it meets a condition, so that its mean is a share."""
        return self.expression.startswith(("equals(", "holds("))

    @property
    def labels(self) -> tuple[str, ...]:
        """The values that it has, where ranges are labelled."""
        node = parse(self.arithmetic) if self.is_ranges else None
        texts = node.arguments[1::5] if isinstance(node, Call) else ()
        return tuple(t.text for t in texts if isinstance(t, Text))

    @property
    def is_filled(self) -> bool:
        """Whether it is a column as it stands, but for what was missing."""
        return self.expression.startswith("fill(")

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a date that is a number."""
        return self.expression.partition("(")[0] in PARTS

    @property
    def columns(self) -> list[str]:
        """The columns that it is computed from."""
        return names_in(self.arithmetic)

    @property
    def type(self) -> DimensionType:
        """What its values are."""
        return _type(parse(self.arithmetic))

    def unit(self, unit_of: Callable[[str], str | None]) -> str | None:
        """The unit of its numbers, from those of the columns; a rate tells which rows it is the share of."""
        if self.name.endswith(" rate") and self.type is DimensionType.BOOLEAN:
            return "fraction"
        return _unit(parse(self.arithmetic), unit_of)


def column_in(column: str) -> str:
    """A column's name as expressions of derived columns write it."""
    return f"[{_SPECIAL.sub(lambda m: f'%{ord(m[0]):02X}', column)}]"


def text_in(text: str) -> str:
    """A text as expressions of derived columns write it."""
    return "'" + _SPECIAL.sub(" ", text).strip() + "'"


@lru_cache(maxsize=1024)
def derived(column: str) -> Derived | None:
    """The derived column that a name spells out; None where it is the name of a column of the table.

    Raises:
        InvalidInput: Its expression is not arithmetic.
    """
    match = _SPELLED.fullmatch(column)
    if match is None:
        return None
    found = Derived(_plain(match[1]), match[2])
    parse(found.arithmetic)
    return found


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def derived_at(reference: str, tables: Iterable[_Named] | None = None) -> tuple[str, Derived] | None:
    """The table and the derived column that ``table.{name: expression}`` spells out; only of ``tables``, if given."""
    table, separator, rest = reference.partition(".{")
    found = derived("{" + rest) if separator else None
    known = tables is None or any(t.name == table for t in tables)
    return (table, found) if found is not None and known else None


def derived_in(text: str) -> list[str]:
    """All derived columns that a reference mentions, spelled out."""
    return [m.group() for m in _SPELLED.finditer(text)]


def by_name(reference: str) -> str:
    """A reference with derived columns by their names alone, for people and for the names of facts."""
    return _SPELLED.sub(lambda m: _plain(m[1]), reference)


def outside(text: str, sign: str, *, last: bool = False) -> tuple[str, str] | None:
    """The text before and behind a sign that stands outside of what spells a derived column out."""
    masked = _SPELLED.sub(lambda m: "x" * len(m.group()), text)
    at = masked.rfind(sign) if last else masked.find(sign)
    return (text[:at], text[at + len(sign) :]) if at >= 0 else None


def _safe(name: str) -> str:
    return _SPECIAL.sub(lambda m: f"%{ord(m[0]):02X}", name)


def _plain(text: str) -> str:
    return re.sub(r"%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text)


def is_truth(node: Node) -> bool:
    """Whether an expression tells of each row whether something holds."""
    return _type(node) is DimensionType.BOOLEAN


def _type(node: Node) -> DimensionType:
    if isinstance(node, Binary) and node.operator in COMPARISONS:
        return DimensionType.BOOLEAN
    if isinstance(node, Call):
        if node.function in _GROUPING:
            return DimensionType.CATEGORY
        if node.function in _FLAGS:
            return DimensionType.BOOLEAN
    return DimensionType.NUMBER


def _unit(node: Node, unit_of: Callable[[str], str | None]) -> str | None:
    """Sums and differences of one unit keep it, products with a plain number too; nothing else does."""
    if isinstance(node, Name):
        return unit_of(node.name)
    if isinstance(node, Negative):
        return _unit(node.operand, unit_of)
    if isinstance(node, Call):
        if node.function in ("days", "hours", "minutes"):
            return node.function
        if node.function == "percent":
            return "%"
        return _unit(node.arguments[0], unit_of) if node.function in _KEEPS_UNIT else None
    if isinstance(node, Binary) and node.operator in ("+", "-"):
        left, right = _unit(node.left, unit_of), _unit(node.right, unit_of)
        return left if left == right else None
    return None
