"""Which source rows and columns stand behind the rows at hand, through every tool that made new ones of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from gnomon.data.column_kinds import Role
from gnomon.data.column_names import names_identifier
from gnomon.data.profile_model import ColumnProfile
from gnomon.guardrails.release.known_by import (
    are_cards,
    are_codes,
    are_days_of_birth,
    are_known_by,
    are_long_numbers,
    are_short_numbers,
    says_nothing,
    tells_birth,
)
from gnomon.guardrails.release.persons import cells_tell, person_key, tells_of_persons

if TYPE_CHECKING:
    from gnomon.data import TableProfile
    from gnomon.tools.lineage import Lineage, Positions

PersonsOf = Callable[[str, str], "Positions"]
_CLOSED_ROLES = {Role.PERSONAL, Role.ID, Role.TEXT}
_ID_DIGITS = 9
_ID_ROWS = 20
_FEWEST = 5


@dataclass(frozen=True, eq=False)
class Slot:
    """One table that rows come from: which row of it stands behind each row (−1: none), or whose row that is.

    Args:
        source: The name of the table.
        held: Those rows, or what finds them when they are first asked for; None where they are its rows in their order.
        persons: The column by whose values persons are told apart, where each row stands for one of them.
    """

    source: str
    held: Positions | Callable[[], Positions] | None = None
    persons: str | None = None

    @cached_property
    def rows(self) -> Positions | None:
        """Which row of the table, or which of its persons, stands behind each row."""
        return self.held() if callable(self.held) else self.held


@dataclass(frozen=True)
class ColumnOrigin:
    """What a column was made of.

    Args:
        slots: Those that hold its sources.
        closed: Whether one of those may never be told.
        formed: Whether a formula made it.
        coarse: Whether that formula can tell rows apart, so that figures of the column are told to few digits.
        levelled: Whether many rows may hold a limit that was computed from few, such as a quartile.
    """

    slots: frozenset[int] = frozenset()
    closed: bool = False
    formed: bool = False
    coarse: bool = False
    levelled: bool = False


@dataclass(frozen=True, eq=False)
class Origin:
    """Where rows come from.

    Args:
        slots: The tables behind them.
        columns: What each column was made of; a column that is missing here is closed.
        known: Whether the rows can be followed to their sources; where not, nothing but their number is told.
    """

    slots: tuple[Slot, ...] = ()
    columns: Mapping[str, ColumnOrigin] = field(default_factory=dict[str, ColumnOrigin])
    known: bool = True

    @classmethod
    def of_table(cls, source: str, profile: TableProfile, persons: PersonsOf | None = None) -> Origin:
        """The rows of a table of this machine.

        Args:
            source: Its name.
            profile: What is known of its columns.
            persons: Finds whose each row is by a column, where several rows may be one person's.
        """
        slots = [Slot(source)]
        if persons is not None and (who := person_key(profile)) is not None:
            slots.append(Slot(source, partial(persons, source, who), who))
        behind = frozenset(range(len(slots)))
        return cls(
            tuple(slots),
            {c.name: ColumnOrigin(behind, is_closed(c, profile.rows)) for c in profile.columns},
        )

    @property
    def own(self) -> bool:
        """Whether everything came from the one who asks, who may have it back."""
        return self.known and not self.slots

    def closed(self, column: str) -> bool:
        """Whether nothing of a column may be told but how often it is missing and how many values it has."""
        if self.own:
            return False
        found = self.columns.get(column)
        return not self.known or found is None or found.closed

    def coarse(self, columns: Iterable[str]) -> bool:
        """Whether figures of one of these columns are told to few digits."""
        return any(c in self.columns and self.columns[c].coarse for c in columns)

    def brought(self, column: str) -> bool:
        """Whether the one who asks chose the values of a column that stands beside rows of this machine."""
        return not self.own and column in self.columns and not self.columns[column].slots

    def levelled(self, column: str) -> bool:
        """Whether a value that many rows share may still be that of one row."""
        return column in self.columns and self.columns[column].levelled

    def open_columns(self) -> list[str]:
        """The columns of which figures may be told."""
        return [c for c in self.columns if not self.closed(c)]

    def least(self, rows: int) -> int:
        """How many source rows stand behind ``rows`` rows; of several tables, the fewest."""
        import numpy as np

        counts = [rows if s.rows is None else len(np.unique(s.rows[s.rows >= 0])) for s in self.slots]
        return min([rows, *counts])

    def behind(self, columns: Iterable[str]) -> list[int]:
        """The slots whose rows stand behind ``columns``; all of them where none does."""
        found = {s for c in columns for s in (self.columns.get(c) or ColumnOrigin()).slots}
        return sorted(found) if found else list(range(len(self.slots)))


OWN = Origin()
UNKNOWN = Origin(known=False)


def is_closed(column: ColumnProfile, rows: int) -> bool:
    """Whether a source column names or describes its row alone: personal data, identifiers, free text."""
    if column.role is Role.ID and _counts_up(column):
        return False
    if column.role in _CLOSED_ROLES or column.personal is not None:
        return True
    if column.role in {Role.CATEGORY, Role.GEOGRAPHIC} and tells_of_persons(column):
        return True
    if tells_birth(column.name, column.seen, column.type) or _is_known_by(column) or _may_be_known_by(column):
        return True
    return column.role in {Role.MEASURE, Role.MONEY, Role.CATEGORY} and _numbers_rows(column, rows)


def is_untold(header: str, cells: Sequence[str]) -> bool:
    """Whether texts or days under a header are such as nobody outside is told, whatever their column was taken for."""
    return cells_tell(header, cells) or are_known_by(cells) or tells_birth(header, cells, "")


def _counts_up(column: ColumnProfile) -> bool:
    """Whether whole numbers run from 0 or 1 without a gap, under a name that makes them no identifier.

    Nobody is found by such a number that could not be counted off, and an amount may well look like it.
    """
    low, high = column.minimum, column.maximum
    if not isinstance(low, int) or not isinstance(high, int) or names_identifier(column.name):
        return False
    return low in (0, 1) and high - low + 1 == column.distinct


def _may_be_known_by(column: ColumnProfile) -> bool:
    """Whether cells under a header that says nothing are such as persons are known by: short numbers, codes, days of birth."""
    if not says_nothing(column.name) or column.distinct < _FEWEST:
        return False
    cells = [v for v in column.seen if isinstance(v, str)]
    low, high = column.minimum, column.maximum
    if are_days_of_birth(low, high):
        return True
    return column.distinct >= _ID_ROWS and (
        are_short_numbers(low, high) or (bool(cells) and are_codes(cells))
    )


def _is_known_by(column: ColumnProfile) -> bool:
    """Whether cells are what something is known by, in how many rows each of them may be."""
    cells = column.seen
    numbers = [float(v) for v in cells if isinstance(v, (int, float)) and math.isfinite(v)]
    ends = [float(v) for v in (column.minimum, column.maximum) if isinstance(v, (int, float))]
    if numbers:
        return column.distinct >= _FEWEST and (are_cards(numbers) or are_long_numbers([*numbers, *ends]))
    return column.distinct > 1 and are_known_by(
        [v.strip() for v in cells if isinstance(v, str) and v.strip()]
    )


def _numbers_rows(column: ColumnProfile, rows: int) -> bool:
    """Whether whole numbers of one length, hardly any of them twice, are numbers that something is known by."""
    low, high = column.minimum, column.maximum
    if isinstance(low, bool) or not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return False
    count = rows - column.nulls
    if count < _ID_ROWS or column.distinct < 0.95 * count or low < 0:
        return False
    whole = float(low).is_integer() and float(high).is_integer() and "INT" in column.type.upper()
    return whole and len(str(int(low))) == len(str(int(high))) >= _ID_DIGITS


def traced(lineage: Lineage | None, inputs: Mapping[str, Origin]) -> Origin:
    """The origin of rows that a tool made of its inputs."""
    if all(origin.own for origin in inputs.values()):
        return OWN
    if lineage is None or not all(origin.known for origin in inputs.values()):
        return UNKNOWN
    slots: list[Slot] = []
    places: dict[tuple[str, int], int] = {}
    for parameter, positions in lineage.rows.items():
        for i, slot in enumerate(inputs.get(parameter, OWN).slots):
            places[parameter, i] = len(slots)
            held = partial(_followed_to, slot, positions) if slot.persons else _followed(slot.rows, positions)
            slots.append(Slot(slot.source, held, slot.persons))
    columns = {c: _made(made, inputs, places) for c, made in lineage.columns.items()}
    # One row's value may stand in every row of such a column, so the rows that are counted would not be those behind it.
    columns |= {c: replace(columns[c], closed=True) for c in lineage.across if columns[c].slots}
    # A total can hold one row's value in its last digits, and formulas of formulas can do what one alone cannot.
    # Values that were brought for the purpose can do the same to plain arithmetic.
    for c, plain in lineage.formed.items():
        brought = any(inputs[p].brought(name) for p, name in lineage.columns[c] if p in inputs)
        coarse = not plain or columns[c].formed or columns[c].levelled or brought
        columns[c] = replace(columns[c], formed=True, coarse=coarse)
    # What values were capped at is a quantile, and so may be the value of one row.
    columns |= {c: replace(columns[c], coarse=True, levelled=True) for c in lineage.levelled}
    return Origin(tuple(slots), columns)


def _made(
    made: Iterable[tuple[str, str]], inputs: Mapping[str, Origin], places: Mapping[tuple[str, int], int]
) -> ColumnOrigin:
    slots: set[int] = set()
    closed = formed = coarse = levelled = False
    for parameter, column in made:
        origin = inputs.get(parameter, OWN)
        if origin.own:
            continue
        closed = closed or origin.closed(column)
        held = origin.columns.get(column)
        slots |= {places[parameter, i] for i in (held.slots if held else range(len(origin.slots)))}
        formed, coarse = (
            formed or (held is not None and held.formed),
            coarse or (held is not None and held.coarse),
        )
        levelled = levelled or (held is not None and held.levelled)
    return ColumnOrigin(frozenset(slots), closed, formed, coarse or levelled, levelled)


def _followed_to(slot: Slot, positions: Positions | None) -> Any:
    return _followed(slot.rows, positions)


def _followed(rows: Positions | None, positions: Positions | None) -> Any:
    import numpy as np

    if positions is None:
        return rows
    if rows is None:
        return positions
    return np.where(positions < 0, -1, rows[np.maximum(positions, 0)])
