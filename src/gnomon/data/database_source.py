"""DuckDB files, attached for reading only, with their views in files of their own; open connections, copied in batches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.errors import GnomonError, UnreadableSource
from gnomon.data import naming
from gnomon.data.connection import seal
from gnomon.data.opening_limit import ViewDeadline, within_limits
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import RAW_SCHEMA, literal, quote
from gnomon.data.views import Database, View, read_views, unreadable

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_BATCH = 20_000
_OWN_NAMES = frozenset({"main", "memory", "system", "temp", RAW_SCHEMA})


@dataclass(frozen=True)
class _Held:
    """A table or view, and whether reading it computes something."""

    schema: str
    name: str
    computed: bool

    @property
    def path(self) -> str:
        return f"{quote(self.schema)}.{quote(self.name)}"


def open_duckdb(workspace: Workspace, path: Path) -> list[RawTable]:
    """Every table and view of the DuckDB file at ``path``, which is attached for reading only.

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
    tables = {
        held: _in_place(workspace, f"{quote(alias)}.{held.path}", held.name, path)
        for held in listed
        if not held.computed
    }
    views = {View(held.name, held.schema): held for held in listed if held.computed}
    read = read_views(workspace, Database.DUCKDB, str(path), path.name, list(views))
    tables |= {views[view]: raw for view, raw in read.items()}
    return [*tables.values()]  # what is in a view is in a table too, which comes first


def duckdb_view(workspace: Workspace, address: str, view: View) -> RawTable:
    """The rows of a view of the DuckDB file at ``address``, copied; it may read no other file.

    The file has the name under which its views may refer to it.
    """
    path = Path(address)
    alias = f"file_{path.stem}" if path.stem.casefold() in _OWN_NAMES else path.stem
    workspace.connection.execute(f"ATTACH {literal(address)} AS {quote(alias)} (READ_ONLY, TYPE duckdb)")
    seal(workspace.connection, [path], workspace.scratch)
    return _in_place(
        workspace, f"{quote(alias)}.{quote(view.schema)}.{quote(view.name)}", view.name, path, copied=True
    )


def open_connection(workspace: Workspace, connection: duckdb.DuckDBPyConnection) -> list[RawTable]:
    """Every table and view of an open DuckDB ``connection`` that can be read within the limits.

    Raises:
        UnreadableSource: It holds no table.
    """
    current = connection.execute("SELECT current_database()").fetchone()
    listed = _tables_of(connection, str(current[0]) if current else "memory")
    listed = [held for held in listed if held.schema != RAW_SCHEMA]
    if not listed:
        raise UnreadableSource(
            "The DuckDB connection holds no tables.", suggestions=["Create a table in it first."]
        )
    listed.sort(key=lambda held: held.computed)
    return [raw for held in listed if (raw := _copied(workspace, connection, held)) is not None]


def _copied(workspace: Workspace, connection: duckdb.DuckDBPyConnection, held: _Held) -> RawTable | None:
    """A table or view of somebody's connection; None where it is left out."""
    import duckdb

    settings, deadline = workspace.settings, workspace.deadline
    if held.computed:
        deadline = ViewDeadline(deadline)
    with connection.cursor() as cursor:
        interrupts = (cursor.interrupt, workspace.connection.interrupt)
        try:
            with within_limits(held.name, *interrupts, deadline=deadline):
                batches = cursor.execute(f"FROM {held.path}").to_arrow_reader(_BATCH)
                return load(
                    workspace, workspace.claim(held.name), batches, f"memory:{held.name}", "duckdb", None
                )
        except (GnomonError, duckdb.Error) as e:
            workspace.leave_out(held.name, unreadable(e, held.name, settings))
            return None


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
    given = f"gnomon_batches_of_{name}"  # of its own: where reading is interrupted, taking it back may be too
    workspace.connection.register(given, batches)
    try:
        workspace.connection.execute(
            f"CREATE OR REPLACE TABLE {RAW_SCHEMA}.{quote(name)} AS SELECT {select} FROM {quote(given)}"
        )
    finally:
        workspace.connection.unregister(given)
    return RawTable(
        name, shown, kind, originals, columns, warnings=[*(warnings or []), *renamed], size_bytes=size
    )


def _tables_of(connection: duckdb.DuckDBPyConnection, database: str) -> list[_Held]:
    rows = connection.execute(
        "SELECT schema_name, table_name, contains(sql, ' GENERATED ALWAYS AS') FROM duckdb_tables() "
        "WHERE database_name = $d AND NOT internal "
        "UNION ALL SELECT schema_name, view_name, true FROM duckdb_views() WHERE database_name = $d AND NOT internal "
        "ORDER BY ALL",
        {"d": database},
    ).fetchall()
    return [_Held(str(s), str(t), bool(c)) for s, t, c in rows]


def _in_place(
    workspace: Workspace, relation: str, table: str, path: Path, *, copied: bool = False
) -> RawTable:
    originals = [c for c, _ in workspace.describe(relation)]
    columns, warnings = naming.column_names(originals)
    select = ", ".join(f"{quote(o)} AS {quote(c)}" for o, c in zip(originals, columns, strict=True))
    name = workspace.claim(table)
    kind = "TABLE" if copied else "VIEW"
    workspace.connection.execute(
        f"CREATE OR REPLACE {kind} {RAW_SCHEMA}.{quote(name)} AS SELECT {select} FROM {relation}"
    )
    return RawTable(
        name,
        f"{path}#{table}",
        "duckdb",
        originals,
        columns,
        warnings=warnings,
        size_bytes=path.stat().st_size,
    )


def _reason(error: Exception) -> str:
    first = str(error).splitlines()[0]
    return first.partition(": ")[2].rstrip(". ") or first
