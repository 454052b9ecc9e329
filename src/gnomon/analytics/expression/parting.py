"""Where a formula sets rows apart: by its conditions, its steps, and by what it cannot compute.

Which of these may be told is decided elsewhere; here they are only found while a formula is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.expression.nodes import Binary, Call, Column, Literal, Node, Unary, columns_of, walked
from gnomon.analytics.expression.values import Value

if TYPE_CHECKING:
    import numpy.typing as npt

FAR = 1e60
"""Numbers beyond it, or as near to zero, are there to make others overflow."""
MOST_POWER = 4
_STEPS = {"floor", "ceil", "round", "sign"}
_PARTIAL = {"log", "log10", "sqrt", "power"}
_JOINING = {"concat", "trim", "lower", "upper"}


@dataclass(frozen=True, slots=True, eq=False)
class Parting:
    """A part of a formula that sets rows apart.

    Args:
        columns: The columns that it reads.
        classes: A number for each row: rows with the same one are not told apart by it.
        steps: Whether it puts numbers into steps; else it parts the rows in two, those of class 1 and the others.
        condition: Whether it is true or false for each row.
        fixed: Whether the border lies where the columns alone put it, and nothing that was written moves it.
    """

    columns: tuple[str, ...]
    classes: npt.NDArray[Any]
    steps: bool = False
    condition: bool = False
    fixed: bool = False


def partings(node: Node, value: Value, given: Sequence[Value]) -> list[Parting]:
    """How one part of a formula sets rows apart, without the parts within it.

    Args:
        node: The part.
        value: What it gives.
        given: What its own parts give.
    """
    names = columns_of(node)
    if isinstance(node, Literal):
        far = isinstance(node.value, (int, float)) and _far(float(node.value))
        return [_never(names, value)] if far else []
    if not names:
        return []
    found: list[Parting] = []
    if value.kind == "boolean":
        found.append(Parting(names, _marks(value.data), condition=True))
    if value.kind == "number" and _far(float(value.data.abs().median())):
        found.append(_never(names, value))
    if isinstance(node, Binary):
        found += _of_operator(node, names, value, given)
    if isinstance(node, Call):
        found += _of_call(node, names, value, given)
    return found


def _of_operator(node: Binary, names: tuple[str, ...], value: Value, given: Sequence[Value]) -> list[Parting]:
    if node.operator == "^":
        return _of_power(names, value, given, [node.left, node.right])
    if node.operator in {"//", "%"}:
        with np.errstate(all="ignore"):
            a, b = (g.data.to_numpy(np.float64, na_value=np.nan) for g in given)
            steps = np.floor_divide(a, b)
        return [*_stepped(names, steps, given[0]), _undefined(names, value, given, _steady(node.right))]
    if node.operator == "/":
        return [_undefined(names, value, given, _steady(node.right))]
    return []


def _of_call(node: Call, names: tuple[str, ...], value: Value, given: Sequence[Value]) -> list[Parting]:
    arguments = node.arguments
    if node.name in _STEPS:
        return _stepped(names, value.data.to_numpy(np.float64, na_value=np.nan), given[0])
    if node.name == "exp":
        return [_never(names, value)]
    if node.name == "power":
        return _of_power(names, value, given, arguments)
    if node.name in _PARTIAL:
        return [_undefined(names, value, given, _steady(arguments[0]))]
    if node.name in {"min", "max"} and len(arguments) > 1:
        fixed = all(isinstance(a, Column) for a in arguments)
        return [Parting(names, _marks(g.data == value.data), fixed=fixed) for g in given]
    if node.name == "coalesce":
        pairs = list(zip(arguments, given, strict=True))[:-1]
        return [Parting(names, _marks(g.data.isna()), fixed=isinstance(a, Column)) for a, g in pairs]
    if node.name == "replace" and isinstance(given[1].constant, str):
        held = given[0].data.astype("string").str.contains(given[1].constant, regex=False)
        return [Parting(names, _marks(held))]
    return []


def dated(node: Node, value: Value) -> list[Parting]:
    """The same for a text that is read as a date: whether all rows hold one is told, so it must not be movable."""
    names = columns_of(node)
    inner = [n for n in walked(node) if not isinstance(n, (Literal, Column))]
    joined = all(isinstance(n, Call) and n.name in _JOINING for n in inner)
    if value.kind != "text" or not names:
        return []
    return [Parting(names, np.zeros(len(value.data), np.int8), fixed=joined)]


def _of_power(
    names: tuple[str, ...], value: Value, given: Sequence[Value], parts: Sequence[Node]
) -> list[Parting]:
    """High powers, and those that differ from row to row, lift one row above all others."""
    power = given[1].constant
    if not isinstance(power, (int, float)) or abs(power) > MOST_POWER:
        return [_never(names, value)]
    return [_undefined(names, value, given, _steady(parts[0]))]


def _stepped(names: tuple[str, ...], steps: npt.NDArray[np.float64], given: Value) -> list[Parting]:
    """Steps, where they put values together that were apart."""
    import pandas as pd

    codes, found = pd.factorize(steps, use_na_sentinel=True)
    apart = int(given.data.nunique())
    return [Parting(names, codes, steps=True)] if len(found) <= 0.9 * apart else []


def _undefined(names: tuple[str, ...], value: Value, given: Sequence[Value], fixed: bool) -> Parting:
    """The rows for which there is an argument and no outcome."""
    there = np.logical_and.reduce([g.data.notna().to_numpy(np.bool_) for g in given])
    return Parting(names, (there & value.data.isna().to_numpy(np.bool_)).astype(np.int8), fixed=fixed)


def _never(names: tuple[str, ...], value: Value) -> Parting:
    """A part that is not to be told whatever the rows hold."""
    return Parting(names, np.zeros(len(value.data), np.int8))


def _marks(data: Any) -> npt.NDArray[np.int8]:
    return data.astype("boolean").fillna(False).to_numpy(np.bool_).astype(np.int8)


def _far(number: float) -> bool:
    return abs(number) > FAR or 0 < abs(number) < 1 / FAR


def _steady(node: Node) -> bool:
    """Whether nothing written in a part moves where it is zero or changes its sign: products, and sums of columns."""
    if isinstance(node, Literal) or _adds_columns(node):
        return True
    if isinstance(node, Unary):
        return node.operator != "not" and _steady(node.operand)
    return (
        isinstance(node, Binary)
        and node.operator in {"*", "/"}
        and _steady(node.left)
        and _steady(node.right)
    )


def _adds_columns(node: Node) -> bool:
    if isinstance(node, Column):
        return True
    return (
        isinstance(node, Binary)
        and node.operator in {"+", "-"}
        and _adds_columns(node.left)
        and _adds_columns(node.right)
    )
