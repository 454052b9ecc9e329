"""Postgres by URL: tables are copied through a file in the scratch folder, so memory stays bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from gnomon.core.errors import (
    AuthenticationFailed,
    MissingExtra,
    NotFound,
    SourceUnreachable,
    UnreadableSource,
)
from gnomon.data import naming
from gnomon.data.opening_limit import Deadline, ViewDeadline
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import RAW_SCHEMA, literal, quote
from gnomon.data.views import Database, View, read_views

if TYPE_CHECKING:
    import psycopg

_NULL = "\\N"
_TYPES = {
    "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "float4": "FLOAT", "float8": "DOUBLE", "bool": "BOOLEAN",
    "date": "DATE", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ", "time": "TIME", "uuid": "UUID",
}  # fmt: skip
_LIST = """
SELECT n.nspname, c.relname, c.oid, CASE WHEN c.relkind = 'v' THEN 0 ELSE pg_total_relation_size(c.oid) END,
  c.relkind IN ('v', 'f')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT c.relispartition
  AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' AND has_table_privilege(c.oid, 'SELECT')
ORDER BY 1, 2
"""
_COLUMNS = """
SELECT a.attname, t.typname, a.atttypmod FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""


@dataclass(frozen=True)
class _Remote:
    schema: str
    table: str
    oid: int
    size: int
    computed: bool

    @property
    def name(self) -> str:
        return f"{self.schema}.{self.table}"


def without_password(url: str) -> str:
    """``url`` fit to be shown: the password is gone, wherever it stood."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    hidden = [
        (k, v) for k, v in parse_qsl(parts.query) if "password" not in k.lower() and k.lower() != "passfile"
    ]
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=urlencode(hidden)))


def open_postgres(workspace: Workspace, url: str) -> list[RawTable]:
    """The tables and views that the user of ``url`` may read; ``#schema.table`` at its end names one.

    Raises:
        SourceUnreachable: The server does not answer.
        AuthenticationFailed: The server refuses the user or the password.
        NotFound: The table named at the end is not there.
        UnreadableSource: There is nothing that may be read, or the server broke off.
    """
    import psycopg

    address, _, wanted = url.partition("#")
    with _connect(address) as remote:
        try:
            tables = [_Remote(*row) for row in remote.execute(_LIST).fetchall()]
        except psycopg.Error as e:
            raise UnreadableSource(
                f"{without_password(address)} could not be read: {_reason(e, address)}.",
                suggestions=["Check that the user may read the tables, and that the connection is stable."],
            ) from None
        chosen = _choose(workspace, tables, unquote(wanted), address)
        found = {t: raw for t in chosen if not t.computed and (raw := _kept(workspace, remote, t, address))}
    views = {View(t.table, t.schema): t for t in chosen if t.computed}
    read = read_views(workspace, Database.POSTGRES, address, without_password(address), list(views))
    found |= {views[view]: raw for view, raw in read.items()}
    return [found[t] for t in chosen if t in found]


def postgres_view(workspace: Workspace, address: str, view: View) -> RawTable:
    """The rows of a view of the database at ``address``; the server ends what takes too long.

    Raises:
        UnreadableSource: It takes too long, or the server cannot read it.
    """
    import psycopg

    deadline = ViewDeadline(workspace.deadline)
    what = view.of(without_password(address))
    with _connect(address) as remote:
        try:
            listed = (_Remote(*row) for row in remote.execute(_LIST).fetchall())
            table = next(t for t in listed if (t.schema, t.table) == (view.schema, view.name))
            return _copy(workspace, remote, table, address, deadline.left())
        except psycopg.Error as e:
            raise _refused(e, what, deadline) from None


def _kept(
    workspace: Workspace, remote: psycopg.Connection[Any], table: _Remote, address: str
) -> RawTable | None:
    """The copy of a table; None where it is left out."""
    import psycopg

    what, deadline = f"{table.name} of {without_password(address)}", workspace.deadline
    try:
        return _copy(workspace, remote, table, address, deadline.left(others=True))
    except psycopg.Error as e:
        workspace.leave_out(table.table, _refused(e, what, deadline))
        return None


def _refused(error: psycopg.Error, what: str, deadline: Deadline) -> UnreadableSource:
    """What was wrong with a table or view; the text of an error about its values would quote them."""
    import psycopg

    if isinstance(error, psycopg.errors.QueryCanceled):
        return deadline.late(what)
    about_names = (error.sqlstate or "").startswith("42")
    said = (
        next(iter(str(error).strip().splitlines()), "").rstrip(".") if about_names else type(error).__name__
    )
    return UnreadableSource(
        f"{what} cannot be read: {said}.",
        suggestions=["Check that the user may read it, and read it in the database to see where it fails."],
    )


def _connect(address: str) -> psycopg.Connection[Any]:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra.named("postgres", "Reading from Postgres") from None
    try:
        return psycopg.connect(
            address,
            connect_timeout=10,
            options="-c default_transaction_read_only=on -c TimeZone=UTC -c DateStyle=ISO",
            application_name="gnomon",
            autocommit=True,
        )
    except (psycopg.Error, ValueError) as e:
        reason = _reason(e, address)
        if re.search(r"authentication failed|no password supplied|role .* does not exist|SCRAM", reason):
            raise AuthenticationFailed(
                f"{without_password(address)} refused the user or the password.",
                suggestions=[
                    "Check the user and the password in the URL, or use PGPASSWORD or a .pgpass file."
                ],
            ) from None
        raise SourceUnreachable(
            f"{without_password(address)} cannot be reached: {reason}.",
            suggestions=[
                "Check the host, the port and the name of the database, and that the server is running."
            ],
        ) from None


def _reason(error: Exception, address: str) -> str:
    """The first line of ``error`` without any secret of ``address``."""
    text = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
    parts = urlsplit(address)
    secrets = [v for k, v in parse_qsl(parts.query) if "password" in k.lower()]
    user = parts.netloc.rpartition("@")[0]
    if ":" in user:
        secrets.append(user.partition(":")[2])
    for secret in [s for raw in secrets for s in (raw, unquote(raw)) if s]:
        text = text.replace(secret, "***")
    return text


def _choose(workspace: Workspace, tables: list[_Remote], wanted: str, address: str) -> list[_Remote]:
    if wanted:
        known = {t.name: t for t in tables}
        for key in (wanted, f"public.{wanted}"):
            if key in known:
                return [known[key]]
        raise NotFound.among("table", wanted, known)
    if not tables:
        raise UnreadableSource(
            f"{without_password(address)} holds no table that this user may read.",
            suggestions=["Check the name of the database, or ask for the right to SELECT."],
        )
    limit = workspace.large_bytes * 4
    for table in tables:
        if table.size > limit:
            workspace.warnings.append(
                f"{table.name} was left out: it takes {table.size / 2**30:.1f} GB. "
                f"Put #{table.name} at the end of the URL to open it."
            )
    return [t for t in tables if t.size <= limit]


def _copy(
    workspace: Workspace, remote: psycopg.Connection[Any], table: _Remote, address: str, seconds: float
) -> RawTable:
    """Copy one table to a file and from there into DuckDB, with the types that Postgres gives it."""
    remote.execute("SELECT set_config('statement_timeout', %s, false)", (str(max(1, round(1000 * seconds))),))
    columns = [(str(n), str(t), int(m)) for n, t, m in remote.execute(_COLUMNS, (table.oid,)).fetchall()]
    originals = [n for n, _, _ in columns]
    names, warnings = naming.column_names(originals)
    types = [_type(t, m) for _, t, m in columns]
    select = ", ".join(_selected(n, t, ours) for (n, t, _), ours in zip(columns, types, strict=True))
    relation = f"{quote(table.schema)}.{quote(table.table)}"
    target = workspace.scratch_file(".csv")
    with remote.cursor() as cursor, target.open("wb") as out:
        statement = f"COPY (SELECT {select} FROM {relation}) TO STDOUT (FORMAT csv, NULL '{_NULL}')"
        with cursor.copy(statement.encode()) as stream:
            for block in stream:
                out.write(block)
    name = workspace.claim(table.table)
    listed = ", ".join(f"{literal(f'c{i}')}: {literal(t)}" for i, t in enumerate(types))
    renamed = ", ".join(f"c{i} AS {quote(n)}" for i, n in enumerate(names))
    workspace.connection.execute(
        f"CREATE OR REPLACE TABLE {RAW_SCHEMA}.{quote(name)} AS SELECT {renamed} FROM read_csv({literal(str(target))}, "
        f"auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\"', nullstr = '{_NULL}', "
        f"allow_quoted_nulls = false, max_line_size = 16777216, columns = {{{listed}}})"
    )
    target.unlink()
    shown = f"{without_password(address)}#{table.name}"
    return RawTable(
        name, shown, "postgres", originals, names, warnings=warnings, size_bytes=table.size or None
    )


def _type(name: str, modifier: int) -> str:
    if name == "numeric":
        precision, scale = ((modifier - 4) >> 16) & 0xFFFF, (modifier - 4) & 0x7FF
        return (
            f"DECIMAL({precision},{scale})"
            if modifier > 0 and precision <= 38 and scale <= precision
            else "DOUBLE"
        )
    return _TYPES.get(name, "VARCHAR")


def _selected(name: str, kind: str, ours: str) -> str:
    column = quote(name)
    if kind == "numeric" and ours != "DOUBLE":
        return f"NULLIF({column}, 'NaN')"
    return column if ours != "VARCHAR" or kind in {"text", "varchar", "bpchar"} else f"{column}::text"
