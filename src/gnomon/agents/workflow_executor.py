"""Runs a planned workflow through the invocation layer; what fails becomes a reason, never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.agents.sanity import checked
from gnomon.agents.workflow import (
    DataTask,
    DataWorkflowPlan,
    ExecutionMetadata,
    ExecutionResult,
    PartPlan,
    PartResult,
)
from gnomon.agents.workflow_post import labels_and_units, relevant
from gnomon.core import clock
from gnomon.core.errors import GnomonError, OutOfScope, TimedOut
from gnomon.execution import InvocationResult, MCPToolsInvocationLayer, StepResult, StepStatus
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import Retrieved
from gnomon.tools.contract import CancelToken
from gnomon.tools.frames import Frame

# A second less than a worker may take: what was done until then is told.
BUDGET_SECONDS = 11.0


class DataWorkflowExecutor:
    """Makes the API calls and calculations of a plan.

    Args:
        layer: Runs the steps, side by side where they can be.
        model: Labels and units of what comes back.
        budget_seconds: Time limit of a whole workflow.
    """

    def __init__(
        self, layer: MCPToolsInvocationLayer, model: SemanticModel, *, budget_seconds: float = BUDGET_SECONDS
    ) -> None:
        self._layer = layer
        self._model = model
        self._budget = budget_seconds

    def execute(
        self,
        plan: DataWorkflowPlan,
        cancel: CancelToken | None = None,
        *,
        budget_seconds: float | None = None,
    ) -> ExecutionResult:
        """Run the plan; a part that failed carries why, and the others are given all the same."""
        if plan.out_of_scope:
            return ExecutionResult(success=False, error=plan.reason)
        started = clock.elapsed()
        try:
            result = self._layer.invoke(
                plan.plan, cancel=cancel, budget_seconds=budget_seconds or self._budget
            )
        except GnomonError as e:
            return ExecutionResult(success=False, error=e.message)
        steps = {s.step_id: s for s in result.steps}
        tasks = {task.id: task for task in plan.tasks}
        data = tuple(self._part(part, steps, tasks) for part in plan.parts)
        failed = [e for part in data for e in part.errors]
        success = any(p.retrieved or p.calculated for p in data)
        return ExecutionResult(
            success=success,
            data=data,
            error=None if success else (failed or ["Nothing could be retrieved."])[0],
            metadata=_metadata(plan, result, clock.elapsed() - started),
        )

    def _part(
        self, plan: PartPlan, steps: Mapping[str, StepResult], tasks: Mapping[str, DataTask]
    ) -> PartResult:
        retrieved: dict[str, Retrieved] = {}
        calculated: dict[str, dict[str, Any]] = {}
        errors: list[str] = []
        for role, step in plan.retrievals.items():
            given = _given(steps.get(step), errors)
            rows = _retrieved(given, errors) if given is not None else None
            if rows is not None:
                retrieved[role] = relevant(rows, tasks[step])
        for role, step in plan.calculations.items():
            if (given := _given(steps.get(step), errors)) is not None:
                calculated[role] = given
        labels, units = labels_and_units(plan, self._model)
        found = PartResult(plan, retrieved, calculated, labels, units, tuple(dict.fromkeys(errors)))
        return checked(found, self._model)


def _given(result: StepResult | None, errors: list[str]) -> dict[str, Any] | None:
    """The output of a step that ended well; why it did not is added to ``errors``."""
    if result is not None and result.status is StepStatus.SUCCESS:
        return result.output
    if result is not None and result.status is not StepStatus.SKIPPED and result.error is not None:
        errors.append(" ".join([result.error.message, *(result.error.suggestions or ())[:1]]))
    return None


def _retrieved(output: Mapping[str, Any], errors: list[str]) -> Retrieved | None:
    """What a retrieval tool gave, as rows of plain values; None, and why, where two columns share a name."""
    rows = output.get("rows", ())
    columns = tuple(output["columns"]) if "columns" in output else ()
    named = tuple(rows.columns) if isinstance(rows, Frame) else columns
    if len(set(named)) < len(named) or not set(columns) <= set(named):
        errors.append("Something cannot be broken down by a column of the same name.")
        return None
    if isinstance(rows, Frame):
        columns = columns or tuple(rows.columns)
        rows = zip(*(rows.values(c) for c in columns), strict=True) if columns else ()
    known = {
        k: output[k] for k in ("query", "rows_used", "nulls", "truncated", "notes", "behind") if k in output
    }
    return Retrieved(columns=columns, rows=tuple(tuple(r) for r in rows), **known)


def _metadata(plan: DataWorkflowPlan, result: InvocationResult, seconds: float) -> ExecutionMetadata:
    return ExecutionMetadata(
        api_calls_count=len(plan.api_calls),
        execution_time=seconds,
        steps={s.step_id: s.duration_seconds for s in result.steps},
        cancelled=any(s.status is StepStatus.CANCELLED for s in result.steps),
        timed_out=next((s.error for s in result.steps if isinstance(s.error, TimedOut)), None),
        untold=next((s.error for s in result.steps if isinstance(s.error, OutOfScope)), None),
    )
