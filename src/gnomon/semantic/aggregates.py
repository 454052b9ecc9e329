"""Expressions of metrics: the value of a row, the aggregate of many, the formula over several."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.semantic.arithmetic import evaluate, parse
from gnomon.semantic.model import Aggregation, Metric, SemanticModel, formula_names
from gnomon.semantic.relations import Rows
from gnomon.semantic.row_functions import divided, held_as, row_functions
from gnomon.semantic.scope import filter_on
from gnomon.semantic.shape_aggregates import OF_NUMBERS, PREPARED, prepared_aggregate, shape_aggregates
from gnomon.semantic.units import times_as_many, unit_called


def row_value(metric: Metric, relation: Any) -> Any | None:
    """What a metric aggregates, for each row; None where it counts rows.

    Raises:
        NotFound: The expression names a column that the table does not have.
        InvalidInput: The values cannot be aggregated in that way.
    """
    if metric.expression is None:
        return None

    def column(name: str) -> Any:
        if held_as(name) not in relation.columns:
            raise NotFound.among(f"column in {metric.table}", name, relation.columns)
        held = relation[held_as(name)]
        return held.cast("int32") if held.type().is_boolean() else held

    value = evaluate(parse(metric.expression), column, divided, row_functions())
    numeric = metric.aggregation in (
        Aggregation.SUM,
        Aggregation.MEAN,
        Aggregation.MEDIAN,
        Aggregation.STDDEV,
        *OF_NUMBERS,
    )
    if numeric and not (hasattr(value, "type") and value.type().is_numeric()):
        held = value.type() if hasattr(value, "type") else "a constant"
        raise InvalidInput(
            f"{metric.name} takes the {metric.aggregation} of {metric.expression}, which holds {held}, not numbers.",
            suggestions=["Count it, or choose a column of numbers."],
        )
    return value


def where_of(metric: Metric, rows: Rows, model: SemanticModel) -> Any | None:
    """The conditions that belong to the metric itself, as one."""
    tests = [filter_on(rows, f, model) for f in metric.where]
    return reduce(lambda a, b: a & b, tests) if tests else None


def aggregate_of(metric: Metric, value: Any | None, where: Any | None, relation: Any, name: str) -> Any:
    """Many values as one; ``name`` begins the names of the columns that were prepared for it."""
    how = metric.aggregation
    if value is None:
        if how is not Aggregation.COUNT:
            raise InvalidInput(f"{metric.name} takes the {how} of nothing; only rows can be counted.")
        return relation.count(where=where)
    plain: dict[Aggregation, Callable[[], Any]] = {
        Aggregation.SUM: lambda: value.sum(where=where),
        Aggregation.MEAN: lambda: value.mean(where=where),
        Aggregation.MEDIAN: lambda: value.median(where=where),
        Aggregation.MIN: lambda: value.min(where=where),
        Aggregation.MAX: lambda: value.max(where=where),
        Aggregation.COUNT: lambda: value.count(where=where),
        Aggregation.COUNT_DISTINCT: lambda: value.nunique(where=where),
        Aggregation.STDDEV: lambda: value.std(where=where, how="sample"),
        **shape_aggregates(value, where),
    }
    if how is Aggregation.QUANTILE and metric.quantile is not None:
        return value.quantile(metric.quantile, where=where)
    if how in PREPARED:
        return prepared_aggregate(relation, how, name)
    if how is None or how not in plain:
        raise InvalidInput(f"The metric {metric.name} does not say how values become one.")
    return plain[how]()


def formula_value(formula: str, model: SemanticModel, value_of: Callable[[str], Any]) -> Any:
    """The value of a formula over metrics.

    Raises:
        InvalidInput: It is not arithmetic over metrics.
    """
    names = formula_names(formula, model)
    if len(names) == 1 and formula.startswith(f"{names[0]} in "):
        metric, said = model.metric(names[0]), formula.removeprefix(f"{names[0]} in ")
        held = metric.unit or unit_called(
            metric.label.split()[-1]
        )  # a column may be called by its unit alone
        if (many := times_as_many(held, said)) is None:
            raise InvalidInput(
                f"{names[0]} is in {held or 'no unit that is known'}, which cannot be told in {said}."
            )
        return value_of(names[0]) * many
    if len(names) == 2 and " / ".join(names) == formula:
        return divided(value_of(names[0]), value_of(names[1]))
    if len(names) == 2 and " - ".join(names) == formula:
        return value_of(names[0]) - value_of(names[1])
    return evaluate(parse(formula), value_of, divided, {})
