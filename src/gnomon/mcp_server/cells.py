"""Finds the content of text cells in what is about to be sent, wherever it stands, and takes it out.

A text that at least ``MIN_ROWS`` rows share is a category and may pass, unless its column holds personal
data; any other is somebody's cell.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from gnomon.core.errors import DataUnavailable
from gnomon.data.table import quote

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from gnomon.data import Dataset, Table

MIN_ROWS = 5
WITHHELD = "[withheld]"
_SHORTEST = 3
_PREFIX = 24
_NO_TEXT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "INTERVAL",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TableCells:
    """The cells of an open table; those of ``personal`` columns never pass, however many rows share them."""

    dataset: Dataset
    table: Table
    personal: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[int, str]:
        """Which table it is."""
        return id(self.dataset), self.table.name

    def names(self) -> set[str]:
        """Its name and the names of its columns: those are no cells."""
        return {self.table.name, *(c.name for c in self.table.columns)}

    def text_columns(self) -> list[str]:
        """The columns that may hold text."""
        return [c.name for c in self.table.columns if _may_hold_text(c.type)]

    def query(self, run: Callable[[duckdb.DuckDBPyConnection, str], None]) -> None:
        """Call ``run`` with a connection and the relation to select from."""
        with self.dataset.cursor() as cursor:
            run(cursor, self.table.relation)


@dataclass(frozen=True, eq=False)
class FrameCells:
    """The cells of rows that a tool gave."""

    rows: pa.Table
    personal: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[int, str]:
        """Which rows they are."""
        return id(self.rows), ""

    def names(self) -> set[str]:
        """The names of its columns."""
        return set(self.rows.column_names)

    def text_columns(self) -> list[str]:
        """The columns that may hold text."""
        import pyarrow.types as types

        plain = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_temporal)
        return [f.name for f in self.rows.schema if not any(is_kind(f.type) for is_kind in plain)]

    def query(self, run: Callable[[duckdb.DuckDBPyConnection, str], None]) -> None:
        """Call ``run`` with a connection and the relation to select from."""
        import duckdb

        with duckdb.connect(":memory:") as connection:
            connection.register("cells", self.rows)
            run(connection, "cells")


Cells = TableCells | FrameCells


class CellGuard:
    """Takes rare texts of some tables out of messages.

    Args:
        sources: The tables whose cells must not leave.
    """

    def __init__(self, sources: Iterable[Cells] = ()) -> None:
        self.sources: tuple[Cells, ...] = tuple({s.key: s for s in sources}.values())
        self._lock = threading.Lock()

    def joined(self, others: Iterable[CellGuard]) -> CellGuard:
        """A guard over the tables of this and the others."""
        return CellGuard([*self.sources, *(s for o in others for s in o.sources)])

    def masked(self, message: Any, known: Iterable[str] = ()) -> Any:
        """``message`` (JSON data) with every rare text of a cell replaced.

        Args:
            message: What is about to be sent.
            known: Texts that may pass: words of the schema, and what the receiver itself has sent.
        """
        texts = sorted(set(strings(message)))
        if not self.sources or not texts:
            return message
        exempt = {k.lower() for k in known} | {n.lower() for source in self.sources for n in source.names()}
        haystack = "\n".join(t for t in texts if t.lower() not in exempt)
        whole = {t.strip().lower() for t in texts}
        found = _Found()
        with self._lock:
            for source in self.sources:
                _search(source, haystack, whole, found)
        cells = sorted(found.withheld(exempt), key=lambda c: (-len(c.text), c.text))
        return _replaced(message, cells) if cells else message


@dataclass(frozen=True)
class _Cell:
    """A text to take out: a whole cell, or the beginning of one that was cut."""

    text: str
    cut: bool


class _Found:
    """What a search found: cells that few rows share, and texts that many do."""

    def __init__(self) -> None:
        self.rare: set[_Cell] = set()
        self.personal: set[_Cell] = set()
        self.frequent: set[str] = set()

    def withheld(self, exempt: set[str]) -> set[_Cell]:
        """The cells to take out; what is frequent in one of the tables is a category."""
        rare = {c for c in self.rare if c.text.lower() not in self.frequent} | self.personal
        return {c for c in rare if not _is_known(c, exempt)}


def _is_known(cell: _Cell, exempt: set[str]) -> bool:
    text = cell.text.lower()
    return any(e.startswith(text) for e in exempt) if cell.cut else text in exempt


def _search(source: Cells, haystack: str, whole: set[str], found: _Found) -> None:
    """Note the cells of ``source`` that stand in the haystack, whole or by their beginning."""
    import duckdb

    columns = source.text_columns()
    if not columns:
        return

    def run(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
        (lowered,) = connection.execute("SELECT lower(?)", [haystack]).fetchone() or ("",)
        for column in columns:
            rows = connection.execute(_query(column, relation), [lowered, lowered, lowered]).fetchall()
            for text, least, cut in rows:
                cell = _Cell(text, cut)
                if len(text) < _SHORTEST and text.lower() not in whole:
                    continue
                if column in source.personal:
                    found.personal.add(cell)
                elif least < MIN_ROWS:
                    found.rare.add(cell)
                else:
                    found.frequent.add(text.lower())

    try:
        source.query(run)
    except duckdb.Error:
        raise DataUnavailable(
            "The data that this result came from is closed, so it cannot be checked for cells any more.",
            suggestions=["Open the data set again and repeat the call."],
        ) from None


def _query(column: str, relation: str) -> str:
    """Texts of a column that the haystack holds, with how many rows share them, and beginnings of long ones."""
    text = f"CAST({quote(column)} AS VARCHAR)"
    # Trimming every cell would take longer than the search itself: only what was found is trimmed.
    return f"""
        WITH hits AS MATERIALIZED (
            SELECT {text} AS t FROM {relation}
            WHERE contains(?, lower(left({text}, {_PREFIX}))) OR starts_with({text}, ' ') OR suffix({text}, ' ')
        ), cells AS MATERIALIZED (
            SELECT v, count(*) AS n FROM (SELECT trim(t) AS v FROM hits)
            WHERE v <> '' AND contains(?, lower(left(v, {_PREFIX}))) GROUP BY v
        ), judged AS MATERIALIZED (
            SELECT v, n, length(v) <= {_PREFIX} OR contains(?, lower(v)) AS complete FROM cells
        )
        SELECT v, n, false FROM judged WHERE complete
        UNION ALL
        SELECT left(v, {_PREFIX}), min(n), true FROM judged WHERE NOT complete GROUP BY 1
    """


def strings(value: Any) -> Iterator[str]:
    """Every text in JSON data, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[Any, Any]", value).items():
            yield str(key)
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[Any]", value):
            yield from strings(item)


def _replaced(message: Any, cells: Sequence[_Cell]) -> Any:
    patterns = [_pattern(c) for c in cells if len(c.text) >= _SHORTEST]
    short = {c.text.lower() for c in cells if len(c.text) < _SHORTEST}

    def clean(text: str) -> str:
        if text.strip().lower() in short:
            return WITHHELD
        for pattern in patterns:
            text = pattern.sub(WITHHELD, text)
        return text

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, Mapping):
            return {clean(str(k)): walk(v) for k, v in cast("Mapping[Any, Any]", value).items()}
        if isinstance(value, (list, tuple)):
            return [walk(v) for v in cast("Sequence[Any]", value)]
        return value

    return walk(message)


def _pattern(cell: _Cell) -> re.Pattern[str]:
    """The cell where it does not stand within a longer word; of one that was cut, what follows up to a border."""
    before = r"(?<!\w)" if re.match(r"\w", cell.text) else ""
    after = r"(?!\w)" if re.search(r"\w$", cell.text) else ""
    rest = r"[^\n\"'…|;]*" if cell.cut else after
    return re.compile(before + re.escape(cell.text) + rest, re.IGNORECASE)


def _may_hold_text(type_name: str) -> bool:
    return not type_name.upper().startswith(_NO_TEXT) or type_name.endswith("]")
