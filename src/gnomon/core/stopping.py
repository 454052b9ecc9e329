"""Interrupting work so that it really ends."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

AGAIN_SECONDS = 0.02


class Alarms:
    """Calls that come due unless they are put off: one thread for all, where most are put off long before."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int]] = []
        self._calls: dict[int, Callable[[], None]] = {}
        self._count = 0
        self._changed = threading.Condition()
        self._watcher: threading.Thread | None = None

    @contextmanager
    def after(self, seconds: float, call: Callable[[], None]) -> Generator[None]:
        """Make the call once, in another thread, if the block has not ended after so long."""
        with self._changed:
            self._count += 1
            number = self._count
            self._calls[number] = call
            heapq.heappush(self._due, (time.monotonic() + seconds, number))
            if self._watcher is None or not self._watcher.is_alive():  # a fork leaves it behind
                self._watcher = threading.Thread(target=self._watch, daemon=True, name="gnomon-alarms")
                self._watcher.start()
            elif self._due[0][1] == number:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._calls.pop(number, None)

    def _watch(self) -> None:
        while (call := self._next()) is not None:
            call()

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next call that comes due; None where none is left."""
        with self._changed:
            while self._due:
                due, number = self._due[0]
                left = due - time.monotonic()
                if number in self._calls and left > 0:
                    self._changed.wait(left)
                    continue
                heapq.heappop(self._due)
                if number in self._calls:
                    return self._calls.pop(number)
            self._watcher = None
            return None


ALARMS = Alarms()


@contextmanager
def insisting(interrupt: Callable[[], None]) -> Generator[Callable[[], None]]:
    """Give a callback that interrupts the block, again and again until the block has ended.

    Database drivers forget an interruption that arrives just before a query starts, and a block may run
    several queries. Once the block has ended nothing is interrupted any more: the connection may be
    closed, or work for somebody else.
    """
    over, lock = threading.Event(), threading.Lock()

    def insist() -> None:
        while not over.is_set():
            with lock:
                if not over.is_set():
                    interrupt()
            over.wait(AGAIN_SECONDS)

    try:
        yield lambda: threading.Thread(target=insist, daemon=True, name="gnomon-interrupt").start()
    finally:
        with lock:
            over.set()
