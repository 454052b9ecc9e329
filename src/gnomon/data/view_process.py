"""The process that reads the views of a database into files, within limits of memory and of the size of a file.

``python -m gnomon.data.view_process`` takes what to read from standard input and writes a line for each view.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from gnomon.core.settings import Settings
from gnomon.data.connection import connect, prepare
from gnomon.data.conversion import understand
from gnomon.data.database_source import duckdb_view
from gnomon.data.opening_limit import limit_process
from gnomon.data.postgres_source import postgres_view
from gnomon.data.profile import profile_table
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.sqlite_source import sqlite_view
from gnomon.data.table import Dataset
from gnomon.data.views import Database, View, largest_file, unreadable

_READERS = {
    Database.DUCKDB: duckdb_view,
    Database.SQLITE: sqlite_view,
    Database.POSTGRES: postgres_view,
}


def main() -> None:
    """Read what standard input names, and say of each view what came of it."""
    given = json.load(sys.stdin)
    settings = Settings.load(
        **given["settings"], cache_mb=0, view_timeout_seconds=given["seconds"], log_dir=given["folder"]
    )
    limit_process(settings.open_memory_mb + settings.memory_limit_mb, largest_file(settings))
    for needed in ("duckdb", "numpy", "pyarrow"):  # loading them takes no view's time
        import_module(needed)
    _tell({"ready": True})
    for number, name, schema in given["views"]:
        view = View(name, schema)
        try:
            told = _read(given, settings, view, Path(given["folder"]) / f"{number}.duckdb")
        except Exception as e:  # noqa: BLE001 - whatever a view does is told of it, and the others are read
            error = unreadable(e, view.of(given["label"]), settings)
            told = {"error": error.message, "suggestions": list(error.suggestions)}
        _tell(told)


def _read(given: Mapping[str, Any], settings: Settings, view: View, file: Path) -> dict[str, Any]:
    """Write the rows of ``view`` to ``file``, look at them as a question would, and say what they are."""
    with ExitStack() as resources:
        scratch = Path(resources.enter_context(tempfile.TemporaryDirectory(dir=given["folder"]))).resolve()
        connection = connect(settings, scratch / "spill", file)
        resources.callback(connection.close)
        prepare(connection)
        workspace = Workspace(settings, connection, scratch, resources, own_connection=True)
        raw: RawTable = _READERS[Database(given["database"])](workspace, given["address"], view)
        table = understand(workspace, raw)
        profile_table(Dataset(connection, {table.name: table}), table.name)
    return {
        "name": raw.name,
        "source": raw.source,
        "format": raw.format,
        "originals": list(raw.originals),
        "columns": list(raw.columns),
        "warnings": list(raw.warnings),
        "size_bytes": raw.size_bytes,
    }


def _tell(told: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
