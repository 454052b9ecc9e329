"""Everyday words for columns that are always called otherwise: born, by a date of birth; size, by an area; late, by “on time”."""

from __future__ import annotations

from gnomon.planning.reader.words import ABBREVIATIONS, name_words
from gnomon.semantic import Dimension, DimensionType, SemanticModel

# What happens on a day whose noun is no form of its verb.
_DAYS = {
    "born": "birth",
    "died": "death",
    "dead": "death",
    "wed": "wedding",
    "bought": "purchase",
    "sold": "sale",
}
_APPEARING = frozenset(
    [
        "released",
        "published",
        "produced",
        "issued",
        "created",
        "launched",
        "founded",
        "established",
        "written",
        "recorded",
        "filmed",
        "printed",
        "composed",
        "premiered",
    ]
)
_PLAIN_DATES = frozenset({"year", "date", "day", "month", "time"})
_AREAS = frozenset({"square metres", "sq ft", "square kilometres", "hectares", "acres"})
_FLOORS = frozenset({"square metres", "sq ft"})
_SIZES = frozenset({"size", "area", "footage", "surface"})
# Words for a state, the flags that deny it and the flags that say so.
_STATES = (
    (frozenset({"late", "delayed", "overdue", "tardy", "unpunctual"}), frozenset({"on time", "ontime", "punctual", "in time"}),
     frozenset({"late", "delayed", "overdue"})),
    (frozenset({"left", "quit", "departed"}), frozenset({"retained", "stayed", "retention"}),
     frozenset({"churn", "churned", "attrition", "exited"})),
    (frozenset({"stayed", "remained", "loyal", "retained"}), frozenset({"churn", "churned", "attrition", "exited"}),
     frozenset({"retained", "stayed", "retention"})),
)  # fmt: skip


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
        return None

    def state(self, word: str, flags: list[str]) -> str | None:
        """What a word for a state says of a flag: not on time, of what is late."""
        for said, denying, saying in _STATES:
            if word not in said:
                continue
            told = [f for f in flags if f.lower() in saying]
            denied = [f"not {f}" for f in flags if f.lower() in denying]
            return told[0] if len(told) == 1 else denied[0] if len(denied) == 1 and not told else None
        return None

    def _times(self) -> list[Dimension]:
        return [d for d in self._model.dimensions if d.type is DimensionType.TIME]


def _spelt(column: Dimension) -> set[str]:
    """The words of a column's name, written out."""
    return {w for n in name_words(column.label) for w in ABBREVIATIONS.get(n, n).split()}


def _only(columns: list[Dimension]) -> str | None:
    return columns[0].label if len(columns) == 1 else None
