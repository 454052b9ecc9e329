"""Bounds that the data gives: each is retrieved by itself too, so that an answer can tell what it compared with."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.agents.workflow_builder import WorkflowBuilder, asked
from gnomon.core.request import Filter, Request
from gnomon.semantic.model import Additivity, SemanticModel
from gnomon.semantic.query import RetrievalQuery


@dataclass(frozen=True)
class Bound:
    """A computed bound: the condition that has it, and the query whose only metric it is."""

    condition: Filter
    query: RetrievalQuery

    @property
    def metric(self) -> str:
        """The reference to what the bound is."""
        return self.query.metrics[0]


def bounds_of(request: Request, model: SemanticModel) -> list[Bound]:
    """The bounds of a request that the data gives, in the order of its conditions."""
    given = [f for f in (*request.filters, *request.part) if f.relative is not None]
    own = [
        (f, m) for r in request.metrics for m in (model.metric(r),) for f in m.where if f.relative is not None
    ]
    found = [q for f in given if (q := _query(f, _groups(f, request), request, model)) is not None]
    found += [q for f, m in own if (q := _query(f, m.per, request, model)) is not None]
    return found


def retrieve_bounds(b: WorkflowBuilder, request: Request) -> None:
    """Steps that retrieve the bounds."""
    for i, bound in enumerate(bounds_of(request, b.model)):
        b.retrieve(f"bound{i}", bound.query)


def _groups(given: Filter, request: Request) -> str | None:
    """What the groups are that a condition on groups compares."""
    if given.by is not None:
        return given.by
    if request.grain is not None:
        return str(request.grain)
    return request.dimensions[0] if len(request.dimensions) == 1 else None


def _query(given: Filter, groups: str | None, request: Request, model: SemanticModel) -> Bound | None:
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
