"""How questions about rows are taken apart: distributions, correlations."""

from __future__ import annotations

from gnomon.agents.workflow_builder import WorkflowBuilder, asked
from gnomon.agents.workflow_relations import relate, rows_asked
from gnomon.agents.workflow_scope import GRAINS, Scope
from gnomon.agents.workflow_shapes import shape
from gnomon.core.errors import OutOfScope
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Request
from gnomon.core.studies import Shape
from gnomon.semantic.model import Aggregation, DimensionType, Metric, SemanticModel, quoted

Taken = tuple["TimeGranularity | None", tuple[str, ...]]
PERIOD = "period"
_PLAIN = late_pattern(r"`([^`]+)`|([A-Za-z_]\w*)")
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)


def measured_column(model: SemanticModel, request: Request) -> tuple[str, str] | None:
    """The table and the column of numbers that a request is about, where it is about one."""
    for name in request.dimensions:
        dimension = model.dimension(name)
        if dimension.type is DimensionType.NUMBER:
            return dimension.home.table, dimension.home.column
    for reference in request.metrics:
        metric = model.metric(reference)
        if metric.aggregation in _COUNTS or metric.table is None or metric.expression is None:
            continue
        if match := _PLAIN.fullmatch(metric.expression.strip()):
            return metric.table, match[1] or match[2]
    return None


def distribution(b: WorkflowBuilder, request: Request, scope: Scope) -> Taken:
    """Values of a column over rows, of a metric over groups, or counts of a category."""
    if isinstance(request.study, Shape):
        return shape(b, request, request.study)
    groups = [d for d in request.dimensions if b.model.dimension(d).type is not DimensionType.NUMBER]
    nested = next((m for r in request.metrics if (m := b.model.metric(r)).inner is not None), None)
    if nested is not None and nested.per is not None and nested.inner is not None:
        return _over_groups(b, request, nested.inner, nested.per)
    if (groups or request.grain) and _is_amount(b.model, request):
        main = b.retrieve(
            "main",
            asked(request, dimensions=tuple(groups), grain=request.grain),
        )
        _spread(b, request.metrics[0], main)
        return request.grain, ()
    if groups and len(groups) == len(request.dimensions) and request.metrics:
        b.retrieve("main", asked(request, dimensions=tuple(groups), order_by=request.metrics[0]))
        return None, ()
    column = measured_column(b.model, request)
    if column is not None:
        b.calculate(
            "spread",
            "describe_column",
            f"how {column[1]} is spread over the rows",
            {},
            **rows_asked(request, table=column[0], column=column[1]),
        )
        return None, ()
    raise OutOfScope("A distribution needs a column of numbers, or groups to count.")


def _is_amount(model: SemanticModel, request: Request) -> bool:
    """Whether groups are to be described by an amount of theirs, rather than counted."""
    if not request.metrics:
        return False
    identified = [d for d in request.dimensions if model.dimension(d).type is DimensionType.ID]
    return bool(identified or request.grain)


def _over_groups(b: WorkflowBuilder, request: Request, inner: str, per: str) -> Taken:
    grain = TimeGranularity(per) if per in set(TimeGranularity) else None
    main = b.retrieve(
        "main", asked(request, metrics=(inner,), grain=grain, dimensions=() if grain is not None else (per,))
    )
    _spread(b, inner, main)
    return grain, ()


def _spread(b: WorkflowBuilder, value: str, main: str) -> None:
    b.calculate(
        "spread", "calculate_distribution", f"how {value} is spread over groups", {"data": main}, value=value
    )


def correlation(b: WorkflowBuilder, request: Request, scope: Scope) -> Taken:
    """Columns over rows, or two metrics over periods or groups."""
    if request.columns:
        relate(b, request)
        return None, ()
    numbers = [d for d in request.dimensions if b.model.dimension(d).type is DimensionType.NUMBER]
    groups = [d for d in request.dimensions if d not in numbers]
    pair = _row_pair(b.model, request, numbers)
    if pair is not None and not groups and request.grain is None:
        table, x, y = pair
        b.calculate(
            "correlation", "correlate_columns", f"correlate {x} and {y} over rows", {}, **rows_asked(request, table=table, x=x, y=y)
        )  # fmt: skip
        return None, ()
    if len(request.metrics) < 2:
        raise OutOfScope("A correlation needs two measures.")
    grain = request.grain
    if grain is None and not groups:
        grain = _shared_grain(b.model, request)
    main = b.retrieve("main", asked(request, grain=grain, dimensions=tuple(groups)))
    x, y = request.metrics[:2]
    b.calculate("correlation", "calculate_correlation", f"correlate {x} and {y}", {"data": main}, x=x, y=y)
    return grain, ()


def _row_pair(model: SemanticModel, request: Request, numbers: list[str]) -> tuple[str, str, str] | None:
    """The table and the two expressions over its rows, where both are of one table."""
    found: list[tuple[str, str]] = []
    for reference in request.metrics:
        metric = model.metric(reference)
        if metric.table is None or metric.expression is None or not _over_rows(metric):
            return None
        found.append((metric.table, metric.expression))
    for name in numbers:
        home = model.dimension(name).home
        found.append((home.table, quoted(home.column)))
    if len(found) < 2:
        return None
    table = _common_table(model, [t for t, _ in found[:2]])
    return (table, found[0][1], found[1][1]) if table is not None and found[0][1] != found[1][1] else None


def _over_rows(metric: Metric) -> bool:
    return metric.aggregation not in _COUNTS and metric.formula is None and not metric.where


def _common_table(model: SemanticModel, tables: list[str]) -> str | None:
    return tables[0] if len(set(tables)) == 1 else None


def _shared_grain(model: SemanticModel, request: Request) -> TimeGranularity:
    """The finest step in time that both metrics are recorded at."""
    steps: list[TimeGranularity] = []
    for reference in request.metrics[:2]:
        time = model.time_dimension(model.metric(reference))
        if time is None:
            raise OutOfScope(
                "The two measures come from different tables and share no dates, so they cannot be paired."
            )
        steps.append(max(time.grain or TimeGranularity.DAY, TimeGranularity.DAY, key=GRAINS.index))
    return max(steps, key=GRAINS.index)
