"""Lanes: where work happens off the event loop, short and long apart, each with a bounded queue."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from gnomon.core.errors import RateLimited
from gnomon.execution.threads import DaemonThreads

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """Threads for one kind of work; those who find too many waiting are asked to come back.

    Args:
        name: What the work is, for the refusal.
        workers: How many work at the same time.
        waiting: How many may wait besides them.
        retry_after_seconds: When the refused should come back.
    """

    def __init__(self, name: str, workers: int, waiting: int, retry_after_seconds: float = 1.0) -> None:
        self._name = name
        self._threads = DaemonThreads(workers)
        self._room = workers + waiting
        self._retry_after = retry_after_seconds
        self._taken = 0
        self._lock = threading.Lock()

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Put ``work`` into the lane.

        Raises:
            RateLimited: Too much waits already.
        """
        with self._lock:
            if self._taken >= self._room:
                raise RateLimited(
                    f"Too many {self._name} are waiting.",
                    retry_after_seconds=self._retry_after,
                    suggestions=[f"Try again in {self._retry_after:g} seconds."],
                )
            self._taken += 1
        try:
            future = self._threads.submit(work, *args, **kwargs)
        except BaseException:
            self._left(None)
            raise
        future.add_done_callback(self._left)
        return future

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do ``work`` in the lane and wait for what comes of it; the event loop is free meanwhile."""
        return await asyncio.wrap_future(self.submit(work, *args, **kwargs))

    def close(self) -> None:
        """Take no more work; what runs ends by itself or with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _left(self, _: object) -> None:
        with self._lock:
            self._taken -= 1


class Lanes:
    """The lanes of the service, so that long work never keeps short work waiting.

    Attributes:
        quick: Questions.
        long: Analyses, diagnoses, investigations and evaluations.
        opening: Data that is opened and profiled for the first time.
        files: The store, uploads and downloads.
        plans: ``/v2/analyze``.
    """

    def __init__(self, workers: int) -> None:
        # Questions mostly compute: more of them at a time would only make each one slower.
        self.quick = Lane("questions", max(2, min(4, workers)), 128)
        self.long = Lane("long analyses", max(2, workers // 2), 32, 5.0)
        self.opening = Lane("data sets to open", 2, 32, 2.0)
        self.files = Lane("requests", max(8, workers), 512)
        self.plans = Lane("analyses", workers, workers)

    def close(self) -> None:
        """Close every lane."""
        for lane in (self.quick, self.long, self.opening, self.files, self.plans):
            lane.close()
