"""The rows of a table themselves, with what is looked up for them, in the order in which they are held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput
from gnomon.semantic.asks import Asks
from gnomon.semantic.derived import derived_at
from gnomon.semantic.group_figures import GroupFigures
from gnomon.semantic.lower import Lowering
from gnomon.semantic.lowered_rows import own_columns
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.nodes import looked_around_first
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.relations import Tables
from gnomon.semantic.scope import need_time


def row_relation(
    model: SemanticModel,
    tables: Tables,
    table: str,
    columns: Sequence[str],
    query: RetrievalQuery,
    *,
    in_order: bool = True,
    moments: bool = False,
) -> Any:
    """One row for each row of ``table`` that meets the conditions of ``query``, with ``columns`` in order.

    Args:
        model: The names and what they mean.
        tables: The tables as expressions.
        table: The table whose rows are taken.
        columns: Names of dimensions, or references to metrics over a column, whose value of each row is taken.
        query: The conditions; what else it asks for does not count.
        in_order: Whether the order of the rows matters to who reads them.
        moments: Whether times are wanted as days whatever they are written as; else years and the like stay numbers.

    Raises:
        NotFound: A name is not in the model.
        OutOfScope: Nothing leads from the table to a column, or a period is asked of rows without a date.
    """
    meanings = Meanings(model, tables)
    figures = GroupFigures(meanings)
    scope = Asks(figures).scope(query)
    time = scope.time_of(None, table, model) if scope.is_timed else None
    if scope.is_timed and time is None:
        raise need_time(None, table, model)
    held = [_column(name, model) for name in columns]
    shown = tuple(al.Key(of=_value(h, table, meanings, moments), name=f"c{i}") for i, h in enumerate(held))
    asked = looked_around_first(al.Query(rows=figures.rows(table, time, scope), show=shown))
    taken = Lowering(model, tables).values(asked)
    flags = [
        n
        for n, h in zip(taken.columns, held, strict=True)
        if isinstance(h, Metric) and taken[n].type().is_boolean()
    ]
    taken = taken.mutate(**{n: taken[n].cast("int32") for n in flags}) if flags else taken
    looked_up = in_order and any(c.table != table for c in own_columns(asked) if c.table)
    # A look-up may shuffle rows; without one they come as they are held.
    return taken.order_by(taken.columns) if looked_up else taken


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


def _value(column: Dimension | Metric, table: str, meanings: Meanings, moments: bool) -> al.Expression:
    if isinstance(column, Metric):
        value = meanings.value(column)
        if value is None:
            raise InvalidInput(f"{column.name} counts rows, so a row has no value of it.")
        return value
    dated = column.type is DimensionType.TIME and (moments or not meanings.kind(table, column).is_numeric())
    return meanings.moment(table, column)[0] if dated else meanings.column(table, column)
