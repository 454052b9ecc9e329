"""Reading the values of dimensions out of the tables, the most frequent first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from gnomon.data.table import quote
from gnomon.semantic.model import Dimension, DimensionType, SemanticModel

if TYPE_CHECKING:
    import duckdb

    from gnomon.data import Dataset

_NAMED = frozenset({DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT, DimensionType.ID})
_NAMESAKES = 5_000
_NAMES = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_LONG_TEXT = 48


def read_values(dataset: Dataset, model: SemanticModel, most: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The values of each dimension that people refer to by value, at most ``most`` of each."""
    cursor = dataset.cursor()
    try:
        for dimension in model.dimensions:
            if dimension.type in _NAMED and _worth_reading(dimension, most):
                yield dimension.name, _values(cursor, dimension, dataset, most)
    finally:
        cursor.close()


def twin_columns(
    dataset: Dataset, model: SemanticModel, values: Mapping[str, tuple[Any, ...]]
) -> dict[str, str]:
    """Dimensions that say the same as an earlier one in every row, each with the first that says so."""
    first: dict[str, str] = {}
    cursor = dataset.cursor()
    try:
        for a, b in combinations([d for d in model.dimensions if len(values.get(d.name, ())) > 1], 2):
            alike = a.home.table == b.home.table and set(values[a.name]) == set(values[b.name])
            if not alike or a.name in first or b.name in first:
                continue
            x, y = quote(a.home.column), quote(b.home.column)
            query = f"SELECT 1 FROM {quote(a.home.table)} WHERE {x} IS DISTINCT FROM {y} LIMIT 1"
            if cursor.execute(query).fetchone() is None:
                first[b.name] = a.name
    finally:
        cursor.close()
    return first


def namesakes(dataset: Dataset, model: SemanticModel) -> dict[str, frozenset[Any]]:
    """Names that several things of a table have, for each column that names what a key tells apart."""
    found: dict[str, frozenset[Any]] = {}
    cursor = dataset.cursor()
    try:
        for d in model.dimensions:
            table = model.table(d.home.table)
            own = {"name", "full name", "title", f"{table.label} name", f"{table.label} title"}
            if d.label not in own or d.type not in _NAMES or d.via is not None:
                continue
            if len(table.key) != 1 or table.key == (d.home.column,) or (d.distinct or 0) >= (table.rows or 0):
                continue
            column = quote(d.home.column)
            query = (
                f"SELECT {column} FROM {quote(d.home.table)} WHERE {column} IS NOT NULL "
                f"GROUP BY 1 HAVING count(*) > 1 LIMIT {_NAMESAKES}"
            )
            found[d.name] = frozenset(v for (v,) in cursor.execute(query).fetchall())
    finally:
        cursor.close()
    return {name: values for name, values in found.items() if values}


def _worth_reading(dimension: Dimension, most: int) -> bool:
    """Identifiers that are too many to keep are looked up by nobody's words; texts and names are cut instead."""
    return dimension.type is not DimensionType.ID or (dimension.distinct or 0) <= most


def _values(
    cursor: duckdb.DuckDBPyConnection, dimension: Dimension, dataset: Dataset, most: int
) -> tuple[Any, ...]:
    parts: list[str] = []
    for ref in dimension.locations:
        column = dataset.table(ref.table).column(ref.column)
        if dimension.type is DimensionType.ID and column.type.upper() != "VARCHAR":
            return ()
        name = quote(column.name)
        parts.append(f"SELECT {name} AS v, count(*) AS n FROM {quote(ref.table)} GROUP BY 1")
    query = (
        f"SELECT v FROM ({' UNION ALL '.join(parts)}) WHERE v IS NOT NULL "
        f"GROUP BY v ORDER BY sum(n) DESC, v LIMIT {most}"
    )
    found = tuple(v for (v,) in cursor.execute(query).fetchall())
    return () if dimension.type is DimensionType.TEXT and _are_long(found) else found


def _are_long(values: tuple[Any, ...]) -> bool:
    texts = [v for v in values[:1000] if isinstance(v, str)]
    return not texts or sum(map(len, texts)) / len(texts) > _LONG_TEXT
