"""SQLite files, read in bounded batches."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as url_quote

from gnomon.core.errors import UnreadableSource
from gnomon.data.database_source import load
from gnomon.data.opening_limit import within_limits
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import quote
from gnomon.data.views import Database, View, read_views

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 20_000
_EXACT = 2**53
_ROWS = "gnomon rows of a view"
_LIST = """
SELECT name, CASE WHEN type = 'view' OR sql LIKE 'CREATE VIRTUAL%' THEN 1
  ELSE EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE hidden IN (2, 3)) END
FROM sqlite_master m WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'{shadows} ORDER BY name
"""
_SHADOWS = " AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')"
"""What an index of words keeps for itself (``notes_data``) is no table of anybody's."""


def open_sqlite(workspace: Workspace, path: Path) -> list[RawTable]:
    """Every table and view of the SQLite file at ``path``, which is opened for reading only.

    Raises:
        UnreadableSource: It is not a SQLite file, is damaged, or holds no tables.
    """
    import duckdb

    try:
        with closing(_connect(path)) as file:
            knows = sqlite3.sqlite_version_info >= (3, 37)
            query = _LIST.replace("{shadows}", _SHADOWS if knows else "")
            listed = {str(name): bool(computed) for name, computed in file.execute(query).fetchall()}
            if not listed:
                raise UnreadableSource(
                    f"{path.name} holds no tables.", suggestions=["Check that it is the right file."]
                )
            found = _read_all(
                workspace, file, path, [name for name, computed in listed.items() if not computed]
            )
    except (sqlite3.Error, duckdb.Error) as e:
        raise UnreadableSource(
            f"{path.name} cannot be read as a SQLite file: {str(e).splitlines()[0]}.",
            suggestions=["Check that the file is a SQLite database and was copied completely."],
        ) from e
    views = [View(name) for name, computed in listed.items() if computed]
    read = read_views(workspace, Database.SQLITE, str(path), path.name, views)
    found |= {view.name: raw for view, raw in read.items()}
    return [*found.values()]  # what is in a view is in a table too, which comes first


def sqlite_view(workspace: Workspace, address: str, view: View) -> RawTable:
    """The rows of a view of the SQLite file at ``address``; it is computed once."""
    path = Path(address)
    with closing(_connect(path)) as file:
        file.execute("PRAGMA temp_store = FILE")
        file.execute(f"CREATE TEMP TABLE {quote(_ROWS)} AS SELECT * FROM main.{quote(view.name)}")
        return _sqlite_table(workspace, file, path, view.name, _ROWS)


def _connect(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(f"file:{url_quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
    file.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return file


def _read_all(
    workspace: Workspace, file: sqlite3.Connection, path: Path, names: list[str]
) -> dict[str, RawTable]:
    """Every table that can be read within the limits; the others are left out."""
    found: dict[str, RawTable] = {}
    for name in names:
        what = f"{name} of {path.name}"
        try:
            with within_limits(
                what,
                file.interrupt,
                workspace.connection.interrupt,
                deadline=workspace.deadline,
                others=name != names[-1],
            ):
                found[name] = _sqlite_table(workspace, file, path, name, name)
        except UnreadableSource as e:
            workspace.leave_out(name, e)
    return found


def _sqlite_table(
    workspace: Workspace, file: sqlite3.Connection, path: Path, table: str, rows_in: str
) -> RawTable:
    """The table or view ``table``, whose rows are those of ``rows_in``."""
    import pyarrow as pa

    declared = {
        str(r[1]): str(r[2]).upper() for r in file.execute(f"PRAGMA table_xinfo({quote(table)})").fetchall()
    }
    names = [d[0] for d in file.execute(f"SELECT * FROM {quote(rows_in)} LIMIT 0").description]
    stored = [_stored(file, rows_in, n) for n in names]
    types = [_arrow_type(declared.get(n, ""), s) for n, s in zip(names, stored, strict=True)]
    warnings = [
        f"{n}: cells of different kinds are read as text."
        for n, s in zip(names, stored, strict=True)
        if "text" in s and len(s) > 1
    ]
    schema = pa.schema(list(zip(names, types, strict=True)))
    rows = file.execute(f"SELECT * FROM {quote(rows_in)}")
    batches = pa.RecordBatchReader.from_batches(schema, _batches(rows, schema))
    return load(
        workspace, workspace.claim(table), batches, f"{path}#{table}", "sqlite", path.stat().st_size, warnings
    )


def _stored(file: sqlite3.Connection, table: str, column: str) -> set[str]:
    """The kinds of values that a column really holds: SQLite does not hold columns to their declared type."""
    c = quote(column)
    kinds = file.execute(f"SELECT DISTINCT typeof({c}) FROM {quote(table)} WHERE {c} IS NOT NULL").fetchall()
    found = {str(k) for (k,) in kinds}
    if found == {"integer"}:
        low, high = file.execute(f"SELECT min({c}), max({c}) FROM {quote(table)}").fetchone()
        return {"bit"} if low >= 0 and high <= 1 else found
    if found == {"integer", "real"}:
        query = (
            f"SELECT 1 FROM {quote(table)} WHERE typeof({c}) = 'integer' AND NOT {c} BETWEEN ? AND ? LIMIT 1"
        )
        if file.execute(query, (-_EXACT, _EXACT)).fetchone():
            return {*found, "long"}  # decimals would merge them
    return found


def _arrow_type(declared: str, stored: set[str]) -> pa.DataType:
    import pyarrow as pa

    if stored in ({"bit"}, {"integer"}):
        return pa.bool_() if declared in {"BOOLEAN", "BOOL"} and stored == {"bit"} else pa.int64()
    if stored == {"blob"}:
        return pa.binary()
    if stored and stored <= {"integer", "real"}:
        return pa.float64()
    if not stored and any(word in declared for word in ("INT", "REAL", "FLOA", "DOUB", "DEC", "NUM")):
        return pa.int64() if "INT" in declared else pa.float64()
    return pa.string()


def _batches(rows: sqlite3.Cursor, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    fits = [_fitting(f.type) for f in schema]
    while found := rows.fetchmany(_BATCH):
        columns = zip(*found, strict=True)
        arrays = [
            pa.array([None if v is None else fit(v) for v in column], f.type)
            for column, fit, f in zip(columns, fits, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitting(kind: pa.DataType) -> Callable[[Any], Any]:
    import pyarrow as pa

    if pa.types.is_string(kind):
        return lambda v: v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v)
    return bool if pa.types.is_boolean(kind) else float if pa.types.is_floating(kind) else lambda v: v
