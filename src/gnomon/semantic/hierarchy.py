"""Hierarchies: which dimension is the next coarser one, by what the values determine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.data.table import quote
from gnomon.semantic.model import Dimension, DimensionType

if TYPE_CHECKING:
    from gnomon.data import Dataset

_ROWS = 200_000
_COLUMNS = 10
_MOST_VALUES = 5_000


def with_parents(dimensions: list[Dimension], dataset: Dataset) -> list[Dimension]:
    """The dimensions with the next coarser one of each, where its values determine it.

    A value of the finer dimension occurs with one value of the coarser one only, on average in several
    rows (else it would be so by accident), and there are clearly fewer of the coarser.
    """
    parents: dict[str, str] = {}
    for table in dataset.tables:
        usable = [d for d in dimensions if _may_nest(d) and d.home.table == table]
        usable = sorted(usable, key=lambda d: d.distinct or 0)[:_COLUMNS]
        if len(usable) >= 2:
            parents |= _nested(table, usable, dataset)
    return [d.model_copy(update={"parent": parents[d.name]}) if d.name in parents else d for d in dimensions]


def _may_nest(dimension: Dimension) -> bool:
    distinct = dimension.distinct or 0
    return (
        dimension.type is DimensionType.CATEGORY and 2 <= distinct <= _MOST_VALUES and not dimension.personal
    )


def _nested(table: str, usable: list[Dimension], dataset: Dataset) -> dict[str, str]:
    pairs = [(f, c) for f in usable for c in usable if (f.distinct or 0) >= 1.5 * (c.distinct or 0)]
    if not pairs:
        return {}
    columns = [quote(d.home.column) for d in usable]
    place = {d.name: i for i, d in enumerate(usable)}
    tests = [
        f"count(DISTINCT CASE WHEN c{place[f.name]} IS NOT NULL AND c{place[c.name]} IS NOT NULL "
        f"THEN (c{place[f.name]}, c{place[c.name]}) END)"
        for f, c in pairs
    ]
    singles = [f"count(DISTINCT c{i})" for i in range(len(usable))]
    named = ", ".join(f"{column} AS c{i}" for i, column in enumerate(columns))
    query = f"SELECT count(*), {', '.join(singles + tests)} FROM (SELECT {named} FROM {quote(table)} LIMIT {_ROWS})"
    cursor = dataset.cursor()
    try:
        found = cursor.execute(query).fetchone()
    finally:
        cursor.close()
    if found is None:
        return {}
    rows, distinct, together = found[0], found[1 : 1 + len(usable)], found[1 + len(usable) :]
    parents: dict[str, str] = {}
    for (fine, coarse), n in zip(pairs, together, strict=True):
        values = distinct[place[fine.name]]
        if n == values and values * 2 <= rows and distinct[place[coarse.name]] >= 2:
            held = parents.get(fine.name)
            if held is None or distinct[place[coarse.name]] > distinct[place[held]]:
                parents[fine.name] = coarse.name
    return parents
