"""Whether a name that a language model proposes is read as what it is to name: a plain question is asked in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from gnomon.agents.proposed_names import counts_rows
from gnomon.core.parts import QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import Dimension, DimensionType, SemanticModel, TableMeaning
from gnomon.semantic.model import plural, quoted

_SOME_DAY = date(2024, 5, 15)


@dataclass(frozen=True)
class Probe:
    """A question in a new name, and the table or column that it has to be about.

    Args:
        question: In words.
        table: Whose rows are meant.
        column: Which of its columns; None where the rows themselves are.
    """

    question: str
    table: str
    column: Dimension | None = None

    def objection(self, reader: GrammarReader) -> str | None:
        """What speaks against the name; None where the question is about what it should be about.

        A question that is not read at all does no harm: the name may be good for others.
        """
        reading = reader.read(self.question, today=_SOME_DAY)
        if reading.status is not ReadingStatus.CLEAR or self._is_meant(reading, reader.model):
            return None
        return f"“{self.question}” would be read as something else"

    def _is_meant(self, reading: Reading, model: SemanticModel) -> bool:
        request = reading.parts[0] if len(reading.parts) == 1 else None
        if request is None or request.filters or request.time_range is not None:
            return False
        measured = [model.metric(m) for m in request.metrics]
        if self.column is None:
            return not request.dimensions and all(m.table == self.table and counts_rows(m) for m in measured)
        if self.column.type is DimensionType.NUMBER and request.kind is QuestionKind.VALUE:
            return [m.expression for m in measured] == [quoted(self.column.home.column)]
        return request.dimensions == (self.column.name,)


def rows_probe(table: str, many: str) -> Probe:
    """Asks how many rows of a table there are."""
    return Probe(f"How many {many} are there?", table)


def column_probe(table: TableMeaning, held: Dimension, word: str) -> Probe | None:
    """Asks for the average of a column of numbers, or how many rows there are for each value of another.

    Times are asked about by their periods, and persons not one by one: of those there is nothing so plain to ask.
    """
    if held.type is DimensionType.TIME or held.personal:
        return None
    if held.type is DimensionType.NUMBER:
        return Probe(f"What is the average {word}?", table.name, held)
    return Probe(f"How many {plural(table.label)} are there for each {word}?", table.name, held)
