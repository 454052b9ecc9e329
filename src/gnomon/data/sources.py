"""Opening sources: whatever holds rows becomes typed tables in one embedded DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from gnomon.core.errors import DataUnavailable, InvalidInput, PolicyViolation, UnreadableSource
from gnomon.core.settings import Settings
from gnomon.core.visible import in_unicode
from gnomon.data import naming
from gnomon.data.encoding import is_compressed, open_bytes
from gnomon.data.frame_source import is_frame, open_arrow_file, open_frame
from gnomon.data.kinds import Kind, kind_of
from gnomon.data.locate import Located, are_parts, existing_file, locate, separate
from gnomon.data.opening_limit import within_limits
from gnomon.data.probing import probe
from gnomon.data.raw import Progress, RawTable, Workspace, advised, reason_of
from gnomon.data.table import Dataset, Table
from gnomon.data.table_cache import cached, in_turn_for, is_cached_kind, keep, show

if TYPE_CHECKING:
    import duckdb

    from gnomon.data.csv_source import CsvFile

Source: TypeAlias = "str | PathLike[str] | CsvFile | Mapping[str, Any] | Any"
"""A path, glob, folder or URL; a frame; a :class:`CsvFile`; or a mapping of names to any of these."""

_DATABASES = ("postgresql://", "postgres://")


def open_sources(
    *sources: Source,
    settings: Settings | None = None,
    connection: duckdb.DuckDBPyConnection | None = None,
    progress: Progress | None = None,
    roots: Sequence[Path] | None = None,
) -> Dataset:
    """Open ``sources`` as typed tables that can be queried together.

    Files are scanned in place where DuckDB can; text that is really dates, money, percents, booleans or
    numbers is converted in the view of its table, and :attr:`Table.conversions` tells what was done.

    Args:
        sources: Paths of files or folders, globs, database URLs, frames, or mappings of names to these.
        settings: Limits on memory and threads; read from the environment by default.
        connection: An existing DuckDB connection to open them in; it is left open and unlimited.
        progress: Called with what is being opened, how many sources are done, and how many there are.
        roots: Files and folders outside of which nothing is opened, links followed to their ends; None allows
            every path, as is right for the user at their own machine.

    Raises:
        PolicyViolation: A path leads outside ``roots``.
        InvalidInput: Something passed in is not a source.
        DataUnavailable: A file is not there, cannot be read, or a database does not answer.
    """
    workspace = Workspace.open(settings or Settings.load(), connection)
    workspace.roots = None if roots is None else tuple(r.expanduser().resolve() for r in roots)
    return _opened(workspace, sources, progress)


def open_apart(paths: Sequence[Path], settings: Settings, seconds: float) -> Dataset:
    """Open files in a process that may be lost over them, as they would be opened elsewhere."""
    workspace = Workspace.open(settings, None)
    workspace.apart = seconds
    return _opened(workspace, paths, None)


def _opened(workspace: Workspace, sources: Sequence[Source], progress: Progress | None) -> Dataset:
    try:
        jobs = [job for source in sources for job in _jobs(workspace, source, None)]
        if not jobs:
            raise InvalidInput(
                "Nothing to open.", suggestions=["Name at least one file, folder, URL or frame."]
            )
        tables = _run(workspace, jobs, progress)
        workspace.seal()
    except BaseException:
        workspace.turn.close()
        workspace.resources.close()
        raise
    left_out = {name: advised(error) for name, error in workspace.left_out.items()}
    return Dataset(
        workspace.connection,
        tables,
        tuple(workspace.warnings),
        left_out,
        workspace.settings,
        workspace.resources,
    )


@dataclass(frozen=True)
class _Job:
    """One thing to open: what to call it in progress, how, and whether the others go on without it."""

    label: str
    open: Callable[[], list[RawTable]]
    optional: bool = False


def _run(workspace: Workspace, jobs: Sequence[_Job], progress: Progress | None) -> dict[str, Table]:
    import duckdb

    tables: dict[str, Table] = {}
    for done, job in enumerate(jobs):
        if progress:
            progress(job.label, done, len(jobs))
        interrupt = workspace.connection.interrupt
        workspace.turn.close()
        workspace.next_source()
        try:
            with within_limits(job.label, interrupt, deadline=workspace.deadline):
                raws = job.open()
            if not raws:  # every table of a database was left out
                raise next(reversed(workspace.left_out.values()))
        except duckdb.InterruptException:  # somebody stopped it
            raise
        except (DataUnavailable, duckdb.Error, sqlite3.Error) as e:
            lost = e if isinstance(e, DataUnavailable) else _unread(job.label, e)
            if not job.optional:
                raise lost from e
            workspace.leave_out(naming.readable(naming.stem(Path(job.label))), lost)
            continue
        for raw in raws:
            what = job.label if len(raws) == 1 else f"{raw.name} of {job.label}"
            others = raw is not raws[-1]
            try:
                with within_limits(what, interrupt, deadline=workspace.deadline, others=others):
                    tables[raw.name] = _understood(workspace, raw, job.label, progress, done, len(jobs))
            except duckdb.InterruptException:  # somebody stopped it
                raise
            except (DataUnavailable, duckdb.Error, sqlite3.Error) as e:
                lost = e if isinstance(e, DataUnavailable) else _unread(what, e)
                if len(raws) == 1 and not job.optional:
                    raise lost from e
                workspace.leave_out(raw.name, lost)
    workspace.turn.close()
    if workspace.left_out and not tables:
        raise next(iter(workspace.left_out.values()))
    if progress:
        progress("", len(jobs), len(jobs))
    return tables


def _unread(what: str, error: Exception) -> UnreadableSource:
    """What is wrong with rows that could be found and not read: a key twice in a record, a page that is damaged."""
    return UnreadableSource(
        f"{what} cannot be read to its end: {reason_of(error)}.",
        suggestions=["Check the file where the message points, or export it again."],
    )


def _understood(
    workspace: Workspace, raw: RawTable, label: str, progress: Progress | None, done: int, total: int
) -> Table:
    import duckdb

    if raw.ready is not None:
        return show(workspace, raw)
    from gnomon.data.conversion import understand

    table = understand(workspace, raw)
    if raw.files and workspace.own_connection:
        if progress:
            progress(f"{label}: copied once, for the next question", done, total)
        try:
            keep(workspace, raw.files, table)
        except (OSError, duckdb.IOException) as e:
            workspace.warnings.append(f"No copy of {label} could be kept: {str(e).splitlines()[0]}")
    return table


def _jobs(workspace: Workspace, source: Source, name: str | None) -> list[_Job]:
    if isinstance(source, (str, PathLike)):
        return _named_jobs(workspace, str(source), name)
    from gnomon.data.csv_source import CsvFile

    if isinstance(source, CsvFile):
        return [_Job(Path(source.path).name, lambda: [_described_csv(workspace, source, name)])]
    if type(source).__name__ == "DuckDBPyConnection":
        from gnomon.data.database_source import open_connection

        return [
            _Job("connection", lambda: open_connection(workspace, cast("duckdb.DuckDBPyConnection", source)))
        ]
    if is_frame(source):
        label = name or "table"
        return [_Job(label, lambda: [open_frame(workspace, source, workspace.claim(label))])]
    if isinstance(source, Mapping) and source:
        return [job for key, value in source.items() for job in _jobs(workspace, value, str(key))]
    raise InvalidInput(
        f"{type(source).__name__!r} is not a source of data.",
        suggestions=["Pass a path, a URL, a pandas, polars or Arrow frame, or a mapping of names to these."],
    )


def _named_jobs(workspace: Workspace, text: str, name: str | None) -> list[_Job]:
    """Jobs for a path, a glob or a URL."""
    if text.startswith(_DATABASES):
        from gnomon.data.postgres_source import open_postgres, without_password

        if workspace.roots is not None:
            raise PolicyViolation("Only files can be opened from here, not addresses.")
        return [_Job(without_password(text), lambda: open_postgres(workspace, text))]
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in {"duckdb", "sqlite", "file"}:
        text = rest[1:] if rest.startswith("//") else rest
    elif separator and scheme.isalnum():
        raise InvalidInput(
            f"Addresses that start with {scheme}:// cannot be opened: Gnomon reads files and Postgres, and downloads nothing.",
            suggestions=["Download the file and name its path."],
        )
    located = (within(found, workspace) for found in locate(text))
    return [_file_job(workspace, one, name) for found in located if found for one in _split(workspace, found)]


def within(found: Located, workspace: Workspace) -> Located | None:
    """``found`` with its links followed, where it stays within the roots; None for one of a folder that does not.

    Raises:
        PolicyViolation: It was named, and leads outside.
    """
    if workspace.roots is None:
        return found
    ends = tuple(p.resolve() for p in found.paths)
    if all(any(end.is_relative_to(root) for root in workspace.roots) for end in ends):
        return replace(found, paths=ends)
    if found.optional:
        workspace.warnings.append(f"Left out: {Path(found.shown).name} leads outside the allowed folders.")
        return None
    raise PolicyViolation(
        f"{Path(found.shown).name!r} leads outside the folders that may be read.",
        suggestions=["Name files that lie within them; links are followed to where they end."],
    )


def _split(workspace: Workspace, found: Located) -> list[Located]:
    """``found``, or its files one by one where they are no parts of one table; one that cannot be read is told of alone."""
    if not found.together:
        return [found]
    heads = {p: _columns_if_read(p, found.kind) for p in found.paths}
    if None not in heads.values() and len({*heads.values()}) == 1:
        return [found]
    read = [h for h in heads.values() if h is not None]
    if len(read) == len(heads) and are_parts(found.paths, read):
        return [found]
    if len({*read}) > 1:
        workspace.warnings.append(
            f"The files of {Path(found.shown).name} have different columns, so each is a table of its own."
        )
    return [replace(separate(p), optional=found.optional) for p in found.paths]


def _columns_if_read(path: Path, kind: Kind) -> tuple[str, ...] | None:
    try:
        return columns_of(path, kind)
    except Exception:  # noqa: BLE001 - whatever is wrong with it is told when it is opened, within limits
        return None


def columns_of(path: Path, kind: Kind) -> tuple[str, ...]:
    """What has to be the same for files to be one table."""
    if kind is Kind.CSV:
        from gnomon.data.csv_source import header_of

        return tuple(n.strip().casefold() for n in header_of(path))
    if kind is Kind.PARQUET:
        from gnomon.data.parquet_source import parquet_columns

        return parquet_columns(path)
    return ()


def _file_job(workspace: Workspace, found: Located, name: str | None) -> _Job:
    label = in_unicode(Path(found.shown).name)
    if any(in_unicode(str(p)) != str(p) for p in found.paths):
        return _Job(label, lambda: _refuse_name(label), found.optional)
    workspace.paths.extend(found.paths)
    return _Job(label, lambda: _open_file(workspace, found, name or found.name), found.optional)


def _refuse_name(label: str) -> list[RawTable]:
    raise UnreadableSource(
        f"{label} cannot be opened: its name, or that of its folder, is not written in UTF-8.",
        suggestions=["Rename it, for example with 'convmv -f latin1 -t utf8 --notest FILE'."],
    )


def _open_file(workspace: Workspace, found: Located, name: str) -> list[RawTable]:
    path = found.paths[0]
    kind = kind_of(path)
    if kind is Kind.EXCEL:
        from gnomon.data.excel_source import open_excel

        return open_excel(workspace, path, name)
    for packed in (p for p in found.paths if is_compressed(p)):
        from gnomon.data.packing import refuse_packed

        refuse_packed(packed, open_bytes(packed), workspace.settings.max_unpacked_mb)
    if kind is Kind.DUCKDB:
        from gnomon.data.database_source import open_duckdb

        return open_duckdb(workspace, path)
    if kind is Kind.SQLITE:
        from gnomon.data.sqlite_source import open_sqlite

        return open_sqlite(workspace, path)
    probe(workspace, found.paths, kind)
    if kind is Kind.JSON:
        from gnomon.data.json_source import open_json

        return open_json(workspace, found.paths, name, found.shown)
    name = workspace.claim(name)
    if kind is Kind.PARQUET:
        from gnomon.data.parquet_source import open_parquet

        return [open_parquet(workspace, found.paths, name, found.shown, partitioned=found.partitioned)]
    if kind is Kind.ARROW:
        return [open_arrow_file(workspace, path, name)]
    if is_cached_kind(found.paths, workspace.settings):
        before = cached(workspace, found.paths, name, found.shown)
        if before is None:
            in_turn_for(workspace, found.paths)
            before = cached(workspace, found.paths, name, found.shown)
        return [before or replace(_plain_csv(workspace, found, name), files=found.paths)]
    return [_plain_csv(workspace, found, name)]


def _plain_csv(workspace: Workspace, found: Located, name: str) -> RawTable:
    from gnomon.data.csv_source import CsvFile, open_csv

    return open_csv(workspace, [CsvFile(p) for p in found.paths], name, found.shown)


def _described_csv(workspace: Workspace, source: CsvFile, name: str | None) -> RawTable:
    """The text table that ``source`` describes, whatever the ending of its name."""
    from gnomon.data.csv_source import open_csv

    path = existing_file(str(source.path))
    within(separate(path), workspace)
    workspace.paths.append(path)
    claimed = workspace.claim(source.name or name or naming.readable(naming.stem(path)))
    return open_csv(workspace, [replace(source, path=path)], claimed, str(path))
