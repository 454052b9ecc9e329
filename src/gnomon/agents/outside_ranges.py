"""Rows that lie in none of the ranges that a question groups by: counted, and told beside the answer."""

from __future__ import annotations

from gnomon.agents.figures import counted
from gnomon.agents.telling import Telling
from gnomon.agents.workflow_builder import WorkflowBuilder, asked
from gnomon.core.request import Filter, FilterOperator, Request
from gnomon.semantic.derived import derived_at

OUTSIDE = "outside"


def count_outside(b: WorkflowBuilder, request: Request) -> None:
    """A step that counts the rows of no range, where groups are ranges."""
    if (reference := _ranges_of(request)) is None or not b.retrievals:
        return
    table = b.model.dimension(reference).home.table
    none = Filter(field=reference, operator=FilterOperator.IS_NULL)
    filters = (*(f for f in request.filters if not f.having or f.by is not None), none)
    b.retrieve(OUTSIDE, asked(request, metrics=(f"count({table})",), dimensions=(), filters=filters))


def tell_outside(t: Telling) -> None:
    """How many rows are in none of the groups, if any are."""
    given, reference = t.result.retrieved.get(OUTSIDE), _ranges_of(t.request)
    many = int(given.rows[0][0] or 0) if given is not None and given.rows else 0
    if reference is None or not many:
        return
    t.fact("rows_in_no_range", many, None, role=OUTSIDE, metric="")
    verb, left = ("lies", "is") if many == 1 else ("lie", "are")
    label = t.model.dimension(reference).label
    t.told.caveats.append(
        f"{counted(many, 'row')} {verb} in none of the ranges of {label} and {left} left out"
    )


def _ranges_of(request: Request) -> str | None:
    """The groups of a request that are made of ranges."""
    made = ((d, derived_at(d)) for d in request.dimensions)
    return next((d for d, m in made if m is not None and m[1].is_ranges), None)
