"""Bounds that the data gives: conditions against the average, the median or an extreme of what they are on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gnomon.core.errors import InvalidInput, OutOfScope
from gnomon.core.request import Filter, Relative
from gnomon.semantic.conditions import compared, condition
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.relations import Rows, Tables, rows_of


def keep(relation: Any, column: str, given: Filter, whole: Any | None = None) -> Any:
    """The groups of a relation that meet a condition on one of its columns.

    Args:
        relation: One row for each group.
        column: What the condition is on.
        given: The condition.
        whole: What all rows together come to, for a bound that is an average of what does not add up.
    """
    if given.relative is None:
        return relation.filter(condition(relation[column], given))
    if given.relative.per is not None:
        raise OutOfScope("Groups are compared with all the others, not with those of another group.")
    bound = whole if whole is not None else aggregated(relation[column], given.relative).over()
    marked = relation.mutate(_bound=bound)
    return marked.filter(compared(marked[column], given, marked["_bound"] * times(given))).drop("_bound")


def bounded(
    rows: Rows, given: Filter, dimension: Dimension, model: SemanticModel, tables: Tables
) -> tuple[Rows, Any]:
    """The rows with what the condition needs beside them, and the condition on each.

    The bound is taken over all rows of the table that holds the column, so that neither the other conditions nor
    look-ups from another table change it.
    """
    assert given.relative is not None
    table = dimension.home.table
    if given.relative.per is None:
        source = rows_of(tables, model, table, [dimension], [])
        held = aggregated(source.column(dimension), given.relative)
        bound = source.expression.aggregate(bound=held).as_scalar()
        return rows, compared(rows.column(dimension), given, bound * times(given))
    per = model.dimension(given.relative.per)
    source = rows_of(tables, model, table, [dimension, per], [])
    key, value = f"_per_{len(rows.expression.columns)}", f"_bound_{len(rows.expression.columns)}"
    grouped = source.expression.group_by(**{key: source.column(per)}).aggregate(
        **{value: aggregated(source.column(dimension), given.relative)}
    )
    joined = rows.expression.left_join(grouped, rows.column(per) == grouped[key])
    wider = replace(rows, expression=joined)
    return wider, compared(wider.column(dimension), given, joined[value] * times(given))


def aggregated(column: Any, relative: Relative) -> Any:
    """The column as the one value that a bound is."""
    if not column.type().is_numeric() and relative.how in ("mean", "median"):
        raise InvalidInput(f"There is no {relative.how} of values of type {column.type()}.")
    how = {"mean": column.mean, "median": column.median, "min": column.min, "max": column.max}
    return how[relative.how]()


def times(given: Filter) -> float:
    """How many times the bound is meant."""
    factor = given.values[0] if given.values else 1
    if not isinstance(factor, int | float) or isinstance(factor, bool):
        raise InvalidInput(f"{factor!r} is no number of times.")
    return factor
