"""Parquet files, scanned in place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import SetAside, quote


def open_parquet(
    workspace: Workspace, paths: Sequence[Path], name: str, shown: str, *, partitioned: bool = False
) -> RawTable:
    """The rows of ``paths`` as one relation.

    Raises:
        UnreadableSource: A file is cut short, or is not Parquet.
    """
    import duckdb

    files = ", ".join(workspace.scannable(p) for p in paths)
    scan = f"read_parquet([{files}], union_by_name = {str(len(paths) > 1).lower()}, hive_partitioning = {str(partitioned).lower()})"
    try:
        originals = [c for c, _ in workspace.describe(scan)]
    except duckdb.Error as e:
        raise UnreadableSource(
            f"{shown} cannot be read as Parquet: {_reason(e)}.",
            suggestions=["Write or download the file again: it may have been cut short."],
        ) from e
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
    select = ", ".join(f"{quote(o)} AS {quote(c)}" for o, c in zip(originals, columns, strict=True))
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
