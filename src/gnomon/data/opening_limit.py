"""The limits of opening: a table that takes too long or too much memory is given up, with what to do about it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from gnomon.core.errors import UnreadableSource
from gnomon.core.settings import Settings
from gnomon.core.stopping import insisting


@contextmanager
def within_limits(
    settings: Settings, what: str, *interrupts: Callable[[], None], tables: int = 1
) -> Generator[None]:
    """Interrupt the block when it has taken as long as opening may.

    Args:
        settings: How long it may take.
        what: What is opened, as it is called in the error.
        interrupts: What ends the queries of the block.
        tables: How many tables the block may have to read, each with its own time.

    Raises:
        UnreadableSource: The block took too long, or needed more memory than there is for it.
    """
    import duckdb

    late, seconds = threading.Event(), settings.open_timeout_seconds * tables

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
        except duckdb.OutOfMemoryException as e:
            raise UnreadableSource(
                f"{what} needs more than {settings.memory_limit_mb:,} MB to be read; its cells may be very large.",
                suggestions=["Leave out its longest texts, or allow more with GNOMON_MEMORY_LIMIT_MB."],
            ) from e
        except (duckdb.Error, sqlite3.Error, UnreadableSource, RuntimeError) as e:
            if not late.is_set():
                raise
            raise UnreadableSource(
                f"{what} took longer than {seconds:g} seconds to read and was given up.",
                suggestions=["Allow more time with GNOMON_OPEN_TIMEOUT_SECONDS, or open a part of it."],
            ) from e
        finally:
            timer.cancel()
