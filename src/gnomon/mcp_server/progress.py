"""Progress from a working thread to the client that asked for it, never slowing the work down."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from anyio.abc import TaskGroup
from mcp.server.mcpserver import Context

BUFFER = 64


class Reporter:
    """Forwards progress while a call runs; values only grow, and surplus reports are dropped.

    Args:
        context: The request; None where nobody listens.
        share_messages: Whether the words of a tool are sent too; they may quote cells.
    """

    def __init__(self, context: Context[Any, Any] | None, *, share_messages: bool) -> None:
        self._context = context
        self._share = share_messages
        self._highest = -1.0
        self._token: anyio.lowlevel.EventLoopToken | None = None
        self._send, self._receive = anyio.create_memory_object_stream[tuple[float, str | None]](BUFFER)
        self._tasks: TaskGroup = anyio.create_task_group()

    async def __aenter__(self) -> Reporter:
        self._token = anyio.lowlevel.current_token()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._forward)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._send.close()
        return await self._tasks.__aexit__(kind, error, trace)

    def tell(self, fraction: float, message: str) -> None:
        """Report from any thread but the loop's own."""
        if self._context is None or fraction <= self._highest:
            return
        self._highest = fraction
        report = (fraction, message if self._share else None)
        try:
            anyio.from_thread.run_sync(self._offer, report, token=self._token)
        except (RuntimeError, anyio.RunFinishedError):
            return  # the server has stopped while an abandoned call still reported

    def _offer(self, report: tuple[float, str | None]) -> None:
        try:
            self._send.send_nowait(report)
        except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    async def _forward(self) -> None:
        async with self._receive:
            async for fraction, message in self._receive:
                if self._context is not None:
                    await self._context.report_progress(fraction, 1.0, message)
