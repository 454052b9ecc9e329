"""What the store keeps of a run: the plan and its events without rows, and bounded previews of outputs."""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from gnomon.core import clock
from gnomon.core.errors import GnomonError
from gnomon.core.events import Event
from gnomon.core.plan import Plan
from gnomon.execution.feedback import EXPIRES_SECONDS, Pending, Question
from gnomon.execution.plain import preview
from gnomon.execution.results import InvocationResult
from gnomon.tools.frames import Frame

if TYPE_CHECKING:
    from gnomon.store import Store

RUNNING = "running"

_log = logging.getLogger(__name__)


class Recorder:
    """Writes one run: a line when it starts, everything else in one transaction when it ends.

    A store that cannot be written to is reported in the log; the work does not suffer.
    """

    def __init__(self, store: Store, request_id: str, plan: Plan, tenant: str) -> None:
        from gnomon.store import Run

        self._store = store
        self._events: list[Event] = []
        self._run = Run(
            id=request_id,
            tenant=tenant,
            status=RUNNING,
            strategy=str(plan.strategy),
            tools=tuple(s.tool for s in plan.steps),
            started_at=clock.now(),
            plan=_without_rows(plan.model_dump()),
        )
        with _reported():
            store.save_run(self._run)

    def listen(self, event: Event) -> None:
        """Keep an event; what a tool says of its progress is not kept, it may quote cells."""
        self._events.append(event.model_copy(update={"message": ""}))

    def finish(self, result: InvocationResult) -> None:
        """Write how it ended."""
        ended = self._run.model_copy(
            update={
                "status": str(result.status),
                "finished_at": clock.now(),
                "duration_seconds": result.duration_seconds,
                "results": [
                    {
                        "step": s.step_id,
                        "tool_id": s.tool_id,
                        "status": str(s.status),
                        "attempts": s.attempts,
                        "duration_seconds": round(s.duration_seconds, 6),
                        "output": preview(s.output),
                        "error": preview(str(s.error)) if s.error else None,
                    }
                    for s in result.steps
                ],
            }
        )
        with _reported():
            self._store.save_run(ended, self._events)


def remember(store: Store, request_id: str, pending: Pending) -> None:
    """Keep an open question beyond this process, unless its plan holds rows: those are not stored.

    Neither are rows that came with the request; whoever answers after a restart sends them again.
    """
    plans = [pending.plan, *pending.question.answers.values()]
    if any(_holds_rows(step.params) for plan in plans for step in plan.steps):
        return
    question = {
        "message": pending.question.message,
        "answers": {k: p.model_dump(mode="json") for k, p in pending.question.answers.items()},
        "create_for": pending.question.create_for,
        "owner": pending.owner,
        "reading": dict(pending.context),
        "data": pending.data.to_json() if pending.data is not None and pending.data.is_reference else None,
        "lost_rows": pending.data is not None and not pending.data.is_reference,
    }
    expires = clock.now() + timedelta(seconds=EXPIRES_SECONDS)
    with _reported():
        store.save_pending(request_id, pending.plan.model_dump(mode="json"), question, expires)


def recall(store: Store, request_id: str) -> Pending | None:
    """The open question of a request that another process put, or None."""
    kept = store.pending(request_id)
    if kept is None:
        return None
    plan, question = kept
    answers = {k: Plan.model_validate(p) for k, p in question["answers"].items()}
    return Pending(
        Plan.model_validate(plan),
        Question(question["message"], answers, question["create_for"]),
        Frame.of(data) if (data := question.get("data")) else None,
        question.get("owner", ""),
        question.get("reading", {}),
        question.get("lost_rows", False),
    )


@contextmanager
def _reported() -> Generator[None]:
    try:
        yield
    except GnomonError as e:
        _log.warning("This run is not recorded: %s", e)


def _is_rows(value: Any) -> bool:
    if isinstance(value, Frame):
        return not value.is_reference
    if isinstance(value, Mapping):
        return "rows" in value
    if isinstance(value, (list, tuple)):
        first = next(iter(cast("list[Any]", value)), None)
        return isinstance(first, Mapping)
    return hasattr(value, "__arrow_c_stream__")


def _holds_rows(params: Mapping[str, Any]) -> bool:
    return any(_is_rows(v) for v in params.values())


def _without_rows(value: Any) -> Any:
    """A plan as JSON in which rows are only counted."""
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        return {
            k: {n: _count(v) if _is_rows(v) else preview(v) for n, v in cast("dict[str, Any]", inner).items()}
            if k == "params"
            else _without_rows(inner)
            for k, inner in mapping.items()
        }
    if isinstance(value, (list, tuple)):
        return [_without_rows(v) for v in cast("list[Any]", value)]
    return preview(value)


def _count(value: Any) -> dict[str, int]:
    rows: Any = cast("Mapping[str, Any]", value)["rows"] if isinstance(value, Mapping) else value
    return {"row_count": len(rows)}
