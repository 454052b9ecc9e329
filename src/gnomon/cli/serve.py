"""``gnomon serve``: the HTTP service."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; stays on this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8765,
) -> None:
    """Serve the analyze API, the tools and MCP over HTTP."""
    import uvicorn

    from gnomon.cli.console import error_console
    from gnomon.core import Settings
    from gnomon.core.errors import ConfigurationError
    from gnomon.server import create_app

    settings = Settings.load()
    if host not in {"127.0.0.1", "localhost", "::1"} and not settings.api_token:
        raise ConfigurationError(
            f"Listening on {host} lets others reach this server, and no token protects it.",
            suggestions=["Set GNOMON_API_TOKEN, or listen on 127.0.0.1."],
        )
    error_console().print(f"Gnomon listens on http://{host}:{port} (stop with Ctrl+C)")
    uvicorn.run(
        create_app(settings, warm=True), host=host, port=port, log_level="warning", server_header=False
    )
