"""``/api/ask`` and the conversations that questions make."""

from __future__ import annotations

import uuid
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from gnomon.agents.stages import Stage
from gnomon.core import clock
from gnomon.core.answer import AnswerStatus, Option
from gnomon.core.errors import NotFound, PolicyViolation
from gnomon.core.parts import Parts
from gnomon.server import models
from gnomon.server.answers import answered, said
from gnomon.server.datasets import DEMO
from gnomon.server.rendering import JSON, OffLoop
from gnomon.server.runs import ActiveRun
from gnomon.server.service import Caller, Service, Who

if TYPE_CHECKING:
    from gnomon.agents.auto_insight import Insights
    from gnomon.planning.reading import Reading as Understood
    from gnomon.semantic import SemanticModel

TOP = 10
_STAGES = {
    Stage.COMPUTE: ("Computing the figures", 0.3),
    Stage.EXPLAIN: ("Looking at what changed, where and why", 0.3),
    Stage.CHECK: ("Checking every number", 0.9),
}
_ANSWERING = frozenset({AnswerStatus.ANSWERED, AnswerStatus.PARTIAL})


def router(service: Service) -> APIRouter:
    """The routes of this file."""
    routes = APIRouter(prefix="/api", tags=["questions"], route_class=OffLoop)
    files = service.lanes.files
    service.does("ask", service.lanes.quick, lambda run: _asked(service, run))
    service.does("insights", service.lanes.long, lambda run: _found(service, run))

    @routes.post("/ask", response_model=models.AnswerTold, responses={202: {"model": models.Status}})
    async def ask(body: models.AskBody, request: Request, who: Who) -> Response:
        """Answer a question: with the reading, facts and where each came from, tables, charts and what to ask next."""
        run = await files.run(new_run, service, who, "ask", body)
        return await service.answered(run, request, body.wait)

    @routes.post("/insights", response_model=models.InsightsTold, responses={202: {"model": models.Status}})
    async def insights(body: models.InsightsBody, request: Request, who: Who) -> Response:
        """What is surprising, significant and useful in the data, corrected for everything that was looked at."""
        run = await files.run(new_run, service, who, "insights", body)
        return await service.answered(run, request, body.wait)

    @routes.get("/conversations", response_model=models.ConversationList)
    async def conversations(who: Who, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> Response:
        """Your conversations, the latest used first."""
        found = await files.run(service.sessions.conversations, who.tenant, limit)
        return JSON({"conversations": [c.model_dump(mode="json", exclude={"tenant"}) for c in found]})

    @routes.get("/conversations/{session_id}", response_model=models.ConversationTold)
    async def conversation(session_id: str, who: Who) -> Response:
        """One conversation with its questions and answers."""
        return JSON(await files.run(_conversation, service, who.tenant, session_id))

    @routes.delete("/conversations/{session_id}", status_code=204)
    async def drop(session_id: str, who: Who) -> Response:
        """Forget a conversation; its runs stay on record."""
        await files.run(_conversation, service, who.tenant, session_id)
        await files.run(service.sessions.drop_conversation, who.tenant, session_id)
        service.talks.forget(who.tenant, session_id)
        return Response(status_code=204)

    _ = (ask, insights, conversations, conversation, drop)
    return routes


def new_run(service: Service, who: Caller, kind: str, body: Any) -> Any:
    """The record of a question in a session, which is bound to one data set."""
    session_id = body.session_id or uuid.uuid4().hex
    picked = getattr(body, "pick", None)
    option = service.talks.offered(who.tenant, session_id, picked) if picked is not None else None
    known = service.sessions.conversation(who.tenant, session_id) if body.session_id else None
    dataset_id = body.dataset_id or (known.dataset_id if known else DEMO)
    dataset = service.datasets.find(dataset_id, who.tenant)
    if known is not None and known.dataset_id != dataset.id:
        raise PolicyViolation(
            "This session is about another data set.", suggestions=["Begin another session for it."]
        )
    request = body.model_dump(mode="json", exclude={"wait"}) | {
        "dataset_id": dataset.id, "session_id": session_id, "watched": not body.wait,
    }  # fmt: skip
    if option is not None:
        request |= {"question": option.question, "picked": option.model_dump(mode="json")}
    title = request["question"] if kind == "ask" else body.goal or "What stands out"
    return service.runs.new(kind, who.tenant, title, request, dataset_id=dataset.id, session_id=session_id)


def _asked(service: Service, run: ActiveRun) -> dict[str, Any]:
    given = run.record.request or {}
    dataset = service.datasets.find(given["dataset_id"], run.record.tenant)
    today = date.fromisoformat(given["today"]) if given.get("today") else None
    corrected = Parts.model_validate(given["corrected"]) if given.get("corrected") else None
    picked = Option.model_validate(given["picked"]) if given.get("picked") else None
    repeated, resumed = given.get("replays"), given.get("resumed")
    session_id, question = given["session_id"], given["question"]
    with service.datasets.analyst(dataset) as analyst:
        how: dict[str, Any] = {"today": today, "corrected": corrected, "picked": picked}
        if repeated or resumed:
            # What is asked again means the days that it meant the first time, and leans on what was said by then.
            asked_on = date.fromisoformat(given["asked_on"])
            how["until"] = run.record.started_at if resumed else None
            with clock.frozen(asked_on):
                answer, outcome = service.talks.repeat(
                    dataset, session_id, repeated or run.record.id, question, analyst, **how
                )
        else:
            if given.get("watched"):
                how["watch"] = partial(_tell, run, analyst.model)
            answer, outcome = service.talks.ask(dataset, session_id, question, analyst, run.record.id, **how)
    if repeated:
        return answer
    if resumed:
        service.talks.note(dataset, session_id, run.record.id, "ask", question, answer)
        service.talks.forget(dataset.tenant, session_id)
    if outcome.accuracy is not None:
        told = outcome.answer.status in _ANSWERING
        service.journal.accuracy(
            run.record.tenant, run.record.id, dataset.id, outcome.accuracy, answered=told
        )
    return answer


def _tell(run: ActiveRun, model: SemanticModel, stage: Stage, reading: Understood) -> None:
    """How far a question is, with the reading as soon as it is known."""
    message, fraction = _STAGES[stage]
    run.tell(message, fraction, reading=[s for s in (said(r, model) for r in reading.requests) if s])


def _found(service: Service, run: ActiveRun) -> dict[str, Any]:
    given = run.record.request or {}
    dataset = service.datasets.find(given["dataset_id"], run.record.tenant)
    run.tell("Looking at every figure", 0.1)
    with service.datasets.analyst(dataset) as analyst:
        found = analyst.insights(given.get("goal") or None, given["top"], cancel=run.cancel)
    run.cancel.check()
    answer = insights_told(found, run.record.title)
    if not given.get("replays"):
        service.talks.note(dataset, given["session_id"], run.record.id, "insights", run.record.title, answer)
    return answer


def insights_told(found: Insights, question: str) -> dict[str, Any]:
    """Insights as plain data, with everything that an answer has."""
    whole = found.to_dict()
    reading = {
        "status": None,
        "said": [],
        "requests": [],
        "parts": [],
        "notes": [],
        "missing": [],
        "continues": False,
    }
    rest = {"options": [], "agent": None, "privacy": None, "error_code": None, "accuracy": None}
    more = {k: whole[k] for k in ("goal", "insights", "tests", "rows", "notes")}
    return {**answered(found.to_answer()), "question": question, "reading": reading, **rest, **more}


def _conversation(service: Service, tenant: str, session_id: str) -> dict[str, Any]:
    known = service.sessions.conversation(tenant, session_id)
    if known is None:
        raise NotFound("There is no conversation under this session id.")
    turns = service.sessions.turns(tenant, session_id)
    return {
        **known.model_dump(mode="json", exclude={"tenant"}),
        "turns": [t.model_dump(mode="json", exclude={"seq"}) for t in turns],
    }
