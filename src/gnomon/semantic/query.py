"""What can be asked of the data: a typed query over the names of a model, and what comes back."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity, TimeRange


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


MAX_ROWS = 100_000


class RetrievalQuery(_Frozen):
    """Metrics, by dimensions, over the rows that meet the conditions.

    Args:
        metrics: References to metrics, as :meth:`SemanticModel.metric` understands them.
        dimensions: Names of dimensions; one result row for each combination that occurs.
        grain: Also by periods of this length, of ``time_dimension``; the column is called ``period``.
        filters: Conditions on dimensions, or with ``having`` on a metric; a ``having`` filter with ``by``
            keeps the rows of those ``by`` groups that meet it, without it the result rows that do.
        time_range: Only rows of these days.
        time_dimension: The time dimension that ``grain`` and ``time_range`` mean; the metric's own by default.
        order_by: A metric or dimension of the query; the first metric where ``limit`` is given, else time
            and dimensions.
        descending: Whether the largest come first.
        limit: At most so many result rows.
        limit_per: With it, at most ``limit`` rows for each value of this dimension (top N per group).
        recurring: A part of time that repeats, such as ``("month", (12,))`` or ``("weekday", (5, 6))``
            with Monday as 0.
    """

    metrics: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    grain: TimeGranularity | None = None
    filters: tuple[Filter, ...] = ()
    time_range: TimeRange | None = None
    time_dimension: str | None = None
    order_by: str | None = None
    descending: bool = True
    limit: int | None = Field(default=None, ge=1, le=MAX_ROWS)
    limit_per: str | None = None
    recurring: tuple[str, tuple[int, ...]] | None = None


class Retrieved(_Frozen):
    """What a query gave.

    Args:
        columns: ``period``, the dimensions, then the metrics, under the names they were asked by.
        rows: Plain Python values; dates are dates, decimals are floats.
        query: The compiled query, for people to read.
        rows_used: Rows of the (first) base table that met the conditions.
        nulls: For each metric over a column, how many of those rows had no value there.
        truncated: Whether rows were left off at ``MAX_ROWS``.
        notes: What a reader should know, such as rows that repeat what should be a key.
        behind: How many source rows stand behind each of ``rows``, in the same order.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    query: str
    rows_used: int
    nulls: dict[str, int] = Field(default_factory=dict)
    truncated: bool = False
    notes: tuple[str, ...] = ()
    behind: tuple[int, ...] = ()
