"""``/api/evaluation``: how accurate the answers are, all along and on questions with known truths; and the audit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from gnomon.server import models
from gnomon.server.datasets import DEMO
from gnomon.server.rendering import JSON, OffLoop
from gnomon.server.runs import ActiveRun
from gnomon.server.service import Service, Who


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api", tags=["evaluation"], route_class=OffLoop)
    files = service.lanes.files
    service.does("evaluation", service.lanes.long, lambda run: _evaluated(service, run))

    @routes.get("/evaluation", response_model=models.EvaluationTold)
    async def evaluation(
        who: Who, dataset_id: Annotated[str | None, Query(max_length=100)] = None
    ) -> Response:
        """Question-level accuracy so far, the latest broken rules, and the latest evaluation with truths."""
        return JSON(await files.run(_so_far, service, who.tenant, dataset_id))

    @routes.post("/evaluation", response_model=models.Status, status_code=202)
    async def evaluate(body: models.EvaluateBody, request: Request, who: Who) -> Response:
        """Ask questions with known truths about the demo store, and grade the answers; watch the run."""
        run = service.runs.new(
            "evaluation", who.tenant, "Evaluation on the demo store", body.model_dump(), dataset_id=DEMO
        )
        return await service.answered(run, request, wait=False)

    @routes.get("/audit", response_model=models.AuditTold)
    async def audit(who: Who, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
        """Who changed or took what, newest first."""
        found = await files.run(service.journal.audited, who.tenant, limit)
        return JSON({"entries": [e.model_dump(mode="json", exclude={"tenant"}) for e in found]})

    _ = (evaluation, evaluate, audit)
    return routes


def _so_far(service: Service, tenant: str, dataset_id: str | None) -> dict[str, Any]:
    latest = [r for r in service.store.runs(20, tenant=tenant, kind="evaluation") if r.status == "success"]
    return {
        "running": service.journal.accuracy_so_far(tenant, dataset_id).model_dump(),
        "violations": [v.model_dump(mode="json") for v in service.journal.violations(tenant)],
        "latest": latest[0].answer if latest else None,
    }


def _evaluated(service: Service, run: ActiveRun) -> dict[str, Any]:
    from gnomon.agents.evaluation import evaluate, load_cases

    given = run.record.request or {}
    cases = load_cases(None, given.get("split"))[: given.get("limit") or None]
    demo = service.datasets.find(DEMO, run.record.tenant)
    (folder,) = service.datasets.sources(demo)
    run.tell("Opening the demo store", 0.0)

    def progress(done: int, total: int) -> None:
        run.tell(f"{done} of {total} questions asked", done / total, current_round=done, max_rounds=total)

    with service.datasets.analyst(demo) as analyst:
        report = evaluate(analyst, cases, folder, progress=progress)
    return {**report.summary(), "split": given.get("split"), "run_id": run.record.id}
