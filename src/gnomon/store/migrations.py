"""How a store of an earlier version becomes one of today: one step for each version, in order, in one transaction."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import insert, inspect, select, text, update
from sqlalchemy.engine import Connection

from gnomon.core.errors import ConfigurationError
from gnomon.core.settings import DEFAULT_TENANT
from gnomon.store import schema


def _second(c: Connection) -> None:
    """Runs of the service, tenants, conversations, data sets, investigations and the journal."""
    for column, kind in (
        ("tenant", f"VARCHAR NOT NULL DEFAULT '{DEFAULT_TENANT}'"),
        ("kind", "VARCHAR NOT NULL DEFAULT 'plan'"),
        ("session_id", "VARCHAR"),
        ("dataset_id", "VARCHAR"),
        ("title", "VARCHAR NOT NULL DEFAULT ''"),
        ("request", "JSON"),
        ("answer", "JSON"),
        ("progress", "JSON"),
    ):
        c.execute(text(f"ALTER TABLE runs ADD COLUMN {column} {kind}"))
    for column in ("tenant", "session_id", "dataset_id"):
        c.execute(text(f"CREATE INDEX ix_runs_{column} ON runs ({column})"))
    # The tenant is part of the key, and SQLite cannot change a key in place.
    c.execute(text("ALTER TABLE tools RENAME TO tools_before"))
    schema.tools.create(c)
    c.execute(
        text(
            "INSERT INTO tools (tenant, name, version, spec, created_at) "
            f"SELECT '{DEFAULT_TENANT}', name, version, spec, created_at FROM tools_before"
        )
    )
    c.execute(text("DROP TABLE tools_before"))
    for table in (
        schema.run_owners,
        schema.datasets,
        schema.conversations,
        schema.turns,
        schema.investigations,
        schema.violations,
        schema.accuracy,
        schema.audit,
    ):
        table.create(c, checkfirst=True)


STEPS: dict[int, Callable[[Connection], None]] = {2: _second}
"""What leads to each version from the one before."""

SCHEMA_VERSION = max(STEPS)


def bring_up_to_date(connection: Connection) -> None:
    """Make the tables where there are none, or take the steps from the version that is there to today's.

    Raises:
        ConfigurationError: A newer Gnomon made the database.
    """
    meta = schema.meta
    found = None
    if inspect(connection).has_table(meta.name):
        found = connection.execute(select(meta.c.value).where(meta.c.key == "schema_version")).scalar()
    if found is None:
        schema.metadata.create_all(connection)
        connection.execute(insert(meta).values(key="schema_version", value=str(SCHEMA_VERSION)))
        return
    if int(found) > SCHEMA_VERSION:
        raise ConfigurationError(
            f"The store was made by a newer Gnomon (its version is {found}, this one knows {SCHEMA_VERSION}).",
            suggestions=["Upgrade Gnomon, or set GNOMON_HOME to another folder."],
        )
    for version in range(int(found) + 1, SCHEMA_VERSION + 1):
        STEPS[version](connection)
        connection.execute(update(meta).where(meta.c.key == "schema_version").values(value=str(version)))
