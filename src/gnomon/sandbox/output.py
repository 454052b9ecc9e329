"""Printed output, kept up to a limit: the beginning and the end, and how much is missing between."""

from __future__ import annotations


class KeptOutput:
    """Bytes that arrive in any amount; memory stays bounded.

    Args:
        limit: How many are kept.
    """

    def __init__(self, limit: int = 100_000) -> None:
        self._half = max(1, limit // 2)
        self._head, self._tail = bytearray(), bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """Take more."""
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    def text(self) -> tuple[str, bool]:
        """What was kept as text, and whether something is missing."""
        tail = bytes(self._tail[-self._half :])
        missing = self._total - len(self._head) - len(tail)
        middle = f"\n… {missing:,} bytes left out …\n" if missing else ""
        if not missing:
            return (bytes(self._head) + tail).decode("utf-8", "replace"), False
        return self._head.decode("utf-8", "replace") + middle + tail.decode("utf-8", "replace"), True
