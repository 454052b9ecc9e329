"""What tells a file from what it was: its content where that is read quickly, else what the system notes of every write."""

from __future__ import annotations

import hashlib
from pathlib import Path

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
