"""The tables of the store, and how a database is opened so that several processes can write to it."""

from __future__ import annotations

import json
import sqlite3
import time
from importlib.util import find_spec
from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    text,
)
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import DatabaseError

from gnomon.core.errors import ConfigurationError, MissingExtra
from gnomon.core.settings import DEFAULT_TENANT

_LOOKED_THROUGH = 64 << 20
BUSY_MILLISECONDS = 30_000
_POSTGRES_LOCK = 0x676E6F6D6F6E

metadata = MetaData()

meta = Table(
    "meta", metadata, Column("key", String, primary_key=True), Column("value", String, nullable=False)
)

runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("status", String, nullable=False),
    Column("strategy", String, nullable=False),
    Column("tools", JSON, nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=False, index=True),
    Column("finished_at", DateTime(timezone=True)),
    Column("duration_seconds", Float),
    Column("plan", JSON, nullable=False),
    Column("results", JSON, nullable=False),
    Column("tenant", String, nullable=False, server_default=DEFAULT_TENANT, index=True),
    Column("kind", String, nullable=False, server_default="plan"),
    Column("session_id", String, index=True),
    Column("dataset_id", String, index=True),
    Column("title", String, nullable=False, server_default=""),
    Column("request", JSON),
    Column("answer", JSON),
    Column("progress", JSON),
)

run_owners = Table(
    "run_owners",
    metadata,
    Column("run_id", String, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("host", String, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("began", Float, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("kind", String, nullable=False),
    Column("step", String),
    Column("tool", String),
    Column("fraction", Float),
    Column("data", JSON, nullable=False),
    Index("events_of_run", "run_id", "seq"),
)

tools = Table(
    "tools",
    metadata,
    Column("tenant", String, primary_key=True, server_default=DEFAULT_TENANT),
    Column("name", String, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("spec", JSON, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

pending = Table(
    "pending",
    metadata,
    Column("request_id", String, primary_key=True),
    Column("plan", JSON, nullable=False),
    Column("question", JSON, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

datasets = Table(
    "datasets",
    metadata,
    Column("id", String, primary_key=True),
    Column("tenant", String, nullable=False, index=True),
    Column("name", String, nullable=False),
    Column("origin", String, nullable=False),
    Column("files", JSON, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

conversations = Table(
    "conversations",
    metadata,
    Column("tenant", String, primary_key=True),
    Column("session_id", String, primary_key=True),
    Column("dataset_id", String, nullable=False, index=True),
    Column("title", String, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False, index=True),
)

turns = Table(
    "turns",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("tenant", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("dataset_id", String, nullable=False, index=True),
    Column("run_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("question", String, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("continues", Boolean, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Index("turns_of_session", "tenant", "session_id", "seq"),
)

investigations = Table(
    "investigations",
    metadata,
    Column("id", String, primary_key=True),
    Column("tenant", String, nullable=False, index=True),
    Column("session_id", String, nullable=False, index=True),
    Column("dataset_id", String, nullable=False, index=True),
    Column("subject", JSON, nullable=False),
    Column("state", JSON, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
)

violations = Table(
    "violations",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("tenant", String, nullable=False, index=True),
    Column("dataset_id", String, index=True),
    Column("run_id", String, nullable=False),
    Column("guard", String, nullable=False),
    Column("rule", String, nullable=False),
    Column("action", String, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)

accuracy = Table(
    "accuracy",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("tenant", String, nullable=False, index=True),
    Column("dataset_id", String, index=True),
    Column("run_id", String, nullable=False),
    Column("answered", Boolean, nullable=False),
    Column("relevance", Float, nullable=False),
    Column("correctness", Float, nullable=False),
    Column("completeness", Float, nullable=False),
    Column("accurate", Boolean, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("tenant", String, nullable=False, index=True),
    Column("request_id", String, nullable=False),
    Column("action", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("status", Integer, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)


def open_engine(url: str) -> Engine:
    """An engine whose transactions take the write lock at once, with the tables made.

    Raises:
        ConfigurationError: The URL cannot be used, or a newer Gnomon made the database.
        MissingExtra: The database needs a driver that is not installed.
    """
    from gnomon.store.migrations import bring_up_to_date

    parsed = make_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    engine = _sqlite(parsed) if sqlite else _postgres(parsed)
    with engine.begin() as connection:
        if sqlite:
            _look_through(connection)
        else:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK})
        bring_up_to_date(connection)
    return engine


def _look_through(connection: Connection) -> None:
    """Find damage before anything is read from it or added to it, where the file is small enough to be read whole.

    Raises:
        DatabaseError: Some of the file is not what was written.
    """
    size = connection.exec_driver_sql(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    )
    if size.scalar_one() > _LOOKED_THROUGH:
        return
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        raise DatabaseError("PRAGMA quick_check", None, sqlite3.DatabaseError(found))


def _patiently(connection: Any, statement: str) -> None:
    """Run a statement; a file that others turn to WAL at the same moment is locked whatever the busy timeout says."""
    until = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as e:
            if "locked" not in str(e) or time.monotonic() > until:
                raise
        time.sleep(0.02)


def _written(value: Any) -> str:
    """A value as JSON, five times as fast as the standard library; that writes what is no Unicode."""
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except PydanticSerializationError:
        return json.dumps(value)


def _sqlite(url: URL) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_MILLISECONDS / 1000, "check_same_thread": False},
        json_serializer=_written,
    )

    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where SQLAlchemy says, not at the first write
        for pragma in (
            f"busy_timeout={BUSY_MILLISECONDS}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "secure_delete=ON",  # what is forgotten is overwritten, not only unlinked
        ):
            _patiently(connection, f"PRAGMA {pragma}")

    def begin(connection: Connection) -> None:
        # A transaction that reads first and writes later would fail where another wrote in between. One that only reads
        # sees one state of everything and waits for nobody.
        reads = connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", begin)
    return engine


def _postgres(url: URL) -> Engine:
    if url.get_backend_name() != "postgresql":
        raise ConfigurationError(
            f"The store cannot use a {url.get_backend_name()} database.",
            suggestions=["Use a SQLite file (sqlite:///path) or Postgres (postgresql://…)."],
        )
    if find_spec("psycopg") is None:
        raise MissingExtra.named("postgres", "A store in Postgres")
    return create_engine(
        url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, json_serializer=_written
    )
