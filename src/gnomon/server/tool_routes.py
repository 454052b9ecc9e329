"""``/tools``: the tools of a tenant, and the making of one for that tenant only."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from gnomon.server import models
from gnomon.server.rendering import JSON, OffLoop
from gnomon.server.service import Service, Who
from gnomon.tools.saved import ToolDeclaration
from gnomon.workbench import Workbench


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(tags=["tools"], route_class=OffLoop)

    @routes.get("/tools", response_model=models.ToolsTold)
    async def tools(who: Who) -> Response:
        """Every tool with its schemas, and why it is not available where it is not."""
        return JSON(await service.lanes.files.run(_listed, service.workbench.of(who.tenant)))

    @routes.post("/tools", status_code=201, response_model=models.ToolTold)
    async def create(body: ToolDeclaration, who: Who) -> Response:
        """Make a tool from steps over existing ones; it is yours alone and can be used at once."""
        made = await service.lanes.files.run(_made, service.workbench.of(who.tenant), body)
        return JSON(made, status_code=201)

    _ = (tools, create)
    return routes


def _listed(workbench: Workbench) -> dict[str, Any]:
    return {"tools": [_described(workbench, name) for name in workbench.registry.names()]}


def _made(workbench: Workbench, body: ToolDeclaration) -> dict[str, Any]:
    tool = workbench.declare_tool(body.model_dump(mode="json"))
    return _described(workbench, tool.spec.name)


def _described(workbench: Workbench, name: str) -> dict[str, Any]:
    reason = workbench.registry.unavailable(name)
    spec = workbench.registry.get(name).spec
    return {
        **spec.model_dump(mode="json"),
        "endpoint": spec.endpoint,
        "available": reason is None,
        "reason": reason,
    }
