"""What a data source becomes: typed relations in one embedded DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from gnomon.core.errors import NotFound

if TYPE_CHECKING:
    import duckdb

    from gnomon.core.settings import Settings


RAW_SCHEMA = "raw"


class ConversionKind(StrEnum):
    """What text turned out to hold."""

    DATE = "date"
    TIMESTAMP = "timestamp"
    MONEY = "money"
    PERCENT = "percent"
    BOOLEAN = "boolean"
    NUMBER = "number"


@dataclass(frozen=True)
class Conversion:
    """How the text of one column was read as something else, and what that cost.

    Args:
        column: Name of the column.
        kind: What the text holds.
        detail: How it was read, such as ``month first`` or ``decimal comma``.
        converted: Cells that were read.
        failed: Cells that hold something else and became null.
        unit: Unit found in the text, such as ``USD`` or ``%``.
    """

    column: str
    kind: ConversionKind
    detail: str
    converted: int
    failed: int
    unit: str | None = None


@dataclass(frozen=True)
class SetAside:
    """What the source holds and no figure uses, by rule, or what was read otherwise than it is written.

    Args:
        said: What was left out or read so, and why, in a sentence; never the content of a text.
        column: The column whose cells are meant; none where whole rows are.
    """

    said: str
    column: str | None = None


@dataclass(frozen=True)
class Column:
    """One column of a relation: its name, its DuckDB type, and how it was read."""

    name: str
    type: str
    original_name: str
    conversion: Conversion | None = None


@dataclass(frozen=True)
class Table:
    """One relation that can be queried.

    Args:
        name: Unique name in its data set; also the name of the DuckDB view or table.
        source: Where the rows come from: a path (with ``#sheet`` or ``#table`` where one file holds
            several), a URL without its password, or ``memory:name``.
        format: ``csv``, ``json``, ``parquet``, ``excel``, ``duckdb``, ``sqlite``, ``postgres`` or ``frame``.
        columns: The columns in order.
        warnings: What a reader of the data should know, in sentences; never the text of a cell.
        size_bytes: Size of the file, where there is one.
        rows: Number of rows, where it is known without another pass.
        verified: Whether every cell was checked when the types were decided, not only a sample.
        set_aside: Rows and cells that no figure uses: totals of other rows, numbers that stand for none.
    """

    name: str
    source: str
    format: str
    columns: tuple[Column, ...]
    warnings: tuple[str, ...] = ()
    size_bytes: int | None = None
    rows: int | None = None
    verified: bool = True
    set_aside: tuple[SetAside, ...] = ()

    @property
    def raw_relation(self) -> str:
        """The relation as it was read, before text became dates and numbers, to put after FROM."""
        return f"{RAW_SCHEMA}.{quote(self.name)}"

    @property
    def relation(self) -> str:
        """The quoted identifier to put after FROM."""
        return quote(self.name)

    @property
    def conversions(self) -> tuple[Conversion, ...]:
        """The columns whose text was read as something else."""
        return tuple(c.conversion for c in self.columns if c.conversion)

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            NotFound: No column has that name.
        """
        for c in self.columns:
            if c.name == name:
                return c
        raise NotFound.among("column", name, [c.name for c in self.columns])


@dataclass(frozen=True)
class Dataset:
    """Tables that can be queried together, and the connection that holds them.

    One connection serves one thread at a time: take :meth:`cursor` in every other thread.

    Args:
        connection: The embedded DuckDB that holds the relations.
        tables: The tables by name.
        warnings: What was left out or could not be opened, in sentences.
        left_out: The tables, views and files among them that could not be read, and why, in sentences.
        settings: The limits within which it is looked at; none means that it takes what it takes.
        resources: Temporary files and the like, let go of by :meth:`close`.
    """

    connection: duckdb.DuckDBPyConnection
    tables: Mapping[str, Table] = field(default_factory=dict[str, Table])
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Settings | None = field(default=None, repr=False, compare=False)
    resources: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)
    _cursors: WeakValueDictionary[int, duckdb.DuckDBPyConnection] = field(
        init=False, default_factory=lambda: WeakValueDictionary(), repr=False, compare=False
    )

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables.values())

    def __len__(self) -> int:
        return len(self.tables)

    def table(self, name: str) -> Table:
        """The table of that name.

        Raises:
            NotFound: No table has that name.
        """
        try:
            return self.tables[name]
        except KeyError:
            raise NotFound.among("table", name, self.tables) from None

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection to the same data for another thread."""
        cursor = self.connection.cursor()
        self._cursors[id(cursor)] = cursor
        return cursor

    def interrupt(self) -> None:
        """End every query that runs, whoever started it."""
        import duckdb

        self.connection.interrupt()
        for held in self._cursors.valuerefs():
            with suppress(duckdb.ConnectionException):  # it was closed meanwhile
                if (cursor := held()) is not None:
                    cursor.interrupt()

    def without(self, left_out: Mapping[str, str]) -> Dataset:
        """The same data set without some tables, and why they are left out."""
        kept = {name: table for name, table in self.tables.items() if name not in left_out}
        told = (*self.warnings, *(f"Left out: {said}" for said in left_out.values()))
        return replace(self, tables=kept, warnings=told, left_out={**self.left_out, **left_out})

    def close(self) -> None:
        """Let go of the files; a connection that was passed in stays open."""
        self.resources.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def quote(identifier: str) -> str:
    """``identifier`` as SQL spells it, safe for any text."""
    return '"' + identifier.replace('"', '""') + '"'


def literal(text: str) -> str:
    """``text`` as a SQL string, safe for any text."""
    return "'" + text.replace("'", "''") + "'"
