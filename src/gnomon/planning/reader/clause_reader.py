"""What readers share that take a question apart and read each clause as a question of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from gnomon.core.request import Request
from gnomon.planning.reader.repeated_things import RepeatedThings
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import SemanticModel


class ClauseReader:
    """Reads clauses.

    Args:
        model: What the tables mean.
        reads: Reads a question about figures.
    """

    def __init__(self, model: SemanticModel, reads: Callable[[str, date], Reading]) -> None:
        self._model = model
        self._reads = reads
        self._things = RepeatedThings(model)

    def _one(self, question: str, today: date) -> Request | None:
        """The request of a clause that asks for one thing, clearly."""
        reading = self._reads(question, today)
        clear = reading.status is ReadingStatus.CLEAR and len(reading.requests) == 1
        return reading.requests[0] if clear else None
