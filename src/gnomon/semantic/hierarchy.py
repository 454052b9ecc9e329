"""What values determine: the next coarser dimension of a hierarchy, and the numbers that things have once and for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.data.table import quote
from gnomon.semantic.model import Dimension, DimensionType

if TYPE_CHECKING:
    from gnomon.data import Dataset

_ROWS = 200_000
_COLUMNS = 10
_MOST_VALUES = 5_000
_SAMPLE = 50_000
_THINGS = 4
_NUMBERS = 12
_LEAST_AGAIN = 10


def with_parents(dimensions: list[Dimension], dataset: Dataset) -> list[Dimension]:
    """The dimensions with the next coarser one of each, where its values determine it.

    A value of the finer dimension occurs with one value of the coarser one only, on average in several
    rows (else it would be so by accident), and there are clearly fewer of the coarser.
    """
    above: dict[str, tuple[str, ...]] = {}
    for table in dataset.tables:
        usable = [d for d in dimensions if _may_nest(d) and d.home.table == table]
        usable = sorted(usable, key=lambda d: d.distinct or 0)[:_COLUMNS]
        if len(usable) >= 2:
            above |= _nested(table, usable, dataset)
    return [
        d.model_copy(update={"parent": above[d.name][0], "within": above[d.name]}) if d.name in above else d
        for d in dimensions
    ]


def _may_nest(dimension: Dimension) -> bool:
    distinct = dimension.distinct or 0
    return (
        dimension.type is DimensionType.CATEGORY and 2 <= distinct <= _MOST_VALUES and not dimension.personal
    )


def _nested(table: str, usable: list[Dimension], dataset: Dataset) -> dict[str, tuple[str, ...]]:
    """The coarser dimensions that each one determines, the next coarser first."""
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
    above: dict[str, list[str]] = {}
    for (fine, coarse), n in zip(pairs, together, strict=True):
        values = distinct[place[fine.name]]
        if n == values and values * 2 <= rows and distinct[place[coarse.name]] >= 2:
            above.setdefault(fine.name, []).append(coarse.name)
    return {fine: tuple(sorted(held, key=lambda c: -distinct[place[c]])) for fine, held in above.items()}


def with_properties(dimensions: list[Dimension], dataset: Dataset) -> list[Dimension]:
    """The dimensions with what each number is a property of: things of several rows that always have the same one."""
    held: dict[str, list[str]] = {}
    for table in dataset.tables:
        own = [d for d in dimensions if d.home.table == table and (d.distinct or 0) > 2]
        numbers = [d for d in own if d.type is DimensionType.NUMBER][:_NUMBERS]
        things = [d for d in own if d.type in _THING_TYPES and (d.distinct or 0) >= 5]
        things = sorted(things, key=lambda d: -(d.distinct or 0))[:_THINGS]
        if numbers and things:
            for number, thing in _determined(table, things, numbers, dataset):
                held.setdefault(number, []).append(thing)
    return [
        d.model_copy(update={"property_of": tuple(held[d.name])}) if d.name in held else d for d in dimensions
    ]


_THING_TYPES = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


def _determined(
    table: str, things: list[Dimension], numbers: list[Dimension], dataset: Dataset
) -> list[tuple[str, str]]:
    """The pairs of a number and what determines it, each thing often enough said again to be sure."""
    ends = [f"min(n{i}) AS low{i}, max(n{i}) AS high{i}" for i in range(len(numbers))]
    same = [f"coalesce(bool_and(low{i} = high{i}), true)" for i in range(len(numbers))]
    # A group per thing, not the distinct pairs of each two columns: the same truth at a fraction of the work.
    asked = [
        f"SELECT {i}, sum(times) - count(*), {', '.join(same)} FROM (SELECT count(*) AS times, {', '.join(ends)} "
        f"FROM seen WHERE t{i} IS NOT NULL GROUP BY t{i})"
        for i in range(len(things))
    ]
    columns = [f"{quote(d.home.column)} AS t{i}" for i, d in enumerate(things)]
    columns += [f"{quote(d.home.column)} AS n{i}" for i, d in enumerate(numbers)]
    seen = f"WITH seen AS MATERIALIZED (SELECT {', '.join(columns)} FROM {quote(table)} LIMIT {_SAMPLE})"
    cursor = dataset.cursor()
    try:
        found = cursor.execute(f"{seen} {' UNION ALL '.join(asked)}").fetchall()
    finally:
        cursor.close()
    return [
        (number.name, things[at].name)
        for at, again, *holds in sorted(found)
        if (again or 0) >= _LEAST_AGAIN
        for number, held in zip(numbers, holds, strict=True)
        if held
    ]
