"""Running cells of Python one after the other in a worker behind walls, as a notebook does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from gnomon.core.errors import InvalidInput, ToolUnavailable
from gnomon.core.settings import Settings
from gnomon.sandbox.inside.frames import HEADER_BYTES, BrokenFrame
from gnomon.sandbox.limits import Limits
from gnomon.sandbox.reading import read_artefacts, read_error, read_notes, read_variables
from gnomon.sandbox.results import CellError, CellResult, DataVariable, Strength
from gnomon.sandbox.strength import build
from gnomon.sandbox.surroundings import DataFile, check_name, data_files
from gnomon.sandbox.worker import Exchange, Worker

if TYPE_CHECKING:
    import pandas as pd

_DEFINE_SECONDS = 60.0


class Cancellation(Protocol):
    """Something that tells whether somebody asked to stop, as the cancel token of tools does."""

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        ...


class CodeExecutor:
    """A Python worker that keeps its variables from cell to cell and can touch nothing but the files it was given.

    Args:
        files: Variable names and the data files (or folders) that may be read under them; nothing else of the
            machine's data can be.
        settings: Read from the environment by default.
        limits: What the worker may use; by default what the settings say.
        allow_unsafe: Run without walls where the machine has none.
        warm: Load pandas, DuckDB and the like in the background while nothing runs.

    Raises:
        InvalidInput: A name cannot be a variable.
        DataUnavailable: A file is not there.
    """

    def __init__(
        self,
        *,
        files: Mapping[str, Path] | None = None,
        settings: Settings | None = None,
        limits: Limits | None = None,
        allow_unsafe: bool = False,
        warm: bool = True,
    ) -> None:
        self._settings = settings or Settings.load()
        self._limits = limits or Limits.of(self._settings)
        self._files = data_files(files or {}, self._settings, self._limits)
        self._allow_unsafe, self._warm = allow_unsafe, warm
        self._values: dict[str, Any] = {}
        self._frames: dict[str, bytes] = {}
        self._worker: Worker | None = None
        self._strength: Strength | None = None
        self._running = threading.Lock()
        self._stop = threading.Event()
        self._closed = False
        self._had_state = False

    @property
    def strength(self) -> Strength:
        """The walls that the worker runs behind; starts it where it is not running yet.

        Raises:
            ToolUnavailable: There are none, and running without was not allowed.
        """
        if self._strength is None:
            with self._running:
                self._alive()
        assert self._strength is not None
        return self._strength

    @property
    def data_variables(self) -> tuple[DataVariable, ...]:
        """The variables that code finds already there: of every file, and what was defined."""
        told = [variable for file in self._files for variable in _variables_of(file)]
        told += [DataVariable(n, "value", None, f"{n}: {type(v).__name__}") for n, v in self._values.items()]
        told += [DataVariable(n, "frame", None, f"{n}: a pandas DataFrame") for n in self._frames]
        return tuple(told)

    def define(self, **variables: Any) -> None:
        """Set variables to plain values (as JSON has them) or data frames; they survive a restart.

        Raises:
            InvalidInput: A name cannot be a variable, or a value is neither plain nor a frame, or is too large.
        """
        values: dict[str, Any] = {}
        frames: dict[str, bytes] = {}
        for name, value in variables.items():
            check_name(name)
            if type(value).__name__ == "DataFrame":
                frames[name] = _arrow(name, value, self._limits.memory_mb * 1024 * 1024 // 4)
                continue
            try:
                fits = len(json.dumps(value, allow_nan=False)) < HEADER_BYTES // 4
            except (TypeError, ValueError, RecursionError):
                fits = False
            if not fits:
                raise InvalidInput(
                    f"{name} cannot be handed to the sandbox: it is no plain value, or too large.",
                    suggestions=[
                        "Pass numbers, texts, lists and dictionaries of these, or a pandas DataFrame."
                    ],
                )
            values[name] = value
        with self._running:
            self._values.update(values)
            self._frames.update(frames)
            if self._worker is not None and self._worker.alive:
                self._hand_over(self._worker, values, frames)

    def run(
        self, code: str, *, seconds: float | None = None, cancel: Cancellation | None = None
    ) -> CellResult:
        """Run one cell; whatever the code does, there is a result, and the next cell can be run.

        The value of the last expression is shown; frames, charts and open figures come back as artefacts.

        Args:
            code: Python.
            seconds: Time limit; that of the limits by default.
            cancel: Stops the cell when somebody asks for it.

        Raises:
            InvalidInput: The executor is closed, or the code is too long.
            ToolUnavailable: There are no walls here, and running without was not allowed.
        """
        if len(code) > self._limits.code_chars:
            raise InvalidInput(
                f"The cell has {len(code):,} characters; {self._limits.code_chars:,} are allowed.",
                suggestions=["Split it, or pass data as a file or with define()."],
            )
        with self._running:
            lost = self._had_state and not (self._worker is not None and self._worker.alive)
            worker = self._alive()
            self._stop.clear()
            started = time.monotonic()
            said = worker.exchange(
                {"do": "run", "code": code},
                seconds=seconds or self._limits.seconds,
                asked=lambda: self._stop.is_set() or (cancel is not None and cancel.cancelled),
            )
            self._had_state = True
            return self._result(said, time.monotonic() - started, seconds or self._limits.seconds, lost)

    def interrupt(self) -> None:
        """Stop the cell that is running, from another thread; variables are kept where it obeys."""
        self._stop.set()

    def restart(self) -> None:
        """Begin anew: variables of cells are gone, files and definitions stay."""
        self.interrupt()
        with self._running:
            self._end()
            self._had_state = False
            self._alive()

    def close(self) -> None:
        """End the worker and remove what it left. Safe to call twice."""
        self._closed = True
        self.interrupt()
        with self._running:
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _alive(self) -> Worker:
        """The worker, started anew where it is gone."""
        if self._closed:
            raise InvalidInput("This executor is closed.", suggestions=["Make a new CodeExecutor."])
        if self._worker is not None and self._worker.alive:
            return self._worker
        self._end()
        worker, strength = build(
            self._settings,
            self._allow_unsafe,
            lambda mode: Worker(mode, self._files, self._settings, self._limits, warm=self._warm),
        )
        self._worker, self._strength = worker, strength
        if self._values or self._frames:
            self._hand_over(worker, self._values, self._frames)
        return worker

    def _hand_over(self, worker: Worker, values: dict[str, Any], frames: dict[str, bytes]) -> None:
        header = {"do": "define", "values": values, "frames": list(frames)}
        said = worker.exchange(header, list(frames.values()), seconds=_DEFINE_SECONDS)
        if said.header is None:
            raise ToolUnavailable(f"The variables could not be handed to the sandbox: {said.died}.")

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def _result(self, said: Exchange, took: float, allowed: float, lost: bool) -> CellResult:
        assert self._strength is not None
        (stdout, out_cut), (stderr, err_cut) = said.stdout.text(), said.stderr.text()
        truncated = [name for name, cut in (("stdout", out_cut), ("stderr", err_cut)) if cut]
        error, artefacts, variables = None, [], {}
        if said.header is not None:
            try:
                artefacts, notes = read_artefacts(said.header.get("artefacts"), said.blobs, self._limits)
                error = read_error(said.header.get("error"))
                variables = read_variables(said.header.get("variables"), self._limits)
                truncated += [*read_notes(said.header.get("truncated")), *notes]
            except BrokenFrame as e:
                said.died, artefacts = f"it did not keep to the protocol: {e}", []
                self._end()
        if said.died or said.stopped:
            error = _stopped(said, error, allowed)
        return CellResult(
            ok=error is None,
            stdout=stdout,
            stderr=stderr,
            error=error,
            artefacts=tuple(artefacts),
            variables=variables,
            seconds=took,
            strength=self._strength,
            truncated=tuple(truncated),
            state_lost=lost or said.died is not None,
        )


def _stopped(said: Exchange, error: CellError | None, allowed: float) -> CellError | None:
    """The error of a cell that was stopped or whose worker is gone."""
    if said.died is None and (error is None or error.kind != "KeyboardInterrupt"):
        return error  # it had just ended by itself, or failed in a way of its own
    killed = said.died is not None
    died = f" The worker was ended: {said.died}." if killed else ""
    after = " The next cell has a new worker; variables of earlier cells are gone." if killed else ""
    if said.stopped is None:
        kind = "ProtocolError" if "protocol" in (said.died or "") else "WorkerKilled"
        return CellError(kind, f"The worker ended: {said.died}.{after}", killed=True)
    error = error or CellError("", "")
    if said.stopped == "deadline":
        message = f"The cell was stopped after {allowed:g} seconds.{died}{after}"
        return replace(
            error, kind="TimedOut", message=message, timed_out=True, interrupted=False, killed=killed
        )
    message = f"The cell was interrupted.{died}{after}"
    return replace(error, kind="Interrupted", message=message, interrupted=True, killed=killed)


def _variables_of(file: DataFile) -> list[DataVariable]:
    name = file.name
    told = [
        DataVariable(
            f"{name}_relation", "relation", name, f"{name}_relation: a DuckDB relation over the whole file"
        ),
        DataVariable(f"{name}_path", "path", name, f"{name}_path: the path of the file"),
    ]
    if file.large:
        says = f"{name}_chunks: an iterator of pandas DataFrames, because the file is too large to load whole"
        return [DataVariable(f"{name}_chunks", "chunks", name, says), *told]
    return [DataVariable(name, "frame", name, f"{name}: a pandas DataFrame with the whole file"), *told]


def _arrow(name: str, frame: pd.DataFrame, limit: int) -> bytes:
    import pyarrow as pa

    try:
        table = pa.Table.from_pandas(frame)
    except (pa.ArrowException, TypeError, ValueError) as e:
        raise InvalidInput(f"The frame {name} cannot be handed to the sandbox: {e}") from None
    if table.nbytes > limit:
        raise InvalidInput(
            f"The frame {name} is too large to be handed to the sandbox.",
            suggestions=["Write it to a Parquet file and pass that in `files`."],
        )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
