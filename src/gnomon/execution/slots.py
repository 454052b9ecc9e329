"""Processes that can be killed one by one, behind the interface of ``concurrent.futures``.

Each slot is a worker process of its own, started when first needed and kept warm. Cancelling a task
that runs kills the process of its slot and nothing else; the next task gets a fresh one.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial
from multiprocessing import Pipe
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

from gnomon.execution import worker

IDLE_SECONDS = 300
MAX_WORKERS = 4
HEARING_SECONDS = 1.0

P = ParamSpec("P")
T = TypeVar("T")
SignalListener = Callable[[float | None, str], None]

_open: WeakSet[ProcessSlots] = WeakSet()


class SlotFuture(Future[Any]):
    """A task in a slot; unlike its parent it can be cancelled while it runs."""

    def __init__(self, owner: ProcessSlots, listener: SignalListener | None, call: tuple[Any, ...]) -> None:
        super().__init__()
        self.owner = owner
        self.listener = listener
        self.call = call
        self.number = 0
        self.slot: _Slot | None = None
        self.settled = False

    def running(self) -> bool:
        """Whether a worker process holds the task."""
        return self.slot is not None and not self.done()

    def cancel(self) -> bool:
        """Stop the task, killing its process when it runs."""
        return self.owner.stop(self)

    def conclude(self, inner: Future[Any] | None) -> None:
        """Take over what came of it; None means that it was cancelled."""
        if inner is None:
            super().cancel()
            self.set_running_or_notify_cancel()
        elif self.set_running_or_notify_cancel():
            if error := inner.exception():
                self.set_exception(error)
            else:
                self.set_result(inner.result())


class _Slot:
    """One worker process with the pipe on which it signals."""

    def __init__(self, threads: int) -> None:
        import loky

        self.reader, self.writer = Pipe(duplex=False)
        self.task: SlotFuture | None = None
        self.heard = threading.Event()
        limit = str(threads)
        self.pool: Any = loky.ProcessPoolExecutor(
            max_workers=1,
            timeout=IDLE_SECONDS,
            initializer=worker.begin,
            initargs=(self.writer, os.getpid()),
            env={"OMP_NUM_THREADS": limit, "OPENBLAS_NUM_THREADS": limit, "MKL_NUM_THREADS": limit},
        )
        threading.Thread(target=self._listen, daemon=True, name="gnomon-signals").start()

    def start(self, task: SlotFuture) -> Future[Any]:
        """Hand a task to the process."""
        self.task = task
        self.heard.clear()
        function, args, kwargs = task.call
        return self.pool.submit(worker.run, task.number, function, args, kwargs)

    def kill(self) -> None:
        """End the process now, whatever it does."""
        self.task = None
        self.pool.shutdown(wait=False, kill_workers=True)
        self.writer.send(None)

    def close(self) -> None:
        """End the process and wait until it is gone."""
        self.task = None
        self.pool.shutdown(wait=True, kill_workers=True)
        self.writer.send(None)

    def _listen(self) -> None:
        while (signal := self.reader.recv()) is not None:
            number, fraction, message = signal
            task = self.task
            if task is None or task.number != number:
                continue
            if message is None:
                self.heard.set()
            elif task.listener is not None:
                task.listener(fraction, message)
        self.reader.close()
        self.writer.close()


class ProcessSlots(Executor):
    """An executor over worker processes whose running tasks can be cancelled.

    Args:
        max_workers: Processes at most; by default one per core, up to four.
    """

    def __init__(self, max_workers: int | None = None) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.max_workers = max_workers or min(cores, MAX_WORKERS)
        self._threads = max(1, cores // self.max_workers)
        self._lock = threading.RLock()
        self._waiting: deque[SlotFuture] = deque()
        self._free: list[_Slot] = []
        self._slots: set[_Slot] = set()
        self._numbers = 0
        self._closed = False
        _open.add(self)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``fn`` in a worker process."""
        return self.submit_watched(None, fn, *args, **kwargs)

    def submit_watched(
        self, listener: SignalListener | None, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Run ``fn`` in a worker process; ``listener`` hears when it began (None) and its progress."""
        task = SlotFuture(self, listener, (fn, args, kwargs))
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._numbers += 1
            task.number = self._numbers
            self._waiting.append(task)
            self._dispatch()
        return task

    def stop(self, task: SlotFuture) -> bool:
        """Cancel a task, killing its process when it runs; False when it had ended already."""
        with self._lock:
            if task.settled:
                return task.cancelled()
            task.settled = True
            if task.slot is None:
                self._waiting.remove(task)
            else:
                self._discard(task.slot)
                self._dispatch()
        task.conclude(None)
        return True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the tasks end (or cancel them), then end every process."""
        with self._lock:
            self._closed = True
            pending = [*self._waiting, *(s.task for s in self._slots if s.task is not None)]
        if cancel_futures or not wait:
            for task in pending:
                task.cancel()
        else:
            for task in pending:
                task.exception()
        with self._lock:
            slots, self._slots, self._free = list(self._slots), set(), []
        for slot in slots:
            slot.close()

    def processes(self) -> list[int]:
        """The process ids of the workers that are up."""
        with self._lock:
            return [pid for slot in self._slots for pid in (slot.pool._processes or {})]

    def _dispatch(self) -> None:
        while self._waiting and (self._free or len(self._slots) < self.max_workers):
            fresh = not self._free
            slot = self._fresh() if fresh else self._free.pop()
            task = self._waiting.popleft()
            task.slot = slot
            try:
                inner = slot.start(task)
            except BrokenExecutor:  # the idle process died; the task never began
                task.slot = None
                self._discard(slot)
                self._waiting.appendleft(task)
                continue
            if fresh:
                _register_exit()
            inner.add_done_callback(partial(self._ended, task, slot))

    def _ended(self, task: SlotFuture, slot: _Slot, inner: Future[Any]) -> None:
        if not task.settled and not isinstance(inner.exception(), BrokenExecutor):
            slot.heard.wait(HEARING_SECONDS)  # results and signals come on different ways
        with self._lock:
            if task.settled:
                return
            task.settled = True
            slot.task = None
            if isinstance(inner.exception(), BrokenExecutor):
                self._discard(slot)
            elif slot in self._slots:
                self._free.append(slot)
            if not self._closed:
                self._dispatch()
        task.conclude(inner)

    def _fresh(self) -> _Slot:
        slot = _Slot(self._threads)
        self._slots.add(slot)
        return slot

    def _discard(self, slot: _Slot) -> None:
        self._slots.discard(slot)
        slot.kill()


def _register_exit() -> None:
    """Kill the workers when the interpreter ends, before the pools wait for their running tasks.

    Ordinary ``atexit`` functions run after those waits. The hook that ``concurrent.futures`` itself
    uses runs before them, last registered first, and every new pool registers its own: so this
    registers once more for every new process.
    """
    threading._register_atexit(_kill_all)  # pyright: ignore[reportAttributeAccessIssue]


def _kill_all() -> None:
    for slots in list(_open):
        slots.shutdown(wait=False, cancel_futures=True)
