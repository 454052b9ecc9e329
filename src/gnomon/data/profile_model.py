"""What a profile says: frozen records of columns, tables and data sets, and their plain-data form."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Any

from gnomon.core.errors import GnomonError, NotFound
from gnomon.data.column_kinds import PersonalKind, Role
from gnomon.data.table import Conversion

_UNTOLD = {"untold": True}


@dataclass(frozen=True)
class TopValue:
    """A frequent value and how many rows hold it."""

    value: Any
    count: int


@dataclass(frozen=True)
class ColumnProfile:
    """What one column holds.

    Args:
        name: Name of the column.
        type: DuckDB type.
        role: What the column is for.
        role_reason: The evidence for the role, in a few words.
        nulls: Cells without a value.
        null_rate: Share of the cells without a value.
        distinct: Different values, nulls aside.
        distinct_exact: Whether ``distinct`` was counted rather than estimated.
        minimum: Smallest value (text compares by code point).
        maximum: Largest value.
        mean: Mean of the finite numbers.
        stddev: Sample standard deviation of the finite numbers.
        quantiles: Values at fixed shares of the sorted cells, keyed ``p01`` … ``p99``.
        quantiles_exact: Whether every row took part in ``quantiles``.
        top_values: Most frequent values, where any repeats.
        top_values_exact: Whether their counts were counted rather than estimated.
        personal: The kind of personal data, where there is evidence of it.
        unit: Unit found in the text or the name.
        warnings: What a reader should know before using the column.
        conversion: How the text was read as something else, where it was.
        cells: Some of its different values, to judge what they are; no part of the plain form.
    """

    name: str
    type: str
    role: Role
    role_reason: str
    nulls: int
    null_rate: float
    distinct: int
    distinct_exact: bool
    minimum: Any = None
    maximum: Any = None
    mean: float | None = None
    stddev: float | None = None
    quantiles: Mapping[str, Any] | None = None
    quantiles_exact: bool = True
    top_values: tuple[TopValue, ...] = ()
    top_values_exact: bool = True
    personal: PersonalKind | None = None
    unit: str | None = None
    warnings: tuple[str, ...] = ()
    conversion: Conversion | None = None
    cells: tuple[Any, ...] = field(default=(), repr=False, metadata=_UNTOLD)

    @property
    def seen(self) -> list[Any]:
        """Cells to judge the column by: the most frequent values, and others where hardly any repeats."""
        top = [t.value for t in self.top_values]
        return top if len(top) > len(self.cells) // 2 else [*top, *(c for c in self.cells if c not in top)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can carry."""
        return plain(self)


@dataclass(frozen=True)
class Gap:
    """Periods in a row that have no rows."""

    start: str
    end: str
    periods: int


@dataclass(frozen=True)
class TimeGrain:
    """How a time column ticks.

    Args:
        column: Name of the column.
        grain: ``year``, ``quarter``, ``month``, ``week``, ``day``, ``business day``, ``hour``, ``minute``,
            ``second``, a multiple such as ``5 minutes``, or ``irregular``.
        regular: Whether the values themselves tick; otherwise rows fall anywhere and ``grain`` is the
            finest period in which they can be counted without most periods being empty.
        start: First moment.
        end: Last moment.
        periods: Periods that have rows.
        missing: Periods between start and end that have none.
        gaps: The longest gaps, in time order.
        exact: Whether every row took part.
    """

    column: str
    grain: str
    regular: bool
    start: str
    end: str
    periods: int
    missing: int
    gaps: tuple[Gap, ...] = ()
    exact: bool = True


@dataclass(frozen=True)
class Key:
    """Columns whose values name one row each."""

    columns: tuple[str, ...]
    exact: bool = True


@dataclass(frozen=True)
class JoinCandidate:
    """Two columns that seem to hold the same thing, read many to one.

    Args:
        table: The table with many rows per value.
        column: Its column.
        to_table: The table with one row per value.
        to_column: Its column.
        containment: Share of the tested values of ``column`` that ``to_column`` holds.
        kind: ``many-to-one`` or ``one-to-one``.
        confidence: Between 0 and 1: names, types and values together.
    """

    table: str
    column: str
    to_table: str
    to_column: str
    containment: float
    kind: str
    confidence: float


@dataclass(frozen=True)
class TableProfile:
    """What one table holds.

    Args:
        name: Name of the table.
        source: Where the rows come from.
        format: Format of the source.
        rows: Number of rows.
        rows_exact: Whether they were counted.
        basis: Which rows the figures come from, in a sentence.
        columns: The columns in order.
        duplicate_rows: Rows that repeat another row.
        duplicates_exact: Whether they were counted rather than estimated.
        keys: Candidate keys, simplest first.
        time: Grain and gaps of the time columns.
        warnings: What a reader should know before using the table.
        sample_rows: A few rows, for eyes on this machine only.
        size_bytes: Size of the file, where there is one.
    """

    name: str
    source: str
    format: str
    rows: int
    rows_exact: bool
    basis: str
    columns: tuple[ColumnProfile, ...]
    duplicate_rows: int
    duplicates_exact: bool
    keys: tuple[Key, ...] = ()
    time: tuple[TimeGrain, ...] = ()
    warnings: tuple[str, ...] = ()
    sample_rows: tuple[Mapping[str, Any], ...] = ()
    size_bytes: int | None = None

    def column(self, name: str) -> ColumnProfile:
        """The column of that name.

        Raises:
            NotFound: No column has that name.
        """
        if (found := self._named.get(name)) is not None:
            return found
        raise NotFound.among("column", name, [c.name for c in self.columns])

    @cached_property
    def _named(self) -> dict[str, ColumnProfile]:
        return {c.name: c for c in reversed(self.columns)}

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can carry."""
        return plain(self)


@dataclass(frozen=True)
class SourceFailure:
    """A source that could not be profiled, and why."""

    source: str
    code: str
    message: str
    suggestions: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: str, error: GnomonError) -> SourceFailure:
        """The failure that an error tells of."""
        return cls(source, error.code.value, error.message, error.suggestions)


@dataclass(frozen=True)
class DatasetProfile:
    """What several tables hold, and how they hang together."""

    tables: tuple[TableProfile, ...]
    joins: tuple[JoinCandidate, ...] = ()
    failures: tuple[SourceFailure, ...] = ()
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[TableProfile]:
        return iter(self.tables)

    def table(self, name: str) -> TableProfile:
        """The table of that name.

        Raises:
            NotFound: No table has that name.
        """
        for t in self.tables:
            if t.name == name:
                return t
        raise NotFound.among("table", name, [t.name for t in self.tables])

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can carry."""
        return plain(self)


def plain(value: Any) -> Any:
    """``value`` as JSON can carry it: dates in ISO form, decimals as floats, no NaN, no bytes."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if not f.metadata.get("untold")}
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return f"{len(value)} bytes"
    return str(value)
