"""Reads a series in whatever form it comes: frames, arrays, dictionaries, with or without time stamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.prepared import Transformation
from gnomon.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    import pandas as pd

_TIME_WORDS = ("time", "date", "stamp", "datetime", "ts", "day", "epoch", "month", "week")


@dataclass
class Readings:
    """A series in time order, and the way back to the order it came in.

    Attributes:
        values: One row per reading, one column per variable; missing readings are NaN.
        names: What the variables are called.
        seconds: Time of each reading in seconds, or None where the order of rows is the only time.
        order: For each reading in time order, the row it came from.
        raw: The rows as they came.
        labels: The time stamp of each row as text, in the order they came; None without time stamps.
        log: What was done.
    """

    values: np.ndarray
    names: list[str]
    seconds: np.ndarray | None
    order: np.ndarray
    raw: pd.DataFrame
    labels: tuple[str, ...] | None
    log: list[Transformation] = field(default_factory=list)


def as_frame(data: Any) -> pd.DataFrame:
    """Any table-like object as a pandas frame."""
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, pd.Series):
        return data.to_frame(name=str(data.name) if data.name is not None else "value")
    if isinstance(data, Mapping):
        return pd.DataFrame({str(k): np.asarray(v) for k, v in data.items()})
    if hasattr(data, "to_pandas"):
        return as_frame(data.to_pandas())
    array = np.asarray(data)
    if array.ndim == 1:
        return pd.DataFrame({"value": array})
    if array.ndim == 2:
        return pd.DataFrame(array, columns=[f"value {i}" for i in range(array.shape[1])])
    raise InvalidInput(
        f"A time series is a table, or an array of one or two dimensions; got {array.ndim} dimensions.",
        suggestions=["Pass an array of shape (time stamps, variables)."],
    )


def parse_times(column: pd.Series) -> pd.Series | None:
    """The column as time stamps, or None where it does not hold time stamps."""
    import warnings

    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        return column
    if isinstance(column.dtype, pd.PeriodDtype):
        return column.dt.to_timestamp()
    named = any(w in str(column.name).casefold() for w in _TIME_WORDS)
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        plausible = named and len(values) > 2 and bool(np.isfinite(values).all()) and values.min() > 3e8
        if not plausible or values.max() > 4e12:
            return None
        return pd.Series(
            pd.to_datetime(values, unit="s" if values.max() < 1e11 else "ms"), index=column.index
        )
    head = column.dropna().head(50)
    if head.empty or not all(isinstance(v, str) and any(c.isdigit() for c in v) for v in head):
        if all(hasattr(v, "isoformat") for v in head) and not head.empty:
            return pd.Series(pd.to_datetime(column, errors="coerce"), index=column.index)
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if pd.to_datetime(head, errors="coerce").notna().mean() < 0.9:
            return None
        times = pd.to_datetime(column, errors="coerce")
    return times if times.notna().mean() > 0.9 else None


def find_times(frame: pd.DataFrame, column: str | None = None) -> tuple[str | None, pd.Series | None]:
    """The name and the time stamps of the time column (``None`` as name where the index holds them)."""
    import pandas as pd

    if column is not None:
        if column not in frame.columns:
            raise NotFound.among("column", column, [str(c) for c in frame.columns])
        return column, parse_times(frame[column])
    if isinstance(frame.index, (pd.DatetimeIndex, pd.PeriodIndex)):
        return None, parse_times(pd.Series(frame.index, index=frame.index))
    typed = [c for c in frame.columns if pd.api.types.is_datetime64_any_dtype(frame[c])]
    rest = [c for c in frame.columns if c not in typed]
    for name in typed + rest:
        times = parse_times(frame[name])
        if times is not None:
            return str(name), times
    return None, None


def read_series(data: Any, time_column: str | None = None) -> Readings:
    """Read a series: find its time stamps, put it in order, take its numeric variables.

    Raises:
        InvalidInput: There is nothing numeric to look at.
    """
    import pandas as pd

    frame = as_frame(data)
    name, times = find_times(frame, time_column)
    log: list[Transformation] = []
    seconds: np.ndarray | None = None
    order = np.arange(len(frame))
    labels: tuple[str, ...] | None = None
    if times is not None:
        stamps = pd.DatetimeIndex(times)
        daily = bool((stamps == stamps.normalize()).all())
        labels = tuple(str(s.date()) if daily else str(s) for s in stamps)
        numbers = (stamps.tz_localize(None) if stamps.tz is not None else stamps).to_numpy()
        seconds = numbers.astype("datetime64[ns]").astype(np.int64) / 1e9
        unknown = np.asarray(stamps.isna())
        if unknown.any():
            seconds = _fill(np.where(unknown, np.nan, seconds))
            log.append(
                Transformation(
                    "impute",
                    (name or "index",),
                    f"{unknown.sum()} unreadable time stamps were placed between their neighbours.",
                )
            )
        if np.any(np.diff(seconds) < 0):
            order = np.argsort(seconds, kind="stable")
            log.append(Transformation("sort", (name or "index",), "Rows were put in time order."))
        seconds = seconds[order]
    columns = [c for c in frame.columns if str(c) != name]
    numeric = [c for c in columns if pd.api.types.is_numeric_dtype(frame[c])]
    left = tuple(str(c) for c in columns if c not in numeric)
    if left:
        log.append(Transformation("drop", left, "Columns that are not numbers are not part of the series."))
    if not numeric or not len(frame):
        raise InvalidInput(
            "A time series needs at least one numeric column and one row.",
            suggestions=["Use data_type='tabular' for tables of words."],
        )
    values = frame[numeric].to_numpy(dtype=float, na_value=np.nan)
    values = np.where(np.isfinite(values), values, np.nan)[order]
    return Readings(values, [str(c) for c in numeric], seconds, order, frame, labels, log)


def fill_gaps(values: np.ndarray) -> np.ndarray:
    """Missing readings replaced, column by column, by a straight line between their neighbours."""
    return np.column_stack([_fill(values[:, j]) for j in range(values.shape[1])])


def _fill(x: np.ndarray) -> np.ndarray:
    known = np.flatnonzero(np.isfinite(x))
    if len(known) == len(x):
        return x
    if not len(known):
        return np.zeros(len(x))
    return np.interp(np.arange(len(x)), known, x[known])
