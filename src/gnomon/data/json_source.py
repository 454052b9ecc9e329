"""JSON and JSON lines, scanned in place; nested objects become columns with dotted names."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gnomon.core.errors import UnreadableSource
from gnomon.core.visible import in_unicode
from gnomon.data import naming
from gnomon.data.encoding import detect_encoding, open_bytes
from gnomon.data.json_shapes import Shape, shape_of
from gnomon.data.raw import RawTable, Workspace, reason_of
from gnomon.data.table import SetAside, literal, quote

if TYPE_CHECKING:
    import duckdb
    from duckdb.sqltypes import DuckDBPyType

_DEPTH = 4
_MOST_COLUMNS = 2_000
_MOST_BYTES = 16 << 20
_MOST_UNPACKED = 64 << 20  # beyond, tables written as one object are not looked for
_HEAD = 4_096
_WHOLE = "(^|[^0-9.eE+])[0-9]{16,}($|[^0-9.eE])"
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
        return [replace(raw, warnings=[*warnings, *raw.warnings], aside=[*aside, *raw.aside])]
    found: list[RawTable] = []
    for key, records in shape.tables.items():
        rows = workspace.scratch_file(".json")
        told = in_unicode(
            json.dumps(records, ensure_ascii=False)
        )  # halves of characters are no JSON for the reader
        rows.write_text(told, encoding="utf-8")
        called = name if key is None else naming.readable(key)
        raw = _relation(workspace, [rows], workspace.claim(called), shown, size)
        source = shown if key is None else f"{shown}#{key}"
        found.append(replace(raw, source=source, warnings=[*warnings, *shape.said, *raw.warnings]))
    return found


def _shape(path: Path) -> Shape | None:
    """The tables that one object, or rows of arrays, hold; none where the file begins as records do."""
    with open_bytes(path) as file:
        text = file.read(_MOST_UNPACKED + 1)
    begun = text[:_HEAD].removeprefix(codecs.BOM_UTF8).lstrip()
    arrays = begun.startswith(b"[") and begun[1:].lstrip()[:1] not in (b"{", b"")
    if len(text) > _MOST_UNPACKED or not (arrays or begun.startswith(b"{")):
        return None
    return shape_of(text.decode("utf-8-sig", "replace"))


def _relation(workspace: Workspace, paths: Sequence[Path], name: str, shown: str, size: int) -> RawTable:
    """The records of ``paths``, which are in UTF-8, as one relation."""
    import duckdb

    warnings: list[str] = []
    aside: list[SetAside] = []
    files = ", ".join(workspace.scannable(p) for p in paths)
    sample = -1 if size <= workspace.large_bytes else 200_000
    scan = (
        f"read_json([{files}], sample_size = {sample}, union_by_name = true, {_NO_DATES}, "
        f"maximum_object_size = {min(max(size * 2, 1 << 24), 1 << 31)})"
    )
    try:
        scan = _records(workspace, _exact(workspace, scan, paths))
        found = workspace.connection.sql(f"FROM {scan}")
        pairs = [p for c, t in zip(found.columns, found.types, strict=True) for p in _flat(quote(c), c, t, 0)]
        empty = _is_empty(found)
        none = workspace.connection.execute(f"SELECT count(*) FILTER ({empty}) FROM {scan}").fetchone()
    except duckdb.Error as e:
        raise UnreadableSource(
            f"{shown} cannot be read as JSON: {reason_of(e)}.",
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
    if found.columns == ["json"] and str(found.types[0]) == "JSON":
        said = "The file holds no records: each of its values is one cell of the column 'json'."
        aside.append(SetAside(said))
    if none and none[0]:
        said = f"{none[0]:,} record{'s hold' if none[0] > 1 else ' holds'} nothing and {'are' if none[0] > 1 else 'is'} left out of every figure."
        aside.append(SetAside(said))
        scan = f"{scan} WHERE NOT ({empty})"
    originals = [n for _, n in pairs]
    columns, renamed = naming.column_names(originals)
    select = ", ".join(f"{e} AS {quote(c)}" for (e, _), c in zip(pairs, columns, strict=True))
    workspace.view(name, f"SELECT {select} FROM {scan}")
    return RawTable(
        name, shown, "json", originals, columns, warnings=[*warnings, *renamed], size_bytes=size, aside=aside
    )


def _is_empty(found: duckdb.DuckDBPyRelation) -> str:
    """SQL that tells whether a record has no field with a value, as an empty line of a table has none."""
    if found.columns == ["json"] and str(found.types[0]).startswith(("JSON", "MAP")):
        return "json IS NULL OR CAST(json AS VARCHAR) IN ('{}', '[]', 'null')"
    if len(found.columns) < 2:
        return "false"
    return f"least({', '.join(f'{quote(c)} IS NULL' for c in found.columns)})"  # many conjunctions are planned slowly


def _plain_text(workspace: Workspace, path: Path, warnings: list[str]) -> Path:
    """``path``, or a copy of its text in UTF-8."""
    encoding = detect_encoding(path, whole=path.stat().st_size <= workspace.large_bytes)
    if encoding.plain:
        return path
    if encoding.warning:
        warnings.append(encoding.warning)
    target = workspace.scratch_file(".json")
    decoder = codecs.getincrementaldecoder(encoding.name)(encoding.lenient)
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


def _exact(workspace: Workspace, scan: str, paths: Sequence[Path]) -> str:
    """``scan`` with columns as text where whole numbers have more digits than a calculation keeps, so that they stay apart."""
    found = workspace.connection.sql(f"FROM {scan}")
    kinds = dict(zip(found.columns, found.types, strict=True))
    texts = {c: text for c, t in kinds.items() if (text := _as_text(t)) != str(t)}
    if not texts or not any(_has_long_numbers(p) for p in paths):
        return scan

    def listed(chosen: Collection[str]) -> str:
        pairs = (f"{literal(c)}: {literal(texts[c] if c in chosen else str(t))}" for c, t in kinds.items())
        return f"{scan[:-1]}, columns = {{{', '.join(pairs)}}})"

    wide = ", ".join(
        f"bool_or(regexp_matches(CAST({quote(c)} AS VARCHAR), {literal(_WHOLE)}))" for c in texts
    )
    told = workspace.connection.execute(f"SELECT {wide} FROM {listed(texts)}").fetchone()
    chosen = [c for c, is_wide in zip(texts, told or (), strict=True) if is_wide]
    return listed(chosen) if chosen else scan


def _has_long_numbers(path: Path) -> bool:
    with open_bytes(path) as file:
        rest = b""
        while chunk := file.read(1 << 20):
            if re.search(rb"\d{16}", rest + chunk):
                return True
            rest = chunk[-15:]
    return False


def _as_text(kind: DuckDBPyType) -> str:
    """``kind`` with text in the place of numbers that are rounded."""
    if kind.id == "double":
        return "VARCHAR"
    inner = {"list": "{}[]", "struct": "STRUCT({})", "map": "MAP({})"}.get(kind.id)
    if inner is None:
        return str(kind)
    parts = [(name, _as_text(cast("DuckDBPyType", part))) for name, part in kind.children]
    return inner.format(", ".join(f"{quote(n)} {t}" if kind.id == "struct" else t for n, t in parts))


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
