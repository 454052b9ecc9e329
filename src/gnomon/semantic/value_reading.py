"""Reading the values of dimensions out of the tables, the most frequent first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon.data.column_names import PLACE, PLACE_MAYBE, has
from gnomon.data.table import quote
from gnomon.semantic.model import Dimension, DimensionType, SemanticModel

if TYPE_CHECKING:
    import duckdb

    from gnomon.data import Dataset

_NAMED = frozenset({DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT, DimensionType.ID})
_NAMESAKES = 5_000
_NAMES = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_LONG_TEXT = 48
_NESTING, _NESTED_ROWS, _SPARSE = 12, 200_000, 0.5


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


class Split(NamedTuple):
    """Names that occur within several values of a wider column, and how many pairs of both there are."""

    names: frozenset[Any]
    pairs: int


def told_apart(dataset: Dataset, model: SemanticModel) -> dict[str, dict[str, Split]]:
    """Places that tell apart what shares a name: for each column of names, those beside it and what they split.

    Most names occur within one place, some in several: counties and their states. Where most names occur
    in many, the columns merely cross.
    """
    found: dict[str, dict[str, Split]] = {}
    cursor = dataset.cursor()
    try:
        for table in model.tables:
            own = [d for d in model.dimensions if _may_nest(d) and d.home.table == table.name][:_NESTING]
            for name, wider in permutations(own, 2):
                if (name.distinct or 0) > (wider.distinct or 0) > 1 and has(wider.label, PLACE | PLACE_MAYBE):
                    split = _split(cursor, name, wider)
                    if split.names:
                        found.setdefault(name.name, {})[wider.name] = split
    finally:
        cursor.close()
    return found


def _may_nest(dimension: Dimension) -> bool:
    kinds = (DimensionType.CATEGORY, DimensionType.TEXT)
    few = 2 <= (dimension.distinct or 0) <= _NAMESAKES
    return dimension.type in kinds and few and not dimension.personal and dimension.via is None


def _split(cursor: duckdb.DuckDBPyConnection, name: Dimension, wider: Dimension) -> Split:
    """The names that occur with several values of ``wider``, where most do not."""
    x, y = quote(name.home.column), quote(wider.home.column)
    query = (
        f"SELECT {x}, count(DISTINCT {y}) FROM (SELECT {x}, {y} FROM {quote(name.home.table)} "
        f"LIMIT {_NESTED_ROWS}) WHERE {x} IS NOT NULL GROUP BY 1"
    )
    counts = dict(cursor.execute(query).fetchall())
    several = frozenset(v for v, n in counts.items() if n > 1)
    pairs = sum(counts.values())
    crossed = pairs > _SPARSE * len(counts) * (wider.distinct or 1) or 3 * len(several) > 2 * len(counts)
    return Split(frozenset() if crossed else several, pairs)


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
