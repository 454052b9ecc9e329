"""Dates that can be read in more than one way, counted, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.core import clock
from gnomon.data.reading import Reading
from gnomon.data.table import quote

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class OtherOrder:
    """Dates of one column that are written in two orders.

    Args:
        order: How most are read, ``day first`` or ``month first``.
        only: Cells that are dates in the other order only.
        either: Cells that are another day in the other order.
    """

    order: str
    only: int
    either: int

    @property
    def said(self) -> str:
        """What is told where the others are read in their own order."""
        may = f"{self.either:,} fit both and are read with the {self.order}, which may be wrong for some of them."
        dates = "date has" if self.only == 1 else "dates have"
        return f"{self.only:,} {dates} the {self._other}, the others the {self.order}; {may}"

    @property
    def refused(self) -> str:
        """What is told where the column stays text."""
        both = f"dates stand with the {self.order} and with the {self._other}, and {self.either:,} could be either"
        return f"{both}; the column is kept as text."

    @property
    def _other(self) -> str:
        return "month first" if self.order == "day first" else "day first"


def other_order(
    connection: DuckDBPyConnection, relation: str, column: str, reading: Reading
) -> OtherOrder | None:
    """The dates of a column that ``reading`` does not fit and that have day and month the other way round."""
    if reading.swapped is None:
        return None
    this, other = reading.expression(quote(column)), reading.over(reading.swapped, quote(column))
    counted = connection.execute(
        f"SELECT count(*) FILTER (this IS NULL AND other IS NOT NULL), count(*) FILTER (this <> other) "
        f"FROM (SELECT {this} AS this, {other} AS other FROM {relation})"
    ).fetchone()
    only, either = counted or (0, 0)
    return OtherOrder(reading.detail, int(only), int(either)) if only else None


def years_ahead(connection: DuckDBPyConnection, relation: str, column: str, reading: Reading) -> str | None:
    """What to tell of years of two digits that lie ahead, as those of births do when they are taken for this century."""
    if "%y" not in reading.sql:
        return None
    year = clock.today().year
    found = connection.execute(
        f"SELECT count_if(year({reading.expression(quote(column))}) > {year + 1}) FROM {relation}"
    ).fetchone()
    ahead = int(found[0]) if found else 0
    if not ahead:
        return None
    return (
        f"years have two digits and are read as 1969 to 2068; {ahead:,} dates lie after {year + 1} that way."
    )
