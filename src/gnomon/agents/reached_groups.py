"""A fragment's group, where tables have columns of one name: the one that the figure talked about can be told by."""

from __future__ import annotations

from gnomon.core.errors import NotFound
from gnomon.core.parts import Parts
from gnomon.planning.reading import Reading
from gnomon.semantic.model import Dimension, Metric, SemanticModel


def within_reach(reading: Reading, model: SemanticModel) -> Reading:
    """The reading of a fragment with groups that its figure reaches: “and by region?” after the revenue of orders is
    about the region of orders, though incidents have one too."""
    if not reading.continues or len(model.tables) < 2:
        return reading
    parts = tuple(_reached(p, model) for p in reading.parts)
    return reading if parts == reading.parts else reading.asking(parts, model)


def _reached(request: Parts, model: SemanticModel) -> Parts:
    try:
        metrics = [model.metric(m) for m in request.metrics]
        named = [model.dimension(d) for d in request.dimensions]
    except NotFound:
        return request
    groups = tuple(_namesake(d, metrics, model).name for d in named)
    return request if groups == request.dimensions else request.model_copy(update={"dimensions": groups})


def _namesake(dimension: Dimension, metrics: list[Metric], model: SemanticModel) -> Dimension:
    """A dimension of the same name that all the figures reach; itself where they reach it, or no other."""
    if all(model.reaches(m, dimension) for m in metrics):
        return dimension
    alike = (
        d
        for d in model.dimensions
        if d.label == dimension.label
        and d.type is dimension.type
        and all(model.reaches(m, d) for m in metrics)
    )
    return next(alike, dimension)
