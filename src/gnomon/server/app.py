"""The application factory."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from gnomon import __version__
from gnomon.core import Settings
from gnomon.mcp_server import create_mcp_server, mcp_routes
from gnomon.server import errors
from gnomon.server.analyze import router
from gnomon.server.guards import Guards
from gnomon.workbench import Workbench


def create_app(settings: Settings | None = None, *, warm: bool = False) -> FastAPI:
    """A service over a workbench of its own, with MCP under ``/mcp``; closing the application closes both.

    Args:
        settings: How it behaves; read from the environment by default.
        warm: Start a process for model fits at once, so that the first request does not wait for it.
    """
    settings = settings or Settings.load()
    workbench = Workbench(settings)
    agents = create_mcp_server(workbench)
    agent_routes = mcp_routes(agents)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        try:
            if warm:
                workbench.layer.warm_up()
            async with agents.session_manager.run():
                yield
        finally:
            agents.close()
            workbench.close()

    app = FastAPI(title="Gnomon", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(Guards, settings=settings)  # pyright: ignore[reportArgumentType]
    errors.install(app)
    app.include_router(router(workbench))
    app.router.routes.extend(agent_routes)

    @app.get("/health", tags=["service"])
    def health() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """Whether the service is up, and its version."""
        return {"status": "ok", "version": __version__, "tools": len(workbench.registry)}

    @app.get("/tools", tags=["service"])
    def tools() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """Every tool with its schemas, and why it is not available where it is not."""
        return {"tools": [_described(workbench, name) for name in workbench.registry.names()]}

    return app


def _described(workbench: Workbench, name: str) -> dict[str, Any]:
    reason = workbench.registry.unavailable(name)
    spec = workbench.registry.get(name).spec
    return {
        **spec.model_dump(mode="json"),
        "endpoint": spec.endpoint,
        "available": reason is None,
        "reason": reason,
    }
