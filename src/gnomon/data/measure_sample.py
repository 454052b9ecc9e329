"""Exact figures of a relation that is held in memory: a small table, or the sample of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gnomon.data.measurement import LEVELS, TOP, Family, Figures, alias, bounded, number, rounded, temporary
from gnomon.data.profile_model import TopValue
from gnomon.data.table import Column

if TYPE_CHECKING:
    import duckdb

_BATCH = 50
_VALUES = 1000


def figures_of(
    cursor: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[Column]
) -> tuple[int, list[Figures]]:
    """Rows of the relation and the exact figures of its columns ``c0``, ``c1`` …"""
    rows, found, whole = 0, list[Figures](), relation
    for start in range(0, len(columns), _BATCH):
        batch = list(enumerate(columns))[start : start + _BATCH]
        if len(columns) > _BATCH:  # every query plans over all columns of its relation: keep that small
            part = temporary("part")
            picked = ", ".join(alias(i) for i, _ in batch)
            cursor.execute(f"CREATE TEMP TABLE {part} AS SELECT {picked} FROM {whole}")
            relation = part
        parts = [part for i, c in batch for part in _aggregates(i, c)]
        row = cursor.execute(f"SELECT count(*), {', '.join(parts)} FROM {relation}").fetchone() or (0,)
        rows, cells = int(row[0]), iter(row[1:])
        for i, column in batch:
            found.append(_figures(cursor, relation, i, column, rows, [next(cells) for _ in range(10)]))
    return rows, found


def duplicates_in(cursor: duckdb.DuckDBPyConnection, relation: str, columns: int) -> int:
    """Rows of the relation that repeat an earlier one."""
    if columns == 0:
        return 0
    row = ", ".join(alias(i) for i in range(columns))
    query = f"SELECT count(*) - count(DISTINCT hash({row})) FROM {relation}"
    found = cursor.execute(query).fetchone()
    return int(found[0]) if found else 0


def top_values(
    cursor: duckdb.DuckDBPyConnection, relation: str, index: int, limit: int = TOP
) -> tuple[TopValue, ...]:
    """The most frequent values that occur more than once, ties in the order of the values."""
    name = alias(index)
    query = (
        f"SELECT {name}, count(*) AS n FROM {relation} WHERE {name} IS NOT NULL "
        f"GROUP BY 1 HAVING n > 1 ORDER BY n DESC, 1 LIMIT {limit}"
    )
    return tuple(TopValue(v, int(n)) for v, n in cursor.execute(query).fetchall())


def _aggregates(index: int, column: Column) -> list[str]:
    """Ten expressions for every column, NULL where the type has none, so that results line up."""
    name, family = alias(index), Family.of(column.type)
    quantiles = mean = stddev = integral = padded = blank = length = "NULL"
    if family is Family.NUMBER:
        x = number(column, index)
        mean, stddev = f"avg({x})", f"stddev_samp({x})"
        quantiles, integral = f"quantile_cont({x}, {list(LEVELS)})", f"bool_and({x} = trunc({x}))"
    elif family in (Family.DATE, Family.TIMESTAMP):
        quantiles = f"quantile_disc({bounded(column, index)}, {list(LEVELS)})"
    elif family is Family.TEXT:
        padded = f"count_if(trim({name}) <> {name})"
        blank, length = f"count_if(trim({name}) = '')", f"avg(length({name}))"
        mean = f"avg(length({name}) - length(replace({name}, ' ', '')) + 1)"
    smallest = bounded(column, index)
    return [
        f"count({name})",
        f"count(DISTINCT {name})",
        f"min({smallest})",
        f"max({smallest})",
        mean,
        stddev,
        quantiles,
        integral,
        padded,
        f"[{blank}, {length}, count({smallest})]",
    ]


def _figures(
    cursor: duckdb.DuckDBPyConnection, relation: str, i: int, column: Column, rows: int, cells: list[Any]
) -> Figures:
    count, distinct, low, high, mean, stddev, quantiles, integral, padded, extra = cells
    family = Family.of(column.type)
    number_like = family is Family.NUMBER
    blank, length, finite = extra
    return Figures(
        column=column,
        family=family,
        nulls=rows - int(count),
        distinct=int(distinct),
        minimum=low,
        maximum=high,
        mean=rounded(mean) if number_like else None,
        stddev=rounded(stddev) if number_like else None,
        quantiles=named_quantiles(quantiles),
        top=top_values(cursor, relation, i) if distinct and distinct < count else (),
        not_finite=int(count - (finite or 0)) if number_like else 0,
        integral=bool(integral),
        padded=int(padded or 0),
        blank=int(blank or 0),
        mean_length=float(length or 0.0),
        mean_words=float(mean or 0.0) if family is Family.TEXT else 0.0,
        values=_some_values(cursor, relation, i) if distinct else (),
    )


def named_quantiles(values: Sequence[Any] | None) -> dict[str, Any] | None:
    """Quantile values under their names, ``p01`` to ``p99``."""
    if not values:
        return None
    return {f"p{round(level * 100):02d}": v for level, v in zip(LEVELS, values, strict=True)}


def _some_values(cursor: duckdb.DuckDBPyConnection, relation: str, index: int) -> tuple[Any, ...]:
    """Different values for the pattern checks, the same ones every time."""
    name = alias(index)
    query = (
        f"SELECT v FROM (SELECT DISTINCT {name} AS v FROM {relation} WHERE {name} IS NOT NULL) "
        f"ORDER BY hash(v), v LIMIT {_VALUES}"
    )
    return tuple(v for (v,) in cursor.execute(query).fetchall())
