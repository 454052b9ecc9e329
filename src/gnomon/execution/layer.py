"""The invocation layer: a plan and the rows of a request in, what came of it out."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core import clock
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.events import EventKind, EventListener
from gnomon.core.plan import Plan
from gnomon.core.settings import DEFAULT_TENANT, Settings
from gnomon.execution.feedback import (
    CREATE_NEW,
    Pending,
    PendingPlans,
    Question,
    Replan,
    answered,
    question_after,
    question_before,
    replace_tool,
    with_parameters,
)
from gnomon.execution.listeners import Broadcast
from gnomon.execution.places import Places
from gnomon.execution.record import Recorder, recall, remember
from gnomon.execution.results import (
    InvocationResult,
    InvocationStatus,
    StepResult,
    StepStatus,
    overall_status,
)
from gnomon.execution.retry import RetryPolicy, Sleeper, pause
from gnomon.execution.scheduler import PlanRun
from gnomon.execution.threads import DaemonThreads
from gnomon.execution.track import Machinery
from gnomon.tools.contract import CancelToken, Tool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.store import Store

WAITERS = 64
WARM_MODULES = ("pyarrow", "pandas", "duckdb", "scipy.stats", "sklearn.ensemble", "statsmodels.api")


class MCPToolsInvocationLayer:
    """Runs plans: steps side by side where they can be, each with its limits, retries and fallback.

    One layer serves many requests at the same time. It owns threads and worker processes, which start
    when first needed; :meth:`close` ends them.

    Args:
        tool_registry: The tools that plans name.
        settings: Time limits, and where steps run.
        executor: Where every step runs that can leave this thread, in place of what ``settings`` say; a
            :class:`ProcessSlots` takes the heavy ones only, and can be shared between layers.
        listeners: Called with every event, on the thread that invoked.
        store: Where runs, their events and open questions are kept.
        tool_creator: Makes a tool from a user's specification, for the answer ``create_new``.
        tenant: Whose runs and open questions these are.
        sleeper: Waits between attempts.
    """

    def __init__(
        self,
        tool_registry: ToolRegistry,
        *,
        settings: Settings | None = None,
        executor: Executor | None = None,
        listeners: Sequence[EventListener] = (),
        store: Store | None = None,
        tool_creator: Callable[[Mapping[str, Any]], Tool] | None = None,
        tenant: str = DEFAULT_TENANT,
        sleeper: Sleeper = pause,
    ) -> None:
        self._registry = tool_registry
        self._tenant = tenant
        self._settings = settings or Settings.load()
        self._listeners = tuple(listeners)
        self._store = store
        self._creator = tool_creator
        self._pending = PendingPlans()
        self._machinery = Machinery(
            registry=tool_registry,
            settings=self._settings,
            places=Places(self._settings, executor),
            threads=DaemonThreads(max(4, 2 * (os.cpu_count() or 1))),
            waiters=DaemonThreads(WAITERS),
            policy=RetryPolicy(),
            sleeper=sleeper,
        )

    def over(
        self, registry: ToolRegistry, tool_creator: Callable[[Mapping[str, Any]], Tool], tenant: str
    ) -> MCPToolsInvocationLayer:
        """A layer of another tenant: the same threads and processes, other tools, runs and open questions."""
        other = copy(self)
        other._registry, other._creator, other._tenant = registry, tool_creator, tenant
        other._pending = PendingPlans()
        other._machinery = replace(self._machinery, registry=registry)
        return other

    def invoke(
        self,
        plan: Plan | None,
        data: Any = None,
        *,
        request_id: str | None = None,
        dataset: Dataset | None = None,
        cancel: CancelToken | None = None,
        budget_seconds: float | None = None,
        feedback: Mapping[str, Any] | None = None,
        roots: tuple[Path, ...] | None = None,
        listeners: Sequence[EventListener] = (),
        replan: Replan | None = None,
        owner: str = "",
        reading: Mapping[str, Any] | None = None,
    ) -> InvocationResult:
        """Run a plan, or continue one with the user's answer to its question.

        Args:
            plan: What to do; None continues the plan that waits under ``request_id``.
            data: The rows of the request, for steps whose tool takes ``data`` and has none of its own.
            request_id: Marks every event of this run; one is made when it is left out.
            dataset: Open tables that steps may name.
            cancel: Stops the run when it is cancelled.
            budget_seconds: Time limit of the whole run.
            feedback: ``{"choice": option}``, with ``{"tool": {…}}`` for ``create_new``, or
                ``{"parameters": {…}}``.
            roots: Folders whose files may be opened by address; None allows every address.
            listeners: Called with the events of this run, besides those of the layer.
            replan: Plans anew for an option of a conflict that is put to the user.
            owner: Who asks: a question may be answered by nobody else.
            reading: How the task was read, kept beside an open question.

        Raises:
            InvalidInput: The rows cannot be read, or neither a plan nor an answer was given.
            NotFound: The answer is not on offer, or nothing waits for one.
        """
        request = request_id or str(uuid.uuid4())
        frame = None if data is None else Frame.of(data)
        if feedback is not None:
            plan, frame = self._continue(plan, frame, request, feedback, owner)
        if plan is None:
            raise InvalidInput(
                "There is no plan to run.", suggestions=["Pass a plan, or an answer to its question."]
            )
        waiting = Pending(plan, Question(""), frame, owner, reading or {})
        started = clock.elapsed()
        recorder = Recorder(self._store, request, plan, self._tenant) if self._store is not None else None
        broadcast = Broadcast(
            request, [*self._listeners, *listeners, *([recorder.listen] if recorder is not None else [])]
        )
        if question := question_before(plan, self._registry, self._creator is not None, replan):
            result = self._ask(request, waiting, question, ())
            broadcast(EventKind.FINISHED, data={"status": str(result.status)})
        else:
            context = ToolContext(
                dataset=dataset, roots=roots, settings=self._settings, cancel=cancel or CancelToken()
            )
            budget = budget_seconds or self._settings.plan_budget_seconds
            result = self._run(request, waiting, context, broadcast, budget)
        result = replace(result, plan=plan, duration_seconds=clock.elapsed() - started)
        if recorder is not None:
            recorder.finish(result)
        return result

    def warm_up(self, modules: tuple[str, ...] = WARM_MODULES) -> None:
        """Start a worker process ahead of the first heavy step, without waiting for it.

        Args:
            modules: What it imports; those that are not installed are left out.
        """
        self._machinery.places.warm_up(modules)

    def close(self) -> None:
        """End the worker processes and threads; the layer takes no more plans."""
        self._machinery.places.close()
        self._machinery.threads.shutdown(wait=False, cancel_futures=True)
        self._machinery.waiters.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> MCPToolsInvocationLayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def waiting(self, request_id: str, owner: str = "") -> Pending:
        """What waits for an answer under a request id, here or in the store.

        Raises:
            NotFound: Nothing does, it waited too long, or somebody else was asked.
        """
        kept: Pending | None
        try:
            kept = self._pending.get(request_id)
        except NotFound:
            kept = recall(self._store, request_id) if self._store is not None else None
        if kept is None or kept.owner != owner:
            raise NotFound(
                "No plan waits for an answer under this request id; it may have expired.",
                suggestions=["Ask again; the new answer carries a new request id."],
            )
        return kept

    def _run(
        self,
        request: str,
        waiting: Pending,
        context: ToolContext,
        broadcast: Broadcast,
        budget: float,
    ) -> InvocationResult:
        plan = waiting.plan
        broadcast(EventKind.STARTED, data={"strategy": str(plan.strategy), "steps": len(plan.steps)})
        steps = PlanRun(plan.steps, self._machinery, context, waiting.data, broadcast, budget).run()
        if question := question_after(plan, steps, self._registry, self._creator is not None):
            result = self._ask(request, waiting, question, steps)
        else:
            result = InvocationResult(request, overall_status(steps), steps)
        cancelled = any(s.status is StepStatus.CANCELLED for s in steps)
        kind = EventKind.FAILED if result.status is InvocationStatus.FAILED else EventKind.FINISHED
        broadcast(EventKind.CANCELLED if cancelled else kind, data={"status": str(result.status)})
        return result

    def _ask(
        self, request: str, waiting: Pending, question: Question, steps: tuple[StepResult, ...]
    ) -> InvocationResult:
        """Put the question; what was obtained already is given, and then it is a partial success."""
        pending = replace(waiting, question=question, since=clock.elapsed())
        self._pending.put(request, pending)
        if self._store is not None:
            remember(self._store, request, pending)
        status = overall_status(steps)
        if status is InvocationStatus.FAILED:
            status = InvocationStatus.NEEDS_FEEDBACK
        return InvocationResult(request, status, steps, question.request())

    def _continue(
        self, plan: Plan | None, frame: Frame | None, request: str, feedback: Mapping[str, Any], owner: str
    ) -> tuple[Plan, Frame | None]:
        """The plan that the user's answer leads to, with the rows to run it on."""
        pending = self._asked(plan, frame, request, owner)
        chosen = pending.plan
        choice = feedback.get("choice")
        if choice == CREATE_NEW and pending.question.create_for is not None:
            chosen = self._create(chosen, pending.question.create_for, feedback.get("tool"))
        elif choice is not None:
            chosen = answered(pending.question, str(choice))
        if parameters := feedback.get("parameters"):
            chosen = with_parameters(chosen, parameters, self._registry)
        if choice is None and not parameters:
            raise InvalidInput(
                "The feedback holds no answer.",
                suggestions=['Send {"choice": "…"} with one of the options, or {"parameters": {…}}.'],
            )
        if frame is None and pending.lost_rows:
            raise InvalidInput(
                "The rows that came with the question are not kept; send them again with the answer.",
                suggestions=["Send data_pointer.rows beside params.feedback."],
            )
        self._pending.drop(request)
        if self._store is not None:
            self._store.drop_pending(request)
        return chosen, frame if frame is not None else pending.data

    def _asked(self, plan: Plan | None, frame: Frame | None, request: str, owner: str) -> Pending:
        """What waits under the request id; else the plan that was passed."""
        try:
            return self.waiting(request, owner)
        except NotFound:
            if plan is None:
                raise
        question = question_before(plan, self._registry, self._creator is not None)
        return Pending(plan, question or Question(""), frame)

    def _create(self, plan: Plan, instead_of: str, specification: Any) -> Plan:
        if self._creator is None or not isinstance(specification, Mapping):
            raise InvalidInput(
                "A new tool needs its specification.",
                suggestions=['Send {"choice": "create_new", "tool": {…}}.'],
            )
        tool = self._creator(specification)
        self._registry.register(tool, replace=True)
        return replace_tool(plan, instead_of, tool.spec.name, self._registry)
