"""Which rows a query is about, whichever table they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.core import algebra as al
from gnomon.core.errors import OutOfScope
from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.semantic.model import Dimension, Metric, SemanticModel


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
        groups: Conditions on groups: the dimension, and the query whose only column lists its values.
        time_range: Only these days.
        recurring: Only this part of time.
        time_dimension: The time dimension that was asked for, if any.
    """

    filters: tuple[Filter, ...] = ()
    groups: tuple[tuple[Dimension, al.Query], ...] = ()
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


def need_time(metric: Metric | None, table: str, model: SemanticModel) -> OutOfScope:
    """An error for a period asked of rows that have no moment."""
    what = metric.label if metric else model.table(table).label
    timed = [d.label for t in model.tables if t.time_dimension for d in (model.dimension(t.time_dimension),)]
    return OutOfScope(
        f"The data does not tell when: {what} ({table}) has no date.",
        suggestions=[f"Dates there are: {', '.join(dict.fromkeys(timed))}."] if timed else [],
    )
