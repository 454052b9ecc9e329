"""How questions that set groups against each other by a test are taken apart."""

from __future__ import annotations

import calendar
from typing import Any

from gnomon.agents.telling_periods import in_range
from gnomon.agents.workflow_builder import WorkflowBuilder
from gnomon.agents.workflow_relations import rows_asked
from gnomon.agents.workflow_scope import Scope
from gnomon.core.errors import OutOfScope
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Brackets, Filter, FilterOperator, Recurring, Request
from gnomon.core.studies import GroupTest
from gnomon.semantic.model import Aggregation, SemanticModel, plural

DIFFERENCE = "group_test"
BRACKETS = "brackets"
_PARTS: dict[Recurring, str] = {("weekday", (0, 1, 2, 3, 4)): "weekdays", ("weekday", (5, 6)): "weekends"}


def difference(
    b: WorkflowBuilder, request: Request, scope: Scope
) -> tuple[TimeGranularity | None, tuple[str, ...]]:
    """A test between the rows of groups: of a column, of counts, or of two categories."""
    study = request.options(GroupTest)
    metric = b.model.metric(request.metrics[0]) if request.metrics else None
    counts = metric is not None and metric.aggregation is Aggregation.COUNT
    by = request.dimensions[0] if request.dimensions else None
    table = metric.table if metric is not None else b.model.dimension(by).home.table if by else None
    if table is None:
        raise OutOfScope("A test needs rows of one table.")
    fields = rows_asked(request)
    groups = groups_of(request, b.model) if not counts else []
    by = by or (_field(request) if counts else None)
    if counts and request.comparison is not None and request.comparison.rest:
        fields["filters"] = [f.model_dump(mode="json") for f in _others(request)]
    if groups:
        fields["groups"] = [
            {"name": n, "filters": [f.model_dump(mode="json") for f in fs]} for n, fs in groups
        ]
        fields["filters"] = [f.model_dump(mode="json") for f in _others(request)]
    if request.comparison is not None and request.comparison.kind == "period":
        fields.pop("time_range", None)
    b.calculate(
        DIFFERENCE, "test_groups", "test whether the groups differ by more than chance", {},
        **fields,
        table=table,
        value=request.metrics[0] if metric is not None and not counts else None,
        by=by if not groups else None,
        grain=request.grain if by is None else None,
        other=request.dimensions[1] if metric is None and len(request.dimensions) > 1 else None,
        test=study.test,
        significance=study.alpha,
    )  # fmt: skip
    return request.grain, ()


def brackets(
    b: WorkflowBuilder, request: Request, cut: Brackets
) -> tuple[TimeGranularity | None, tuple[str, ...]]:
    """A measure by ranges of a column of numbers."""
    column = b.model.dimension(cut.column)
    b.calculate(
        BRACKETS, "break_into_ranges", f"{request.metrics[0]} by ranges of {column.label}", {},
        **rows_asked(request),
        table=column.home.table,
        metric=request.metrics[0],
        column=column.name,
        width=cut.width,
        bins=cut.bins,
    )  # fmt: skip
    return None, ()


def groups_of(request: Request, model: SemanticModel) -> list[tuple[str, tuple[Filter, ...]]]:
    """The groups that are named, each with the conditions that its rows meet; none where all of a category are."""
    parts = request.options(GroupTest).parts
    if parts and request.dimensions:
        return [_part(request.dimensions[0], p) for p in parts]
    comparison = request.comparison
    if comparison is None:
        return []
    if comparison.kind == "period" and comparison.period is not None and request.time_range is not None:
        time = request.time_dimension or _time_of(request, model)
        return [
            (in_range(days).removeprefix("in ").removeprefix("on "), _between(time, days.start, days.end))
            for days in (request.time_range, comparison.period)
        ]
    field = _field(request)
    if comparison.kind != "group" or field is None:
        return []
    if comparison.rest:
        label = model.dimension(field).label
        named = Filter(field=field, operator=FilterOperator.IN, values=comparison.groups)
        rest = Filter(field=field, operator=FilterOperator.NOT_IN, values=comparison.groups)
        return [(" and ".join(comparison.groups), (named,)), (rest_name(label), (rest,))]
    return [
        (g, (Filter(field=field, operator=FilterOperator.EQUALS, values=(g,)),)) for g in comparison.groups
    ]


def rest_name(label: str) -> str:
    """What all other groups of a category are called."""
    return f"the other {plural(label)}"


def _part(dimension: str, values: tuple[int, ...]) -> tuple[str, tuple[Filter, ...]]:
    unit = dimension.removeprefix("@")
    condition = Filter(field=dimension, operator=FilterOperator.IN, values=values)
    known = _PARTS.get((unit, values))
    return known or part_name(unit, values), (condition,)


def part_name(unit: str, values: tuple[int, ...]) -> str:
    """Days of the week or months of the year, by name."""
    names = {"weekday": calendar.day_name, "month": calendar.month_name}.get(unit)
    return ", ".join(str(names[v]) if names else str(v) for v in values)


def _between(time: str, start: Any, end: Any) -> tuple[Filter, ...]:
    return (Filter(field=time, operator=FilterOperator.BETWEEN, values=(start, end)),)


def _time_of(request: Request, model: SemanticModel) -> str:
    found = model.time_dimension(model.metric(request.metrics[0]))
    if found is None:
        raise OutOfScope("The rows have no dates, so periods cannot be compared.")
    return found.name


def _field(request: Request) -> str | None:
    groups = set(request.comparison.groups) if request.comparison else set[str]()
    held = [f.field for f in request.filters if not f.having and groups & {str(v) for v in f.values}]
    return held[0] if held else request.dimensions[0] if request.dimensions else None


def _others(request: Request) -> tuple[Filter, ...]:
    """The conditions that are not on what is compared."""
    comparison = request.comparison
    if comparison is None or comparison.kind != "group":
        return request.filters
    field = _field(request)
    return tuple(f for f in request.filters if f.having or f.field != field)
