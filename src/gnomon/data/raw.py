"""What every kind of source hands over: relations as they were read, before their text is understood."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.errors import DataUnavailable, GnomonError
from gnomon.core.patterns import regex
from gnomon.data import naming
from gnomon.data.connection import connect, prepare, seal
from gnomon.data.opening_limit import Deadline
from gnomon.data.table import RAW_SCHEMA, literal, quote

if TYPE_CHECKING:
    import duckdb

    from gnomon.core.settings import Settings
    from gnomon.data.table import SetAside, Table

Progress = Callable[[str, int, int], None]
"""Called with what is being opened, how many are done and how many there are."""


def advised(error: GnomonError) -> str:
    """What was wrong, and the first thing to do about it."""
    return " ".join([error.message, *error.suggestions[:1]])


WIDE = 200
"""Columns above which planning a query takes longer than running it."""
_WIDE_BYTES = 256 << 20
_SMALL_BYTES = 8 << 20


@dataclass(frozen=True)
class RawTable:
    """A relation in the raw schema, and what is known of it.

    Args:
        name: Its name in the raw schema, and of the table it becomes.
        source: Where the rows come from, fit to be shown.
        format: Kind of source.
        originals: The column names as the source spells them.
        columns: The column names in the relation.
        loose: Whether the source has no types and no nulls of its own, so that tokens such as ``N/A`` are nulls.
        warnings: What to tell the reader.
        size_bytes: Size of the file.
        sample: Rows spread through a source that is too large to be read twice; none means that every cell is read.
        probe: Rows spread through the source from which readings are proposed, where they came cheaper than a query.
        decimal_comma: Whether the source is written where the comma is the decimal mark.
        kept: A condition in SQL on the rows that are used; none means all.
        ready: The table itself, where it was understood before.
        files: The files of which a copy is to be kept.
        aside: What every figure of the table, or of one of its columns, has to say.
    """

    name: str
    source: str
    format: str
    originals: Sequence[str]
    columns: Sequence[str]
    loose: bool = False
    warnings: Sequence[str] = ()
    size_bytes: int | None = None
    sample: Sequence[Sequence[str | None]] | None = None
    probe: Sequence[Sequence[str | None]] | None = None
    decimal_comma: bool = False
    kept: str | None = None
    ready: Table | None = None
    files: Sequence[Path] = ()
    aside: Sequence[SetAside] = ()

    @property
    def held(self) -> bool:
        """Whether every query over the source would cost more for reading and planning its columns than for its rows."""
        if self.sample is not None or self.format not in ("csv", "json", "excel"):
            return False
        return (self.size_bytes or 0) <= (_WIDE_BYTES if len(self.columns) > WIDE else _SMALL_BYTES)

    @property
    def relation(self) -> str:
        """What to put after FROM."""
        whole = f"{RAW_SCHEMA}.{quote(self.name)}"
        return f"(SELECT * FROM {whole} WHERE {self.kept})" if self.kept else whole


@dataclass
class Workspace:
    """The connection being filled, with everything that has to outlive the opening of the sources.

    Where it belongs to a process that may be lost over a file, ``apart`` says how many seconds that has. ``turn`` is held
    while a source is read of which others shall find the copy.
    """

    settings: Settings
    connection: duckdb.DuckDBPyConnection
    scratch: Path
    resources: ExitStack
    own_connection: bool
    names: set[str] = field(default_factory=set[str])
    paths: list[Path] = field(default_factory=list[Path])
    roots: tuple[Path, ...] | None = None
    warnings: list[str] = field(default_factory=list[str])
    left_out: dict[str, GnomonError] = field(default_factory=dict[str, "GnomonError"])
    apart: float | None = None
    turn: ExitStack = field(default_factory=ExitStack)
    deadline: Deadline = field(init=False)

    def __post_init__(self) -> None:
        self.next_source()

    def next_source(self) -> None:
        """Begin to open a source: from here on the time runs that it may take."""
        self.deadline = Deadline(self.settings, self.apart)

    @classmethod
    def open(cls, settings: Settings, connection: duckdb.DuckDBPyConnection | None) -> Workspace:
        """A workspace in ``connection``, or in one of its own."""
        resources = ExitStack()
        try:
            scratch = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="gnomon-"))).resolve()
        except OSError as e:
            raise DataUnavailable(
                f"There is no folder for temporary files that can be written ({e.strerror or type(e).__name__}).",
                suggestions=["Make room on the disk, or set TMPDIR to a folder with room."],
            ) from e
        if connection is not None:
            prepare(connection)
            return cls(settings, connection, scratch, resources, own_connection=False)
        own = connect(settings, scratch / "spill")
        resources.callback(own.close)
        return cls(settings, own, scratch, resources, own_connection=True)

    @property
    def large_bytes(self) -> int:
        """Files beyond this size are understood from a sample instead of being read twice."""
        return self.settings.max_file_size_mb * 1024 * 1024

    def claim(self, name: str) -> str:
        """A table name like ``name`` that nothing else in the workspace has."""
        chosen = naming.unique(naming.table_name(name), self.names)
        self.names.add(chosen)
        return chosen

    def leave_out(self, name: str, error: GnomonError) -> None:
        """Go on without the table or view ``name``; who asks for it is told why, and what to do."""
        self.left_out[name] = error
        self.warnings.append(f"Left out: {advised(error)}")

    def scratch_file(self, suffix: str) -> Path:
        """A new path in the scratch folder."""
        handle = tempfile.NamedTemporaryFile(dir=self.scratch, suffix=suffix, delete=False)  # noqa: SIM115
        handle.close()
        return Path(handle.name)

    def scannable(self, path: Path) -> str:
        """``path`` as a SQL string for a scan; a name that DuckDB would take for a pattern is reached by a link."""
        if not any(c in "*?[" for c in str(path)):
            return literal(str(path))
        link = (
            self.scratch
            / f"link-{len(list(self.scratch.iterdir()))}-{naming.readable(path.name)}{path.suffix}"
        )
        try:
            link.symlink_to(path)
        except OSError:
            shutil.copyfile(path, link)
        return literal(str(link))

    def view(self, name: str, select: str) -> list[tuple[str, str]]:
        """Make the raw view ``name`` of ``select``; its columns with their types."""
        relation = f"{RAW_SCHEMA}.{quote(name)}"
        self.connection.execute(f"CREATE OR REPLACE VIEW {relation} AS {select}")
        return self.describe(relation)

    def describe(self, relation: str) -> list[tuple[str, str]]:
        """Names and types of the columns of ``relation``."""
        return [
            (str(r[0]), str(r[1])) for r in self.connection.execute(f"DESCRIBE FROM {relation}").fetchall()
        ]

    def seal(self) -> None:
        """Close the connection to every file that is not one of the sources."""
        if self.own_connection:
            seal(self.connection, self.paths, self.scratch)


_NAMED_FILE = regex(r'file "[^"]*?([^"/\\]+)"')
_HELD = regex(r"[\[{].*[.\]}](?= |$)|(?<!key )(?:\"[^\"]*\"|'[^']*')")


def reason_of(error: Exception) -> str:
    """What the database says is wrong with a source, without paths and without what the cells hold."""
    first = next(iter(str(error).splitlines()), "")
    said = _NAMED_FILE.sub(r"\1", first.partition(": ")[2] or first or type(error).__name__)
    place, mark, what = said.partition(": ")
    return f"{place}{mark}{_HELD.sub('…', what)}".rstrip(". ")
