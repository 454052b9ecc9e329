"""The limits of opening: a source that takes too long or too much memory is given up, with what to do about it."""

from __future__ import annotations

import csv
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager

from gnomon.core.errors import UnreadableSource
from gnomon.core.settings import Settings
from gnomon.core.stopping import insisting

logger = logging.getLogger("gnomon.data")


class Deadline:
    """When the opening of a source has to be done with, all of its tables and stages together.

    Args:
        seconds: How long it may take, as errors say it.
        within: How much of that is left for it, where somebody else took some.
    """

    def __init__(self, seconds: float, within: float | None = None) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + (seconds if within is None else within)

    def left(self, *, others: bool = False) -> float:
        """The seconds that remain; half of them where others want their share, so that one cannot take it all."""
        remaining = max(self._end - time.monotonic(), 0.0)
        return remaining / 2 if others else remaining


@contextmanager
def within_limits(
    settings: Settings,
    what: str,
    *interrupts: Callable[[], None],
    deadline: Deadline,
    others: bool = False,
) -> Generator[None]:
    """Interrupt the block when it has taken as long as opening may.

    Args:
        settings: How much memory there is.
        what: What is opened, as it is called in the error.
        interrupts: What ends the queries of the block.
        deadline: When the whole source has to be open.
        others: Whether something of the source comes after the block, for which half of the time is kept.

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
        except (csv.Error, ArithmeticError, LookupError, RecursionError, UnicodeError, zlib.error) as e:
            # Parsers have errors of their own for files that nobody foresaw.
            logger.warning("%s could not be read", what, exc_info=True)
            raise UnreadableSource(
                f"{what} could not be read ({type(e).__name__}): it is damaged, or written in an unusual way.",
                suggestions=["Save it again, as CSV in UTF-8 or as Parquet, and open that."],
            ) from e
        except (duckdb.Error, sqlite3.Error, UnreadableSource, RuntimeError, MemoryError) as e:
            if late.is_set():
                raise too_long(what, deadline.seconds) from e
            if not isinstance(e, MemoryError) and "out of memory" not in str(e).lower():
                raise
            raise UnreadableSource(
                f"{what} needs more than {settings.memory_limit_mb:,} MB to be read; its cells may be very large.",
                suggestions=["Leave out its longest texts, or allow more with GNOMON_MEMORY_LIMIT_MB."],
            ) from e
        finally:
            timer.cancel()


def too_long(what: str, seconds: float) -> UnreadableSource:
    """The error for what would not have been open in time."""
    return UnreadableSource(
        f"{what} takes too long to read and was given up: opening a source may take {seconds:g} seconds in all.",
        suggestions=["Allow more time with GNOMON_OPEN_TIMEOUT_SECONDS, or open a part of it."],
    )
