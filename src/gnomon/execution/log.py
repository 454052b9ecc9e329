"""The log of requests: readable lines in ``agent_v2.log``, the same as JSON in ``agent_v2.jsonl``.

Both rotate. A line names tools, goals, states, codes and durations; never a value from a cell.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from gnomon.core import clock
from gnomon.core.errors import ConfigurationError
from gnomon.core.events import Event, EventKind
from gnomon.core.patterns import late_pattern
from gnomon.core.private import private_folder
from gnomon.core.settings import Settings

MAX_BYTES = 5_000_000
BACKUPS = 5
STAGES = {1: "Context Extraction", 2: "MCP Tools Chaining Manager", 3: "Tools Invocation"}

_CONTROL = late_pattern(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


class _OwnersFile(RotatingFileHandler):
    """A rotating file that only its owner may read: lines name questions, files and columns."""

    def _open(self) -> Any:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=private)


class LogWriter:
    """Writes log lines; an instance is an event listener.

    Args:
        folder: Where the two files are; the ``log_dir`` of the settings.
        max_bytes: Size at which a file is rotated.
        backups: Rotated files that are kept.

    Raises:
        ConfigurationError: The folder cannot be made.
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES, backups: int = BACKUPS) -> None:
        folder = folder.expanduser()
        try:
            if not folder.is_dir():
                private_folder(folder)
        except OSError as e:
            raise ConfigurationError(
                f"The log folder {folder} cannot be made ({type(e).__name__}).",
                suggestions=["Set GNOMON_LOG_DIR to a folder that you may write to."],
            ) from None
        self.path = folder / "agent_v2.log"
        self.json_path = folder / "agent_v2.jsonl"
        self._handlers = [
            _OwnersFile(p, maxBytes=max_bytes, backupCount=backups, encoding="utf-8", delay=True)
            for p in (self.path, self.json_path)
        ]

    @classmethod
    def of(cls, settings: Settings) -> LogWriter:
        """A writer into the folder that the settings name."""
        return cls(settings.log_dir)

    def __call__(self, event: Event) -> None:
        """Write the line of a step's event; events of the whole request are written by the pipeline."""
        if event.step is not None and (line := _line(event)) is not None:
            fields: dict[str, Any] = {"event": str(event.kind), "step": event.step, "tool": event.tool}
            level = logging.WARNING if event.kind is EventKind.FAILED else logging.INFO
            self.write(event.request_id, line, level=level, **fields, **event.data)

    def write(self, request_id: str, line: str, *, level: int = logging.INFO, **fields: Any) -> None:
        """Write one line to both files; ``fields`` go to the structured one only."""
        text, request = _one_line(line), _one_line(request_id)
        at = clock.now().isoformat(timespec="milliseconds")
        name = logging.getLevelName(level)
        entry = {"at": at, "level": name, "request_id": request, "message": text} | fields
        readable = f"{at} {name} [REQUEST {request}] {text}"
        structured = json.dumps(entry, ensure_ascii=False, default=str)
        for handler, content in zip(self._handlers, (readable, structured), strict=True):
            handler.handle(logging.LogRecord("gnomon", level, "", 0, content, (), None))

    def forget(self, request_ids: Collection[str]) -> int:
        """Remove every line about these requests, from rotated files too; gives how many there were."""
        marks = {f"[REQUEST {_one_line(r)}]" for r in request_ids}
        marks |= {f'"request_id": {json.dumps(_one_line(r), ensure_ascii=False)}' for r in request_ids}
        removed = 0
        for handler, path in zip(self._handlers, (self.path, self.json_path), strict=True):
            handler.acquire()
            try:
                handler.close()
                for file in [f for f in path.parent.glob(f"{path.name}*") if f.is_file() and marks]:
                    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
                    kept = [line for line in lines if not any(m in line for m in marks)]
                    if len(kept) < len(lines):
                        removed += len(lines) - len(kept)
                        file.write_text("".join(kept), encoding="utf-8")
            finally:
                handler.release()
        return removed

    def close(self) -> None:
        """Close the files."""
        for handler in self._handlers:
            handler.close()


class PipelineLog:
    """The lines around the invocation: what the request is, its three stages, and how it ended.

    Args:
        writer: Where the lines go.
        request_id: The request they are about.
    """

    def __init__(self, writer: LogWriter, request_id: str) -> None:
        self._writer = writer
        self._request_id = request_id
        self._began = clock.elapsed()

    def starting(self) -> None:
        """The request arrived."""
        self._write("Starting V2 pipeline", stage="start")

    @contextmanager
    def stage(self, number: int) -> Generator[None]:
        """A stage (1, 2 or 3) begins here and is complete where the block ends well."""
        self.stage_started(number)
        yield
        self.stage_complete(number)

    def stage_started(self, number: int) -> None:
        """A stage begins."""
        self._write(f"STEP {number}: {STAGES[number]} - START", stage=number)

    def stage_complete(self, number: int) -> None:
        """A stage is complete."""
        self._write(f"STEP {number}: {STAGES[number]} - COMPLETE", stage=number)

    def context_extracted(self, goal: str, data_type: str) -> None:
        """What stage 1 found."""
        self._write(f"Context extracted - Goal: {goal.replace('_', ' ')}", goal=goal)
        self._write(f"Data type: {data_type}", data_type=data_type)

    def planned(self, strategy: str, tools: Sequence[str]) -> None:
        """What stage 2 decided."""
        self._write(f"Strategy: {strategy}", strategy=strategy)
        self._write(f"Tools: {list(tools)!r}", tools=list(tools))

    def finished(self, status: str) -> float:
        """The request ended; gives the measured seconds since this log began."""
        seconds = clock.elapsed() - self._began
        self._write(f"Pipeline duration: {seconds:.2f}s", duration_seconds=round(seconds, 6))
        self._write(f"Pipeline FINISHED - Status: {status}", status=status)
        return seconds

    def _write(self, line: str, **fields: Any) -> None:
        self._writer.write(self._request_id, line, **fields)


def _line(event: Event) -> str | None:
    """The published line of a step's event, or None for those that are not logged."""
    status, code = event.data.get("status", ""), event.data.get("code")
    why = f" ({code})" if code else ""
    match event.kind:
        case EventKind.STARTED:
            return f"Invoking tool: {event.tool}"
        case EventKind.FINISHED:
            return f"Tool {event.tool} succeeded"
        case EventKind.FAILED:
            return f"Tool {event.tool} {status or 'failed'}{why}"
        case EventKind.CANCELLED:
            return f"Tool {event.tool} cancelled"
        case EventKind.PROGRESS if "retry" in event.data:
            return f"Tool {event.tool} failed{why}, retry {event.data['retry']} in {event.data['delay_seconds']:g}s"
        case EventKind.PROGRESS if "fallback" in event.data:
            return f"Tool {event.tool} failed{why}, trying {event.data['fallback']}"
        case _:
            return None


def _one_line(text: str) -> str:
    """Text that cannot begin a line of its own: log lines are not forged from a request."""
    return _CONTROL.sub(" ", text)
