"""Parquet files, scanned in place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.connection import file_literal
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import quote


def open_parquet(workspace: Workspace, paths: Sequence[Path], name: str, shown: str) -> RawTable:
    """The rows of ``paths`` as one relation.

    Raises:
        UnreadableSource: A file is cut short, or is not Parquet.
    """
    import duckdb

    files = ", ".join(file_literal(p) for p in paths)
    scan = f"read_parquet([{files}], union_by_name = {'true' if len(paths) > 1 else 'false'})"
    try:
        originals = [c for c, _ in workspace.describe(scan)]
    except duckdb.Error as e:
        raise UnreadableSource(
            f"{shown} cannot be read as Parquet: {_reason(e)}.",
            suggestions=["Write or download the file again: it may have been cut short."],
        ) from e
    columns, warnings = naming.column_names(originals)
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
    )


def _reason(error: Exception) -> str:
    text = str(error)
    if "No magic bytes" in text:
        return "it does not end as a Parquet file does"
    if "too small" in text:
        return "it is too small"
    return text.splitlines()[0].rstrip(".")
