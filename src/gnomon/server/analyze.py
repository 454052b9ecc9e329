"""``POST /v2/analyze`` and its predecessor: rows and a task in words become results."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import GnomonError, InvalidInput, PolicyViolation, UnreadableSource
from gnomon.core.settings import DEFAULT_TENANT
from gnomon.execution.plain import preview
from gnomon.guardrails.release.rule import shares_rows
from gnomon.planning.context import MAX_PROMPT
from gnomon.reporting.forms import with_form
from gnomon.server.releasing import Published
from gnomon.server.rendering import JSON, OffLoop, as_json
from gnomon.server.service import Caller, Service, Who, hung_up
from gnomon.tools import CancelToken, Frame
from gnomon.workbench import Analysis, Workbench

logger = logging.getLogger("gnomon.server")

CHART_BYTES = 64 * 1024


class DataPointer(BaseModel):
    """Where the rows are: in the request, or in a file under a folder that the server may read."""

    model_config = ConfigDict(extra="forbid")

    rows: list[dict[str, Any]] | None = Field(default=None, description="One object per row.")
    source: str | None = Field(default=None, description="Path of a file under GNOMON_DATA_ROOTS.")


class TaskContext(BaseModel):
    """What to do, in words."""

    model_config = ConfigDict(extra="allow")

    task: str = Field(default="", max_length=MAX_PROMPT, description="Such as 'Detect anomalies in sales'.")


class AnalyzeRequest(BaseModel):
    """A task on rows.

    ``params`` holds parameters that win over those in the words. To answer a question, send
    ``params.feedback`` with the ``request_id`` that asked and the ``choice``.
    """

    model_config = ConfigDict(extra="forbid")

    tenant_id: str = Field(default=DEFAULT_TENANT, min_length=1, max_length=100)
    data_pointer: DataPointer = DataPointer()
    params: dict[str, Any] = Field(default_factory=dict)
    context: TaskContext = TaskContext()


class AnalyzeResponse(BaseModel):
    """What came of it."""

    request_id: str
    status: str
    result: dict[str, Any]
    tool_meta: dict[str, Any]
    privacy: dict[str, Any]


class FlatResponse(BaseModel):
    """The result alone, as older callers know it."""

    request_id: str
    status: str
    results: list[dict[str, Any]]
    summary: dict[str, Any]
    user_feedback: dict[str, Any] | None
    notes: list[str] = Field(default=[], description="What was left aside or read as something else.")
    rendered: dict[str, Any] | None = Field(
        default=None, description="The result in the form that the task asks for, where that is not JSON."
    )


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(tags=["analyze"], route_class=OffLoop)

    async def analyzed(body: AnalyzeRequest, request: Request, who: Caller) -> dict[str, Any]:
        if who.bound and body.tenant_id not in (DEFAULT_TENANT, who.tenant):
            raise PolicyViolation("This token belongs to another tenant.")
        tenant = who.tenant if body.tenant_id == DEFAULT_TENANT else body.tenant_id
        cancel = CancelToken()
        watcher = asyncio.create_task(_cancel_when_gone(request, cancel))
        try:
            return await service.lanes.plans.run(_run, service.workbench, tenant, body, cancel)
        finally:
            watcher.cancel()

    @routes.post("/v2/analyze", response_model=AnalyzeResponse)
    async def analyze(body: AnalyzeRequest, request: Request, who: Who) -> Response:
        """Read the task, plan the tools, run them, and say how."""
        return JSON(await analyzed(body, request, who))

    @routes.post("/v1/analyze", response_model=FlatResponse, deprecated=True)
    async def analyze_v1(body: AnalyzeRequest, request: Request, who: Who) -> Response:
        """The same request with the flat result that older callers know; use /v2/analyze."""
        full = await analyzed(body, request, who)
        headers = {"Deprecation": "true", "Link": '</v2/analyze>; rel="successor-version"'}
        return JSON({"request_id": full["request_id"], **full["result"]}, headers=headers)

    _ = (analyze, analyze_v1)
    return routes


def _run(shared: Workbench, tenant: str, body: AnalyzeRequest, cancel: CancelToken) -> dict[str, Any]:
    workbench = shared.of(tenant)
    analysis = _quietly(workbench, body, cancel)
    released = Published(workbench, analysis.result.data, body.model_dump()).of(analysis)
    _remember(workbench, released, body)
    return with_form(released, body.context.task.strip() or "Result")


def _remember(workbench: Workbench, released: dict[str, Any], body: AnalyzeRequest) -> None:
    """Put on record what was told, for those who look at the run later: what it computed may say more than that."""
    result = released["result"]
    results = [
        {
            **r,
            "output": {k: v if k == "spec" else preview(v) for k, v in r["output"].items() if _is_kept(k, v)},
        }
        for r in result["results"]
    ]
    told = {
        "status": released["status"],
        "result": {**preview({k: v for k, v in result.items() if k != "results"}), "results": results},
        "tool_meta": preview(released["tool_meta"]),
        "privacy": released["privacy"],
    }
    try:
        run = workbench.store.run(released["request_id"], tenant=workbench.tenant)
        title = body.context.task.strip()[:500]
        workbench.store.save_run(run.model_copy(update={"title": title, "answer": told}))
    except GnomonError as e:  # what is not on record, or cannot be written, was told all the same
        logger.debug("a plan is not on record: %s", type(e).__name__)


def _is_kept(name: str, value: Any) -> bool:
    """Whether a part of an output is kept: long lists are cut, but a chart is whole or left out."""
    return name != "spec" or len(as_json(value)) <= CHART_BYTES


def _quietly(workbench: Workbench, body: AnalyzeRequest, cancel: CancelToken) -> Analysis:
    """The analysis; why a file cannot be read may quote its cells, and is told only where rows are."""
    try:
        return _analysed(workbench, body, cancel)
    except UnreadableSource:
        if shares_rows(workbench.settings):
            raise
        raise UnreadableSource(
            "The file cannot be read as a table.",
            suggestions=["The reason may quote cells: run 'gnomon profile' on the server to see it."],
        ) from None


def _analysed(workbench: Workbench, body: AnalyzeRequest, cancel: CancelToken) -> Analysis:
    data = _rows(body.data_pointer)
    roots = tuple(workbench.settings.data_roots)
    params = dict(body.params)
    feedback = params.pop("feedback", None)
    if feedback is not None:
        if not isinstance(feedback, dict):
            feedback = {"choice": feedback}
        answer: dict[str, Any] = dict(feedback)  # pyright: ignore[reportUnknownArgumentType]
        request_id = str(answer.pop("request_id", None) or params.pop("request_id", None) or "")
        return workbench.answer(request_id, answer, data, cancel=cancel, roots=roots, owner=workbench.tenant)
    if not body.context.task.strip():
        raise InvalidInput(
            "context.task is empty.", suggestions=["Say what to do, such as 'forecast sales'."]
        )
    return workbench.analyze(
        body.context.task, data, params=params, cancel=cancel, roots=roots, owner=workbench.tenant
    )


def _rows(pointer: DataPointer) -> Frame | None:
    if pointer.rows is not None and pointer.source is not None:
        raise InvalidInput("data_pointer holds both rows and a source.", suggestions=["Send one of them."])
    if pointer.source is not None:
        return Frame.of({"source": pointer.source})
    return Frame.of(pointer.rows) if pointer.rows else None


async def _cancel_when_gone(request: Request, cancel: CancelToken) -> None:
    """Stop the work of a caller who has hung up."""
    await hung_up(request)
    cancel.cancel()
