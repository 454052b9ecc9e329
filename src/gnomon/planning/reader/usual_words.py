"""Everyday words for columns that are always called otherwise: born, by a date of birth; size, by an area; late, by “on time”."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.sides import denies, leaves, on_one_side, says
from gnomon.planning.reader.words import ABBREVIATIONS, name_words
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.durations import happening
from gnomon.semantic.units import unit_called

# What happens on a day whose noun is no form of its verb.
_DAYS = {
    "born": "birth",
    "died": "death",
    "dead": "death",
    "wed": "wedding",
    "bought": "purchase",
    "sold": "sale",
}
_APPEARING = vocabulary(
    """released published produced issued created launched founded established written recorded filmed printed
    composed premiered"""
)
_PLAIN_DATES = frozenset({"year", "date", "day", "month", "time"})
_CALENDAR = frozenset({"days", "weeks", "months", "years"})
_AREAS = frozenset({"square metres", "sq ft", "square kilometres", "hectares", "acres"})
_FLOORS = frozenset({"square metres", "sq ft"})
_SIZES = frozenset({"size", "area", "footage", "surface"})


class UsualWords:
    """Finds the column that a word stands for by what such columns are always called.

    Args:
        model: What the tables mean.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def meant(self, word: str) -> str | None:
        """The name of the one column that a verb of days, or a word for size, speaks of."""
        if (noun := _DAYS.get(word)) is not None:
            return _only([d for d in self._times() if noun in _spelt(d)])
        if word in _APPEARING:
            times = self._times()
            plain = [d for d in times if _spelt(d) <= _PLAIN_DATES]
            return _only(plain) if len(times) == 1 else None
        if word in _SIZES:
            areas = [d for d in self._model.dimensions if d.type is DimensionType.NUMBER and d.unit in _AREAS]
            return _only([d for d in areas if d.unit in _FLOORS] or areas)
        return self._measured_in(unit) if (unit := unit_called(word)) is not None else None

    def _measured_in(self, unit: str) -> str | None:
        """The one column of numbers in a unit, by what it holds or is called: kilometres, of km driven."""
        if unit in _CALENDAR and self._times():
            return None  # days are those of the dates
        numbers = [d for d in self._model.dimensions if d.type is DimensionType.NUMBER]
        ends = {
            d.name: {unit_called(w) for w in (*name_words(d.label)[:1], *name_words(d.label)[-1:])}
            for d in numbers
        }
        return _only([d for d in numbers if d.unit == unit or unit in ends[d.name]])

    def state(self, said: str) -> str | None:
        """What a word or two for a state say of a flag or a date: not on time, of what is late; cancelled, of who left."""
        names = self._states()
        told = [name for name, aka in names if says(said, aka)] or self._begun(said)
        denied = [f"not {name}" for name, aka in names if denies(said, aka)]
        return told[0] if len(told) == 1 else denied[0] if len(denied) == 1 and not told else None

    def _begun(self, said: str) -> list[str]:
        """The days on which what is said happened to all rows, by their event: joined, of who signed up."""
        events = [happening(d.home.column) for d in self._times()]
        return [event for event in events if on_one_side(said, event)]

    def _states(self) -> list[tuple[str, str]]:
        """The flags, and the events that only some rows have a date of, each with the state that it tells."""
        found = [(d.label, d.label) for d in self._model.dimensions if d.type is DimensionType.BOOLEAN]
        for d in self._times():
            event = happening(d.home.column)
            if d.nullable and leaves(event, self._model.table(d.home.table).label):
                found.append((d.label if self._is_shared(event) else event, "left"))
        return found

    def _is_shared(self, event: str) -> bool:
        """Whether rows are called as an event is: a request for leave is no day of leaving."""
        return any({*name_words(event)} <= {*name_words(t.label)} for t in self._model.tables)

    def _times(self) -> list[Dimension]:
        return [d for d in self._model.dimensions if d.type is DimensionType.TIME]


def _spelt(column: Dimension) -> set[str]:
    """The words of a column's name, written out."""
    return {w for n in name_words(column.label) for w in ABBREVIATIONS.get(n, n).split()}


def _only(columns: list[Dimension]) -> str | None:
    return columns[0].label if len(columns) == 1 else None
