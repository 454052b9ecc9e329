"""Plans a descriptive question: tasks, APIs, payloads, and the check whether the data can answer it at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from gnomon.agents.outside_ranges import count_outside
from gnomon.agents.workflow import DataTask, DataWorkflowPlan, PartPlan
from gnomon.agents.workflow_builder import WorkflowBuilder
from gnomon.agents.workflow_kinds import decompose
from gnomon.agents.workflow_scope import scope_of
from gnomon.core.errors import GnomonError
from gnomon.core.plan import Plan, Step, Strategy
from gnomon.core.request import Request
from gnomon.core.settings import STEP_SECONDS
from gnomon.planning.reading import Reading
from gnomon.semantic.model import SemanticModel

if TYPE_CHECKING:
    from gnomon.semantic.registry import APIRegistry


class Augmented(Protocol):
    """A question with its time references made explicit."""

    @property
    def augmented(self) -> str:
        """The explicit words."""
        ...


class DataWorkflowPlanner:
    """From a reading to a plan of retrievals and calculations.

    Args:
        registry: The retrieval APIs.
        model: What the names mean, and which days the data covers.
        api_timeout_seconds: Time limit of one retrieval.
    """

    def __init__(
        self, registry: APIRegistry, model: SemanticModel, *, api_timeout_seconds: float = STEP_SECONDS
    ) -> None:
        self._registry = registry
        self._model = model
        self._timeout = api_timeout_seconds

    def plan(self, query: Augmented | str, reading: Reading) -> DataWorkflowPlan:
        """Take the requests of a reading apart.

        A request that the data cannot answer gets a reason instead of steps; when that is so for all
        of them, the whole plan is out of scope.
        """
        builder, parts = self._taken_apart(query, reading)
        reasons = [p.reason for p in parts if p.reason]
        out = self.is_out_of_scope(parts)
        reason = " ".join(dict.fromkeys(reasons)) if reasons else None
        return DataWorkflowPlan(
            tasks=tuple(builder.tasks),
            api_calls=tuple(builder.calls),
            out_of_scope=out,
            reason=reason or (reading.message or "Nothing was asked of the data." if out else None),
            plan=Plan(
                strategy=_strategy(builder.steps),
                steps=tuple(builder.steps),
                reasoning="; then ".join(t.description for t in builder.tasks),
            ),
            parts=parts,
        )

    def decompose_query(self, query: Augmented | str, reading: Reading) -> tuple[DataTask, ...]:
        """The steps that a question takes, each with what it needs from those before it."""
        return tuple(self._taken_apart(query, reading)[0].tasks)

    def is_out_of_scope(self, parts: Sequence[PartPlan]) -> bool:
        """Whether nothing in the data answers: no part of the question has a way to be answered."""
        return all(p.reason is not None for p in parts)

    def _taken_apart(
        self, query: Augmented | str, reading: Reading
    ) -> tuple[WorkflowBuilder, tuple[PartPlan, ...]]:
        question = query if isinstance(query, str) else query.augmented
        builder = WorkflowBuilder(self._registry, self._model, question, self._timeout)
        several = len(reading.requests) > 1
        parts = tuple(
            self._part(builder, request, f"part{i}_" if several else "")
            for i, request in enumerate(reading.requests, start=1)
        )
        return builder, parts

    def _part(self, builder: WorkflowBuilder, request: Request, prefix: str) -> PartPlan:
        builder.begin(prefix)
        scope = scope_of(request, self._model)
        if scope.reason is not None:
            return PartPlan(request, reason=scope.reason, coverage=scope.coverage)
        before = len(builder.tasks), len(builder.calls), len(builder.steps)
        try:
            grain, notes = decompose(builder, request, scope)
            count_outside(builder, request)
        except GnomonError as e:
            for items, kept in zip((builder.tasks, builder.calls, builder.steps), before, strict=True):
                del items[kept:]
            return PartPlan(request, reason=e.message, coverage=scope.coverage)
        return PartPlan(
            request,
            retrievals=dict(builder.retrievals),
            calculations=dict(builder.calculations),
            grain=grain,
            coverage=scope.coverage,
            time=scope.time,
            caveats=(*scope.caveats, *notes),
            bounds=scope.told,
        )


def _strategy(steps: list[Step]) -> Strategy:
    if len(steps) < 2:
        return Strategy.SINGLE
    return Strategy.SEQUENTIAL if any(s.needs for s in steps) else Strategy.PARALLEL
