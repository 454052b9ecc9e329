"""Reading the values of dimensions out of the tables, the most frequent first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
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
_FEW, _AT_ONCE, _WIDE, _SMALL = 1_000, 50, 200, 20_000
_ROW = "gnomon row"


def read_values(dataset: Dataset, model: SemanticModel, most: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The values of each dimension that people refer to by value, at most ``most`` of each."""
    cursor = dataset.cursor()
    try:
        wanted = [d for d in model.dimensions if d.type in _NAMED and _worth_reading(d, most)]
        counted = _counted(cursor, [d for d in wanted if _is_counted(d, dataset)])
        for dimension in wanted:
            found = counted.get(dimension.name)
            if found is None:
                found = _values(cursor, dimension, dataset, most)
            long = dimension.type is DimensionType.TEXT and _are_long(found)
            yield dimension.name, () if long else found[:most]
    finally:
        cursor.close()


def _is_counted(dimension: Dimension, dataset: Dataset) -> bool:
    """Whether the values are few texts, of a column among very many or of few rows: planning a query takes longer than counting."""
    if len(dimension.locations) > 1 or not 0 < (dimension.distinct or 0) <= _FEW:
        return False
    table = dataset.table(dimension.home.table)
    planned = len(table.columns) > _WIDE or (table.rows is not None and table.rows <= _SMALL)
    return planned and table.column(dimension.home.column).type.upper() == "VARCHAR"


def _counted(
    cursor: duckdb.DuckDBPyConnection, dimensions: Sequence[Dimension]
) -> dict[str, tuple[str, ...]]:
    """The values of each, the most frequent first; one scan of a table counts those of many columns."""
    found: dict[str, tuple[str, ...]] = {}
    for table in dict.fromkeys(d.home.table for d in dimensions):
        here = [d for d in dimensions if d.home.table == table]
        for start in range(0, len(here), _AT_ONCE):
            batch = here[start : start + _AT_ONCE]
            listed = ", ".join(f"histogram({quote(d.home.column)})" for d in batch)
            row = cursor.execute(f"SELECT {listed} FROM {quote(table)}").fetchone() or ()
            for dimension, counts in zip(batch, row, strict=True):
                ranked = sorted((counts or {}).items(), key=lambda pair: (-pair[1], pair[0]))
                found[dimension.name] = tuple(value for value, _ in ranked)
    return found


def twin_columns(
    dataset: Dataset, model: SemanticModel, values: Mapping[str, tuple[Any, ...]]
) -> dict[str, str]:
    """Dimensions that say the same as an earlier one in every row, each with the first that says so."""
    alike: dict[tuple[str, frozenset[Any]], list[Dimension]] = {}
    for d in model.dimensions:
        if len(held := values.get(d.name, ())) > 1:
            alike.setdefault((d.home.table, frozenset(held)), []).append(d)
    first: dict[str, str] = {}
    cursor = dataset.cursor()
    try:
        for (table, held), group in alike.items():
            yes_or_one = all(isinstance(v, int) for v in held)  # true is 1
            for same in _same_throughout(cursor, table, group, "CAST({} AS DOUBLE)" if yes_or_one else "{}"):
                first |= {d.name: same[0].name for d in same[1:]}
    finally:
        cursor.close()
    return first


def _same_throughout(
    cursor: duckdb.DuckDBPyConnection, table: str, group: Sequence[Dimension], read: str
) -> list[list[Dimension]]:
    """The columns of a table that hold the same in every row: one scan sums up each, another compares those alike."""
    if len(group) < 2:
        return []
    columns = [quote(d.home.column) for d in group]
    row = quote(_ROW)
    sums = ", ".join(f"sum(CAST(hash({read.format(c)}) AS HUGEINT) * {row})" for c in columns)
    rows = f"SELECT {', '.join(dict.fromkeys(columns))}, row_number() OVER () AS {row} FROM {quote(table)}"
    summed: dict[Any, list[Dimension]] = {}
    for dimension, total in zip(
        group, cursor.execute(f"SELECT {sums} FROM ({rows})").fetchone() or (), strict=True
    ):
        summed.setdefault(total, []).append(dimension)
    return [_confirmed(cursor, table, same, read) for same in summed.values() if len(same) > 1]


def _confirmed(
    cursor: duckdb.DuckDBPyConnection, table: str, same: Sequence[Dimension], read: str
) -> list[Dimension]:
    """Of columns whose sums are alike, the first and those that hold the very same as it."""
    first, *others = (read.format(quote(d.home.column)) for d in same)
    equal = ", ".join(f"bool_and({first} IS NOT DISTINCT FROM {other})" for other in others)
    row = cursor.execute(f"SELECT {equal} FROM {quote(table)}").fetchone() or ()
    return [same[0], *(d for d, is_same in zip(same[1:], row, strict=True) if is_same)]


def namesakes(dataset: Dataset, model: SemanticModel) -> dict[str, frozenset[Any]]:
    """Names that several things of a table have, for each column that names what a key tells apart."""
    found: dict[str, frozenset[Any]] = {}
    called = {str(d.label_at) for d in model.dimensions}
    cursor = dataset.cursor()
    try:
        for d in model.dimensions:
            table = model.table(d.home.table)
            own = {"name", "full name", "title", f"{table.label} name", f"{table.label} title"}
            if (
                (d.label not in own and str(d.home) not in called)
                or d.type not in _NAMES
                or d.via is not None
            ):
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
    return tuple(v for (v,) in cursor.execute(query).fetchall())


def _are_long(values: tuple[Any, ...]) -> bool:
    texts = [v for v in values[:1000] if isinstance(v, str)]
    return not texts or sum(map(len, texts)) / len(texts) > _LONG_TEXT
