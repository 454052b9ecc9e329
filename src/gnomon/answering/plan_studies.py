"""How questions about rows, groups, series and the data itself are taken apart."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Any

from gnomon.answering.plan import PERIOD, WorkflowBuilder, asked, compared_dimension, other_filters
from gnomon.answering.scope import GRAINS, Scope, chosen_grain, compared_periods, reachable, whole_periods
from gnomon.core.errors import NotFound, OutOfScope
from gnomon.core.parts import Brackets, Filter, FilterOperator, Parts
from gnomon.core.patterns import late_pattern
from gnomon.core.query import Recurring, TimeGranularity, TimeRange
from gnomon.core.studies import GroupTest, Inspection, Outliers, Outlook, Regression, Relation, Shape
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_names import in_range
from gnomon.semantic.model import Aggregation, DimensionType, SemanticModel, plural, quoted
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.row_values import table_of_rows

Grain = TimeGranularity | None
TABLES_COUNTED = 12
DIFFERENCE = "group_test"
BRACKETS = "brackets"
RELATIONS = "relations"
REGRESSION = "regression"
OUTLIERS = "outliers"
SHAPE = "shape"
DRIVERS_LOOKED_AT = 4
_INSPECTED = ("missing", "shape", "columns", "types", "distinct", "duplicates")
_PARTS: dict[Recurring, str] = {("weekday", (0, 1, 2, 3, 4)): "weekdays", ("weekday", (5, 6)): "weekends"}
_ROWS = 3.0  # every row is looked at, not only what was added up from them
_PLAIN = late_pattern(r"`([^`]+)`|([A-Za-z_]\w*)")
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_DAILY = (None, TimeGranularity.HOUR, TimeGranularity.DAY)
_FEW_GROUPS = 60
_ENOUGH_DAYS = 60
_DAYS_FORECAST = 92
_ENOUGH_PERIODS = 8
_FINER = {
    TimeGranularity.YEAR: TimeGranularity.MONTH,
    TimeGranularity.QUARTER: TimeGranularity.MONTH,
    TimeGranularity.MONTH: TimeGranularity.WEEK,
    TimeGranularity.WEEK: TimeGranularity.DAY,
}
_MOST_STEPS = 1000
_DEFAULT_HORIZON = {
    TimeGranularity.HOUR: 24, TimeGranularity.DAY: 14, TimeGranularity.WEEK: 8, TimeGranularity.MONTH: 3,
    TimeGranularity.QUARTER: 4, TimeGranularity.YEAR: 2, TimeGranularity.DECADE: 1,
}  # fmt: skip


# The data itself ------------------------------------------------------------------------------------------------------


def is_inspected(request: Parts) -> bool:
    """Whether what is asked is found by looking at every cell."""
    return request.options(Inspection).about in _INSPECTED


def profile(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """How many rows each table has, or what its columns hold."""
    study = request.options(Inspection)
    named, about = study.table, study.about
    if named is not None and not any(t.name == named for t in b.model.tables):
        raise NotFound.among("table", named, [t.name for t in b.model.tables])
    repeated = about == "duplicates" and not study.columns
    distinct = about == "distinct" or (about == "duplicates" and not repeated)
    tables = [t.name for t in b.model.tables if named in (None, t.name)][:TABLES_COUNTED]
    for i, table in enumerate(tables):
        if is_inspected(request):
            looked: dict[str, Any] = {"distinct": distinct or None, "duplicates": repeated or None}
            what = f"look at every cell of {table}"
            b.calculate(f"inspection{i}", "inspect_table", what, {}, table=table, **looked)
        else:
            b.retrieve("main" if i == 0 else f"rows_{table}", RetrievalQuery(metrics=(f"count({table})",)))
    return None


# Groups ---------------------------------------------------------------------------------------------------------------


def difference(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """A test between the rows of groups: of a column, of counts, or of two categories."""
    study, against = request.options(GroupTest), request.comparison
    metric = b.model.metric(request.metrics[0]) if request.metrics else None
    counts = metric is not None and metric.aggregation is Aggregation.COUNT
    by = request.dimensions[0] if request.dimensions else None
    table = metric.table if metric is not None else b.model.dimension(by).home.table if by else None
    if table is None:
        raise OutOfScope("A test needs rows of one table.")
    groups = groups_of(request, b.model) if not counts else []
    by = by or (compared_dimension(request) if counts else None)
    changes: dict[str, Any] = {}
    if groups:
        told = [(name, [f.model_dump(mode="json") for f in held]) for name, held in groups]
        changes["groups"] = [{"name": name, "filters": held} for name, held in told]
    if groups or (counts and against is not None and against.rest):
        of_groups = against is not None and against.kind == "group"
        others = other_filters(request) if of_groups else request.filters
        changes["filters"] = [f.model_dump(mode="json") for f in others]
    if against is not None and against.kind == "period":
        changes["time_range"] = None
    b.over_rows(
        DIFFERENCE, "test_groups", "test whether the groups differ by more than chance", request,
        **changes,
        table=table,
        value=request.metrics[0] if metric is not None and not counts else None,
        by=by if not groups else None,
        grain=request.grain if by is None else None,
        other=request.dimensions[1] if metric is None and len(request.dimensions) > 1 else None,
        test=study.test,
        significance=study.alpha,
    )  # fmt: skip
    return request.grain


def brackets(b: WorkflowBuilder, request: Parts, cut: Brackets) -> Grain:
    """A measure by ranges of a column of numbers."""
    column, metric = b.model.dimension(cut.column), request.metrics[0]
    given: dict[str, Any] = {"table": column.home.table, "metric": metric, "column": column.name}
    what = f"{metric} by ranges of {column.label}"
    b.over_rows(BRACKETS, "break_into_ranges", what, request, **given, width=cut.width, bins=cut.bins)
    return None


def groups_of(request: Parts, model: SemanticModel) -> list[tuple[str, tuple[Filter, ...]]]:
    """The groups that are named, each with the conditions that its rows meet; none where all of a category are."""
    parts = request.options(GroupTest).parts
    if parts and request.dimensions:
        return [_part(request.dimensions[0], p) for p in parts]
    comparison = request.comparison
    if comparison is None:
        return []
    if comparison.kind == "period" and comparison.period is not None and request.time_range is not None:
        time = request.time_dimension or _time_of(request, model)
        days = (request.time_range, comparison.period)
        names = [in_range(d).removeprefix("in ").removeprefix("on ") for d in days]
        return [(n, _where(time, "BETWEEN", d.start, d.end)) for n, d in zip(names, days, strict=True)]
    field = compared_dimension(request)
    if comparison.kind != "group" or field is None:
        return []
    if comparison.rest:
        named, rest = (_where(field, how, *comparison.groups) for how in ("IN", "NOT_IN"))
        return [(" and ".join(comparison.groups), named), (rest_name(model.dimension(field).label), rest)]
    return [(g, _where(field, "EQUALS", g)) for g in comparison.groups]


def rest_name(label: str) -> str:
    """What all other groups of a category are called."""
    return f"the other {plural(label)}"


def _where(field: str, operator: str, *values: Any) -> tuple[Filter, ...]:
    return (Filter(field=field, operator=FilterOperator[operator], values=values),)


def _part(dimension: str, values: tuple[int, ...]) -> tuple[str, tuple[Filter, ...]]:
    unit = dimension.removeprefix("@")
    return _PARTS.get((unit, values)) or part_name(unit, values), _where(dimension, "IN", *values)


def part_name(unit: str, values: tuple[int, ...]) -> str:
    """Days of the week or months of the year, by name."""
    names = {"weekday": calendar.day_name, "month": calendar.month_name}.get(unit)
    return ", ".join(str(names[v]) if names else str(v) for v in values)


def _time_of(request: Parts, model: SemanticModel) -> str:
    found = model.time_dimension(model.metric(request.metrics[0]))
    if found is None:
        raise OutOfScope("The rows have no dates, so periods cannot be compared.")
    return found.name


# Columns, row by row --------------------------------------------------------------------------------------------------


def correlation(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """Columns over rows, or two metrics over periods or groups."""
    if request.columns:
        study = request.options(Relation)
        given: dict[str, Any] = {
            "columns": list(request.columns),
            "method": study.method,
            "target": study.target,
        }
        by = request.dimensions[0] if request.dimensions else None
        _over_columns(b, request, RELATIONS, "relate_columns", f"relate {', '.join(request.columns)} row by row", **given, by=by)  # fmt: skip
        return None
    numbers = [d for d in request.dimensions if b.model.dimension(d).type is DimensionType.NUMBER]
    groups = tuple(d for d in request.dimensions if d not in numbers)
    pair = _row_pair(b.model, request, numbers)
    if pair is not None and not groups and request.grain is None:
        table, x, y = pair
        what = f"correlate {x} and {y} over rows"
        b.over_rows("correlation", "correlate_columns", what, request, table=table, x=x, y=y)
        return None
    if len(request.metrics) < 2:
        raise OutOfScope("A correlation needs two measures.")
    grain = request.grain
    if grain is None and not groups:
        grain = _shared_grain(b.model, request)
    main = b.retrieve("main", asked(request, grain=grain, dimensions=groups))
    x, y = request.metrics[:2]
    b.calculate("correlation", "calculate_correlation", f"correlate {x} and {y}", {"data": main}, x=x, y=y)
    return grain


def regression(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """The first column, predicted from the others."""
    target, *features = request.columns
    given = request.options(Regression).model_dump(exclude={"verb", "score"}, exclude_defaults=True)
    what = f"predict {target} from {', '.join(features)}"
    _over_columns(b, request, REGRESSION, "regress_column", what, **given, target=target, features=features)
    return None


def _over_columns(b: WorkflowBuilder, request: Parts, role: str, tool: str, what: str, **given: Any) -> None:
    """A calculation over columns of one table."""
    table = table_of_rows(b.model, [*request.columns, *request.dimensions])
    if table is None:
        labels = ", ".join(b.model.dimension(c).label for c in request.columns)
        raise OutOfScope(f"No table tells {labels} of the same rows, so they cannot be related.")
    b.over_rows(role, tool, what, request, timeout_seconds=_ROWS * b.timeout_seconds, table=table, **given)


def _row_pair(model: SemanticModel, request: Parts, numbers: list[str]) -> tuple[str, str, str] | None:
    """The table and the two expressions over its rows, where both are of one table."""
    found: list[tuple[str, str]] = []
    for metric in map(model.metric, request.metrics):
        over_rows = metric.aggregation not in _COUNTS and metric.formula is None and not metric.where
        if metric.table is None or metric.expression is None or not over_rows:
            return None
        found.append((metric.table, metric.expression))
    homes = [model.dimension(name).home for name in numbers]
    found += [(home.table, quoted(home.column)) for home in homes]
    if len(found) < 2 or found[0][0] != found[1][0] or found[0][1] == found[1][1]:
        return None
    return found[0][0], found[0][1], found[1][1]


def _shared_grain(model: SemanticModel, request: Parts) -> TimeGranularity:
    """The finest step in time that both metrics are recorded at."""
    times = [model.time_dimension(model.metric(m)) for m in request.metrics[:2]]
    steps = [max(t.grain or TimeGranularity.DAY, TimeGranularity.DAY, key=GRAINS.index) for t in times if t is not None]  # fmt: skip
    if len(steps) < len(times):
        raise OutOfScope(
            "The two measures come from different tables and share no dates, so they cannot be paired."
        )
    return max(steps, key=GRAINS.index)


# One column -----------------------------------------------------------------------------------------------------------


def measured_column(model: SemanticModel, request: Parts) -> tuple[str, str] | None:
    """The table and the column of numbers that a request is about, where it is about one."""
    for dimension in map(model.dimension, request.dimensions):
        if dimension.type is DimensionType.NUMBER:
            return dimension.home.table, dimension.home.column
    for metric in map(model.metric, request.metrics):
        if metric.aggregation in _COUNTS or metric.table is None or metric.expression is None:
            continue
        if match := _PLAIN.fullmatch(metric.expression.strip()):
            return metric.table, match[1] or match[2]
    return None


def distribution(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """Values of a column over rows, of a metric over groups, or counts of a category."""
    if isinstance(request.study, Shape):
        what = f"the shape of {b.model.metric(request.metrics[0]).label}"
        how: dict[str, Any] = {"test": request.study.test, "alpha": request.study.alpha}
        _over_values(b, request, SHAPE, "test_normality", what, **how)
        return None
    kinds = {d: b.model.dimension(d).type for d in request.dimensions}
    groups = tuple(d for d, kind in kinds.items() if kind is not DimensionType.NUMBER)
    metrics = [b.model.metric(m) for m in request.metrics]
    nested = next((m for m in metrics if m.inner is not None), None)
    if nested is not None and nested.per is not None and nested.inner is not None:
        grain = TimeGranularity(nested.per) if nested.per in set(TimeGranularity) else None
        _spread(b, request, nested.inner, grain, () if grain is not None else (nested.per,))
        return grain
    # Groups are described by an amount of theirs, rather than counted.
    if metrics and (request.grain or DimensionType.ID in kinds.values()):
        _spread(b, request, None, request.grain, groups)
        return request.grain
    if groups and len(groups) == len(request.dimensions) and metrics:
        b.retrieve("main", asked(request, dimensions=groups, order_by=request.metrics[0]))
        return None
    column = measured_column(b.model, request)
    if column is None:
        raise OutOfScope("A distribution needs a column of numbers, or groups to count.")
    what = f"how {column[1]} is spread over the rows"
    b.over_rows("spread", "describe_column", what, request, table=column[0], column=column[1])
    return None


def _spread(
    b: WorkflowBuilder, request: Parts, metric: str | None, grain: Grain, by: tuple[str, ...]
) -> None:
    """How an amount is spread over groups."""
    metrics = request.metrics if metric is None else (metric,)
    main = b.retrieve("main", asked(request, metrics=metrics, grain=grain, dimensions=by))
    value = metrics[0]
    b.calculate(
        "spread", "calculate_distribution", f"how {value} is spread over groups", {"data": main}, value=value
    )


def _over_values(b: WorkflowBuilder, request: Parts, role: str, tool: str, what: str, **given: Any) -> None:
    """A calculation over the values of a column, for each group."""
    table = b.model.metric(request.metrics[0]).table
    if table is None:
        raise OutOfScope("The shape of a distribution is told of a column of numbers.")
    column: dict[str, Any] = {"table": table, "value": request.metrics[0], "by": list(request.dimensions)}
    b.over_rows(role, tool, what, request, **column, **given)


def _outliers(b: WorkflowBuilder, request: Parts, study: Outliers) -> None:
    """Values of a column far from the rest; figures without them are of all rows, so the bounds are too."""
    metric = b.model.metric(request.metrics[0])
    key = b.model.table(metric.table).key if metric.table is not None else ()
    held = [d for d in b.model.dimensions if len(key) == 1 and d.at(metric.table or "") == key[0]]
    named = held[0].name if held and not held[0].personal else None  # what names a row, where it may be shown
    given: dict[str, Any] = {
        "method": study.rule,
        "threshold": study.threshold,
        "within": study.told not in ("without", "left"),
    }
    what = f"values of {metric.label} far from the rest"
    _over_values(b, request, OUTLIERS, "find_outliers", what, **given, key=named)


# Series ---------------------------------------------------------------------------------------------------------------


def _measured(request: Parts, **changes: Any) -> RetrievalQuery:
    """The first metric over time."""
    if not request.metrics:
        raise OutOfScope("The question names nothing that could be measured along time.")
    return asked(request, metrics=request.metrics[:1], **({"dimensions": ()} | changes))


def anomaly(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """Values of a series far from the rest of it, or values of rows."""
    if isinstance(request.study, Outliers) and request.metrics:
        _outliers(b, request, request.study)
        return None
    value = request.metrics[0]
    what = f"values of {value} far from the rest"
    if (
        request.dimensions and request.grain is None
    ):  # “which sites have unusual costs”: groups, each as one value
        given = {"data": b.retrieve("main", _measured(request, dimensions=request.dimensions))}
        b.calculate("anomalies", "anomaly_zscore", what, given, value=value)
        return None
    grain = request.grain or _watchable(request, scope)
    days = whole_periods(scope, grain, request.time_range)
    main = b.retrieve("main", _measured(request, grain=grain, time_range=days))
    b.calculate("anomalies", "anomaly_zscore", what, {"data": main}, value=value, time=PERIOD)
    return grain


def _watchable(request: Parts, scope: Scope) -> TimeGranularity:
    """Days where there are enough of them, else what reads best."""
    finest = scope.time.grain if scope.time is not None else None
    days = request.time_range.days if request.time_range is not None else _ENOUGH_DAYS
    daily = finest in _DAILY and days >= _ENOUGH_DAYS // 3
    return TimeGranularity.DAY if daily else chosen_grain(request, scope)


def forecast(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """The series as it may go on after its last whole period."""
    grain = request.grain or _forecast_grain(request, scope)
    known = whole_periods(scope, grain, None)
    while request.grain is None and (finer := _FINER.get(grain)) and _too_few(known, grain):
        grain, known = finer, whole_periods(scope, finer, None)
    query = _measured(request, grain=grain, time_range=known)
    if known is None:
        raise OutOfScope(f"The data covers no whole {grain}, so there is nothing to forecast from.")
    steps, value = _horizon(request, grain, known.end), request.metrics[0]
    given: dict[str, Any] = {"value": value, "time": PERIOD, "horizon": steps}
    data = {"data": b.retrieve("main", query)}
    b.calculate("forecast", "timeseries_forecaster", f"forecast {value}", data, **given)
    return grain


def _too_few(known: TimeRange | None, grain: TimeGranularity) -> bool:
    """Whether a series has hardly any past: two years are too few for the next one, their months are not."""
    length = OF_GRAIN[grain].last_day(known.start) - known.start if known is not None else None
    return known is None or length is None or known.days < _ENOUGH_PERIODS * (length.days + 1) * 0.99


def _forecast_grain(request: Parts, scope: Scope) -> TimeGranularity:
    if (unit := request.options(Outlook).unit) is not None:
        return unit
    days = request.time_range
    if days is not None and days.granularity is not TimeGranularity.DAY:
        return days.granularity
    finest = scope.time.grain if scope.time is not None else None
    if days is not None and finest in _DAILY and days.days <= _DAYS_FORECAST:
        return TimeGranularity.DAY  # a month would be another period than the days that were asked for
    return chosen_grain(request.model_copy(update={"time_range": None}), scope)


def _horizon(request: Parts, grain: TimeGranularity, end: date) -> int:
    """How many periods ahead: as asked in numbers, or up to the end of the days that were asked for."""
    asked = request.options(Outlook).horizon
    if asked is not None:
        return min(asked, _MOST_STEPS)
    days = request.time_range
    if days is None or days.end <= end or days.end == date.max:
        return _DEFAULT_HORIZON[grain]
    unit, steps, at = OF_GRAIN[grain], 0, end
    while at < days.end and steps < _MOST_STEPS:
        at = unit.last_day(at + timedelta(days=1))
        steps += 1
    return steps


def cause(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """A change between two periods, and the groups that it came from."""
    _measured(request)
    days, other = compared_periods(request, scope)
    value, metric = request.metrics[0], b.model.metric(request.metrics[0])

    def change(role: str, what: str, now: str, then: str, *by: str) -> None:
        on: dict[str, Any] = {"on": list(by)} if by else {}
        here = b.retrieve(now, _measured(request, time_range=days, dimensions=by))
        there = b.retrieve(then, _measured(request, time_range=other, dimensions=by))
        b.calculate(role, "calculate_change", what, {"data": here, "other": there}, value=value, **on)

    change("change", f"change of {metric.label}", "main", "previous")
    fixed = {f.field for f in request.filters}
    free = (d for d in reachable(b.model, metric) if d.name not in fixed and not d.personal)
    for d in [d for d in free if 1 < (d.distinct or 2) <= _FEW_GROUPS][:DRIVERS_LOOKED_AT]:
        what = f"change of {metric.label} by {d.label}"
        change(f"driver_{d.name}", what, f"now_{d.name}", f"before_{d.name}", d.name)
    return None
