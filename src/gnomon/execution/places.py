"""Where a step runs: in a thread here, in a process that can be killed, or on a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from typing import Any, Protocol

from gnomon.core.errors import Cancelled, MissingExtra, SourceUnreachable
from gnomon.core.settings import Settings
from gnomon.execution.slots import ProcessSlots
from gnomon.execution.wire import pack_call, unpack_reply
from gnomon.execution.worker import run_call
from gnomon.tools.contract import Cost, Tool, ToolContext

CONNECT_SECONDS = 5.0

Began = Callable[[], None]


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
    """Calls tools through an executor, waits, and stops the work there when asked to.

    Args:
        executor: Gives the executor when it is first needed; its futures end running work on
            ``cancel()`` where they can.
    """

    def __init__(self, executor: Callable[[], Executor]) -> None:
        self._executor = executor

    def __call__(
        self, tool: Tool, params: dict[str, Any], context: ToolContext, began: Began
    ) -> dict[str, Any]:
        content = pack_call(tool, params, context)
        context.cancel.check()
        future = self._submit(content, context, began)
        ended = threading.Event()

        def stop() -> None:
            future.cancel()
            ended.set()

        future.add_done_callback(lambda _: ended.set())
        try:
            with context.cancel.interrupting(stop):
                ended.wait()
        except Cancelled:
            future.cancel()
            raise
        context.cancel.check()
        try:
            return unpack_reply(future.result())
        except CancelledError:
            raise Cancelled(f"The work of {tool.spec.name} was cancelled.") from None

    def _submit(self, content: bytes, context: ToolContext, began: Began) -> Future[bytes]:
        executor = self._executor()
        if not isinstance(executor, ProcessSlots):
            began()  # another executor does not say when; its queue counts as work
            return executor.submit(run_call, content)

        def signal(fraction: float | None, message: str) -> None:
            if fraction is None:
                began()
            else:
                context.progress(fraction, message)

        return executor.submit_watched(signal, run_call, content)


class Places:
    """Chooses where a tool runs, and owns what was started for it.

    Light tools run here, heavy ones in processes that can be killed; with a Dask scheduler or an
    executor of the caller's, both run there. Tools of external servers always run here: they hold a
    connection.

    Args:
        settings: ``dask`` names a scheduler; ``executor`` = ``processes`` sends light tools to
            processes too.
        executor: Takes the place of both.
    """

    def __init__(self, settings: Settings, executor: Executor | None = None) -> None:
        self._settings = settings
        self._given = executor
        self._lock = threading.Lock()
        self._own: Executor | None = None
        self._client: Any = None
        self._elsewhere = Elsewhere(self._remote)

    def of(self, tool: Tool) -> Place:
        """Where ``tool`` runs."""
        cost = tool.spec.cost
        if cost is Cost.REMOTE:
            return here
        everything = self._given is not None or self._settings.dask or self._settings.executor == "processes"
        return self._elsewhere if cost is Cost.HEAVY or everything else here

    def close(self) -> None:
        """End the processes and connections that were started here; an executor that was given stays."""
        with self._lock:
            own, self._own = self._own, None
            client, self._client = self._client, None
        if own is not None:
            own.shutdown(wait=False)
        if client is not None:
            client.close()

    def _remote(self) -> Executor:
        if self._given is not None:
            return self._given
        with self._lock:
            if self._own is None:
                if self._settings.dask:
                    self._client, self._own = _dask(self._settings.dask)
                else:
                    self._own = ProcessSlots()
            return self._own


def _dask(address: str) -> tuple[Any, Executor]:
    """A client of the scheduler at ``address``, and its executor.

    Raises:
        MissingExtra: Dask is not installed.
        SourceUnreachable: No scheduler answers there.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra.named("dask", "Running steps on a Dask cluster") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as e:
        raise SourceUnreachable(
            f"No Dask scheduler answers at {address} ({type(e).__name__}).",
            suggestions=["Start one with 'dask scheduler', or unset GNOMON_DASK."],
        ) from None
    return client, client.get_executor(pure=False)
