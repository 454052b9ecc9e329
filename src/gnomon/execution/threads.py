"""A pool of threads that never keeps the interpreter alive, and that can give up on one of its own."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

IDLE_SECONDS = 10.0

P = ParamSpec("P")
T = TypeVar("T")

_Item = tuple[Future[Any], Callable[[], Any]]


class DaemonThreads(Executor):
    """Threads made on demand, reused, and gone when idle.

    The pool of the standard library waits at exit for every thread, so a call that never returns
    would keep the process alive; here it does not.

    Args:
        max_workers: Threads at most, not counting those that were given up.
    """

    def __init__(self, max_workers: int) -> None:
        self.max_workers = max_workers
        self._items: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._alive = 0
        self._idle = threading.Semaphore(0)
        self._running: dict[Future[Any], threading.Thread] = {}
        self._given_up: set[threading.Thread] = set()
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``fn`` in a thread, with the context variables of the caller."""
        future: Future[T] = Future()
        context = contextvars.copy_context()
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._items.put((future, lambda: context.run(fn, *args, **kwargs)))
            self._ensure_thread()
        return future

    def abandon(self, future: Future[Any]) -> None:
        """Give up on a call that does not stop: its thread no longer counts, and ends when the call does."""
        if future.cancel():
            return
        with self._lock:
            thread = self._running.get(future)
            if thread is not None and thread not in self._given_up:
                self._given_up.add(thread)
                self._alive -= 1
                if not self._items.empty():
                    self._ensure_thread()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; with ``wait``, return when those that run have ended."""
        with self._lock:
            self._closed = True
            threads = [t for t in self._running.values() if t not in self._given_up]
            if cancel_futures:
                while not self._items.empty():
                    if item := self._items.get():
                        item[0].cancel()
            for _ in range(self._alive):
                self._items.put(None)
        if wait:
            for thread in threads:
                thread.join()

    def _ensure_thread(self) -> None:
        if self._idle.acquire(blocking=False) or self._alive >= self.max_workers:
            return
        self._alive += 1
        threading.Thread(target=self._work, daemon=True, name="gnomon-step").start()

    def _work(self) -> None:
        me = threading.current_thread()
        while (item := self._next()) is not None:
            self._run(me, *item)
            del item
            with self._lock:
                if me in self._given_up:
                    self._given_up.discard(me)
                    return
        with self._lock:
            self._alive -= 1

    def _next(self) -> _Item | None:
        """The next call, or None when this thread should end."""
        try:
            return self._items.get_nowait()
        except queue.Empty:
            self._idle.release()
        for _ in range(2):  # a thread that was claimed while its wait ran out waits once more
            try:
                return self._items.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                if self._idle.acquire(blocking=False):
                    break
        return None

    def _run(self, me: threading.Thread, future: Future[Any], call: Callable[[], Any]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        with self._lock:
            self._running[future] = me
        try:
            result = call()
        except BaseException as e:  # noqa: BLE001 - the future carries it to whoever asked
            self._forget(future)
            future.set_exception(e)
        else:
            self._forget(future)
            future.set_result(result)

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._running.pop(future, None)
