"""Rows that an argument of a call holds, with the means to count the source rows behind any part of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.core.settings import Settings
from gnomon.guardrails.release.cells import CellGuard, FrameCells, TableCells, slot_column, with_source_rows
from gnomon.guardrails.release.groups import told_groups
from gnomon.guardrails.release.origin import Origin
from gnomon.tools.contract import ToolContext
from gnomon.tools.frames import Frame, TableName
from gnomon.tools.resolve import read_frame

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.data import Dataset

NEARLY_ALL = 0.99
MOST = {1: 0.75, 2: 0.9}
"""The share of all differences, and of their squares, beyond which a figure is that of one row."""


@dataclass(frozen=True, eq=False)
class TracedRows:
    """Rows and where they come from.

    Args:
        frame: The rows, or the name of an open table.
        origin: The source rows and columns behind them.
        settings: For reading them.
        dataset: The open tables that a name belongs to.
        sources_of: The open tables that rows at hand come from, as far as they are known.
    """

    frame: Frame
    origin: Origin
    settings: Settings
    dataset: Dataset | None = None
    sources_of: tuple[TableCells, ...] = ()

    @property
    def context(self) -> ToolContext:
        """What a tool needs to read them."""
        return ToolContext(dataset=self.dataset, roots=(), settings=self.settings)

    @property
    def columns(self) -> list[str]:
        """The names of their columns."""
        return self.frame.columns if self.origin.own else list(self.origin.columns)

    @property
    def guard(self) -> CellGuard:
        """Keeps their cells from leaving."""
        if self.origin.own:
            return CellGuard()
        if isinstance(self.frame.content, TableName):
            assert self.dataset is not None
            return CellGuard(
                [TableCells(self.dataset, self.dataset.table(str(self.frame.content)), self.origin)]
            )
        return CellGuard([FrameCells(self.frame.arrow, self.origin)])

    def read(self, columns: Sequence[str]) -> pd.DataFrame:
        """Some columns as the tools read them; those that are not there are left out."""
        known = [c for c in dict.fromkeys(columns) if c in self.origin.columns]
        return read_frame(self.frame, self.context, known) if self.frame.is_reference else self._held[known]

    @cached_property
    def _held(self) -> pd.DataFrame:
        """All columns of rows at hand: how they are to be read is found out once."""
        return read_frame(self.frame, self.context, list(self.origin.columns))

    def counted(self) -> Frame:
        """The rows with their source rows beside them, for queries."""
        if isinstance(self.frame.content, TableName):
            return self.frame
        return Frame(with_source_rows(self.frame.arrow, self.origin))

    def slots(self, columns: Sequence[str]) -> list[str | None]:
        """The columns of :meth:`counted` that tell the source rows behind ``columns``; None for the rows themselves.

        They hold a value wherever there is a source row.
        """
        named = [(i, self.origin.slots[i]) for i in self.origin.behind(columns)]
        if self.frame.is_reference:
            return [slot.persons for _, slot in named]
        return [slot_column(i) if slot.rows is not None else None for i, slot in named]

    def persons(self) -> set[str]:
        """Those of :meth:`slots` that tell persons."""
        named = [(i, s) for i, s in enumerate(self.origin.slots) if s.persons]
        return {str(s.persons) if self.frame.is_reference else slot_column(i) for i, s in named}

    def behind(
        self, present: Sequence[str], keys: Sequence[str] = (), *, within: Any = None, power: int = 1
    ) -> dict[tuple[str | None, ...], int]:
        """How many source rows stand behind each group, of those in which ``present`` is not missing.

        Where several tables stand behind the columns, the one with the fewest rows counts. Without ``keys`` there
        is one group, ``()``. Keys are told as text. ``within`` marks the rows that are looked at. ``power`` is 2 where
        a figure comes of squares. Of rows that a tool made, those that have the value which most have do not count, where a few others have another one.
        """
        import numpy as np
        import pandas as pd

        wanted = [*present, *keys]
        # A column that is never missing keeps the number of rows where only closed columns are asked about.
        frame = self.read(wanted) if any(c in self.origin.columns for c in wanted) else self.read(self._any())
        held = frame[[c for c in present if c in frame.columns]].notna().all(axis=1).to_numpy()
        if within is not None:
            held = held & np.asarray(within, dtype=np.bool_)
        groups = _as_text(frame, keys)
        found: dict[tuple[str | None, ...], int] = {}
        for i in self.origin.behind(wanted):
            rows = self.origin.slots[i].rows
            ids = np.arange(len(frame)) if rows is None else rows
            there = held & (ids >= 0)
            table = pd.DataFrame({"\0": ids[there], **{str(n): g[there] for n, g in enumerate(groups)}})
            places = [str(n) for n in range(len(groups))]
            for key, count in _counted(table, places).items():
                found[key] = min(count, found.get(key, count))
            for column in present if not self.frame.is_reference else ():
                if column in frame.columns and column not in keys:
                    each = _counted(
                        table.assign(value=frame[column].map(_text)[there].to_numpy()), [*places, "value"]
                    )
                    for key, count in carrying(each, power).items():
                        found[key] = min(count, found.get(key, count))
        return found

    def told(self, present: Sequence[str], keys: Sequence[str]) -> set[tuple[str | None, ...]]:
        """The groups that may be told, of all that there are; those that a condition left no row of are judged as small ones."""
        behind = self.behind(present, keys)
        absent = self.absent(keys)
        kept = told_groups([*behind.values(), *(0 for _ in absent)], [*behind, *absent], moved=bool(absent))
        return {k for k, keep in zip(behind, kept, strict=False) if keep}

    def absent(self, keys: Sequence[str]) -> list[tuple[str | None, ...]]:
        """The groups of the source table of which these rows have none; empty where that table is not known."""
        made = [self.origin.columns.get(k) for k in keys]
        slots = {s for m in made if m is not None for s in m.slots if self.origin.slots[s].persons is None}
        if self.frame.is_reference or not keys or len(slots) != 1 or any(m is None or m.formed for m in made):
            return []
        name = self.origin.slots[next(iter(slots))].source
        source = next((s for s in self.sources_of if s.table.name == name), None)
        if source is None or not set(keys) <= source.names():
            return []
        context = ToolContext(dataset=source.dataset, roots=(), settings=self.settings)
        whole = read_frame(Frame.of({"table": name}), context, list(keys))
        here = set(self.keys(keys))
        return [k for k in dict.fromkeys(zip(*_as_text(whole, keys), strict=True)) if k not in here]

    def keys(self, columns: Sequence[str]) -> list[tuple[str | None, ...]]:
        """The group of each row, as :meth:`behind` names it."""
        return list(zip(*_as_text(self.read(columns), columns), strict=True))

    def size(self) -> int:
        """How many rows there are."""
        return len(self.read(self._any())) if self.frame.is_reference else len(self.frame)

    def sources(self) -> int:
        """How many rows, or persons, of the table that most of them come from stand behind all of these rows."""
        import numpy as np

        size = len(self.frame)
        found: dict[str, int] = {}
        for slot in self.origin.slots:
            ids = np.arange(size) if slot.rows is None else slot.rows
            held = len(np.unique(ids[ids >= 0]))
            found[slot.source] = min(held, found.get(slot.source, held))
        return max(found.values(), default=size)

    def _any(self) -> list[str]:
        return list(self.origin.columns)[:1]


def persons_in(dataset: Dataset, settings: Settings, table: str, column: str) -> Any:
    """Whose each row of an open table is, as numbers; a row that names nobody is somebody else's."""
    import numpy as np

    context = ToolContext(dataset=dataset, roots=(), settings=settings)
    names = read_frame(Frame.of({"table": table}), context, [column])[column]
    codes, who = names.factorize()
    return np.where(codes < 0, len(who) + np.arange(len(codes)), codes)


def carrying(counts: Mapping[tuple[Any, ...], int], power: int = 1) -> dict[tuple[Any, ...], int]:
    """How many source rows tell a group apart from one in which all values are the same, or nearly so.

    A formula can give all rows but one the same value, or values that come to nothing beside it, and the sum is then
    that one's. Groups of one value alone are left out.

    Args:
        counts: The source rows of each group and value; the value is the last part of the key.
        power: 2 where a figure comes of squares, in which one row weighs more.
    """
    held: dict[tuple[Any, ...], list[tuple[str | None, int]]] = {}
    for (*group, value), count in counts.items():
        held.setdefault(tuple(group), []).append((value, count))
    found: dict[tuple[Any, ...], int] = {}
    for key, values in held.items():
        if len(values) > 1:
            apart = sum(n for _, n in values) - max(n for _, n in values)
            found[key] = min(apart, _weighing(values, power))
    return found


def _weighing(values: Sequence[tuple[str | None, int]], power: int) -> int:
    """How few rows make up nearly all of what the values differ from their middle by; of what is no number, all."""
    import numpy as np
    import pandas as pd

    numbers = pd.to_numeric(pd.Series([v for v, _ in values]), errors="coerce").to_numpy(np.float64)
    rows = np.array([n for _, n in values])
    if not np.isfinite(numbers).all():
        return int(rows.sum())
    order = np.argsort(numbers)
    middle = numbers[order][np.searchsorted(np.cumsum(rows[order]), rows.sum() / 2)]
    with np.errstate(over="ignore"):
        away = np.abs(numbers - middle) ** power
    order = np.argsort(-away)
    weight = np.cumsum(away[order] * rows[order])
    if weight[0] > MOST[power] * weight[-1]:
        return int(rows[order][0])
    last = int(np.searchsorted(weight, NEARLY_ALL * weight[-1]))
    return int(rows[order][: last + 1].sum())


def _counted(table: pd.DataFrame, keys: list[str]) -> dict[tuple[str | None, ...], int]:
    if not keys:
        return {(): int(table["\0"].nunique())}
    counts = table.groupby(keys, dropna=False)["\0"].nunique()
    named = {(k if isinstance(k, tuple) else (k,)): int(n) for k, n in counts.items()}  # pyright: ignore[reportUnknownVariableType]
    return {
        tuple(None if part is None or part != part else str(part) for part in key): count
        for key, count in named.items()
    }


def _as_text(frame: pd.DataFrame, columns: Sequence[str]) -> list[Any]:
    return [frame[c].map(_text).to_numpy(dtype=object) for c in columns if c in frame.columns]


def _text(value: Any) -> str | None:
    import pandas as pd

    return None if pd.isna(value) else str(value)
