"""Things that rows tell of more than once: the donors of gifts, the animals of visits."""

from __future__ import annotations

from gnomon.core.parts import Parts
from gnomon.planning.reader.people import is_person_noun, person_names
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric, SemanticModel

THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


class RepeatedThings:
    """Finds the things that a request counts, and counts them by the rows that tell of them.

    Args:
        model: What the tables mean.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def rows(self, table: str) -> Metric:
        """The number of rows of a table."""
        plain = (m for m in self._model.metrics if m.table == table and m.expression is None)
        own = next((m for m in plain if m.aggregation is Aggregation.COUNT and not m.where), None)
        return own or self._model.metric(f"{Aggregation.COUNT}({table})")

    def told(self, request: Parts, noun: str) -> tuple[Parts, Dimension] | None:
        """The request with the things that its one metric counts; rows told by a word for persons count those."""
        metric = self._model.metric(request.metrics[0])
        thing = self.counted(metric)
        if thing is None and is_person_noun(noun):
            thing = self._person(metric)  # "women who came in 2023": told by a value, counted as persons
            request = self._counting(request, thing, metric.table) if thing is not None else request
        return (request, thing) if thing is not None else None

    def counted(self, metric: Metric) -> Dimension | None:
        """The things that a metric counts, where rows tell of each of them more than once."""
        column = (metric.expression or "").strip("`")
        if metric.aggregation is not Aggregation.COUNT_DISTINCT or metric.table is None:
            return None
        thing = next((d for d in self._model.dimensions if d.at(metric.table) == column), None)
        return thing if thing is not None and thing.type in THINGS else None

    def listed(self, metric: Metric) -> Dimension | None:
        """The things whose own list a metric counts, one a row."""
        key = self._model.table(metric.table).key if metric.table is not None else ()
        plain = metric.aggregation is Aggregation.COUNT and metric.expression is None and not metric.where
        return self._at(metric.table or "", key[0]) if plain and len(key) == 1 else None

    def by_events(self, request: Parts) -> Parts | None:
        """A count of things of a list by the rows of the one dated table that tells what happened to them."""
        metric = self._model.metric(request.metrics[0]) if len(request.metrics) == 1 else None
        thing = self.listed(metric) if metric is not None else None
        if metric is None or thing is None:
            return None
        dated = [
            t.name for t in self._model.tables if t.time_dimension is not None and t.name != metric.table
        ]
        events = [t for t in dated if thing.at(t) is not None]
        return self._counting(request, thing, events[0]) if len(events) == 1 else None

    def _counting(self, request: Parts, thing: Dimension, table: str | None) -> Parts:
        counted = f"{Aggregation.COUNT_DISTINCT}({table}.{thing.at(table or '')})"
        return request.model_copy(update={"metrics": (counted,), "time_dimension": None})

    def _person(self, metric: Metric) -> Dimension | None:
        """The column of the persons that the rows tell of, where a metric counts rows."""
        if (
            metric.aggregation is not Aggregation.COUNT
            or metric.expression is not None
            or metric.table is None
        ):
            return None
        named = set(person_names(self._model))
        found = [d for d in self._model.dimensions if d.label in named and d.at(metric.table) is not None]
        own = [d for d in found if self._model.table(metric.table).key != (d.at(metric.table),)]
        return own[0] if len(own) == len(found) == 1 and own[0].type in THINGS else None

    def _at(self, table: str, column: str) -> Dimension | None:
        return next((d for d in self._model.dimensions if d.at(table) == column), None)
