"""The cells of a workbook, read in a process of its own: ``sheet_cells.py WORKBOOK FOLDER MEGABYTES``.

Writes one Arrow file for each sheet that holds a table, and ``sheets.json`` that says what they are. It runs by
its path and imports nothing of Gnomon, so that it starts quickly; what a workbook does to its memory ends here.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pyarrow as pa

Cell = str | float | int | bool | dt.date | dt.datetime | dt.time | dt.timedelta | None
_LOOK = 30


def main(workbook: str, folder: str, megabytes: str) -> None:
    """Read ``workbook`` into ``folder`` within ``megabytes`` of memory."""
    _limit(int(megabytes) << 20)
    from python_calamine import CalamineError, CalamineWorkbook

    told: dict[str, Any]
    try:
        book = CalamineWorkbook.from_path(workbook)
        sheets: list[dict[str, Any]] = []
        for number, name in enumerate(book.sheet_names):
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
            if any(_present(r) for r in rows):
                sheets.append({"name": name, **_written(rows, Path(folder) / f"{number}.arrow")})
            del rows
        told = {"sheets": sheets, "empty": len(book.sheet_names) - len(sheets)}
    except (CalamineError, OSError, ValueError) as e:
        told = {"error": "locked" if type(e).__name__ == "PasswordError" else str(e)}
    (Path(folder) / "sheets.json").write_text(json.dumps(told), encoding="utf-8")


def _limit(most: int) -> None:
    """Take no more memory than ``most`` bytes, where the system knows such limits."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _written(rows: Sequence[Sequence[Any]], target: Path) -> dict[str, Any]:
    """Write the table of a sheet; its headings, and what is to be said of it."""
    import pyarrow as pa

    grid = [[None if c == "" else c for c in r] for r in rows]
    used = [i for i in range(len(grid[0])) if any(r[i] is not None for r in grid)]
    grid = [[r[i] for i in used] for r in grid]
    first = _header_row(grid)
    named = _names(grid[first])
    body = [r for r in grid[first + (1 if named else 0) :] if _present(r)]
    headings = (
        [_text(c) or "" for c in grid[first]] if named else [f"column_{i + 1}" for i in range(len(used))]
    )
    read = [_array([r[i] for r in body]) for i in range(len(used))]
    table = pa.Table.from_arrays([array for array, _ in read], names=[f"c{i}" for i in range(len(used))])
    with pa.OSFile(str(target), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return {
        "file": target.name,
        "headings": headings,
        "named": named,
        "above": sum(1 for r in grid[:first] if _present(r)),
        "mixed": [i for i, (_, mixed) in enumerate(read) if mixed],
    }


def _present(row: Sequence[Any]) -> int:
    return sum(1 for c in row if c is not None and c != "")


def _header_row(grid: Sequence[Sequence[Cell]]) -> int:
    """The first row as wide as the table: titles above it fill one or two cells."""
    widest = max(_present(r) for r in grid[:_LOOK])
    for i, row in enumerate(grid[:_LOOK]):
        if _present(row) >= max(1, 0.6 * widest):
            return i
    return 0


def _names(row: Sequence[Cell]) -> bool:
    """Whether ``row`` holds names: text, or years over columns of numbers."""
    present = [c for c in row if c is not None]
    texts = [c for c in present if isinstance(c, str)]
    years = [c for c in present if isinstance(c, (int, float)) and 1900 <= c <= 2100]
    dates = [c for c in present if isinstance(c, dt.date)]
    return len(texts) == len(present) or (
        len(texts) >= 1
        and len(texts) + len(years) + len(dates) == len(present)
        and len(set(present)) == len(present)
    )


def _text(cell: Cell) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return cell.isoformat(" ") if isinstance(cell, dt.datetime) else str(cell)


def _array(cells: Sequence[Cell]) -> tuple[pa.Array[Any], bool]:
    """A column of one type, and whether its cells had to become text to fit together."""
    import pyarrow as pa

    kinds = {type(c) for c in cells if c is not None}
    if kinds <= {float, int}:
        numbers = [cast("float | int | None", c) for c in cells]
        if all(n is None or (float(n).is_integer() and abs(n) < 2**53) for n in numbers):
            return pa.array([None if n is None else int(n) for n in numbers], pa.int64()), False
        return pa.array(numbers, pa.float64()), False
    if kinds <= {dt.date, dt.datetime}:
        moments = [None if c is None else _moment(cast("dt.date", c)) for c in cells]
        if all(m is None or m.time() == dt.time() for m in moments):
            return pa.array([None if m is None else m.date() for m in moments], pa.date32()), False
        return pa.array(moments, pa.timestamp("us")), False
    if len(kinds) == 1 and kinds <= {bool, dt.time, dt.timedelta}:
        return pa.array(cells), False
    return pa.array([_text(c) for c in cells], pa.string()), len(kinds) > 1


def _moment(cell: dt.date) -> dt.datetime:
    return cell if isinstance(cell, dt.datetime) else dt.datetime(cell.year, cell.month, cell.day)


if __name__ == "__main__":
    main(*sys.argv[1:4])
