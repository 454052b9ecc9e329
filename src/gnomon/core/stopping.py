"""Interrupting work so that it really ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

AGAIN_SECONDS = 0.02


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
