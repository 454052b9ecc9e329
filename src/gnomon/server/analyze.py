"""``POST /v2/analyze`` and its predecessor: rows and a task in words become results."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from gnomon.core.errors import InvalidInput, RateLimited, UnreadableSource
from gnomon.guardrails.release import shares_rows
from gnomon.server.releasing import Published
from gnomon.tools import CancelToken, Frame
from gnomon.workbench import Analysis, Workbench

POLL_SECONDS = 0.2


class DataPointer(BaseModel):
    """Where the rows are: in the request, or in a file under a folder that the server may read."""

    model_config = ConfigDict(extra="forbid")

    rows: list[dict[str, Any]] | None = Field(default=None, description="One object per row.")
    source: str | None = Field(default=None, description="Path of a file under GNOMON_DATA_ROOTS.")


class TaskContext(BaseModel):
    """What to do, in words."""

    model_config = ConfigDict(extra="allow")

    task: str = Field(default="", max_length=10_000, description="Such as 'Detect anomalies in sales'.")


class AnalyzeRequest(BaseModel):
    """A task on rows.

    ``params`` holds parameters that win over those in the words. To answer a question, send
    ``params.feedback`` with the ``request_id`` that asked and the ``choice``.
    """

    model_config = ConfigDict(extra="forbid")

    tenant_id: str = Field(default="default", min_length=1, max_length=200)
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


class Gate:
    """Lets a bounded number of requests work at the same time and as many again wait."""

    def __init__(self, limit: int) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._waiting = 0
        self._limit = limit

    async def __aenter__(self) -> None:
        if self._slots.locked() and self._waiting >= self._limit:
            raise RateLimited(
                "The server is busy.", retry_after_seconds=1.0, suggestions=["Try again in a moment."]
            )
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1

    async def __aexit__(self, *_: object) -> None:
        self._slots.release()


def router(workbench: Workbench) -> APIRouter:
    """The routes of this file, over one workbench."""
    routes = APIRouter()
    gate = Gate(workbench.settings.max_concurrent_requests)

    async def analyzed(body: AnalyzeRequest, request: Request) -> dict[str, Any]:
        cancel = CancelToken()
        async with gate:
            watcher = asyncio.create_task(_cancel_when_gone(request, cancel))
            try:
                analysis = await run_in_threadpool(_run_quietly, workbench, body, cancel)
                published = Published(workbench, analysis.result.data, body.model_dump())
                return await run_in_threadpool(published.of, analysis)
            finally:
                watcher.cancel()

    @routes.post("/v2/analyze", response_model=AnalyzeResponse, tags=["analyze"])
    async def analyze(body: AnalyzeRequest, request: Request) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """Read the task, plan the tools, run them, and say how."""
        return await analyzed(body, request)

    @routes.post("/v1/analyze", tags=["analyze"], deprecated=True)
    async def analyze_v1(body: AnalyzeRequest, request: Request, response: Response) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """The same request with the flat result that older callers know; use /v2/analyze."""
        full = await analyzed(body, request)
        response.headers["Deprecation"] = "true"
        response.headers["Link"] = '</v2/analyze>; rel="successor-version"'
        return {"request_id": full["request_id"], **full["result"]}

    return routes


def _run_quietly(workbench: Workbench, body: AnalyzeRequest, cancel: CancelToken) -> Analysis:
    """The analysis; why a file cannot be read may quote its cells, and is told only where rows are."""
    try:
        return _run(workbench, body, cancel)
    except UnreadableSource:
        if shares_rows(workbench.settings):
            raise
        raise UnreadableSource(
            "The file cannot be read as a table.",
            suggestions=["The reason may quote cells: run 'gnomon profile' on the server to see it."],
        ) from None


def _run(workbench: Workbench, body: AnalyzeRequest, cancel: CancelToken) -> Analysis:
    data = _rows(body.data_pointer)
    roots = tuple(workbench.settings.data_roots)
    params = dict(body.params)
    feedback = params.pop("feedback", None)
    if feedback is not None:
        if not isinstance(feedback, dict):
            feedback = {"choice": feedback}
        answer: dict[str, Any] = dict(feedback)  # pyright: ignore[reportUnknownArgumentType]
        request_id = str(answer.pop("request_id", None) or params.pop("request_id", None) or "")
        return workbench.answer(request_id, answer, data, cancel=cancel, roots=roots, owner=body.tenant_id)
    if not body.context.task.strip():
        raise InvalidInput(
            "context.task is empty.", suggestions=["Say what to do, such as 'forecast sales'."]
        )
    return workbench.analyze(
        body.context.task, data, params=params, cancel=cancel, roots=roots, owner=body.tenant_id
    )


def _rows(pointer: DataPointer) -> Frame | None:
    if pointer.rows is not None and pointer.source is not None:
        raise InvalidInput("data_pointer holds both rows and a source.", suggestions=["Send one of them."])
    if pointer.source is not None:
        return Frame.of({"source": pointer.source})
    return Frame.of(pointer.rows) if pointer.rows else None


async def _cancel_when_gone(request: Request, cancel: CancelToken) -> None:
    """Stop the work of a caller who has hung up."""
    while not await request.is_disconnected():
        await asyncio.sleep(POLL_SECONDS)
    cancel.cancel()
