"""The tree that an expression becomes: five kinds of node, each able to write itself back as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

BINDING = {
    "or": 1, "and": 2, "not": 3,
    "=": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "neg": 7, "^": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text, true, false or null."""

    value: float | int | str | bool | None
    at: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Unary:
    """Minus or not."""

    operator: str
    operand: Node
    at: int


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two expressions."""

    operator: str
    left: Node
    right: Node
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the language."""

    name: str
    arguments: tuple[Node, ...]
    at: int


Node: TypeAlias = Literal | Column | Unary | Binary | Call


def to_text(node: Node) -> str:
    """The expression as text that parses to the same tree; every operation in brackets."""
    if isinstance(node, Literal):
        return _literal(node.value)
    if isinstance(node, Column):
        return "`" + node.name.replace("`", "``") + "`"
    if isinstance(node, Unary):
        return f"(not {to_text(node.operand)})" if node.operator == "not" else f"(-{to_text(node.operand)})"
    if isinstance(node, Binary):
        return f"({to_text(node.left)} {node.operator} {to_text(node.right)})"
    return f"{node.name}({', '.join(to_text(a) for a in node.arguments)})"


def _literal(value: float | int | str | bool | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def parts_of(node: Node) -> tuple[Node, ...]:
    """What an expression is made of, from left to right."""
    if isinstance(node, Unary):
        return (node.operand,)
    if isinstance(node, Binary):
        return (node.left, node.right)
    return node.arguments if isinstance(node, Call) else ()


def walked(node: Node) -> Iterator[Node]:
    """An expression and everything within it, from left to right."""
    yield node
    for part in parts_of(node):
        yield from walked(part)


def columns_of(node: Node) -> tuple[str, ...]:
    """The names of the columns that an expression reads, in order of first use."""
    return tuple(dict.fromkeys(n.name for n in walked(node) if isinstance(n, Column)))
