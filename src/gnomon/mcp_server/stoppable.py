"""Work on a Python object in a process that ends, with everything it started, when the call is cancelled."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from typing import TypeVar

from gnomon.core.errors import GnomonError
from gnomon.execution import ProcessSlots
from gnomon.execution.failures import typed_error
from gnomon.execution.progress import thinned
from gnomon.mcp_server.calls import Control

POLL_SECONDS = 0.2

T = TypeVar("T")
Work = Callable[[T, Callable[[float, str], None]], T]


class StoppableWork:
    """Worker processes that are kept warm, each for one call at a time; further calls wait.

    Args:
        limit: How many calls may work at the same time.
    """

    def __init__(self, limit: int = 2) -> None:
        self._lock = threading.Lock()
        self._free: list[ProcessSlots] = []
        self._all: list[ProcessSlots] = []
        self._room = threading.Semaphore(limit)

    def run(self, work: Work[T], subject: T, control: Control) -> T:
        """Give what ``work`` makes of ``subject``.

        Args:
            work: A function of a module, called with the subject and a way to report progress.
            subject: Anything that can be sent to another process; the caller's own copy stays as it is.
            control: Stops the work when it is cancelled.

        Raises:
            Cancelled: It was stopped; nothing of it runs any more.
            GnomonError: The work failed.
        """
        while not self._room.acquire(timeout=POLL_SECONDS):
            control.cancel.check()
        slots = self._taken()
        try:
            return self._run(slots, work, subject, control)
        finally:
            with self._lock:
                self._free.append(slots)
            self._room.release()

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            slots, self._all, self._free = self._all, [], []
        for one in slots:
            _end_children(one.processes())
            one.shutdown(wait=False)

    def _taken(self) -> ProcessSlots:
        with self._lock:
            if self._free:
                return self._free.pop()
            self._all.append(ProcessSlots(max_workers=1))
            return self._all[-1]

    @staticmethod
    def _run(slots: ProcessSlots, work: Work[T], subject: T, control: Control) -> T:
        import cloudpickle

        control.cancel.check()
        # How rows of text, series and graphs were prepared is kept as functions, which plain pickle cannot carry.
        content = cloudpickle.dumps((work, subject))
        future = slots.submit_watched(
            lambda fraction, message: control.progress(fraction or 0.0, message), _work, content
        )
        ended = threading.Event()
        future.add_done_callback(lambda _: ended.set())

        def stop() -> None:
            _end_children(slots.processes())
            future.cancel()
            ended.set()

        with control.cancel.interrupting(stop):
            ended.wait()
        control.cancel.check()
        outcome = pickle.loads(future.result())  # noqa: S301 - made by _work in a process that we started
        if isinstance(outcome, _Failed):
            raise outcome.error()
        return outcome


class _Failed:
    """A typed error on its way back."""

    def __init__(self, error: GnomonError) -> None:
        self._kind = type(error)
        self._message = error.message
        self._suggestions = error.suggestions

    def error(self) -> GnomonError:
        return self._kind(self._message, suggestions=self._suggestions)


def _work(content: bytes) -> bytes:
    """What runs in the process; takes and gives what :meth:`StoppableWork.run` packs and unpacks."""
    import cloudpickle

    from gnomon.execution import worker

    send = worker._channel.send  # pyright: ignore[reportPrivateUsage]
    try:
        work, subject = pickle.loads(content)  # noqa: S301 - made in the process that started this one
        return cloudpickle.dumps(work(subject, thinned(send)))
    except Exception as e:  # noqa: BLE001 - the boundary of the process: every failure goes back as data
        return cloudpickle.dumps(_Failed(typed_error("The investigation", e)))


def _end_children(processes: list[int]) -> None:
    """End what the workers have started themselves: it would outlive them."""
    import psutil

    for pid in processes:
        try:
            children = psutil.Process(pid).children(recursive=True)
        except psutil.NoSuchProcess:
            continue
        for child in children:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
