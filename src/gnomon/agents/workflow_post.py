"""Post-processing of what was retrieved: only the columns that were asked for, under names that people use."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from typing import Any

from gnomon.agents.figures import FRACTION, PERCENT
from gnomon.agents.telling_periods import range_name
from gnomon.agents.workflow import DataTask, PartPlan, PartResult
from gnomon.agents.workflow_builder import with_names
from gnomon.agents.workflow_kinds import PERIOD, compared_dimension
from gnomon.core.answer import ResultTable
from gnomon.core.request import QuestionKind
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.query import Retrieved
from gnomon.tools.chart_frame import Axis
from gnomon.tools.frames import Frame

_COMPUTED = {
    "share": ("share", PERCENT),
    "change_pct": ("relative change", PERCENT),
    "rank": ("rank", None),
    "from": ("from", None),
    "to": ("to", None),
    "count": ("count", None),
    "rows": ("rows", None),
}


def relevant(retrieved: Retrieved, task: DataTask) -> Retrieved:
    """Without the columns that the task did not ask for."""
    named = {PERIOD, *task.dimensions, *task.metrics}
    keep = [i for i, c in enumerate(retrieved.columns) if c in named]
    if len(keep) == len(retrieved.columns):
        return retrieved
    return retrieved.model_copy(
        update={
            "columns": tuple(retrieved.columns[i] for i in keep),
            "rows": tuple(tuple(row[i] for i in keep) for row in retrieved.rows),
        }
    )


def labels_and_units(plan: PartPlan, model: SemanticModel) -> tuple[dict[str, str], dict[str, str | None]]:
    """How people call each column of the results, and its unit."""
    request = plan.request
    labels: dict[str, str] = {name: label for name, (label, _) in _COMPUTED.items()}
    units: dict[str, str | None] = {name: unit for name, (_, unit) in _COMPUTED.items()}
    labels[PERIOD] = str(plan.grain or request.grain or PERIOD)
    for name in dict.fromkeys((*with_names(model, request), compared_dimension(request))):
        if name is not None:
            labels[name], units[name] = model.dimension(name).label, model.dimension(name).unit
    for name in request.metrics:
        metric = model.metric(name)
        labels[name], units[name] = metric.label, metric.unit
    if request.metrics:
        unit = units[request.metrics[0]]
        for name in ("current", "previous", "change", "part", "whole", "cumulative", "moving_average"):
            labels[name], units[name] = name.replace("_", " "), unit
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
