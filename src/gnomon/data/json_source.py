"""JSON and JSON lines, scanned in place; nested objects become columns with dotted names."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gnomon.core.errors import UnreadableSource
from gnomon.data import naming
from gnomon.data.encoding import detect_encoding, open_bytes
from gnomon.data.json_shapes import Shape, shape_of
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import SetAside, literal, quote

if TYPE_CHECKING:
    from duckdb.sqltypes import DuckDBPyType

_DEPTH = 4
_MOST_COLUMNS = 2_000
_MOST_BYTES = 16 << 20
_MOST_UNPACKED = 64 << 20  # beyond, tables written as one object are not looked for
# Dates stay text here: they are understood together with every other source, by evidence from the whole column.
_NO_DATES = "dateformat = '\x01', timestampformat = '\x01'"


_NESTED = SetAside("The file is one object, read as one row with several things in its cells.")


def open_json(workspace: Workspace, paths: Sequence[Path], name: str, shown: str) -> list[RawTable]:
    """The records of ``paths`` as one relation; of one object that holds several lists of records, one for each.

    Raises:
        UnreadableSource: A file is not JSON, or is cut short.
    """
    warnings: list[str] = []
    plain = [_plain_text(workspace, p, warnings) for p in paths]
    size = sum(p.stat().st_size for p in paths)
    shape = _shape(plain[0]) if len(plain) == 1 and size <= _MOST_BYTES else None
    if shape is None or shape.nested:
        raw = _relation(workspace, plain, workspace.claim(name), shown, size)
        aside = [_NESTED] if shape else []
        return [replace(raw, warnings=[*warnings, *raw.warnings], aside=aside)]
    found: list[RawTable] = []
    for key, records in shape.tables.items():
        rows = workspace.scratch_file(".json")
        rows.write_text(json.dumps(records), encoding="utf-8")
        called = name if key is None else naming.readable(key)
        raw = _relation(workspace, [rows], workspace.claim(called), shown, size)
        source = shown if key is None else f"{shown}#{key}"
        found.append(replace(raw, source=source, warnings=[*warnings, *shape.said, *raw.warnings]))
    return found


def _shape(path: Path) -> Shape | None:
    """The tables that one object holds; none where the file does not begin as an object does."""
    with open_bytes(path) as file:
        text = file.read(_MOST_UNPACKED + 1)
    if len(text) > _MOST_UNPACKED or not text.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        return None
    return shape_of(text.decode("utf-8-sig", "replace"))


def _relation(workspace: Workspace, paths: Sequence[Path], name: str, shown: str, size: int) -> RawTable:
    """The records of ``paths``, which are in UTF-8, as one relation."""
    import duckdb

    warnings: list[str] = []
    files = ", ".join(workspace.scannable(p) for p in paths)
    sample = -1 if size <= workspace.large_bytes else 200_000
    scan = (
        f"read_json([{files}], sample_size = {sample}, union_by_name = true, {_NO_DATES}, "
        f"maximum_object_size = {min(max(size * 2, 1 << 24), 1 << 31)})"
    )
    try:
        scan = _records(workspace, scan)
        found = workspace.connection.sql(f"FROM {scan}")
        pairs = [p for c, t in zip(found.columns, found.types, strict=True) for p in _flat(quote(c), c, t, 0)]
        workspace.connection.execute(f"SELECT count(*) FROM {scan}")
    except duckdb.Error as e:
        raise UnreadableSource(
            f"{shown} cannot be read as JSON: {_reason(e)}.",
            suggestions=[
                "Check the file where the message points: JSON is an array of objects, or one object a line."
            ],
        ) from e
    if any("\0" in n for _, n in pairs):
        raise UnreadableSource(
            f"{shown} cannot be read: the name of a field holds a zero byte.",
            suggestions=["Rename the field where the file comes from."],
        )
    if len(pairs) > _MOST_COLUMNS:
        pairs = [(quote(c), c) for c in found.columns]
        warnings.append("Nested objects hold too many fields to become columns, and are kept whole.")
    originals = [n for _, n in pairs]
    columns, renamed = naming.column_names(originals)
    select = ", ".join(f"{e} AS {quote(c)}" for (e, _), c in zip(pairs, columns, strict=True))
    workspace.view(name, f"SELECT {select} FROM {scan}")
    return RawTable(name, shown, "json", originals, columns, warnings=[*warnings, *renamed], size_bytes=size)


def _plain_text(workspace: Workspace, path: Path, warnings: list[str]) -> Path:
    """``path``, or a copy of its text in UTF-8."""
    encoding = detect_encoding(path, whole=path.stat().st_size <= workspace.large_bytes)
    if encoding.plain:
        return path
    if encoding.warning:
        warnings.append(encoding.warning)
    target = workspace.scratch_file(".json")
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    with open_bytes(path) as source, target.open("w", encoding="utf-8", newline="") as out:
        for chunk in iter(lambda: source.read(1 << 20), b""):
            out.write(decoder.decode(chunk))
        out.write(decoder.decode(b"", final=True))
    return target


def _records(workspace: Workspace, scan: str) -> str:
    """``scan``, or the list of records inside it where the file is one object around them."""
    found = workspace.connection.sql(f"FROM {scan}")
    lists = [
        c
        for c, t in zip(found.columns, found.types, strict=True)
        if t.id == "list" and cast("DuckDBPyType", dict(t.children)["child"]).id in {"struct", "map"}
    ]
    if len(lists) != 1 or len(workspace.connection.execute(f"FROM {scan} LIMIT 2").fetchall()) != 1:
        return scan
    return f"(SELECT unnest(r) FROM (SELECT unnest({quote(lists[0])}) AS r FROM {scan}))"


def _flat(expression: str, name: str, kind: DuckDBPyType, depth: int) -> list[tuple[str, str]]:
    """The columns that a value of ``kind`` becomes, as expressions with their names."""
    if kind.id == "struct" and depth < _DEPTH:
        return [
            pair
            for child, inner in kind.children
            for pair in _flat(
                f"struct_extract({expression}, {literal(child)})",
                f"{name}.{child}",
                cast("DuckDBPyType", inner),
                depth + 1,
            )
        ]
    if str(kind) == "JSON":
        return [(f"json_extract_string({expression}, '$')", name)]
    return [(expression, name)]


def _reason(error: Exception) -> str:
    first = str(error).splitlines()[0]
    return first.partition(": ")[2].rstrip(". ") or first
