"""The egress ledger: every byte that was sent to a model or an agent, in files that do not grow without end."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar

from gnomon.core import clock
from gnomon.core.private import private_folder

run_id: ContextVar[str | None] = ContextVar("gnomon_run_id", default=None)
"""The run on whose behalf something is sent, where there is one; each line of a ledger names it."""

FILE_BYTES = 8 * 1024 * 1024
KEEP_FILES = 16


class EgressLedger:
    """Writes what leaves as JSON lines, one for each message or chunk, in the order of sending.

    A line holds ``at``, ``channel``, ``level``, what it was sent for where that is known (``task``, ``why``, ``run``),
    ``headers`` where there are any, ``bytes`` and the content as ``text`` (``base64`` where it is not UTF-8). What a task
    used is a line of its own. A file that is full is left behind, and the oldest of many files is removed. What cannot
    be written down is not sent: the error of the disk goes to the sender.

    Args:
        folder: Where the files are; made with access for its owner only.
        level: The privacy level under which is sent.
        file_bytes: Size at which a new file begins.
        keep_files: How many files are kept.
    """

    receiver: ClassVar[str] = "egress"
    """Who it is sent to, as the files begin."""

    def __init__(
        self, folder: Path, level: str, *, file_bytes: int = FILE_BYTES, keep_files: int = KEEP_FILES
    ) -> None:
        self._folder = folder
        self._level = level
        self._file_bytes = file_bytes
        self._keep = keep_files
        self._lock = threading.Lock()
        self._stem = f"{self.receiver}-{clock.now():%Y%m%dT%H%M%S}-{os.getpid()}-{id(self):x}"
        self._number = 0
        self._size = 0

    @property
    def files(self) -> list[Path]:
        """The files of this and earlier processes, oldest first."""
        return sorted(
            self._folder.glob(f"{self.receiver}-*.jsonl"), key=lambda p: (p.stat().st_mtime_ns, p.name)
        )

    def record(
        self,
        channel: str,
        content: bytes,
        headers: Mapping[str, str] | None = None,
        about: Mapping[str, str] | None = None,
    ) -> None:
        """Write down what is about to be sent; an empty chunk is not, and keys are no part of ``headers``.

        Args:
            channel: Where it goes.
            content: What is sent.
            headers: What goes with it.
            about: What it is sent for: ``task``, ``why``, ``run``, and ``level`` where it is not the ledger's own.
        """
        if not content:
            return
        entry: dict[str, Any] = {
            "at": clock.now().isoformat(),
            "channel": channel,
            "level": self._level,
            "bytes": len(content),
            **(about or {}),
        }
        if (run := run_id.get()) is not None:
            entry.setdefault("run", run)
        if headers is not None:
            entry["headers"] = dict(headers)
        try:
            entry["text"] = content.decode()
        except UnicodeDecodeError:
            entry["base64"] = base64.b64encode(content).decode()
        self._append(entry)

    def record_usage(self, task: str, used: Mapping[str, int]) -> None:
        """Write down what a task used, once that is known."""
        self._append({"at": clock.now().isoformat(), "used_by": task, "used": dict(used)})

    def entries(self, run: str | None = None) -> list[dict[str, Any]]:
        """What was sent and is on record, oldest file first, with what its task ``used`` where that is known.

        Args:
            run: Only what was sent for this run.
        """
        lines = [json.loads(line) for file in self.files for line in file.read_bytes().splitlines()]
        used = {line["used_by"]: line["used"] for line in lines if "used_by" in line}
        sent = (line for line in lines if "used_by" not in line and run in (None, line.get("run")))
        return [{**s, "used": used[s["task"]]} if s.get("task") in used else s for s in sent]

    def bodies(self) -> list[bytes]:
        """What was sent, message by message, as far as it is still on record."""
        return [
            base64.b64decode(e["base64"]) if "base64" in e else e["text"].encode() for e in self.entries()
        ]

    def content(self) -> bytes:
        """The bytes that were sent, one after another."""
        return b"".join(self.bodies())

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            self._write(line)

    def _write(self, line: bytes) -> None:
        if self._size and self._size + len(line) > self._file_bytes:
            self._number += 1
            self._size = 0
        file = self._folder / f"{self._stem}-{self._number:04d}.jsonl"
        if self._size == 0:
            private_folder(self._folder)
            self._prune()
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as out:
            out.write(line)
        self._size += len(line)

    def _prune(self) -> None:
        for old in self.files[: -(self._keep - 1)] if self._keep > 1 else self.files:
            old.unlink(missing_ok=True)
