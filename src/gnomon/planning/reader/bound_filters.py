"""Bounds as filters: on rows, or on groups where they speak of what groups add up to."""

from __future__ import annotations

from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.condition_finder import NumberCondition
from gnomon.planning.reader.naming import Names
from gnomon.semantic import Dimension, Metric


def as_filter(condition: NumberCondition, names: Names) -> Filter:
    """A bound as a filter on rows, or on groups where it speaks of what groups add up to."""
    metric, dimension, subject = condition.metric, condition.dimension, condition.subject
    on_rows = dimension is not None and not _needs_groups(metric, dimension, subject, names)
    unit = (
        dimension.unit if on_rows and dimension is not None else metric.unit if metric is not None else None
    )
    values = tuple(v / 100 if condition.percent and unit == "fraction" else v for v in condition.values)
    if condition.relative is not None:
        values = () if values == (1.0,) else values
    plain = tuple(int(v) if float(v).is_integer() else v for v in values)
    if on_rows and dimension is not None:
        return Filter(
            field=dimension.name, operator=condition.operator, values=plain, relative=condition.relative
        )
    by = subject.value if isinstance(subject, TimeGranularity) else subject.name if subject else None
    on = metric.name if metric is not None else ""
    return Filter(
        field=on, operator=condition.operator, values=plain, having=True, by=by, relative=condition.relative
    )


def _needs_groups(
    metric: Metric | None, dimension: Dimension, subject: Dimension | TimeGranularity | None, names: Names
) -> bool:
    """Whether a bound on a column means its total per subject: it does where a subject has several rows of its own value each."""
    if metric is None or subject is None:
        return False
    table = metric.table or dimension.home.table
    if isinstance(subject, TimeGranularity):
        return not _is_each(table, subject, names)
    if subject.name in dimension.property_of:
        return False  # "fields larger than 30 hectares": each has one area, said again in every row
    return names.model.table(table).key != (subject.at(table),)


def _is_each(table: str, period: TimeGranularity, names: Names) -> bool:
    """Whether each row of a table is one such period."""
    held = names.model.table(table)
    time = names.model.dimension(held.time_dimension) if held.time_dimension else None
    return time is not None and time.grain is period and held.key == (time.at(table),)
