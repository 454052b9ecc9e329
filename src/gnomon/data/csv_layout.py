"""Text tables without separators that can be told: columns of a page, and lines that are quoted as a whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from gnomon.data.csv_dialect import Dialect
from gnomon.data.encoding import Encoding, open_bytes

_LINES = 200_000
_LONGEST = 5_000
_FEWEST = 3
_MARKS = (",", ";", "\t", "|")


def written_with_marks(path: Path, encoding: Encoding, dialect: Dialect, target: Path) -> bool:
    """Write the table once more as CSV where its cells stand below each other, or its lines are quoted as a whole.

    Args:
        path: The file.
        encoding: Its encoding.
        dialect: What it was taken for.
        target: Where to write.
    """
    if dialect.width > 1 and dialect.delimiter != " ":
        return False
    with open_bytes(path) as source:
        text = io.TextIOWrapper(source, encoding=encoding.name, errors=encoding.lenient)
        lines = [line.rstrip("\r\n") for line, _ in zip(text, range(_LINES + 1), strict=False)]
    if len(lines) > _LINES or any(len(line) > _LONGEST for line in lines):
        return False
    rows = _within_quotes(lines) if dialect.width == 1 else None
    rows = rows or _below_each_other(lines)
    if rows is None:
        return False
    with target.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(rows)
    return True


def _within_quotes(lines: Sequence[str]) -> list[list[str]] | None:
    """The rows of lines that each stand between quotes, with the quotes inside doubled once more."""
    held = [line for line in lines if line.strip()]
    if len(held) < _FEWEST or not all(len(h) > 1 and h[0] == h[-1] == '"' for h in held):
        return None
    inner = [line[1:-1].replace('""', '"') for line in held]
    for mark in _MARKS:
        rows = list(csv.reader(inner, delimiter=mark)) if mark in inner[0] else []
        if len(rows) == len(inner) and len({len(row) for row in rows}) == 1:
            return rows
    return None


def _below_each_other(lines: Sequence[str]) -> list[list[str]] | None:
    """The rows of lines whose cells begin or end below each other, with blanks between them in all lines."""
    held = [line for line in lines if line.strip()]
    if len(held) < _FEWEST or not any("  " in line.strip() for line in held) or any("\t" in h for h in held):
        return None
    inked = [False] * max(map(len, held))
    for line in held:
        for at, sign in enumerate(line):
            inked[at] = inked[at] or sign != " "
    starts = [at for at, ink in enumerate(inked) if ink and (at == 0 or not inked[at - 1])]
    starts = [at for at in starts if _named(held[0], at, inked)]
    if len(starts) < 2:
        return None
    ends = [*starts[1:], len(inked)]
    rows = [[line[a:b].strip() for a, b in zip(starts, ends, strict=True)] for line in held]
    filled = sum(1 for row in rows for cell in row if cell)
    return rows if 2 * filled >= len(rows) * len(starts) else None


def _named(head: str, at: int, inked: Sequence[bool]) -> bool:
    """Whether the first line has a word in the column of a page that begins there."""
    end = next((i for i in range(at, len(inked)) if not inked[i]), len(inked))
    return bool(head[at:end].strip())
