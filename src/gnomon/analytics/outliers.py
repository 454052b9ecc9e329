"""Clean outliers out of a table, and give back what was taken out with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.inputs import (
    Floats,
    numbers,
    present,
    require_between,
    require_choice,
    require_column,
    require_frame,
)
from gnomon.analytics.results import Result
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

_MAD_TO_SD = 1.4826022185056018


@dataclass(frozen=True, slots=True)
class Bounds(Result):
    """What counts as normal in one column."""

    column: str
    low: float | None
    high: float | None
    outliers: int
    note: str | None


@dataclass(frozen=True, slots=True)
class Removed(Result):
    """A row that was taken out (or a value that was capped), and why."""

    position: int
    index: Any
    column: str
    value: float
    reason: str


@dataclass(frozen=True, slots=True)
class CleanedOutliers(Result):
    """The cleaned table, what was done to it, and why."""

    method: str
    action: str
    rows_before: int
    rows_after: int
    bounds: tuple[Bounds, ...]
    removed: tuple[Removed, ...]
    frame: pd.DataFrame = field(repr=False, compare=False, metadata={"internal": True})


def clean_outliers(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    method: Literal["iqr", "zscore", "mad"] = "iqr",
    threshold: float | None = None,
    action: Literal["remove", "cap"] = "remove",
) -> CleanedOutliers:
    """Take rows with outliers out of a table, or cap the values at the bounds.

    Args:
        frame: The table; it is not changed.
        columns: Numeric columns to check; all when left out.
        method: ``iqr`` (quartiles ± 1.5 IQR), ``zscore`` (mean ± 3 SD), ``mad`` (median ± 3.5 scaled MAD).
        threshold: Another factor than the usual one.
        action: ``remove`` the rows, or ``cap`` the values at the bounds.
    """
    import pandas as pd

    table = require_frame(frame)
    require_choice(method, ("iqr", "zscore", "mad"), "method")
    require_choice(action, ("remove", "cap"), "action")
    usual = {"iqr": 1.5, "zscore": 3.0, "mad": 3.5}[method]
    factor = usual if threshold is None else require_between(threshold, 0, float("inf"), "threshold")
    if columns is None:
        names = [
            c
            for c in table.columns
            if pd.api.types.is_numeric_dtype(table[c].dtype)
            and not pd.api.types.is_bool_dtype(table[c].dtype)
        ]
    else:
        names = [require_column(table, c) for c in columns]
    if not names:
        raise InvalidInput("There is no numeric column to clean.", suggestions=["Name a column of numbers."])
    out = table.copy()
    drop = np.zeros(len(table), dtype=bool)
    bounds: list[Bounds] = []
    removed: list[Removed] = []
    for name in names:
        data = numbers(table[name], name)
        low, high, note = _bounds(present(data), method, factor)
        if low is None or high is None:
            bounds.append(Bounds(name, None, None, 0, note))
            continue
        endless = np.isinf(table[name].to_numpy(np.float64, na_value=np.nan))
        data[endless] = table[name].to_numpy(np.float64, na_value=np.nan)[endless]
        far = (data < low) | (data > high)
        bounds.append(Bounds(name, low, high, int(far.sum()), note))
        removed += [_removed(table, name, int(i), float(data[i]), low, high) for i in np.flatnonzero(far)]
        drop |= far
        if action == "cap" and far.any():
            out[name] = np.clip(data, low, high)
    cleaned = out.loc[~drop] if action == "remove" else out
    removed.sort(key=lambda r: (r.position, r.column))
    return CleanedOutliers(method, action, len(table), len(cleaned), tuple(bounds), tuple(removed), cleaned)


def _bounds(x: Floats, method: str, factor: float) -> tuple[float | None, float | None, str | None]:
    if len(x) < 4:
        return None, None, f"only {len(x)} values"
    if np.ptp(x) == 0:
        return None, None, "all values are equal"
    if method == "zscore":
        center, scale = float(x.mean()), float(x.std(ddof=1))
        return center - factor * scale, center + factor * scale, None
    if method == "mad":
        center = float(np.median(x))
        scale = _MAD_TO_SD * float(np.median(np.abs(x - center)))
        if scale == 0:
            return None, None, "more than half the values are equal, so no spread can be told"
        return center - factor * scale, center + factor * scale, None
    q1, q3 = (float(q) for q in np.quantile(x, [0.25, 0.75]))
    if q1 == q3:
        return None, None, "the middle half of the values is equal, so no spread can be told"
    return q1 - factor * (q3 - q1), q3 + factor * (q3 - q1), None


def _removed(table: pd.DataFrame, name: str, i: int, value: float, low: float, high: float) -> Removed:
    if np.isinf(value):
        return Removed(i, table.index[i], name, value, f"{name} = {value:g} is not finite")
    side, bound = ("below", low) if value < low else ("above", high)
    return Removed(i, table.index[i], name, value, f"{name} = {value:g} is {side} {bound:g}")
