"""The page: static files from the package, and the chart library from the bundle that vl-convert carries."""

from __future__ import annotations

import asyncio
import os
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from gnomon.core import Settings
from gnomon.core.errors import MissingExtra, TimedOut

_IN_A_PROCESS = "import sys, vl_convert; sys.stdout.write(vl_convert.javascript_bundle())"
_SECONDS = 300.0
_FRESH = {"Cache-Control": "no-cache"}


def add_page(app: FastAPI, settings: Settings) -> None:
    """Serve ``/`` and ``/static``; nothing of it comes from elsewhere."""
    folder = Path(str(files("gnomon.server") / "static"))
    making = asyncio.Lock()

    @app.get("/", include_in_schema=False)
    async def page() -> Response:  # pyright: ignore[reportUnusedFunction]
        return FileResponse(folder / "index.html", media_type="text/html", headers=_FRESH)

    @app.get("/favicon.ico", include_in_schema=False)
    async def mark() -> Response:  # pyright: ignore[reportUnusedFunction]
        return FileResponse(folder / "mark.svg", media_type="image/svg+xml", headers=_FRESH)

    @app.get("/static/vega.js", include_in_schema=False)
    async def charts() -> Response:  # pyright: ignore[reportUnusedFunction]
        async with making:  # several pages that open at once wait for one bundle
            bundle = await chart_library(settings)
        caching = {"Cache-Control": "private, max-age=86400"}
        return FileResponse(bundle, media_type="text/javascript", headers=caching)

    app.mount("/static", _Revalidated(directory=folder), name="static")


class _Revalidated(StaticFiles):
    """Files that a browser asks for again, so that a newer version of Gnomon shows its own page."""

    def file_response(self, *args: Any, **named: Any) -> Response:
        response = super().file_response(*args, **named)
        response.headers.update(_FRESH)
        return response


async def chart_library(settings: Settings) -> Path:
    """The file of the chart library, made where this version has none yet.

    It is made in a process of its own, since the bundler holds the interpreter for seconds.

    Raises:
        MissingExtra: The optional part ``charts`` is not installed.
        TimedOut: The machine is too busy to make it.
    """
    try:
        made_by = version("vl-convert-python")
    except PackageNotFoundError:
        raise MissingExtra.named("charts", "Charts on the page") from None
    kept = settings.home.expanduser() / "page" / f"vega-{made_by}.js"
    if kept.is_file():
        return kept
    import sys

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _IN_A_PROCESS, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        text, _ = await asyncio.wait_for(process.communicate(), _SECONDS)
    except TimeoutError:
        raise TimedOut(f"The chart library was not ready within {_SECONDS:g} seconds.") from None
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode != 0 or not text:
        raise MissingExtra.named("charts", "Charts on the page")
    await asyncio.to_thread(_keep, kept, text)
    return kept


def _keep(file: Path, text: bytes) -> None:
    from gnomon.core.private import private_folder

    private_folder(file.parent)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(text)
    part.replace(file)
