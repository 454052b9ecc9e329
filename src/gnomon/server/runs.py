"""Runs: work that has an id, can be watched, cancelled and done again, and is on record before it begins."""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from gnomon.core import clock
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import Cancelled, GnomonError, InvalidInput, NotFound
from gnomon.core.events import Event, EventKind
from gnomon.guardrails.results import Violation, broken_rules
from gnomon.server.faults import explained
from gnomon.server.lanes import Lane
from gnomon.store import INTERRUPTED, RUNNING, Journal, Run, Store, StoredEvent
from gnomon.store.ledger import run_id as sending_run
from gnomon.tools import CancelToken

logger = logging.getLogger("gnomon.server")

SUCCESS, FAILED, CANCELLED, REFUSED = "success", "failed", "cancelled", "refused"
RUN_STATUS = "run_status"
"""Work that ended otherwise than well, but has something to tell, says so under this name in what it gives."""

MAX_EVENTS = 2000
HEARTBEAT_SECONDS = 15.0
ENDINGS = frozenset({EventKind.FINISHED, EventKind.FAILED, EventKind.CANCELLED})


@dataclass
class ActiveRun:
    """A run that is going on in this process."""

    record: Run
    store: Store
    cancel: CancelToken = field(default_factory=CancelToken)
    feed: list[StoredEvent] = field(default_factory=list[StoredEvent])
    ended: bool = False
    on_record: bool = False
    watchers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set[Any])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def tell(
        self,
        message: str,
        fraction: float | None = None,
        *,
        current_round: int | None = None,
        max_rounds: int | None = None,
        **data: Any,
    ) -> None:
        """Say how far the work is, to whoever watches and to the store."""
        self.cancel.check()
        before = self.record.progress or {}
        share = before.get("fraction", 0.0) if fraction is None else min(1.0, max(0.0, fraction))
        progress = {
            "message": message,
            "fraction": share,
            "current_round": before.get("current_round", 0) if current_round is None else current_round,
            "max_rounds": before.get("max_rounds", 0) if max_rounds is None else max_rounds,
        }
        record = self.record.model_copy(update={"progress": progress})
        if len(self.feed) < MAX_EVENTS:
            told = {k: v for k, v in progress.items() if k != "fraction" and v} | data
            self.emit(EventKind.PROGRESS, fraction=share, data=told, record=record)
        elif not self.ended:
            self.record = record

    def emit(
        self,
        kind: EventKind,
        fraction: float | None = None,
        data: dict[str, Any] | None = None,
        record: Run | None = None,
    ) -> None:
        """Put one event on record, with what the run is from then on, and hand it to those who watch.

        Nothing comes after the end: a helper that still works then is not heard.
        """
        if self.ended:
            return
        record = record or self.record
        event = Event(request_id=record.id, kind=kind, fraction=fraction, data=data or {})
        try:
            self.store.save_run(record, [event], new=kind is EventKind.STARTED and not self.on_record)
            self.on_record = True
        except GnomonError as e:  # the work does not suffer where the store does
            logger.warning("a run is not recorded: %s", e)
        stored = StoredEvent(**event.model_dump(include=set(StoredEvent.model_fields)))
        with self.lock:
            self.record = record
            self.feed.append(stored)
            self.ended = self.ended or kind in ENDINGS
            watchers = list(self.watchers)
        for loop, flag in watchers:
            loop.call_soon_threadsafe(flag.set)

    def now(self) -> Run:
        """The run as it stands, with every event that made it so."""
        with self.lock:
            return self.record.model_copy(update={"events": tuple(self.feed)})


Work = Callable[[ActiveRun], dict[str, Any]]
"""What a run does: it gets the run, and gives what is told of it as plain data."""


class Runs:
    """The runs of the service: those that are going on here, and all others in the store.

    Args:
        store: Where they are kept.
        journal: Where broken rules are written down.
    """

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal
        self._lock = threading.Lock()
        self._active: dict[str, ActiveRun] = {}

    def begin(
        self, lane: Lane, run: Run, work: Work, *, on_record: bool = False
    ) -> tuple[ActiveRun, asyncio.Future[dict[str, Any]]]:
        """Put a run on record and its work into a lane; to be called off the event loop's thread or on it.

        Raises:
            InvalidInput: A run of that id is going on already.
            RateLimited: The lane is full; nothing was put on record.
        """
        active = ActiveRun(run, self._store, on_record=on_record)
        with self._lock:
            if run.id in self._active:
                raise InvalidInput("A run of this id is going on already.")
            self._active[run.id] = active
        try:
            future = lane.submit(self._work, active, work)
        except BaseException:
            self._leave(active)
            raise
        future.add_done_callback(lambda f: self._leave(active) if f.cancelled() else None)
        return active, asyncio.wrap_future(future)

    def new(self, kind: str, tenant: str, title: str, request: dict[str, Any], **fields: Any) -> Run:
        """The record of a run that is about to begin."""
        return Run(
            id=str(uuid.uuid4()), status=RUNNING, started_at=clock.now(), kind=kind, tenant=tenant,
            title=title[:500], request=request, **fields,
        )  # fmt: skip

    def active(self, run_id: str, tenant: str) -> ActiveRun | None:
        """A run that is going on here."""
        with self._lock:
            found = self._active.get(run_id)
        return found if found is not None and found.record.tenant == tenant else None

    def going(self, tenant: str, dataset_id: str) -> list[ActiveRun]:
        """The runs about a data set, alone or among others, that are going on here."""
        with self._lock:
            found = [r for r in self._active.values() if r.record.tenant == tenant]
        return [
            r
            for r in found
            if dataset_id in (r.record.dataset_id, *((r.record.request or {}).get("files") or ()))
        ]

    def find(self, run_id: str, tenant: str) -> Run:
        """A run as it stands now.

        Raises:
            NotFound: The tenant has no run of this id.
        """
        if (active := self.active(run_id, tenant)) is not None:
            return active.now()
        return self._store.run(run_id, tenant=tenant)

    def latest(self, tenant: str, session_id: str | None, kind: str | None = None) -> Run:
        """The latest run of a session, or of the tenant.

        Raises:
            NotFound: There is none yet.
        """
        found = self._store.runs(1, tenant=tenant, session_id=session_id, kind=kind)
        if not found:
            raise NotFound("There is no run yet.", suggestions=["POST /api/start begins one."])
        return self.find(found[0].id, tenant)

    def cancel(self, run_id: str, tenant: str) -> Run:
        """Ask a run to stop; one that has ended stays as it is.

        Raises:
            NotFound: The tenant has no run of this id.
        """
        if (active := self.active(run_id, tenant)) is not None:
            active.cancel.cancel()
        return self.find(run_id, tenant)

    async def events(self, run: Run, after: int) -> AsyncGenerator[tuple[int, StoredEvent] | None]:
        """The events of a run from number ``after`` + 1 on, as they happen; None where nothing did for a while."""
        active = self.active(run.id, run.tenant)
        if active is None:
            for number, event in enumerate(run.events, start=1):
                if number > after:
                    yield number, event
            return
        watching = (asyncio.get_running_loop(), asyncio.Event())
        active.watchers.add(watching)
        try:
            while True:
                watching[1].clear()
                with active.lock:
                    fresh, ended = active.feed[after:], active.ended
                for event in fresh:
                    after += 1
                    yield after, event
                if ended:
                    return
                try:
                    await asyncio.wait_for(watching[1].wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield None
        finally:
            active.watchers.discard(watching)

    def close(self) -> None:
        """Ask everything that is going on to stop."""
        with self._lock:
            found = list(self._active.values())
        for active in found:
            active.cancel.cancel()

    def _work(self, active: ActiveRun, work: Work) -> dict[str, Any]:
        rules: list[Violation] = []
        marks = sending_run.set(active.record.id), broken_rules.set(rules)
        started = clock.elapsed()
        try:
            active.emit(EventKind.STARTED, data={"kind": active.record.kind})
            active.cancel.check()
            answer = work(active)
        except Exception as e:  # noqa: BLE001 - the boundary of a run: every failure is put on record
            error = e if isinstance(e, GnomonError) else explained(e)
            self._end(active, started, CANCELLED if isinstance(e, Cancelled) else FAILED, _told(error), rules)
            raise error from None
        else:
            self._end(active, started, answer.pop(RUN_STATUS, SUCCESS), answer, rules)
            return answer
        finally:
            sending_run.reset(marks[0])
            broken_rules.reset(marks[1])

    def _end(
        self, active: ActiveRun, started: float, status: str, answer: dict[str, Any], rules: list[Violation]
    ) -> None:
        kind = {SUCCESS: EventKind.FINISHED, CANCELLED: EventKind.CANCELLED}.get(status, EventKind.FAILED)
        run = active.record.model_copy(
            update={
                "status": status,
                "answer": answer,
                "finished_at": clock.now(),
                "duration_seconds": round(clock.elapsed() - started, 6),
            }
        )
        try:
            broken = [(v.guard, v.rule, str(v.action)) for v in dict.fromkeys(rules)]
            self._journal.violation(run.tenant, run.id, run.dataset_id, broken)
        except GnomonError as e:
            logger.warning("broken rules are not recorded: %s", e)
        finally:
            active.emit(kind, data={"status": status}, record=run)
            self._leave(active)

    def _leave(self, active: ActiveRun) -> None:
        with self._lock:
            self._active.pop(active.record.id, None)


_ANSWERED_AS: dict[str, str] = {
    AnswerStatus.OUT_OF_DOMAIN: REFUSED,
    AnswerStatus.OUT_OF_SCOPE: REFUSED,
    AnswerStatus.CLARIFY: "needs_feedback",
    AnswerStatus.PARTIAL: "partial_success",
    AnswerStatus.ERROR: FAILED,
}


def ended_as(run: Run) -> str:
    """How a run is shown: one that came to its end is what its answer is, such as refused."""
    answered = (run.answer or {}).get("status") if run.status == SUCCESS else None
    return _ANSWERED_AS.get(str(answered), run.status)


def status_of(run: Run) -> dict[str, Any]:
    """A run as a progress bar needs it."""
    progress = run.progress or {}
    going = run.status == RUNNING
    fraction = progress.get("fraction", 0.0) if going or run.status != SUCCESS else 1.0
    said = (
        {
            RUNNING: progress.get("message") or "Working",
            SUCCESS: "Done",
            CANCELLED: "Cancelled",
            INTERRUPTED: "Interrupted: the server stopped while this was running. Resume or replay it.",
        }.get(run.status)
        or (run.answer or {}).get("message")
        or "Failed"
    )
    return {
        "run_id": run.id,
        "session_id": run.session_id,
        "kind": run.kind,
        "status": run.status,
        "is_running": going,
        "current_round": progress.get("current_round", 0),
        "max_rounds": progress.get("max_rounds", 0),
        "progress_percentage": round(100 * fraction, 1),
        "status_message": said,
        "error_code": (run.answer or {}).get("error_code") if run.status in (FAILED, CANCELLED) else None,
    }


def _told(error: GnomonError) -> dict[str, Any]:
    return error.to_response().model_dump(mode="json")
