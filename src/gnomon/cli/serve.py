"""``gnomon serve``: the page, the HTTP service and MCP."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gnomon.core import Settings

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; stays on this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8765,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--open", metavar="DATA", help="A file, folder or database URL to have ready; may be repeated."
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = False,
) -> None:
    """Serve the page, the API and MCP over HTTP; the demo store is always there."""
    serve_page(host, port, sources or [], browser=browser)
    leave()


def leave() -> None:
    """End the process with its files closed, although work that nobody waits for any more may be in a library.

    Threads that compute in C++ cannot be ended; an interpreter that is taken down around them aborts.
    """
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] - what an ordinary end would do first
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def serve_page(host: str, port: int, sources: list[str], *, browser: bool, shown: str = "") -> None:
    """Serve until Ctrl+C; the address is printed when the server listens.

    Args:
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        sources: What to have ready besides the demo store.
        browser: Whether to open the page.
        shown: The id of the data set that the page begins with; the newest where it is empty.

    Raises:
        ConfigurationError: The port is taken, or the address is not one of this machine.
    """
    import uvicorn

    from gnomon.cli.console import error_console
    from gnomon.core import Settings
    from gnomon.server import create_app
    from gnomon.server.faults import log_in_lines
    from gnomon.server.listening import HeadInTime, listening

    settings = Settings.load()
    out = error_console()
    token = ""
    if host not in LOOPBACK:
        settings, token = _protected(settings, host)
    socket = listening(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{socket.getsockname()[1]}/"
    page = f"{address}?data={shown}" if shown else address
    log_in_lines()
    app = create_app(settings, warm=True, sources=sources)
    config = uvicorn.Config(
        app, http=HeadInTime, log_config=None, access_log=False, server_header=False, date_header=False,
        timeout_keep_alive=10, timeout_graceful_shutdown=5, lifespan="on", ws="none",
    )  # fmt: skip
    server = uvicorn.Server(config)
    out.print(f"Gnomon listens on [bold]{page}[/] (stop with Ctrl+C)", soft_wrap=True)
    if token:
        out.print(
            f"A token is needed from elsewhere; it is shown this once: {address}?token={token}",
            soft_wrap=True,
        )
    if browser:
        opened = f"{address}?token={token}" if token else page
        threading.Timer(0.5, lambda: webbrowser.open(opened)).start()
    try:
        # What cannot be wired is said in a sentence here; from within the server it would be a traceback.
        _ = app.state.service.workbench.layer
        server.run(sockets=[socket])
    except KeyboardInterrupt:
        pass
    finally:
        socket.close()
    out.print("Gnomon has stopped.")


def _protected(settings: Settings, host: str) -> tuple[Settings, str]:
    """The settings for an address that others can reach: with a token, which is made and shown where none is set."""
    import secrets
    import socket

    made = "" if settings.api_token or settings.tenant_tokens else secrets.token_urlsafe(24)
    names = {host, socket.gethostname().lower()} - {"0.0.0.0", "::"}  # noqa: S104 - left out, not listened on
    hosts = tuple(dict.fromkeys([*settings.allowed_hosts, *(f"[{n}]" if ":" in n else n for n in names)]))
    changed: dict[str, object] = {"allowed_hosts": hosts}
    if made:
        changed["api_token"] = made
    return settings.model_copy(update=changed), made
