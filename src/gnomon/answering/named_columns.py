"""The columns of a tree's result by name: those of the model where it has them, made up of their words where not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gnomon.answering.plan import PERIOD
from gnomon.answering.say import Words
from gnomon.answering.telling import Row
from gnomon.answering.words import is_number, slug
from gnomon.core import algebra as al
from gnomon.core.errors import GnomonError
from gnomon.core.query import TimeGranularity
from gnomon.core.spelled import reference
from gnomon.semantic.kinds import Aggregation, DimensionType
from gnomon.semantic.lower import Lowered, Part
from gnomon.semantic.model import Additivity, ColumnRef, Dimension, Metric, SemanticModel

Asked = al.Query | al.Along | al.Against


class Naming:
    """Names for the columns of a result: those of the model where it has them, made up of their words where not.

    Args:
        ask: What was asked.
        lowered: What the columns are.
        rows: The result.
        words: How nodes are said.
    """

    def __init__(self, ask: Asked, lowered: Lowered, rows: Sequence[Row], words: Words) -> None:
        self.query = query_of(ask)
        self.words = words.about(self.query)
        self.metrics: dict[str, Metric] = {}
        self.dimensions: dict[str, Dimension] = {}
        self.grain: TimeGranularity | None = None
        self.time: Dimension | None = None
        said = Counter(self.words.figure(p, self.query)[0] for p in lowered.parts if not p.is_key)
        self._twice = {label for label, count in said.items() if count > 1}
        named = [(self._named(i, part, rows), i) for i, part in enumerate(lowered.parts)]
        named.sort(key=lambda n: n[0] != PERIOD)  # a period stands first in a series
        self.columns = tuple(name for name, _ in named)
        self.places = tuple(i for _, i in named)

    def model(self, model: SemanticModel) -> SemanticModel:
        """The model with what was made up."""
        own = [m for m in self.metrics.values() if m not in model.metrics]
        made = [d for d in self.dimensions.values() if d not in model.dimensions]
        return model.model_copy(
            update={"metrics": (*own, *model.metrics), "dimensions": (*made, *model.dimensions)}
        )

    def _named(self, place: int, part: Part, rows: Sequence[Row]) -> str:
        if not part.is_key:
            return self._metric(part)
        key = part.node
        of = key.of if isinstance(key, al.Key) else key
        if (held := self.words.inner_key(of)) is not None:
            key, of = held, held.of
        known = self.words.dimension(of) if isinstance(of, al.Column) else None
        if isinstance(key, al.Key) and key.grain is not None and self.grain is None:
            self.grain, self.time = key.grain, known
            return PERIOD
        if known is None or known.name in self.dimensions:
            known = self._made(part, [r[place] for r in rows])
        self.dimensions[known.name] = known
        return known.name

    def _made(self, part: Part, values: Sequence[Any]) -> Dimension:
        label = self.words.called(part.node) if isinstance(part.node, al.Key) else part.name.replace("_", " ")
        kind = DimensionType.NUMBER if all(map(is_number, values)) else DimensionType.CATEGORY
        table = self.query.rows.table or "result"
        name = _free(slug(label), {*self.dimensions, *self.metrics, PERIOD})
        home = ColumnRef(table=table, column=part.name)
        return Dimension(name=name, label=label, type=kind, locations=(home,))

    def _metric(self, part: Part) -> str:
        name, node = None, part.node
        if isinstance(node, al.Aggregate) and node.where is None and node.beside is None:
            name = self._reference(node)
        if name is None or name in self.metrics:
            label, unit = self.words.figure(part, self.query)
            if label in self._twice:  # two results that the same is told of: before and after
                label = f"{label} ({part.name.replace('_', ' ')})"
            counts = isinstance(node, al.Aggregate) and node.how is al.How.COUNT
            name = _free(slug(label), {*self.metrics, *self.dimensions})
            self.metrics[name] = Metric(
                name=name,
                label=label,
                table=self.query.rows.table or None,
                aggregation=Aggregation.COUNT if counts else None,
                unit=unit,
                additivity=Additivity.NON_ADDITIVE,
            )
        return name

    def _reference(self, node: al.Aggregate) -> str | None:
        """How the model refers to a figure, where it does."""
        if node.of is None:
            spelt = f"count({self.query.rows.table})"
        elif isinstance(node.of, al.Column) and (column := self.words.dimension(node.of)) is not None:
            try:
                spelt = reference(node.model_copy(update={"of": al.Dimension(name=column.name)}))
            except TypeError:
                return None
        else:
            return None
        try:
            self.metrics[spelt] = self.words.model.metric(spelt)
        except (GnomonError, ValueError):
            return None
        return spelt


def query_of(ask: Asked) -> al.Query:
    """The query that a tree is about; of two sides the first."""
    inner = ask.left if isinstance(ask, al.Against) else ask
    return inner if isinstance(inner, al.Query) else inner.query


def _free(name: str, taken: set[str]) -> str:
    """A name that is not taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
