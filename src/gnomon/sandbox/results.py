"""What running a cell gives back: printed text, errors, figures and tables, and how strong the walls were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Cell = str | int | float | bool | None
FigureKind = Literal["png", "svg", "vega-lite", "plotly"]
StrengthName = Literal["bubblewrap+seccomp", "landlock+seccomp", "unsafe", "none"]


@dataclass(frozen=True)
class Strength:
    """How well code is kept in on this machine.

    Args:
        name: The means that are used; ``none`` where code is refused.
        weaker: Whether it is less than the best that Gnomon has.
        reasons: Why it is weaker, and what such code could still do.
        fix: What to do about it.
    """

    name: StrengthName
    weaker: bool
    reasons: tuple[str, ...] = ()
    fix: str | None = None


@dataclass(frozen=True)
class Figure:
    """A picture or a chart specification that a cell made.

    The content was made by code nobody reviewed: show a picture as a picture only, and a specification only in a
    page that may not fetch anything.

    Args:
        kind: What it is.
        title: The title it carries, or an empty string.
        data: The bytes of a picture.
        spec: The specification of a chart.
    """

    kind: FigureKind
    title: str
    data: bytes | None = None
    spec: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Table:
    """A data frame that a cell showed, cut to what a reader can take in.

    Args:
        name: The variable it was shown by, or ``table``.
        columns: Headings; the labels of the rows come first where they say something.
        dtypes: The type of each column.
        rows: The first rows.
        total_rows: How many there are in all.
    """

    name: str
    columns: tuple[str, ...]
    dtypes: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total_rows: int


@dataclass(frozen=True)
class Text:
    """The text of any other value that a cell showed."""

    text: str


Artefact = Figure | Table | Text


@dataclass(frozen=True)
class CellError:
    """Why a cell did not end well.

    Args:
        kind: Class of the exception, or ``WorkerKilled``, ``TimedOut``, ``Interrupted``, ``ProtocolError``.
        message: What it says.
        line: Line of the cell that failed, from 1.
        source_line: The text of that line.
        traceback: The frames of the cell's own code, innermost last.
        timed_out: Whether the cell was stopped because its time was over.
        interrupted: Whether somebody asked for it to stop.
        killed: Whether the worker ended; its variables are gone.
    """

    kind: str
    message: str
    line: int | None = None
    source_line: str | None = None
    traceback: str = ""
    timed_out: bool = False
    interrupted: bool = False
    killed: bool = False


@dataclass(frozen=True)
class CellResult:
    """What came of one cell.

    Args:
        ok: Whether it ran to its end.
        stdout: What it printed.
        stderr: What it printed to standard error, warnings included.
        error: Why it failed, where it did.
        artefacts: What it showed, in order.
        variables: Names that stand afterwards and their types, frames with their shape.
        seconds: How long it took.
        strength: The walls it ran behind.
        truncated: What was cut because of a limit, in words.
        state_lost: Whether the variables of earlier cells are gone, because the worker ended during this cell or
            before it.
    """

    ok: bool
    stdout: str
    stderr: str
    error: CellError | None
    artefacts: tuple[Artefact, ...]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: float = 0.0
    strength: Strength = Strength("none", True)
    truncated: tuple[str, ...] = ()
    state_lost: bool = False

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures among the artefacts."""
        return tuple(a for a in self.artefacts if isinstance(a, Figure))

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables among the artefacts."""
        return tuple(a for a in self.artefacts if isinstance(a, Table))


@dataclass(frozen=True)
class DataVariable:
    """A variable that code finds already there.

    Args:
        name: How code calls it.
        kind: ``frame`` (read on first use), ``relation`` (DuckDB), ``chunks`` (frames one after the other),
            ``path`` (of the file, inside), ``value``.
        file: The name of the file it comes from, as given in ``files``.
        says: One line about it, for whoever writes the code.
    """

    name: str
    kind: Literal["frame", "relation", "chunks", "path", "value"]
    file: str | None
    says: str
