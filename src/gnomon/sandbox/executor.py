"""Running cells of Python one after the other in a worker behind walls, as a notebook does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from gnomon.core.settings import Settings
from gnomon.sandbox.limits import Limits
from gnomon.sandbox.results import CellResult, DataVariable, Strength


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
        InvalidInput: A name cannot be a variable, or a file is not there.
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
        raise NotImplementedError

    @property
    def strength(self) -> Strength:
        """The walls that the worker runs behind; starts it where it is not running yet.

        Raises:
            ToolUnavailable: There are none, and running without was not allowed.
        """
        raise NotImplementedError

    @property
    def data_variables(self) -> tuple[DataVariable, ...]:
        """The variables that code finds already there: of every file, and what was defined."""
        raise NotImplementedError

    def define(self, **variables: Any) -> None:
        """Set variables to plain values (as JSON has them) or data frames; they survive a restart."""
        raise NotImplementedError

    def run(
        self, code: str, *, seconds: float | None = None, cancel: Cancellation | None = None
    ) -> CellResult:
        """Run one cell; whatever the code does, there is a result, and the next cell can be run."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Stop the cell that is running, from another thread; variables are kept where it obeys."""
        raise NotImplementedError

    def restart(self) -> None:
        """Begin anew: variables of cells are gone, files and definitions stay."""
        raise NotImplementedError

    def close(self) -> None:
        """End the worker and remove what it left. Safe to call twice."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
