"""Queries that were compiled before: what is asked for as the backend runs it, and how to read the rows."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gnomon.core.private import remember

KEPT = 256
MAX_FILES = 64
MAX_BYTES = 4 << 20


@dataclass(frozen=True)
class Compiled:
    """A query that can run, and how to read its rows.

    Args:
        sql: The query.
        columns: Names of the result columns.
        shown: Where each of them is in the rows.
        rows: Where the rows of the first table are counted.
        counted: For each metric over a column, where the rows it looks at, and those with a value, are counted.
        cut: Whether the counts are totals over all groups (else they are those of each result row).
        behind: Where the rows behind each result row are counted; of several counts, the least counts.
        notes: What a reader should know.
    """

    sql: str
    columns: tuple[str, ...]
    shown: tuple[int, ...]
    rows: int
    counted: dict[str, tuple[int, int]]
    cut: bool
    behind: tuple[int, ...]
    notes: tuple[str, ...]


class CompiledQueries:
    """The compiled queries of one model over tables that do not change; the latest are kept.

    Args:
        file: Where they outlive the process: compiling takes longer than most queries, and what it needs takes longer
            to load than all else that a question needs.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known = _read(file) if file is not None else OrderedDict[str, Compiled]()
        self._is_new = False
        self._lock = threading.Lock()

    def of(self, key: str, compile: Callable[[], Compiled]) -> Compiled:
        """The compiled query of what ``key`` says, from ``compile`` where it was not asked for before."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = compile()
        with self._lock:
            self._known[key] = made
            self._is_new = True
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return made

    def keep(self) -> None:
        """Write them down for the next process, where there is anything new; the oldest files go."""
        with self._lock:
            if self._file is None or not self._is_new:
                return
            self._is_new = False
            content = json.dumps({key: asdict(made) for key, made in self._known.items()}).encode()
        if len(content) <= MAX_BYTES:
            remember(self._file, content, most=MAX_FILES)


def _read(file: Path) -> OrderedDict[str, Compiled]:
    """What an earlier process wrote; nothing where it is damaged."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return OrderedDict()
        held: dict[str, dict[str, Any]] = json.loads(file.read_bytes())
        return OrderedDict((key, _compiled(**made)) for key, made in held.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return OrderedDict()


def _compiled(
    sql: str,
    columns: list[str],
    shown: list[int],
    rows: int,
    counted: dict[str, list[int]],
    cut: bool,
    behind: list[int],
    notes: list[str],
) -> Compiled:
    pairs = {metric: (every, present) for metric, (every, present) in counted.items()}
    return Compiled(sql, tuple(columns), tuple(shown), rows, pairs, cut, tuple(behind), tuple(notes))
