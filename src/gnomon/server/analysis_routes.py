"""``/api/templates`` and ``/api/start``: analyses by a template's plan or by generated code, with progress in rounds."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from gnomon.core.private import private_folder
from gnomon.server import models
from gnomon.server.answers import answered
from gnomon.server.artefacts import artefact_folder
from gnomon.server.ask_routes import TOP, insights_told
from gnomon.server.rendering import JSON, OffLoop
from gnomon.server.runs import CANCELLED, FAILED, RUN_STATUS, SUCCESS, ActiveRun
from gnomon.server.service import Service, Who

if TYPE_CHECKING:
    from gnomon.agents.coder import AnalysisRecord, Progress

MAX_CELLS = 200


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api", tags=["analyses"], route_class=OffLoop)
    service.does("analysis", service.lanes.long, lambda run: _analysed(service, run))

    @routes.get("/templates", response_model=list[models.TemplateInfo])
    async def templates() -> Response:
        """The templates of analyses; none of them needs a language model."""
        return JSON(await service.lanes.files.run(_templates))

    @routes.post("/start", response_model=models.Status, status_code=202)
    async def start(body: models.StartBody, request: Request, who: Who) -> Response:
        """Begin an analysis; poll ``/api/status`` or watch the run, and find the answer in ``/api/runs/{run_id}``."""
        first = await service.lanes.files.run(_checked, service, who.tenant, body)
        session_id = body.session_id or uuid.uuid4().hex
        given = body.model_dump(mode="json") | {"session_id": session_id}
        run = service.runs.new(
            "analysis", who.tenant, body.requirement or await service.lanes.files.run(_named, body.template), given,
            session_id=session_id, dataset_id=first,
        )  # fmt: skip
        return await service.answered(run, request, wait=False)

    _ = (templates, start)
    return routes


def _named(template: str | None) -> str:
    return next((t["display_name"] for t in _templates() if t["name"] == template), "Analysis")


def _templates() -> list[dict[str, str]]:
    from gnomon.agents.coder import list_templates

    return list_templates()


def _checked(service: Service, tenant: str, body: models.StartBody) -> str:
    """The first of the data sets, once all of them and the template are known to be there."""
    from gnomon.agents.coder import get_template

    if body.template is not None:
        get_template(body.template)
    first, *_ = [service.datasets.find(name, tenant).id for name in body.files]
    return first


def _analysed(service: Service, run: ActiveRun) -> dict[str, Any]:
    from gnomon.agents.coder import DataAnalysisAgent, RecordStatus

    given = run.record.request or {}
    if not given.get("template") and not service.settings.model:
        return _without_model(service, run, given)
    datasets = [service.datasets.find(name, run.record.tenant) for name in given["files"]]
    files = [source for d in datasets for source in service.datasets.sources(d)]

    def progress(now: Progress) -> None:
        run.tell(
            now.status_message, now.progress_percentage / 100,
            current_round=now.current_round, max_rounds=now.max_rounds,
        )  # fmt: skip

    settings = service.datasets.settings_of(datasets[0])
    if len(datasets) > 1:  # nothing of one data set is kept beside another, where it would outlive it
        settings = settings.model_copy(update={"cache_mb": 0})
    with DataAnalysisAgent(settings=settings) as agent:
        record = agent.analyze(
            given["requirement"], files, given.get("template"),
            cancel=run.cancel, on_progress=progress, run_id=run.record.id,
        )  # fmt: skip
    ended = {RecordStatus.CANCELLED: CANCELLED, RecordStatus.FAILED: FAILED}.get(record.status, SUCCESS)
    return {**_told(service, run, record), RUN_STATUS: ended}


def _without_model(service: Service, run: ActiveRun, given: dict[str, Any]) -> dict[str, Any]:
    """A free analysis where no language model is configured: what stands out, in the light of what was asked."""
    dataset = service.datasets.find(given["files"][0], run.record.tenant)
    run.tell("Looking at every figure", 0.1, current_round=1, max_rounds=1)
    with service.datasets.analyst(dataset) as analyst:
        found = analyst.insights(given["requirement"] or None, TOP, cancel=run.cancel)
    answer = insights_told(found, given["requirement"] or "What stands out")
    note = (
        "No language model is configured, so this is what stands out in the data; templates need none either."
    )
    return {**answer, "template": None, "sections": [], "cells": [], "notes": [*answer["notes"], note]}


def _told(service: Service, run: ActiveRun, record: AnalysisRecord) -> dict[str, Any]:
    """An analysis as plain data; its pictures become artefacts that it names."""
    folder = artefact_folder(service, run.record)
    pictures: list[str] = []

    def kept(figure: dict[str, Any], data: bytes | None) -> dict[str, Any]:
        if data is None:
            return figure
        name = f"figure-{len(pictures) + 1}.{'svg' if str(figure['kind']) == 'svg' else 'png'}"
        _write(private_folder(folder) / name, data)
        pictures.append(name)
        return {**figure, "data": None, "artefact": name}

    whole = record.to_dict()
    cells = [
        {**told, "figures": [kept(f, g.data) for f, g in zip(told["figures"], cell.figures, strict=True)]}
        for told, cell in zip(whole["cells"][:MAX_CELLS], record.cells, strict=False)
    ]
    answer = answered(record.to_answer())
    return {
        **answer,
        "question": record.requirement,
        "template": record.template,
        "record_status": str(record.status),
        "sections": whole["sections"],
        "cells": cells,
        "sources": [Path(s).name for s in record.sources],
        "strength": record.strength,
        "privacy": record.privacy,
        "model": record.model,
        "usage": whole["usage"],
        "notes": list(record.notes),
    }


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
        out.write(data)
