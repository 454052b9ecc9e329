"""Values of a column as numbers: numbers as they are, dates as days, two values as 0 and 1, others as codes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gnomon.analytics.inputs import Floats

Kind = Literal["number", "flag", "date", "category"]
_EPOCH = dt.datetime(1970, 1, 1)
_NEGATIVE = frozenset({"no", "n", "false", "f", "0", "off", "none", "absent", "negative", "fail", "failed"})


@dataclass(frozen=True, slots=True)
class Coded:
    """A column as numbers.

    Attributes:
        values: One for each row; not a number where nothing is known.
        kind: What the numbers stand for.
        levels: Of two values, the one that counts as 0 and the one that counts as 1; of categories, all in
            the order of their codes.
    """

    values: Floats
    kind: Kind
    levels: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether more and less mean something."""
        return self.kind != "category"

    def taken(self, rows: Any) -> Coded:
        """The same of some of the rows."""
        return Coded(self.values[rows], self.kind, self.levels)


def coded(values: Sequence[Any]) -> Coded:
    """A column of plain values as numbers."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {bool}:
        return Coded(_floats(values), "flag", ("false", "true"))
    if kinds <= {int, float, bool}:
        return Coded(_floats(values), "number")
    if kinds <= {dt.date, dt.datetime}:
        return Coded(np.array([_days(v) for v in values], dtype=np.float64), "date")
    texts = [None if v is None or v == "" else str(v) for v in values]
    if (numbers := _numbers(texts)) is not None:
        return Coded(numbers, "number")
    levels = sorted({t for t in texts if t is not None})
    if len(levels) == 2:
        levels.sort(key=lambda t: (t.strip().lower() not in _NEGATIVE, t))
    codes = {t: float(i) for i, t in enumerate(levels)}
    held = np.array([np.nan if t is None else codes[t] for t in texts], dtype=np.float64)
    return Coded(held, "flag" if len(levels) == 2 else "category", tuple(levels))


def _floats(values: Sequence[Any]) -> Floats:
    """Numbers as floats; what is not there as not a number."""
    made = np.array(values, dtype=np.float64)
    return np.where(np.isfinite(made), made, np.nan)


def _numbers(texts: Sequence[str | None]) -> Floats | None:
    """Texts that all write a number, as those."""
    try:
        return np.array([np.nan if t is None else float(t) for t in texts], dtype=np.float64)
    except ValueError:
        return None


def _days(value: Any) -> float:
    if value is None:
        return np.nan
    moment = value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
    return (moment.replace(tzinfo=None) - _EPOCH).total_seconds() / 86_400
