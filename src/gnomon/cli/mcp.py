"""``gnomon mcp``: the tools for AI agents, on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer


def mcp(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILES]...", help="Files, folders or database URLs that the agent may use."),
    ] = None,
    share_rows: Annotated[
        bool,
        typer.Option("--share-rows", help="Let rows leave this machine; otherwise figures and profiles do."),
    ] = False,
) -> None:
    """Serve an AI agent over MCP on standard input and output.

    The agent opens FILES and what lies under GNOMON_DATA_ROOTS, and gets facts, aggregates and profiles.
    """
    import anyio

    from gnomon.core import Settings
    from gnomon.mcp_server import create_mcp_server, serve_stdio
    from gnomon.workbench import Workbench

    with Workbench(Settings.load()) as workbench:
        server = create_mcp_server(workbench, share_rows=share_rows, files=files or ())
        try:
            anyio.run(serve_stdio, server)
        finally:
            server.close()
