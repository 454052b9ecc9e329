"""Tools of external MCP servers: they enter the registry as ``server.tool`` and never take it down."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import logging
import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import to_jsonable_python

from gnomon.core.errors import Cancelled, InvalidInput, NotFound
from gnomon.core.settings import Settings
from gnomon.tools.contract import Cost, ToolContext, ToolSpec
from gnomon.tools.frames import Frame
from gnomon.tools.mcp_client_config import read_config
from gnomon.tools.mcp_client_connection import CONNECT_SECONDS, Connection
from gnomon.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from mcp_types import CallToolResult
    from mcp_types import Tool as ExternalListing

DESCRIPTION_LENGTH = 1000
SCHEMA_LENGTH = 64_000
RESULT_LENGTH = 4_000_000
TEXT_LENGTH = 20_000
GRACE_SECONDS = 1.0
MAX_ROWS = 10_000
CLOSE_SECONDS = 10.0

logger = logging.getLogger("gnomon.tools")


class ExternalTool:
    """One tool of an external server.

    Args:
        connection: The way to its server.
        listing: What the server says about it; none of it is trusted.
        loop: Where the connection lives.
    """

    def __init__(
        self, connection: Connection, listing: ExternalListing, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._connection = connection
        self._remote_name = listing.name
        self._loop = loop
        self.gone = False
        self._fault = _fault(listing)
        given = {} if self._fault else listing.input_schema
        structured = {} if self._fault or not listing.output_schema else listing.output_schema
        hints = listing.annotations
        self._spec = ToolSpec(
            name=local_name(connection.name, listing.name),
            description=_clean(listing.description)
            or f"{listing.name[:80]} of the MCP server {connection.name}.",
            input_schema={"type": "object", "properties": {}, **given},
            output_schema={
                "type": "object",
                "properties": {
                    "summary": {"type": "string"},
                    "text": {"type": "string"},
                    "structured": structured,
                },
                "required": ["summary", "text", "structured"],
            },
            cost=Cost.REMOTE,
            origin=f"mcp:{connection.name}",
            read_only=bool(hints and hints.read_only_hint),
            # The connection itself ends the call at its limit; a step only sees to it that it does.
            timeout_seconds=connection.config.timeout + GRACE_SECONDS,
        )

    @property
    def spec(self) -> ToolSpec:
        """What is known about the tool without running it."""
        return self._spec

    def unavailable(self) -> str | None:
        """Why the tool cannot run: its server is away, or its description cannot be used."""
        if self._fault:
            return self._fault
        return "its server no longer offers it" if self.gone else self._connection.reason

    def __call__(self, params: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        """Call the server and wait, at most as long as its timeout allows.

        Raises:
            GnomonError: The server is away, slow, refuses, or breaks its promises; each is typed.
        """
        arguments = {k: _sendable(v) for k, v in params.items()}
        context.cancel.check()
        future = asyncio.run_coroutine_threadsafe(
            self._connection.call(self._remote_name, arguments), self._loop
        )

        def stop() -> None:
            future.cancel()

        with context.cancel.interrupting(stop):
            try:
                answer = future.result()
            except concurrent.futures.CancelledError:
                raise Cancelled(f"The call of {self._spec.name} was cancelled.") from None
        return self._given(answer)

    def _given(self, answer: CallToolResult) -> dict[str, Any]:
        texts = [str(block.text) for block in answer.content if block.type == "text"]
        text = "\n".join(texts)
        if answer.is_error:
            raise InvalidInput(f"{self._spec.name} answered with an error: {_clean(text)[:500]}")
        structured = answer.structured_content
        size = len(text) + len(json.dumps(structured, default=str))
        if size > RESULT_LENGTH:
            raise InvalidInput(
                f"{self._spec.name} gave a result of {size:,} characters, more than {RESULT_LENGTH:,}.",
                suggestions=["Ask it for less."],
            )
        summary = next((line for line in text.splitlines() if line.strip()), "It gave no text.")
        return {"summary": _clean(summary)[:300], "text": text[:TEXT_LENGTH], "structured": structured}


class MissingServer:
    """Stands for a server that has not been reached yet, so that its absence has a reason."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._spec = ToolSpec(
            name=placeholder_name(connection.name),
            description=f"The MCP server {connection.name}, whose tools are not known yet.",
            input_schema={"type": "object", "properties": {}},
            output_schema={"type": "object", "properties": {}},
            cost=Cost.REMOTE,
            origin=f"mcp:{connection.name}",
        )

    @property
    def spec(self) -> ToolSpec:
        """What is known about it."""
        return self._spec

    def unavailable(self) -> str:
        """Why it is not there."""
        return self._connection.reason or "its tools are listed under their own names"

    def __call__(self, params: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        """A server is no tool.

        Raises:
            NotFound: Always.
        """
        raise NotFound(f"{self._spec.name} is a server, not a tool: {self.unavailable()}.")


class ExternalServers:
    """The connections to external servers, on an event loop with a thread of its own.

    Args:
        registry: Where their tools are entered.
        settings: ``mcp_config`` names the file.
    """

    def __init__(self, registry: ToolRegistry, settings: Settings) -> None:
        self._registry = registry
        configs = read_config(settings.mcp_config) if settings.mcp_config else {}
        self._tools: dict[str, dict[str, ExternalTool]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="gnomon-mcp-client")
        self._thread.start()
        self._connections: dict[str, Connection] = {}
        self._keepers: list[asyncio.Task[None]] = []
        wanted = {name: config for name, config in configs.items() if not config.disabled}
        if wanted:
            self._wait(self._begin(wanted), CONNECT_SECONDS + 5)

    def reasons(self) -> dict[str, str | None]:
        """Each server with the reason why it is away, None where it is connected."""
        return {name: connection.reason for name, connection in self._connections.items()}

    def wait_connected(self, server: str, timeout: float) -> None:
        """Wait until a server is connected.

        Raises:
            TimeoutError: It is not, after ``timeout`` seconds.
        """
        self._wait(asyncio.wait_for(self._connections[server].up(), timeout), timeout + 1)

    def close(self) -> None:
        """End the connections, the servers that were started, and the loop."""
        if not self._thread.is_alive():
            return
        try:
            self._wait(self._end(), CLOSE_SECONDS)
        except TimeoutError:  # a foreign server that will not end is no reason for this process not to
            logger.warning("an external MCP server did not end in time")
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CLOSE_SECONDS)

    def _wait(self, work: Any, seconds: float) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    async def _begin(self, configs: Mapping[str, Any]) -> None:
        for name, config in configs.items():
            connection = Connection(name, config, self._enter)
            self._connections[name] = connection
            self._registry.register(MissingServer(connection), replace=True)
            self._keepers.append(asyncio.create_task(connection.keep()))
        tried = [asyncio.create_task(c.tried()) for c in self._connections.values()]
        await asyncio.wait(tried, timeout=CONNECT_SECONDS + 2)

    async def _end(self) -> None:
        for connection in self._connections.values():
            connection.stop()
        if self._keepers:
            _, late = await asyncio.wait(self._keepers, timeout=CLOSE_SECONDS / 2)
            for keeper in late:
                keeper.cancel()

    def _enter(self, connection: Connection, listings: list[ExternalListing]) -> None:
        """Enter the tools of a server that was just connected; those it no longer lists stay, as gone."""
        known = self._tools.setdefault(connection.name, {})
        fresh: dict[str, ExternalTool] = {}
        for listing in listings:
            tool = ExternalTool(connection, listing, self._loop)
            fresh.setdefault(tool.spec.name, tool)
        for name, tool in known.items():
            tool.gone = name not in fresh
        self._registry.unregister(placeholder_name(connection.name))
        for tool in fresh.values():
            self._registry.register(tool, replace=True)
        known.update(fresh)


def connect_servers(registry: ToolRegistry, settings: Settings) -> ExternalServers:
    """Enter the tools of the servers that ``settings.mcp_config`` names; close what is returned when done.

    A server that cannot be reached does not stop the others: it is tried again in the background, and its
    tools appear when it answers.

    Raises:
        ConfigurationError: The file cannot be used.
    """
    return ExternalServers(registry, settings)


def local_name(server: str, tool: str) -> str:
    """The name of an external tool in the registry."""
    return f"{server}.{re.sub(r'[^A-Za-z0-9_.-]', '_', tool)}"[:128]


def placeholder_name(server: str) -> str:
    """The name under which a server is entered until its tools are known."""
    return f"{server}.server"


def _clean(text: str | None) -> str:
    """Text of strangers: one paragraph, bounded, without control characters."""
    plain = "".join(c if c.isprintable() else " " for c in (text or "")[: 4 * DESCRIPTION_LENGTH])
    return " ".join(plain.split())[:DESCRIPTION_LENGTH]


def _fault(listing: ExternalListing) -> str | None:
    """Why a listing cannot be used, or None."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    for what, schema in (("input", listing.input_schema), ("output", listing.output_schema)):
        if schema is None:
            continue
        if len(json.dumps(schema)) > SCHEMA_LENGTH:
            return f"its {what} schema is larger than {SCHEMA_LENGTH:,} characters"
        try:
            Draft202012Validator.check_schema(schema)
        except (SchemaError, RecursionError):
            return f"its {what} schema is not valid JSON Schema"
    if listing.input_schema.get("type", "object") != "object":
        return "its input schema does not describe an object"
    return None


def _sendable(value: Any) -> Any:
    """A parameter as JSON; rows are sent in full, within a bound."""
    if isinstance(value, Frame):
        if value.is_reference:
            raise InvalidInput(
                "An external tool cannot read tables of this machine; pass the rows themselves."
            )
        if len(value) > MAX_ROWS:
            raise InvalidInput(
                f"{len(value):,} rows are too many to send to an external tool.",
                suggestions=[f"Aggregate or filter them to at most {MAX_ROWS:,} rows."],
            )
        return to_jsonable_python(value.to_rows(), fallback=str, inf_nan_mode="null")
    if isinstance(value, Mapping):
        return {str(k): _sendable(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    return to_jsonable_python(value, fallback=str, inf_nan_mode="null")
