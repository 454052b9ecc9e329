"""How both sides speak: a length, a JSON object, and the raw bytes that it announces."""

from __future__ import annotations

import json
import os
import struct
from typing import Any, NoReturn

HEADER_BYTES = 4 * 1024 * 1024
_LENGTH = struct.Struct(">I")


class BrokenFrame(ValueError):
    """What arrived is not a frame, or a larger one than is taken."""


def pack(header: dict[str, Any], blobs: list[bytes] | None = None) -> bytes:
    """A frame with ``header`` and, after it, the ``blobs``."""
    blobs = blobs or []
    text = json.dumps(
        {**header, "blobs": [len(b) for b in blobs]},
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    ).encode("utf-8", "replace")
    return b"".join([_LENGTH.pack(len(text)), text, *blobs])


def strict_json(text: bytes) -> Any:
    """JSON as the standard has it.

    Raises:
        BrokenFrame: It is not JSON, not UTF-8, nested too deeply, or has numbers that JSON does not have.
    """
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as e:
        raise BrokenFrame(f"not JSON: {type(e).__name__}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


class FrameReader:
    """Takes bytes as they come and gives whole frames; the lengths are the other side's word, so they are bounded.

    Args:
        blob_bytes: How much the blobs of one frame may have together.
    """

    def __init__(self, blob_bytes: int) -> None:
        self._limit = blob_bytes
        self._buffer = bytearray()
        self._header: dict[str, Any] | None = None
        self._lengths: list[int] = []

    def feed(self, data: bytes) -> list[tuple[dict[str, Any], list[bytes]]]:
        """The frames that ``data`` completes.

        Raises:
            BrokenFrame: It is no frame, or too large.
        """
        self._buffer += data
        frames: list[tuple[dict[str, Any], list[bytes]]] = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def _next(self) -> tuple[dict[str, Any], list[bytes]] | None:
        if self._header is None:
            if len(self._buffer) < _LENGTH.size:
                return None
            (length,) = _LENGTH.unpack_from(self._buffer)
            if length > HEADER_BYTES:
                raise BrokenFrame(f"a header of {length:,} bytes")
            if len(self._buffer) < _LENGTH.size + length:
                return None
            end = _LENGTH.size + length
            self._header, self._lengths = self._checked(bytes(self._buffer[_LENGTH.size : end]))
            del self._buffer[:end]
        if len(self._buffer) < sum(self._lengths):
            return None
        header, blobs, start = self._header, list[bytes](), 0
        for length in self._lengths:
            blobs.append(bytes(self._buffer[start : start + length]))
            start += length
        del self._buffer[:start]
        self._header = None
        return header, blobs

    def _checked(self, text: bytes) -> tuple[dict[str, Any], list[int]]:
        header = strict_json(text)
        lengths = header.get("blobs", []) if isinstance(header, dict) else None
        if not isinstance(lengths, list) or not all(type(n) is int and n >= 0 for n in lengths):
            raise BrokenFrame("a header that is no object or has no lengths")
        if sum(lengths) > self._limit or len(lengths) > 10_000:
            raise BrokenFrame(f"{sum(lengths):,} bytes after the header")
        return header, lengths


def read_frame(fd: int, reader: FrameReader) -> tuple[dict[str, Any], list[bytes]] | None:
    """The next frame from a pipe, waiting for it; none where the other end is closed."""
    while True:
        data = os.read(fd, 1 << 20)
        if not data:
            return None
        frames = reader.feed(data)
        if frames:
            return frames[0]  # the host sends the next one only after the answer


def write_frame(fd: int, frame: bytes) -> None:
    """Send the whole frame."""
    view = memoryview(frame)
    while view:
        view = view[os.write(fd, view) :]
