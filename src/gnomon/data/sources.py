"""Opening sources: whatever holds rows becomes typed tables in one embedded DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import DataUnavailable, InvalidInput
from gnomon.core.settings import Settings
from gnomon.data import naming
from gnomon.data.conversion import understand
from gnomon.data.csv_source import CsvFile, open_csv
from gnomon.data.frame_source import is_frame, open_frame
from gnomon.data.parquet_source import open_parquet
from gnomon.data.raw import Progress, RawTable, Workspace
from gnomon.data.table import Dataset, Table

if TYPE_CHECKING:
    import duckdb

Source = str | PathLike[str] | CsvFile | Mapping[str, Any] | Any
"""A path, glob, folder or URL; a frame; a :class:`CsvFile`; or a mapping of names to any of these."""


def open_sources(
    *sources: Source,
    settings: Settings | None = None,
    connection: duckdb.DuckDBPyConnection | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Open ``sources`` as typed tables that can be queried together.

    Files are scanned in place where DuckDB can; text that is really dates, money, percents, booleans or
    numbers is converted in the view of its table, and :attr:`Table.conversions` tells what was done.

    Args:
        sources: Paths of files or folders, globs, database URLs, frames, or mappings of names to these.
        settings: Limits on memory and threads; read from the environment by default.
        connection: An existing DuckDB connection to open them in; it is left open and unlimited.
        progress: Called with what is being opened, how many sources are done, and how many there are.

    Raises:
        InvalidInput: Something passed in is not a source.
        DataUnavailable: A file is not there, cannot be read, or a database does not answer.
    """
    workspace = Workspace.open(settings or Settings.load(), connection)
    try:
        jobs = [job for source in sources for job in _jobs(workspace, source, None)]
        if not jobs:
            raise InvalidInput(
                "Nothing to open.", suggestions=["Name at least one file, folder, URL or frame."]
            )
        tables: dict[str, Table] = {}
        for done, job in enumerate(jobs):
            if progress:
                progress(job.label, done, len(jobs))
            for raw in job.open():
                table = understand(workspace, raw)
                tables[table.name] = table
        if progress:
            progress("", len(jobs), len(jobs))
        workspace.seal()
    except BaseException:
        workspace.resources.close()
        raise
    return Dataset(workspace.connection, tables, tuple(workspace.warnings), workspace.resources)


@dataclass(frozen=True)
class _Job:
    """One thing to open: what to call it in progress, and how."""

    label: str
    open: Callable[[], list[RawTable]]


def _jobs(workspace: Workspace, source: Source, name: str | None) -> list[_Job]:
    if isinstance(source, CsvFile):
        path = Path(source.path)
        return [_Job(path.name, lambda: [_csv(workspace, source, path, source.name or name)])]
    if isinstance(source, (str, PathLike)):
        return _path_jobs(workspace, Path(source), name)
    if is_frame(source):
        label = name or "table"
        return [_Job(label, lambda: [open_frame(workspace, source, workspace.claim(label))])]
    if isinstance(source, Mapping):
        return [job for key, value in source.items() for job in _jobs(workspace, value, str(key))]
    raise InvalidInput(
        f"A {type(source).__name__} is not a source of data.",
        suggestions=["Pass a path, a URL, a pandas, polars or Arrow frame, or a mapping of names to these."],
    )


def _csv(workspace: Workspace, source: CsvFile, path: Path, name: str | None) -> RawTable:
    path = path.expanduser().resolve()
    workspace.paths.append(path)
    given = CsvFile(path, source.delimiter, source.quote, source.encoding, source.header)
    return open_csv(
        workspace, [given], workspace.claim(name or naming.readable(naming.stem(path))), str(path)
    )


def _path_jobs(workspace: Workspace, path: Path, name: str | None) -> list[_Job]:
    full = path.expanduser().resolve()
    if not full.exists():
        raise DataUnavailable(f"There is no file {path}.")
    workspace.paths.append(full)
    label = workspace.claim(name or naming.readable(naming.stem(full)))
    if full.suffix.lower() in {".parquet", ".pq"}:
        return [_Job(full.name, lambda: [open_parquet(workspace, [full], label, str(full))])]
    return [_Job(full.name, lambda: [open_csv(workspace, [CsvFile(full)], label, str(full))])]
