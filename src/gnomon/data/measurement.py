"""Raw figures of a table, measured in DuckDB: what roles, warnings, keys and grains are decided from."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from gnomon.data.profile_model import TopValue
from gnomon.data.table import Column, Table, quote

if TYPE_CHECKING:
    import duckdb

LEVELS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
TOP = 10
LARGEST = 1e150  # squares of larger numbers overflow
FEWEST_EXACT = 2_000
"""So many rows are held for exact figures whatever they hold."""

_STAGE_ROWS = 200_000
_STAGE_BYTES = 64_000_000
_STAGE_CELLS = 10_000_000
_numbers = itertools.count()


class Family(StrEnum):
    """Types that are measured alike."""

    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TEXT = "text"
    OTHER = "other"

    @classmethod
    @cache
    def of(cls, type_name: str) -> Family:
        """The family of a DuckDB type."""
        name = type_name.upper()
        if name.endswith("]") or name.startswith(("STRUCT", "MAP", "UNION", "LIST")):
            return cls.OTHER
        if re.match(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL|REAL|NUMERIC)\b", name):
            return cls.NUMBER
        if name.startswith("BOOL"):
            return cls.BOOLEAN
        if name == "DATE":
            return cls.DATE
        if name.startswith("TIMESTAMP"):
            return cls.TIMESTAMP
        return cls.TEXT if name.startswith(("VARCHAR", "ENUM", "UUID", "TEXT", "STRING")) else cls.OTHER


@dataclass(frozen=True)
class Figures:
    """What was measured of one column; ``exact`` flags say which figures are estimates."""

    column: Column
    family: Family
    nulls: int
    distinct: int
    distinct_exact: bool = True
    minimum: Any = None
    maximum: Any = None
    mean: float | None = None
    stddev: float | None = None
    quantiles: dict[str, Any] | None = None
    quantiles_exact: bool = True
    top: tuple[TopValue, ...] = ()
    top_exact: bool = True
    not_finite: int = 0
    integral: bool = False
    padded: int = 0
    blank: int = 0
    mean_length: float = 0.0
    mean_words: float = 0.0
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """What was measured of a whole table.

    ``sample`` is a temporary relation with columns ``c0``, ``c1`` … that stands for the table: all of it
    where ``whole``, otherwise rows drawn by a hash so that the same table gives the same rows.
    """

    rows: int
    columns: tuple[Figures, ...]
    sample: str
    head: str
    whole: bool
    basis: str
    duplicates: int
    duplicates_exact: bool
    rows_exact: bool = True
    moments: dict[int, list[int]] = field(default_factory=dict[int, list[int]])


def alias(index: int) -> str:
    """The name that a column has inside the profile's own relations."""
    return f"c{index}"


def expression(column: Column) -> str:
    """The column in a form that can be compared, hashed and brought to Python."""
    name, family = quote(column.name), Family.of(column.type)
    if family is Family.TIMESTAMP:
        zoned = "TIME ZONE" in column.type.upper() or column.type.upper().endswith("TZ")
        return f"({name} AT TIME ZONE 'UTC')" if zoned else f"{name}::TIMESTAMP"
    if family is Family.OTHER or (family is Family.TEXT and not column.type.upper().startswith("VARCHAR")):
        return f"{name}::VARCHAR"
    return name


def temporary(prefix: str) -> str:
    """A name that no other profile uses."""
    return quote(f"gnomon_{prefix}_{next(_numbers)}")


def stage_limit(cursor: duckdb.DuckDBPyConnection, table: Table, relation: str) -> int:
    """How many rows of the table may be held in memory for exact figures."""
    query = f"SELECT avg(length(CAST(t AS VARCHAR))) FROM (SELECT * FROM {relation} LIMIT 500) t"
    found = cursor.execute(query).fetchone()
    width = max(float(found[0] or 1.0), 1.0) if found else 1.0
    cells = _STAGE_CELLS // max(len(table.columns), 1)
    return int(max(FEWEST_EXACT, min(_STAGE_ROWS, cells, _STAGE_BYTES / width)))


def stage(cursor: duckdb.DuckDBPyConnection, table: Table, relation: str, limit: int) -> tuple[str, int]:
    """The first rows of the table as a temporary relation, and how many they are."""
    name = temporary("head")
    picked = ", ".join(f"{expression(c)} AS {alias(i)}" for i, c in enumerate(table.columns))
    cursor.execute(f"CREATE TEMP TABLE {name} AS SELECT {picked} FROM {relation} LIMIT {limit}")
    found = cursor.execute(f"SELECT count(*) FROM {name}").fetchone()
    return name, int(found[0]) if found else 0


def spread_of(x: str) -> str:
    """The standard deviation of an expression; NULL where it holds numbers whose squares are too large."""
    small = f"abs({x}) < {LARGEST}"
    return f"CASE WHEN bool_and({small}) THEN stddev_samp(CASE WHEN {small} THEN {x} END) END"


def number(column: Column, index: int) -> str:
    """The column as a number whose aggregates cannot overflow; values that are not finite drop out."""
    name = alias(index)
    if column.type.upper() in ("FLOAT", "DOUBLE", "REAL"):
        return f"CASE WHEN isfinite({name}) THEN {name}::DOUBLE END"
    return f"{name}::DOUBLE"


def bounded(column: Column, index: int) -> str:
    """The column as its smallest and largest values are taken: without values that are not finite."""
    name = alias(index)
    floating = column.type.upper() in ("FLOAT", "DOUBLE", "REAL")
    return f"CASE WHEN isfinite({name}) THEN {name} END" if floating else name


def quantile_name(level: float) -> str:
    """The name of a quantile: ``p05`` for 0.05."""
    return f"p{round(level * 100):02d}"


def rounded(value: float | None) -> float | None:
    """Twelve significant digits: sums over several threads differ in the last ones."""
    return None if value is None else float(f"{value:.12g}")
