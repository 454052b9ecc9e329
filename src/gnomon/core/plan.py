"""A plan is data: steps with their tools, inputs and order, and the conflicts found before anything runs."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class Strategy(StrEnum):
    """How the steps of a plan relate."""

    SINGLE = "single"
    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"


class ConflictType(StrEnum):
    """What stands between a request and its plan."""

    TOOL_UNAVAILABLE = "tool_unavailable"
    MISSING_PARAMETER = "missing_parameter"
    INVALID_PARAMETER = "invalid_parameter"
    DATA_TYPE_MISMATCH = "data_type_mismatch"
    AMBIGUOUS_GOAL = "ambiguous_goal"
    DEPENDENCY_CYCLE = "dependency_cycle"


class Severity(StrEnum):
    """How much a conflict matters: ``high`` stops the plan."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Resolution(StrEnum):
    """Who resolves a conflict: the user, the planner, or a new tool."""

    USER_FEEDBACK = "USER_FEEDBACK"
    AUTO_SELECT = "AUTO_SELECT"
    CREATE_NEW = "CREATE_NEW"


class Conflict(_Frozen):
    """One thing that stands in the way, with who can settle it and between what."""

    type: ConflictType
    severity: Severity
    description: str
    resolution: Resolution
    subject: str = ""
    options: tuple[str, ...] = ()


class OutputRef(_Frozen):
    """A parameter whose value is (a field of) the output of an earlier step."""

    step: str
    field: str | None = None


class Step(_Frozen):
    """One call of one tool.

    Args:
        id: Unique in its plan.
        tool: Name of the tool in the registry.
        params: Parameters known before the plan runs.
        inputs: Parameters that come from the output of earlier steps.
        depends_on: Steps that must end well before this one starts; those of ``inputs`` count without being named.
        order: Steps with the same number may run at the same time.
        retry_count: How often a transient failure is tried again.
        timeout_seconds: Time limit of one attempt; None takes the tool's own.
        fallback: A tool that takes the same inputs and is tried when this one fails.
    """

    id: str
    tool: str
    params: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, OutputRef] = Field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    order: int = Field(default=1, ge=1)
    retry_count: int = Field(default=3, ge=0, le=10)
    timeout_seconds: float | None = Field(default=None, gt=0)
    fallback: str | None = None

    @property
    def needs(self) -> frozenset[str]:
        """Every step that this one waits for."""
        return frozenset(self.depends_on) | {ref.step for ref in self.inputs.values()}


class FallbackOption(_Frozen):
    """Another way to serve the request: a valid plan of its own."""

    option: str
    steps: tuple[Step, ...]

    @property
    def tools(self) -> list[str]:
        """The tools it uses, in order."""
        return [s.tool for s in self.steps]


class Plan(_Frozen):
    """What will be done for a request, and why."""

    strategy: Strategy
    steps: tuple[Step, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reasoning: str = ""
    fallbacks: tuple[FallbackOption, ...] = ()

    @model_validator(mode="after")
    def _sound(self) -> Plan:
        check_steps(self.steps)
        for option in self.fallbacks:
            check_steps(option.steps)
        return self

    @property
    def requires_user_feedback(self) -> bool:
        """Whether the user must choose before anything runs."""
        return any(
            c.resolution is not Resolution.AUTO_SELECT and c.severity is Severity.HIGH for c in self.conflicts
        )


def check_steps(steps: tuple[Step, ...]) -> None:
    """Steps have distinct ids, refer to steps that exist, and form no cycle.

    Raises:
        ValueError: One of these does not hold; the message names the step.
    """
    by_id = {s.id: s for s in steps}
    if len(by_id) != len(steps):
        raise ValueError("two steps of a plan carry the same id")
    for step in steps:
        for needed in step.needs - set(by_id):
            raise ValueError(f"step {step.id!r} depends on {needed!r}, which is not in the plan")
    if cycle := find_cycle(steps):
        raise ValueError(f"the steps {' → '.join(cycle)} wait for each other")


def find_cycle(steps: tuple[Step, ...]) -> list[str]:
    """The ids along a circle of dependencies, or nothing where there is none."""
    waiting = {s.id: set(s.needs) for s in steps}
    while ready := [i for i, needs in waiting.items() if not needs & set(waiting)]:
        for i in ready:
            del waiting[i]
    if not waiting:
        return []
    path = [next(iter(waiting))]
    while (following := min(n for n in waiting[path[-1]] if n in waiting)) not in path:
        path.append(following)
    return [*path[path.index(following) :], following]
