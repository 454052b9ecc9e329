"""Reports of runs and investigations by their ending, and the files that runs leave behind."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse, Response

from gnomon.core import clock
from gnomon.core.answer import Answer, ResultTable
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.patterns import regex
from gnomon.core.private import private_file, private_folder
from gnomon.mcp_server.calls import Control
from gnomon.server.answers import reading_of
from gnomon.server.artefacts import artefact_folder, artefacts_of
from gnomon.server.ask_routes import TOP
from gnomon.server.investigation_routes import Investigating
from gnomon.server.rendering import OffLoop
from gnomon.server.service import Caller, Service, Who
from gnomon.store import Run, StoredInvestigation
from gnomon.tools import CancelToken

if TYPE_CHECKING:
    from gnomon.reporting import Document, Recipe, Source

Ending = Literal["html", "pdf", "ipynb", "md", "json", "xlsx", "csv", "svg", "png"]
Number = Annotated[int, PathParameter(ge=1, le=1000)]
_TYPES = {
    "html": "text/html", "pdf": "application/pdf", "ipynb": "application/x-ipynb+json", "md": "text/markdown",
    "json": "application/json", "csv": "text/csv", "svg": "image/svg+xml", "png": "image/png", "zip": "application/zip",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file; several files come as one .zip.",
        "content": {
            kind: {"schema": {"type": "object"} if "json" in kind else {"type": "string", "format": "binary"}}
            for kind in _TYPES.values()
        },
    }
}
_REPORTED = frozenset({"ask", "why", "insights", "analysis", "plan"})
_MOMENT = regex(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?")
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

    @routes.get("/runs/{run_id}/tables/{number}.{ending}", response_class=FileResponse, responses=_FILE)
    async def run_table(run_id: str, number: Number, ending: Literal["csv", "xlsx"], who: Who) -> Response:
        """One table of what came of a run, counted from 1 in the order in which they are shown."""
        run = await files.run(service.runs.find, run_id, who.tenant)
        return _download(await long.run(_of_run, service, run, who, ending, ("table", number)))

    @routes.get("/runs/{run_id}/charts/{number}.{ending}", response_class=FileResponse, responses=_FILE)
    async def run_chart(run_id: str, number: Number, ending: Literal["png", "svg"], who: Who) -> Response:
        """One chart of what came of a run, counted from 1 in the order in which they are shown."""
        run = await files.run(service.runs.find, run_id, who.tenant)
        return _download(await long.run(_of_run, service, run, who, ending, ("chart", number)))

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

    _ = (run_report, run_table, run_chart, investigation_report, artefact)
    return routes


def _of_run(
    service: Service, run: Run, who: Caller, ending: str, only: tuple[Literal["table", "chart"], int] | None = None
) -> Path:  # fmt: skip
    """The report of a run, or one table or chart of it alone."""
    if run.status != "success" or not run.answer or run.kind not in _REPORTED:
        raise InvalidInput(
            f"There is no report of a run that is {run.status}."
            if run.status != "success"
            else f"There is no report of a run of the kind {run.kind!r}.",
            suggestions=["Questions, diagnoses, insights, analyses and plans that ended well have one."],
        )
    document = _document(service, run, who)
    name = "report"
    if only is not None:
        document, name = _alone(document, *only), f"{only[0]}-{only[1]}"
    return _written(service, document, artefact_folder(service, run), ending, name)


def _alone(document: Document, what: Literal["table", "chart"], number: int) -> Document:
    """The document with one of its tables or charts and nothing else."""
    from gnomon.reporting.document import Section

    held = document.tables if what == "table" else document.charts
    if number > len(held):
        said = f"There are {len(held)}." if len(held) != 1 else "There is one."
        raise NotFound(f"There is no {what} {number} in this result.", suggestions=[said])
    tables = tuple(document.tables[number - 1 : number]) if what == "table" else ()
    charts = tuple(document.charts[number - 1 : number]) if what == "chart" else ()
    section = Section(heading=document.title, tables=tables, charts=charts)
    return document.model_copy(update={"sections": (section,), "facts": (), "steps": ()})


def _document(service: Service, run: Run, who: Caller) -> Document:
    from gnomon.reporting import document_of_analysis, document_of_answer, document_of_record

    told, given = run.answer or {}, run.request or {}
    if run.kind == "plan":
        return document_of_analysis(told, run.title or "Analysis")
    data = _Data.of(service, run.tenant, given.get("files") or [run.dataset_id or ""], who)
    recipe = _recipe(service, run, data)
    if run.kind == "analysis":
        cells = [
            {"title": c["description"], "language": c["language"], "code": c["code"], "output": c["stdout"]}
            for c in told["cells"]
        ]
        named = [s.model_dump(mode="json") for s in data.files]
        parts = [{**s, "tables": [_typed(t) for t in s["tables"]]} for s in told["sections"]]
        whole = {"title": run.title, "sections": parts, "cells": cells, "sources": named, "recipe": recipe}
        made = document_of_record({**told, "tables": [_typed(t) for t in told["tables"]], **whole})
        return made if parts else _uncut(made, told["tables"])
    made = document_of_answer(
        _answer(told), told["question"], sources=data.files, privacy=told.get("privacy"), recipe=recipe
    )
    return _uncut(made, told["tables"])


def _uncut(made: Document, tables: list[dict[str, Any]]) -> Document:
    """The report with the sizes that its tables have: of long ones only the first rows are on record."""
    totals = iter([t["total_rows"] for t in tables])
    sections = [
        s.model_copy(update={"tables": tuple(t.model_copy(update={"total": next(totals)}) for t in s.tables)})
        for s in made.sections
    ]
    return made.model_copy(update={"sections": tuple(sections)})


def _recipe(service: Service, run: Run, data: _Data) -> Recipe | None:
    """How what came of a run is computed again elsewhere, by files alone."""
    from gnomon.recipes import Asked, AskedLast, Searched, recipe_of, record_recipe

    told, given = run.answer or {}, run.request or {}
    if run.kind == "insights":
        return recipe_of("insights", data.opened, Searched(goal=given.get("goal"), top=given["top"]))
    if run.kind == "analysis":
        if told.get("record_status") is None:  # without a model and a template: what stands out
            return recipe_of("insights", data.opened, Searched(goal=given["requirement"] or None, top=TOP))
        return record_recipe(told["template"], told["question"], told["cells"], data.opened)
    before = service.talks.before(run.tenant, run.session_id or "", run.id)
    asked = AskedLast(
        question=told["question"],
        today=date.fromisoformat(given["today"]) if given.get("today") else _asked_on(service, run),
        corrected=given.get("corrected"),
        reading=reading_of(told) if told.get("privacy") else None,
        before=tuple(Asked(question=t.question, reading=reading_of(t.answer)) for t in before)
        if told["reading"]["continues"]
        else (),
    )
    return recipe_of("answer", data.opened, asked)


def _asked_on(service: Service, run: Run) -> date:
    """The day that "last month" referred to when the question was asked."""
    dataset = service.datasets.find(run.dataset_id or "", run.tenant)
    with service.datasets.analyst(dataset) as analyst, clock.frozen(run.started_at.astimezone().date()):
        return analyst.day()


def _answer(told: dict[str, Any]) -> Answer:
    """The answer as it was told, typed again."""
    tables = tuple(ResultTable.model_validate(_typed(t)) for t in told["tables"])
    facts = [{**f, "value": _moment(f["value"])} for f in told["facts"]]
    fields = ("status", "prose", "charts", "plan", "suggestions", "timings")
    return Answer.model_validate({**{k: told[k] for k in fields}, "facts": facts, "tables": tables})


def _typed(table: dict[str, Any]) -> dict[str, Any]:
    """A table of an answer; days and moments, which JSON carried as text, are such again."""
    rows = [[_moment(v) for v in row] for row in table["rows"]]
    return {k: table[k] for k in ("name", "columns", "rates", "units") if k in table} | {"rows": rows}


def _moment(value: Any) -> Any:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return value
    try:
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except ValueError:  # the 31st of February
        return value


def _of_investigation(
    service: Service, investigating: Investigating, kept: StoredInvestigation, who: Caller, ending: str
) -> Path:
    from gnomon.recipes import investigation_report

    data = _Data.of(service, kept.tenant, [kept.dataset_id], who)
    name, columns = kept.subject["table"], kept.subject.get("columns")
    document = investigation_report(
        investigating.state(kept), name, sources=data.files, opened=data.opened, table=name, columns=columns
    )
    folder = service.datasets.folder(kept.tenant, kept.dataset_id) / "artefacts" / kept.id
    return _written(service, document, folder, ending)


@dataclass(frozen=True)
class _Data:
    """The data behind a report; whoever came with a tenant's token learns names, not where files lie here.

    Args:
        files: The files.
        opened: What to open, in order to compute the report again.
    """

    files: tuple[Source, ...]
    opened: tuple[str, ...]

    @classmethod
    def of(cls, service: Service, tenant: str, dataset_ids: Sequence[str], who: Caller) -> _Data:
        """That of data sets."""
        from gnomon.reporting import sources_of
        from gnomon.reporting.places import absolute

        files: list[Source] = []
        opened: list[str] = []
        for name in dataset_ids:
            dataset = service.datasets.find(name, tenant)
            with service.datasets.analyst(dataset) as analyst:
                files += sources_of(analyst.dataset)
            opened += [absolute(s) for s in service.datasets.sources(dataset)]
        if not who.bound:
            return cls(tuple(files), tuple(opened))
        named = tuple(s.model_copy(update={"location": s.name}) for s in files)
        return cls(named, tuple(s.name for s in named))


def _written(service: Service, document: Document, folder: Path, ending: str, name: str = "report") -> Path:
    """The file of a report, made in a process of its own: drawing would hold up everybody here."""
    target = private_folder(folder) / f"{name}.{ending}"
    control = Control(CancelToken(), lambda *_: None)
    _, _, written = service.apart.run(_write, (document, target, ()), control)
    paths = [Path(p) for p in written]
    if len(paths) == 1:
        private_file(paths[0])
        return paths[0]
    packed = private_file(folder / f"{name}.{ending}.zip")
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
