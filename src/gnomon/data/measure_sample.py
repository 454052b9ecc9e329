"""Exact figures of a relation that is held in memory: a small table, or the sample of a large one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from gnomon.data.measurement import (
    LEVELS,
    TOP,
    Family,
    Figures,
    alias,
    bounded,
    number,
    quantile_name,
    rounded,
    spread_of,
    temporary,
)
from gnomon.data.profile_model import TopValue
from gnomon.data.table import Column, quote

if TYPE_CHECKING:
    import duckdb

_BATCH = 50
_SHORT = 5_000
_CELLS_AT_ONCE = 1_000_000
_VALUES = 1000

_Counts = tuple[int, tuple[TopValue, ...], tuple[Any, ...]]


def figures_of(
    cursor: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[Column]
) -> tuple[int, list[Figures]]:
    """Rows of the relation and the exact figures of its columns ``c0``, ``c1`` …"""
    rows, found, numbered = _count(cursor, relation), dict[int, Figures](), list(enumerate(columns))
    if len(columns) > _BATCH and rows <= _SHORT:
        by_type: dict[str, list[int]] = {}
        for i, column in numbered:
            by_type.setdefault(column.type, []).append(i)
        for alike in by_type.values():
            if len(alike) > _BATCH:
                found |= _figures_alike(cursor, relation, rows, {i: columns[i] for i in alike})
    left = [(i, c) for i, c in numbered if i not in found]
    for start in range(0, len(left), _BATCH):
        batch, part = left[start : start + _BATCH], relation
        if len(columns) > _BATCH:  # every query plans over all columns of its relation: keep that small
            part = temporary("part")
            picked = ", ".join(alias(i) for i, _ in batch)
            cursor.execute(f"CREATE TEMP TABLE {part} AS SELECT {picked} FROM {relation}")
        parts = [expression for i, c in batch for expression in _aggregates(i, c)]
        cells = iter(cursor.execute(f"SELECT {', '.join(parts)} FROM {part}").fetchone() or ())
        if rows <= _SHORT:
            counted = _short_counts(cursor, part, [i for i, _ in batch])
        else:
            counted = [_value_counts(cursor, part, i) for i, _ in batch]
        for (i, column), counts in zip(batch, counted, strict=True):
            found[i] = _figures(column, rows, [next(cells) for _ in range(9)], counts)
    return rows, [found[i] for i, _ in numbered]


def _figures_alike(
    cursor: duckdb.DuckDBPyConnection, relation: str, rows: int, columns: Mapping[int, Column]
) -> dict[int, Figures]:
    """The figures of columns of one type, as those of one column of all their cells, grouped by where they stand.

    The expressions are planned once; planning them for each of thousands of columns takes longer than all the rest.
    """
    listed = ", ".join(f"{alias(i)} AS {quote(str(i))}" for i in columns)
    parts = ", ".join(_aggregates(0, next(iter(columns.values()))))
    answer = cursor.execute(
        f"SELECT place, {parts} FROM (UNPIVOT (SELECT {listed} FROM {relation}) ON COLUMNS(*) "
        f"INTO NAME place VALUE {alias(0)}) GROUP BY place"
    ).fetchall()
    cells: dict[int, list[Any]] = {int(place): rest for place, *rest in answer}
    empty = [0, *[None] * 7, [None, None, 0]]
    found: dict[int, Figures] = {}
    step = max(_BATCH, _CELLS_AT_ONCE // max(rows, 1))
    for start in range(0, len(columns), step):
        some = list(columns)[start : start + step]
        for i, counts in zip(some, _short_counts(cursor, relation, some), strict=True):
            found[i] = _figures(columns[i], rows, cells.get(i, empty), counts)
    return found


def _count(cursor: duckdb.DuckDBPyConnection, relation: str) -> int:
    found = cursor.execute(f"SELECT count(*) FROM {relation}").fetchone()
    return int(found[0]) if found else 0


def duplicates_in(cursor: duckdb.DuckDBPyConnection, relation: str, columns: int) -> int:
    """Rows of the relation that repeat an earlier one."""
    if columns == 0:
        return 0
    row = ", ".join(alias(i) for i in range(columns))
    query = f"SELECT count(*) - count(DISTINCT hash({row})) FROM {relation}"
    found = cursor.execute(query).fetchone()
    return int(found[0]) if found else 0


def _short_counts(cursor: duckdb.DuckDBPyConnection, relation: str, indexes: Sequence[int]) -> list[_Counts]:
    """The same as :func:`_value_counts` for a few rows of many columns, where queries would cost more."""
    picked = ", ".join(alias(i) for i in indexes)
    rows = cursor.execute(f"SELECT {picked} FROM {relation}").fetchall()
    columns = zip(*rows, strict=True) if rows else [()] * len(indexes)
    found: list[_Counts] = []
    for column in columns:
        counts: Counter[Any] = Counter(column)
        counts.pop(None, None)
        unequal = [v for v in counts if v != v]  # cells that are not numbers count as one value
        nans = sum(counts.pop(v) for v in unequal)
        ranked = sorted(counts.items(), key=itemgetter(0)) + ([(unequal[0], nans)] if nans else [])
        ranked.sort(key=itemgetter(1), reverse=True)  # stable: ties stay in the order of the values
        top = tuple(TopValue(v, n) for v, n in ranked[:TOP] if n > 1)
        step = max(1, len(ranked) // _VALUES)
        found.append((len(ranked), top, tuple(v for v, _ in ranked[::step][:_VALUES])))
    return found


def _value_counts(cursor: duckdb.DuckDBPyConnection, relation: str, index: int) -> _Counts:
    """How many different values there are, the most frequent ones, and some for the pattern checks.

    Ties go by value and the patterns' values by hash, so that the same table gives the same answer.
    """
    name = alias(index)
    counts = f"SELECT {name} AS v, count(*) AS n FROM {relation} WHERE {name} IS NOT NULL GROUP BY 1"
    query = (
        f"SELECT count(*), min(struct_pack(n := -n, v := v), {TOP}), "
        f"min(struct_pack(h := hash(v), v := v), {_VALUES}) FROM ({counts})"
    )
    distinct, frequent, some = cursor.execute(query).fetchone() or (0, None, None)
    top = tuple(TopValue(t["v"], -int(t["n"])) for t in frequent or () if t["n"] < -1)
    return int(distinct), top, tuple(s["v"] for s in some or ())


def _aggregates(index: int, column: Column) -> list[str]:
    """Nine expressions for every column, NULL where the type has none, so that results line up."""
    name, family = alias(index), Family.of(column.type)
    quantiles = mean = stddev = integral = padded = blank = length = "NULL"
    if family is Family.NUMBER:
        x = number(column, index)
        mean, stddev = f"avg({x})", spread_of(x)
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
        f"min({smallest})",
        f"max({smallest})",
        mean,
        stddev,
        quantiles,
        integral,
        padded,
        f"[{blank}, {length}, count({smallest})]",
    ]


def _figures(column: Column, rows: int, cells: list[Any], counts: _Counts) -> Figures:
    count, low, high, mean, stddev, quantiles, integral, padded, extra = cells
    family = Family.of(column.type)
    number_like = family is Family.NUMBER
    blank, length, finite = extra
    distinct, top, values = counts
    return Figures(
        column=column,
        family=family,
        nulls=rows - int(count),
        distinct=distinct,
        minimum=low,
        maximum=high,
        mean=rounded(mean) if number_like else None,
        stddev=rounded(stddev) if number_like else None,
        quantiles=named_quantiles(quantiles),
        top=top,
        not_finite=int(count - (finite or 0)) if number_like else 0,
        integral=bool(integral),
        padded=int(padded or 0),
        blank=int(blank or 0),
        mean_length=float(length or 0.0),
        mean_words=float(mean or 0.0) if family is Family.TEXT else 0.0,
        values=values,
    )


def named_quantiles(values: Sequence[Any] | None) -> dict[str, Any] | None:
    """Quantile values under their names, ``p01`` to ``p99``."""
    if not values:
        return None
    return {quantile_name(level): v for level, v in zip(LEVELS, values, strict=True)}
