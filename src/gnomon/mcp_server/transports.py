"""The two ways to the server, each with the ledger on the wire: standard input and output, and HTTP."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, BinaryIO, cast

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from gnomon.core.settings import Settings
from gnomon.mcp_server.ledger import EgressLedger
from gnomon.mcp_server.server import GnomonServer

if TYPE_CHECKING:
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
MAX_SESSIONS = 256


class RecordedOutput:
    """Text on its way to the client, written to the ledger before it is sent."""

    def __init__(self, out: BinaryIO, ledger: EgressLedger) -> None:
        self._out = out
        self._ledger = ledger

    def write(self, text: str) -> int:
        """Record and write."""
        content = text.encode()
        self._ledger.record("mcp-stdio", content)
        self._out.write(content)
        return len(text)

    def flush(self) -> None:
        """Send what was written."""
        self._out.flush()


async def serve_stdio(server: GnomonServer) -> None:
    """Serve one client over this process's standard input and output until it closes them.

    From here on only the protocol uses standard output: what anything else prints goes to standard error.
    """
    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    output = anyio.wrap_file(cast("IO[str]", RecordedOutput(wire, server.ledger)))
    inner = server._lowlevel_server  # pyright: ignore[reportPrivateUsage]
    async with stdio_server(stdout=output) as (incoming, outgoing):
        await inner.run(incoming, outgoing, inner.create_initialization_options())


class RecordedApp:
    """An ASGI application whose response bodies are written to the ledger before they are sent."""

    def __init__(self, app: ASGIApp, ledger: EgressLedger) -> None:
        self._app = app
        self._ledger = ledger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and record."""

        async def recorded(message: Message) -> None:
            if message["type"] == "http.response.body":
                await anyio.to_thread.run_sync(self._ledger.record, "mcp-http", message.get("body", b""))
            await send(message)

        await self._app(scope, receive, recorded)


class RoomForMore:
    """An ASGI application in which the session that has been idle longest makes room for a new one.

    A client that went away without a word would otherwise keep its place for half an hour.
    """

    def __init__(self, app: ASGIApp, server: GnomonServer, limit: int) -> None:
        self._app = app
        self._server = server
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Make room where it is needed, and pass on; with every session at work, ask to come back."""
        begins = scope["type"] == "http" and not any(k == b"mcp-session-id" for k, _ in scope["headers"])
        if begins and not await self._has_room():
            from starlette.responses import JSONResponse

            said = {
                "jsonrpc": "2.0",
                "id": None,
                "error": {"code": -32000, "message": "Every session is at work."},
            }
            await JSONResponse(said, 429, {"Retry-After": "5"})(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _has_room(self) -> bool:
        # The SDK refuses what is over its limit and offers no way to choose who goes; these are its own parts.
        manager = self._server.session_manager
        sessions = manager._server_instances  # pyright: ignore[reportPrivateUsage]
        if len(sessions) < self._limit:
            return True
        idle = [
            (transport.idle_scope.deadline, session)
            for session, transport in sessions.items()
            if transport.idle_scope is not None and not transport._requests_in_flight  # pyright: ignore[reportPrivateUsage]
        ]
        if not idle:
            return False
        _, oldest = min(idle)
        await manager._discard_session(oldest, sessions[oldest])  # pyright: ignore[reportPrivateUsage]
        return True


def mcp_routes(server: GnomonServer) -> list[BaseRoute]:
    """The routes of ``/mcp`` for an application, whose lifespan has to run ``server.session_manager.run()``."""
    from starlette.routing import Route

    settings = server.desk.workbench.settings
    made = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security(settings),
        max_request_body_size=settings.max_upload_mb * 1024 * 1024,
        max_sessions=MAX_SESSIONS,
    )
    return [
        Route(
            route.path,
            endpoint=RoomForMore(RecordedApp(route.endpoint, server.ledger), server, MAX_SESSIONS),
            include_in_schema=False,
        )
        for route in made.routes
        if isinstance(route, Route)
    ]


def security(settings: Settings) -> TransportSecuritySettings:
    """The hosts and origins that the SDK itself accepts: the same as the application's own guards."""
    hosts = [h for name in settings.allowed_hosts for h in (name, f"{name}:*")]
    origins = [f"{scheme}://{h}" for h in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
    )
