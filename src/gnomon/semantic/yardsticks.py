"""Benchmarks that the data brings along: a table that lists, for named metrics, what others reach."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import regex
from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    Dimension,
    DimensionType,
    Metric,
    SemanticModel,
    TableMeaning,
    quoted,
)
from gnomon.semantic.values import ValueIndex

_TABLE = regex(r"benchmark|industry|peer", re.IGNORECASE)
_MIDDLE = ("p50", "median", "benchmark", "average", "mean", "avg", "value")
PREFIX = "benchmark_"


def with_yardsticks(model: SemanticModel, index: ValueIndex) -> SemanticModel:
    """The model with one metric more for each metric that a table of benchmarks names, the middle of the field."""
    known = {m.name for m in model.metrics}
    more = [y for table in model.tables if _TABLE.search(table.name) for y in _of_table(table, model, index)]
    more = [m for m in more if m.name not in known]
    return model.model_copy(update={"metrics": (*model.metrics, *more)}) if more else model


def _of_table(table: TableMeaning, model: SemanticModel, index: ValueIndex) -> Iterator[Metric]:
    own = [d for d in model.dimensions if d.home.table == table.name]
    numbers = {d.home.column.lower(): d for d in own if d.type is DimensionType.NUMBER}
    middle = next((numbers[name] for name in _MIDDLE if name in numbers), None)
    if middle is None:
        return
    for dimension in own:
        if dimension.type is DimensionType.CATEGORY:
            for value in index.values(dimension.name)[:200]:
                metric = named_metric(str(value), model)
                if metric is not None:
                    yield _yardstick(metric, table, dimension, value, middle)


def _yardstick(
    metric: Metric, table: TableMeaning, by: Dimension, value: object, middle: Dimension
) -> Metric:
    return Metric(
        name=f"{PREFIX}{metric.name}",
        label=f"benchmark of {metric.label}",
        table=table.name,
        aggregation=Aggregation.MEAN,
        expression=quoted(middle.home.column),
        where=(Filter(field=by.name, operator=FilterOperator.EQUALS, values=(str(value),)),),
        unit=metric.unit,
        additivity=Additivity.NON_ADDITIVE,
        direction=metric.direction,
        time_dimension=table.time_dimension,
    )


def named_metric(value: str, model: SemanticModel) -> Metric | None:
    """The metric that a value such as ``average_rating`` names."""
    words = _words(value)
    for metric in model.metrics:
        names = (metric.name, metric.label, *metric.synonyms)
        if any(
            words in (_words(n), _words(n) - {"average"}) or words - {"average"} == _words(n) for n in names
        ):
            return metric
    return None


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", name.lower()))
