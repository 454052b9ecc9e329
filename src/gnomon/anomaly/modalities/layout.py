"""How a table lies in time: one row for each time, or one for each time and entity (a panel of series)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_FEWEST: Final = 10
_UNREADABLE: Final = 0.02
# So many rows may share their time with another, and so many steps have to be of about the same length.
_REPEATED: Final = 0.1
_REGULAR: Final = 0.65
_SLACK: Final = 0.12
# What is usual of an entity is learned from its own readings.
READINGS: Final = 30
_MOST_ENTITIES: Final = 500
_TWICE: Final = 0.01
_KEYS: Final = 2


@dataclass(frozen=True)
class Layout:
    """Where a table has its times, and what tells its series apart.

    Attributes:
        time: The column of time stamps; None where the index holds them.
        entity: The columns that say which series a row belongs to; none where there is only one.
    """

    time: str | None
    entity: tuple[str, ...] = ()


def layout_of(frame: pd.DataFrame) -> Layout | None:
    """How the table lies in time; None where its rows are no readings of series.

    Only times and what tells rows of one time apart decide, whatever else there is. A table with many rows for a
    time, such as transactions, is none, and neither is one of events at irregular times.
    """
    from gnomon.anomaly.modalities.readings import time_columns

    if len(frame) < _FEWEST:
        return None
    stacked: list[tuple[str | None, pd.Series[Any]]] = []
    for name, times in time_columns(frame):
        if times.isna().mean() > _UNREADABLE or not _numbers(frame, name):
            continue
        seconds = _seconds(times)
        if regular(seconds):
            return Layout(name)
        stacked.append((name, times))
    for name, times in stacked:
        entity = _entity(frame, name, times)
        if entity:
            return Layout(name, entity)
    return None


def regular(seconds: np.ndarray) -> bool:
    """Whether there is about one row for each time, at a steady pace."""
    gaps = np.diff(np.sort(seconds[np.isfinite(seconds)]))
    if not len(gaps) or (gaps == 0).mean() > _REPEATED:
        return False
    step = float(np.median(gaps[gaps > 0]))
    return bool((np.abs(gaps / step - 1.0) < _SLACK).mean() > _REGULAR)


def entities(frame: pd.DataFrame, columns: tuple[str, ...]) -> pd.Series[Any]:
    """What the entity of each row is called."""
    parts = [frame[c].astype(str) for c in columns]
    out = parts[0]
    for part in parts[1:]:
        out = out + ", " + part
    return out


def _numbers(frame: pd.DataFrame, time: str | None) -> list[str]:
    from pandas.api import types

    return [str(c) for c in frame.columns if str(c) != time and types.is_numeric_dtype(frame[c])]


def _seconds(times: pd.Series[Any]) -> np.ndarray:
    import pandas as pd

    stamps = pd.DatetimeIndex(times)
    naive = stamps.tz_localize(None) if stamps.tz is not None else stamps
    seconds = naive.to_numpy().astype("datetime64[ns]").astype(np.int64) / 1e9
    return np.where(np.asarray(stamps.isna()), np.nan, seconds)


def _entity(frame: pd.DataFrame, time: str | None, times: pd.Series[Any]) -> tuple[str, ...]:
    """The fewest columns that tell the rows of one time apart, each of their values at a steady pace."""
    n, seconds = len(frame), _seconds(times)
    known = np.isfinite(seconds)
    most = min(n // READINGS, _MOST_ENTITIES)
    names = [str(c) for c in frame.columns if str(c) != time and _names(frame[c], most)]
    numeric = set(_numbers(frame, time))
    for size in range(1, _KEYS + 1):
        for columns in combinations(names, size):
            if not numeric - set(columns):
                continue
            codes = entities(frame, columns).factorize()[0]
            if codes.max() >= most or _repeats(codes[known], seconds[known]) > _TWICE * n:
                continue
            counts = np.bincount(codes[known])
            steady = [regular(seconds[known & (codes == k)]) for k in np.flatnonzero(counts >= READINGS)]
            if len(steady) > 1 and np.mean(steady) > 1 - _REPEATED and np.median(counts) >= READINGS:
                return columns
    return ()


def _names(column: pd.Series[Any], most: int) -> bool:
    """Whether a column can name entities: words or whole numbers, several of them, each often enough."""
    from pandas.api import types

    if types.is_float_dtype(column) or types.is_datetime64_any_dtype(column) or column.isna().any():
        return False
    return 2 <= column.astype(str).nunique() <= most


def _repeats(codes: np.ndarray, seconds: np.ndarray) -> int:
    """How many rows have the entity and the time of an earlier one."""
    return len(codes) - len(np.unique(np.column_stack([codes, seconds]), axis=0))
