"""What was planned and what came of it: the budget and what was spent, the promised day and the day of delivery."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.said_columns import Said
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, SemanticModel
from gnomon.semantic.vocabulary import vocabulary as semantic_vocabulary

PLANNED = vocabulary(
    "planned plan budget budgeted target targeted quota expected estimated estimate scheduled schedule promised due "
    "deadline required agreed allotted allowed allowance goal forecast forecasted projected eta limit"
)
_CAME = vocabulary(
    "actual actuals spent spend spending real realized realised achieved used cost costs expense expenses expenditure"
)
_DATES = (DimensionType.TIME,)
_NUMBERS = (DimensionType.NUMBER,)


class PlannedColumns:
    """Pairs of columns of which one says what was planned and the other what came of it.

    Args:
        model: What the tables mean.
    """

    def __init__(self, model: SemanticModel) -> None:
        self._model = model

    def actual_of(self, planned: Said) -> Said | None:
        """The column that holds what came of what a column planned; None where none does, or several may."""
        if not PLANNED & {*name_words(planned.column)}:
            return None
        dated = planned.dimension.type is DimensionType.TIME
        others = self._columns(planned.table, _DATES if dated else _NUMBERS)
        others = [s for s in others if s.column != planned.column and not PLANNED & {*name_words(s.column)}]
        if dated:
            return _only([s for s in others if _is_outcome(s)])
        about = _about(planned)
        if not about:  # what hours came to is set against planned hours, not against a budget
            plans = [s for s in self._columns(planned.table, _NUMBERS) if PLANNED & {*name_words(s.column)}]
            taken = [_about(s) for s in plans if _about(s)]
            others = [s for s in others if not any(t <= _about(s) for t in taken)]
        alike = [s for s in others if about and about <= _about(s)]
        came = [s for s in (alike or others) if _CAME & {*name_words(s.column)}]
        return _only(came) or (_only(alike) if about else None)

    def due_of(self, done: Said) -> Said | None:
        """The day by which what a column dates was to be done: the one planned day of its table."""
        days = self._columns(done.table, _DATES)
        return _only([s for s in days if s.column != done.column and PLANNED & {*name_words(s.column)}])

    def dates(self) -> tuple[Said, Said] | None:
        """The one pair of a day on which something was done and one by which it was to be done."""
        found: list[tuple[Said, Said]] = []
        for table in self._model.tables:
            for due in self._columns(table.name, _DATES):
                done = self.actual_of(due)
                found += [(done, due)] if done is not None else []
        return found[0] if len(found) == 1 else None

    def _columns(self, table: str, types: tuple[DimensionType, ...]) -> list[Said]:
        held = [(d, d.at(table)) for d in self._model.dimensions if d.type in types and _is_own(d)]
        return [Said(table, column, d) for d, column in held if column is not None]


def _is_own(dimension: Dimension) -> bool:
    return dimension.via is None


def _about(said: Said) -> frozenset[str]:
    """What a column is of, whether planned or not: hours, of planned hours."""
    return frozenset(stem(w) for w in name_words(said.column) if w not in PLANNED | _CAME)


def _is_outcome(said: Said) -> bool:
    """Whether a day is that of an end: delivered, returned, closed; not that on which something began."""
    words = {*name_words(said.column)}
    known = semantic_vocabulary().durations
    begins = {w for names in known for w in names.first} - {w for names in known for w in names.last}
    ends = {w for names in known for w in names.last} | {"actual", "returned", "return", "submitted"}
    return bool(words & ends) and not (words & begins - {"order"})


def _only(found: list[Said]) -> Said | None:
    return found[0] if len(found) == 1 else None
