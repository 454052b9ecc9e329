"""A plan in the published structure."""

from __future__ import annotations

from typing import Any, TypedDict

from gnomon.core import Plan
from gnomon.tools import ToolRegistry


class PublishedTool(TypedDict):
    """One tool of a plan."""

    tool_id: str
    tool_endpoint: str
    params: dict[str, Any]
    order: int
    retry_count: int
    dependencies: list[str]


class PublishedExecution(TypedDict):
    """What will run, and how."""

    strategy: str
    tools: list[PublishedTool]


class PublishedConflict(TypedDict):
    """One conflict of a plan."""

    type: str
    severity: str
    description: str
    resolution: str


class PublishedFallback(TypedDict):
    """Another way to serve the request."""

    option: str
    tools: list[str]


class PublishedPlan(TypedDict):
    """A plan as callers see it."""

    execution_plan: PublishedExecution
    conflicts: list[PublishedConflict]
    requires_user_feedback: bool
    reasoning: str
    fallback_options: list[PublishedFallback]


def published_plan(plan: Plan, registry: ToolRegistry) -> PublishedPlan:
    """``plan`` as plain data in the published structure."""
    names = {s.id: s.tool for s in plan.steps}
    return PublishedPlan(
        execution_plan=PublishedExecution(
            strategy=plan.strategy.value,
            tools=[
                PublishedTool(
                    tool_id=s.tool,
                    tool_endpoint=registry.get(s.tool).spec.endpoint,
                    params=s.params,
                    order=s.order,
                    retry_count=s.retry_count,
                    dependencies=sorted(names[n] for n in s.needs),
                )
                for s in plan.steps
            ],
        ),
        conflicts=[
            PublishedConflict(
                type=c.type.value,
                severity=c.severity.value,
                description=c.description,
                resolution=c.resolution.value,
            )
            for c in plan.conflicts
        ],
        requires_user_feedback=plan.requires_user_feedback,
        reasoning=plan.reasoning,
        fallback_options=[PublishedFallback(option=f.option, tools=f.tools) for f in plan.fallbacks],
    )
