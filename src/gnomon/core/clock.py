"""The time, as one thing that tests can set."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime

_frozen: ContextVar[datetime | None] = ContextVar("gnomon_frozen_time", default=None)


def now() -> datetime:
    """The current moment, in UTC; the frozen one inside :func:`frozen`."""
    return _frozen.get() or datetime.now(UTC)


def today() -> date:
    """The current local date; the frozen one inside :func:`frozen`."""
    at = _frozen.get()
    return at.date() if at else datetime.now().astimezone().date()


def elapsed() -> float:
    """Seconds on a clock that only moves forward, for measuring durations; never frozen."""
    return time.perf_counter()


@contextmanager
def frozen(at: datetime | date) -> Generator[datetime]:
    """Hold :func:`now` and :func:`today` still, for tests and for replaying an answer."""
    moment = at if isinstance(at, datetime) else datetime(at.year, at.month, at.day, 12)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    token = _frozen.set(moment)
    try:
        yield moment
    finally:
        _frozen.reset(token)
