"""Rows with more cells than columns: a separator that is part of a cell and that nothing encloses, told by where numbers and days stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from gnomon.data.csv_margins import Kind, kind_of

_LEARNED = 1000
_NEARLY_ALL = 0.95
_FEWEST = 5
_SURPLUS = 5  # separators in one cell, at most


def kinds_of(rows: Iterable[Sequence[str]], width: int) -> list[Kind | None]:
    """What each column holds nearly everywhere, by the first of the rows that have one cell for each: a number, a day, or anything."""
    whole = [row for row in islice(rows, _LEARNED) if len(row) == width]
    kinds: list[Kind | None] = []
    for at in range(width):
        seen = [kind for row in whole if (kind := kind_of(row[at])) is not None]
        typed = [k for k in (Kind.NUMBER, Kind.DAY) if seen.count(k) >= max(_FEWEST, _NEARLY_ALL * len(seen))]
        kinds.append(typed[0] if typed else None)
    return kinds


def names_rows(rows: Iterable[Sequence[str]]) -> bool:
    """Whether the first of cells that are one more than the names may name the rows: numbers in turn, or words of which none comes again.

    Numbers that a separator cuts in two also make rows longer than their names.
    """
    held = list(islice(rows, _LEARNED))
    first = [row[0].strip() for row in held if row]
    if first in ([str(i + start) for i in range(len(first))] for start in (0, 1)):
        return True
    words = len({*first}) == len(first) and all(kind_of(cell) is Kind.TEXT for cell in first)
    return words and not any(_are_cut(held, at) for at in range(1, min(map(len, held)) - 1))


def _are_cut(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Whether two cells next to each other are everywhere what a comma makes of one number: 123 and 450.00, or 12 and 50."""
    pairs = [(row[at].strip().lstrip("-"), row[at + 1].strip()) for row in rows]
    whole = all(left.isdecimal() and len(left) <= 3 for left, _ in pairs)
    thousands = all(right[:3].isdecimal() and right[3:4] in ("", ".") for _, right in pairs)
    return whole and (thousands or all(right.isdecimal() and len(right) == 2 for _, right in pairs))


def rejoined(row: Sequence[str], kinds: Sequence[Kind | None], delimiter: str) -> list[str] | None:
    """The row with some cells as one, so that its numbers and days stand where others have them.

    None where they do so already, or where no way or more than one leads there.
    """
    surplus = len(row) - len(kinds)
    if not 0 < surplus <= _SURPLUS or not any(kinds) or _fits(row[: len(kinds)], kinds):
        return None
    found: list[list[str]] = []
    for at in range(len(kinds)):
        joined = [*row[:at], delimiter.join(row[at : at + surplus + 1]), *row[at + surplus + 1 :]]
        if _fits(joined, kinds):
            found.append(joined)
    return found[0] if len({tuple(_typed(f, kinds)) for f in found}) == 1 else None


def _fits(row: Sequence[str], kinds: Sequence[Kind | None]) -> bool:
    return all(kind is None or kind_of(cell) in (kind, None) for cell, kind in zip(row, kinds, strict=True))


def _typed(row: Sequence[str], kinds: Sequence[Kind | None]) -> list[str]:
    """What a row holds in the columns of numbers and days."""
    return [cell for cell, kind in zip(row, kinds, strict=True) if kind is not None]
