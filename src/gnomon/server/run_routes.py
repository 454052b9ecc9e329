"""``/api/runs`` and ``/api/status``: list, look, watch, cancel, resume, replay, and what was sent to a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from itertools import chain, repeat
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse

from gnomon.core.errors import InvalidInput, RateLimited
from gnomon.guardrails.release.rule import shares_rows
from gnomon.server import models
from gnomon.server.answers import differences
from gnomon.server.artefacts import artefacts_of
from gnomon.server.origins import fact_of, rows_behind
from gnomon.server.rendering import JSON, OffLoop, as_json
from gnomon.server.runs import SUCCESS, ended_as, status_of
from gnomon.server.service import Service, Who
from gnomon.store import INTERRUPTED, RUNNING, Run, StoredEvent
from gnomon.store.ledger import EgressLedger

MAX_STREAMS = 128
MAX_EGRESS = 500
_EVENT = {
    "type": "object",
    "description": "One event of the stream; `data` is JSON.",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
}


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api", tags=["runs"], route_class=OffLoop)
    files = service.lanes.files
    streams = asyncio.Semaphore(MAX_STREAMS)

    @routes.get("/status", response_model=models.Status)
    async def status(
        who: Who,
        run_id: Annotated[str | None, Query(max_length=100)] = None,
        session_id: Annotated[str | None, Query(max_length=100)] = None,
    ) -> Response:
        """How far a run is: the one of this id, else the session's latest, else your latest."""
        if run_id is not None:
            found = await files.run(service.runs.find, run_id, who.tenant)
        else:
            found = await files.run(service.runs.latest, who.tenant, session_id)
        return JSON(status_of(found))

    @routes.get("/runs", response_model=models.RunList)
    async def runs(
        who: Who,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        session_id: Annotated[str | None, Query(max_length=100)] = None,
        dataset_id: Annotated[str | None, Query(max_length=100)] = None,
        kind: Annotated[str | None, Query(max_length=40)] = None,
    ) -> Response:
        """Your latest runs, newest first."""
        found = await files.run(
            service.store.runs,
            limit,
            tenant=who.tenant,
            session_id=session_id,
            dataset_id=dataset_id,
            kind=kind,
        )
        return JSON({"runs": [_info(service, r) for r in found]})

    @routes.get("/runs/{run_id}", response_model=models.RunTold)
    async def run(run_id: str, who: Who) -> Response:
        """One run: what was asked, what came of it, what happened on the way."""
        return JSON(await files.run(_told, service, run_id, who.tenant))

    @routes.get("/runs/{run_id}/rows", response_model=models.RowsTold)
    async def rows(run_id: str, fact: Annotated[str, Query(max_length=300)], who: Who) -> Response:
        """The rows of the data behind a number that a run told; no parts where they cannot be listed."""
        found = await files.run(service.runs.find, run_id, who.tenant)
        return JSON(await service.lanes.quick.run(_rows, service, found, fact))

    @routes.post("/runs/{run_id}/cancel", response_model=models.Status)
    async def cancel(run_id: str, who: Who) -> Response:
        """Stop a run; one that has ended stays as it is."""
        return JSON(status_of(await files.run(service.runs.cancel, run_id, who.tenant)))

    @routes.post("/runs/{run_id}/resume", response_model=models.Status, status_code=202)
    async def resume(run_id: str, who: Who) -> Response:
        """Do a run that was interrupted, cancelled or failed again under its own id."""
        found = await files.run(service.runs.find, run_id, who.tenant)
        if found.status not in (INTERRUPTED, "cancelled", "failed"):
            raise InvalidInput(
                f"Only a run that did not end well can be resumed; this one is {found.status}.",
                suggestions=[f"POST /api/runs/{found.id}/replay does it again and compares."],
            )
        asked = {**(found.request or {}), "resumed": True, "asked_on": _day_of(found)}
        fresh = {"status": RUNNING, "finished_at": None, "answer": None, "events": (), "progress": None}
        again = found.model_copy(update={**fresh, "request": None if found.request is None else asked})
        active, future = service.begin(again, on_record=True)
        with active.lock:
            active.feed[:0] = found.events
        future.add_done_callback(lambda f: f.cancelled() or f.exception())
        return JSON(status_of(active.record), status_code=202)

    @routes.post("/runs/{run_id}/replay", response_model=models.Replayed)
    async def replay(run_id: str, who: Who) -> Response:
        """Do a run again as a new one, and compare what comes of it fact by fact."""
        before = await files.run(service.runs.find, run_id, who.tenant)
        if before.status == RUNNING:
            raise InvalidInput("This run has not ended yet.", suggestions=["Wait for it, or cancel it."])
        fields: dict[str, Any] = {"session_id": before.session_id, "dataset_id": before.dataset_id}
        given = {**(before.request or {}), "replays": before.id, "asked_on": _day_of(before)}
        again = service.runs.new(before.kind, who.tenant, before.title, given, **fields)
        if before.request is None:
            again = again.model_copy(update={"request": None})
        _, future = service.begin(again)
        answer = await future
        ended = before.answer if before.status == SUCCESS else {"status": before.status}
        found = differences(ended or {}, answer)
        return JSON(
            {
                "run_id": again.id,
                "replays": before.id,
                "same": not found,
                "differences": found,
                "answer": answer,
            }
        )

    @routes.get(
        "/runs/{run_id}/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {"schema": _EVENT}}}},
    )
    async def events(
        run_id: str, who: Who, last_event_id: Annotated[str | None, Header(max_length=20)] = None
    ) -> Response:
        """What happens in a run, as server-sent events; ``Last-Event-ID`` goes on after that event."""
        after = (
            int(last_event_id) if last_event_id and last_event_id.isascii() and last_event_id.isdigit() else 0
        )
        found = await files.run(service.runs.find, run_id, who.tenant)
        if streams.locked():
            raise RateLimited("Too many runs are being watched.", retry_after_seconds=5.0)
        return StreamingResponse(
            _stream(service, found, after, streams),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    @routes.get("/runs/{run_id}/egress", response_model=models.Egress)
    async def egress(run_id: str, who: Who) -> Response:
        """What was sent to a language model because of this run; empty where none was asked."""
        found = await files.run(service.runs.find, run_id, who.tenant)
        return JSON(await files.run(_egress, service, found))

    _ = (status, runs, run, rows, cancel, resume, replay, events, egress)
    return routes


def _day_of(run: Run) -> str:
    """The day on which a run was asked for."""
    return str(run.started_at.astimezone().date())


def _rows(service: Service, run: Run, name: str) -> dict[str, Any]:
    fact = fact_of(run, name)
    dataset = service.datasets.find(run.dataset_id or "", run.tenant)
    with service.datasets.analyst(dataset) as analyst:
        return rows_behind(fact, analyst, service.datasets.profile(dataset, analyst))


def _info(service: Service, run: Run) -> dict[str, Any]:
    return {
        **run.model_dump(mode="json", include=set(models.RunInfo.model_fields)),
        "status": ended_as(run),
        "can_repeat": service.can_repeat(run),
    }


def _told(service: Service, run_id: str, tenant: str) -> dict[str, Any]:
    run = service.runs.find(run_id, tenant)
    whole = run.model_dump(mode="json", include=set(models.RunTold.model_fields))
    if run.kind == "plan" and not shares_rows(service.settings):
        whole["results"] = _released(run)
    files = [f.name for f in artefacts_of(service, run)]
    return {**whole, "status": ended_as(run), "can_repeat": service.can_repeat(run), "artefacts": files}


def _released(run: Run) -> list[dict[str, Any]]:
    """The steps of a plan with what was told of each; what else they gave may hold rows, which stay on this machine."""
    told = ((run.answer or {}).get("result") or {}).get("results") or []
    return [
        {**step, "output": said.get("output", {}), "error": said.get("error")}
        for step, said in zip(run.results, chain(told, repeat({})), strict=False)
    ]


async def _stream(
    service: Service, run: Run, after: int, streams: asyncio.Semaphore
) -> AsyncGenerator[bytes]:
    async with streams:
        yield b"retry: 2000\n\n"
        async for item in service.runs.events(run, after):
            yield b": still here\n\n" if item is None else _framed(*item)


def _framed(number: int, event: StoredEvent) -> bytes:
    body = as_json(event.model_dump(mode="json"))
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, str(event.kind).encode(), body)


def _egress(service: Service, run: Run) -> dict[str, Any]:
    entries: list[dict[str, Any]] = []
    if run.dataset_id is not None:
        home = service.datasets.folder(run.tenant, run.dataset_id)
        ledger = _ModelLedger(home / "egress", service.settings.privacy)
        entries = [e for e in ledger.entries() if e.get("run") == run.id][-MAX_EGRESS:]
    return {"run_id": run.id, "entries": entries}


class _ModelLedger(EgressLedger):
    receiver = "model"
