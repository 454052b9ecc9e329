"""The rows of a table themselves, with what is looked up for them, in the order in which they are held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gnomon.semantic.aggregates import row_value
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.compile import Compiler
from gnomon.semantic.derived import derived_at
from gnomon.semantic.model import Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.plan import scope_of
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.relations import Rows, Tables, rows_of
from gnomon.semantic.scope import moment_of, need_time


def row_relation(
    model: SemanticModel,
    tables: Tables,
    table: str,
    columns: Sequence[str],
    query: RetrievalQuery,
    *,
    in_order: bool = True,
) -> Any:
    """One row for each row of ``table`` that meets the conditions of ``query``, with ``columns`` in order.

    Args:
        model: The names and what they mean.
        tables: The tables as expressions.
        table: The table whose rows are taken.
        columns: Names of dimensions, or references to metrics over a column, whose value of each row is taken.
        query: The conditions; what else it asks for does not count.
        in_order: Whether the order of the rows matters to who reads them.

    Raises:
        NotFound: A name is not in the model.
        OutOfScope: Nothing leads from the table to a column, or a period is asked of rows without a date.
    """
    scope = scope_of(query, Compiler(model, tables))
    time = scope.time_of(None, table, model) if scope.is_timed else None
    if scope.is_timed and time is None:
        raise need_time(None, table, model)
    held = [_column(name, model) for name in columns]
    wanted = [
        *(h for h in held if isinstance(h, Dimension)),
        *scope.dimensions(model),
        *([time] if time else []),
    ]
    own = [n for h in held if isinstance(h, Metric) and h.expression for n in names_in(h.expression)]
    rows = rows_of(tables, model, table, {d.name: d for d in wanted}.values(), own)
    rows = replace(rows, expression=scope.restrict(rows, time, model))
    taken = rows.expression.select(**{f"c{i}": _value(h, rows) for i, h in enumerate(held)})
    looked_up = in_order and any(model.path(table, d) for d in wanted)
    # A look-up may shuffle rows; without one they come as they are held.
    return taken.order_by([f"c{i}" for i in range(len(held))]) if looked_up else taken


def table_of_rows(model: SemanticModel, columns: Sequence[str]) -> str | None:
    """The table whose rows have all of the columns, their own or looked up; None where no table has."""
    held = [model.dimension(c) for c in columns]
    homes = dict.fromkeys(ref.table for d in held for ref in d.locations)
    own = {t: sum(d.at(t) is not None for d in held) for t in homes}
    reached = [t for t in homes if all(model.path(t, d) is not None for d in held)]
    return max(reached, key=lambda t: own[t], default=None)


def _column(name: str, model: SemanticModel) -> Dimension | Metric:
    known = any(name == d.name or name in map(str, d.locations) for d in model.dimensions)
    return model.dimension(name) if known or derived_at(name) is not None else model.metric(name)


def _value(column: Dimension | Metric, rows: Rows) -> Any:
    if isinstance(column, Metric):
        return row_value(column, rows.expression)
    held = rows.column(column)
    dated = column.type is DimensionType.TIME and not held.type().is_numeric()
    return moment_of(rows, column) if dated else held
