"""Spreadsheets: every sheet that holds a table, read in a process that may use so much memory and time and no more."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming, sheet_cells
from gnomon.data.frame_source import store
from gnomon.data.kinds import OLE2
from gnomon.data.packing import refuse_bomb
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.summary_words import is_total
from gnomon.data.table import SetAside

if TYPE_CHECKING:
    import pyarrow as pa

_AGAIN = "Open it in a spreadsheet program and save it again as .xlsx, or export it as CSV."


def open_excel(workspace: Workspace, path: Path, name: str) -> list[RawTable]:
    """Every sheet of the workbook that holds rows.

    Raises:
        UnreadableSource: The workbook is locked with a password, damaged, too large, or holds no table.
    """
    _refuse_locked(path)
    _refuse_packed(path, workspace)
    folder = workspace.scratch_file("-sheets")
    folder.unlink()
    folder.mkdir()
    told = _read(path, folder, workspace)
    if told.get("error") == "locked":
        raise _locked(path)
    if "error" in told:
        raise UnreadableSource(
            f"{path.name} cannot be read as a spreadsheet: {told['error']}.", suggestions=[_AGAIN]
        )
    sheets = told["sheets"]
    if not sheets:
        raise UnreadableSource(
            f"{path.name} holds no rows in any sheet.", suggestions=["Check the workbook."]
        )
    if told["empty"]:
        workspace.warnings.append(f"{path.name}: {told['empty']} empty sheet(s) were left out.")
    return [
        _sheet(
            workspace, path, s, folder, name if len(sheets) == 1 else f"{name}_{naming.readable(s['name'])}"
        )
        for s in sheets
    ]


def _read(path: Path, folder: Path, workspace: Workspace) -> dict[str, Any]:
    """What the reading process says of the workbook, within the limits of the settings."""
    settings = workspace.settings
    memory = settings.open_memory_mb
    script = str(Path(sheet_cells.__file__))
    # -P: the folder of the script holds modules that have names of Python's own.
    call = [sys.executable, "-P", script, str(path), str(folder), str(memory)]
    try:
        done = subprocess.run(
            call,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=workspace.deadline.left(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise workspace.deadline.late(path.name) from None
    written = folder / "sheets.json"
    if done.returncode == 0 and written.is_file():
        return json.loads(written.read_text(encoding="utf-8"))
    raise UnreadableSource(
        f"{path.name} cannot be read within {memory:,} MB: its cells stand very far apart, or are very many.",
        suggestions=[
            "Delete what stands far away from the table (Ctrl+End shows it), or export the sheet as CSV.",
            "Allow more with GNOMON_OPEN_MEMORY_MB.",
        ],
    )


def _refuse_packed(path: Path, workspace: Workspace) -> None:
    """A workbook is a zip file: what its parts unpack to stands in its directory."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return
    refuse_bomb(path, unpacked, workspace.settings.max_unpacked_mb)


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


def _sheet(workspace: Workspace, path: Path, sheet: dict[str, Any], folder: Path, wanted: str) -> RawTable:
    import pyarrow as pa

    columns, renamed = naming.column_names(sheet["headings"])
    warnings: list[str] = []
    if sheet["above"]:
        warnings.append(f"{sheet['above']} row(s) above the table were left out.")
    if sheet["told"]:
        warnings.append("The row below the names tells what the columns are, and is none of the table.")
    if not sheet["named"]:
        warnings.append("The first row reads like data, so the columns are named by position.")
    warnings += [f"{columns[i]}: cells of different kinds are read as text." for i in sheet["mixed"]]
    aside = _notes(sheet, columns)
    for i in sheet["rounded"]:
        said = "its numbers of more than 15 digits are rounded in the workbook: what differs in the last digits alone is one."
        aside.append(SetAside(f"{columns[i]}: {said}", columns[i]))
    if sheet["below"]:
        warnings.append(f"{sheet['below']} row(s) below the table were left out.")
    table = pa.ipc.open_file(pa.memory_map(str(folder / sheet["file"]))).read_all()
    if sheet["uncomputed"] and (totals := _open_totals(table)):
        table = table.filter(pa.array([i not in totals for i in range(table.num_rows)]))
        said = f"{len(totals):,} {'row is a total' if len(totals) == 1 else 'rows are totals'} that {'was' if len(totals) == 1 else 'were'} never computed, and left out of every figure."  # fmt: skip
        aside.append(SetAside(said))
    name = workspace.claim(wanted)
    store(workspace, name, table.rename_columns(columns))
    return RawTable(
        name,
        f"{path}#{sheet['name']}",
        "excel",
        sheet["headings"],
        columns,
        loose=True,
        warnings=[*warnings, *renamed],
        size_bytes=path.stat().st_size,
        aside=aside,
    )


def _open_totals(table: pa.Table) -> set[int]:
    """The rows that are called a total and hold nothing else: their sums are formulas without a value."""
    import pyarrow as pa

    found: set[int] = set()
    for name in table.column_names:
        if not pa.types.is_string(table[name].type):
            continue
        for i, cell in enumerate(table[name].to_pylist()):
            if cell is not None and is_total(cell):
                others = (c for c in table.column_names if c != name)
                if all(table[c][i].as_py() is None for c in others):
                    found.add(i)
    return found


def _notes(sheet: dict[str, Any], columns: Sequence[str]) -> list[SetAside]:
    """What every figure of a sheet has to say: hidden, merged, or never computed."""
    notes: list[SetAside] = []
    if sheet["apart"] > 1:
        said = (
            f"{sheet['apart']:,} rows stand above the table, apart from it, and are left out of every figure. Move them to a "
            "sheet of their own to ask about them."
        )
        notes.append(SetAside(said))
    if sheet["another"] is not None:
        said = (
            f"Another table begins in row {sheet['another']:,} of the sheet; only the first one is read. Move the other "
            "to a sheet of its own to ask about it."
        )
        notes.append(SetAside(said))
    if sheet["hidden"]:
        notes.append(SetAside("The sheet is hidden in its workbook."))
    for at, count in sheet["filled"]:
        said = f"{columns[int(at)]}: {count:,} cells below a merged one hold its value, as the workbook shows them."
        notes.append(SetAside(said, columns[int(at)]))
    for at, count in sheet["once"]:
        said = f"{columns[int(at)]}: {count:,} merged cells hold one number for several rows; it is counted once, in the first."
        notes.append(SetAside(said, columns[int(at)]))
    for at, count in sheet["uncomputed"]:
        said = (
            f"{columns[int(at)]}: {count:,} cells hold a formula that was never computed, and are read as missing; "
            "open the workbook in a spreadsheet program and save it."
        )
        notes.append(SetAside(said, columns[int(at)]))
    return notes
