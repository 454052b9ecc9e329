"""Which dimension a column holds, and what fields there are: looked up for every question, so found once for a model."""

from __future__ import annotations

from gnomon.semantic import Dimension, SemanticModel


def held_columns(model: SemanticModel) -> dict[tuple[str, str], Dimension]:
    """The dimension that each column of each table holds; of two that share one, the first."""
    found: dict[tuple[str, str], Dimension] = {}
    for dimension in model.dimensions:
        for ref in dimension.locations:
            if dimension.at(ref.table) == ref.column:
                found.setdefault((ref.table, ref.column), dimension)
    return found


def field_names(model: SemanticModel) -> frozenset[str]:
    """The names of all dimensions, and of all columns that hold one."""
    return frozenset(name for d in model.dimensions for name in (d.name, *map(str, d.locations)))
