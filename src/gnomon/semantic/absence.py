"""Things without rows elsewhere: members with no visits are found in the table of members, not in that of visits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnomon.core.request import Filter, FilterOperator
from gnomon.semantic.model import Aggregation, Dimension, Metric, SemanticModel
from gnomon.semantic.scope import Key, Scope

if TYPE_CHECKING:
    from gnomon.semantic.compile import Compiler


def asks_for_none(given: Filter) -> bool:
    """Whether only a count of zero meets a condition."""
    first = given.values[0] if len(given.values) == 1 else None
    if not isinstance(first, int | float):
        return False
    return (
        (given.operator is FilterOperator.EQUALS and first == 0)
        or (given.operator is FilterOperator.LESS and 0 < first <= 1)
        or (given.operator is FilterOperator.AT_MOST and 0 <= first < 1)
    )


def counts_elsewhere(metric: Metric, dimension: Dimension, model: SemanticModel) -> bool:
    """Whether a metric counts rows of a table that points to the things of another, or that tells of them in other rows."""
    home = dimension.home
    plain = metric.aggregation is Aggregation.COUNT and metric.expression is None
    if plain and metric.table == home.table:
        return counts_own_rows(metric, dimension, model)
    return plain and metric.table is not None and model.table(home.table).key == (home.column,)


def counts_own_rows(metric: Metric, dimension: Dimension, model: SemanticModel) -> bool:
    """Whether a metric counts the rows of things that have no table of their own: the harvests of a field."""
    rows = model.table(dimension.home.table).rows or 0
    plain = metric.aggregation is Aggregation.COUNT and metric.expression is None
    return plain and metric.table == dimension.home.table and 0 < (dimension.distinct or 0) < rows


def without_rows(
    compiler: Compiler, metric: Metric, by: Key, keys: list[Key], scope: Scope, *, apart: bool = False
) -> Any:
    """The things of the home of ``by`` for which ``metric`` counts nothing, in the column of ``by``.

    Conditions that are known of the things themselves choose among them; all of them, and the period, choose
    the rows that must not be there; those of a clause ``apart`` speak of the rows alone. Things that have no table of their own are those that any row tells of.
    """
    assert by.dimension is not None, "rows are missing of something"
    model, home = compiler.model, by.dimension.home.table
    own = tuple(f for f in scope.filters if model.path(home, model.dimension(f.field)) is not None)
    own = () if apart or metric.table == home else own
    things = compiler.plain(home, [*keys, by], replace(scope, filters=own, time_range=None, recurring=None))
    present = compiler.relation([metric], [replace(by, column="_there")], scope)
    return things.anti_join(present, things[by.column] == present["_there"])
