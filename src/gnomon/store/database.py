"""The store: typed functions over SQLite, or over Postgres by URL."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Row, bindparam, delete, func, insert, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, OperationalError

from gnomon.core import clock
from gnomon.core.errors import ConfigurationError, InvalidInput, NotFound, SourceUnreachable
from gnomon.core.events import Event
from gnomon.core.private import private_file, private_folder
from gnomon.core.settings import DEFAULT_TENANT, Settings
from gnomon.store import owners, schema
from gnomon.store.records import Run, SavedTool, StoredEvent

KEEP_RUNS = 1000
KEEP_EVENTS_PER_RUN = 5000
FORGET_EVERY = 50
WIPE_MILLISECONDS = 1000
RUNNING, INTERRUPTED = "running", "interrupted"
_VERSION_ATTEMPTS = 20
_AGAIN = update(schema.runs).where(schema.runs.c.id == bindparam("known"))
_CHANGED = frozenset({"tools", "started_at", "finished_at", "events"})


class Store:
    """Runs, their events, saved tools and open questions. Safe for several threads and processes.

    A run whose process is gone without having ended it is told as ``interrupted``, whoever asks.

    Args:
        engine: An engine from :func:`gnomon.store.schema.open_engine`.
        keep_runs: Older runs than this many are forgotten, with their events.
    """

    def __init__(self, engine: Engine, *, keep_runs: int = KEEP_RUNS) -> None:
        self._engine = engine
        self._keep_runs = keep_runs
        self._added = 0
        self._unwiped = False
        self._turn = threading.Lock()

    @classmethod
    def open(cls, where: Settings | Path | str, *, keep_runs: int = KEEP_RUNS) -> Store:
        """Open the store of these settings, in this file, or at this database URL; makes it when it is new.

        Raises:
            ConfigurationError: It cannot be opened.
            MissingExtra: The database needs a driver that is not installed.
        """
        try:
            if isinstance(where, Settings):
                settings = where
                where = settings.store_url or private_folder(settings.home.expanduser()) / "gnomon.db"
            if isinstance(where, Path):
                if not where.parent.is_dir():
                    private_folder(where.parent)
                where = f"sqlite:///{private_file(where)}"
            store = cls(schema.open_engine(where), keep_runs=keep_runs)
            store.mark_interrupted()
            return store
        except (ArgumentError, OperationalError, OSError) as e:
            raise ConfigurationError(
                f"The store cannot be opened ({type(e).__name__}).",
                suggestions=["Check that GNOMON_HOME names a folder that you may write to."],
            ) from e
        except DatabaseError as e:
            raise ConfigurationError(
                "The store is damaged: what it holds cannot be read.",
                suggestions=[
                    "Put back a copy of gnomon.db in GNOMON_HOME, or move it away: a new one is then made, without the runs, "
                    "conversations and saved tools of the old one."
                ],
            ) from e

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def schema_version(self) -> int:
        """The version of the tables, as recorded in the database."""
        with self.reading() as c:
            found = c.execute(select(schema.meta.c.value).where(schema.meta.c.key == "schema_version"))
            return int(found.scalar_one())

    def save_run(self, run: Run, events: Sequence[Event] = (), *, new: bool = False) -> None:
        """Write a run, or how it went on, with its new events, in one transaction; ``new`` where it cannot be known yet."""
        values = run.model_dump(exclude={"events"}) | {"tools": list(run.tools)}
        with self.writing() as c:
            if new or c.execute(_AGAIN, values | {"known": run.id}).rowcount == 0:
                c.execute(insert(schema.runs), values)
                c.execute(insert(schema.run_owners), {"run_id": run.id, **owners.this_process()})
                self._added += 1
                if self._added % min(FORGET_EVERY, self._keep_runs) == 1 or self._keep_runs < FORGET_EVERY:
                    self._forget_old(c)
            elif run.status == RUNNING:  # another process may have taken it up again
                owned = schema.run_owners
                c.execute(update(owned).where(owned.c.run_id == run.id).values(**owners.this_process()))
            self._insert_events(c, run.id, events)

    def add_events(self, events: Iterable[Event]) -> None:
        """Write events of runs that were saved before.

        Raises:
            NotFound: An event belongs to no saved run.
        """
        by_run: dict[str, list[Event]] = {}
        for event in events:
            by_run.setdefault(event.request_id, []).append(event)
        try:
            with self.writing() as c:
                for run_id, items in by_run.items():
                    self._insert_events(c, run_id, items)
        except IntegrityError:
            raise NotFound("An event belongs to a run that was not saved.") from None

    def add_event(self, event: Event) -> None:
        """Write one event of a run that was saved before."""
        self.add_events([event])

    def runs(self, limit: int = 20, **where: str | None) -> list[Run]:
        """The latest runs, newest first, without their events.

        Args:
            limit: How many at most.
            where: ``tenant``, ``session_id``, ``dataset_id``, ``kind`` or ``status`` that they must have; None
                stands for any.
        """
        self.mark_interrupted()
        order = (schema.runs.c.started_at.desc(), schema.runs.c.id)
        wanted = [schema.runs.c[name] == value for name, value in where.items() if value is not None]
        with self.reading() as c:
            found = c.execute(select(schema.runs).where(*wanted).order_by(*order).limit(limit))
            return [_run(row) for row in found]

    def run(self, run_id: str, *, tenant: str | None = None) -> Run:
        """One run with its events; the beginning of its id is enough where only one begins so.

        A ``tenant`` sees its own runs only, by their whole id.

        Raises:
            NotFound: No run has that id, or several begin with it.
        """
        self.mark_interrupted()
        table, events = schema.runs, schema.events
        with self.reading() as c:
            own = [table.c.tenant == tenant] if tenant is not None else []
            row = c.execute(select(table).where(table.c.id == run_id, *own)).one_or_none()
            if row is None and tenant is not None:
                raise NotFound("There is no run under this id.", suggestions=["GET /api/runs lists them."])
            if row is None:
                row = self._by_prefix(c, run_id)
            found = c.execute(select(events).where(events.c.run_id == row.id).order_by(events.c.seq))
            stored = tuple(
                StoredEvent(
                    at=utc(e.at), kind=e.kind, step=e.step, tool=e.tool, fraction=e.fraction, data=e.data
                )
                for e in found
            )
        return _run(row).model_copy(update={"events": stored})

    def mark_interrupted(self) -> int:
        """Give up the runs whose process is gone, so that none stays ``running`` for ever; how many there were."""
        runs, owned, events = schema.runs, schema.run_owners, schema.events
        unfinished = select(runs.c.id, owned).outerjoin(owned, runs.c.id == owned.c.run_id)
        with self.reading() as c:
            found = c.execute(unfinished.where(runs.c.status == RUNNING)).all()
        gone = [o.id for o in found if o.run_id is None or owners.is_gone(o.host, o.pid, o.began)]
        if gone:
            last = select(func.max(events.c.at)).where(events.c.run_id == runs.c.id).scalar_subquery()
            with self.writing() as c:
                left = runs.c.id.in_(gone) & (runs.c.status == RUNNING)
                ended = func.coalesce(last, runs.c.started_at)
                c.execute(update(runs).where(left).values(status=INTERRUPTED, finished_at=ended))
        return len(gone)

    def drop_run(self, run_id: str) -> None:
        """Forget one run with its events."""
        with self.writing() as c:
            c.execute(delete(schema.runs).where(schema.runs.c.id == run_id))

    def forget_runs(self, dataset_id: str, tenant: str) -> list[str]:
        """Remove every run about a data set, alone or among others, with its events, and give their ids."""
        table = schema.runs
        mine = table.c.tenant == tenant
        with self.writing() as c:
            found = c.execute(select(table.c.id, table.c.dataset_id, table.c.request).where(mine)).all()
            ids = [
                r.id for r in found if dataset_id in (r.dataset_id, *((r.request or {}).get("files") or ()))
            ]
            c.execute(delete(table).where(table.c.id.in_(ids)))
        return ids

    def save_tool(self, name: str, spec: dict[str, Any], *, tenant: str = DEFAULT_TENANT) -> int:
        """Write a tool as the next version of its name, and give that version (1 for the first).

        A specification equal to the latest version is not written again.

        Raises:
            InvalidInput: Too many writers saved the same name at once.
        """
        table = schema.tools
        for _ in range(_VERSION_ATTEMPTS):
            try:
                with self.writing() as c:
                    latest = c.execute(
                        select(table)
                        .where(table.c.tenant == tenant, table.c.name == name)
                        .order_by(table.c.version.desc())
                        .limit(1)
                    ).one_or_none()
                    if latest is not None and latest.spec == spec:
                        return latest.version
                    version = 1 if latest is None else latest.version + 1
                    c.execute(
                        insert(table).values(
                            tenant=tenant, name=name, version=version, spec=spec, created_at=clock.now()
                        )
                    )
                    return version
            except IntegrityError:
                continue  # another writer took this version in between
        raise InvalidInput(f"The tool {name!r} was saved by too many writers at once.")

    def tool(self, name: str, version: int | None = None, *, tenant: str = DEFAULT_TENANT) -> SavedTool:
        """A saved tool, in its latest version unless one is named.

        Raises:
            NotFound: No such tool or version was saved.
        """
        table = schema.tools
        query = select(table).where(table.c.tenant == tenant, table.c.name == name)
        if version is not None:
            query = query.where(table.c.version == version)
        with self.reading() as c:
            row = c.execute(query.order_by(table.c.version.desc()).limit(1)).one_or_none()
            if row is None:
                names = list(
                    c.execute(select(table.c.name).where(table.c.tenant == tenant).distinct()).scalars()
                )
                if version is not None and name in names:
                    raise NotFound(f"The saved tool {name!r} has no version {version}.")
                raise NotFound.among("saved tool", name, names)
        return _tool(row)

    def tools(self, *, tenant: str = DEFAULT_TENANT) -> list[SavedTool]:
        """The latest version of every saved tool of a tenant, by name."""
        table = schema.tools
        latest = (
            select(table.c.name, func.max(table.c.version).label("version"))
            .where(table.c.tenant == tenant)
            .group_by(table.c.name)
            .subquery()
        )
        query = (
            select(table)
            .join(latest, (table.c.name == latest.c.name) & (table.c.version == latest.c.version))
            .where(table.c.tenant == tenant)
        )
        with self.reading() as c:
            return [_tool(row) for row in c.execute(query.order_by(table.c.name))]

    def save_pending(
        self,
        request_id: str,
        plan: dict[str, Any],
        question: dict[str, Any],
        expires_at: datetime,
    ) -> None:
        """Keep an open question; those that expired are forgotten."""
        table = schema.pending
        with self.writing() as c:
            gone = (table.c.request_id == request_id) | (table.c.expires_at <= clock.now())
            c.execute(delete(table).where(gone))
            c.execute(
                insert(table).values(
                    request_id=request_id, plan=plan, question=question, expires_at=expires_at
                )
            )

    def pending(self, request_id: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The plan and the question that wait under a request id, or None."""
        table = schema.pending
        with self.reading() as c:
            row = c.execute(select(table).where(table.c.request_id == request_id)).one_or_none()
        return None if row is None or utc(row.expires_at) <= clock.now() else (row.plan, row.question)

    def drop_pending(self, request_id: str) -> None:
        """Forget a question that was answered."""
        with self.writing() as c:
            c.execute(delete(schema.pending).where(schema.pending.c.request_id == request_id))

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """One transaction.

        Raises:
            SourceUnreachable: The database is full, read-only, gone, or locked for too long.
        """
        try:
            with self._alone(), self._engine.begin() as connection:
                yield connection
            if self._unwiped:
                self.wipe()
        except OperationalError as e:
            raise _unreachable(e.orig) from e

    @contextmanager
    def _alone(self) -> Generator[None]:
        """One writer at a time: SQLite lets those who come too early sleep, longer each time, while nobody writes."""
        if self._engine.dialect.name != "sqlite":
            yield
            return
        if not self._turn.acquire(timeout=schema.BUSY_MILLISECONDS / 1000):
            raise _unreachable("others have been writing for too long")
        try:
            yield
        finally:
            self._turn.release()

    def wipe(self) -> None:
        """Leave nothing of what was deleted in the log that SQLite keeps beside its file.

        Where somebody reads at this moment, it is done with one of the next changes.
        """
        if self._engine.dialect.name != "sqlite":
            return
        connection = self._engine.raw_connection()
        cursor = connection.cursor()
        try:
            cursor.execute(f"PRAGMA busy_timeout={WIPE_MILLISECONDS}")
            busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:  # locked for as long as this waits
            busy = 1
        finally:
            cursor.execute(f"PRAGMA busy_timeout={schema.BUSY_MILLISECONDS}")
            connection.close()
        self._unwiped = bool(busy)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A look at what is there.

        Raises:
            SourceUnreachable: The database does not answer.
        """
        try:
            with self._engine.connect() as connection:
                yield connection.execution_options(isolation_level="AUTOCOMMIT")
        except OperationalError as e:
            raise _unreachable(e.orig) from e

    def _insert_events(self, c: Connection, run_id: str, events: Sequence[Event]) -> None:
        rows = [
            {"run_id": run_id, "kind": str(e.kind)}
            | e.model_dump(include={"at", "step", "tool", "fraction", "data"})
            for e in events[-KEEP_EVENTS_PER_RUN:]
        ]
        if rows:
            c.execute(insert(schema.events), rows)

    def _forget_old(self, c: Connection) -> None:
        table = schema.runs
        newest = table.c.started_at.desc(), table.c.id
        kept = select(table.c.id).order_by(*newest).limit(self._keep_runs).scalar_subquery()
        c.execute(delete(table).where(table.c.id.not_in(kept)))

    @staticmethod
    def _by_prefix(c: Connection, prefix: str) -> Row[Any]:
        table = schema.runs
        matches = c.execute(
            select(table).where(table.c.id.startswith(prefix, autoescape=True)).limit(2)
        ).all()
        if prefix and len(matches) == 1:
            return matches[0]
        if prefix and matches:
            raise NotFound(f"Several runs begin with {prefix!r}.", suggestions=["Give more of the id."])
        recent = c.execute(select(table.c.id).order_by(table.c.started_at.desc()).limit(12)).scalars()
        raise NotFound.among("run", prefix, recent)


def _unreachable(why: object) -> SourceUnreachable:
    return SourceUnreachable(
        f"The store does not answer ({why}).",
        suggestions=["Check the free space and the rights of the folder that GNOMON_HOME names."],
    )


def _run(row: Row[Any]) -> Run:
    return Run(
        **{name: getattr(row, name) for name in Run.model_fields if name not in _CHANGED},
        tools=tuple(row.tools),
        started_at=utc(row.started_at),
        finished_at=utc(row.finished_at) if row.finished_at else None,
    )


def _tool(row: Row[Any]) -> SavedTool:
    return SavedTool(name=row.name, version=row.version, spec=row.spec, created_at=utc(row.created_at))


def utc(at: datetime) -> datetime:
    """SQLite keeps no zone; everything written is UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
