"""The time between two dates of a row as a column like any other: its median, its longest, rows that took over a week."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from gnomon.core.parts import Parts, QuestionKind
from gnomon.planning.reader.draft import Drafts
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived, column_in, derived_in
from gnomon.semantic.durations import ends_of
from gnomon.semantic.model import quoted
from gnomon.semantic.values import ValueIndex


class TimedRows:
    """Reads questions again with the times that the model only knows on average held by each row.

    Args:
        model: What the tables mean.
        index: The values of the data.
        reader: Makes a reader over another model of the same data.
    """

    def __init__(
        self, model: SemanticModel, index: ValueIndex, reader: Callable[[SemanticModel, ValueIndex], Drafts]
    ) -> None:
        self._model = model
        self._index = index
        self._make = reader
        self._reader: Drafts | None = None
        made = any(derived_in(d.name) for d in model.dimensions)
        self._times = [] if made else [m for m in model.metrics if ends_of(m) is not None]

    def is_needed(self, reading: Drafted) -> bool:
        """Whether what was understood relates such a time to something row by row, which its average cannot."""
        times = {m.name for m in self._times}
        related = [
            r for r in reading.requests if r.kind in (QuestionKind.CORRELATION, QuestionKind.REGRESSION)
        ]
        return any(times & {*r.metrics} for r in related)

    def read(self, question: str, *, today: date, previous: Parts | None = None) -> Drafted | None:
        """The reading that speaks of such a time; None where there is none, or it explains less than everything."""
        if not self._times:
            return None
        if self._reader is None:
            self._reader = self._make(self._wider(), self._index)
        reading = self._reader.drafted(question, today=today, previous=previous)
        speaks = any(derived_in(r.model_dump_json()) for r in reading.requests)
        return reading if speaks and reading.status is ReadingStatus.CLEAR else None

    def _wider(self) -> SemanticModel:
        metrics, dimensions = list(self._model.metrics), list(self._model.dimensions)
        for metric in self._times:
            ends = ends_of(metric)
            assert ends is not None
            unit, last, first = ends
            name = metric.label.removeprefix("average ")
            column = Derived(name, f"{unit}({column_in(last)}, {column_in(first)})")
            reference = f"{metric.table}.{column.spelling}"
            own = tuple(s for s in metric.synonyms if not s.startswith("average "))
            dimensions.append(self._model.dimension(reference).model_copy(update={"synonyms": own}))
            changed = {"name": f"{metric.aggregation}({reference})", "expression": quoted(column.spelling)}
            metrics[metrics.index(metric)] = metric.model_copy(update=changed)
        return SemanticModel(
            tables=self._model.tables,
            metrics=tuple(metrics),
            dimensions=tuple(dimensions),
            joins=self._model.joins,
            preferred=self._model.preferred,
        )
