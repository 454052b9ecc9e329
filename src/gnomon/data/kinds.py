"""What kind of data a file holds: from its first bytes, then from the ending of its name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from gnomon.core.errors import UnreadableSource


class Kind(StrEnum):
    """Kinds of files that can be opened."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    ARROW = "arrow"
    EXCEL = "excel"
    DUCKDB = "duckdb"
    SQLITE = "sqlite"


_ENDINGS = {
    Kind.CSV: ("csv", "tsv", "tab", "psv", "txt", "dat", "data", "asc"),
    Kind.JSON: ("json", "jsonl", "ndjson", "geojson"),
    Kind.PARQUET: ("parquet", "pq", "parq"),
    Kind.ARROW: ("arrow", "feather", "ipc"),
    Kind.EXCEL: ("xlsx", "xlsm", "xlsb", "xls", "ods"),
    Kind.DUCKDB: ("duckdb", "ddb"),
    Kind.SQLITE: ("sqlite", "sqlite3", "db", "db3"),
}
_BY_ENDING = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings}
_COMPRESSED = {"gz", "zst", "zstd"}
OLE2 = bytes.fromhex("d0cf11e0a1b11ae1")


def kind_of_name(path: Path) -> Kind | None:
    """The kind that the name of ``path`` promises, if it is one that can be opened."""
    endings = [s.lstrip(".").lower() for s in path.suffixes]
    if endings and endings[-1] in _COMPRESSED:
        endings.pop()
    return _BY_ENDING.get(endings[-1]) if endings else None


def kind_of(path: Path) -> Kind:
    """The kind of the file at ``path``.

    Raises:
        UnreadableSource: It is empty, cannot be opened, or is of no kind that can be read.
    """
    try:
        with path.open("rb") as f:
            head = f.read(4096)
    except OSError as e:
        raise UnreadableSource(
            f"{path.name} cannot be opened: {e.strerror or e}.", suggestions=["Check who may read the file."]
        ) from e
    named = kind_of_name(path)
    if not head:
        raise UnreadableSource(
            f"{path.name} is empty: it has no bytes.",
            suggestions=["Check that the export or download finished."],
        )
    found = _kind_of_bytes(head, named)
    if found:
        return found
    if named:
        return named
    if not path.suffix:
        return Kind.CSV
    raise UnreadableSource(
        f"{path.name} ends in {path.suffix!r}, which is not a kind of data that can be read.",
        suggestions=[
            f"Readable endings: {', '.join(sorted(_BY_ENDING))}, each also with .gz or .zst for text."
        ],
    )


def _kind_of_bytes(head: bytes, named: Kind | None) -> Kind | None:
    """The kind that the first bytes prove; a file named as something else is still what its bytes are."""
    if head[:4] == b"PAR1":
        return Kind.PARQUET
    if head[:6] == b"ARROW1":
        return Kind.ARROW
    if head[:16] == b"SQLite format 3\0":
        return Kind.SQLITE
    if head[8:12] == b"DUCK":
        return Kind.DUCKDB
    spreadsheet = head[:4] == b"PK\x03\x04" and any(
        mark in head for mark in (b"xl/", b"[Content_Types]", b"opendocument")
    )
    if spreadsheet or head[: len(OLE2)] == OLE2:
        return Kind.EXCEL
    return (
        None
        if named is not Kind.CSV or head.lstrip()[:1] not in (b"{",) or b'":' not in head[:300]
        else Kind.JSON
    )
