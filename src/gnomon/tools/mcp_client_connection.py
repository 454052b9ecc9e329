"""One connection to an external MCP server: kept up in the background, tried again when it is lost."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import ApiFailure, TimedOut, ToolUnavailable
from gnomon.tools.mcp_client_config import ServerConfig

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult
    from mcp_types import Tool as ExternalListing

CONNECT_SECONDS = 10.0
LONGEST_PAUSE = 30.0
STREAM_SECONDS = 300.0
GRACE_SECONDS = 5.0
MAX_TOOLS = 200
MAX_PAGES = 20

# It writes a traceback for each line that is no message, as many as a server cares to send.
logging.getLogger("mcp.client.stdio").setLevel(logging.CRITICAL)

Listed = Callable[["Connection", "list[ExternalListing]"], None]


class Connection:
    """Keeps a client connected; all methods but :attr:`reason` belong to the loop's thread.

    Args:
        name: The server's name.
        config: How to reach it.
        listed: Called with its tools whenever it was connected.
    """

    def __init__(self, name: str, config: ServerConfig, listed: Listed) -> None:
        self.name = name
        self.config = config
        self.reason: str | None = "it is not connected yet"
        self._listed = listed
        self._client: Client | None = None
        self._lost = asyncio.Event()
        self._up = asyncio.Event()
        self._first_try = asyncio.Event()
        self._over = asyncio.Event()
        self._connecting: asyncio.Timeout | None = None
        self._doubt: asyncio.Future[None] | None = None

    async def keep(self) -> None:
        """Connect, and connect again when the connection is lost, until :meth:`stop` is called."""
        pause = 0.5
        while not self._over.is_set():
            try:
                await self._serve()
                pause = 0.5
            except Exception as e:  # noqa: BLE001 - a foreign server can fail in any way; each becomes a reason
                self.reason = f"its server {self.name!r} is not reachable ({_first(e)})"
                pause = min(2 * pause, LONGEST_PAUSE)
            finally:
                self._client = None
                self._up.clear()
                self._first_try.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), pause)

    def stop(self) -> None:
        """Give the connection up, at whatever it is.

        A task that is cancelled while it ends a server stops doing so, and the server is left behind.
        """
        self._over.set()
        self._lost.set()
        self._settled(asyncio.get_running_loop().time())

    async def tried(self) -> None:
        """Wait until the first attempt to connect has ended, one way or the other."""
        await self._first_try.wait()

    async def up(self) -> None:
        """Wait until it is connected."""
        await self._up.wait()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Call a tool of the server.

        Raises:
            ToolUnavailable: The server is not connected, or broke its own promises.
            ApiFailure: The connection was lost during the call.
            TimedOut: The server did not answer in time.
        """
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        client = self._client
        if client is None:
            raise ToolUnavailable(f"{self.name}.{tool} is not available: {self.reason}.")
        answer = asyncio.ensure_future(client.call_tool(tool, dict(arguments)))
        lost = asyncio.ensure_future(self._lost.wait())
        try:
            await asyncio.wait(
                {answer, lost}, timeout=self.config.timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not answer.done():
                if lost.done():
                    raise ApiFailure(f"The server {self.name!r} was lost during the call.")
                self._in_doubt(client)
                raise TimedOut(f"{self.name}.{tool} did not answer within {self.config.timeout:g} s.")
            return answer.result()
        except MCPError as e:
            raise self._failure(tool, e.code, e.message) from None
        except (RuntimeError, ValidationError) as e:
            raise ToolUnavailable(
                f"{self.name}.{tool} gave a result that breaks its own schema ({_first(e)})."
            ) from None
        except OSError as e:
            self._lost.set()
            raise ApiFailure(f"The server {self.name!r} was lost ({type(e).__name__}).") from None
        finally:
            for task in (answer, lost):
                task.cancel()

    def _in_doubt(self, client: Client) -> None:
        """See whether a server that let a call run out answers at all; one that does not is ended, with all that it writes."""

        async def asked() -> None:
            try:
                await asyncio.wait_for(client.list_tools(), max(self.config.timeout, GRACE_SECONDS))
            except Exception:  # noqa: BLE001 - however it fails, the server does not answer
                if self._client is client:
                    self._lost.set()

        if self._doubt is None or self._doubt.done():
            self._doubt = asyncio.ensure_future(asked())

    def _failure(self, tool: str, code: int, message: str) -> ApiFailure | ToolUnavailable | TimedOut:
        from mcp_types import (
            CONNECTION_CLOSED,
            INTERNAL_ERROR,
            INVALID_PARAMS,
            METHOD_NOT_FOUND,
            REQUEST_TIMEOUT,
        )

        if code == REQUEST_TIMEOUT:
            return TimedOut(f"{self.name}.{tool} did not answer in time.")
        if code in {INVALID_PARAMS, METHOD_NOT_FOUND}:
            return ToolUnavailable(f"{self.name}.{tool} was refused by its server: {message[:300]}")
        if code in {CONNECTION_CLOSED, INTERNAL_ERROR}:
            self._lost.set()
        return ApiFailure(f"{self.name}.{tool} failed: {message[:300]}")

    async def _serve(self) -> None:
        """One life of the connection: from connecting to its loss."""
        if not self._over.is_set():
            self._lost.clear()
        async with self._in_time(), self._connected() as client:
            tools = await _tools(client)
            self._settled()
            self._listed(self, tools)
            self._client, self.reason = client, None
            self._up.set()
            self._first_try.set()
            await self._lost.wait()
            self._client, self.reason = None, f"its server {self.name!r} was lost"
            self._up.clear()

    @asynccontextmanager
    async def _in_time(self) -> AsyncGenerator[None]:
        """The time that connecting may take, until it is :meth:`_settled`."""
        async with asyncio.timeout(CONNECT_SECONDS) as limit:
            self._connecting = limit
            try:
                yield
            finally:
                self._connecting = None

    def _settled(self, due: float | None = None) -> None:
        """End the time that connecting may take: it is done, or ``due``. What ends a server is not to be interrupted."""
        limit, self._connecting = self._connecting, None
        if limit is not None and not limit.expired():
            limit.reschedule(due)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Client]:
        from mcp import Client

        async with Client(self._watched(), cache=None, read_timeout_seconds=self.config.timeout) as client:
            yield client

    @asynccontextmanager
    async def _watched(self) -> AsyncGenerator[Any]:
        """The streams of the transport; the end of what comes in is the loss of the connection."""
        import anyio

        async with self._transport() as (incoming, outgoing):
            sender, receiver = anyio.create_memory_object_stream[Any](0)

            async def forward() -> None:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    async with sender:
                        async for message in incoming:
                            mend_listing(message)
                            await sender.send(message)
                self._lost.set()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(forward)
                yield receiver, outgoing
                tasks.cancel_scope.cancel()

    @asynccontextmanager
    async def _transport(self) -> AsyncGenerator[Any]:
        if self.config.url:
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            limits = httpx2.Timeout(CONNECT_SECONDS, read=max(STREAM_SECONDS, self.config.timeout))
            async with (
                httpx2.AsyncClient(headers=self.config.headers, timeout=limits) as http,
                streamable_http_client(self.config.url, http_client=http) as streams,
            ):
                try:
                    yield streams
                finally:
                    self._settled()
            return
        from mcp import StdioServerParameters, stdio_client

        assert self.config.command is not None
        started = StdioServerParameters(
            command=self.config.command,
            args=list(self.config.args),
            env=self.config.env or None,
            cwd=self.config.cwd,
        )
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - what foreign servers say on stderr is theirs
            async with stdio_client(started, errlog=nowhere) as streams:
                try:
                    yield streams
                finally:
                    self._settled()


async def _tools(client: Client) -> list[ExternalListing]:
    found: list[ExternalListing] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) >= MAX_TOOLS:
            break
    return found[:MAX_TOOLS]


# A schema that reads as one and is none: the tool that gets it is unavailable, for the reason that it is not valid.
_NO_SCHEMA = {"type": "object", "properties": {"": {"type": "not valid"}}}


def mend_listing(message: Any) -> None:
    """In a list of tools, replace what the protocol's types would turn down, and all the other tools of the server with it."""
    result = getattr(getattr(message, "message", None), "result", None)
    if not isinstance(result, dict) or not isinstance(listed := result.get("tools"), list):
        return
    named = [t for t in listed if isinstance(t, dict) and isinstance(t.get("name"), str)]
    result["tools"] = [_listable(t) for t in named]


def _listable(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool as it is, with a schema replaced that does not fit, or reduced to its name."""
    mended = [{field: _NO_SCHEMA} for field in ("outputSchema", "inputSchema") if tool.get(field) is not None]
    bare = {"name": tool["name"], "inputSchema": _NO_SCHEMA}
    return next((t for t in (tool, *({**tool, **m} for m in mended)) if _fits(t)), bare)


def _fits(tool: dict[str, Any]) -> bool:
    """Whether a listing with this tool passes the protocol's types, in the versions that differ."""
    from mcp_types.methods import validate_server_result
    from pydantic import ValidationError

    page = {"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    try:
        for version in ("2025-11-25", "2026-07-28"):
            validate_server_result("tools/list", version, page)
    except (ValidationError, ValueError):
        return False
    return True


def _first(error: BaseException) -> str:
    """What went wrong in a few words, from the innermost of grouped errors."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__
