"""Runs a planned workflow through the invocation layer; what fails becomes a reason, never an exception.

What cannot be true is computed again in the simplest way; where that does not help either it is left out,
and the answer says so.
"""

from __future__ import annotations

import calendar
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gnomon.answering.plan import (
    PERIOD,
    DataTask,
    DataWorkflowPlan,
    ExecutionMetadata,
    ExecutionResult,
    PartPlan,
    PartResult,
    compared_dimension,
    spoken_names,
    with_names,
)
from gnomon.core import clock
from gnomon.core.answer import ResultTable
from gnomon.core.errors import GnomonError, OutOfScope, TimedOut
from gnomon.core.figures import FRACTION, PERCENT
from gnomon.core.parts import QuestionKind
from gnomon.core.patterns import regex
from gnomon.execution import InvocationResult, MCPToolsInvocationLayer, StepResult, StepStatus
from gnomon.language.time_names import range_name
from gnomon.semantic.labels import label_of
from gnomon.semantic.model import Aggregation, SemanticModel
from gnomon.semantic.query import Retrieved
from gnomon.tools.calculations import change_pct, share_pct
from gnomon.tools.chart_frame import Axis
from gnomon.tools.contract import CancelToken
from gnomon.tools.frames import Frame

_COMPUTED = {
    "share": PERCENT,
    "change_pct": PERCENT,
    "rank": None,
    "from": None,
    "to": None,
    "count": None,
    "rows": None,
}
_IN_UNIT = ("current", "previous", "change", "part", "whole", "cumulative", "moving_average")


def relevant(retrieved: Retrieved, task: DataTask) -> Retrieved:
    """Without the columns that the task did not ask for."""
    named = {PERIOD, *task.dimensions, *task.metrics}
    keep = [i for i, c in enumerate(retrieved.columns) if c in named]
    if len(keep) == len(retrieved.columns):
        return retrieved
    columns = tuple(retrieved.columns[i] for i in keep)
    rows = tuple(tuple(row[i] for i in keep) for row in retrieved.rows)
    return retrieved.model_copy(update={"columns": columns, "rows": rows})


def labels_and_units(plan: PartPlan, model: SemanticModel) -> tuple[dict[str, str], dict[str, str | None]]:
    """How people call each column of the results, and its unit."""
    request = plan.request
    units: dict[str, str | None] = dict(_COMPUTED)
    labels = {name: name for name in units} | {"change_pct": "relative change"}
    labels[PERIOD] = str(plan.grain or request.grain or PERIOD)
    dimensions = dict.fromkeys((*with_names(model, request), compared_dimension(request)))
    named = [(d, model.dimension(d)) for d in dimensions if d is not None]
    for name, meant in [*named, *((m, model.metric(m)) for m in request.metrics)]:
        labels[name], units[name] = meant.label, meant.unit
    for key, name in spoken_names(
        model, request
    ).items():  # what is called as its id: client, beside client_no
        if labels[key] == labels[name]:
            labels[key] = label_of(model.dimension(key).home.column)
    for name in _IN_UNIT if request.metrics else ():
        labels[name], units[name] = name.replace("_", " "), units[request.metrics[0]]
    later, earlier = request.time_range, request.comparison.period if request.comparison else None
    if later is not None and earlier is not None:
        labels |= {"current": range_name(later), "previous": range_name(earlier)}
    return labels, units


def heading(name: str, result: PartResult) -> str:
    """A column's heading: its label, with its unit where it has one that is not obvious."""
    label, unit = result.labels.get(name, name), result.units.get(name)
    return label if unit in (None, FRACTION) or label.endswith(f"({unit})") else f"{label} ({unit})"


def axis(name: str, result: PartResult) -> Axis:
    """A column as an axis of a chart."""
    return Axis(result.labels.get(name, name), result.units.get(name))


def table_of(
    result: PartResult, name: str, columns: tuple[str, ...], rows: tuple[tuple[Any, ...], ...]
) -> ResultTable:
    """A table of the answer, with headings that people read and that are all different."""
    headings: list[str] = []
    for column in columns:
        text = heading(column, result)
        headings.append(text if text not in headings else f"{text} · {column}")
    rates = tuple(h for h, c in zip(headings, columns, strict=True) if result.units.get(c) == FRACTION)
    shown = tuple(in_calendar_order(result, columns, rows))
    return ResultTable(name=name, columns=tuple(headings), rows=shown, rates=rates)


def in_calendar_order(
    result: PartResult, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[tuple[Any, ...]]:
    """Hours, weekdays, months and quarters as the calendar has them, unless a ranking was asked for."""
    told = [tuple(r) for r in rows]
    if not columns or not columns[0].startswith("@") or result.plan.request.kind is QuestionKind.RANKING:
        return told
    places = {name: i for names in (calendar.day_name, calendar.month_name) for i, name in enumerate(names)}
    keys: dict[Any, Any] = {r[0]: places.get(r[0], r[0]) for r in told}
    same = len({type(k) for k in keys.values()}) == 1
    return sorted(told, key=lambda r: keys[r[0]]) if same else told


def frame_rows(
    frame: Any, columns: tuple[str, ...] | None = None
) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """The rows that a calculation gave, as names and plain values."""
    if not isinstance(frame, Frame):
        return (), ()
    names = tuple(c for c in (columns or tuple(frame.columns)) if c in frame.columns)
    values = [frame.values(c) for c in names]
    return names, tuple(zip(*values, strict=True)) if values else ()


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


TOLERANCE = 1e-6
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_BETWEEN = regex(r"(?:days|hours|minutes)\(`?([^`,]+)`?, `?([^`)]+)`?\)")
_CHANGE = ("current", "previous", "change", "change_pct")


def checked(result: PartResult, model: SemanticModel) -> PartResult:
    """The result with what cannot be true put right or left out, and said."""
    for check in (_counts, _shares, _changes, _times):
        result = check(result, model)
    return result


def _doubted(result: PartResult, *doubts: str, **changes: Any) -> PartResult:
    return replace(result, doubts=(*result.doubts, *doubts), **changes)


def _below_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and value < 0


def _counts(result: PartResult, model: SemanticModel) -> PartResult:
    """A count is never negative."""
    counts = [m for m in result.plan.request.metrics if model.metric(m).aggregation in _COUNTS]
    retrieved, doubts = dict(result.retrieved), list[str]()
    for role, given in result.retrieved.items():
        places = [given.columns.index(m) for m in counts if m in given.columns]
        kept = tuple(r for r in given.rows if not any(_below_zero(r[i]) for i in places))
        if len(kept) < len(given.rows):
            retrieved[role] = given.model_copy(update={"rows": kept})
            doubts.append("a count came back negative, which cannot be, and was left out")
    return _doubted(result, *doubts, retrieved=retrieved)


def _times(result: PartResult, model: SemanticModel) -> PartResult:
    """Something that ends before it begins is told as it is recorded, and said."""
    doubts: list[str] = []
    for reference in result.plan.request.metrics:
        ends = _BETWEEN.fullmatch(model.metric(reference).expression or "")
        given = [g for g in result.retrieved.values() if reference in g.columns]
        if ends and any(_below_zero(r[g.columns.index(reference)]) for g in given for r in g.rows):
            last, first = (label_of(end) for end in ends.groups())
            doubts.append(f"in some rows {last} lies before {first}, which makes these times negative")
    return _doubted(result, *doubts)


def _shares(result: PartResult, model: SemanticModel) -> PartResult:
    """A share lies between nothing and the whole; the whole is no smaller than a part."""
    output = result.calculated.get("shares")
    names, rows = frame_rows(output.get("rows") if output is not None else None)
    if output is None or not result.plan.request.metrics or "share" not in names:
        return result
    if not any(_impossible(row[names.index("share")]) for row in rows):
        return result
    calculated = {role: given for role, given in result.calculated.items() if role != "shares"}
    if (simple := _simple_shares(result, names, rows)) is None:
        told = "shares of the total are left out, because the parts do not lie within the whole"
    else:
        calculated["shares"] = {**output, "rows": simple}
        told = "shares came back outside 0 to 100 and were computed again from the parts and the whole"
    return _doubted(result, told, calculated=calculated)


def _impossible(share: Any) -> bool:
    return isinstance(share, (int, float)) and not -TOLERANCE <= share <= 100 + TOLERANCE


def _simple_shares(result: PartResult, names: tuple[str, ...], rows: tuple[Any, ...]) -> Frame | None:
    """Each part over the whole as retrieved; None where that is no better."""
    metric, held = result.plan.request.metrics[0], [dict(zip(names, r, strict=True)) for r in rows]
    if "part" in names and "whole" in names:
        pairs = [(r["part"], r["whole"]) for r in held]
    elif metric in names:
        whole = result.retrieved.get("whole")
        total = whole.rows[0][whole.columns.index(metric)] if whole and whole.rows else None
        total = total if total is not None else math.fsum(r[metric] for r in held if r[metric] is not None)
        pairs = [(r[metric], total) for r in held]
    else:
        return None
    shares = [share_pct(p, w) for p, w in pairs]
    if any(_impossible(s) for s in shares):
        return None
    return Frame.of([{**r, "share": s} for r, s in zip(held, shares, strict=True)])


def _changes(result: PartResult, model: SemanticModel) -> PartResult:
    """A change in percent follows from the two values that it leads between."""
    calculated, doubts = dict(result.calculated), list[str]()
    for role, output in result.calculated.items():
        names, rows = frame_rows(output.get("rows"))
        if not role.startswith("change") or not {*_CHANGE} <= set(names):
            continue
        held = [dict(zip(names, row, strict=True)) for row in rows]
        put_right = [r | _change(r["current"], r["previous"]) for r in held]
        pairs = [(r[k], p[k]) for r, p in zip(held, put_right, strict=True) for k in _CHANGE[2:]]
        if not all(_same(a, b) for a, b in pairs):
            calculated[role] = {**output, "rows": Frame.of(put_right)}
            doubts.append("a change did not follow from its values and was computed again")
    return _doubted(result, *doubts, calculated=calculated)


def _change(now: Any, before: Any) -> dict[str, Any]:
    change = now - before if now is not None and before is not None else None
    return {"change": change, "change_pct": change_pct(now, before)}


def _same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-9)
