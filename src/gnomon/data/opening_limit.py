"""The limits of opening: a source that takes too long or too much memory is given up, with what to do about it."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from gnomon.core.errors import GnomonError, UnreadableSource
from gnomon.core.settings import Settings
from gnomon.core.stopping import insisting

logger = logging.getLogger("gnomon.data")

_LEAN = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}


class Deadline:
    """When the opening of a source has to be done with, all of its tables and stages together.

    Args:
        settings: How long it may take, and how much memory there is for it.
        within: How many of the seconds are left for it, where somebody else took some.
    """

    def __init__(self, settings: Settings, within: float | None = None) -> None:
        self.settings = settings
        self.seconds = settings.open_timeout_seconds
        self._end = time.monotonic() + (self.seconds if within is None else within)

    def left(self, *, others: bool = False) -> float:
        """The seconds that remain; half of them where others want their share, so that one cannot take it all."""
        remaining = max(self._end - time.monotonic(), 0.0)
        return remaining / 2 if others else remaining

    def half(self) -> Deadline:
        """A deadline in the middle of what remains, for many things after which others come."""
        return Deadline(self.settings, self.left(others=True))

    def late(self, what: str) -> UnreadableSource:
        """The error for what would not have been open in time."""
        return UnreadableSource(
            f"{what} takes too long to read and was given up: opening a source may take {self.seconds:g} seconds in all.",
            suggestions=["Allow more time with GNOMON_OPEN_TIMEOUT_SECONDS, or open a part of it."],
        )


class ViewDeadline(Deadline):
    """When a view has to be read: within the time of a view, and with time left for what else its source holds."""

    def __init__(self, source: Deadline) -> None:
        seconds, share = source.settings.view_timeout_seconds, source.left(others=True)
        super().__init__(source.settings, min(share, seconds))
        self.seconds = seconds
        self._source = source if share < self.seconds else None

    @property
    def whole(self) -> bool:
        """Whether the view has all the time that a view may take, rather than what its source has left."""
        return self._source is None

    def late(self, what: str) -> UnreadableSource:
        """The error for a view that would not have ended in time."""
        if self._source is not None:
            return self._source.late(what)
        return UnreadableSource(
            f"{what} takes too long to read and was given up: reading a view may take {self.seconds:g} seconds.",
            suggestions=[
                "Store the rows that are needed as a table, or allow more time with GNOMON_VIEW_TIMEOUT_SECONDS."
            ],
        )


@contextmanager
def within_limits(
    what: str, *interrupts: Callable[[], None], deadline: Deadline, others: bool = False
) -> Generator[None]:
    """Do as :func:`in_time` does, around parsers that have errors of their own for files that nobody foresaw.

    Raises:
        UnreadableSource: The block took too long, needed more memory than there is for it, or a parser failed.
    """
    import duckdb

    try:
        with in_time(what, *interrupts, deadline=deadline, others=others):
            yield
    except (GnomonError, duckdb.Error, sqlite3.Error):
        raise  # what is wrong is known, or who opens it knows how to say it
    except Exception as e:  # parsers fail on a file that nobody foresaw in ways that nobody foresaw
        logger.warning("%s could not be read", what, exc_info=True)
        raise UnreadableSource(
            f"{what} could not be read ({type(e).__name__}): it is damaged, or written in an unusual way.",
            suggestions=["Save it again, as CSV in UTF-8 or as Parquet, and open that."],
        ) from e


@contextmanager
def in_time(
    what: str, *interrupts: Callable[[], None], deadline: Deadline, others: bool = False
) -> Generator[None]:
    """Interrupt the block when it has taken as long as opening may.

    Args:
        what: What is opened, as it is called in the error.
        interrupts: What ends the queries of the block.
        deadline: When all of it has to be done.
        others: Whether something comes after the block, for which half of the time is kept.

    Raises:
        UnreadableSource: The block took too long, or needed more memory than there is for it.
    """
    import duckdb

    late, seconds = threading.Event(), deadline.left(others=others)

    def interrupt() -> None:
        for one in interrupts:
            one()

    with insisting(interrupt) as stop:

        def give_up() -> None:
            late.set()
            stop()

        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (duckdb.Error, sqlite3.Error, UnreadableSource, RuntimeError, MemoryError) as e:
            if late.is_set():
                raise deadline.late(what) from e
            if not is_of_memory(e):
                raise
            raise too_large(what, deadline.settings) from e
        finally:
            timer.cancel()


def is_of_memory(error: BaseException) -> bool:
    """Whether an error says that there was not enough memory."""
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(
        words in said for words in ("out of memory", "failed to pin block")
    )


def too_large(what: str, settings: Settings) -> UnreadableSource:
    """The error for what does not fit into the memory that there is for it."""
    return UnreadableSource(
        f"{what} needs more than {settings.memory_limit_mb:,} MB to be read; its cells may be very large.",
        suggestions=["Leave out its longest texts, or allow more with GNOMON_MEMORY_LIMIT_MB."],
    )


def limited_environment() -> dict[str, str]:
    """The environment of a process that limits itself: libraries reserve no address space that they do not use."""
    return os.environ | _LEAN


def limit_process(megabytes: int, largest: int | None = None) -> None:
    """Let this process take no more memory than that and write no larger file, where the system knows such limits."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
