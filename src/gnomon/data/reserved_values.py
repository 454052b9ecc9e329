"""Numbers that stand for no value, such as -999 or 99999: told from real ones by how far apart they stand."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnomon.data.column_names import MONEY, has, names_identifier
from gnomon.data.measurement import Family
from gnomon.data.table import Column, Table, quote

if TYPE_CHECKING:
    import duckdb

_EDGE = 6
_BATCH = 40
_CELLS_AT_ONCE = 20_000_000
_FAR = 10.0
_NEAR = 4.0
_UNKNOWN = -1.0  # of ages, counts and prices that begin far above it
_LIMITS = frozenset({-(2.0**15), 2.0**15 - 1, 2.0**16 - 1, -(2.0**31), 2.0**31 - 1, 2.0**32 - 1, -(2.0**63)})
_FILLS = (1e20, 1e30, 9.96921e36, 3.4028235e38, 1.7976931348623157e308)  # in measured data, of either sign
_LONG = 1e15


@dataclass(frozen=True)
class Reserved:
    """A number that stands for no value, and how many cells hold it."""

    value: float
    cells: int

    @property
    def shown(self) -> str:
        """The number as people write it."""
        whole = self.value == int(self.value) and abs(self.value) < _LONG
        return f"{self.value:.0f}" if whole else f"{self.value:g}"

    def said(self, column: str) -> str:
        """What is done with it, in a sentence."""
        held = "1 cell holds" if self.cells == 1 else f"{self.cells:,} cells hold"
        return f"{column}: {held} {self.shown}, which stands for no value and is read as missing."


def reserved_values(cursor: duckdb.DuckDBPyConnection, table: Table) -> dict[str, tuple[Reserved, ...]]:
    """The columns of ``table`` in which numbers stand for no value, with those numbers."""
    numeric = [
        c for c in table.columns if Family.of(c.type) is Family.NUMBER and not names_identifier(c.name)
    ]
    found: dict[str, tuple[Reserved, ...]] = {}
    for column, (low, high) in zip(numeric, _ends(cursor, table, numeric), strict=True):
        if any(v is not None and (looks_reserved(float(v)) or v == _UNKNOWN) for v in (low, high)):
            values = _edges(cursor, table, column)
            if reserved := reserved_in(*values, money=has(column.name, MONEY)):
                found[column.name] = reserved
    return found


def _ends(
    cursor: duckdb.DuckDBPyConnection, table: Table, columns: Sequence[Column]
) -> list[tuple[float | None, float | None]]:
    """The smallest and the largest finite number of each column."""
    ends: dict[str, tuple[float | None, float | None]] = {}
    for kind in dict.fromkeys(c.type for c in columns):
        same = [c for c in columns if c.type == kind]
        if len(same) > _BATCH and table.rows is not None and table.rows * len(same) <= _CELLS_AT_ONCE:
            ends |= _ends_alike(cursor, table, same)
    left = [c for c in columns if c.name not in ends]
    for start in range(0, len(left), _BATCH):
        batch = left[start : start + _BATCH]
        listed = ", ".join(f"min({_finite(c)}), max({_finite(c)})" for c in batch)
        row = cursor.execute(f"SELECT {listed} FROM {table.relation}").fetchone() or (None,) * 2 * len(batch)
        ends |= {c.name: (row[2 * k], row[2 * k + 1]) for k, c in enumerate(batch)}
    return [ends[c.name] for c in columns]


def _ends_alike(
    cursor: duckdb.DuckDBPyConnection, table: Table, columns: Sequence[Column]
) -> dict[str, tuple[float | None, float | None]]:
    """The same for columns of one type, planned once for all of them."""
    listed = ", ".join(f"{quote(c.name)} AS {quote(str(i))}" for i, c in enumerate(columns))
    cell = _finite(replace(columns[0], name="cell"))
    answer = cursor.execute(
        f"SELECT place, min({cell}), max({cell}) FROM (UNPIVOT (SELECT {listed} FROM {table.relation}) "
        "ON COLUMNS(*) INTO NAME place VALUE cell) GROUP BY place"
    ).fetchall()
    found = {columns[int(place)].name: (low, high) for place, low, high in answer}
    return {c.name: found.get(c.name, (None, None)) for c in columns}


def _finite(column: Column) -> str:
    c = quote(column.name)
    return f"CASE WHEN isfinite({c}) THEN {c} END" if column.type in ("FLOAT", "DOUBLE", "REAL") else c


def _edges(
    cursor: duckdb.DuckDBPyConnection, table: Table, column: Column
) -> tuple[list[tuple[float, int]], int]:
    """The smallest and the largest different values with their counts, in order, and how many there are in all."""
    c = _finite(column)
    counted = f"(SELECT {c} AS v, count(*) AS n FROM {table.relation} WHERE {c} IS NOT NULL GROUP BY 1)"
    picked = (
        f"WITH counted AS {counted} SELECT v, n, (SELECT count(*) FROM counted) FROM counted "
        f"QUALIFY row_number() OVER (ORDER BY v) <= {_EDGE} OR row_number() OVER (ORDER BY v DESC) <= {_EDGE} ORDER BY v"
    )
    rows = cursor.execute(picked).fetchall()
    return [(float(v), int(n)) for v, n, _ in rows], int(rows[0][2]) if rows else 0


def reserved_in(
    edges: Sequence[tuple[float, int]], distinct: int, *, money: bool = False
) -> tuple[Reserved, ...]:
    """Which of the outermost values stand for none: taken off one by one while they stand apart from what is left.

    Args:
        edges: The smallest and the largest values with their counts, in order.
        distinct: How many different values there are.
        money: Whether they are amounts of money: prices end in nines, so more distance is asked for.
    """
    left = list(edges)
    found: list[Reserved] = []
    while len(left) >= 3 and distinct - len(found) >= 3:
        for own, rest in ((left[0], left[1:]), (left[-1], left[:-1])):
            known = looks_reserved(own[0]) and _is_apart(own, rest, edges, 3.0 if money else 1.0)
            if known or _is_unknown(own, rest, distinct):
                found.append(Reserved(*own))
                left = rest
                break
        else:
            break
    return tuple(sorted(found, key=lambda r: r.value))


def looks_reserved(value: float) -> bool:
    """Whether a number is written as those for no value are: 99, -999, 9999.9, -888, or the last one that a type has."""
    if not math.isfinite(value):
        return False
    if value in _LIMITS or any(math.isclose(abs(value), fill, rel_tol=1e-7) for fill in _FILLS):
        return True
    if value != int(value):
        return re.fullmatch(r"-?9{2,}\.9+", f"{value:.10g}") is not None
    digits = str(abs(int(value)))
    if len(digits) >= 2 and set(digits) == {"9"}:
        return True
    return value < 0 and re.fullmatch(r"([1-9])\1{2,}", digits) is not None


def _is_unknown(own: tuple[float, int], rest: Sequence[tuple[float, int]], distinct: int) -> bool:
    """Whether -1 comes back alone below numbers that begin ten times as far from nought."""
    low = min(v for v, _ in rest)
    return own[0] == _UNKNOWN and own[1] > 1 and low >= -10 * _UNKNOWN and distinct > _EDGE


def _is_apart(
    own: tuple[float, int],
    rest: Sequence[tuple[float, int]],
    others: Sequence[tuple[float, int]],
    strictness: float,
) -> bool:
    """Whether a reserved number lies outside what the other values are.

    A negative one among values that are never negative is enough where it comes back, or is larger than all of
    them; any other has to be many times as far away as the values reach.
    """
    value, cells = own
    real = [v for v, _ in rest if not looks_reserved(v)] or [v for v, _ in rest]
    low, high = min(real), max(real)
    reach = max(abs(low), abs(high), high - low)
    if value < 0 <= low:
        return (cells > 1 or abs(value) > 2 * reach) and not any(v == -value for v, _ in others)
    far = low - value if value < low else value - high
    needed = (_FAR if cells == 1 else _NEAR) * strictness
    return far > needed * max(reach, 1e-9)
