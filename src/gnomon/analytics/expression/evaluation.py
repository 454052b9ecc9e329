"""Compute an expression over a table, column by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.expression.functions import DATE_FUNCTIONS, FUNCTIONS
from gnomon.analytics.expression.nodes import (
    Binary,
    Call,
    Column,
    Literal,
    Node,
    Unary,
    columns_of,
    parts_of,
    walked,
)
from gnomon.analytics.expression.parser import parse
from gnomon.analytics.expression.parting import Parting, dated, partings
from gnomon.analytics.expression.tokens import ExpressionError
from gnomon.analytics.expression.values import Value, as_kind, common_kind, from_column, from_literal
from gnomon.analytics.inputs import require_frame
from gnomon.analytics.results import Result
from gnomon.core.errors import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "//": np.floor_divide, "%": np.mod, "^": np.power,
}  # fmt: skip
_METHODS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


@dataclass(frozen=True, slots=True)
class DerivedColumn(Result):
    """The column that an expression gives, what it read, and where it sets rows apart."""

    expression: str
    kind: str
    columns: tuple[str, ...]
    missing: int
    data: pd.Series[Any] = field(repr=False, compare=False, metadata={"internal": True})
    parted: tuple[Parting, ...] = field(default=(), repr=False, compare=False, metadata={"internal": True})


def looks_across(node: Node) -> bool:
    """Whether a value of an expression is made of other rows than its own: a total, a rank, the row before."""
    calls = [(len(n.arguments), FUNCTIONS.get(n.name)) for n in walked(node) if isinstance(n, Call)]
    return any(f is not None and (f.alone is None or count < f.alone) for count, f in calls)


def is_plain(node: Node) -> bool:
    """Whether an expression adds, subtracts, multiplies or divides columns, each once: it tells no row from another."""
    inner = list(walked(node))
    names = [n.name.casefold() for n in inner if isinstance(n, Column)]
    operators = {n.operator for n in inner if isinstance(n, Binary | Unary)}
    known = all(isinstance(n, Literal | Column | Unary | Binary) for n in inner)
    return known and operators <= {"+", "-", "*", "/"} and len(names) == len(set(names))


def derive(frame: Any, expression: str) -> DerivedColumn:
    """Compute ``expression`` for every row of ``frame``.

    Missing values stay missing through operators; what is undefined (division by zero, the logarithm of a
    negative number) becomes missing; a missing condition counts as false.

    Raises:
        ExpressionError: with the position, for text that is no expression, unknown names or wrong kinds.
    """
    table = require_frame(frame)
    node = parse(expression)
    parted: list[Parting] = []
    value = _value(node, table, parted)
    missing = int(value.data.isna().sum())
    return DerivedColumn(expression, value.kind, columns_of(node), missing, value.data, tuple(parted))


def _value(node: Node, table: pd.DataFrame, parted: list[Parting]) -> Value:
    """What a part of an expression gives; how it sets rows apart is added to ``parted``."""
    parts = parts_of(node)
    if isinstance(node, Call):
        _check(node)
    given = [_value(p, table, parted) for p in parts]
    value = _computed(node, table, given)
    parted += partings(node, value, given)
    if value.kind == "date" or any(g.kind == "date" for g in given) or _reads_dates(node):
        parted += [found for p, g in zip(parts, given, strict=True) for found in dated(p, g)]
    return value


def _computed(node: Node, table: pd.DataFrame, given: list[Value]) -> Value:
    if isinstance(node, Literal):
        return from_literal(node.value, table.index, node.at)
    if isinstance(node, Column):
        return from_column(table[_column(node, table)], node.name, node.at)
    if isinstance(node, Unary):
        return _unary(node, given[0])
    if isinstance(node, Call):
        return _call(node, given)
    left, right = given
    if node.operator in {"and", "or"}:
        a, b = (as_kind(v, "boolean", node.operator) for v in (left, right))
        return Value("boolean", (a & b) if node.operator == "and" else (a | b), node.at)
    return _compare(node, left, right) if node.operator in _METHODS else _arithmetic(node, left, right)


def _column(node: Column, table: pd.DataFrame) -> Any:
    if node.name in table.columns:
        return node.name
    same = [c for c in table.columns if str(c).casefold() == node.name.casefold()]
    if len(same) == 1:
        return same[0]
    names = [str(c) for c in table.columns]
    close = did_you_mean(node.name, names)
    hint = f". Did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
    known = ", ".join(names[:12])
    raise ExpressionError(
        f"There is no column named {node.name!r}{hint}", node.at, suggestions=(f"Known columns: {known}",)
    )


def _reads_dates(node: Node) -> bool:
    return isinstance(node, Call) and node.name in DATE_FUNCTIONS


def _unary(node: Unary, inner: Value) -> Value:
    if node.operator == "not":
        return Value("boolean", ~as_kind(inner, "boolean", "not"), node.at)
    constant = -inner.constant if isinstance(inner.constant, int | float) else None
    return Value("number", -as_kind(inner, "number", "minus"), node.at, constant)


def _arithmetic(node: Binary, left: Value, right: Value) -> Value:
    import pandas as pd

    if node.operator == "-" and left.kind == right.kind == "date":
        return Value("number", (left.data - right.data).dt.total_seconds() / 86400, node.at)
    a, b = (as_kind(v, "number", node.operator).to_numpy(np.float64) for v in (left, right))
    with np.errstate(all="ignore"):
        out = np.asarray(_ARITHMETIC[node.operator](a, b), dtype=np.float64)
    return Value("number", pd.Series(np.where(np.isfinite(out), out, np.nan), index=left.data.index), node.at)


def _compare(node: Binary, left: Value, right: Value) -> Value:
    kind = common_kind([left, right], node.operator)
    if kind == "null":
        return Value("null", left.data, node.at)
    a, b = as_kind(left, kind, node.operator), as_kind(right, kind, node.operator)
    if kind == "boolean" and node.operator not in {"=", "!="}:
        raise ExpressionError(
            "true and false have no order", node.at, suggestions=("Compare them with = or !=.",)
        )
    outcome = getattr(a, _METHODS[node.operator])(b).astype("boolean")
    return Value("boolean", outcome.mask(a.isna() | b.isna()), node.at)


def _check(node: Call) -> None:
    """Refuse a call of no function, or with too few or too many arguments."""
    function = FUNCTIONS.get(node.name)
    if function is None:
        close = did_you_mean(node.name, FUNCTIONS)
        hint = f". Did you mean {' or '.join(close)}?" if close else ""
        raise ExpressionError(
            f"There is no function named {node.name!r}{hint}",
            node.at,
            suggestions=(f"Known functions: {', '.join(sorted(FUNCTIONS))}",),
        )
    if not function.least <= len(node.arguments) <= function.most:
        wanted = (
            str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
        )
        raise ExpressionError(
            f"{node.name} takes {wanted} arguments, but {len(node.arguments)} were given",
            node.at,
            suggestions=(f"{node.name}: {function.meaning}.",),
        )


def _call(node: Call, given: list[Value]) -> Value:
    kind, data = FUNCTIONS[node.name].apply(node.name, given)
    return Value(kind, data, node.at)
