"""Rows of one table together with what is looked up for them, without ever multiplying a row."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gnomon.core.errors import OutOfScope
from gnomon.semantic.model import Dimension, Join, SemanticModel, plural


class Tables:
    """The tables of a backend as expressions, and whether their columns name one row each.

    Args:
        table: Gives the expression of a table by name.
        ask: Runs an expression and gives its only row.
    """

    def __init__(self, table: Callable[[str], Any], ask: Callable[[Any], tuple[Any, ...]]) -> None:
        self._table = table
        self._ask = ask
        self._known: dict[str, Any] = {}
        self._repeats: dict[tuple[str, str], int] = {}
        self._ones: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def table(self, name: str) -> Any:
        """The expression of a table."""
        with self._lock:
            if name not in self._known:
                self._known[name] = self._table(name)
            return self._known[name]

    def repeats(self, table: str, column: str) -> int:
        """How many rows repeat a value of the column that an earlier row has; asked of the data once."""
        key = (table, column)
        if key not in self._repeats:
            rows = self.table(table)
            held = rows[column]
            found = self._ask(rows.aggregate(rows=held.count(), different=held.nunique()))
            self._repeats[key] = int(found[0]) - int(found[1])
        return self._repeats[key]

    def one_each(self, table: str, column: str) -> Any:
        """A table with at most one row per value of ``column``.

        Where several rows share a value, the first in the order of all columns is taken, whatever is asked.
        """
        if (table, column) not in self._ones:
            rows = self.table(table)
            self._ones[table, column] = _first_of_each(rows, column) if self.repeats(table, column) else rows
        return self._ones[table, column]


def _first_of_each(rows: Any, column: str) -> Any:
    import ibis

    orderable = [c for c, kind in rows.schema().items() if not kind.is_nested()]
    window = ibis.window(group_by=column, order_by=[ibis.asc(rows[c], nulls_first=False) for c in orderable])
    numbered = rows.mutate(_place=ibis.row_number().over(window))
    return numbered.filter(numbered._place == 0)


@dataclass(frozen=True)
class Rows:
    """A base table with looked-up columns.

    Args:
        expression: The relation.
        columns: The column of ``expression`` that holds each dimension, by the dimension's name.
        notes: What a reader should know about the look-ups.
    """

    expression: Any
    columns: dict[str, str]
    notes: tuple[str, ...] = ()


def rows_of(
    tables: Tables, model: SemanticModel, table: str, dimensions: Iterable[Dimension], own: Iterable[str]
) -> Rows:
    """The rows of ``table`` with the dimensions beside them, looked up along many-to-one joins.

    Args:
        tables: The tables.
        model: What leads where.
        table: The base table.
        dimensions: What has to be there.
        own: Further columns of the base table.

    Raises:
        OutOfScope: Nothing leads from the table to a dimension.
    """
    wanted: dict[tuple[Join, ...], dict[str, None]] = {}
    places: dict[str, tuple[tuple[Join, ...], str]] = {}
    base: dict[str, None] = dict.fromkeys(own)
    for dimension in dimensions:
        way = model.path(table, dimension)
        if way is None:
            raise unreachable(model, table, dimension)
        end = way[-1].to_table if way else table
        column = dimension.at(end)
        assert column is not None, "a path ends where the dimension is"
        places[dimension.name] = (way, column)
        for length in range(1, len(way) + 1):
            wanted.setdefault(way[:length], {})
        for length, join in enumerate(way):
            (wanted[way[:length]] if length else base).setdefault(join.column)
        (wanted[way] if way else base).setdefault(column)
    expression = tables.table(table)
    if base and wanted:  # a narrow relation to look things up for; a scan reads only what is used anyway
        expression = expression.select(list(base))
    expression, names, notes = _looked_up(tables, expression, wanted)
    held = {d: names.get((*way,), {}).get(c, c) for d, (way, c) in places.items()}
    return Rows(expression, held, notes)


def _looked_up(
    tables: Tables, expression: Any, wanted: dict[tuple[Join, ...], dict[str, None]]
) -> tuple[Any, dict[tuple[Join, ...], dict[str, str]], tuple[str, ...]]:
    """The relation with the wanted columns of every joined table under names of their own."""
    names: dict[tuple[Join, ...], dict[str, str]] = {}
    notes: list[str] = []
    for number, way in enumerate(sorted(wanted, key=len)):
        join = way[-1]
        columns = list(wanted[way])
        repeats = tables.repeats(join.to_table, join.to_column)
        if repeats:
            notes.append(
                f"{repeats:,} rows of {join.to_table} repeat a {join.to_column}; one row of each was used."
            )
        right = tables.one_each(join.to_table, join.to_column)
        renamed = {f"_j{number}_{i}": c for i, c in enumerate(columns)}
        key = f"_j{number}"
        right = right.select(**{key: right[join.to_column], **{new: right[c] for new, c in renamed.items()}})
        left = expression[names.get(way[:-1], {}).get(join.column, join.column)]
        expression = expression.left_join(right, _same(left, right[key]))
        names[way] = {c: new for new, c in renamed.items()}
    return expression, names, tuple(notes)


def _same(left: Any, right: Any) -> Any:
    a, b = left.type(), right.type()
    alike = (
        (a.is_numeric() and b.is_numeric())
        or (a.is_temporal() and b.is_temporal())
        or a.is_string() == b.is_string()
    )
    return left == right if alike else left.cast("string") == right.cast("string")


def unreachable(model: SemanticModel, table: str, dimension: Dimension) -> OutOfScope:
    """An error for a dimension that nothing leads to from a table."""
    reached = [d.label for d in model.dimensions if model.path(table, d) is not None]
    rows = plural(model.table(table).label)
    return OutOfScope(
        f"The data does not tell the {dimension.label} of {rows}: nothing leads from {table} to {dimension.home}.",
        suggestions=[f"{rows.capitalize()} can be broken down by {', '.join(reached[:8])}."]
        if reached
        else [],
    )
