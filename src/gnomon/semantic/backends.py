"""Where queries run: the embedded DuckDB, Postgres, or whatever else Ibis reaches by URL."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Protocol

from gnomon.core.errors import Cancelled, DataUnavailable, MissingExtra, SourceUnreachable, TimedOut
from gnomon.core.file_state import quick_state
from gnomon.core.lazy import leave_unrun
from gnomon.core.stopping import ALARMS, insisting
from gnomon.data.table import quote

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic.duckdb_sql import Templates

_REMEMBERED, _FEW_ROWS = 128, 500
_IN_FILES = frozenset({"csv", "json", "parquet", "excel"})


class Stoppable(Protocol):
    """Something that calls back when work should stop."""

    def interrupting(self, callback: Callable[[], None], /) -> AbstractContextManager[None]:
        """Call ``callback`` when the request to stop comes while the block runs."""
        ...


class Backend(Protocol):
    """A place where expressions run."""

    def table(self, name: str) -> Any:
        """The expression of a table."""
        ...

    def compile(self, expression: Any) -> str:
        """The query that an expression becomes."""
        ...

    def run(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> list[tuple[Any, ...]]:
        """The rows of a compiled query.

        Raises:
            Cancelled: The request to stop came.
            TimedOut: It took longer than ``timeout`` seconds.
        """
        ...

    def arrow(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> Any:
        """The same as an Arrow table, for very many rows.

        Raises:
            Cancelled: The request to stop came.
            TimedOut: It took longer than ``timeout`` seconds.
        """
        ...

    def notes(self, name: str) -> tuple[str, ...]:
        """What was noted about a table when it was loaded."""
        ...


class DuckDBBackend:
    """The tables of an open data set; every query runs on a cursor of its own.

    Args:
        dataset: The open tables.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._opened = _files(dataset)
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._remembered: OrderedDict[str, tuple[object, tuple[tuple[Any, ...], ...]]] = OrderedDict()

    @cached_property
    def _ibis(self) -> Any:
        """Ibis over the tables, loaded for the first query that was not compiled before."""
        # The compiler of one database without those of the other twenty, which take longer than all else.
        leave_unrun("ibis.backends.sql.compilers")
        from ibis.backends.duckdb import Backend as Ibis

        from gnomon.semantic.duckdb_sql import Compiler

        made: Any = Ibis.from_connection(self._dataset.cursor())
        made.compiler = Compiler()
        return made

    @cached_property
    def _templates(self) -> Templates:
        from gnomon.semantic.duckdb_sql import Templates

        return Templates(lambda asked: str(self._ibis.compile(asked, pretty=True)))

    def table(self, name: str) -> Any:
        """The expression of a table, without the pyarrow that Ibis loads to ask for its columns."""
        self._dataset.table(name)
        with self._lock, _told_of(self._opened):
            columns = self._ibis.con.execute(f"DESCRIBE {quote(name)}").fetchall()
        from ibis.expr.operations import DatabaseTable
        from ibis.expr.schema import Schema

        read = self._ibis.compiler.type_mapper.from_string
        schema = Schema.from_tuples((column, read(kind)) for column, kind, *_ in columns)
        return DatabaseTable(name, schema=schema, source=self._ibis).to_expr()

    def compile(self, expression: Any) -> str:
        """The query that an expression becomes."""
        with self._lock, _unfused():
            return self._templates.sql(expression)

    def run(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> list[tuple[Any, ...]]:
        """The rows of a compiled query; few are remembered as long as no file that they come from has changed."""
        state = _state(self._dataset)
        with self._reading:
            held, rows = self._remembered.get(sql, (None, ()))
            if state is not None and held == state:
                self._remembered.move_to_end(sql)
        if state is not None and held == state:
            with stopping(_nothing, cancel, None) as stop:
                stop.check()
            return list(rows)
        found: list[tuple[Any, ...]] = self._fetched(sql, cancel, timeout, lambda cursor: cursor.fetchall())
        if state is not None and len(found) <= _FEW_ROWS:
            with self._reading:
                self._remembered[sql] = state, tuple(found)
                while len(self._remembered) > _REMEMBERED:
                    self._remembered.popitem(last=False)
        return found

    def arrow(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> Any:
        """The same as an Arrow table, for very many rows."""
        return self._fetched(sql, cancel, timeout, lambda cursor: cursor.to_arrow_table())

    def _fetched(
        self, sql: str, cancel: Stoppable | None, timeout: float | None, fetch: Callable[[Any], Any]
    ) -> Any:
        import duckdb

        cursor = self._dataset.cursor()
        try:
            with (
                _told_of(self._opened),
                stopping(cursor.interrupt, cancel, timeout) as stop,
                stop.raising(duckdb.InterruptException),
            ):
                stop.check()
                return fetch(cursor.execute(sql))
        finally:
            cursor.close()

    def notes(self, name: str) -> tuple[str, ...]:
        """What was noted about a table when it was loaded."""
        return self._dataset.table(name).warnings


class UrlBackend:
    """A database by URL; every query that runs at the same time has a connection of its own.

    Args:
        url: Such as ``postgresql://user@host/database`` or any other that Ibis knows.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue()

    @contextmanager
    def _connection(self) -> Generator[Any]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = _connect(self._url)
        yield connection
        self._idle.put(connection)  # one that failed is not used again

    def table(self, name: str) -> Any:
        """The expression of a table."""
        with self._connection() as connection:
            return connection.table(name)

    def compile(self, expression: Any) -> str:
        """The query that an expression becomes."""
        with self._connection() as connection:
            return str(connection.compile(expression.unbind(), pretty=True))

    def run(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> list[tuple[Any, ...]]:
        """The rows of a compiled query."""
        with self._connection() as connection:
            driver = connection.con
            interrupt = getattr(driver, "cancel", None) or getattr(driver, "interrupt", None) or _nothing
            with stopping(interrupt, cancel, timeout) as stop, stop.raising(Exception):
                return _fetched(connection, sql)

    def arrow(self, sql: str, cancel: Stoppable | None, timeout: float | None) -> Any:
        """The same as an Arrow table, for very many rows."""
        import pyarrow as pa

        with self._connection() as connection:
            driver = connection.con
            interrupt = getattr(driver, "cancel", None) or getattr(driver, "interrupt", None) or _nothing
            with stopping(interrupt, cancel, timeout) as stop, stop.raising(Exception):
                names, rows = _named(connection, sql)
        held = list(zip(*rows, strict=True)) if rows else [() for _ in names]
        return pa.table({n: pa.array(list(c)) for n, c in zip(names, held, strict=True)})

    def notes(self, name: str) -> tuple[str, ...]:
        """Nothing: a database gives its values as they are."""
        return ()


def _fetched(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    """All rows; the transaction is ended whether the query worked or not."""
    return _named(connection, sql)[1]


def _named(connection: Any, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """All rows under the names of their columns."""
    cursor = connection.raw_sql(sql)
    if cursor is connection.con:  # DuckDB answers on the connection itself, outside any transaction
        return [d[0] for d in cursor.description], cursor.fetchall()
    try:
        return [d[0] for d in cursor.description], [tuple(row) for row in cursor.fetchall()]
    finally:
        cursor.close()
        if hasattr(connection.con, "rollback"):
            connection.con.rollback()


def _connect(url: str) -> Any:
    import ibis

    try:
        return ibis.connect(url)
    except ModuleNotFoundError as e:
        extra = "postgres" if url.startswith("postgres") else str(e.name)
        raise MissingExtra.named(extra, "This database") from e
    except Exception as e:  # noqa: BLE001 - each driver has errors of its own; the URL may hold a password
        raise SourceUnreachable(
            f"The database did not answer ({type(e).__name__}).",
            suggestions=["Check the address, and that the server runs and lets you in."],
        ) from None


@contextmanager
def _unfused() -> Generator[None]:
    """Leave nested selects nested: DuckDB merges them anyway, and compiling takes a quarter less time."""
    import ibis

    before = ibis.options.sql.fuse_selects
    ibis.options.sql.fuse_selects = False
    try:
        yield
    finally:
        ibis.options.sql.fuse_selects = before


def _state(dataset: Dataset) -> tuple[tuple[str, str], ...] | None:
    """What changes with the files of the tables; None where other things than files hold rows."""
    found: list[tuple[str, str]] = []
    for path in {t.source.partition("#")[0] if t.format in _IN_FILES else "" for t in dataset}:
        if not path:
            return None
        try:
            stat, state = Path(path).stat(), quick_state(Path(path))
        except OSError:  # a pattern, a folder, memory
            return None
        if not S_ISREG(stat.st_mode):
            return None
        found.append((path, state))
    return tuple(sorted(found))


def _files(dataset: Dataset) -> dict[Path, str | None]:
    """The files behind the tables, and how they are."""
    paths = {Path(t.source.partition("#")[0]) for t in dataset if t.format in _IN_FILES}
    return {path: _state_of(path) for path in paths}


def _state_of(path: Path) -> str | None:
    try:
        return quick_state(path)
    except OSError:
        return None


@contextmanager
def _told_of(opened: Mapping[Path, str | None]) -> Generator[None]:
    """Tell of files that went or changed since they were opened, where a query fails over them."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise
    except duckdb.Error as e:
        for path, state in opened.items():
            now = _state_of(path)
            if state is not None and now != state:
                wrong = "is no longer there" if now is None else "was changed since it was opened"
                raise DataUnavailable(
                    f"{path.name} {wrong}, and its rows cannot be read.", suggestions=["Open the data again."]
                ) from e
        raise


def _nothing() -> None:
    """Where a driver cannot be interrupted, its query ends by itself."""


class _Stop:
    """Why a query was interrupted, if it was."""

    def __init__(self, seconds: float | None) -> None:
        self.timed_out = False
        self.cancelled = False
        self._seconds = seconds
        self._due = time.monotonic() + seconds if seconds is not None else math.inf

    @contextmanager
    def raising(self, *errors: type[Exception]) -> Generator[None]:
        """Turn the driver's error for an interrupted query into the reason for it."""
        try:
            yield
        except errors:
            self.check()
            raise
        self.check()

    def check(self) -> None:
        """Raise the reason to stop, if there was one."""
        if self.cancelled:
            raise Cancelled("The running query was interrupted.") from None
        if self.timed_out or time.monotonic() >= self._due:  # an alarm may come a moment late
            raise TimedOut(
                f"The query took longer than {self._seconds:g} seconds and was stopped.",
                suggestions=[
                    "Ask for a shorter period or fewer groups.",
                    "Allow more time with GNOMON_STEP_TIMEOUT_SECONDS.",
                ],
            ) from None


@contextmanager
def stopping(
    interrupt: Callable[[], None], cancel: Stoppable | None, timeout: float | None
) -> Generator[_Stop]:
    """Interrupt the block when asked to stop, or when ``timeout`` seconds have passed."""
    stop = _Stop(timeout)
    with insisting(interrupt) as end:

        def asked() -> None:
            stop.cancelled = True
            end()

        def late() -> None:
            stop.timed_out = True
            end()

        with (
            cancel.interrupting(asked) if cancel is not None else nullcontext(),
            ALARMS.after(timeout, late) if timeout is not None else nullcontext(),
        ):
            yield stop
