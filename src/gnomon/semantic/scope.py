"""Which rows a query is about, whichever table they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gnomon.core.errors import OutOfScope
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Filter
from gnomon.semantic.conditions import condition
from gnomon.semantic.model import Dimension, Metric, SemanticModel
from gnomon.semantic.relations import Rows
from gnomon.semantic.relative import bounded
from gnomon.semantic.time_columns import moment, part, period, within


@dataclass(frozen=True)
class Key:
    """Something that results are grouped by: a dimension, or periods of the time dimension.

    Args:
        column: Name of the column in the relations.
        dimension: The dimension; None for periods.
        grain: Length of the periods.
        present: Whether rows without a value are left out.
    """

    column: str
    dimension: Dimension | None = None
    grain: TimeGranularity | None = None
    present: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether rows need a moment to be grouped by it."""
        return self.grain is not None or (self.dimension is not None and self.dimension.name.startswith("@"))


@dataclass(frozen=True)
class Scope:
    """The conditions of a query on rows.

    Args:
        filters: Conditions on dimensions.
        groups: Conditions on groups: the dimension, and the relation whose only column lists its values.
        time_range: Only these days.
        recurring: Only this part of time.
        time_dimension: The time dimension that was asked for, if any.
    """

    filters: tuple[Filter, ...] = ()
    groups: tuple[tuple[Dimension, Any], ...] = ()
    time_range: TimeRange | None = None
    recurring: tuple[str, tuple[int, ...]] | None = None
    time_dimension: str | None = None

    @property
    def is_timed(self) -> bool:
        """Whether rows need a moment."""
        parts = any(f.field.startswith("@") for f in self.filters)
        return self.time_range is not None or self.recurring is not None or parts

    def time_of(self, metric: Metric | None, table: str, model: SemanticModel) -> Dimension | None:
        """The time dimension that periods mean for rows of ``table``.

        The one asked for where it can be reached, else the metric's own, else the table's.
        """
        asked = model.dimension(self.time_dimension) if self.time_dimension else None
        if asked is not None and model.path(table, asked) is not None:
            return asked
        name = (metric.time_dimension if metric else None) or model.table(table).time_dimension
        return model.dimension(name) if name else None

    def dimensions(self, model: SemanticModel) -> Iterable[Dimension]:
        """The dimensions that the conditions look at."""
        yield from (model.dimension(f.field) for f in self.filters)
        yield from (model.dimension(f.relative.per) for f in self.filters if f.relative and f.relative.per)
        yield from (d for d, _ in self.groups)

    def restrict(self, rows: Rows, time: Dimension | None, model: SemanticModel) -> Any:
        """The rows that meet the conditions."""
        tests: list[Any] = []
        for f in self.filters:
            if f.relative is not None and rows.tables is not None:
                rows, test = bounded(rows, f, model.dimension(f.field), model, rows.tables)
                tests.append(test)
        tests += [filter_on(rows, f, model, time) for f in self.filters if f.relative is None]
        tests += [rows.column(d).isin(listed[listed.columns[0]]) for d, listed in self.groups]
        if self.time_range is not None and time is not None:
            tests.append(within(moment_of(rows, time), self.time_range.start, self.time_range.end))
        if self.recurring is not None and time is not None:
            name, values = self.recurring
            tests.append(part(moment_of(rows, time), name).isin(values))
        return rows.expression.filter(tests) if tests else rows.expression


def filter_on(rows: Rows, given: Filter, model: SemanticModel, time: Dimension | None = None) -> Any:
    """A filter as a condition on the column that holds its dimension, or on a part of the moment of each row."""
    dimension = model.dimension(given.field)
    if dimension.name.startswith("@"):
        return condition(part(moment_of(rows, time or dimension), dimension.name[1:]), given)
    held = rows.column(dimension)
    if dimension.written is not None and any(not isinstance(v, int | float) for v in given.values):
        held = moment_of(rows, dimension)
    return condition(held, given)


def moment_of(rows: Rows, time: Dimension) -> Any:
    """The column of a time dimension as dates or time stamps."""
    return moment(rows.column(time), time.written, rows.beside(time))


def key_column(key: Key, rows: Rows, time: Dimension | None) -> Any:
    """The values that rows are grouped by."""
    if key.dimension is not None and key.dimension.name.startswith("@"):
        return part(moment_of(rows, time or key.dimension), key.dimension.name[1:])
    if key.dimension is not None:
        return rows.column(key.dimension)
    assert time is not None and key.grain is not None, "periods were checked to have a time dimension"
    return period(moment_of(rows, time), key.grain)


def need_time(metric: Metric | None, table: str, model: SemanticModel) -> OutOfScope:
    """An error for a period asked of rows that have no moment."""
    what = metric.label if metric else model.table(table).label
    timed = [d.label for t in model.tables if t.time_dimension for d in (model.dimension(t.time_dimension),)]
    return OutOfScope(
        f"The data does not tell when: {what} ({table}) has no date.",
        suggestions=[f"Dates there are: {', '.join(dict.fromkeys(timed))}."] if timed else [],
    )
