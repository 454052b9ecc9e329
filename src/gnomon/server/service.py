"""The service behind the routes: who calls, the lanes, the runs, the data sets and the conversations, wired once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import Response

from gnomon.core.errors import GnomonError, InvalidInput
from gnomon.core.settings import DEFAULT_TENANT, Settings
from gnomon.mcp_server.stoppable import StoppableWork
from gnomon.server.datasets import Datasets
from gnomon.server.lanes import Lane, Lanes
from gnomon.server.rendering import JSON
from gnomon.server.runs import ActiveRun, Runs, Work, status_of
from gnomon.server.talks import Talks
from gnomon.store import Journal, Run, Sessions
from gnomon.workbench import Workbench


@dataclass(frozen=True)
class Caller:
    """Who sent a request.

    Args:
        tenant: Whose data, tools, runs and conversations they may see.
        bound: Whether a token says so; otherwise the caller may name another tenant.
        request_id: Marks the request in the log, the audit and every error.
    """

    tenant: str
    bound: bool
    request_id: str


def caller_of(request: Request) -> Caller:
    """Who sent ``request``, as the guards found out."""
    state = request.scope.get("state", {})
    return Caller(
        state.get("tenant", DEFAULT_TENANT), bool(state.get("bound")), str(state.get("request_id", ""))
    )


Who = Annotated[Caller, Depends(caller_of)]


class Service:
    """Everything that routes share.

    Args:
        settings: How it behaves.
        workbench: Tools, plans and the store.
        opened: Sources named when the server started, by id.
    """

    def __init__(
        self, settings: Settings, workbench: Workbench, opened: dict[str, str] | None = None
    ) -> None:
        self.settings = settings
        self.workbench = workbench
        self.store = workbench.store
        self.sessions = Sessions(self.store)
        self.journal = Journal(self.store)
        self.lanes = Lanes(settings.max_concurrent_requests)
        self.runs = Runs(self.store, self.journal)
        self.datasets = Datasets(settings, self.sessions, opened)
        self.talks = Talks(self.sessions)
        self.apart = StoppableWork()
        self._doers: dict[str, tuple[Lane, Callable[[ActiveRun], dict[str, Any]]]] = {}

    def does(self, kind: str, lane: Lane, work: Work) -> None:
        """Say how runs of a kind are done, now and when they are replayed or resumed."""
        self._doers[kind] = (lane, work)

    def can_repeat(self, run: Run) -> bool:
        """Whether enough is on record to do a run again."""
        return run.kind in self._doers and run.request is not None

    def begin(self, run: Run, *, on_record: bool = False) -> tuple[ActiveRun, asyncio.Future[dict[str, Any]]]:
        """Begin a run of a known kind.

        Raises:
            InvalidInput: It is of a kind that cannot be done from here.
            RateLimited: Too much is going on.
        """
        if not self.can_repeat(run):
            raise InvalidInput(f"A run of the kind {run.kind!r} cannot be done again from here.")
        lane, work = self._doers[run.kind]
        return self.runs.begin(lane, run, work, on_record=on_record)

    async def begin_apart(self, run: Run) -> Run:
        """Begin a run that nobody waits for; it is on record before whoever asked is told its id.

        Raises:
            RateLimited: Too much is going on; nothing is left on record.
        """
        await self.lanes.files.run(self.store.save_run, run)
        try:
            active, future = self.begin(run, on_record=True)
        except GnomonError:
            await self.lanes.files.run(self.store.drop_run, run.id)
            raise
        future.add_done_callback(lambda f: f.cancelled() or f.exception())
        return active.record

    async def answered(self, run: Run, request: Request, wait: bool) -> Response:
        """Begin a run; wait for what comes of it, or answer at once with where to look.

        A caller who waits and hangs up cancels the work.
        """
        if not wait:
            return JSON(status_of(await self.begin_apart(run)), status_code=202)
        active, future = self.begin(run)
        watcher = asyncio.create_task(_cancel_when_gone(request, active))
        try:
            answer = await asyncio.shield(future)
        finally:
            watcher.cancel()
        return JSON({"run_id": run.id, "session_id": run.session_id, "dataset_id": run.dataset_id, **answer})

    def close(self) -> None:
        """Stop what is going on and let go of the data."""
        self.runs.close()
        self.apart.close()
        self.lanes.close()
        self.datasets.close()


async def hung_up(request: Request) -> None:
    """Wait until the caller is gone; the body has been read, so that nothing else can come from there."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _cancel_when_gone(request: Request, active: ActiveRun) -> None:
    await hung_up(request)
    active.cancel.cancel()
