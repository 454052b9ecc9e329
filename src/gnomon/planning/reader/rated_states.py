"""Rates that no column holds: the no-show rate, of a status; the cancellation rate, of a date that only some rows have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from gnomon.core.request import Request
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words, stem
from gnomon.planning.reading import Reading, ReadingStatus, Reads
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.derived import Derived, column_in, derived_in, text_in
from gnomon.semantic.durations import happening
from gnomon.semantic.model import plural, quoted
from gnomon.semantic.values import ValueIndex

_RATES = frozenset({"rate", "rates"})
_MANY_VALUES = 60
_LONGEST = 3


@dataclass(frozen=True)
class _State:
    """What some rows are: the column that says so and how."""

    column: Dimension
    expression: str
    said: str


class RatedStates:
    """Reads questions again with the share of rows in a state as a measure of its own.

    Args:
        model: What the tables mean.
        index: The values of the data.
        vocabulary: How the things of the model are said.
        reader: Makes a reader over another model of the same data.
    """

    def __init__(
        self,
        model: SemanticModel,
        index: ValueIndex,
        vocabulary: Vocabulary,
        reader: Callable[[SemanticModel, ValueIndex], Reads],
    ) -> None:
        self._model = model
        self._index = index
        self._vocabulary = vocabulary
        self._make = reader
        self._open = not any(derived_in(m.name) for m in model.metrics)

    def read(self, question: str, *, today: date, previous: Request | None = None) -> Reading | None:
        """The reading with the rate that is spoken of; None where the data has no such state, or two."""
        words = split_words(question)
        ends = [i for i, w in enumerate(words) if i and w.lower in _RATES] if self._open else []
        for end in ends:
            for start in range(max(0, end - _LONGEST), end):
                named = question[words[start].start : words[end - 1].end].lower()
                if self._vocabulary.named(f"{named} rate"):
                    return None  # the data has such a rate itself
                found = self._states(words[start:end])
                if len(found) != 1:
                    continue
                reader = self._make(self._wider(found[0], named), self._index)
                reading = reader.read(question, today=today, previous=previous)
                if reading.status is ReadingStatus.CLEAR and "{" in " ".join(
                    m for r in reading.requests for m in r.metrics
                ):
                    note = f"the {named} rate is the share of rows with {found[0].said}"
                    return reading.model_copy(update={"notes": (*reading.notes, note)})
        return None

    def _states(self, words: Sequence[Word]) -> list[_State]:
        """The states that the words stand for: values, else dates that some rows lack."""
        phrase = [w for word in words for w in name_words(word.lower)]
        if not phrase or any(w.kind == "symbol" and w.text != "-" for w in words):
            return []
        valued = [s for d in self._model.dimensions for s in self._values(d, phrase)]
        return valued or [s for d in self._model.dimensions for s in _dates(d, phrase)]

    def _values(self, column: Dimension, phrase: Sequence[str]) -> list[_State]:
        few = (column.distinct or _MANY_VALUES + 1) <= _MANY_VALUES
        if column.type is not DimensionType.CATEGORY or column.personal or not few:
            return []
        held = [str(v) for v in self._index.values(column.name)[:_MANY_VALUES]]
        return [
            _State(column, f"{column_in(column.home.column)} == {text_in(v)}", f"{column.label} {v}")
            for v in held
            if _is_said(phrase, name_words(v))
        ]

    def _wider(self, state: _State, named: str) -> SemanticModel:
        table = state.column.home.table
        made = Derived(f"{named} rate", state.expression)
        rows = plural(self._model.table(table).label)
        rate = Metric(
            name=f"{Aggregation.MEAN}({table}.{made.spelling})",
            label=f"{named} rate",
            table=table,
            aggregation=Aggregation.MEAN,
            expression=quoted(made.spelling),
            unit="fraction",
            additivity=Additivity.NON_ADDITIVE,
            time_dimension=self._model.table(table).time_dimension,
            synonyms=(f"{named} rates",),
            description=f"The share of {rows} with {state.said}.",
        )
        return self._model.model_copy(update={"metrics": (*self._model.metrics, rate)})


def _dates(column: Dimension, phrase: Sequence[str]) -> list[_State]:
    named = [w for w in name_words(happening(column.home.column)) if w not in {"date", "day"}]
    if column.type is not DimensionType.TIME or not column.nullable or not _is_said(phrase, named):
        return []
    said = f"a {column.label}"
    return [_State(column, f"missing({column_in(column.home.column)}) == 0", said)]


def _is_said(phrase: Sequence[str], named: Sequence[str]) -> bool:
    """Whether words say a name, each in some form: a cancellation, of what was cancelled."""
    if len(phrase) != len(named) or not named:
        return False
    return all(stem(a) == stem(b) or kindred(a, b) for a, b in zip(phrase, named, strict=True))
