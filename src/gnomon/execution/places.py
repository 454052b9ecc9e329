"""Where a step runs: in a thread here, in a process that can be killed, or on a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, Protocol

from gnomon.core.errors import Cancelled
from gnomon.core.settings import Settings
from gnomon.execution.slots import ProcessSlots, SignalListener
from gnomon.execution.worker import preload, run_call
from gnomon.tools.contract import Cost, Tool, ToolContext

if TYPE_CHECKING:
    from gnomon.execution.cluster import DaskCluster

Began = Callable[[], None]
Send = Callable[[bytes, SignalListener], tuple[Future[bytes], Callable[[], object]]]
"""Hands over a packed call with who hears its signals; gives the future of its reply, and what stops it."""


class Place(Protocol):
    """Somewhere a tool can be called; ``began`` is called when the work really starts."""

    def __call__(
        self, tool: Tool, params: dict[str, Any], context: ToolContext, began: Began
    ) -> dict[str, Any]: ...


def here(tool: Tool, params: dict[str, Any], context: ToolContext, began: Began) -> dict[str, Any]:
    """Call the tool in this thread."""
    began()
    return tool(params, context)


class Elsewhere:
    """Sends calls away, waits for the replies, and stops the work there when asked to.

    A tool that holds something that cannot be sent (a connection, a lock) is called here instead.
    """

    def __init__(self, send: Send) -> None:
        self._send = send

    def __call__(
        self, tool: Tool, params: dict[str, Any], context: ToolContext, began: Began
    ) -> dict[str, Any]:
        from gnomon.execution.wire import CannotLeave, pack_call, unpack_reply

        try:
            content = pack_call(tool, params, context)
        except CannotLeave:
            return here(tool, params, context, began)
        context.cancel.check()

        def signal(fraction: float | None, message: str) -> None:
            if fraction is None:
                began()
            else:
                context.progress(fraction, message)

        future, stop = self._send(content, signal)
        ended = threading.Event()
        future.add_done_callback(lambda _: ended.set())

        def end() -> None:
            stop()
            ended.set()

        try:
            with context.cancel.interrupting(end):
                ended.wait()
        except Cancelled:
            stop()
            raise
        context.cancel.check()
        return unpack_reply(future.result())


class Places:
    """Chooses where a tool runs, and owns what was started for it.

    Light tools run here, heavy ones in processes that can be killed; with a Dask scheduler or an
    executor of the caller's, both run there. Tools of external servers always run here: they hold a
    connection.

    Args:
        settings: ``dask`` names a scheduler; ``executor`` = ``processes`` sends light tools to
            processes too.
        executor: A :class:`ProcessSlots` is used for the processes, and can be shared; any other
            executor takes every step that can leave this thread.
    """

    def __init__(self, settings: Settings, executor: Executor | None = None) -> None:
        self._settings = settings
        shared = executor if isinstance(executor, ProcessSlots) else None
        self._given = executor if shared is None else None
        self._lock = threading.Lock()
        self._slots: ProcessSlots | None = shared
        self._owns_slots = shared is None
        self._cluster: DaskCluster | None = None
        self._everything = bool(self._given or settings.dask or settings.executor == "processes")
        self._elsewhere = Elsewhere(self._send)

    def of(self, tool: Tool) -> Place:
        """Where ``tool`` runs."""
        cost = tool.spec.cost
        leaves = cost is Cost.HEAVY or (cost is Cost.LIGHT and self._everything)
        return self._elsewhere if leaves else here

    def warm_up(self, modules: tuple[str, ...]) -> None:
        """Start one worker process and let it import ``modules``, without waiting for it."""
        if self._given is None and not self._settings.dask:
            self._processes().submit(preload, modules)

    def close(self) -> None:
        """End the processes and connections that were started here; an executor that was given stays."""
        with self._lock:
            slots, self._slots = self._slots, None
            cluster, self._cluster = self._cluster, None
        if slots is not None and self._owns_slots:
            slots.shutdown(wait=False)
        if cluster is not None:
            cluster.close()

    def _send(self, content: bytes, signal: SignalListener) -> tuple[Future[bytes], Callable[[], object]]:
        if self._given is not None:
            signal(None, "")  # an executor of the caller's does not say when; its queue counts as work
            future = self._given.submit(run_call, content)
            return future, future.cancel
        if self._settings.dask:
            from gnomon.execution.cluster import DaskCluster

            with self._lock:
                self._cluster = cluster = self._cluster or DaskCluster(self._settings.dask)
            return cluster.start(content, signal)
        future = self._processes().submit_watched(signal, run_call, content)
        return future, future.cancel

    def _processes(self) -> ProcessSlots:
        with self._lock:
            self._slots = self._slots or ProcessSlots()
            return self._slots
