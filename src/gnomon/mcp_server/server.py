"""The MCP server: the tools of a workbench, data sets, investigations, resources and prompts for agents."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    Prompt,
    Resource,
    ResourceTemplate,
    TextContent,
    Tool,
    ToolAnnotations,
)

from gnomon import __version__
from gnomon.core.errors import GnomonError, NotFound
from gnomon.execution.failures import typed_error
from gnomon.mcp_server import resources_offer
from gnomon.mcp_server.calls import Control, Desk, as_text
from gnomon.mcp_server.investigations import Investigations
from gnomon.mcp_server.ledger import EgressLedger
from gnomon.mcp_server.own_tools import OwnTool, data_tools
from gnomon.mcp_server.progress import Reporter
from gnomon.mcp_server.prompts_offer import PROMPTS
from gnomon.mcp_server.schemas import input_schema, output_schema
from gnomon.tools import CancelToken, ToolSpec
from gnomon.workbench import Workbench

logger = logging.getLogger("gnomon.mcp")

MAX_CALLS = 16
INSTRUCTIONS = """Gnomon computes; it never guesses. Open a file with open_dataset, then pass {"table": "name"} as
data to the other tools. For anomalies call investigation_start and follow next_action. Quote only figures that a
tool returned. Rows stay on the user's machine unless the server was started with --share-rows: chain tools by
passing the handle of rows as {"table": handle}, and read long lists with read_result."""


class GnomonServer(MCPServer[Any]):
    """An MCP server over one workbench; :meth:`close` lets go of what clients have opened.

    Args:
        workbench: Where tools are and run; it stays open.
        share_rows: Whether rows may leave.
        files: Files, folders and database URLs to open at once.
    """

    def __init__(self, workbench: Workbench, *, share_rows: bool = False, files: Iterable[str] = ()) -> None:
        super().__init__(
            "gnomon", title="Gnomon", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING",
            description="A data analyst on the user's own machine.",
        )  # fmt: skip
        self.desk = Desk(workbench, share_rows=share_rows, files=files)
        self.ledger = EgressLedger.of(workbench.settings, self.desk.level)
        self._investigations = Investigations()
        own = [*data_tools(), *self._investigations.tools()]
        self._own: dict[str, OwnTool] = {tool.name: tool for tool in own}
        self._calls = anyio.CapacityLimiter(MAX_CALLS)

    def close(self) -> None:
        """Close the data sets and end the investigations."""
        self._investigations.close()
        self.desk.close()

    async def list_tools(self) -> list[Tool]:
        """The tools of the server and those of the registry that can run here and now."""
        registry = self.desk.workbench.registry
        return [
            *(_own_tool(tool) for tool in self._own.values()),
            *(_tool(tool.spec) for tool in registry.available() if self._offered(tool.spec)),
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """Run a tool in a thread; when the request is cancelled, so is the work."""
        cancel = CancelToken()
        reporter = Reporter(context, share_messages=self.desk.share_rows)
        outcome: dict[str, Any] | GnomonError = {}
        try:
            async with reporter:
                outcome = await anyio.to_thread.run_sync(
                    self._outcome, name, arguments, Control(cancel, reporter.tell),
                    abandon_on_cancel=True, limiter=self._calls,
                )  # fmt: skip
        finally:
            cancel.cancel()
        if isinstance(outcome, GnomonError):
            return _refused(outcome)
        return CallToolResult(
            content=[TextContent(type="text", text=as_text(outcome))],
            structured_content=outcome,
            is_error=False,
        )

    def _outcome(
        self, name: str, arguments: dict[str, Any], control: Control
    ) -> dict[str, Any] | GnomonError:
        """What came of a call: its value, or a typed error."""
        try:
            return self._called(name, arguments, control)
        except GnomonError as e:
            return e
        except Exception as e:
            logger.error("the tool %r failed with %s", name[:80], type(e).__name__, exc_info=e)
            return typed_error(name[:80], e)

    def _called(self, name: str, arguments: dict[str, Any], control: Control) -> dict[str, Any]:
        own = self._own.get(name)
        if own is not None:
            return own(arguments, self.desk, control)
        registry = self.desk.workbench.registry
        if name not in registry or not self._offered(registry.get(name).spec):
            offered = [t.spec.name for t in registry if self._offered(t.spec)]
            raise NotFound.among("tool", name[:80], [*self._own, *offered])
        return self.desk.call(name, arguments, control)

    def _offered(self, spec: ToolSpec) -> bool:
        return spec.origin in {"builtin", "saved"} and spec.name not in self._own

    async def list_resources(self) -> list[Resource]:
        """The open data sets and finished reports."""
        return resources_offer.listed(self.desk, self._investigations)

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """The shapes of addresses that can be read."""
        return resources_offer.templates()

    async def read_resource(
        self, uri: Any, context: Context[Any, Any] | None = None
    ) -> list[ReadResourceContents]:
        """Read a resource."""
        try:
            content, kind = await anyio.to_thread.run_sync(
                resources_offer.read, str(uri), self.desk, self._investigations, limiter=self._calls
            )
        except NotFound as e:
            raise ResourceNotFoundError(e.message) from None
        except GnomonError as e:
            raise ResourceError(e.message) from None
        return [ReadResourceContents(content=content, mime_type=kind)]

    async def list_prompts(self) -> list[Prompt]:
        """The prompts on offer."""
        return [offer.listed() for offer in PROMPTS.values()]

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult:
        """A prompt with its arguments filled in."""
        try:
            if name not in PROMPTS:
                raise NotFound.among("prompt", name[:80], PROMPTS)
            return PROMPTS[name].rendered({k: str(v) for k, v in (arguments or {}).items()})
        except GnomonError as e:
            raise MCPError(code=INVALID_PARAMS, message=e.message) from None


def create_mcp_server(
    workbench: Workbench, *, share_rows: bool = False, files: Iterable[str] = ()
) -> GnomonServer:
    """An MCP server over ``workbench``.

    Args:
        workbench: Where tools are and run; it stays open when the server is closed.
        share_rows: Whether rows may leave; otherwise facts, aggregates and profiles do.
        files: Files, folders and database URLs to open at once.

    Raises:
        DataUnavailable: One of the files cannot be opened.
    """
    return GnomonServer(workbench, share_rows=share_rows, files=files)


def _tool(spec: ToolSpec) -> Tool:
    return Tool(
        name=spec.name,
        title=spec.name.replace("_", " ").capitalize(),
        description=spec.description,
        input_schema=input_schema(spec),
        output_schema=output_schema(spec),
        annotations=_annotations(spec.read_only),
    )


def _own_tool(tool: OwnTool) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        input_schema={"type": "object", **tool.takes.model_json_schema()},
        output_schema=tool.gives,
        annotations=_annotations(tool.read_only),
    )


def _annotations(read_only: bool) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=read_only, destructive_hint=False, idempotent_hint=read_only, open_world_hint=False
    )


def _refused(error: GnomonError) -> CallToolResult:
    """A typed error as a tool result: the code, what was wrong, what to do.

    It is text only: clients hold structured content against the output schema even where it is an error.
    """
    said = error.to_response().model_dump(mode="json")
    value = {
        "error": {
            "code": said["error_code"],
            "message": said["message"],
            "suggestions": said["suggestions"] or [],
            "retryable": said["retryable"],
        }
    }
    return CallToolResult(content=[TextContent(type="text", text=as_text(value))], is_error=True)
