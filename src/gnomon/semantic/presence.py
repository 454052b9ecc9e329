"""Things beside their rows: the floor area of sites beside the readings of a year is that of the sites that were read.

A thing has no moment of its own; the year in which a building was put up dates the building, not what was measured there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import Dimension, Metric, SemanticModel
from gnomon.semantic.scope import Key, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.semantic.compile import Compiler


def beside_rows(compiler: Compiler, leaf: Metric, leaves: Iterable[Metric], scope: Scope) -> Scope | None:
    """The conditions on the things of ``leaf`` where another leaf measures rows that belong to them in a period.

    None where ``leaf`` has days of its own, or no other leaf belongs to its things.
    """
    model, home = compiler.model, leaf.table
    if home is None or not scope.is_timed or scope.time_dimension or not _is_timeless(leaf, home, model):
        return None
    for other in leaves:
        thing = _thing(model, other.table, home) if other.table not in (None, home) else None
        time = scope.time_of(other, other.table or "", model) if thing is not None else None
        if thing is None or time is None or _is_timeless(other, other.table or "", model):
            continue
        apart = replace(compiler, counts=[], counted={}, notes={})
        present = apart.dated(other.table or "", time, [Key("_there", dimension=thing, present=True)], scope)
        own = tuple(f for f in scope.filters if model.path(home, model.dimension(f.field)) is not None)
        groups = tuple(g for g in scope.groups if model.path(home, g[0]) is not None)
        listed = present.select("_there")
        return replace(scope, filters=own, groups=(*groups, (thing, listed)), time_range=None, recurring=None)
    return None


def _is_timeless(metric: Metric, table: str, model: SemanticModel) -> bool:
    """Whether rows have no days: no date at all, or only the year of something in their past."""
    name = metric.time_dimension or model.table(table).time_dimension
    return name is None or model.dimension(name).grain is TimeGranularity.YEAR


def _thing(model: SemanticModel, table: str | None, home: str) -> Dimension | None:
    """The dimension that names the things of ``home`` in the rows of ``table``, which point to them."""
    joins = [j for j in model.joins if (j.table, j.to_table) == (table, home)]
    if len(joins) != 1:
        return None
    ends = {(joins[0].table, joins[0].column), (home, joins[0].to_column)}
    return next((d for d in model.dimensions if any((r.table, r.column) in ends for r in d.locations)), None)
