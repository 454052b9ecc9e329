"""What Arrow notes of a Parquet file's columns that Parquet has no word for: the zone of times, and durations.

The note is a flatbuffer; reading the few places that matter takes a page, loading Arrow for it a quarter of a second.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_SCHEMA, _TIMESTAMP, _DURATION = 1, 10, 18  # how Arrow numbers the kinds of a message's header and of a field
_PER_SECOND = (1, 10**3, 10**6, 10**9)


@dataclass(frozen=True)
class Noted:
    """What a column holds.

    Args:
        zone: Of times, the zone in which they are to be shown.
        per_second: Of durations, how many of their numbers make a second.
    """

    zone: str | None = None
    per_second: int | None = None


def noted_columns(written: bytes) -> dict[str, Noted]:
    """The columns of a schema as ``ARROW:schema`` holds it that have a zone or are durations; none where it is damaged."""
    try:
        buffer = base64.b64decode(written)
        start = 8 if buffer[:4] == b"\xff\xff\xff\xff" else 4
        message = _Place(buffer, start + _at(buffer, "<I", start))
        if message.number(1, "<B") != _SCHEMA or (schema := message.follow(2)) is None:
            return {}
        return {name: noted for field in schema.each(1) for name, noted in _noted(field)}
    except (binascii.Error, struct.error, UnicodeDecodeError):
        return {}


def _noted(field: _Place) -> Iterator[tuple[str, Noted]]:
    name, kind, told = field.text(0), field.number(2, "<B"), field.follow(3)
    if name is None or told is None:
        return
    if kind == _TIMESTAMP and (zone := told.text(1)):
        yield name, Noted(zone=zone)
    elif kind == _DURATION:
        yield name, Noted(per_second=_PER_SECOND[told.number(0, "<h", 1) % len(_PER_SECOND)])


@dataclass(frozen=True)
class _Place:
    """A table of a flatbuffer."""

    buffer: bytes
    start: int

    def number(self, slot: int, form: str, default: int = 0) -> int:
        at = self._slot(slot)
        return default if at is None else _at(self.buffer, form, at)

    def follow(self, slot: int) -> _Place | None:
        at = self._slot(slot)
        return None if at is None else _Place(self.buffer, at + _at(self.buffer, "<I", at))

    def text(self, slot: int) -> str | None:
        if (place := self.follow(slot)) is None:
            return None
        begin = place.start + 4
        return self.buffer[begin : begin + _at(self.buffer, "<I", place.start)].decode()

    def each(self, slot: int) -> Iterator[_Place]:
        if (place := self.follow(slot)) is None:
            return
        for i in range(_at(self.buffer, "<I", place.start)):
            at = place.start + 4 + 4 * i
            yield _Place(self.buffer, at + _at(self.buffer, "<I", at))

    def _slot(self, slot: int) -> int | None:
        known = self.start - _at(self.buffer, "<i", self.start)
        if 4 + 2 * slot >= _at(self.buffer, "<H", known):
            return None
        offset = _at(self.buffer, "<H", known + 4 + 2 * slot)
        return self.start + offset if offset else None


def _at(buffer: bytes, form: str, place: int) -> int:
    if place < 0:
        raise struct.error("outside")
    return struct.unpack_from(form, buffer, place)[0]
