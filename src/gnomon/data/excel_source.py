"""Spreadsheets: every sheet that holds a table, with its header found among titles and blank rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.frame_source import store
from gnomon.data.kinds import OLE2
from gnomon.data.raw import RawTable, Workspace

if TYPE_CHECKING:
    import pyarrow as pa

Cell = str | float | int | bool | dt.date | dt.datetime | dt.time | dt.timedelta | None
_LOOK = 30


def open_excel(workspace: Workspace, path: Path, name: str) -> list[RawTable]:
    """Every sheet of the workbook that holds rows.

    Raises:
        UnreadableSource: The workbook is locked with a password, damaged, or holds no table.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    _refuse_locked(path)
    try:
        book = CalamineWorkbook.from_path(str(path))
        sheets = [(s, book.get_sheet_by_name(s).to_python(skip_empty_area=False)) for s in book.sheet_names]
    except (CalamineError, OSError, ValueError) as e:
        if type(e).__name__ == "PasswordError":
            raise _locked(path) from e
        raise UnreadableSource(
            f"{path.name} cannot be read as a spreadsheet: {e}.",
            suggestions=["Open it in a spreadsheet program and save it again as .xlsx, or export it as CSV."],
        ) from e
    filled = [(s, rows) for s, rows in sheets if any(_present(r) for r in rows)]
    if not filled:
        raise UnreadableSource(
            f"{path.name} holds no rows in any sheet.", suggestions=["Check the workbook."]
        )
    if len(filled) < len(sheets):
        workspace.warnings.append(f"{path.name}: {len(sheets) - len(filled)} empty sheet(s) were left out.")
    return [
        _sheet(workspace, path, sheet, rows, name if len(filled) == 1 else f"{name}_{naming.readable(sheet)}")
        for sheet, rows in filled
    ]


def _refuse_locked(path: Path) -> None:
    """An encrypted workbook is a compound file that holds a stream named EncryptedPackage."""
    with path.open("rb") as f:
        head = f.read(len(OLE2))
        if head == OLE2 and "EncryptedPackage".encode("utf-16-le") in f.read(1 << 24):
            raise _locked(path)


def _locked(path: Path) -> UnreadableSource:
    return UnreadableSource(
        f"{path.name} is locked with a password.",
        suggestions=["Open it in a spreadsheet program, remove the password, and save a copy."],
    )


def _sheet(
    workspace: Workspace, path: Path, sheet: str, rows: Sequence[Sequence[Any]], wanted: str
) -> RawTable:
    import pyarrow as pa

    grid = [[None if c == "" else c for c in r] for r in rows]
    used = [i for i in range(len(grid[0])) if any(r[i] is not None for r in grid)]
    grid = [[r[i] for i in used] for r in grid]
    first = _header_row(grid)
    named = _names(grid[first])
    warnings: list[str] = []
    left_out = sum(1 for r in grid[:first] if _present(r))
    if left_out:
        warnings.append(f"{left_out} row(s) above the table were left out.")
    if not named:
        warnings.append("The first row reads like data, so the columns are named by position.")
    body = [r for r in grid[first + (1 if named else 0) :] if _present(r)]
    originals = (
        [_text(c) or "" for c in grid[first]] if named else [f"column_{i + 1}" for i in range(len(used))]
    )
    columns, renamed = naming.column_names(originals)
    arrays: list[pa.Array[Any]] = []
    for i, column in enumerate(columns):
        array, mixed = _array([r[i] for r in body])
        arrays.append(array)
        if mixed:
            warnings.append(f"{column}: cells of different kinds are read as text.")
    name = workspace.claim(wanted)
    store(workspace, name, pa.Table.from_arrays(arrays, names=columns))
    return RawTable(
        name,
        f"{path}#{sheet}",
        "excel",
        originals,
        columns,
        loose=True,
        warnings=[*warnings, *renamed],
        size_bytes=path.stat().st_size,
    )


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
