"""Arithmetic that metrics and derived columns are written in: names, numbers, texts, + - * /, comparisons, functions."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from gnomon.core.errors import InvalidInput
from gnomon.core.patterns import regex

_TOKEN = regex(
    r"(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|`(?P<quoted>[^`]+)`|'(?P<text>[^']*)'|(?P<name>[^\W\d]\w*)"
)
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_LONGEST = 2_000


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float | int


@dataclass(frozen=True)
class Text:
    """A word that a function takes as it is."""

    text: str


@dataclass(frozen=True)
class Name:
    """A column or metric."""

    name: str


@dataclass(frozen=True)
class Binary:
    """Two operands and what is done with them."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Negative:
    """A sign."""

    operand: Node


@dataclass(frozen=True)
class Call:
    """A function of expressions."""

    function: str
    arguments: tuple[Node, ...]


Node = Number | Text | Name | Binary | Negative | Call


@lru_cache(maxsize=1024)
def parse(text: str) -> Node:
    """The expression that ``text`` writes down; names that are not plain words stand in backticks.

    Raises:
        InvalidInput: It is not arithmetic, or uses anything but names, numbers, + - * / and calls.
    """
    names: list[str] = []
    texts: list[str] = []

    def stand_in(match: re.Match[str]) -> str:
        if match["number"]:
            return match["number"]
        if match["text"] is not None:
            texts.append(match["text"])
            return f" t{len(texts) - 1} "
        names.append(match["quoted"] or match["name"])
        return f" n{len(names) - 1} "

    if len(text) > _LONGEST:
        raise _not_arithmetic(text, "it is too long")
    spelled = _TOKEN.sub(stand_in, text).strip()
    try:
        tree = ast.parse(spelled, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _not_arithmetic(text, "it cannot be read") from None
    return _Tree(names, texts, text).node(tree.body)


def names_in(text: str) -> list[str]:
    """The names of an expression, each once, in order."""
    found: list[str] = []

    def walk(node: Node) -> None:
        if isinstance(node, Name):
            found.append(node.name)
        elif isinstance(node, Binary):
            walk(node.left)
            walk(node.right)
        elif isinstance(node, Negative):
            walk(node.operand)
        elif isinstance(node, Call):
            for argument in node.arguments:
                walk(argument)

    walk(parse(text))
    return list(dict.fromkeys(found))


COMPARISONS = frozenset(_COMPARISONS.values())


@dataclass(frozen=True)
class _Tree:
    """What the stand-ins of a text stand for."""

    names: list[str]
    texts: list[str]
    text: str

    def node(self, tree: ast.AST) -> Node:
        if isinstance(tree, ast.Constant) and type(tree.value) in (int, float):
            return Number(tree.value)  # pyright: ignore[reportArgumentType]
        if isinstance(tree, ast.Name):
            at = int(tree.id[1:])
            return Text(self.texts[at]) if tree.id[0] == "t" else Name(self.names[at])
        if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATORS:
            return Binary(_OPERATORS[type(tree.op)], self.node(tree.left), self.node(tree.right))
        if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in _COMPARISONS:
            sign = _COMPARISONS[type(tree.ops[0])]
            return Binary(sign, self.node(tree.left), self.node(tree.comparators[0]))
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, (ast.USub, ast.UAdd)):
            operand = self.node(tree.operand)
            return Negative(operand) if isinstance(tree.op, ast.USub) else operand
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
            function = self.node(tree.func)
            if isinstance(function, Name):
                return Call(function.name, tuple(map(self.node, tree.args)))
        raise _not_arithmetic(self.text, f"{type(tree).__name__.lower()} is not allowed")


def _not_arithmetic(text: str, why: str) -> InvalidInput:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return InvalidInput(
        f"{shown!r} is not arithmetic over names: {why}.",
        suggestions=["Write it like quantity * unit_price or revenue / orders; odd names go in backticks."],
    )
