"""Finds the content of text cells in what is about to be sent, wherever it stands, and takes it out.

A text that at least ``MIN_ROWS`` rows share is a category and may pass; any other is somebody's cell.
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
    """The cells of an open table."""

    dataset: Dataset
    table: Table

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
        exempt = {k.casefold() for k in known} | {
            n.casefold() for source in self.sources for n in source.names()
        }
        haystack = "\n".join(texts).lower()
        whole = {t.strip().lower() for t in texts}
        rare: set[str] = set()
        with self._lock:
            for source in self.sources:
                rare |= self._rare(source, haystack, whole)
        cells = sorted((r for r in rare if r.casefold() not in exempt), key=lambda c: (-len(c), c))
        return _replaced(message, cells) if cells else message

    @staticmethod
    def _rare(source: Cells, haystack: str, whole: set[str]) -> set[str]:
        """The cells whose beginning stands in the haystack and that few rows share."""
        found: set[str] = set()
        columns = source.text_columns()
        if not columns:
            return found

        def run(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
            for column in columns:
                text = f"trim(CAST({quote(column)} AS VARCHAR))"
                rows = connection.execute(
                    f"SELECT v, count(*) FROM (SELECT {text} AS v FROM {relation}) WHERE length(v) > 0 "
                    f"AND contains(?, lower(left(v, {_PREFIX}))) GROUP BY v HAVING count(*) < {MIN_ROWS}",
                    [haystack],
                ).fetchall()
                found.update(v for v, _ in rows if len(v) >= _SHORTEST or v.lower() in whole)

        import duckdb

        try:
            source.query(run)
        except duckdb.Error:
            raise DataUnavailable(
                "The data that this result came from is closed, so it cannot be checked for cells any more.",
                suggestions=["Open the data set again and repeat the call."],
            ) from None
        return found


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


def _replaced(message: Any, cells: Sequence[str]) -> Any:
    long = [(_beginning(c), c) for c in cells if len(c) >= _SHORTEST]
    short = {c.lower() for c in cells if len(c) < _SHORTEST}

    def clean(text: str) -> str:
        if text.strip().lower() in short:
            return WITHHELD
        for beginning, cell in long:
            text = _without(text, beginning, cell)
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


def _beginning(cell: str) -> re.Pattern[str]:
    """The cell, or the beginning of a long one, where it does not stand within a longer word."""
    before = r"(?<!\w)" if re.match(r"\w", cell) else ""
    after = r"(?!\w)" if len(cell) <= _PREFIX and re.search(r"\w$", cell) else ""
    return re.compile(before + re.escape(cell[:_PREFIX]) + after, re.IGNORECASE)


def _without(text: str, beginning: re.Pattern[str], cell: str) -> str:
    """``text`` without the cell, also where it was cut after its beginning."""
    kept: list[str] = []
    at = 0
    for match in beginning.finditer(text):
        if match.start() < at:
            continue
        end = match.end()
        for character in cell[_PREFIX:]:
            if end >= len(text) or text[end].lower() != character.lower():
                break
            end += 1
        kept += [text[at : match.start()], WITHHELD]
        at = end
    return "".join([*kept, text[at:]]) if kept else text


def _may_hold_text(type_name: str) -> bool:
    return not type_name.upper().startswith(_NO_TEXT) or type_name.endswith("]")
