"""The cells of a workbook, read in a process of its own: ``sheet_cells.py WORKBOOK FOLDER MEGABYTES``.

Writes one Arrow file for each sheet that holds a table, and ``sheets.json`` that says what they are. It runs by
its path and imports nothing of Gnomon, so that it starts quickly; what a workbook does to its memory ends here.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pyarrow as pa

Cell = str | float | int | bool | dt.date | dt.datetime | dt.time | dt.timedelta | None
Range = tuple[tuple[int, int], tuple[int, int]]
_LOOK = 30
_REMARKS = 10
_LARGER = 4  # rows for one of a table above, from which the lower one is the table of a sheet
_CHUNK = 8 << 20
# A formula whose value was never written; one that gave an empty text says so by its type.
_UNCOMPUTED = re.compile(
    rb"<c\b(?![^>]*\bt=[\"']str)[^>]*\br=[\"']([A-Z]+)\d+[\"'][^>]*>\s*"
    rb"<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
# A whole number of more digits than a float keeps; what Excel writes itself has an exponent there.
_LONG = re.compile(rb"<c\b([^>]*)>\s*(?:<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*)?<v>(-?[0-9]{16,40})(?:\.0*)?</v>")
_PLACE = re.compile(rb"\br=[\"']([A-Z]+)([0-9]+)[\"']")
_TEXT = re.compile(rb"\bt=[\"'](?!n[\"'])")
_EXACT = 2**53


def main(workbook: str, folder: str, megabytes: str) -> None:
    """Read ``workbook`` into ``folder`` within ``megabytes`` of memory."""
    _limit(int(megabytes) << 20)
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    told: dict[str, Any]
    try:
        book = CalamineWorkbook.from_path(workbook)
        sheets: list[dict[str, Any]] = []
        formulas = _uncomputed(workbook)
        visible = {m.name: m.visible == SheetVisibleEnum.Visible for m in book.sheets_metadata}
        for number, name in enumerate(book.sheet_names):
            sheet = book.get_sheet_by_name(name)
            rows = sheet.to_python(skip_empty_area=False)
            if any(isinstance(c, float) and abs(c) >= _EXACT for r in rows for c in r):
                for (row, at), number in _long_numbers(workbook, name).items():
                    if row < len(rows) and at < len(rows[row]) and isinstance(rows[row][at], float):
                        rows[row][at] = number
            if any(_present(r) for r in rows):
                merged = cast("list[Range]", getattr(sheet, "merged_cell_ranges", None) or [])
                found = _written(rows, merged, formulas.get(name, {}), Path(folder) / f"{number}.arrow")
                sheets.append({"name": name, "hidden": not visible.get(name, True), **found})
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


def _uncomputed(workbook: str) -> dict[str, dict[int, int]]:
    """How many formulas without a value each sheet has in which column; nothing where the workbook is no zip file."""
    found: dict[str, dict[int, int]] = {}
    try:
        with zipfile.ZipFile(workbook) as parts:
            for name, part in _parts(parts).items():
                counts: dict[int, int] = {}
                with parts.open(part) as stream:
                    rest = b""
                    while chunk := stream.read(_CHUNK):
                        whole, mark, rest = (rest + chunk).rpartition(b"</c>")
                        for letters in _UNCOMPUTED.findall(whole + mark) if b"<f" in whole else ():
                            at = _column(letters.decode())
                            counts[at] = counts.get(at, 0) + 1
                found[name] = counts
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, LookupError, RuntimeError, ValueError):
        return {}  # what is wrong with it is told by the reader
    return found


def _long_numbers(workbook: str, sheet: str) -> dict[tuple[int, int], int]:
    """Whole numbers of a sheet that a float would round, by row and column; nothing where the workbook is no zip file."""
    found: dict[tuple[int, int], int] = {}
    try:
        with zipfile.ZipFile(workbook) as parts, parts.open(_parts(parts)[sheet]) as stream:
            rest = b""
            while chunk := stream.read(_CHUNK):
                whole, mark, rest = (rest + chunk).rpartition(b"</c>")
                for said, digits in _LONG.findall(whole + mark):
                    place = _PLACE.search(said)
                    if place is not None and not _TEXT.search(said):
                        found[int(place[2]) - 1, _column(place[1].decode())] = int(digits)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, LookupError, RuntimeError, ValueError):
        return {}
    return found


def _parts(parts: zipfile.ZipFile) -> dict[str, str]:
    """Where the sheets of a workbook stand in it, by their names."""
    from html import unescape

    def attributes(tag: str) -> dict[str, str]:
        return {k.split(":")[-1]: unescape(v) for k, v in re.findall(r"([\w:]+)=[\"']([^\"']*)[\"']", tag)}

    book = parts.read("xl/workbook.xml").decode("utf-8", "replace")
    links = parts.read("xl/_rels/workbook.xml.rels").decode("utf-8", "replace")
    targets = {a["Id"]: a["Target"] for a in map(attributes, re.findall(r"<Relationship\b[^>]*>", links))}
    sheets = map(attributes, re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book))
    places = {a["name"]: targets[a["id"]] for a in sheets}
    return {n: p.lstrip("/") if p.startswith("/") else f"xl/{p}" for n, p in places.items()}


def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - 64
    return place - 1


def _filled(
    grid: list[list[Cell]], used: Sequence[int], merged: Sequence[Range], first: int
) -> dict[str, Any]:
    """Give every row of a merged cell its value, from the row ``first`` on; how many cells were filled in which column.

    A number that spans rows beside columns that do not may be their sum: it stays in its first row, and is told of.
    """
    down = [r for r in merged if r[0][0] >= first and r[1][0] > r[0][0] and r[0][1] in used]
    spanning = {r[0][1] for r in down}
    grouping: set[int] = set()
    for at in used:  # what groups rows stands left of what it groups
        if at not in spanning:
            break
        grouping.add(at)
    filled: dict[int, int] = {}
    once: dict[int, int] = {}
    for (top, at), (bottom, _) in down:
        place = used.index(at)
        value = grid[top][place] if top < len(grid) else None
        if value is None:
            continue
        if isinstance(value, (int, float)) and not isinstance(value, bool) and at not in grouping:
            once[place] = once.get(place, 0) + 1
            continue
        for row in grid[top + 1 : bottom + 1]:
            if row[place] is None and _present(row):
                row[place] = value
                filled[place] = filled.get(place, 0) + 1
    return {"filled": list(filled.items()), "once": list(once.items())}


def _written(
    rows: Sequence[Sequence[Any]], merged: Sequence[Range], formulas: dict[int, int], target: Path
) -> dict[str, Any]:
    """Write the table of a sheet; its headings, and what is to be said of it."""
    import pyarrow as pa

    grid: list[list[Cell]] = [[None if c == "" else c for c in r] for r in rows]
    used = [i for i in range(len(grid[0])) if any(r[i] is not None for r in grid)]
    grid = [[r[i] for i in used] for r in grid]
    first = _header_row(grid)
    left_out = 0
    if (larger := _larger(grid, first)) is not None:
        left_out = sum(1 for r in grid[first:larger] if _present(r))
        first = larger
        held = [k for k in range(len(used)) if any(r[k] is not None for r in grid[first:])]
        grid, used = [[r[k] for k in held] for r in grid], [used[k] for k in held]
    first, below = _levels(grid, used, merged, first)
    named = below > first
    merges = _filled(grid, used, merged, below)
    told = named and below < len(grid) and _tells(grid[below], grid[below + 1 : below + _LOOK])
    start = below + told
    end, remarks, another = _end(grid, start, grid[below - 1] if named else grid[first])
    body = [r for r in grid[start:end] if _present(r)]
    headings = (
        _headings(grid, used, merged, range(first, below))
        if named
        else [f"column_{i + 1}" for i in range(len(used))]
    )
    read = [_array([r[i] for r in body]) for i in range(len(used))]
    table = pa.Table.from_arrays([array for array, _ in read], names=[f"c{i}" for i in range(len(used))])
    with pa.OSFile(str(target), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return {
        "file": target.name,
        "headings": headings,
        "named": named,
        "told": told,
        "above": sum(1 for r in rows[:first] if _present(r)),
        "apart": left_out,
        "below": remarks,
        "another": another,
        "uncomputed": [(used.index(at), n) for at, n in formulas.items() if at in used],
        **merges,
        "mixed": [i for i, (_, mixed) in enumerate(read) if mixed],
        "rounded": [i for i in range(len(used)) if _is_rounded([r[i] for r in body])],
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


def _larger(grid: Sequence[Sequence[Cell]], first: int) -> int | None:
    """The names of a table further down, where the rows from ``first`` on are few and end at an empty row.

    They are a report's list of what it is about, or a table of their own. A row that has its cells in the columns of the
    table below, and no others below it, names that table.
    """
    empty = next((i for i in range(first + 1, len(grid)) if not _present(grid[i])), None)
    if empty is None:
        return None
    at = next((i for i in range(empty, len(grid)) if _present(grid[i])), len(grid))
    end = next((i for i in range(at, len(grid)) if not _present(grid[i])), len(grid))
    if end - at < _LARGER * (empty - first) or not _begins(grid[at], grid[at + 1] if at + 1 < end else ()):
        return None
    over, names = (({k for k, c in enumerate(r) if c is not None}) for r in (grid[first], grid[at]))
    typed = {
        k
        for k in names
        if (cells := [r[k] for r in grid[at + 1 : end] if r[k] is not None])
        and not any(isinstance(c, str) for c in cells)
    }
    lone = empty - first == 1 and over >= names and _names(grid[first])
    return at if typed and not lone and grid[at] != grid[first] else None


def _levels(
    grid: Sequence[Sequence[Cell]], used: Sequence[int], merged: Sequence[Range], first: int
) -> tuple[int, int]:
    """The rows that name the columns, up to the first below them: several, where a name is merged over those of its parts."""
    across = [(a, b) for a, b in merged if b[1] > a[1] and sum(a[1] <= at <= b[1] for at in used) > 1]

    def parts(i: int) -> bool:
        """Whether a row names parts of what the row above it names."""
        over = [r for r in across if r[1][0] == i - 1]
        title = any(a[1] <= used[0] and b[1] >= used[-1] for a, b in over)
        body = grid[i + 1 : i + _LOOK] if i < len(grid) else []
        return bool(body and over) and not title and _present(grid[i - 1]) > 1 and _may_name(grid[i], body)

    top = first - 1 if first and parts(first) else first
    if top == first and not _names(grid[first]):
        return first, first
    below = first + 1
    while parts(below):
        below += 1
    return top, below


def _may_name(row: Sequence[Cell], body: Sequence[Sequence[Cell]]) -> bool:
    """Whether a row below a merged name names its parts: words over something else, or years or days alone."""
    present = [c for c in row if c is not None]
    named = all(
        isinstance(c, (str, dt.date)) or (isinstance(c, (int, float)) and 1900 <= c <= 2100) for c in present
    )
    over = any(
        isinstance(c, str) and any(r[i] is not None and not isinstance(r[i], str) for r in body)
        for i, c in enumerate(row)
    )
    return bool(present) and named and (over or not any(isinstance(c, str) for c in present))


def _tells(row: Sequence[Cell], body: Sequence[Sequence[Cell]]) -> bool:
    """Whether a row below the names tells units, types or what columns are: words over nothing but numbers and days."""
    held = {k: [r[k] for r in body if r[k] is not None] for k in range(len(row))}
    typed = [k for k, cells in held.items() if len(cells) > 1 and not any(isinstance(c, str) for c in cells)]
    said = {c for k in typed if isinstance(c := row[k], str)}
    return (
        len(said) > 1
        and all(isinstance(row[k], str) for k in typed)
        and all(isinstance(c, (str, type(None))) for c in row)
    )


def _headings(
    grid: Sequence[Sequence[Cell]], used: Sequence[int], merged: Sequence[Range], rows: range
) -> list[str]:
    """The names of the columns; of several levels, from the coarsest to the finest."""
    found: list[str] = []
    for place, at in enumerate(used):
        said: list[str] = []
        for i in rows:
            left = next((a[1] for a, b in merged if a[0] == i == b[0] and a[1] <= at <= b[1]), at)
            word = _text(grid[i][used.index(left)] if left in used else grid[i][place])
            if word and word not in said:
                said.append(word)
        found.append(" ".join(said))
    return found


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


def _end(grid: Sequence[Sequence[Cell]], start: int, names: Sequence[Cell]) -> tuple[int, int, int | None]:
    """Where the table ends, how many rows of words alone stand below it, and the row in which another one begins.

    Names over other things than names, below an empty row, begin another table; up to ten rows of one text each below
    an empty row are remarks.
    """
    counts: list[int] = []
    grouped = False  # whether rows go on below an empty one, as those with a total do not
    texts = [0] * len(names)
    others = [0] * len(names)
    present = [i for i in range(start, len(grid)) if _present(grid[i])]
    for at, i in enumerate(present):
        row = grid[i]
        if i > start and not _present(grid[i - 1]) and len(counts) > 1:
            below = grid[i + 1] if i + 1 < len(grid) else ()
            misfit = any(isinstance(c, str) and others[k] > 9 * texts[k] for k, c in enumerate(row))
            if misfit and row != names and not grouped and _begins(row, below):
                return i, 0, i + 1
            rest = [grid[k] for k in present[at : at + _REMARKS + 1]]
            alone = all(_present(r) == 1 and any(isinstance(c, str) for c in r) for r in rest)
            if len(rest) <= _REMARKS and alone and min(counts) > 1:
                return i, len(rest), None
            total = any(isinstance(c, str) and "total" in c.lower() for c in row)
            grouped = grouped or not (misfit or total)
        counts.append(_present(row))
        for k, c in enumerate(row):
            texts[k] += isinstance(c, str)
            others[k] += c is not None and not isinstance(c, str)
    return len(grid), 0, None


def _begins(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    said = [c for c in row if c is not None]
    names = len(said) > 1 and all(isinstance(c, str) for c in said) and len(set(said)) == len(said)
    return names and any(c is not None and not isinstance(c, str) for c in below)


def _text(cell: Cell) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
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
        whole = all(n is None or isinstance(n, int) or (n.is_integer() and abs(n) < _EXACT) for n in numbers)
        if whole and all(n is None or abs(n) < 2**63 for n in numbers):
            return pa.array([None if n is None else int(n) for n in numbers], pa.int64()), False
        if whole:
            return pa.array([None if n is None else str(int(n)) for n in numbers], pa.string()), False
        return pa.array(numbers, pa.float64()), False
    if kinds <= {dt.date, dt.datetime}:
        moments = [None if c is None else _moment(cast("dt.date", c)) for c in cells]
        if all(m is None or m.time() == dt.time() for m in moments):
            return pa.array([None if m is None else m.date() for m in moments], pa.date32()), False
        return pa.array(moments, pa.timestamp("us")), False
    if len(kinds) == 1 and kinds <= {bool, dt.time, dt.timedelta}:
        return pa.array(cells), False
    return pa.array([_text(c) for c in cells], pa.string()), len(kinds) > 1


def _is_rounded(cells: Sequence[Cell]) -> bool:
    """Whether whole numbers lost their last digits when the workbook was written, as those that name things may."""
    whole = [c for c in cells if isinstance(c, float) and c.is_integer()]
    long = [c for c in whole if abs(c) >= _EXACT]
    return len(long) > 1 and 2 * len(long) > sum(c is not None for c in cells)


def _moment(cell: dt.date) -> dt.datetime:
    return cell if isinstance(cell, dt.datetime) else dt.datetime(cell.year, cell.month, cell.day)


if __name__ == "__main__":
    main(*sys.argv[1:4])
