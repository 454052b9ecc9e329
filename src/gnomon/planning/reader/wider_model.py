"""A model with the columns that a question makes: beside the others, or in place of the one that was changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.derived import Derived
from gnomon.semantic.model import quoted


@dataclass(frozen=True)
class Made:
    """A column that a question makes.

    Args:
        table: Whose rows it is computed for.
        derived: What it is.
        told: What to tell the asker about it, a sentence without its point.
        instead: The column that it takes the place of, where one was changed.
        names: What else it is called.
        explained: Whether it is what the question says that a word of its own means.
    """

    table: str
    derived: Derived
    told: str = ""
    instead: str | None = None
    names: tuple[str, ...] = ()
    explained: bool = False

    @property
    def reference(self) -> str:
        """The column as requests refer to it."""
        return f"{self.table}.{self.derived.spelling}"


def widened(model: SemanticModel, made: Sequence[Made]) -> SemanticModel:
    """The model with the columns too."""
    dimensions, metrics = list(model.dimensions), list(model.metrics)
    for one in made:
        new = model.dimension(one.reference)
        if one.instead is not None:
            own = next((d for d in dimensions if d.at(one.table) == one.instead), None)
            metrics = [_over(m, one, new) for m in metrics]
            if own is not None:
                dimensions.remove(own)
                new = _like(new, own)
        dimensions.append(new)
        metrics += [_total(one, new, model)] if _adds_up(one, model) else []
    return SemanticModel(
        tables=model.tables,
        metrics=tuple(metrics),
        dimensions=tuple(dimensions),
        joins=model.joins,
        preferred=model.preferred,
    )


def _adds_up(made: Made, model: SemanticModel) -> bool:
    """Whether a product is an amount: so many pieces times what each of them costs adds up, as the pieces do."""
    amounts = {
        (m.expression or "").strip("`")
        for m in model.metrics
        if m.table == made.table and m.aggregation is Aggregation.SUM and m.additivity is Additivity.ADDITIVE
    }
    columns, text = {*made.derived.columns}, made.derived.expression
    product = re.fullmatch(r"\[[^\[\]]+\](?: \* \[[^\[\]]+\])+", text) and bool(amounts & columns)
    balance = re.fullmatch(r"\[[^\[\]]+\](?: [+-] \[[^\[\]]+\])+", text) and columns <= amounts
    return bool(product or (balance and made.explained))


def _total(made: Made, new: Dimension, model: SemanticModel) -> Metric:
    return Metric(
        name=f"{Aggregation.SUM}({made.reference})",
        label=made.derived.name.lower(),
        table=made.table,
        aggregation=Aggregation.SUM,
        expression=quoted(made.derived.spelling),
        unit=new.unit,
        time_dimension=model.table(made.table).time_dimension,
    )


def _like(new: Dimension, own: Dimension) -> Dimension:
    """The changed column under the names of the one that it was made from."""
    kind = own.type if new.type is DimensionType.NUMBER else new.type
    return new.model_copy(update={"synonyms": (*own.synonyms, own.label, own.home.column), "type": kind})


def _over(metric: Metric, made: Made, new: Dimension) -> Metric:
    """A metric over a column that was changed is one over what was made of it."""
    if metric.table != made.table or metric.expression != quoted(made.instead or "") or metric.where:
        return metric
    name = f"{metric.aggregation}({made.reference})"
    changed = {"name": name, "expression": quoted(made.derived.spelling), "unit": new.unit}
    return metric.model_copy(update=changed)
