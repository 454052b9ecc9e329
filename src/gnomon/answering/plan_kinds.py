"""Plans a request: which retrievals and calculations each kind of question takes, and whether the data can answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from gnomon.answering import plan_studies as studies
from gnomon.answering.plan import (
    PERIOD,
    DataTask,
    DataWorkflowPlan,
    PartPlan,
    WorkflowBuilder,
    asked,
    compared_dimension,
    other_filters,
    with_names,
)
from gnomon.answering.scope import SAME_DAYS, Scope, chosen_grain, earlier_part, only_whole, scope_of
from gnomon.core.errors import GnomonError, OutOfScope
from gnomon.core.operations import Walk
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.plan import Plan, Step, Strategy
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.settings import STEP_SECONDS
from gnomon.language.time_names import period_start
from gnomon.planning.reading import Reading
from gnomon.semantic.derived import derived_at
from gnomon.semantic.model import Additivity, SemanticModel
from gnomon.semantic.query import MAX_ROWS, RetrievalQuery

if TYPE_CHECKING:
    from gnomon.semantic.registry import APIRegistry

Grain = TimeGranularity | None
TIES_LOOKED_FOR = 20
OUTSIDE = "outside"
_Kind = QuestionKind


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
        out = self.is_out_of_scope(parts)
        reason = " ".join(dict.fromkeys(p.reason for p in parts if p.reason))
        done = "; then ".join(t.description for t in builder.tasks)
        return DataWorkflowPlan(
            tasks=tuple(builder.tasks),
            api_calls=tuple(builder.calls),
            out_of_scope=out,
            reason=reason or (reading.message or "Nothing was asked of the data." if out else None),
            plan=Plan(strategy=_strategy(builder.steps), steps=tuple(builder.steps), reasoning=done),
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
        named = [(f"part{i}_" if several else "", r) for i, r in enumerate(reading.parts, start=1)]
        return builder, tuple(self._part(builder, request, prefix) for prefix, request in named)

    def _part(self, builder: WorkflowBuilder, request: Parts, prefix: str) -> PartPlan:
        builder.begin(prefix)
        scope = scope_of(request, self._model)
        if scope.reason is not None:
            return PartPlan(request, reason=scope.reason, coverage=scope.coverage)
        before = len(builder.tasks), len(builder.calls), len(builder.steps)
        try:
            grain = decompose(builder, request, scope)
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
            caveats=(*scope.caveats, *builder.notes),
            bounds=scope.told,
        )


def _strategy(steps: list[Step]) -> Strategy:
    if len(steps) < 2:
        return Strategy.SINGLE
    return Strategy.SEQUENTIAL if any(s.needs for s in steps) else Strategy.PARALLEL


def decompose(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """Add the steps that answer ``request``; gives the grain that was chosen."""
    if request.brackets is not None:
        grain = studies.brackets(b, request, request.brackets)
    else:
        kind = request.kind
        if kind is not _Kind.PROFILE and not (request.metrics or request.dimensions or request.columns):
            raise OutOfScope("The question names nothing that could be counted or measured in this data.")
        grain = _BY_KIND[kind](b, request, scope)
        for i, bound in enumerate(bounds_of(request, b.model)):
            b.retrieve(f"bound{i}", bound.query)
    _count_outside(b, request)
    return grain


# Values and tables ----------------------------------------------------------------------------------------------------


def _value(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    b.retrieve("main", asked(request, dimensions=()))
    return None


def _ordered(b: WorkflowBuilder, request: Parts, **changes: Any) -> RetrievalQuery:
    """The groups by name, in the order of their first measure."""
    order = request.metrics[0] if request.metrics else None
    by = with_names(b.model, request)
    given: dict[str, Any] = {"dimensions": by, "order_by": order, "descending": request.descending}
    return asked(request, **(given | changes))


def _breakdown(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    metrics = (*request.metrics, request.beside) if request.beside is not None else request.metrics
    main = b.retrieve("main", _ordered(b, request, metrics=metrics))
    if request.metrics and _shares_add_up(b.model, request):
        _shares(b, f"shares of {request.metrics[0]}", request, {"data": main})
    return None


def _ranking(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    limit, per = request.limit, request.limit_per
    if not request.metrics:
        return _list(b, request, scope)
    days, notes = only_whole(request, b.model, scope)
    b.notes += notes
    most = min(limit + TIES_LOOKED_FOR, MAX_ROWS) if limit else None
    cut: dict[str, Any] = {"grain": request.grain, "limit": most, "limit_per": per}
    main = b.retrieve("main", _ordered(b, request, time_range=days, **cut))
    value, kept = (
        request.metrics[0],
        limit if limit is None or per else limit + 1,
    )  # rows without a name are told apart
    given: dict[str, Any] = {"value": value, "descending": request.descending, "limit": kept, "per": per}
    b.calculate("ranking", "calculate_ranking", f"rank by {value}", {"data": main}, **given)
    return request.grain


def _list(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    cut: dict[str, Any] = {"grain": request.grain, "limit": request.limit}
    if request.listing is not None:
        counted = f"count({request.listing.table})"
        b.retrieve("whole", asked(request, metrics=(counted,), dimensions=()))
        cut["order_by"] = request.listing.order
    b.retrieve("main", _ordered(b, request, **cut))
    return request.grain


# Shares ---------------------------------------------------------------------------------------------------------------


def _shares(b: WorkflowBuilder, what: str, request: Parts, inputs: dict[str, str], **given: Any) -> None:
    b.calculate("shares", "calculate_shares", what, inputs, value=request.metrics[0], **given)


def _shares_add_up(model: SemanticModel, request: Parts) -> bool:
    """Whether the groups of a breakdown make up a whole that means something."""
    additive = model.metric(request.metrics[0]).additivity is Additivity.ADDITIVE
    return additive and len(request.dimensions) == 1 and not any(f.having for f in request.filters)


def _share(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    if not request.metrics:
        raise OutOfScope("A share needs something to be counted or measured.")
    metric, share = request.metrics[0], request.share
    if share.along:
        return _share_along(b, request, scope)
    if (of := share.whole) is not None:
        b.retrieve("main", asked(request))
        b.retrieve("whole", asked(request, metrics=(of,)))
        b.retrieve("share", asked(request, metrics=(f"{metric} / {of}",)))
        return None
    by, narrowed = with_names(b.model, request), (*request.filters, *request.part)
    then = {"recurring": share.recurring, "time_range": share.days}
    then = {name: time for name, time in then.items() if time is not None}  # the time that makes the part
    if request.part or then:
        main = b.retrieve("main", asked(request, filters=narrowed, dimensions=by, **then))
        whole = b.retrieve("whole", asked(request, dimensions=by))
        _shares(b, f"share of {metric}", request, {"data": main, "whole": whole}, on=list(by))
        return None
    if not request.dimensions:
        raise OutOfScope("A share needs a part: name the group, or what to split by.")
    if (within := share.within) is not None:
        main = b.retrieve("main", asked(request, dimensions=by, order_by=metric))
        whole = b.retrieve("whole", asked(request, dimensions=(within,)))
        label = f"shares of {metric} within each {within}"
        _shares(b, label, request, {"data": main, "whole": whole}, on=[within])
        return None
    inputs = {"data": b.retrieve("main", _ordered(b, request, limit=request.limit))}
    if request.limit or not _shares_add_up(b.model, request):
        inputs["whole"] = b.retrieve("whole", asked(request, dimensions=()))
    _shares(b, f"shares of {metric}", request, inputs)
    return None


def _share_along(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    """The share of a part, or of each group, in every period; without either, of each period in all of them."""
    grain, split = chosen_grain(request, scope), bool(request.part or request.dimensions)
    main = b.retrieve("main", asked(request, grain=grain, filters=(*request.filters, *request.part)))
    whole = b.retrieve("whole", asked(request, grain=grain if split else None, dimensions=()))
    on, inputs = [PERIOD] if split else [], {"data": main, "whole": whole}
    _shares(b, f"share of {request.metrics[0]} along time", request, inputs, on=on)
    return grain


# Comparisons ----------------------------------------------------------------------------------------------------------


def _comparison(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    comparison = request.comparison
    assert comparison is not None
    if comparison.kind == "group":
        return _groups(b, request, comparison.groups, rest=comparison.rest)
    if comparison.kind == "benchmark":
        return _benchmark(b, request)
    order = request.metrics[0] if request.dimensions else None
    main = b.retrieve("main", asked(request, order_by=order))
    if comparison.period is None or not scope.comparable:
        return None

    def change(role: str, metric: str, other: str, more: str, on: Sequence[str]) -> None:
        inputs, what = {"data": main, "other": other}, f"change of {metric}{more}"
        b.calculate(role, "calculate_change", what, inputs, value=metric, on=list(on))

    other = b.retrieve("previous", asked(request, time_range=comparison.period, order_by=order))
    for i, metric in enumerate(request.metrics):
        change("change" if i == 0 else f"change_{i + 1}", metric, other, "", request.dimensions)
    if (part := earlier_part(request, b.model, scope)) is not None:
        same = b.retrieve(SAME_DAYS, asked(request, time_range=part))
        change(f"change_{SAME_DAYS}", request.metrics[0], same, " over the same days", ())
    return None


def _groups(b: WorkflowBuilder, request: Parts, groups: tuple[str, ...], *, rest: bool) -> Grain:
    """What is named against each other, or against all other groups: each of them, and all of them together."""
    dimension, metric = compared_dimension(request), request.metrics[0]
    others = other_filters(request)
    if dimension is not None and rest:
        outside = Filter(field=dimension, operator=FilterOperator.NOT_IN, values=groups)
        b.retrieve("main", asked(request, dimensions=(dimension,), filters=others, order_by=metric))
        b.retrieve("rest", asked(request, dimensions=(), filters=(*others, outside)))
        return None
    if dimension is None or len(groups) < 2:
        raise OutOfScope("A comparison of groups needs the groups and what they are groups of.")
    chosen = Filter(field=dimension, operator=FilterOperator.IN, values=groups)
    by = (dimension, *(d for d in request.dimensions if d != dimension))
    main = b.retrieve("main", asked(request, dimensions=by, filters=(*others, chosen), order_by=metric))
    if len(groups) == 2 and len(by) == 1:
        given: dict[str, Any] = {"by": dimension, "value": metric, "first": groups[0], "second": groups[1]}
        b.calculate("difference", "calculate_difference", f"difference in {metric}", {"data": main}, **given)
    return None


def _benchmark(b: WorkflowBuilder, request: Parts) -> Grain:
    """Against a metric that the request names as the yardstick, or the same metric over everything."""
    b.retrieve("main", asked(request, dimensions=()))
    yardstick = request.comparison.yardstick if request.comparison is not None else None
    if not isinstance(yardstick, (int, float)):
        metrics = (yardstick,) if yardstick is not None else request.metrics[:1]
        loose = tuple(f for f in request.filters if f.having) if yardstick is None else request.filters
        b.retrieve("benchmark", asked(request, metrics=metrics, dimensions=(), filters=loose))
    return None


# Along time -----------------------------------------------------------------------------------------------------------


def _trend(b: WorkflowBuilder, request: Parts, scope: Scope) -> Grain:
    grain = chosen_grain(request, scope)
    main = b.retrieve("main", asked(request, grain=grain))
    if request.metrics:
        metric, course = request.metrics[0], request.course
        earlier = _with_some_before(request, grain, scope)
        series = b.retrieve("series", asked(request, grain=grain, time_range=earlier)) if earlier else main
        given: dict[str, Any] = {"value": metric, "by": list(request.dimensions)}
        b.calculate("growth", "calculate_growth", f"growth of {metric}", {"data": series}, **given)
        if {Walk.RUNNING, Walk.MOVING} & {*course.walks}:
            what, given["window"] = f"running values of {metric}", course.window
            b.calculate("running", "calculate_running", what, {"data": series}, **given)
    comparison = request.comparison
    if comparison is not None and comparison.period is not None and scope.comparable:
        b.retrieve("previous", asked(request, grain=grain, time_range=comparison.period))
    return grain


def _with_some_before(request: Parts, grain: TimeGranularity, scope: Scope) -> TimeRange | None:
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


_BY_KIND: dict[QuestionKind, Callable[[WorkflowBuilder, Parts, Scope], Grain]] = {
    _Kind.VALUE: _value,
    _Kind.BREAKDOWN: _breakdown,
    _Kind.RANKING: _ranking,
    _Kind.SHARE: _share,
    _Kind.COMPARISON: _comparison,
    _Kind.TREND: _trend,
    _Kind.LIST: _list,
    _Kind.DISTRIBUTION: studies.distribution,
    _Kind.CORRELATION: studies.correlation,
    _Kind.REGRESSION: studies.regression,
    _Kind.PROFILE: studies.profile,
    _Kind.DIFFERENCE: studies.difference,
    _Kind.ANOMALY: studies.anomaly,
    _Kind.FORECAST: studies.forecast,
    _Kind.CAUSE: studies.cause,
}


# Bounds that the data gives, rows that lie in no range ----------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """A computed bound, retrieved by itself too so that an answer can tell what it compared with.

    It is the condition that has it, and the query whose only metric it is.
    """

    condition: Filter
    query: RetrievalQuery

    @property
    def metric(self) -> str:
        """The reference to what the bound is."""
        return self.query.metrics[0]


def bounds_of(request: Parts, model: SemanticModel) -> list[Bound]:
    """The bounds of a request that the data gives, in the order of its conditions."""
    by = str(request.grain) if request.grain is not None else None
    by = by or (request.dimensions[0] if len(request.dimensions) == 1 else None)
    given = [(f, f.by or by) for f in (*request.filters, *request.part)]
    given += [(f, m.per) for m in map(model.metric, request.metrics) for f in m.where]
    held = [(f, groups) for f, groups in given if f.relative is not None]
    return [found for f, groups in held if (found := _bound(f, groups, request, model)) is not None]


def _bound(given: Filter, groups: str | None, request: Parts, model: SemanticModel) -> Bound | None:
    """The bound of a condition on rows, or on ``groups``."""
    assert given.relative is not None
    if not given.having:
        home = model.dimension(given.field).home
        by = (given.relative.per,) if given.relative.per is not None else ()
        return Bound(given, RetrievalQuery(metrics=(f"{given.relative.how}({home})",), dimensions=by))
    whole = given.relative.how == "mean" and model.metric(given.field).additivity is not Additivity.ADDITIVE
    if groups is None and not whole:
        return None
    metric = given.field if whole else f"{given.relative.how}({given.field} per {groups})"
    others = tuple(f for f in request.filters if f is not given and not (f.having and f.by is None))
    return Bound(given, asked(request, metrics=(metric,), dimensions=(), filters=others))


def ranges_of(request: Parts) -> str | None:
    """The groups of a request that are made of ranges."""
    made = ((d, derived_at(d)) for d in request.dimensions)
    return next((d for d, m in made if m is not None and m[1].is_ranges), None)


def _count_outside(b: WorkflowBuilder, request: Parts) -> None:
    """A step that counts the rows of no range, where groups are ranges."""
    if (reference := ranges_of(request)) is None or not b.retrievals:
        return
    table = b.model.dimension(reference).home.table
    none = Filter(field=reference, operator=FilterOperator.IS_NULL)
    filters = (*(f for f in request.filters if not f.having or f.by is not None), none)
    b.retrieve(OUTSIDE, asked(request, metrics=(f"count({table})",), dimensions=(), filters=filters))
