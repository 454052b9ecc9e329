"""What tells a file from what it was: its content where that is read quickly, else what the system notes of every write."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

_CODE = frozenset({".py", ".yaml", ".json", ".txt", ".tsv", ".csv"})
READ_BYTES = 8 << 20
"""Files up to this size are told apart by their content."""


def file_state(path: Path) -> str:
    """A mark that changes with the content of ``path``, however its size and its time were set afterwards.

    Raises:
        OSError: It is not there, or may not be read.
    """
    if path.stat().st_size > READ_BYTES:
        return quick_state(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def quick_state(path: Path) -> str:
    """A mark that changes when ``path`` is written or replaced, without reading it.

    Raises:
        OSError: It is not there.
    """
    stat = path.stat()
    # The time of the last change of anything is the system's own; the time of the content can be set.
    return f"{stat.st_size}|{stat.st_mtime_ns}|{stat.st_ctime_ns}|{stat.st_ino}"


@cache
def code_state(*rooms: str, root: Path = Path(__file__).parents[1]) -> str:
    """A mark of the code of ``rooms`` and of what reads files for them: what other code made is not read by this one.

    It goes by content: an installation may give every file one time, and an edit may keep its size.
    """
    found = hashlib.blake2b(platform.python_version().encode(), digest_size=16)
    for package in ("duckdb", "pyarrow", "python-calamine"):
        found.update(f"|{package} {version(package)}".encode())
    for room in sorted(rooms):
        for file in sorted(f for f in (root / room).rglob("*") if f.suffix in _CODE):
            content = file.read_bytes()
            found.update(f"|{file.relative_to(root)}|{len(content)}|".encode())
            found.update(content)
    return found.hexdigest()
