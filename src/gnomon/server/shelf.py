"""The shelf: data sets that stay open between questions, a bounded number of them, each opened once for all threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.core import clock

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst

Key = tuple[str, str]
"""A tenant and the id of a data set."""


@dataclass
class _Place:
    """One data set on the shelf: the analyst, who uses it, and whether it is to go when the last has left."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    analyst: Analyst | None = None
    users: int = 0
    leaving: bool = False
    seconds: float = 0.0


class Shelf:
    """Open analysts by tenant and data set; the one used longest ago makes room, once nobody uses it.

    Args:
        limit: How many stay open.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._places: OrderedDict[Key, _Place] = OrderedDict()

    @contextmanager
    def using(self, key: Key, opening: Callable[[], Analyst]) -> Generator[Analyst]:
        """The analyst of a data set, opened by the first who needs it while the others wait for that."""
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            place.users += 1
        try:
            with place.lock:
                if place.analyst is None:
                    started = clock.elapsed()
                    place.analyst = opening()
                    place.seconds = clock.elapsed() - started
            yield place.analyst
        finally:
            with self._lock:
                place.users -= 1
                if place.analyst is None and not place.users and self._places.get(key) is place:
                    del self._places[key]
                gone = self._overdue()
                if place.leaving and not place.users:
                    gone.append(place)
            _close(gone)

    def is_open(self, key: Key) -> bool:
        """Whether a question about it need not wait for the data to be opened."""
        with self._lock:
            place = self._places.get(key)
            return place is not None and place.analyst is not None

    def drop(self, key: Key) -> None:
        """Close a data set, at once or when the last who uses it has left."""
        with self._lock:
            place = self._places.pop(key, None)
            gone = [place] if place is not None and not place.users else []
            if place is not None:
                place.leaving = True
        _close(gone)

    def close(self) -> None:
        """Close everything that nobody uses."""
        with self._lock:
            keys = list(self._places)
        for key in keys:
            self.drop(key)

    def _overdue(self) -> list[_Place]:
        """The places that are over the limit and free, taken off the shelf."""
        free = [k for k, p in self._places.items() if not p.users]
        over = len(self._places) - self._limit
        return [self._places.pop(k) for k in free[: max(0, over)]]


def _close(places: list[Any]) -> None:
    for place in places:
        if place.analyst is not None:
            place.analyst.close()
            place.analyst = None
