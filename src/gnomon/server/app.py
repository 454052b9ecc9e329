"""The application factory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from gnomon import __version__
from gnomon.agents.suggestions import first_questions
from gnomon.core import Settings, clock
from gnomon.core.errors import RateLimited
from gnomon.core.settings import DEFAULT_TENANT
from gnomon.mcp_server import create_mcp_server, mcp_routes
from gnomon.server import (
    analysis_routes,
    analyze,
    ask_routes,
    dataset_routes,
    errors,
    evaluation_routes,
    investigation_routes,
    models,
    report_routes,
    run_routes,
    tool_routes,
)
from gnomon.server.datasets import DEMO
from gnomon.server.examples import add_examples
from gnomon.server.guards import Guards
from gnomon.server.page import add_page, chart_library
from gnomon.server.rendering import JSON
from gnomon.server.service import Caller, Service
from gnomon.store import AuditEntry
from gnomon.workbench import Workbench

_NOT_AUDITED = (
    "/api/ask",
    "/api/why",
    "/api/insights",
    "/api/start",
    "/api/investigations",
    "/v1/",
    "/v2/",
    "/mcp",
)
"""What makes runs is on record as a run."""


def create_app(
    settings: Settings | None = None, *, warm: bool = False, sources: Iterable[str] = ()
) -> FastAPI:
    """A service over a workbench of its own, with MCP under ``/mcp``; closing the application closes both.

    Args:
        settings: How it behaves; read from the environment by default.
        warm: Open the data and start a process for model fits at once, so that the first request does not wait.
        sources: Files, folders and database URLs that are data sets from the start.
    """
    settings = settings or Settings.load()
    workbench = Workbench(settings)
    service = Service(settings, workbench, _named(sources))
    investigating = investigation_routes.Investigating(service)
    agents = create_mcp_server(workbench)
    agent_routes = mcp_routes(agents)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        try:
            await asyncio.to_thread(
                lambda: workbench.layer
            )  # wired once, before many ask for it at the same time
            if warm:
                workbench.layer.warm_up()
                await _open_all(service)
                service.lanes.long.submit(_practise, service)
                library = asyncio.create_task(chart_library(settings))
                library.add_done_callback(lambda made: made.cancelled() or made.exception())
            async with agents.session_manager.run():
                yield
        finally:
            service.close()
            agents.close()
            workbench.close()

    app = FastAPI(
        title="Gnomon",
        version=__version__,
        description="A data analyst that runs on your own machine. Every error has the shape of `Failure`.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        default_response_class=JSON,
        responses=_FAILURES,
    )
    app.state.service = service
    app.add_middleware(Guards, settings=settings, audit=lambda scope, status: _audit(service, scope, status))  # pyright: ignore[reportArgumentType]
    errors.install(app)
    for routes in (
        analyze.router(service),
        ask_routes.router(service),
        analysis_routes.router(service),
        dataset_routes.router(service),
        investigation_routes.router(service, investigating),
        run_routes.router(service),
        report_routes.router(service, investigating),
        evaluation_routes.router(service),
        tool_routes.router(service),
    ):
        app.include_router(routes)
    app.router.routes.extend(agent_routes)
    add_page(app, settings)
    add_examples(app)

    @app.get("/health", tags=["service"], response_model=models.Health)
    async def health() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """Whether the service is up, and its version."""
        return {"status": "ok", "version": __version__, "tools": len(workbench.base)}

    return app


_FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Failure, "description": text}
    for status, text in {
        400: "The request cannot be taken.",
        401: "A token is needed.",
        403: "A rule forbids it.",
        404: "There is no such thing.",
        408: "The request was not sent in time.",
        409: "It cannot be done as things stand, or was cancelled.",
        413: "The request is too large.",
        422: "The request cannot be read or met.",
        424: "Something that is needed did not answer.",
        429: "Too much at once; come back after Retry-After seconds.",
    }.items()
}


def _named(sources: Iterable[str]) -> dict[str, str]:
    """An id for each source: the name of its file, made unique."""
    found: dict[str, str] = {}
    for source in sources:
        stem = Path(source.rstrip("/")).stem if "://" not in source else "database"
        base = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in stem)[:60] or "data"
        name, number = base, 2
        while name in found or name == "demo":
            name, number = f"{base}_{number}", number + 1
        found[name] = source if "://" in source else str(Path(source).expanduser().absolute())
    return found


async def _open_all(service: Service) -> None:
    """Begin to open the data sets that are there from the start, those that were named first."""
    who = Caller(DEFAULT_TENANT, bound=False, request_id="start")
    for dataset in service.datasets.listed(DEFAULT_TENANT):
        if dataset.origin != "upload":
            await service.begin_apart(dataset_routes.opening_run(service, who, dataset))


def _practise(service: Service) -> None:
    """Ask what is suggested about the demo store: what the first questions of a process cost is paid before anybody asks."""
    if service.settings.model:
        return  # nothing is sent anywhere that nobody asked for
    with service.datasets.analyst(service.datasets.find(DEMO, DEFAULT_TENANT)) as analyst:
        for question in first_questions(analyst.model, dataset_routes.MAX_SUGGESTIONS):
            analyst.process(question)


def _audit(service: Service, scope: dict[str, Any], status: int) -> None:
    """Put a change, or a caller who was not let in, on record."""
    refused = status in (401, 403)
    if scope["method"] in ("GET", "HEAD", "OPTIONS") and not refused:
        return
    if not refused and scope["path"].startswith(_NOT_AUDITED):
        return
    route = getattr(scope.get("route"), "path", "")
    state = scope["state"]
    entry = AuditEntry(
        tenant=state.get("tenant", "unknown"),
        request_id=state["request_id"],
        action=f"{scope['method']} {route or 'unknown'}",
        subject=",".join(str(v)[:100] for v in scope.get("path_params", {}).values()),
        status=status,
        at=clock.now(),
    )
    with contextlib.suppress(RateLimited, RuntimeError):
        service.lanes.files.submit(service.journal.audit, [entry])
