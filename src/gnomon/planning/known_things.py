"""Ratios over things that are told apart by an identifier: rows without one belong to no thing, and are on neither side."""

from __future__ import annotations

from gnomon.core.errors import GnomonError
from gnomon.core.parts import Filter, FilterOperator, Parts
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType, SemanticModel
from gnomon.semantic.arithmetic import names_in


def with_known_things(reading: Reading, model: SemanticModel) -> Reading:
    """The reading in which “rent per client” leaves out the rent of rows that name no client."""
    if reading.status is not ReadingStatus.CLEAR:
        return reading
    made = [_of_known_things(part, model) for part in reading.parts]
    return reading if made == list(reading.parts) else reading.asking(made, model)


def _of_known_things(request: Parts, model: SemanticModel) -> Parts:
    if len(request.metrics) != 1:
        return request
    told = {f.field for f in request.filters}
    known = tuple(
        Filter(field=thing.name, operator=FilterOperator.NOT_NULL)
        for thing in _divided_by(request.metrics[0], model)
        if thing.nullable and thing.name not in told
    )
    return request.model_copy(update={"filters": (*request.filters, *known)}) if known else request


def _divided_by(reference: str, model: SemanticModel) -> list[Dimension]:
    """The identifiers whose values a ratio divides by."""
    over, _, under = reference.rpartition(" / ")
    if not over:
        return []
    try:
        own = model.base_tables(model.metric(over))
        counted = model.metric(under)
        parts = [counted, *(model.metric(n) for n in (names_in(counted.formula) if counted.formula else ()))]
    except GnomonError:  # what a unit divides by is no name
        return []
    homes = {(m.table, m.expression) for m in parts if m.aggregation is Aggregation.COUNT_DISTINCT}
    rows = {m.table for m in parts if m.aggregation is Aggregation.COUNT and m.table not in own}
    return [
        d for d in model.dimensions if d.type is DimensionType.ID and (_is_at(d, homes) or _leads_to(d, rows))
    ]


def _is_at(thing: Dimension, homes: set[tuple[str | None, str | None]]) -> bool:
    return any((at.table, at.column) in homes for at in thing.locations)


def _leads_to(thing: Dimension, tables: set[str | None]) -> bool:
    """Whether an identifier of the rows that are counted stands in another table too."""
    at = {ref.table for ref in thing.locations}
    return len(at) > 1 and bool(at & tables)
