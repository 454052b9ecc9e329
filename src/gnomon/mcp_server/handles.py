"""Names for things that stay on the server: bounded in number, forgotten when nobody uses them."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from gnomon.core import clock
from gnomon.core.errors import NotFound

EXPIRES_SECONDS = 3600.0

T = TypeVar("T")


class Handles(Generic[T]):
    """Things by handle; the one that was used longest ago makes room for a new one.

    Args:
        prefix: What handles begin with, such as ``ds``.
        what: What the things are, for error messages.
        limit: How many are kept.
        expires_seconds: How long one is kept that nobody uses.
        dropped: Called with each thing that is let go of.
    """

    def __init__(
        self,
        prefix: str,
        what: str,
        limit: int,
        expires_seconds: float = EXPIRES_SECONDS,
        dropped: Callable[[T], None] | None = None,
    ) -> None:
        self._prefix = prefix
        self._what = what
        self._limit = limit
        self._expires = expires_seconds
        self._dropped = dropped
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def add(self, thing: T) -> str:
        """Keep ``thing`` and give its handle, which cannot be guessed."""
        handle = f"{self._prefix}_{secrets.token_hex(6)}"
        with self._lock:
            gone = self._outdated()
            self._kept[handle] = (clock.elapsed(), thing)
            while len(self._kept) > self._limit:
                gone.append(self._kept.popitem(last=False)[1][1])
        self._let_go(gone)
        return handle

    def get(self, handle: str) -> T:
        """The thing behind ``handle``.

        Raises:
            NotFound: Nothing is kept under it, or no longer.
        """
        with self._lock:
            gone = self._outdated()
            found = self._kept.get(handle)
            if found is not None:
                self._kept[handle] = (clock.elapsed(), found[1])
                self._kept.move_to_end(handle)
        self._let_go(gone)
        if found is None:
            raise NotFound(
                f"There is no {self._what} under the handle {handle[:80]!r}.",
                suggestions=[
                    f"A {self._what} is forgotten after {self._expires / 60:.0f} minutes without use; make it again."
                ],
            )
        return found[1]

    def replace(self, handle: str, thing: T) -> None:
        """Keep ``thing`` in place of what is kept under ``handle``; the old one is not closed."""
        with self._lock:
            if handle in self._kept:
                self._kept[handle] = (clock.elapsed(), thing)

    def drop(self, handle: str) -> None:
        """Forget one; a handle that is not known is ignored."""
        with self._lock:
            found = self._kept.pop(handle, None)
        self._let_go([found[1]] if found else [])

    def items(self) -> list[tuple[str, T]]:
        """Everything that is kept, the latest used last."""
        with self._lock:
            gone = self._outdated()
            kept = [(h, thing) for h, (_, thing) in self._kept.items()]
        self._let_go(gone)
        return kept

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            gone = [thing for _, thing in self._kept.values()]
            self._kept.clear()
        self._let_go(gone)

    def _outdated(self) -> list[T]:
        limit = clock.elapsed() - self._expires
        old = [h for h, (used, _) in self._kept.items() if used < limit]
        return [self._kept.pop(h)[1] for h in old]

    def _let_go(self, things: list[T]) -> None:
        if self._dropped is not None:
            for thing in things:
                self._dropped(thing)
