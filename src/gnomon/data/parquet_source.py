"""Parquet files, scanned in place where DuckDB reads them as they are meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.arrow_schema import Noted, noted_columns
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import SetAside, quote
from gnomon.data.wide_decimals import has_wide_decimals, narrowed
from gnomon.data.zones import by_its_clock, told_by


def open_parquet(
    workspace: Workspace, paths: Sequence[Path], name: str, shown: str, *, partitioned: bool = False
) -> RawTable:
    """The rows of ``paths`` as one relation.

    Raises:
        UnreadableSource: A file is cut short, or is not Parquet.
    """
    import duckdb

    rounded: list[SetAside] = []
    try:
        files = ", ".join(workspace.scannable(p) for p in paths)
        if has_wide_decimals(workspace, files):
            copies = [narrowed(workspace, p) for p in paths]
            files = ", ".join(workspace.scannable(copy) for copy, _ in copies)
            rounded = list(dict.fromkeys(said for _, told in copies for said in told))
        scan = f"read_parquet([{files}], union_by_name = {str(len(paths) > 1).lower()}, hive_partitioning = {str(partitioned).lower()})"
        kinds = workspace.describe(scan)
        noted = _noted(workspace, files)
    except duckdb.Error as e:
        raise UnreadableSource(
            f"{shown} cannot be read as Parquet: {_reason(e)}.",
            suggestions=["Write or download the file again: it may have been cut short."],
        ) from e
    originals = [c for c, _ in kinds]
    columns, warnings = naming.column_names(originals)
    heads = (
        [{c.partition(":")[0] for c in parquet_columns(p)} for p in paths]
        if len(paths) > 1 and not partitioned
        else []
    )
    lacking = {c: sum(o not in h for h in heads) for o, c in zip(originals, columns, strict=True)}
    aside = [
        SetAside(
            f"{c}: {n:,} of {len(paths):,} files have no such column; their rows have no value in it.", c
        )
        for c, n in lacking.items()
        if 0 < n < len(paths)  # a column of none is the name of a folder
    ]
    cells: list[str] = []
    for (original, kind), column in zip(kinds, columns, strict=True):
        cell, said = _cell(workspace, scan, original, kind, column, noted.get(original, Noted()))
        cells.append(f"{cell} AS {quote(column)}")
        aside += said
    names = dict(zip(originals, columns, strict=True))
    aside += [SetAside(s.said, names.get(s.column or "")) for s in rounded]
    select = ", ".join(cells)
    workspace.view(name, f"SELECT {select} FROM {scan}")
    return RawTable(
        name,
        shown,
        "parquet",
        originals,
        columns,
        warnings=warnings,
        size_bytes=sum(p.stat().st_size for p in paths),
        aside=aside,
    )


def _noted(workspace: Workspace, files: str) -> dict[str, Noted]:
    """What the files say of their columns beyond Parquet's own words, where all that say something say the same."""
    rows = workspace.connection.execute(
        f"SELECT DISTINCT value FROM parquet_kv_metadata([{files}]) WHERE key = 'ARROW:schema'"
    ).fetchall()
    found: dict[str, set[Noted]] = {}
    for (written,) in rows:
        for name, noted in noted_columns(written).items():
            found.setdefault(name, set()).add(noted)
    return {name: said.pop() for name, said in found.items() if len(said) == 1}


def _cell(
    workspace: Workspace, scan: str, original: str, kind: str, column: str, noted: Noted
) -> tuple[str, list[SetAside]]:
    """The SQL for a column, and what to say of it: times by the clock of their zone, durations as such."""
    if noted.zone is not None and kind == "TIMESTAMP WITH TIME ZONE":
        told = by_its_clock(workspace, original, noted.zone)
        return (told, [told_by(column, noted.zone)]) if told is not None else (quote(original), [])
    if noted.per_second is not None and kind == "BIGINT":
        return f"to_seconds({quote(original)} / {noted.per_second})", []
    if kind == "BLOB" and _is_text(workspace, scan, original):  # as old writers put down every text
        return f"decode({quote(original)})", []
    return quote(original), []


def _is_text(workspace: Workspace, scan: str, column: str) -> bool:
    """Whether every cell of a column of bytes is text."""
    c = quote(column)
    cells = f"count({c}), count(try(decode({c}))), count_if(regexp_matches(try(decode({c})), '[\\x00-\\x08\\x0e-\\x1f]'))"
    held, read, odd = workspace.connection.execute(f"SELECT {cells} FROM {scan}").fetchone() or (0, 0, 0)
    return held > 0 and read == held and not odd


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Names and types of the columns of ``path``, to tell whether two files belong together."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return tuple(f"{f.name}:{f.type}" for f in pq.read_schema(path))
    except (pa.ArrowException, OSError) as e:
        raise UnreadableSource(
            f"{path.name} cannot be read as Parquet: {str(e).splitlines()[0]}",
            suggestions=["Write or download the file again: it may have been cut short."],
        ) from e


def _reason(error: Exception) -> str:
    text = str(error)
    if "No magic bytes" in text:
        return "it does not end as a Parquet file does"
    if "too small" in text:
        return "it is too small"
    return text.splitlines()[0].rstrip(".")
