"""Loading files whole, in chunks or from a cache, and profiling many of them at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.errors import DataUnavailable, GnomonError, InvalidInput, UnreadableSource
from gnomon.core.file_state import file_state
from gnomon.core.settings import Settings
from gnomon.data.chunk_profile import profile_in_chunks
from gnomon.data.connection import in_memory
from gnomon.data.opening_limit import Deadline
from gnomon.data.profile import joins_of, profile_table
from gnomon.data.profile_model import DatasetProfile, SourceFailure, TableProfile
from gnomon.data.sources import open_sources
from gnomon.data.table import Dataset, Table

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

FilePath = str | PathLike[str]
Progress = Callable[[str, int, int], None]
_CACHE_FILES = 8
_CACHE_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class LoadedData:
    """The tables that could be opened, and the profile of them and of what could not."""

    dataset: Dataset
    profile: DatasetProfile


def is_large(table: Table, settings: Settings) -> bool:
    """Whether the file behind the table is over the size from which files are streamed."""
    return (table.size_bytes or 0) > settings.max_file_size_mb * 1024 * 1024


def load_data_chunked(
    path: FilePath,
    chunk_size: int | None = None,
    *,
    table: str | None = None,
    settings: Settings | None = None,
) -> Iterator[pd.DataFrame]:
    """Stream a file as data frames of ``chunk_size`` rows, with the text already read as dates and numbers.

    Args:
        path: The file.
        chunk_size: Rows in a frame; ``chunk_size`` of the settings by default.
        table: Which table, where the file holds several.
        settings: Read from the environment by default.

    Raises:
        InvalidInput: The chunk size is not positive, or the file holds several tables and none was named.
        DataUnavailable: The file cannot be loaded, even in chunks; the message says why.
    """
    settings = settings or Settings.load()
    size = settings.chunk_size if chunk_size is None else chunk_size
    if size < 1:
        raise InvalidInput(f"chunk_size must be at least 1, not {size}.")
    dataset = open_sources(path, settings=settings)
    return _stream(dataset, _only_table(dataset, table), size)


def _stream(dataset: Dataset, table: Table, size: int) -> Iterator[pd.DataFrame]:
    import duckdb

    with dataset:
        try:
            reader = dataset.cursor().execute(f"SELECT * FROM {table.relation}").to_arrow_reader(size)
            for batch in reader:
                yield batch.to_pandas()
        except (duckdb.Error, OSError) as e:
            raise _unreadable(table.source, e) from e


def _only_table(dataset: Dataset, name: str | None) -> Table:
    if name is not None:
        return dataset.table(name)
    if len(dataset) != 1:
        raise InvalidInput(
            f"The file holds {len(dataset)} tables; say which one to load.",
            suggestions=[f"table={t.name!r}" for t in dataset],
        )
    return next(iter(dataset))


class _Cache:
    """Frames by path, size and time of change; the least recently used go first."""

    def __init__(self) -> None:
        self._frames: OrderedDict[tuple[str, str, str | None], pd.DataFrame] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str, str | None]) -> pd.DataFrame | None:
        with self._lock:
            if key in self._frames:
                self._frames.move_to_end(key)
                return self._frames[key]
            return None

    def put(self, key: tuple[str, str, str | None], frame: pd.DataFrame) -> None:
        with self._lock:
            for stale in [k for k in self._frames if k[0] == key[0] and k[2] == key[2]]:
                del self._frames[stale]
            self._frames[key] = frame
            while self._frames and (len(self._frames) > _CACHE_FILES or self._bytes() > _CACHE_BYTES):
                self._frames.popitem(last=False)

    def _bytes(self) -> int:
        return sum(int(f.memory_usage(deep=False).sum()) for f in self._frames.values())


_cache = _Cache()


def load_data_with_cache(
    path: FilePath, *, table: str | None = None, settings: Settings | None = None
) -> pd.DataFrame:
    """Load a whole file as a data frame; the same file is read once until it changes.

    The frame is the caller's own: changing it does not change what the next caller gets.

    Raises:
        InvalidInput: The file is over ``max_file_size_mb`` (stream it with :func:`load_data_chunked`), or holds
            several tables and none was named.
        DataUnavailable: The file cannot be loaded; the message says why.
    """
    settings = settings or Settings.load()
    place = Path(path)
    key = None
    if place.is_file():
        key = (str(place.resolve()), file_state(place), table)
        cached = _cache.get(key)
        if cached is not None:
            return cached.copy()
    with open_sources(path, settings=settings) as dataset:
        chosen = _only_table(dataset, table)
        if is_large(chosen, settings):
            raise InvalidInput(
                f"{place.name} is over max_file_size_mb={settings.max_file_size_mb} and is not loaded whole.",
                suggestions=["Stream it with load_data_chunked.", "Raise APP_MAX_FILE_SIZE_MB."],
            )
        frame = _read(dataset.connection, chosen)
    if key is not None:
        _cache.put(key, frame)
    return frame.copy()


def _read(connection: duckdb.DuckDBPyConnection, table: Table) -> pd.DataFrame:
    import duckdb

    try:
        return connection.execute(f"SELECT * FROM {table.relation}").df()
    except (duckdb.Error, OSError) as e:
        raise _unreadable(table.source, e) from e


def load_and_profile_data(
    paths: Sequence[FilePath],
    *,
    full: bool = False,
    parallel: bool = True,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> LoadedData:
    """Open files and profile their tables, several at the same time.

    A source that cannot be opened or profiled becomes a failure in the profile and the others go on. Files over
    ``max_file_size_mb`` are profiled from their first chunk and rows drawn from the later ones, unless ``full``.

    Args:
        paths: Files, folders, globs or database URLs.
        full: Pass over every row of every table, however large; memory stays bounded.
        parallel: Profile up to ``max_parallel_profiles`` tables at the same time; the result is the same either way.
        settings: Read from the environment by default.
        progress: Called with the table that was done, how many are done, and how many there are.

    Raises:
        InvalidInput: No path was given.
    """
    settings = settings or Settings.load()
    if not paths:
        raise InvalidInput("There is nothing to profile.", suggestions=["Name at least one file."])
    dataset, failures = _open_each(paths, settings)
    workers = min(settings.max_parallel_profiles, max(len(dataset), 1)) if parallel else 1
    lock, done, deadline = threading.Lock(), 0, Deadline(settings)

    def work(table: Table) -> TableProfile | SourceFailure:
        nonlocal done
        result = _profile_or_failure(dataset, table, deadline, full=full)
        with lock:
            done += 1
            if progress:
                progress(table.name, done, len(dataset))
        return result

    with ThreadPoolExecutor(workers, thread_name_prefix="profile") as pool:
        results = list(pool.map(work, dataset))
    tables = tuple(r for r in results if isinstance(r, TableProfile))
    failures = [*failures, *(r for r in results if isinstance(r, SourceFailure))]
    joins, warnings = joins_of(dataset, tables, deadline)
    found = DatasetProfile(tables, joins, tuple(failures), (*dataset.warnings, *warnings))
    return LoadedData(dataset, found)


def _profile_or_failure(
    dataset: Dataset, table: Table, deadline: Deadline, *, full: bool
) -> TableProfile | SourceFailure:
    import duckdb

    try:
        if is_large(table, deadline.settings) and not full:
            size = deadline.settings.chunk_size
            return profile_in_chunks(dataset, table.name, size, deadline=deadline, others=len(dataset) > 1)
        return profile_table(dataset, table.name, deadline=deadline, others=len(dataset) > 1)
    except GnomonError as e:
        return SourceFailure.of(table.source, e)
    except (duckdb.Error, OSError) as e:
        return SourceFailure.of(table.source, _unreadable(table.source, e))


def _open_each(paths: Sequence[FilePath], settings: Settings) -> tuple[Dataset, list[SourceFailure]]:
    """All sources in one data set; where that fails, those that open, and why the others do not."""
    try:
        return open_sources(*paths, settings=settings), []
    except (DataUnavailable, InvalidInput):
        pass
    failures: list[SourceFailure] = []
    good: list[FilePath] = []
    for path in paths:
        try:
            open_sources(path, settings=settings).close()
            good.append(path)
        except GnomonError as e:
            failures.append(SourceFailure.of(_shown(path), e))
    if good:
        return open_sources(*good, settings=settings), failures
    return Dataset(in_memory()), failures


def _shown(path: FilePath) -> str:
    """The source as it may be printed: a URL loses what stands before the host."""
    text = str(path)
    scheme, separator, rest = text.partition("://")
    return f"{scheme}://{rest.rsplit('@', 1)[-1]}" if separator else text


def _unreadable(source: str, error: Exception) -> UnreadableSource:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return UnreadableSource(
        f"{source} could not be read to the end: {reason}",
        suggestions=["Check that the file is complete and not being written to."],
    )
