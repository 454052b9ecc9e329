"""Text tables: scanned in place by DuckDB with the dialect found beforehand, or rewritten once where that cannot work."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.csv_dialect import Dialect, sniff
from gnomon.data.csv_displaced import kinds_of, names_rows, rejoined
from gnomon.data.csv_layout import written_with_marks
from gnomon.data.csv_margins import Kind, Margins, Row, look_at, margins_of
from gnomon.data.encoding import (
    Encoding,
    detect_encoding,
    is_compressed,
    odd_line_end,
    open_bytes,
    written_with_lines,
)
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import SetAside, literal, quote

_HEAD = 1 << 18
_PROBES = 24
_LARGER = 4  # rows for one of a table above, from which the lower one is the table of a file
_LOOKED_AT = 1000
_PROBED = 1 << 23
_CHUNK = 1 << 20
EXTRA = "extra"
_DISPLACED = (
    "{n:,} row(s) have more cells than there are columns, so that their values may stand in the wrong ones."
)
_REJOINED = "{n:,} row(s) hold a separator within a cell; they are read so that their numbers and days stand in their columns."
_FEWER = "The rows have {n:,} cell(s) more than the header has names, so that names may stand over the wrong columns."
_DOUBTFUL = "The first row may name the columns, but reads like data and is counted as a row."


@dataclass(frozen=True)
class CsvFile:
    """A text table whose way of writing is known; what is left out is found out.

    Args:
        path: The file.
        delimiter: What separates cells.
        quote: What encloses cells.
        encoding: Name of a codec, such as ``cp1250``.
        header: Whether the first row names the columns.
        name: Name of the table.
    """

    path: str | Path
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    name: str | None = None


@dataclass(frozen=True)
class _Part:
    """One file of a table, and the SQL that scans it as text."""

    scan: str
    dialect: Dialect
    warnings: tuple[str, ...]
    sample: list[list[str | None]] | None
    probe: list[list[str | None]] | None = None
    extra: bool = False
    aside: tuple[SetAside, ...] = ()


def open_csv(workspace: Workspace, files: Sequence[CsvFile], name: str, shown: str) -> RawTable:
    """The rows of ``files``, which have the same columns, as one relation of text.

    Raises:
        UnreadableSource: A file is empty, or is not text.
    """
    parts = [_open_part(workspace, f, Path(f.path)) for f in files]
    first = parts[0].dialect
    originals, places = _matched(parts)
    extra = any(p.extra for p in parts)
    columns, renamed = naming.column_names([*originals, EXTRA] if extra else originals)
    scans = [_renamed(p, columns, at, extra) for p, at in zip(parts, places, strict=True)]
    workspace.view(name, " UNION ALL ".join(scans))
    warnings = list(dict.fromkeys(w for p in parts for w in p.warnings))
    if not first.names:
        warnings.append("The first row reads like data, so the columns are named by position.")
    samples = [
        [[r[i] if i is not None else None for i in at] for r in p.sample] if p.sample is not None else None
        for p, at in zip(parts, places, strict=True)
    ]
    return RawTable(
        name,
        shown,
        "csv",
        [*originals, EXTRA] if extra else originals,
        columns,
        loose=True,
        warnings=[*warnings, *renamed],
        size_bytes=sum(Path(f.path).stat().st_size for f in files),
        sample=[r for s in samples if s for r in s] if all(s is not None for s in samples) else None,
        probe=parts[0].probe if len(parts) == 1 else None,
        decimal_comma=first.delimiter == ";",
        aside=[*_lacking(columns, places), *dict.fromkeys(s for p in parts for s in p.aside)],
    )


_Places = list[int | None]


def _matched(parts: Sequence[_Part]) -> tuple[list[str], list[_Places]]:
    """The columns of all parts together, and where each part has them: by name, or by position where names are none."""
    first = parts[0].dialect
    originals = list(first.names) if first.names else [f"column_{i + 1}" for i in range(first.width)]
    keys = [[n.strip().casefold() for n in p.dialect.names] for p in parts]
    if all(k == keys[0] for k in keys):
        return originals, [list(range(first.width)) for _ in parts]
    every = dict(zip(keys[0], originals, strict=True))
    for key, part in zip(keys[1:], parts[1:], strict=True):
        for k, name in zip(key, part.dialect.names, strict=True):
            every.setdefault(k, name)
    return list(every.values()), [[key.index(k) if k in key else None for k in every] for key in keys]


def _lacking(columns: Sequence[str], places: Sequence[_Places]) -> list[SetAside]:
    """What to say of columns that some of the files do not have."""
    missing = {c: sum(at[i] is None for at in places) for i, c in enumerate(columns[: len(places[0])])}
    return [
        SetAside(
            f"{c}: {n:,} of {len(places):,} files have no such column; their rows have no value in it.", c
        )
        for c, n in missing.items()
        if n
    ]


def header_of(path: Path) -> tuple[str, ...]:
    """The column names of a text table, to tell whether two files belong together."""
    encoding = detect_encoding(path, whole=False)
    return _sniff(path, encoding, CsvFile(path)).names


def _open_part(workspace: Workspace, file: CsvFile, path: Path) -> _Part:
    large = path.stat().st_size > workspace.large_bytes
    encoding = _encoding_of(file, path, whole=not large)
    warnings = [encoding.warning] if encoding.warning else []
    if end := odd_line_end(path, encoding):
        copy = workspace.scratch_file(".csv")
        written_with_lines(path, encoding, end, copy)
        path, encoding = copy, Encoding("utf-8")
    dialect = _sniff(path, encoding, file)
    if not large and file.delimiter is None:
        copy = workspace.scratch_file(".csv")
        if written_with_marks(path, encoding, dialect, copy):
            path, encoding = copy, Encoding("utf-8")
            dialect = _sniff(path, encoding, file)
    if dialect.width == 0:
        raise UnreadableSource(
            f"{Path(file.path).name} is empty.", suggestions=["Check that the export finished."]
        )
    if dialect.preamble:
        warnings.append(f"{dialect.preamble} line(s) before the table were left out.")
    if large:
        return _read(workspace, path, encoding, dialect, warnings, large=True)
    margins = _margins(path, encoding, dialect)
    if file.header is None and margins.below >= _LARGER * margins.above > 0:
        return _below(workspace, file, path, encoding, margins)
    dialect = replace(dialect, skip=margins.skip, end=margins.end, between=margins.between)
    part = _read(workspace, path, encoding, dialect, [*warnings, *margins.warnings], large=False)
    said = [*margins.said, *([_DOUBTFUL] if dialect.doubtful else [])]
    if dialect.fewer and not _names_rows(path, encoding, dialect):
        said.append(_FEWER.format(n=dialect.fewer))
    return replace(part, aside=(*map(SetAside, said), *part.aside))


def _below(workspace: Workspace, file: CsvFile, path: Path, encoding: Encoding, margins: Margins) -> _Part:
    """The larger of two tables in a file: what stands above it is a report's list of what it is about, or another table."""
    copy = workspace.scratch_file(".csv")
    with open_bytes(path) as source, copy.open("w", encoding="utf-8", newline="") as out:
        text = io.TextIOWrapper(source, encoding=encoding.name, errors=encoding.lenient, newline="")
        out.writelines(islice(text, int(margins.end or 0), None))
    said = (
        f"Another table, of {margins.above:,} row{'s' * (margins.above > 1)}, stands above this one in the file and is left out of "
        "every figure. Save it as a file of its own to ask about it."
    )
    part = _open_part(workspace, replace(file, path=copy, encoding=None), copy)
    told = [encoding.warning] if encoding.warning else []
    return replace(part, warnings=(*told, *part.warnings), aside=(SetAside(said), *part.aside))


def _margins(path: Path, encoding: Encoding, dialect: Dialect) -> Margins:
    """Where the rows of a file begin and end; lines are read as rows only where a quick look gives reason to."""
    with open_bytes(path) as f:
        closer, empty = look_at(f, dialect) if encoding.plain else (dialect.width > 1, False)
    if not closer:
        return Margins(dialect.skip, math.inf if empty else None)
    with open_bytes(path) as f:
        text = io.TextIOWrapper(f, encoding=encoding.name, errors=encoding.lenient, newline="")
        found = margins_of(_numbered(text, dialect), dialect)
    return replace(found, end=math.inf) if empty and found.end is None else found


def _read(
    workspace: Workspace,
    path: Path,
    encoding: Encoding,
    dialect: Dialect,
    warnings: list[str],
    *,
    large: bool,
) -> _Part:
    import duckdb

    if encoding.plain and dialect.simple and dialect.end is None and not (dialect.spaced or dialect.between):
        scan = _scan(workspace.scannable(path), dialect)
        try:
            if large:
                workspace.connection.execute(f"SELECT count(*) FROM (FROM {scan} LIMIT 100000)")
                return _Part(scan, dialect, tuple(warnings), _spread(path, dialect))
            if _swallows(workspace, scan, path, dialect):
                return _rewritten(workspace, path, encoding, replace(dialect, stray=True), warnings)
            if _agrees(workspace, scan, path, encoding, dialect):
                probe = _spread(path, dialect) if path.stat().st_size > _PROBED else None
                return _Part(scan, dialect, tuple(warnings), None, probe)
        except duckdb.Error:
            pass
    return _rewritten(workspace, path, encoding, dialect, warnings)


def _swallows(workspace: Workspace, scan: str, path: Path, dialect: Dialect) -> bool:
    """Whether lines that are rows stand inside a cell, as they do where a quote has no pair."""
    sign = dialect.quote.encode()
    with open_bytes(path) as f:
        if not any(sign in chunk for chunk in iter(lambda: f.read(_CHUNK), b"")):
            return False
    broken = " OR ".join(f"contains(c{i}, chr(10))" for i in range(dialect.width))
    found = workspace.connection.execute(
        f"SELECT count(*), count(*) FILTER ({broken}) FROM {scan}"
    ).fetchone()
    if found is None or not found[1]:
        return False
    if _is_sound(path, Encoding("utf-8"), dialect):
        return False
    with open_bytes(path) as f:
        text = io.TextIOWrapper(f, encoding="utf-8", errors="replace", newline="")
        return sum(1 for _ in _body(text, replace(dialect, stray=True))) > found[0]


def _is_sound(path: Path, encoding: Encoding, dialect: Dialect) -> bool:
    with open_bytes(path) as f:
        return dialect.is_sound(
            io.TextIOWrapper(f, encoding=encoding.name, errors=encoding.lenient, newline="")
        )


def _encoding_of(file: CsvFile, path: Path, *, whole: bool) -> Encoding:
    if file.encoding is None:
        return detect_encoding(path, whole=whole)
    try:
        "".encode(file.encoding)
    except LookupError:
        raise UnreadableSource(
            f"{file.encoding!r} is not an encoding that is known here.",
            suggestions=["Use a name such as utf-8, cp1252 or shift_jis."],
        ) from None
    return Encoding("utf-8" if file.encoding.lower() in {"utf8", "utf-8"} else file.encoding, "strict")


def _sniff(path: Path, encoding: Encoding, file: CsvFile) -> Dialect:
    with open_bytes(path) as f:
        head = f.read(_HEAD)
        complete = not f.read(1)
    text = _decode_head(head, encoding)
    return sniff(text, complete=complete, delimiter=file.delimiter, quote=file.quote, header=file.header)


def _decode_head(head: bytes, encoding: Encoding) -> str:
    import codecs

    return codecs.getincrementaldecoder(encoding.name)(encoding.lenient).decode(head).replace("\0", "")


def _scan(file: str, dialect: Dialect, options: str = "") -> str:
    columns = ", ".join(f"{literal(f'c{i}')}: 'VARCHAR'" for i in range(dialect.width))
    return (
        f"read_csv({file}, auto_detect = false, header = false, skip = {dialect.skip}, "
        f"delim = {literal(dialect.delimiter)}, quote = {literal(dialect.quote)}, "
        f"escape = {literal(dialect.escape)}, columns = {{{columns}}}{options})"
    )


def _renamed(part: _Part, columns: Sequence[str], places: _Places, extra: bool) -> str:
    cells = ["NULL::VARCHAR" if i is None else f"c{i}" for i in places]
    if extra:
        cells.append(f"c{part.dialect.width}" if part.extra else "NULL::VARCHAR")
    select = ", ".join(f"{cell} AS {quote(c)}" for cell, c in zip(cells, columns, strict=True))
    return f"SELECT {select} FROM {part.scan}"


def _agrees(workspace: Workspace, scan: str, path: Path, encoding: Encoding, dialect: Dialect) -> bool:
    """Whether DuckDB and Python read the same cells at the start of the file."""
    ours = workspace.connection.execute(f"FROM {scan} LIMIT 200").fetchall()
    with open_bytes(path) as f:
        text = io.TextIOWrapper(f, encoding=encoding.name, errors=encoding.lenient, newline="")
        theirs: list[list[str]] = []
        for row in _body(text, dialect):
            theirs.append(row)
            if len(theirs) == 200:
                break
    return [[c or "" for c in r] for r in ours] == theirs[: len(ours)] and len(ours) == len(theirs)


def _body(text: io.TextIOBase, dialect: Dialect) -> Iterator[list[str]]:
    """The rows of data, without preamble, header, blank lines, and what stands below the table."""
    for _, last, row in _numbered(text, dialect):
        if dialect.end is not None and last > dialect.end:
            return
        if last not in dialect.between and (dialect.width == 1 or any(c.strip() for c in row)):
            yield list(row) or [""]


def _numbered(text: io.TextIOBase, dialect: Dialect) -> Iterator[Row]:
    """Everything below the header, each with the line before it and the line that it ends in."""
    before = 0
    if dialect.stray:
        for last, row, _ in dialect.rows(text):
            if last > dialect.skip:
                yield before, last, row
            before = last
        return
    reader = dialect.reader(text)
    for row in reader:
        if reader.line_num > dialect.skip:
            yield before, reader.line_num, row
        before = reader.line_num


def _rewritten(
    workspace: Workspace, path: Path, encoding: Encoding, dialect: Dialect, warnings: list[str]
) -> _Part:
    """The same rows written once more, as UTF-8 with every row as wide as the header and one more cell for the rest."""
    target = workspace.scratch_file(".csv")
    counts = _rewrite(path, target, encoding, dialect)
    if counts.broken and not dialect.stray and not _is_sound(path, encoding, dialect):
        by_line = replace(dialect, stray=True)
        again = _rewrite(path, target, encoding, by_line)
        if again.rows > counts.rows:
            dialect, counts = by_line, again
        else:
            counts = _rewrite(path, target, encoding, dialect)
    notes = list(warnings)
    if dialect.stray:
        notes.append(
            "Some lines hold a quotation mark without its pair; it is read as a sign like any other, so that no row is lost."
        )
    if counts.short:
        notes.append(f"{counts.short} row(s) have fewer cells than the header; the missing cells are empty.")
    if counts.long:
        notes.append(
            f"{counts.long} row(s) have more cells than the header; the rest is kept in column {EXTRA!r}."
        )
    if counts.comments:
        notes.append(f"{counts.comments} line(s) that start with # were left out as remarks.")
    written = replace(dialect, delimiter=",", quote='"', escape='"', skip=0, width=dialect.width + 1)
    wide = f", max_line_size = {counts.longest * 2}" if counts.longest > 1 << 19 else ""
    scan = _scan(literal(str(target)), written, f", new_line = '\\n'{wide}")
    found = workspace.connection.execute(f"SELECT count(*) FROM {scan}").fetchone()
    if found != (counts.rows,):
        raise UnreadableSource(
            f"{path.name} could not be read without losing rows.",
            suggestions=["Save it again as CSV in UTF-8, or as Parquet."],
        )
    told = ((_DISPLACED, counts.over), (_REJOINED, counts.rejoined))
    aside = tuple(SetAside(said.format(n=n)) for said, n in told if n)
    return _Part(scan, dialect, tuple(notes), None, extra=counts.long > 0, aside=aside)


@dataclass
class _Counts:
    rows: int = 0
    short: int = 0
    long: int = 0
    over: int = 0
    rejoined: int = 0
    comments: int = 0
    longest: int = 0
    broken: int = 0


def _rewrite(path: Path, target: Path, encoding: Encoding, dialect: Dialect) -> _Counts:
    counts = _Counts()
    width = dialect.width
    kinds = None
    rest = csv.writer(line := io.StringIO(), delimiter=dialect.delimiter, lineterminator="")
    with open_bytes(path) as source, target.open("w", encoding="utf-8", newline="") as out:
        text = io.TextIOWrapper(source, encoding=encoding.name, errors=encoding.lenient, newline="")
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for row in _body(text, dialect):
            if dialect.comments and len(row) != width and row[0].lstrip().startswith("#"):
                counts.comments += 1
                continue
            counts.short += len(row) < width
            counts.broken += any("\n" in cell for cell in row)
            counts.longest = max(counts.longest, sum(map(len, row)) * 4)
            if len(row) > width and any(c.strip() for c in row[width:]):
                kinds = kinds or _kinds(path, encoding, dialect)
                whole = rejoined(row, kinds, dialect.delimiter)
                counts.rejoined += whole is not None
                row = whole or row
            if len(row) > width:
                counts.long += 1
                counts.over += any(c.strip() for c in row[width:])
                rest.writerow(row[width:])
                row = [*row[:width], line.getvalue()]
                line.seek(0)
                line.truncate()
            counts.rows += 1
            writer.writerow([*row, *[""] * (width + 1 - len(row))])
    return counts


def _names_rows(path: Path, encoding: Encoding, dialect: Dialect) -> bool:
    """Whether what the header does not name is the names of the rows, or empty."""
    with open_bytes(path) as source:
        text = io.TextIOWrapper(source, encoding=encoding.name, errors=encoding.lenient, newline="")
        rows = list(islice(_body(text, dialect), _LOOKED_AT))
    empty = dialect.names[0] and not any(c.strip() for row in rows for c in row[-dialect.fewer :])
    return empty or (dialect.fewer == 1 and names_rows(rows))


def _kinds(path: Path, encoding: Encoding, dialect: Dialect) -> list[Kind | None]:
    with open_bytes(path) as source:
        text = io.TextIOWrapper(source, encoding=encoding.name, errors=encoding.lenient, newline="")
        return kinds_of(_body(text, dialect), dialect.width)


def _spread(path: Path, dialect: Dialect) -> list[list[str | None]]:
    """Rows from places spread over a large file, for deciding the types; rows cut in two are left out."""
    rows: list[list[str | None]] = []
    size = path.stat().st_size
    probes = 1 if is_compressed(path) else _PROBES
    with open_bytes(path) as f:
        for i in range(probes):
            if i:
                f.seek(size * i // probes)
            text = f.read(_HEAD if i == 0 else _HEAD // 4).decode("utf-8", "replace")
            lines = text.splitlines(keepends=True)[dialect.skip if i == 0 else 1 : -1]
            found = [r for r in dialect.reader(lines) if len(r) == dialect.width]
            rows.extend([c or None for c in r] for r in found)
    return rows
