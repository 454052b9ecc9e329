"""``/api/investigations``: anomalies step by step; each answer says what to do next, and every step is kept."""

from __future__ import annotations

import secrets
import threading
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from gnomon.core import clock
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.execution.plain import plain
from gnomon.mcp_server.calls import Control
from gnomon.mcp_server.investigations import advance
from gnomon.server import models
from gnomon.server.rendering import JSON, OffLoop
from gnomon.server.runs import ActiveRun
from gnomon.server.service import Service, Who
from gnomon.store import StoredInvestigation

MAX_POINTS = 5000
MAX_ROWS = 200_000
_CALLS = {
    "plan": "plan",
    "run": "run",
    "analyze": "analyze",
    "iterate": "feedback",
    "recover_detector_failure": "feedback",
    "confirm_with_user": "feedback",
    "report_to_user": "report",
}
_STEPS = {
    "start": "the rows profiled",
    "plan": "detectors chosen",
    "run": "every row scored",
    "analyze": "the evidence weighed",
    "feedback": "feedback taken",
}
_ENGINE = {**{step: step for step in _STEPS}, "feedback": "iterate"}
"""What the engine calls the steps."""
_WORKING = frozenset(
    {
        "scores",
        "labels",
        "votes",
        "p_values",
        "scores_train",
        "labels_train",
        "detector",
        "null",
        "combination",
    }
)


class Investigating:
    """Investigations over the service's data sets, one step at a time, in processes that can be stopped."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._busy: set[str] = set()

    def do(self, run: ActiveRun) -> dict[str, Any]:
        """One step, as its run says."""
        given = run.record.request or {}
        if given.get("replays"):
            return self._replayed(run, given)
        with self._alone(given["investigation_id"]):
            return self._start(run, given) if given["step"] == "start" else self._stepped(run, given)

    def _stepped(self, run: ActiveRun, given: dict[str, Any]) -> dict[str, Any]:
        kept = self._service.sessions.investigation(run.record.tenant, given["investigation_id"])
        taken = kept.state["steps"][given.get("after", len(kept.state["steps"])) :]
        if given.get("resumed") and [t["call"] for t in taken] == [_ENGINE[given["step"]]]:
            return described(kept)  # it was kept just before the process died
        if taken:
            raise InvalidInput(
                "Another step of this investigation was taken since.",
                suggestions=[f"GET /api/investigations/{kept.id} tells where it stands."],
            )
        if given["step"] in ("plan", "feedback"):
            state = self._settled(kept, given)
        else:
            state = self._service.apart.run(partial(advance, given["step"]), self.state(kept), _control(run))
        run.cancel.check()
        kept = kept.model_copy(update={"state": state.to_dict(), "updated_at": clock.now()})
        self._service.sessions.save_investigation(kept)
        return described(kept)

    def _replayed(self, run: ActiveRun, given: dict[str, Any]) -> dict[str, Any]:
        """What the steps up to that of the run come to when they are taken again; the investigation stays as it is."""
        kept = self._service.sessions.investigation(run.record.tenant, given["investigation_id"])
        steps = kept.state["steps"][: given.get("after", len(kept.state["steps"])) + 1]
        if steps[-1]["call"] != _ENGINE[given["step"]]:
            raise InvalidInput(
                "This step is not part of the investigation as it went on.",
                suggestions=["Replay one that ended well, or resume this one."],
            )
        rows, _ = self._rows(kept.dataset_id, kept.tenant, {"dataset_id": kept.dataset_id, **kept.subject})
        state: Any = self._service.apart.run(_again, (rows, steps), _control(run))
        return described(kept.model_copy(update={"state": state.to_dict()}))

    @contextmanager
    def _alone(self, investigation_id: str) -> Generator[None]:
        """Refuse a second step while one is being taken: the later of the two would undo the other."""
        with self._lock:
            if investigation_id in self._busy:
                raise InvalidInput(
                    "A step of this investigation is being taken.",
                    suggestions=["Wait for it, or cancel its run."],
                )
            self._busy.add(investigation_id)
        try:
            yield
        finally:
            with self._lock:
                self._busy.discard(investigation_id)

    def report(self, kept: StoredInvestigation, form: str) -> dict[str, Any]:
        """The report of an analysed investigation."""
        found = _engine().report(self.state(kept), form)
        body = found if isinstance(found, str) else plain(_without_working(found))
        return {"investigation_id": kept.id, "format": form, "report": body}

    def _start(self, run: ActiveRun, given: dict[str, Any]) -> dict[str, Any]:
        if given.get("resumed"):
            with suppress(NotFound):  # it was kept just before the process died, or has gone on since
                return described(
                    self._service.sessions.investigation(run.record.tenant, given["investigation_id"])
                )
        dataset = self._service.datasets.find(given["dataset_id"], run.record.tenant)
        run.tell("Reading the rows", 0.1)
        rows, subject = self._rows(dataset.id, run.record.tenant, given)
        run.tell("Profiling", 0.5)
        state = _engine().start(rows, given.get("data_type"))
        now = clock.now()
        kept = StoredInvestigation(
            id=given["investigation_id"], tenant=run.record.tenant, session_id=given["session_id"],
            dataset_id=dataset.id, subject=subject, state=state.to_dict(), created_at=now, updated_at=now,
        )  # fmt: skip
        self._service.sessions.save_investigation(kept)
        return described(kept)

    def _settled(self, kept: StoredInvestigation, given: dict[str, Any]) -> Any:
        state = self.state(kept)
        if given["step"] == "feedback":
            return _engine().iterate(state, given["feedback"])
        limits = {k: v for k, v in given["limits"].items() if v not in (None, [])}
        return _engine().plan(state, given["priority"], limits)

    def state(self, kept: StoredInvestigation) -> Any:
        """The state with its rows, which are read again from the data set."""
        from gnomon.anomaly.state import InvestigationState

        given = {"dataset_id": kept.dataset_id, **kept.subject}
        rows, _ = self._rows(kept.dataset_id, kept.tenant, given)
        return InvestigationState.from_dict(kept.state, rows)

    def _rows(self, dataset_id: str, tenant: str, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        from gnomon.replaying import rows_of

        dataset = self._service.datasets.find(dataset_id, tenant)
        with self._service.datasets.analyst(dataset) as analyst:
            names = list(analyst.dataset.tables)
            name = given.get("table") or (names[0] if len(names) == 1 else None)
            if name is None:
                raise InvalidInput(
                    f"This data set has {len(names)} tables; name the one to look into.",
                    suggestions=[", ".join(names[:12])],
                )
            rows = rows_of(analyst.dataset, name, given.get("columns") or (), MAX_ROWS + 1)
        if rows.empty:
            raise InvalidInput("There are no rows to investigate.")
        if len(rows) > MAX_ROWS:
            raise InvalidInput(
                f"The table has more than {MAX_ROWS:,} rows.", suggestions=["Upload the part to look into."]
            )
        subject = {"table": name, "columns": given.get("columns"), "data_type": given.get("data_type")}
        return rows, subject


def router(service: Service, investigating: Investigating) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api/investigations", tags=["investigations"], route_class=OffLoop)
    files = service.lanes.files
    told: dict[str, Any] = {
        "response_model": models.InvestigationTold,
        "responses": {202: {"model": models.Status}},
    }
    service.does("investigation", service.lanes.long, investigating.do)

    async def step(who: Who, request: Request, wait: bool, investigation_id: str, **given: Any) -> Response:
        kept = await files.run(service.sessions.investigation, who.tenant, investigation_id)
        title = f"Investigation of {kept.subject.get('table')}: {_STEPS[given['step']]}"
        run = service.runs.new(
            "investigation", who.tenant, title,
            {"investigation_id": kept.id, "after": len(kept.state["steps"]), **given},
            session_id=kept.session_id, dataset_id=kept.dataset_id,
        )  # fmt: skip
        return await service.answered(run, request, wait)

    @routes.get("", response_model=models.InvestigationList)
    async def investigations(
        who: Who,
        session_id: Annotated[str | None, Query(max_length=100)] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> Response:
        """Your investigations, all or those of a session."""
        found = await files.run(service.sessions.investigations, who.tenant, session_id, limit)
        return JSON({"investigations": [_listed(k) for k in found]})

    @routes.post("", **told)
    async def start(body: models.InvestigateBody, request: Request, who: Who) -> Response:
        """Profile the rows of a table and begin an investigation; follow ``next_action``."""
        await files.run(service.datasets.find, body.dataset_id, who.tenant)
        session_id = body.session_id or uuid.uuid4().hex
        given = body.model_dump(mode="json") | {
            "step": "start", "after": 0, "session_id": session_id, "investigation_id": f"inv_{secrets.token_hex(8)}",
        }  # fmt: skip
        title = f"Investigation of {body.table or body.dataset_id}: {_STEPS['start']}"
        run = service.runs.new(
            "investigation", who.tenant, title, given, session_id=session_id, dataset_id=body.dataset_id
        )
        return await service.answered(run, request, wait=True)

    @routes.get("/{investigation_id}", response_model=models.InvestigationTold)
    async def investigation(investigation_id: str, who: Who) -> Response:
        """Where an investigation stands."""
        kept = await files.run(service.sessions.investigation, who.tenant, investigation_id)
        return JSON(await files.run(described, kept))

    @routes.post("/{investigation_id}/plan", **told)
    async def plan(investigation_id: str, body: models.PlanBody, request: Request, who: Who) -> Response:
        """Choose up to three detectors."""
        limits = body.model_dump(exclude={"priority"})
        return await step(
            who, request, True, investigation_id, step="plan", priority=body.priority, limits=limits
        )

    @routes.post("/{investigation_id}/run", **told)
    async def run(investigation_id: str, body: models.StepBody, request: Request, who: Who) -> Response:
        """Fit the detectors; can be cancelled."""
        return await step(who, request, body.wait, investigation_id, step="run")

    @routes.post("/{investigation_id}/analyze", **told)
    async def analyze(investigation_id: str, body: models.StepBody, request: Request, who: Who) -> Response:
        """Judge the result against chance and explain what stands out most."""
        return await step(who, request, body.wait, investigation_id, step="analyze")

    @routes.post("/{investigation_id}/feedback", **told)
    async def feedback(
        investigation_id: str, body: models.FeedbackBody, request: Request, who: Who
    ) -> Response:
        """Take feedback, in words or as data: what is certain is done, the rest is asked back in ``next_action``."""
        return await step(who, request, True, investigation_id, step="feedback", feedback=body.feedback)

    @routes.get("/{investigation_id}/report", response_model=models.ReportTold)
    async def report(
        investigation_id: str, who: Who, format: Annotated[Literal["text", "json"], Query()] = "text"
    ) -> Response:
        """The report of an analysed investigation, as Markdown or as data."""
        kept = await files.run(service.sessions.investigation, who.tenant, investigation_id)
        return JSON(await service.lanes.long.run(investigating.report, kept, format))

    _ = (investigations, start, investigation, plan, run, analyze, feedback, report)
    return routes


def described(kept: StoredInvestigation) -> dict[str, Any]:
    """An investigation as plain data, its scores thinned for a plot."""
    state = kept.state
    action: dict[str, Any] = dict(state.get("next_action") or {})
    if call := _CALLS.get(str(action.get("action"))):
        verb = "GET" if call == "report" else "POST"
        action["call"] = f"{verb} /api/investigations/{kept.id}/{call}"
    return {
        "investigation_id": kept.id,
        "session_id": kept.session_id,
        "dataset_id": kept.dataset_id,
        "subject": kept.subject,
        "phase": state["phase"],
        "iteration": state["iteration"],
        "next_action": action,
        "profile": state.get("profile") or {},
        "plans": state.get("plans") or [],
        "results": [_without_working(r) for r in state.get("results") or []],
        "analysis": _without_working(state.get("analysis")),
        "quality": state.get("quality"),
        "scores": _scores(state.get("consensus")),
        "history": state.get("history") or [],
        "labels": state.get("labels") or {},
    }


def _listed(kept: StoredInvestigation) -> dict[str, Any]:
    whole = described(kept)
    few = ("investigation_id", "session_id", "dataset_id", "subject", "phase", "iteration", "next_action")
    return {k: whole[k] for k in few} | {"updated_at": kept.updated_at.isoformat()}


def _scores(consensus: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The scores of rows for a plot: every flagged one, and every so-manieth of the others."""
    if not consensus or not consensus.get("scores"):
        return None
    scores, labels = list(consensus["scores"]), list(consensus.get("labels") or [])
    flags = [bool(label) for label in labels] or [False] * len(scores)
    step = max(1, len(scores) // MAX_POINTS)
    shown = [i for i in range(len(scores)) if i % step == 0 or flags[i]][: 2 * MAX_POINTS]
    return {
        "index": shown,
        "score": [scores[i] for i in shown],
        "flagged": [flags[i] for i in shown],
        "threshold": consensus.get("threshold"),
        "rows": len(scores),
    }


def _without_working(value: Any) -> Any:
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Any]", value)
        return {k: _without_working(v) for k, v in given.items() if k not in _WORKING}
    if isinstance(value, (list, tuple)):
        return [_without_working(v) for v in cast("Sequence[Any]", value)]
    return value


def _again(subject: Any, _progress: Any) -> Any:
    """What the process does that takes recorded steps again."""
    from gnomon.replaying import steps_again

    rows, steps = subject
    return steps_again(rows, steps)


def _control(run: ActiveRun) -> Control:
    return Control(run.cancel, lambda share, message="": run.tell(message or "Working", share))


def _engine() -> Any:
    from gnomon.anomaly import ADEngine

    return ADEngine(random_state=0)
