"""Trees of metrics: which measures, multiplied, make a metric, as declared in a model or inferred from it."""

from __future__ import annotations

from collections.abc import Mapping

from gnomon.analytics.drivers import Factor
from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    DimensionType,
    Direction,
    Metric,
    SemanticModel,
    formula_names,
    singular,
)


def measure_chain(
    model: SemanticModel, metric: Metric, totals: Mapping[str, float] | None = None
) -> tuple[str, ...]:
    """The measures from the volume to the metric, each the next one's denominator; the metric comes last.

    A sum is made of how many rows there were and, where a column of the same rows counts things (whole numbers, at
    least one a row, good where the sum is good), of how many of them. A number of rows that the model holds against
    another table's measure (orders over sessions) is made of that measure; without such a word of the model, of the
    measure of another table that is good to have, is kept for the same things and comes nearest in number.

    Args:
        model: The metrics.
        metric: The metric.
        totals: Sums of the metrics of its table, to see which of them count things.
    """
    if metric.table is None or metric.where or metric.additivity is not Additivity.ADDITIVE:
        return ()
    chain = [metric.name]
    rows = next((m for m in model.metrics if m.table == metric.table and m.aggregation is Aggregation.COUNT
                 and m.expression is None and not m.where), None)  # fmt: skip
    if metric.aggregation is Aggregation.SUM:
        if rows is None or rows.direction is Direction.NEUTRAL:
            return ()  # rows of a record kept by day and thing are no volume
        if (things := _things(model, metric, rows, totals or {})) is not None:
            chain.insert(0, things)
        chain.insert(0, rows.name)
    elif metric.aggregation is not Aggregation.COUNT or metric.expression is not None:
        return ()
    first = model.metric(chain[0])
    volume = _volume(model, first) or _nearest(model, metric, first, totals or {})
    return tuple([volume, *chain] if volume else chain)


def _things(model: SemanticModel, metric: Metric, rows: Metric, totals: Mapping[str, float]) -> str | None:
    """The sum of a column that counts things, at least one a row."""
    many = totals.get(rows.name, 0.0)
    fitting: list[tuple[float, str]] = []
    for m in countable(model, metric):
        total = totals.get(m.name)
        if total is not None and many > 0 and total == int(total) and 1.0 <= total / many <= 50:
            fitting.append((total / many, m.name))
    whole = totals.get(metric.name)
    return min(fitting)[1] if len(fitting) == 1 and whole is not None and whole != int(whole) else None


def countable(model: SemanticModel, metric: Metric) -> list[Metric]:
    """Sums of the metric's own table that might count the things it is made of."""
    return [
        m for m in model.metrics
        if m.table == metric.table and m.aggregation is Aggregation.SUM and m.name != metric.name and not m.where
        and m.direction is metric.direction and m.direction is not Direction.NEUTRAL
    ]  # fmt: skip


def _volume(model: SemanticModel, rows: Metric) -> str | None:
    """The measure of another table that the model holds a number of rows against."""
    for m in model.metrics:
        if m.formula is None or m.unit != "fraction":
            continue
        names = formula_names(m.formula, model)
        if len(names) == 2 and names[0] == rows.name and "/" in m.formula:
            below = model.metric(names[1])
            if below.table not in (None, rows.table) and below.additivity is Additivity.ADDITIVE:
                return below.name
    return None


def volumes(model: SemanticModel, metric: Metric) -> list[Metric]:
    """Sums of other tables that the rows of the metric might come out of."""
    things = {
        d.name for d in model.dimensions if d.type is DimensionType.ID and metric.table and d.at(metric.table)
    }
    return [
        m for m in model.metrics
        if m.table not in (None, metric.table) and m.aggregation is Aggregation.SUM and not m.where
        and m.direction is metric.direction is Direction.HIGHER_IS_BETTER
        and m.additivity is Additivity.ADDITIVE and m.unit is None
        and any(model.dimension(d).at(str(m.table)) for d in things)
    ]  # fmt: skip


def _nearest(model: SemanticModel, metric: Metric, rows: Metric, totals: Mapping[str, float]) -> str | None:
    many = totals.get(rows.name, 0.0)
    above = [(totals[m.name], m.name) for m in volumes(model, metric) if totals.get(m.name, 0.0) >= many > 0]
    return min(above)[1] if above else None


def factors(model: SemanticModel, measures: tuple[str, ...]) -> tuple[Factor, ...]:
    """The factors of a chain of measures, under the names that the model has for their quotients."""
    made: list[Factor] = []
    for i, name in enumerate(measures):
        below = measures[i - 1] if i else None
        made.append(Factor(_called(model, name, below), name, below))
    return tuple(made)


def _called(model: SemanticModel, above: str, below: str | None) -> str:
    label = model.metric(above).label
    if below is None:
        return label
    for m in model.metrics:
        if m.formula is not None and "/" in m.formula and formula_names(m.formula, model) == [above, below]:
            return m.label
    one = model.metric(below).label.removeprefix("number of ")
    return f"{label.removeprefix('number of ')} per {singular(one)}"
