"""Questions that only the user can answer: the options on offer, what each would run, and who still waits."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gnomon.core import clock
from gnomon.core.errors import NotFound
from gnomon.core.plan import Conflict, ConflictType, Plan, Resolution, Severity, Step, Strategy
from gnomon.execution.binding import DATA
from gnomon.execution.results import FeedbackRequest, StepResult, StepStatus
from gnomon.tools.frames import Frame
from gnomon.tools.registry import ToolRegistry

CREATE_NEW = "create_new"
MAX_PENDING = 256
EXPIRES_SECONDS = 3600.0

Replan = Callable[[Conflict, str], Plan | None]
"""Plans anew with a user's option for a conflict, or gives None where it has no plan for it."""


@dataclass(frozen=True)
class Question:
    """A question with the plan that each answer leads to.

    ``create_for`` is the tool in whose place a new one may be made, None when that is not on offer.
    """

    message: str
    answers: Mapping[str, Plan] = field(default_factory=dict[str, Plan])
    create_for: str | None = None

    def request(self) -> FeedbackRequest:
        """The question as the user sees it."""
        options: list[dict[str, Any]] = [
            {"option": name, "tools": [s.tool for s in plan.steps]} for name, plan in self.answers.items()
        ]
        if self.create_for is not None:
            options.append({"option": CREATE_NEW, "tools": []})
        return FeedbackRequest(self.message, tuple(options))


def question_before(
    plan: Plan, registry: ToolRegistry, can_create: bool, replan: Replan | None = None
) -> Question | None:
    """What has to be asked before ``plan`` can run, or None.

    ``replan`` plans anew for an option; without it, or where it gives None, the plan itself is changed.
    """
    if not plan.requires_user_feedback:
        return None
    open_conflicts = [
        c
        for c in plan.conflicts
        if c.severity is Severity.HIGH and c.resolution is not Resolution.AUTO_SELECT
    ]
    answers = {f.option: _plan(f.steps) for f in plan.fallbacks}
    create_for: str | None = None
    for conflict in open_conflicts:
        for option in conflict.options:
            if option in answers or option == CREATE_NEW:
                continue
            settled = replan(conflict, option) if replan is not None else None
            settled = settled if settled is not None else _settle(plan, conflict, option, registry)
            if settled is not None:
                answers[option] = settled
        wants_tool = conflict.type is ConflictType.TOOL_UNAVAILABLE
        if can_create and (wants_tool or conflict.resolution is Resolution.CREATE_NEW):
            create_for = create_for or conflict.subject
    return Question(" ".join(c.description for c in open_conflicts), answers, create_for)


def question_after(
    plan: Plan, results: tuple[StepResult, ...], registry: ToolRegistry, can_create: bool
) -> Question | None:
    """What to ask about tools that turned out not to be there, or None."""
    absent = [r for r in results if r.status is StepStatus.UNAVAILABLE]
    if not absent:
        return None
    tool = absent[0].planned_tool
    answers: dict[str, Plan] = {}
    for other in _alternatives(tool, registry):
        answers[other] = replace_tool(plan, tool, other, registry)
    return Question(" ".join(str(r.error) for r in absent), answers, tool if can_create else None)


def answered(question: Question, choice: str) -> Plan:
    """The plan that an answer leads to.

    Raises:
        NotFound: The answer is not on offer.
    """
    try:
        return question.answers[choice]
    except KeyError:
        offered = [*question.answers, *([CREATE_NEW] if question.create_for is not None else [])]
        raise NotFound.among("option", choice, offered) from None


def replace_tool(plan: Plan, old: str, new: str, registry: ToolRegistry) -> Plan:
    """The plan with ``new`` in place of ``old``; where ``old`` has no step, with one step of ``new`` more."""
    steps = tuple(s.model_copy(update={"tool": new}) if s.tool == old else s for s in plan.steps)
    if not any(s.tool == old for s in plan.steps):
        steps = (*steps, Step(id=_free_id(new, plan), tool=new))
    rest = tuple(c for c in plan.conflicts if c.subject != old) + _unfilled(steps, registry)
    return _plan(steps).model_copy(update={"conflicts": rest, "reasoning": plan.reasoning})


def with_parameters(plan: Plan, values: Mapping[str, Any], registry: ToolRegistry) -> Plan:
    """The plan with parameters that the user gave, set on every step whose tool takes them."""
    steps = tuple(
        s.model_copy(
            update={
                "params": s.params
                | {
                    k: _shaped(registry.get(s.tool).spec.parameters[k], v)
                    for k, v in values.items()
                    if s.tool in registry and k in registry.get(s.tool).spec.parameters
                }
            }
        )
        for s in plan.steps
    )
    settled = {ConflictType.MISSING_PARAMETER, ConflictType.INVALID_PARAMETER}
    rest = tuple(
        c for c in plan.conflicts if not (c.type in settled and c.subject.rpartition(".")[2] in values)
    )
    return plan.model_copy(update={"steps": steps, "conflicts": rest})


def _shaped(schema: Mapping[str, Any], value: Any) -> Any:
    """One option where a list is wanted is a list of one."""
    kinds = {o.get("type") for o in (schema, *schema.get("anyOf", ()))}
    return [value] if "array" in kinds and isinstance(value, str) else value


def _settle(plan: Plan, conflict: Conflict, option: str, registry: ToolRegistry) -> Plan | None:
    """The plan in which ``option`` settles ``conflict``, or None when it is no plan's affair."""
    if conflict.type in {ConflictType.MISSING_PARAMETER, ConflictType.INVALID_PARAMETER}:
        return with_parameters(plan, {conflict.subject.rpartition(".")[2]: option}, registry)
    if conflict.type is ConflictType.TOOL_UNAVAILABLE and option in registry:
        return replace_tool(plan, conflict.subject, option, registry)
    if conflict.type is ConflictType.AMBIGUOUS_GOAL:
        serving = [option] if option in registry else [t.spec.name for t in registry.serving(option)]
        ready = [name for name in serving if registry.unavailable(name) is None]
        planned = [s for s in plan.steps if s.tool in ready]
        if planned:
            return _plan(_with_needs(plan, planned[0]))
        if ready:
            alone = (Step(id=ready[0], tool=ready[0]),)
            return _plan(alone).model_copy(update={"conflicts": _unfilled(alone, registry)})
    return None


def _unfilled(steps: tuple[Step, ...], registry: ToolRegistry) -> tuple[Conflict, ...]:
    """What the steps still lack: parameters without a default, other than the rows of the request."""
    return tuple(
        Conflict(
            type=ConflictType.MISSING_PARAMETER,
            severity=Severity.HIGH,
            description=f"{step.tool} needs {name!r}. Send it as feedback.parameters.{name}.",
            resolution=Resolution.USER_FEEDBACK,
            subject=f"{step.tool}.{name}",
        )
        for step in steps
        if step.tool in registry
        for name in registry.get(step.tool).spec.required_parameters
        if name not in step.params and name not in step.inputs and name != DATA
    )


def _with_needs(plan: Plan, step: Step) -> tuple[Step, ...]:
    by_id = {s.id: s for s in plan.steps}
    wanted, todo = {step.id}, [step.id]
    while todo:
        todo.extend(new := by_id[todo.pop()].needs - wanted)
        wanted |= new
    return tuple(s for s in plan.steps if s.id in wanted)


def _alternatives(tool: str, registry: ToolRegistry) -> list[str]:
    """Tools that serve a goal of ``tool`` and can run."""
    if tool not in registry:
        return []
    goals = registry.get(tool).spec.goals
    found = dict.fromkeys(t.spec.name for goal in goals for t in registry.serving(goal))
    return [name for name in found if name != tool and registry.unavailable(name) is None]


def _plan(steps: tuple[Step, ...]) -> Plan:
    if len(steps) <= 1:
        return Plan(strategy=Strategy.SINGLE, steps=steps)
    chained = any(s.needs for s in steps)
    return Plan(strategy=Strategy.SEQUENTIAL if chained else Strategy.PARALLEL, steps=steps)


def _free_id(name: str, plan: Plan) -> str:
    taken = {s.id for s in plan.steps}
    return next(i for i in (name, *(f"{name}_{n}" for n in range(2, len(taken) + 3))) if i not in taken)


@dataclass(frozen=True)
class Pending:
    """A plan that waits for an answer, with the rows it was asked about.

    Args:
        plan: What waits.
        question: What was asked.
        data: The rows, or where they are.
        owner: Who was asked; nobody else may answer.
        context: How the task was read, as it is published.
        lost_rows: Whether rows came with the request that the store did not keep.
    """

    plan: Plan
    question: Question
    data: Frame | None = None
    owner: str = ""
    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    lost_rows: bool = False
    since: float = field(default_factory=clock.elapsed)


class PendingPlans:
    """Plans that wait for an answer: a bounded number, for a bounded time."""

    def __init__(
        self,
        limit: int = MAX_PENDING,
        expires_seconds: float = EXPIRES_SECONDS,
        now: Callable[[], float] = clock.elapsed,
    ) -> None:
        self._limit = limit
        self._expires = expires_seconds
        self._now = now
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, Pending] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, request_id: str, pending: Pending) -> None:
        """Keep a plan; the oldest goes when there are too many."""
        with self._lock:
            self._waiting[request_id] = pending
            self._waiting.move_to_end(request_id)
            while len(self._waiting) > self._limit:
                self._waiting.popitem(last=False)

    def get(self, request_id: str) -> Pending:
        """The plan that waits under this request id; it stays until :meth:`drop`.

        Raises:
            NotFound: None does, or it waited too long.
        """
        with self._lock:
            for key in [k for k, p in self._waiting.items() if self._now() - p.since > self._expires]:
                del self._waiting[key]
            try:
                return self._waiting[request_id]
            except KeyError:
                raise NotFound(
                    "No plan waits for an answer under this request id; it may have expired.",
                    suggestions=["Ask again; the new answer carries a new request id."],
                ) from None

    def drop(self, request_id: str) -> None:
        """Forget a plan whose question was answered."""
        with self._lock:
            self._waiting.pop(request_id, None)
