"""Nodes of the algebra in few words, for whoever makes trees of what a model names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import OutOfScope
from gnomon.semantic.conditions import FALSE, TRUE
from gnomon.semantic.kinds import Aggregation

_OTHERWISE = {
    Aggregation.COUNT_DISTINCT: al.How.DISTINCT, Aggregation.STDDEV: al.How.DEVIATION,
    Aggregation.VARIANCE: al.How.VARIANCE,
}  # fmt: skip


def literal(value: Any) -> al.Literally:
    """A value that was said."""
    return al.Literally(value=value)


def call(function: al.Function, *arguments: al.Expression) -> al.Call:
    """A function of values of one row."""
    return al.Call(function=function, arguments=arguments)


def every(tests: Sequence[al.Predicate]) -> al.Predicate | None:
    """All of several conditions as one; None where there are none."""
    return al.Every(of=tuple(tests)) if len(tests) > 1 else tests[0] if tests else None


def either(tests: Sequence[al.Predicate]) -> al.Predicate:
    """One of several conditions."""
    return al.Either(of=tuple(tests)) if len(tests) > 1 else tests[0]


def compared(left: al.Operand, sign: al.Comparison, right: Any) -> al.Test:
    """A value against another, or against one that was said."""
    held: Any = right if isinstance(right, al.Node) else literal(right)
    return al.Test(left=left, operator=sign, right=held)


def known(value: al.Operand) -> al.Missing:
    """That a value is there."""
    return al.Missing(of=value, hold=False)


def of_result(name: str) -> al.Column:
    """A column of the result of another query."""
    return al.Column(table="", column=name)


def carried(name: str) -> al.Key:
    """A column of the result of another query, under the same name."""
    return al.Key(of=of_result(name), name=name)


def columns_of(query: al.Query) -> list[str]:
    """The columns of a result that all have names, in order."""
    return [part.name or "" for part in (*query.keys, *query.measures, *query.show)]


def yes_or_no(value: al.Expression) -> al.Case:
    """1 for yes, 0 for no, of texts that say so."""
    said = call(al.Function.TRIM, call(al.Function.LOWER, call(al.Function.TEXT, value)))
    tests = tuple(al.Among(left=said, values=tuple(map(literal, words))) for words in (TRUE, FALSE))
    return al.Case(tests=tests, values=(literal(1), literal(0)))


def how_of(aggregation: Aggregation) -> al.How:
    """How many values become one, as the algebra says it."""
    return _OTHERWISE.get(aggregation) or al.How(aggregation.value)


def looked_around_first(query: al.Query) -> al.Query:
    """A query in which rows look at those around them before conditions take any of those away."""
    if not any(isinstance(n, al.Windowed) for n in query.walk()):
        return query
    held: list[al.Expression] = []

    def swapped(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(map(swapped, node))  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        if not isinstance(node, al.Node) or isinstance(node, al.Query):
            return node
        if isinstance(node, (al.Column, al.Windowed)):
            place = next((i for i, h in enumerate(held) if al.same(h, node)), len(held))
            held.extend([node] if place == len(held) else [])
            return al.Column(table="", column=f"c{place}")
        changed = {n: swapped(getattr(node, n)) for n in type(node).model_fields}
        return node.model_copy(update=changed)

    parts = {n: swapped(getattr(query, n)) for n in ("keys", "measures", "show")}
    where = swapped(query.rows.where)
    looks = [n for n in held if isinstance(n, al.Windowed)]
    if not looks:
        return query
    if any(isinstance(c, al.Column) and c.table != query.rows.table for n in looks for c in n.walk()):
        raise OutOfScope(
            f"Rows of another table than {query.rows.table} cannot be looked at one after another here.",
            suggestions=["Ask about the rows of that table themselves."],
        )
    shown = tuple(al.Key(of=h, name=f"c{i}") for i, h in enumerate(held))
    inner = al.Query(rows=al.Rows(table=query.rows.table), show=shown)
    return query.model_copy(update={**parts, "rows": al.Rows(query=inner, where=where)})
