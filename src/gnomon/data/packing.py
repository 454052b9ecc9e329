"""Compressed files: what they unpack to is counted first, and too much of it is refused."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import IO

from gnomon.core.errors import UnreadableSource

_RATIO = 200
_SMALL = 64 << 20
_CHUNK = 1 << 20


def refuse_bomb(path: Path, unpacked: int, most_mb: int) -> None:
    """Refuse what unpacks to more than is allowed, or to very many times its size.

    Raises:
        UnreadableSource: It unpacks to too much.
    """
    size = max(path.stat().st_size, 1)
    if unpacked > most_mb << 20:
        raise UnreadableSource(
            f"{path.name} unpacks to more than {most_mb:,} MB.",
            suggestions=["Open a part of it, or allow more with GNOMON_MAX_UNPACKED_MB."],
        )
    if unpacked > _SMALL and unpacked > _RATIO * size:
        raise UnreadableSource(
            f"{path.name} unpacks to more than {_RATIO} times its size, as no table does.",
            suggestions=["Unpack it and look at what it holds; open the unpacked file if it is a table."],
        )


def refuse_packed(path: Path, stream: IO[bytes], most_mb: int) -> None:
    """Unpack as much of a compressed file as shows whether it is too much; ``stream`` gives its unpacked bytes.

    Raises:
        UnreadableSource: It unpacks to too much, or is damaged.
    """
    unpacked = 0
    try:
        with stream:
            while found := stream.read(_CHUNK):
                unpacked += len(found)
                refuse_bomb(path, unpacked, most_mb)
    except (EOFError, OSError, ValueError, zlib.error) as e:  # pyarrow's errors are of the latter kinds
        wrong = (
            "it ends too early" if isinstance(e, EOFError) else "it is damaged, or something stands behind it"
        )
        raise UnreadableSource(
            f"{path.name} cannot be unpacked: {wrong}.",
            suggestions=["Pack or download the file again, or open what it holds without packing it."],
        ) from e
