"""Days that stand for no value, such as 1900-01-01: the first that a system knows, far before all others."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.data.measurement import Family
from gnomon.data.table import Column, Table, quote

if TYPE_CHECKING:
    import duckdb

_FIRST = frozenset(
    {(1000, 1, 1), (1582, 10, 14), (1601, 1, 1), (1753, 1, 1), (1800, 1, 1), (1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1901, 1, 1), (1904, 1, 1), (1970, 1, 1)}
)  # fmt: skip
"""Where the calendars of spreadsheets, databases and operating systems begin."""

_LAST = 2900  # a year that nobody plans for
_APART = 5 * 366
_ENDS = 3


@dataclass(frozen=True)
class ReservedDay:
    """A day that stands for no value, or for no end.

    Args:
        day: The day.
        cells: How many hold it.
        ahead: Whether it lies ahead of all others: it may say that there is no end, and is left as it is.
    """

    day: dt.date
    cells: int
    ahead: bool

    def said(self, column: str) -> str:
        """What is done with it, in a sentence."""
        held = "1 cell holds" if self.cells == 1 else f"{self.cells:,} cells hold"
        if self.ahead:
            return f"{column}: {held} {self.day}, which may stand for no end; it is taken as that day."
        return f"{column}: {held} {self.day}, which stands for no value and is read as missing."


def reserved_days(cursor: duckdb.DuckDBPyConnection, table: Table) -> dict[str, list[ReservedDay]]:
    """The columns of ``table`` in which days stand for no value, with those days."""
    days = [c for c in table.columns if Family.of(c.type) in (Family.DATE, Family.TIMESTAMP)]
    if not days:
        return {}
    listed = ", ".join(f"min({quote(c.name)})::DATE, max({quote(c.name)})::DATE" for c in days)
    ends = cursor.execute(f"SELECT {listed} FROM {table.relation}").fetchone() or ()
    found: dict[str, list[ReservedDay]] = {}
    for k, column in enumerate(days):
        low, high = ends[2 * k], ends[2 * k + 1]
        outside = low is not None and (_is_first(low) or high.year >= _LAST)
        if outside and (reserved := _reserved(cursor, table, column)):
            found[column.name] = reserved
    return found


def _is_first(day: dt.date) -> bool:
    return (day.year, day.month, day.day) in _FIRST


def _reserved(cursor: duckdb.DuckDBPyConnection, table: Table, column: Column) -> list[ReservedDay]:
    c = f"{quote(column.name)}::DATE"
    counted = f"(SELECT {c} AS d, count(*) AS n FROM {table.relation} WHERE {c} IS NOT NULL GROUP BY 1)"
    rows = cursor.execute(
        f"WITH counted AS {counted} SELECT d, n FROM counted QUALIFY row_number() OVER (ORDER BY d) <= {_ENDS} "
        f"OR row_number() OVER (ORDER BY d DESC) <= {_ENDS} ORDER BY d"
    ).fetchall()
    usual = [d for d, _ in rows if not _is_first(d) and d.year < _LAST]
    if len(usual) < 2:
        return []
    low, high = min(usual), max(usual)
    found: list[ReservedDay] = []
    for day, cells in rows:
        gap = (low - day).days
        if _is_first(day) and gap > _APART and (cells > 1 or gap > 2 * (high - low).days):
            found.append(ReservedDay(day, cells, ahead=False))
        elif day.year >= _LAST:
            found.append(ReservedDay(day, cells, ahead=True))
    return found
