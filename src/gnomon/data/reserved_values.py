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
_AGAIN = 3
_ODD = 10.0
_HIGH = 500.0
_CODES = frozenset(
    {-2.0, -3.0, -5.0, -6.0, -7.0, -8.0, -9.0, -66.0, -77.0, -88.0, -95.0, -96.0, -97.0, -98.0, -99.0}
)
"""What stands for no answer in surveys."""


@dataclass(frozen=True)
class Reserved:
    """A number that stands for no value, or may do so and is kept, and how many cells hold it."""

    value: float
    cells: int
    kept: bool = False

    @property
    def shown(self) -> str:
        """The number as people write it."""
        whole = self.value == int(self.value) and abs(self.value) < _LONG
        return f"{self.value:.0f}" if whole else f"{self.value:g}"

    def said(self, column: str) -> str:
        """What is done with it, in a sentence."""
        held = "1 cell holds" if self.cells == 1 else f"{self.cells:,} cells hold"
        if self.kept:
            return f"{column}: {held} {self.shown}, far from all others, which may stand for no value; it is taken as that number."
        return f"{column}: {held} {self.shown}, which stands for no value and is read as missing."


def reserved_values(cursor: duckdb.DuckDBPyConnection, table: Table) -> dict[str, tuple[Reserved, ...]]:
    """The columns of ``table`` in which numbers stand for no value, with those numbers."""
    numeric = [
        c for c in table.columns if Family.of(c.type) is Family.NUMBER and not names_identifier(c.name)
    ]
    found: dict[str, tuple[Reserved, ...]] = {}
    odd: list[Column] = []
    for column, (low, high) in zip(numeric, _ends(cursor, table, numeric), strict=True):
        if any(v is not None and (looks_reserved(float(v)) or v == _UNKNOWN) for v in (low, high)):
            values = _edges(cursor, table, column)
            if reserved := reserved_in(*values, money=has(column.name, MONEY)):
                found[column.name] = reserved
        if (
            column.name not in found
            and low is not None
            and high is not None
            and may_be_odd(float(low), float(high))
        ):
            odd.append(column)
    for column in _repeated(cursor, table, odd):
        if (one := odd_in(*_edges(cursor, table, column))) is not None:
            found[column.name] = (one,)
    return found


def may_be_odd(low: float, high: float) -> bool:
    """Whether the smallest or the largest number may be one that no measurement gave, by what the two are."""
    return (
        low in _CODES
        or (high >= _HIGH and high > _ODD * abs(low))
        or (low <= -_HIGH and -low > _ODD * abs(high))
    )


def _repeated(cursor: duckdb.DuckDBPyConnection, table: Table, columns: Sequence[Column]) -> list[Column]:
    """The columns whose smallest or largest number comes back."""
    found: list[Column] = []
    for start in range(0, len(columns), _BATCH):
        batch = columns[start : start + _BATCH]
        listed = ", ".join(f"min({_finite(c)}, {_AGAIN}), max({_finite(c)}, {_AGAIN})" for c in batch)
        row = cursor.execute(f"SELECT {listed} FROM {table.relation}").fetchone() or ()
        ends = [(row[2 * k] or [], row[2 * k + 1] or []) for k in range(len(batch))] if row else []
        found += [
            c
            for c, two in zip(batch, ends, strict=True)
            if any(len(e) == _AGAIN and len({*e}) == 1 for e in two)
        ]
    return found


def odd_in(edges: Sequence[tuple[float, int]], distinct: int) -> Reserved | None:
    """The outermost value that comes back and lies far from all others, or below nought where no other does."""
    if distinct < _EDGE:
        return None
    for own, rest in ((edges[0], edges[1:]), (edges[-1], edges[:-1])):
        others = [v for v, _ in rest]
        low, high = min(others), max(others)
        reach = max(abs(low), abs(high), high - low)
        below = own[0] in _CODES and low >= 0
        if own[1] >= _AGAIN and (below or abs(own[0]) > _ODD * max(reach, 1e-9)):
            return Reserved(*own, kept=True)
    return None


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
