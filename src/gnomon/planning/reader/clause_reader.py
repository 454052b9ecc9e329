"""What readers share that take a question apart and read each clause as a question of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from gnomon.core.parts import Parts
from gnomon.planning.reader.repeated_things import RepeatedThings
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Dimension, SemanticModel


class ClauseReader:
    """Reads clauses.

    Args:
        model: What the tables mean.
        reads: Reads a question about figures.
    """

    def __init__(self, model: SemanticModel, reads: Callable[[str, date], Drafted]) -> None:
        self._model = model
        self._reads = reads
        self._things = RepeatedThings(model)

    def _one(self, question: str, today: date) -> Parts | None:
        """The request of a clause that asks for one thing, clearly."""
        reading = self._reads(question, today)
        clear = reading.status is ReadingStatus.CLEAR and len(reading.requests) == 1
        return reading.requests[0] if clear else None

    def _thing(self, request: Parts) -> Dimension | None:
        """The things that are counted or listed."""
        listed = [self._model.dimension(d) for d in request.dimensions if not d.startswith("@")]
        if listed and not request.metrics:
            return listed[0] if len(listed) == 1 else None
        metrics = [self._model.metric(m) for m in request.metrics]
        if len(metrics) != 1 or listed:
            return None
        return self._things.counted(metrics[0]) or self._things.listed(metrics[0])
