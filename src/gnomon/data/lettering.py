"""Texts that read alike and are not: cells that differ by what nobody sees, or by capitals alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.data.table import Column, SetAside, Table, literal, quote

if TYPE_CHECKING:
    import duckdb

# Marks without a width; those that join or part letters (U+200C, U+200D) are letters' own.
_UNSEEN = literal(
    r"[\x{AD}\x{61C}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}\x{2066}-\x{2069}\x{FEFF}]"
)
_SPACES = literal(r"[ \x{A0}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]+")
_EDGES = literal(" \t\r\n")
_LONGEST = 400
_CELLS_AT_ONCE = 20_000_000


@dataclass(frozen=True)
class Lettering:
    """How the texts of a column differ.

    Args:
        unseen: Whether some differ by what nobody sees: spaces, marks without a width, how an accent is put on a letter.
        capitals: Whether some that come back differ by capitals alone.
    """

    unseen: bool
    capitals: bool


def as_read(text: str) -> str:
    """SQL for a text as people read it: without marks that have no width, its spaces and accents written in one way.

    A text of several lines is prose, and stays as it is.
    """
    seen = f"regexp_replace(nfc_normalize({text}), {_UNSEEN}, '', 'g')"
    plain = f"trim(regexp_replace({seen}, {_SPACES}, ' ', 'g'), {_EDGES})"
    return f"CASE WHEN contains(trim({text}, {_EDGES}), chr(10)) THEN {text} ELSE {plain} END"


def letterings(cursor: duckdb.DuckDBPyConnection, table: Table, rows: int) -> dict[str, Lettering]:
    """The text columns of ``table`` in which cells that read alike are written in several ways."""
    texts = [c for c in table.columns if c.type == "VARCHAR"]
    together = rows * len(texts) <= _CELLS_AT_ONCE
    found: dict[str, Lettering] = {}
    for some in [texts] if together else [[c] for c in texts]:
        for column, cells, ways, seen, folded in _counts(cursor, table, some):
            comes_back = 2 * ways <= cells
            lettering = Lettering(seen < ways, comes_back and folded < seen)
            if lettering.unseen or lettering.capitals:
                found[column.name] = lettering
    return found


def said_of(column: str) -> SetAside:
    """What figures of a column have to say whose texts differ by capitals alone."""
    said = f"{column}: some values differ by capitals alone; a condition takes them together, groups keep them apart."
    return SetAside(said, column)


def _counts(
    cursor: duckdb.DuckDBPyConnection, table: Table, columns: Sequence[Column]
) -> list[tuple[Column, int, int, int, int]]:
    """Of each column: its cells, its different texts, those that look different, and those that read different."""
    if not columns:
        return []
    listed = ", ".join(f"{quote(c.name)} AS {quote(str(i))}" for i, c in enumerate(columns))
    cells = (
        f"(SELECT place, cell, count(*) AS n FROM (UNPIVOT (SELECT {listed} FROM {table.relation}) "
        f"ON COLUMNS(*) INTO NAME place VALUE cell) WHERE strlen(cell) <= {_LONGEST} GROUP BY 1, 2)"
    )
    rows = cursor.execute(
        f"SELECT place, sum(n), count(*), count(DISTINCT {as_read('cell')}), "
        f"count(DISTINCT lower({as_read('cell')})) FROM {cells} GROUP BY 1"
    ).fetchall()
    return [(columns[int(place)], int(n), ways, seen, folded) for place, n, ways, seen, folded in rows]
