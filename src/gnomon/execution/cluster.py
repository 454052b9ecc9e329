"""Steps on a Dask cluster: real futures, the word of their start and progress, and their cancellation.

A call that runs over there is a thread of a Dask worker: cancelling interrupts its query and stops a
tool that looks at its token; a model fit goes on to its end on the cluster, and its result is dropped.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Executor, Future
from itertools import count
from typing import Any

from gnomon.core.errors import MissingExtra, SourceUnreachable
from gnomon.execution.worker import run_packed
from gnomon.tools.contract import CancelToken

CONNECT_SECONDS = 5.0

_running: dict[str, CancelToken] = {}


class DaskCluster:
    """A connection to a Dask scheduler.

    Args:
        address: Such as ``tcp://127.0.0.1:8786``.

    Raises:
        MissingExtra: Dask is not installed.
        SourceUnreachable: No scheduler answers there.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtra.named("dask", "Running steps on a Dask cluster") from None
        try:
            self._client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as e:
            raise SourceUnreachable(
                f"No Dask scheduler answers at {address} ({type(e).__name__}).",
                suggestions=["Start one with 'dask scheduler', or unset GNOMON_DASK."],
            ) from None
        self._executor: Executor = self._client.get_executor(pure=False)
        self._topic = f"gnomon-{uuid.uuid4()}"
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._listeners: dict[int, Callable[[float | None, str], None]] = {}
        self._client.subscribe_topic(self._topic, self._hear)

    def start(
        self, content: bytes, listener: Callable[[float | None, str], None]
    ) -> tuple[Future[bytes], Callable[[], None]]:
        """Run a packed call; gives its future, and what stops it."""
        number = next(self._numbers)
        with self._lock:
            self._listeners[number] = listener
        future = self._executor.submit(run_on_worker, self._topic, number, content)
        future.add_done_callback(lambda _: self._forget(number))

        def stop() -> None:
            if not future.done():
                self._client.run(stop_on_worker, _key(self._topic, number), wait=False, on_error="ignore")
                future.cancel()

        return future, stop

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()

    def _forget(self, number: int) -> None:
        with self._lock:
            self._listeners.pop(number, None)

    def _hear(self, event: tuple[float, tuple[int, float | None, str]]) -> None:
        number, fraction, message = event[1]
        with self._lock:
            listener = self._listeners.get(number)
        if listener is not None:
            listener(fraction, message)


def run_on_worker(topic: str, number: int, content: bytes) -> bytes:
    """Run a packed call in a thread of a Dask worker."""
    from distributed import get_worker

    worker = get_worker()
    key = _key(topic, number)
    token = _running[key] = CancelToken()

    def tell(fraction: float | None, message: str) -> None:
        worker.log_event(topic, [number, fraction, message])

    try:
        return run_packed(content, tell, token)
    finally:
        _running.pop(key, None)


async def stop_on_worker(key: str) -> None:
    """Cancel a call if it runs in this Dask worker; a coroutine, because only those are not waited for."""
    if (token := _running.get(key)) is not None:
        token.cancel()


def _key(topic: str, number: int) -> str:
    return f"{topic}/{number}"
