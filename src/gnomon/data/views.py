"""Views and computed columns of databases, read once into files by a process of their own.

What it takes to read a view is not known before: it may never end, fill the memory, or take the process down. That process
has limits, and where it is lost, one view is. All that is asked later reads the file, which computes nothing.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from gnomon.core.errors import GnomonError, UnreadableSource
from gnomon.core.settings import Settings
from gnomon.data.opening_limit import Deadline, ViewDeadline, is_of_memory, limited_environment, too_large
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.slow_views import SlowViews
from gnomon.data.table import RAW_SCHEMA, literal, quote

PASSED_ON = (
    "memory_limit_mb",
    "threads",
    "max_unpacked_mb",
    "open_memory_mb",
    "max_file_size_mb",
    "open_timeout_seconds",
)
_PROCESS = "gnomon.data.view_process"
_MEND = "Read it in the database to see where it fails, and mend it or store its rows as a table."


class Database(StrEnum):
    """Where views are read from."""

    DUCKDB = "duckdb"
    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True)
class View:
    """Something in a database that is computed when it is read."""

    name: str
    schema: str = ""

    @property
    def path(self) -> str:
        """Its name with that of its schema."""
        return f"{self.schema}.{self.name}"

    def of(self, label: str) -> str:
        """What it is called in what is told of it."""
        return f"{self.name} of {label}"


def read_views(
    workspace: Workspace, database: Database, address: str, label: str, views: Sequence[View]
) -> dict[View, RawTable]:
    """The views that can be read within the limits; the others are left out, and told of.

    Args:
        workspace: Where they are to be opened.
        database: The kind of the database.
        address: Its path or URL.
        label: What it is called in what is told of it.
        views: Which views.
    """
    found: dict[View, RawTable] = {}
    slow = SlowViews(workspace.settings, address)
    known = {v: late for v in views if (late := slow.late(v.path, v.of(label))) is not None}
    for view, error in known.items():
        workspace.leave_out(view.name, error)
    waiting = [(number, view) for number, view in enumerate(views) if view not in known]
    deadline = workspace.deadline.half()
    while waiting:
        with _Reading(workspace, database, address, label, waiting, deadline) as reading:
            while waiting:
                number, view = waiting.pop(0)
                try:
                    told = reading.next(view)
                except _Lost as lost:
                    workspace.leave_out(view.name, lost.error)
                    if lost.slow:
                        slow.add(view.path)
                    break
                if "error" in told:
                    error = UnreadableSource(told["error"], suggestions=told["suggestions"])
                    workspace.leave_out(view.name, error)
                else:
                    found[view] = _attached(workspace, reading.folder / f"{number}.duckdb", told)
    return found


class _Lost(Exception):
    """The process ended, or was ended, over a view."""

    def __init__(self, error: UnreadableSource, *, slow: bool = False) -> None:
        self.error, self.slow = error, slow


class _Reading:
    """The process that reads views one after another, and says of each what came of it."""

    def __init__(
        self,
        workspace: Workspace,
        database: Database,
        address: str,
        label: str,
        views: Sequence[tuple[int, View]],
        deadline: Deadline,
    ) -> None:
        self.folder = workspace.scratch / "views"
        self.folder.mkdir(exist_ok=True)
        self._settings, self._deadline = workspace.settings, deadline
        self._label = label
        self._told: queue.Queue[bytes] = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", _PROCESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=limited_environment(),
        )
        threading.Thread(target=self._listen, daemon=True, name="gnomon-views").start()
        self._send(
            {
                "database": database.value,
                "address": address,
                "label": label,
                "views": [(n, v.name, v.schema) for n, v in views],
                "folder": str(self.folder),
                "seconds": self._settings.view_timeout_seconds,
                "settings": {name: getattr(self._settings, name) for name in PASSED_ON},
            }
        )
        self._started = False

    def next(self, view: View) -> dict[str, Any]:
        """What is told of the next view.

        Raises:
            _Lost: It took too long, or the process ended.
        """
        what = view.of(self._label)
        if not self._started:  # the process tells that it is there, so that its start takes no view's time
            self._line(what, self._deadline)
            self._started = True
        return json.loads(self._line(what, ViewDeadline(self._deadline)))

    def _line(self, what: str, deadline: Deadline) -> bytes:
        try:
            line = self._told.get(timeout=deadline.left())
        except queue.Empty:
            raise _Lost(
                deadline.late(what), slow=isinstance(deadline, ViewDeadline) and deadline.whole
            ) from None
        if not line:
            raise _Lost(
                UnreadableSource(
                    f"{what} cannot be read within {self._settings.open_memory_mb:,} MB: its cells are very large, "
                    "or the database is damaged.",
                    suggestions=[
                        "Leave out its longest texts, or allow more with GNOMON_OPEN_MEMORY_MB.",
                    ],
                )
            )
        return line

    def _send(self, given: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(given).encode())
            self._process.stdin.close()
        except BrokenPipeError:  # it ended; that is told when the first view is asked for
            pass

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._told.put(line)
        self._told.put(b"")

    def __enter__(self) -> _Reading:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def largest_file(settings: Settings) -> int:
    """How many bytes the rows of a view may take."""
    return settings.max_file_size_mb << 22


def unreadable(error: Exception, what: str, settings: Settings) -> GnomonError:
    """What was wrong with a view and what to do; never the text of a cell, which errors of databases quote."""
    import duckdb

    if isinstance(error, GnomonError):
        return error
    if is_of_memory(error):
        return too_large(what, settings)
    said = next(iter(str(error).strip().splitlines()), "").rstrip(". ")
    if "file too large" in said.lower() or "disk is full" in said.lower() or "disk i/o" in said.lower():
        return UnreadableSource(
            f"{what} returns more than {largest_file(settings) >> 20:,} MB.",
            suggestions=[
                "Store the rows that are needed as a table, or allow more with APP_MAX_FILE_SIZE_MB."
            ],
        )
    if isinstance(error, duckdb.PermissionException):
        return UnreadableSource(
            f"{what} reads other files, which a view may not.",
            suggestions=["Open those files themselves, or store its rows as a table."],
        )
    names_only = (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException, sqlite3.Error)
    reason = said if isinstance(error, names_only) else type(error).__name__
    return UnreadableSource(f"{what} cannot be read: {reason}.", suggestions=[_MEND])


def _attached(workspace: Workspace, file: Path, told: Mapping[str, Any]) -> RawTable:
    """The rows that were written to ``file``, as they would have been read from the database."""
    name, alias = workspace.claim(told["name"]), workspace.claim(f"rows_of_{told['name']}")
    workspace.connection.execute(f"ATTACH {literal(str(file))} AS {quote(alias)} (READ_ONLY, TYPE duckdb)")
    workspace.view(name, f"SELECT * FROM {quote(alias)}.{RAW_SCHEMA}.{quote(told['name'])}")
    return RawTable(
        name,
        told["source"],
        told["format"],
        told["originals"],
        told["columns"],
        warnings=told["warnings"],
        size_bytes=told["size_bytes"],
    )
