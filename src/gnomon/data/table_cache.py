"""Copies of text files: read and typed once, kept as Parquet in ``GNOMON_HOME``, and used until the file changes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnomon.core.file_state import code_state, file_state
from gnomon.core.private import in_turn, private_file, private_folder
from gnomon.core.settings import Settings
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import RAW_SCHEMA, Column, Conversion, ConversionKind, SetAside, Table, literal, quote

MOST_COPIES = 1_000

_READ = 16 << 20


def is_cached_kind(paths: Sequence[Path], settings: Settings) -> bool:
    """Whether there is room for a copy of these files."""
    return 0 < sum(p.stat().st_size for p in paths) <= settings.cache_mb << 20


def cached(workspace: Workspace, paths: Sequence[Path], name: str, shown: str) -> RawTable | None:
    """The table that was made of ``paths`` before, under ``name``; None where there is none, or the files changed."""
    rows = _place(workspace.settings, paths)
    told = rows.with_suffix(".json")
    if not workspace.own_connection or not (rows.is_file() and told.is_file()):
        return None
    try:
        said = json.loads(told.read_text(encoding="utf-8"))
        kept = _from_plain(said, name, shown)
        if said["copy"] != _mark(rows):  # cut short, or written over
            raise ValueError
    except (ValueError, KeyError, TypeError, OSError):
        _forget(rows)
        return None
    os.utime(rows)
    workspace.paths.append(rows)
    columns = [c.name for c in kept.columns]
    workspace.view(name, f"SELECT * FROM read_parquet({literal(str(rows))})")
    return RawTable(name, shown, kept.format, columns, columns, size_bytes=kept.size_bytes, ready=kept)


def in_turn_for(workspace: Workspace, paths: Sequence[Path]) -> None:
    """Wait while somebody else reads these files, and let others wait until this source is open."""
    if workspace.own_connection:
        half = workspace.deadline.left(others=True)
        workspace.turn.enter_context(in_turn(_place(workspace.settings, paths), half))


def keep(workspace: Workspace, paths: Sequence[Path], table: Table) -> None:
    """Copy the typed rows of ``table`` once; where memory does not hold them, they are read from the copy from now on.

    Raises:
        OSError: There is no room for it, or it may not be written.
    """
    rows = _place(workspace.settings, paths)
    private_folder(rows.parent)
    part = private_file(rows.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part"))
    try:
        workspace.connection.execute(
            f"COPY (SELECT * FROM {table.relation}) TO {literal(str(part))} (FORMAT parquet, COMPRESSION zstd)"
        )
        part.chmod(0o600)
        told = private_file(rows.with_suffix(".json"))
        told.write_text(json.dumps({**asdict(table), "copy": _mark(part)}), encoding="utf-8")
        part.replace(rows)
    finally:
        part.unlink(missing_ok=True)
    workspace.paths.append(rows)
    # Written out: parameters would have pandas loaded, to see whether one is of its kinds.
    held = f"SELECT count(*) FROM duckdb_tables() WHERE table_name = {literal(table.name)} AND schema_name <> {literal(RAW_SCHEMA)}"
    if not (workspace.connection.execute(held).fetchone() or (0,))[0]:
        workspace.connection.execute(
            f"CREATE OR REPLACE VIEW {table.relation} AS SELECT * FROM read_parquet({literal(str(rows))})"
        )
    _evict(rows.parent, workspace.settings.cache_mb << 20, rows)


def show(workspace: Workspace, raw: RawTable) -> Table:
    """Make the table that was kept: one in memory where it would have been one, else a view of the copy."""
    if raw.ready is None:
        raise ValueError("The table was not kept.")
    kind = "TABLE" if raw.held else "VIEW"
    workspace.connection.execute(
        f"CREATE OR REPLACE {kind} {quote(raw.name)} AS SELECT * FROM {RAW_SCHEMA}.{quote(raw.name)}"
    )
    return raw.ready


def _place(settings: Settings, paths: Sequence[Path]) -> Path:
    """Where the copy of these files is kept: named by their paths and states, and by the code that reads them."""
    marks = [code_state("core", "data"), *(f"{path.resolve()}|{file_state(path)}" for path in paths)]
    digest = hashlib.sha256("\n".join(marks).encode()).hexdigest()[:32]
    return settings.home.expanduser().resolve() / "tables" / f"{digest}.parquet"


def _mark(copy: Path) -> str:
    """What tells a copy from one that was damaged: its size, and what stands in it as far as that is read quickly."""
    size = copy.stat().st_size
    found = hashlib.blake2b(str(size).encode(), digest_size=16)
    with copy.open("rb") as file:
        for start in (0, max(_READ, size - _READ)):
            file.seek(start)
            found.update(file.read(_READ))
    return found.hexdigest()


def _forget(rows: Path) -> None:
    """Remove a copy that cannot be used, where that is possible; the next one is written over it."""
    for file in (rows, rows.with_suffix(".json")):
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def _evict(folder: Path, most: int, newest: Path) -> None:
    """Remove the copies that were used longest ago until the rest fits."""
    kept = sorted(folder.glob("*.parquet"), key=lambda f: f.stat().st_mtime)
    total, count = sum(f.stat().st_size for f in kept), len(kept)
    for old in kept:
        if (total <= most and count <= MOST_COPIES) or old == newest:
            continue
        total, count = total - old.stat().st_size, count - 1
        _forget(old)


def _from_plain(told: dict[str, Any], name: str, shown: str) -> Table:
    columns = tuple(
        Column(c["name"], c["type"], c["original_name"], _conversion(c["conversion"]))
        for c in told["columns"]
    )
    aside = tuple(SetAside(s["said"], s["column"]) for s in told["set_aside"])
    rest = {k: told[k] for k in ("format", "size_bytes", "rows", "verified")}
    return Table(name, shown, columns=columns, warnings=tuple(told["warnings"]), set_aside=aside, **rest)


def _conversion(told: dict[str, Any] | None) -> Conversion | None:
    if told is None:
        return None
    plain: dict[str, Any] = {**told, "kind": ConversionKind(told["kind"])}
    return Conversion(**plain)
