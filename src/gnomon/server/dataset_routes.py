"""``/api/datasets``: upload, list, look at, forget."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from fastapi.responses import Response

from gnomon.agents.suggestions import first_questions
from gnomon.core.errors import RateLimited
from gnomon.server import models
from gnomon.server.answers import vocabulary
from gnomon.server.datasets import MAX_FILES
from gnomon.server.rendering import JSON, OffLoop
from gnomon.server.runs import ActiveRun, status_of
from gnomon.server.service import Caller, Service, Who
from gnomon.store import Run, StoredDataset

MAX_SUGGESTIONS = 6


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api/datasets", tags=["data sets"], route_class=OffLoop)
    files = service.lanes.files
    service.does("opening", service.lanes.opening, lambda run: _opened(service, run))

    @routes.get("", response_model=models.DatasetList)
    async def datasets(who: Who) -> Response:
        """Every data set that you can use; ``demo`` is always there."""
        found = await files.run(service.datasets.listed, who.tenant)
        return JSON({"datasets": [_info(service, d) for d in found]})

    @routes.post("", response_model=models.DatasetAdded, status_code=201)
    async def upload(
        who: Who,
        uploads: Annotated[
            list[UploadFile], File(alias="files", max_length=MAX_FILES, description="One or several files.")
        ],
        name: Annotated[str, Form(max_length=200, description="What to call it.")] = "",
    ) -> Response:
        """Upload files as one data set; opening it begins at once, watch ``run_id``."""
        parts = [(u.filename or "", u.file) for u in uploads]
        kept = await files.run(service.datasets.add, who.tenant, name, parts)
        try:
            run_id = (await service.begin_apart(opening_run(service, who, kept))).id
        except RateLimited:
            await files.run(service.datasets.forget, kept, ())  # whoever is turned away leaves nothing behind
            raise
        return JSON({**_info(service, kept), "run_id": run_id}, status_code=201)

    @routes.get("/{dataset_id}", response_model=models.DatasetInfo)
    async def dataset(dataset_id: str, who: Who) -> Response:
        """One data set."""
        found = await files.run(service.datasets.find, dataset_id, who.tenant)
        return JSON(_info(service, found))

    @routes.post("/{dataset_id}/open", response_model=models.Status, status_code=202)
    async def open_dataset(dataset_id: str, who: Who) -> Response:
        """Open it, so that the first question need not wait; watch the run."""
        found = await files.run(service.datasets.find, dataset_id, who.tenant)
        run = await service.begin_apart(opening_run(service, who, found))
        return JSON(status_of(run), status_code=202)

    @routes.get("/{dataset_id}/profile", response_model=models.ProfileTold)
    async def profile(
        dataset_id: str,
        who: Who,
        request: Request,
    ) -> Response:
        """What the tables hold, what can be asked about them, and questions to begin with."""
        found = await files.run(service.datasets.find, dataset_id, who.tenant)
        return JSON(await service.lanes.opening.run(_profiled, service, found))

    @routes.get("/{dataset_id}/values", response_model=models.ValuesTold)
    async def values(
        dataset_id: str,
        who: Who,
        dimension: Annotated[str, Query(max_length=200)],
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """The most frequent values of a dimension, for choosing a filter; none of personal ones."""
        found = await files.run(service.datasets.find, dataset_id, who.tenant)
        return JSON(await service.lanes.quick.run(_values, service, found, dimension, limit))

    @routes.delete("/{dataset_id}", response_model=models.Forgotten)
    async def forget(dataset_id: str, who: Who) -> Response:
        """Forget it: its files, what was inferred from it, its runs, conversations, investigations, what is in
        the ledger because of it, and its lines in the log."""
        found = await files.run(service.datasets.find, dataset_id, who.tenant)
        return JSON(await files.run(_forgotten, service, found))

    _ = (datasets, upload, dataset, open_dataset, profile, values, forget)
    return routes


def opening_run(service: Service, who: Caller, dataset: StoredDataset) -> Run:
    """The record of a run that opens a data set."""
    return service.runs.new(
        "opening", who.tenant, f"Open {dataset.name}", {"dataset_id": dataset.id}, dataset_id=dataset.id
    )


def _info(service: Service, dataset: StoredDataset) -> dict[str, Any]:
    ready = service.datasets.shelf.is_open((dataset.tenant, dataset.id))
    return {**dataset.model_dump(mode="json", exclude={"tenant"}), "ready": ready}


def _opened(service: Service, run: ActiveRun) -> dict[str, Any]:
    """Open a data set and profile it, saying which table is being read."""
    dataset = service.datasets.find((run.record.request or {})["dataset_id"], run.record.tenant)
    run.tell("Reading the files", 0.05)

    def progress(label: str, done: int, total: int) -> None:
        share = 0.1 + 0.6 * (done / total if total else 0)
        run.tell(f"Reading {label}" if label else "Getting ready", share, table=label)

    with service.datasets.analyst(dataset, progress) as analyst:
        run.tell("Profiling", 0.8)
        profile = service.datasets.profile(dataset, analyst)
    tables = profile["tables"]
    return {
        "dataset_id": dataset.id,
        "tables": [{"name": t["name"], "rows": t["rows"], "columns": len(t["columns"])} for t in tables],
    }


def _profiled(service: Service, dataset: StoredDataset) -> dict[str, Any]:
    with service.datasets.analyst(dataset) as analyst:
        profile = service.datasets.profile(dataset, analyst)
        model = analyst.model
        last_day = analyst.last_day
        return {
            "dataset_id": dataset.id,
            "profile": profile,
            "vocabulary": vocabulary(model),
            "suggestions": first_questions(model, MAX_SUGGESTIONS),
            "last_day": last_day.isoformat() if last_day else None,
        }


def _values(service: Service, dataset: StoredDataset, dimension: str, limit: int) -> dict[str, Any]:
    from gnomon.core.errors import NotFound
    from gnomon.data.table import quote

    with service.datasets.analyst(dataset) as analyst:
        known = next((d for d in analyst.model.dimensions if d.name == dimension), None)
        if known is None:
            names = [d.name for d in analyst.model.dimensions]
            raise NotFound.among("dimension", dimension[:80], names)
        found: list[Any] = []
        if not known.personal:
            at = known.locations[0]
            query = (
                f"SELECT {quote(at.column)} AS value, count(*) AS rows "
                f"FROM {analyst.dataset.table(at.table).relation} "
                f"WHERE {quote(at.column)} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit}"
            )
            cursor = analyst.dataset.cursor()
            try:
                found = [{"value": str(v), "rows": n} for v, n in cursor.execute(query).fetchall()]
            finally:
                cursor.close()
        return {
            "dimension": known.name,
            "label": known.label,
            "personal": bool(known.personal),
            "values": found,
        }


def _forgotten(service: Service, dataset: StoredDataset) -> dict[str, Any]:
    going = service.runs.going(dataset.tenant, dataset.id)
    for run in going:
        run.cancel.cancel()
    if any(not run.ended for run in going) and not _all_ended(going):
        raise RateLimited(
            "Work on this data set is still ending.",
            retry_after_seconds=2.0,
            suggestions=["Try again in 2 seconds."],
        )
    ids = service.store.forget_runs(dataset.id, dataset.tenant)
    service.talks.forget(dataset.tenant)
    service.datasets.forget(dataset, ids)
    lines = service.workbench.log.forget(ids)
    removed = {"files": len(dataset.files), "runs": len(ids), "log_lines": lines}
    return {"id": dataset.id, "removed": removed}


def _all_ended(going: list[ActiveRun], seconds: float = 5.0) -> bool:
    """Whether runs that were asked to stop do so within a moment."""
    import time

    deadline = time.monotonic() + seconds
    while any(not run.ended for run in going):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
