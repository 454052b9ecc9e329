"""Things without rows elsewhere: members with no visits are found in the table of members, not in that of visits."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.semantic.model import Aggregation, Dimension, Metric, SemanticModel


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
