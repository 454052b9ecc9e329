"""Rates that no column holds: the no-show rate, of a status; the cancellation rate, of a date that only some rows have.

Where the data tells only the other side of a state, the rate is that of all other rows, and the answer says so: the failure
rate, of a flag of what passed; the retention rate, of a date of leaving. What is late is told by the day it was due.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from gnomon.core.parts import Parts
from gnomon.core.patterns import regex
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.draft import Drafts
from gnomon.planning.reader.planned_columns import PlannedColumns
from gnomon.planning.reader.sides import denies, leaves, says, side_words
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words, stem
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.derived import Derived, column_in, derived_in, text_in
from gnomon.semantic.durations import happening
from gnomon.semantic.model import plural, quoted
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.wording import an

_RATES = frozenset({"rate", "rates"})
_AS_SHARE = regex(
    r"(?<=rate),?\s+(?:as|that\s+is,?)\s+a\s+(?:share|percentage|proportion|fraction)\s+of\s+(?:all\s+)?(?:the\s+|our\s+)?(?P<rows>\w+),?",
    re.IGNORECASE,
)
_MANY_VALUES = 60
_LONGEST = 3
_TWO = 2
# Values are surest, then dates of the same event, other words for a state, and the opposite of one.
_DATED, _SAYING, _DENYING, _LESS = 0.95, 0.8, 0.6, 0.1


@dataclass(frozen=True)
class _State:
    """What some rows are: the column that says so and how; ``quality`` is low where only its opposite is told."""

    column: Dimension
    expression: str
    said: str
    quality: float = 1.0


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
        reader: Callable[[SemanticModel, ValueIndex], Drafts],
    ) -> None:
        self._model = model
        self._index = index
        self._vocabulary = vocabulary
        self._make = reader
        self._planned = PlannedColumns(model)
        self._open = not any(derived_in(m.name) for m in model.metrics)

    def read(self, question: str, *, today: date, previous: Parts | None = None) -> Drafted | None:
        """The reading with the rate that is spoken of; None where the data has no such state, or two."""
        question = self._plainly(question)
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
                reading = reader.drafted(question, today=today, previous=previous)
                if reading.status is ReadingStatus.CLEAR and "{" in " ".join(
                    m for r in reading.requests for m in r.metrics
                ):
                    note = f"the {named} rate is the share of rows with {found[0].said}"
                    return reading.model_copy(update={"notes": (*reading.notes, note)})
        return None

    def _plainly(self, question: str) -> str:
        """“the no-show rate, as a share of all appointments,”: a rate is one of the rows, which need not be said."""
        rows = {plural(t.label).lower() for t in self._model.tables} | {"rows", "entries"}
        return _AS_SHARE.sub(lambda m: " " if m["rows"].lower() in rows else m.group(), question)

    def _states(self, words: Sequence[Word]) -> list[_State]:
        """The states that the words stand for: values, else flags, else dates that some rows lack; else their opposites."""
        phrase = [w for word in words for w in name_words(word.lower)]
        if not phrase or any(w.kind == "symbol" and w.text != "-" for w in words):
            return []
        columns = [d for d in self._model.dimensions if not d.personal]
        said = " ".join(phrase)
        found = [
            s for d in columns for s in (*self._values(d, phrase), *_flags(d, said), *self._dates(d, phrase))
        ]
        found = found or self._due(said)
        best = max((s.quality for s in found), default=0.0)
        return [s for s in found if s.quality == best]

    def _due(self, said: str) -> list[_State]:
        """Late or on time by the day on which it was to be done; rows that were not done yet are neither."""
        pair = self._planned.dates()
        if pair is None or not (says(said, "late") or denies(said, "late")):
            return []
        (done, due), sign = pair, "<=" if denies(said, "late") else ">"
        told = f"{done.dimension.label} {'not ' if sign == '<=' else ''}after {due.dimension.label}"
        return [_State(done.dimension, f"{done.expression} {sign} {due.expression}", told, _DENYING)]

    def _values(self, column: Dimension, phrase: Sequence[str]) -> list[_State]:
        few = (column.distinct or _MANY_VALUES + 1) <= _MANY_VALUES
        if column.type is not DimensionType.CATEGORY or not few:
            return []
        held, said = [str(v) for v in self._index.values(column.name)[:_MANY_VALUES]], " ".join(phrase)
        name, two = column_in(column.home.column), column.distinct == _TWO
        found: list[_State] = []
        for v in held:
            told = f"{column.label} {v}"
            if _is_said(phrase, name_words(v)):
                found.append(_State(column, f"{name} == {text_in(v)}", told))
            elif (two or side_words(said) is not None) and says(said, v):
                found.append(_State(column, f"{name} == {text_in(v)}", told, _SAYING))
            elif two and denies(said, v):  # of three states, what is not the one may be either of the others
                told = f"{column.label} other than {v}"
                found.append(_State(column, f"{name} != {text_in(v)}", told, _DENYING))
        return found

    def _dates(self, column: Dimension, phrase: Sequence[str]) -> list[_State]:
        if column.type is not DimensionType.TIME or not column.nullable:
            return []
        happened, said = happening(column.home.column), " ".join(phrase)
        named = [w for w in name_words(happened) if w not in {"date", "day"}]
        name = column_in(column.home.column)
        known, unknown = f"missing({name}) == 0", f"missing({name}) == 1"
        if _is_said(phrase, named):
            return [_State(column, known, an(column.label), _DATED)]
        gone = "left" if leaves(happened, self._model.table(column.home.table).label) else happened
        if says(said, gone):
            return [_State(column, known, an(column.label), _SAYING - _LESS)]
        return [_State(column, unknown, f"no {column.label}", _DENYING - _LESS)] if denies(said, gone) else []

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


def _flags(column: Dimension, said: str) -> list[_State]:
    if column.type is not DimensionType.BOOLEAN:
        return []
    name = column_in(column.home.column)
    if says(said, column.label):
        return [_State(column, f"{name} == 1", f"{column.label} yes", _SAYING)]
    if denies(said, column.label):
        return [_State(column, f"{name} == 0", f"{column.label} no", _DENYING)]
    return []


def _is_said(phrase: Sequence[str], named: Sequence[str]) -> bool:
    """Whether words say a name, each in some form: a cancellation, of what was cancelled."""
    if len(phrase) != len(named) or not named:
        return False
    return all(stem(a) == stem(b) or kindred(a, b) for a, b in zip(phrase, named, strict=True))
