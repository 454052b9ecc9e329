"""How each kind of question is taken apart into retrievals and calculations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from gnomon.agents.telling_periods import part_time, period_start
from gnomon.agents.whole_periods import SAME_DAYS, earlier_part, only_whole
from gnomon.agents.workflow_bounds import retrieve_bounds
from gnomon.agents.workflow_builder import WorkflowBuilder, asked, with_names
from gnomon.agents.workflow_data import profile
from gnomon.agents.workflow_groups import brackets, difference
from gnomon.agents.workflow_relations import regress
from gnomon.agents.workflow_rows import PERIOD, correlation, distribution
from gnomon.agents.workflow_scope import Scope, chosen_grain
from gnomon.agents.workflow_series import anomaly, cause, forecast
from gnomon.core.errors import OutOfScope
from gnomon.core.operations import Walk
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Filter, FilterOperator, QuestionKind, Request
from gnomon.semantic.model import Additivity, SemanticModel
from gnomon.semantic.query import MAX_ROWS

Grain = TimeGranularity | None
Notes = tuple[str, ...]
TIES_LOOKED_FOR = 20

_Kind = QuestionKind
__all__ = ["PERIOD", "compared_dimension", "decompose", "effective_kind", "shares_add_up"]


def decompose(builder: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    """Add the steps that answer ``request``; gives the grain that was chosen and what to say besides."""
    if request.brackets is not None:
        return brackets(builder, request, request.brackets)
    kind = effective_kind(request)
    if kind is not _Kind.PROFILE and not (request.metrics or request.dimensions or request.columns):
        raise OutOfScope("The question names nothing that could be counted or measured in this data.")
    told = _BY_KIND[kind](builder, request, scope)
    retrieve_bounds(builder, request)
    return told


def effective_kind(request: Request) -> QuestionKind:
    """The kind that the parts of a request amount to: a value by groups is a breakdown, and so on."""
    kind = request.kind
    if kind is _Kind.VALUE and request.comparison is not None:
        return _Kind.COMPARISON
    if kind is _Kind.VALUE and request.grain is not None:
        return _Kind.TREND
    if kind is _Kind.VALUE and request.dimensions:
        return _Kind.BREAKDOWN
    if kind is _Kind.BREAKDOWN and request.grain is not None:
        return _Kind.TREND
    if kind is _Kind.BREAKDOWN and not request.dimensions:
        return _Kind.VALUE
    if kind is _Kind.RANKING and not request.dimensions and request.grain is None:
        return _Kind.VALUE
    if kind is _Kind.LIST and request.metrics and not request.dimensions and request.grain is None:
        return _Kind.VALUE
    return kind


def _value(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    b.retrieve("main", asked(request, dimensions=()))
    return None, ()


def _breakdown(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    order = request.metrics[0] if request.metrics else None
    by = with_names(b.model, request)
    metrics = (*request.metrics, request.beside) if request.beside is not None else request.metrics
    query = asked(request, metrics=metrics, dimensions=by, order_by=order, descending=request.descending)
    main = b.retrieve("main", query)
    if request.metrics and shares_add_up(b.model, request):
        b.calculate(
            "shares", "calculate_shares", f"shares of {request.metrics[0]}", {"data": main}, value=order
        )
    return None, ()


def shares_add_up(model: SemanticModel, request: Request) -> bool:
    """Whether the groups of a breakdown make up a whole that means something."""
    additive = model.metric(request.metrics[0]).additivity is Additivity.ADDITIVE
    return additive and len(request.dimensions) == 1 and not any(f.having for f in request.filters)


def _ranking(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    limit = request.limit
    if not request.metrics:
        return _list(b, request, scope)
    days, notes = only_whole(request, b.model, scope)
    query = asked(
        request,
        time_range=days,
        dimensions=with_names(b.model, request),
        grain=request.grain,
        order_by=request.metrics[0],
        descending=request.descending,
        limit=min(limit + TIES_LOOKED_FOR, MAX_ROWS) if limit else None,
        limit_per=request.limit_per,
    )
    main = b.retrieve("main", query)
    b.calculate(
        "ranking",
        "calculate_ranking",
        f"rank by {request.metrics[0]}",
        {"data": main},
        value=request.metrics[0],
        descending=request.descending,
        limit=limit
        if limit is None or request.limit_per
        else limit + 1,  # rows without a name are told apart
        per=request.limit_per,
    )
    return request.grain, notes


def _share(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    metric = request.metrics[0] if request.metrics else None
    if metric is None:
        raise OutOfScope("A share needs something to be counted or measured.")
    by = list(request.dimensions)
    if request.share.along:
        return _share_along(b, request, scope)
    if (of := request.share.whole) is not None:
        b.retrieve("main", asked(request))
        b.retrieve("whole", asked(request, metrics=(of,)))
        b.retrieve("share", asked(request, metrics=(f"{metric} / {of}",)))
        return None, ()
    if request.part or part_time(request):
        by = list(with_names(b.model, request))
        narrowed = (*request.filters, *request.part)
        main = b.retrieve(
            "main", asked(request, filters=narrowed, dimensions=tuple(by), **part_time(request))
        )
        whole = b.retrieve("whole", asked(request, dimensions=tuple(by)))
        b.calculate(
            "shares",
            "calculate_shares",
            f"share of {metric}",
            {"data": main, "whole": whole},
            value=metric,
            on=by,
        )
        return None, ()
    if not by:
        raise OutOfScope("A share needs a part: name the group, or what to split by.")
    if (within := request.share.within) is not None:
        main = b.retrieve("main", asked(request, dimensions=with_names(b.model, request), order_by=metric))
        whole = b.retrieve("whole", asked(request, dimensions=(within,)))
        inputs = {"data": main, "whole": whole}
        label = f"shares of {metric} within each {within}"
        b.calculate("shares", "calculate_shares", label, inputs, value=metric, on=[within])
        return None, ()
    query = asked(
        request,
        dimensions=with_names(b.model, request),
        order_by=metric,
        descending=request.descending,
        limit=request.limit,
    )
    main = b.retrieve("main", query)
    inputs = {"data": main}
    if request.limit or not shares_add_up(b.model, request):
        inputs["whole"] = b.retrieve("whole", asked(request, dimensions=()))
    b.calculate("shares", "calculate_shares", f"shares of {metric}", inputs, value=metric)
    return None, ()


def _share_along(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    """The share of a part, or of each group, in every period; without either, of each period in all of them."""
    metric, grain = request.metrics[0], chosen_grain(request, scope)
    split = bool(request.part or request.dimensions)
    narrowed = asked(request, grain=grain, filters=(*request.filters, *request.part))
    main = b.retrieve("main", narrowed)
    whole = b.retrieve("whole", asked(request, grain=grain if split else None, dimensions=()))
    inputs, on = {"data": main, "whole": whole}, [PERIOD] if split else []
    b.calculate("shares", "calculate_shares", f"share of {metric} along time", inputs, value=metric, on=on)
    return grain, ()


def _comparison(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    comparison = request.comparison
    if comparison is None:
        return _value(b, request, scope) if not request.dimensions else _breakdown(b, request, scope)
    if comparison.kind == "group":
        return _groups(b, request)
    if comparison.kind == "benchmark":
        return _benchmark(b, request)
    order = request.metrics[0] if request.dimensions else None
    main = b.retrieve("main", asked(request, order_by=order))
    if comparison.period is None or not scope.comparable:
        return None, ()
    other = b.retrieve("previous", asked(request, time_range=comparison.period, order_by=order))
    for i, metric in enumerate(request.metrics):
        b.calculate(
            "change" if i == 0 else f"change_{i + 1}",
            "calculate_change",
            f"change of {metric}",
            {"data": main, "other": other},
            value=metric,
            on=list(request.dimensions),
        )
    if (part := earlier_part(request, b.model, scope)) is not None:
        same = b.retrieve(SAME_DAYS, asked(request, time_range=part))
        what = f"change of {request.metrics[0]} over the same days"
        inputs = {"data": main, "other": same}
        b.calculate(f"change_{SAME_DAYS}", "calculate_change", what, inputs, value=request.metrics[0], on=[])
    return None, ()


def compared_dimension(request: Request) -> str | None:
    """The dimension whose values are compared: the one that is named, or the one that a condition is on."""
    groups = set(request.comparison.groups) if request.comparison else set[str]()
    for condition in request.filters:
        if not condition.having and groups & {str(v) for v in condition.values}:
            return condition.field
    return request.dimensions[0] if request.dimensions else None


def _groups(b: WorkflowBuilder, request: Request) -> tuple[Grain, Notes]:
    dimension = compared_dimension(request)
    groups = request.comparison.groups if request.comparison else ()
    if dimension is not None and request.comparison is not None and request.comparison.rest:
        return _against_rest(b, request, dimension)
    if dimension is None or len(groups) < 2:
        raise OutOfScope("A comparison of groups needs the groups and what they are groups of.")
    others = tuple(f for f in request.filters if f.having or f.field != dimension)
    chosen = Filter(field=dimension, operator=FilterOperator.IN, values=groups)
    metric = request.metrics[0]
    by = (dimension, *(d for d in request.dimensions if d != dimension))
    main = b.retrieve("main", asked(request, dimensions=by, filters=(*others, chosen), order_by=metric))
    if len(groups) == 2 and len(by) == 1:
        b.calculate(
            "difference",
            "calculate_difference",
            f"difference in {metric}",
            {"data": main},
            by=dimension,
            value=metric,
            first=groups[0],
            second=groups[1],
        )
    return None, ()


def _against_rest(b: WorkflowBuilder, request: Request, dimension: str) -> tuple[Grain, Notes]:
    """What is named against all other groups: each of them, and the rows of all of them together."""
    groups = request.comparison.groups if request.comparison else ()
    others = tuple(f for f in request.filters if f.having or f.field != dimension)
    rest = Filter(field=dimension, operator=FilterOperator.NOT_IN, values=groups)
    b.retrieve("main", asked(request, dimensions=(dimension,), filters=others, order_by=request.metrics[0]))
    b.retrieve("rest", asked(request, dimensions=(), filters=(*others, rest)))
    return None, ()


def _benchmark(b: WorkflowBuilder, request: Request) -> tuple[Grain, Notes]:
    """Against a metric that the request names as the yardstick, or the same metric over everything."""
    b.retrieve("main", asked(request, dimensions=()))
    yardstick = request.comparison.yardstick if request.comparison is not None else None
    if isinstance(yardstick, (int, float)):
        return None, ()
    metrics = (yardstick,) if yardstick is not None else request.metrics[:1]
    loose = tuple(f for f in request.filters if f.having) if yardstick is None else request.filters
    b.retrieve("benchmark", asked(request, metrics=metrics, dimensions=(), filters=loose))
    return None, ()


def _trend(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    grain = chosen_grain(request, scope)
    main = b.retrieve("main", asked(request, grain=grain))
    if request.metrics:
        earlier = _with_one_before(request, grain, scope)
        series = b.retrieve("series", asked(request, grain=grain, time_range=earlier)) if earlier else main
        _along(b, request, series)
    comparison = request.comparison
    if comparison is not None and comparison.period is not None and scope.comparable:
        b.retrieve("previous", asked(request, grain=grain, time_range=comparison.period))
    return grain, ()


def _with_one_before(request: Request, grain: TimeGranularity, scope: Scope) -> TimeRange | None:
    """The days with those before that the first value needs, where the data has them: for growth, moving averages."""
    days, window = request.time_range, request.course.window
    steps = window - 1 if window is not None else int(Walk.GROWTH in request.course.walks)
    if steps < 1 or days is None or scope.coverage is None or days.start == date.min:
        return None
    before = days.start
    for _ in range(steps):
        before = period_start(before - timedelta(days=1), grain)
    known = scope.coverage[0] <= before and period_start(days.start, grain) == days.start
    return TimeRange(start=before, end=days.end, granularity=days.granularity) if known else None


def _along(b: WorkflowBuilder, request: Request, main: str) -> None:
    metric, by = request.metrics[0], list(request.dimensions)
    b.calculate("growth", "calculate_growth", f"growth of {metric}", {"data": main}, value=metric, by=by)
    if {Walk.RUNNING, Walk.MOVING} & {*request.course.walks}:
        b.calculate(
            "running",
            "calculate_running",
            f"running values of {metric}",
            {"data": main},
            value=metric,
            by=by,
            window=request.course.window,
        )


def _regression(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    regress(b, request)
    return None, ()


def _list(b: WorkflowBuilder, request: Request, scope: Scope) -> tuple[Grain, Notes]:
    order = request.metrics[0] if request.metrics else None
    if request.listing is not None:
        counted, order = f"count({request.listing.table})", request.listing.order
        b.retrieve("whole", asked(request, metrics=(counted,), dimensions=()))
    query = asked(
        request,
        dimensions=with_names(b.model, request),
        grain=request.grain,
        order_by=order,
        descending=request.descending,
        limit=request.limit,
    )
    b.retrieve("main", query)
    return request.grain, ()


_BY_KIND: dict[QuestionKind, Callable[[WorkflowBuilder, Request, Scope], tuple[Grain, Notes]]] = {
    _Kind.VALUE: _value,
    _Kind.BREAKDOWN: _breakdown,
    _Kind.RANKING: _ranking,
    _Kind.SHARE: _share,
    _Kind.COMPARISON: _comparison,
    _Kind.TREND: _trend,
    _Kind.LIST: _list,
    _Kind.DISTRIBUTION: distribution,
    _Kind.CORRELATION: correlation,
    _Kind.REGRESSION: _regression,
    _Kind.PROFILE: profile,
    _Kind.DIFFERENCE: difference,
    _Kind.ANOMALY: anomaly,
    _Kind.FORECAST: forecast,
    _Kind.CAUSE: cause,
}
