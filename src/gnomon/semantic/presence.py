"""Things beside their rows: the floor area of sites beside the readings of a year is that of the sites that were read.

A thing has no moment of its own; the year in which a building was put up dates the building, not what was measured there.
"""

from __future__ import annotations

from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import Dimension, Metric, SemanticModel


def is_timeless(metric: Metric, table: str, model: SemanticModel) -> bool:
    """Whether rows have no days: no date at all, or only the year of something in their past."""
    name = metric.time_dimension or model.table(table).time_dimension
    return name is None or model.dimension(name).grain is TimeGranularity.YEAR


def thing_of(model: SemanticModel, table: str | None, home: str) -> Dimension | None:
    """The dimension that names the things of ``home`` in the rows of ``table``, which point to them."""
    joins = [j for j in model.joins if (j.table, j.to_table) == (table, home)]
    if len(joins) != 1:
        return None
    ends = {(joins[0].table, joins[0].column), (home, joins[0].to_column)}
    return next((d for d in model.dimensions if any((r.table, r.column) in ends for r in d.locations)), None)
