"""Reads a series in whatever form it comes: frames, arrays, dictionaries, with or without time stamps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.modalities.factors import MOST_VALUES
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
        words: Columns of words with several values, in time order.
    """

    values: np.ndarray
    names: list[str]
    seconds: np.ndarray | None
    order: np.ndarray
    raw: pd.DataFrame
    labels: tuple[str, ...] | None
    log: list[Transformation] = field(default_factory=list)
    words: dict[str, np.ndarray] = field(default_factory=dict)


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
        return next(
            (times for day_first in (False, True) if (times := _read(column, head, day_first)) is not None),
            None,
        )


def _read(column: pd.Series, head: pd.Series, day_first: bool) -> pd.Series | None:
    """Words as time stamps, those of several offsets from UTC in UTC; None where they are none."""
    import pandas as pd

    times: pd.Series | None = None
    for words in (head, column):
        try:
            times = pd.to_datetime(words, errors="coerce", dayfirst=day_first)
        except ValueError:
            times = pd.to_datetime(words, errors="coerce", dayfirst=day_first, utc=True)
        if times.notna().mean() < 0.9:
            return None
    return times


def time_columns(frame: pd.DataFrame) -> Iterator[tuple[str | None, pd.Series]]:
    """The name and the time stamps of every time column, typed ones first (``None`` where the index holds them)."""
    import pandas as pd

    if isinstance(frame.index, (pd.DatetimeIndex, pd.PeriodIndex)):
        times = parse_times(pd.Series(frame.index, index=frame.index))
        if times is not None:
            yield None, times
    typed = [c for c in frame.columns if pd.api.types.is_datetime64_any_dtype(frame[c])]
    for name in typed + [c for c in frame.columns if c not in typed]:
        times = parse_times(frame[name])
        if times is not None:
            yield str(name), times


def find_times(frame: pd.DataFrame, column: str | None = None) -> tuple[str | None, pd.Series | None]:
    """The name and the time stamps of the time column (``None`` as name where the index holds them)."""
    if column is not None:
        if column not in frame.columns:
            raise NotFound.among("column", column, [str(c) for c in frame.columns])
        return column, parse_times(frame[column])
    return next(time_columns(frame), (None, None))


def read_series(
    data: Any, time_column: str | None = None, aside: Sequence[str] = (), like: Readings | None = None
) -> Readings:
    """Read a series: find its time stamps, put it in order, take its numeric variables and its columns of words.

    Args:
        data: A frame, an array or a dictionary of columns.
        time_column: Which column holds the time stamps; found by itself when not given.
        aside: Columns that are no part of the series.
        like: What was learned from, where the same columns are to be read again.

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
        # The clock on the wall is what readings follow, and what they are told by.
        stamps = stamps.tz_localize(None) if stamps.tz is not None else stamps
        daily = bool((stamps == stamps.normalize()).all())
        labels = tuple(str(s.date()) if daily else str(s) for s in stamps)
        seconds = stamps.to_numpy().astype("datetime64[ns]").astype(np.int64) / 1e9
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
    columns = {str(c): frame[c] for c in frame.columns if str(c) != name and str(c) not in aside}
    if like is None:
        numeric, named = _chosen(columns, order, log)
    else:
        numeric, named = like.names, list(like.words)
        if missing := [n for n in (*numeric, *named) if n not in columns]:
            raise InvalidInput(
                f"New readings must have the columns {', '.join((*numeric, *named))}; {', '.join(missing)} is missing."
            )
    if not numeric or not len(frame):
        raise InvalidInput(
            "A time series needs at least one numeric column and one row.",
            suggestions=["Use data_type='tabular' for tables of words."],
        )
    values = np.column_stack([columns[n].to_numpy(dtype=float, na_value=np.nan) for n in numeric])
    values = np.where(np.isfinite(values), values, np.nan)[order]
    words = {w: columns[w].astype(str).to_numpy()[order] for w in named}
    return Readings(values, numeric, seconds, order, frame, labels, log, words)


def _chosen(
    columns: Mapping[str, pd.Series], order: np.ndarray, log: list[Transformation]
) -> tuple[list[str], list[str]]:
    """The variables of a series and its columns of words; what is left aside is logged."""
    numeric = [n for n, c in columns.items() if _is_number(c)]
    counting = [n for n in numeric if len(numeric) > 1 and _counts_rows(columns[n], order)]
    words = [n for n, c in columns.items() if _is_category(c)]
    left = tuple(n for n in columns if n not in numeric and n not in words)
    if counting:
        log.append(Transformation("drop", tuple(counting), "Left aside: it only numbers the rows."))
    if left:
        log.append(
            Transformation("drop", left, "Left aside: neither numbers nor words that come again and again.")
        )
    return [n for n in numeric if n not in counting], words


def _is_number(column: pd.Series) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _is_category(column: pd.Series) -> bool:
    """Whether words of a column come again: several of them, each often enough to have a level of its own."""
    if _is_number(column) or parse_times(column) is not None:
        return False
    return 2 <= column.astype(str).nunique() <= min(MOST_VALUES, len(column) // 8)


def _counts_rows(column: pd.Series, order: np.ndarray) -> bool:
    """Whether a column only counts the readings."""
    steps = np.diff(column.to_numpy(dtype=float, na_value=np.nan)[order])
    return len(steps) > 20 and bool(steps[0] != 0 and (steps == steps[0]).all())


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
