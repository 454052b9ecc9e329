"""What came of a plan: step by step with typed outputs, and in the published form."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NotRequired, TypedDict

from gnomon.core.errors import GnomonError, NotFound
from gnomon.core.plan import ConflictType, Plan, Resolution
from gnomon.execution.plain import plain
from gnomon.tools.frames import Frame


class StepStatus(StrEnum):
    """How a step ended."""

    SUCCESS = "success"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class InvocationStatus(StrEnum):
    """How a plan ended."""

    SUCCESS = "success"
    PARTIAL_SUCCESS = "partial_success"
    FAILED = "failed"
    NEEDS_FEEDBACK = "needs_feedback"


class PublishedResult(TypedDict):
    """One tool's result as callers see it."""

    tool_id: str
    status: str
    output: dict[str, Any]
    error: str | None


class PublishedSummary(TypedDict):
    """How many tools ended how; skipped and cancelled ones count as failed."""

    total_tools: int
    successful: int
    failed: int
    unavailable: int


class PublishedFeedback(TypedDict):
    """A question to the user."""

    message: str
    options: list[dict[str, Any]]


class PublishedInvocation(TypedDict):
    """The result of a plan as callers see it."""

    status: str
    results: list[PublishedResult]
    summary: PublishedSummary
    user_feedback_required: NotRequired[PublishedFeedback]


@dataclass(frozen=True)
class StepResult:
    """What came of one step.

    Args:
        step_id: The step in its plan.
        tool_id: The tool that gave the result: the planned one, or its fallback.
        planned_tool: The tool that the plan named.
        status: How it ended.
        output: The typed output, empty unless it succeeded.
        error: Why it did not succeed.
        attempts: How often a tool was called.
        duration_seconds: From its first start to its end, pauses included.
    """

    step_id: str
    tool_id: str
    planned_tool: str
    status: StepStatus
    output: dict[str, Any] = field(default_factory=dict[str, Any])
    error: GnomonError | None = None
    attempts: int = 0
    duration_seconds: float = 0.0

    def to_dict(self) -> PublishedResult:
        """The published form."""
        return {
            "tool_id": self.tool_id,
            "status": str(self.status),
            "output": plain(self.output),
            "error": str(self.error) if self.error else None,
        }


@dataclass(frozen=True)
class FeedbackRequest:
    """A question that only the user can answer, and the answers on offer."""

    message: str
    options: tuple[dict[str, Any], ...] = ()

    def to_dict(self) -> PublishedFeedback:
        """The published form."""
        return {"message": self.message, "options": [dict(o) for o in self.options]}


@dataclass(frozen=True)
class InvocationResult:
    """What came of a plan; ``data`` are the rows of the request, or where they are."""

    request_id: str
    status: InvocationStatus
    steps: tuple[StepResult, ...] = ()
    feedback: FeedbackRequest | None = None
    duration_seconds: float = 0.0
    plan: Plan | None = None
    data: Frame | None = None

    @property
    def summary(self) -> PublishedSummary:
        """How many tools ended how; those that a plan wanted and did not find count as unavailable."""
        states = [s.status for s in self.steps]
        successful = states.count(StepStatus.SUCCESS)
        absent = states.count(StepStatus.UNAVAILABLE)
        unavailable = absent + len(self._wanted() - {s.planned_tool for s in self.steps})
        return {
            "total_tools": len(states) + unavailable - absent,
            "successful": successful,
            "failed": len(states) - successful - absent,
            "unavailable": unavailable,
        }

    def _wanted(self) -> set[str]:
        """The tools that the plan has no step for because they are not available."""
        conflicts = self.plan.conflicts if self.plan is not None else ()
        gone = [c for c in conflicts if c.type is ConflictType.TOOL_UNAVAILABLE]
        return {c.subject for c in gone if c.resolution is not Resolution.AUTO_SELECT}

    def step(self, step_id: str) -> StepResult:
        """What came of one step.

        Raises:
            NotFound: The plan has no such step.
        """
        for result in self.steps:
            if result.step_id == step_id:
                return result
        raise NotFound.among("step", step_id, [s.step_id for s in self.steps])

    def to_dict(self) -> PublishedInvocation:
        """The published form: plain JSON values."""
        published: PublishedInvocation = {
            "status": str(self.status),
            "results": [s.to_dict() for s in self.steps],
            "summary": self.summary,
        }
        if self.feedback is not None:
            published["user_feedback_required"] = self.feedback.to_dict()
        return published


def overall_status(steps: tuple[StepResult, ...]) -> InvocationStatus:
    """How a plan ended, from how its steps did; a plan without steps achieved nothing."""
    won = sum(s.status is StepStatus.SUCCESS for s in steps)
    if won == 0:
        return InvocationStatus.FAILED
    return InvocationStatus.SUCCESS if won == len(steps) else InvocationStatus.PARTIAL_SUCCESS
