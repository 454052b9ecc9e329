"""Reports of runs and investigations by their ending, and the files that runs leave behind."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response

from gnomon.core.answer import Answer, ResultTable
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.private import private_file, private_folder
from gnomon.mcp_server.calls import Control
from gnomon.server.artefacts import artefact_folder, artefacts_of
from gnomon.server.investigation_routes import Investigating
from gnomon.server.rendering import OffLoop
from gnomon.server.service import Caller, Service, Who
from gnomon.store import Run, StoredInvestigation
from gnomon.tools import CancelToken

if TYPE_CHECKING:
    from gnomon.reporting import Document, Source

Ending = Literal["html", "pdf", "ipynb", "md", "json", "xlsx", "csv", "svg", "png"]
_TYPES = {
    "html": "text/html", "pdf": "application/pdf", "ipynb": "application/x-ipynb+json", "md": "text/markdown",
    "json": "application/json", "csv": "text/csv", "svg": "image/svg+xml", "png": "image/png", "zip": "application/zip",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file; several files come as one .zip.",
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in _TYPES.values()},
    }
}
_ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


def router(service: Service, investigating: Investigating) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api", tags=["reports"], route_class=OffLoop)
    files, long = service.lanes.files, service.lanes.long

    @routes.get("/runs/{run_id}/report.{ending}", response_class=FileResponse, responses=_FILE)
    async def run_report(run_id: str, ending: Ending, who: Who) -> Response:
        """What came of a run as a report: a page, a PDF, a notebook, tables or pictures."""
        run = await files.run(service.runs.find, run_id, who.tenant)
        return _download(await long.run(_of_run, service, run, who, ending))

    @routes.get(
        "/investigations/{investigation_id}/report.{ending}", response_class=FileResponse, responses=_FILE
    )
    async def investigation_report(investigation_id: str, ending: Ending, who: Who) -> Response:
        """An analysed investigation as a report."""
        kept = await files.run(service.sessions.investigation, who.tenant, investigation_id)
        return _download(await long.run(_of_investigation, service, investigating, kept, who, ending))

    @routes.get("/runs/{run_id}/artefacts/{name}", response_class=FileResponse, responses=_FILE)
    async def artefact(run_id: str, name: str, who: Who) -> Response:
        """A file that a run left behind, by the name that the run lists."""
        run = await files.run(service.runs.find, run_id, who.tenant)
        found = await files.run(artefacts_of, service, run)
        for path in found:  # a name is looked up among those that are there, never made into a path
            if path.name == name:
                return _download(path)
        raise NotFound.among("artefact", name[:80], [p.name for p in found])

    _ = (run_report, investigation_report, artefact)
    return routes


def _of_run(service: Service, run: Run, who: Caller, ending: str) -> Path:
    if run.status != "success" or not run.answer or run.kind not in ("ask", "why", "insights", "analysis"):
        raise InvalidInput(
            f"There is no report of a run that is {run.status}."
            if run.status != "success"
            else f"There is no report of a run of the kind {run.kind!r}.",
            suggestions=["Questions, diagnoses, insights and analyses that ended well have one."],
        )
    document = _document(service, run, who)
    return _written(service, document, artefact_folder(service, run), ending)


def _document(service: Service, run: Run, who: Caller) -> Document:
    from gnomon.reporting import Recipe, document_of_answer, document_of_record

    told = run.answer or {}
    sources = _sources(service, run.tenant, run.dataset_id, who)
    if run.kind == "analysis":
        cells = [
            {"title": c["description"], "language": c["language"], "code": c["code"], "output": c["stdout"]}
            for c in told["cells"]
        ]
        named = [s.model_dump(mode="json") for s in sources]
        return document_of_record({**told, "title": told["question"], "cells": cells, "sources": named})
    given = run.request or {}
    alone = run.kind == "ask" and not told["reading"]["continues"] and not given.get("corrected")
    arguments = {"question": told["question"], "today": given.get("today")}
    locations = tuple(s.location for s in sources)
    recipe = Recipe(kind="answer", sources=locations, arguments=arguments) if alone else None
    return document_of_answer(
        _answer(told), told["question"], sources=sources, privacy=told.get("privacy"), recipe=recipe
    )


def _answer(told: dict[str, Any]) -> Answer:
    """The answer as it was told, typed again."""
    tables = tuple(
        ResultTable(
            name=t["name"], columns=tuple(t["columns"]), rates=tuple(t["rates"]),
            rows=tuple(tuple(_day(v) for v in row) for row in t["rows"]),
        )
        for t in told["tables"]
    )  # fmt: skip
    fields = ("status", "prose", "facts", "charts", "plan", "suggestions", "timings")
    return Answer.model_validate({**{k: told[k] for k in fields}, "tables": tables})


def _day(value: Any) -> Any:
    """A date that JSON carried as text is a date again."""
    if isinstance(value, str) and len(value) == 10 and value[4] == value[7] == "-":
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    return value


def _of_investigation(
    service: Service, investigating: Investigating, kept: StoredInvestigation, who: Caller, ending: str
) -> Path:
    from gnomon.reporting import document_of_investigation

    sources = _sources(service, kept.tenant, kept.dataset_id, who)
    name = f"{kept.subject.get('table') or kept.dataset_id}"
    document = document_of_investigation(investigating.state(kept), name, sources=sources)
    folder = service.datasets.folder(kept.tenant, kept.dataset_id) / "artefacts" / kept.id
    return _written(service, document, folder, ending)


def _sources(service: Service, tenant: str, dataset_id: str | None, who: Caller) -> tuple[Source, ...]:
    """The data behind a report; whoever came with a tenant's token learns names, not where files lie here."""
    from gnomon.reporting import sources_of

    if dataset_id is None:
        return ()
    dataset = service.datasets.find(dataset_id, tenant)
    with service.datasets.analyst(dataset) as analyst:
        found = sources_of(analyst.dataset)
    return tuple(s.model_copy(update={"location": s.name}) for s in found) if who.bound else found


def _written(service: Service, document: Document, folder: Path, ending: str) -> Path:
    """The file of a report, made in a process of its own: drawing would hold up everybody here."""
    target = private_folder(folder) / f"report.{ending}"
    control = Control(CancelToken(), lambda *_: None)
    _, _, written = service.apart.run(_write, (document, target, ()), control)
    paths = [Path(p) for p in written]
    if len(paths) == 1:
        private_file(paths[0])
        return paths[0]
    packed = private_file(folder / f"report.{ending}.zip")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for path in paths:
            out.write(path, path.relative_to(folder))
    return packed


def _write(
    subject: tuple[Document, Path, tuple[str, ...]], _progress: Any
) -> tuple[Document, Path, tuple[str, ...]]:
    """What the process does."""
    from gnomon.reporting import write_report

    document, target, _ = subject
    return document, target, tuple(str(p) for p in write_report(document, target))


def _download(path: Path) -> Response:
    kind = _TYPES.get(path.suffix.lstrip(".").lower(), "application/octet-stream")
    headers = {"Content-Security-Policy": _ALONE}
    return FileResponse(path, media_type=kind, filename=path.name, headers=headers)
