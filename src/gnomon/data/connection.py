"""The embedded DuckDB that holds the tables: bounded, offline, and closed to every file but the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.data.table import RAW_SCHEMA, literal

if TYPE_CHECKING:
    import duckdb

    from gnomon.core.settings import Settings


def connect(settings: Settings, scratch: Path, database: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory, or in the file ``database``, within the limits of ``settings`` that spills to ``scratch``.

    Nothing is ever fetched from the network: extensions are neither installed nor loaded on demand.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{settings.memory_limit_mb}MiB",
        "temp_directory": str(scratch),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
    }
    if settings.threads:
        config["threads"] = settings.threads
    connection = quiet(duckdb.connect(str(database or ":memory:"), config=config))
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET TimeZone = 'UTC'")
    prepare(connection)
    return connection


def quiet(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection without the bar that DuckDB draws over a terminal while a query runs."""
    import duckdb

    with suppress(
        duckdb.InvalidInputException
    ):  # in a notebook without widgets there are no bars to switch off
        connection.execute("SET enable_progress_bar = false")
    return connection


def in_memory() -> duckdb.DuckDBPyConnection:
    """A connection that holds no tables, for computing with what is passed to it."""
    import duckdb

    return quiet(duckdb.connect(":memory:"))


def prepare(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the place where relations are kept as they were read."""
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {RAW_SCHEMA}")


def seal(connection: duckdb.DuckDBPyConnection, paths: Iterable[Path], scratch: Path) -> None:
    """From here on the connection reads ``paths`` and ``scratch``, and no other file or address."""
    allowed = ", ".join(literal(str(p)) for p in dict.fromkeys(paths))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute(f"SET allowed_directories = [{literal(f'{scratch}/')}]")
    connection.execute("SET enable_external_access = false")
