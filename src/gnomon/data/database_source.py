"""DuckDB files, attached for reading only; open connections, copied in bounded batches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import RAW_SCHEMA, literal, quote

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_BATCH = 20_000


def open_duckdb(workspace: Workspace, path: Path, only: frozenset[str] | None = None) -> list[RawTable]:
    """Every table and view of the DuckDB file at ``path`` (or ``only`` these), which is attached for reading only.

    Raises:
        UnreadableSource: It is not a DuckDB file, is damaged, or belongs to another process.
    """
    import duckdb

    alias = workspace.claim(f"file_{naming.readable(naming.stem(path))}")
    try:
        workspace.connection.execute(
            f"ATTACH {literal(str(path))} AS {quote(alias)} (READ_ONLY, TYPE duckdb)"
        )
        listed = _tables_of(workspace.connection, alias)
    except duckdb.Error as e:
        raise UnreadableSource(
            f"{path.name} cannot be opened as a DuckDB file: {_reason(e)}.",
            suggestions=["Close other programs that write to it, or export its tables to Parquet."],
        ) from e
    if not listed:
        raise UnreadableSource(
            f"{path.name} holds no tables.", suggestions=["Check that it is the right file."]
        )
    return [
        _in_place(workspace, f"{quote(alias)}.{quote(schema)}.{quote(table)}", table, f"{path}#{table}", path)
        for schema, table in listed
        if only is None or table in only
    ]


def open_connection(workspace: Workspace, connection: duckdb.DuckDBPyConnection) -> list[RawTable]:
    """Every table and view of an open DuckDB ``connection``."""
    current = connection.execute("SELECT current_database()").fetchone()
    listed = _tables_of(connection, str(current[0]) if current else "memory")
    found: list[RawTable] = []
    for schema, table in listed:
        if schema == RAW_SCHEMA:
            continue
        name = workspace.claim(table)
        batches = connection.cursor().execute(f"FROM {quote(schema)}.{quote(table)}").to_arrow_reader(_BATCH)
        found.append(load(workspace, name, batches, f"memory:{table}", "duckdb", None))
    if not found:
        raise UnreadableSource(
            "The DuckDB connection holds no tables.", suggestions=["Create a table in it first."]
        )
    return found


def load(
    workspace: Workspace,
    name: str,
    batches: pa.RecordBatchReader,
    shown: str,
    kind: str,
    size: int | None,
    warnings: list[str] | None = None,
) -> RawTable:
    """Read ``batches`` into a raw table; DuckDB moves what does not fit into memory to disk."""
    originals = list(batches.schema.names)
    columns, renamed = naming.column_names(originals)
    select = ", ".join(f"{quote(o)} AS {quote(c)}" for o, c in zip(originals, columns, strict=True))
    workspace.connection.register("gnomon_batches", batches)
    try:
        workspace.connection.execute(
            f"CREATE OR REPLACE TABLE {RAW_SCHEMA}.{quote(name)} AS SELECT {select} FROM gnomon_batches"
        )
    finally:
        workspace.connection.unregister("gnomon_batches")
    return RawTable(
        name, shown, kind, originals, columns, warnings=[*(warnings or []), *renamed], size_bytes=size
    )


def _tables_of(connection: duckdb.DuckDBPyConnection, database: str) -> list[tuple[str, str]]:
    rows = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $d AND NOT internal "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $d AND NOT internal "
        "ORDER BY ALL",
        {"d": database},
    ).fetchall()
    return [(str(s), str(t)) for s, t in rows]


def _in_place(workspace: Workspace, relation: str, table: str, shown: str, path: Path) -> RawTable:
    originals = [c for c, _ in workspace.describe(relation)]
    columns, warnings = naming.column_names(originals)
    select = ", ".join(f"{quote(o)} AS {quote(c)}" for o, c in zip(originals, columns, strict=True))
    name = workspace.claim(table)
    workspace.view(name, f"SELECT {select} FROM {relation}")
    return RawTable(
        name, shown, "duckdb", originals, columns, warnings=warnings, size_bytes=path.stat().st_size
    )


def _reason(error: Exception) -> str:
    first = str(error).splitlines()[0]
    return first.partition(": ")[2].rstrip(". ") or first
