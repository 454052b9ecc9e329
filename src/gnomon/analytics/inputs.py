"""How every analysis reads its input: to float arrays with NaN for what is missing, or a typed error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.core.errors import CalculationError, Cancelled, InvalidInput, NotFound

if TYPE_CHECKING:
    import pandas as pd

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
ShouldStop: TypeAlias = Callable[[], bool]

_LARGEST = 1e150  # squares of larger numbers overflow


def numbers(values: Any, what: str = "values") -> Floats:
    """``values`` as a one-dimensional float array; missing and infinite entries become NaN.

    Raises:
        InvalidInput: when ``values`` is not a flat sequence of numbers.
    """
    import pandas as pd

    if isinstance(values, str | bytes | dict) or not hasattr(values, "__len__"):
        raise InvalidInput(
            f"{what} must be a sequence of numbers, but a {type(values).__name__} was given.",
            suggestions=["Pass a list, a numpy array or a pandas Series of numbers."],
        )
    if getattr(values, "ndim", 1) != 1:
        raise InvalidInput(
            f"{what} must have one dimension, but it has {values.ndim}.",
            suggestions=["Pass one column at a time."],
        )
    series = values if isinstance(values, pd.Series) else _series(values, what)
    if not (pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_complex_dtype(series.dtype)):
        series = _from_objects(series, what)
    out = np.array(series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)
    out[~np.isfinite(out)] = np.nan
    if len(out) and (largest := float(np.nanmax(np.abs(out), initial=0.0))) > _LARGEST:
        raise InvalidInput(
            f"{what} reaches {largest:g}, which is too large to compute with (limit {_LARGEST:g}).",
            suggestions=["Check the values, or express them in a larger unit."],
        )
    return out


def column(values: Any, what: str = "values") -> pd.Series[Any]:
    """``values`` of any kind as a Series counted from zero, or a typed error when they have no order."""
    import pandas as pd

    if isinstance(values, str | bytes | dict | set | frozenset) or not hasattr(values, "__len__"):
        raise InvalidInput(
            f"{what} must be a sequence, but a {type(values).__name__} was given.",
            suggestions=["Pass a list, a numpy array or a pandas Series."],
        )
    return values.reset_index(drop=True) if isinstance(values, pd.Series) else _series(values, what)


def _series(values: Any, what: str) -> pd.Series[Any]:
    import pandas as pd

    try:
        return pd.Series(values, dtype=object if len(values) == 0 else None)
    except (ValueError, TypeError) as error:
        raise InvalidInput(
            f"{what} must be a flat sequence of numbers: {error}.", suggestions=["Pass one column at a time."]
        ) from error


def _from_objects(series: pd.Series[Any], what: str) -> pd.Series[Any]:
    import decimal
    import numbers as abstract

    import pandas as pd

    def number(value: Any) -> float:
        if value is None or value is pd.NA or value is pd.NaT:
            return math.nan
        if isinstance(value, abstract.Real | decimal.Decimal):
            return float(value)
        raise InvalidInput(
            f"{what} must hold numbers, but it contains {str(value)[:40]!r} ({type(value).__name__}).",
            suggestions=["Choose a numeric column, or convert the text to numbers first."],
        )

    return pd.Series([number(v) for v in series], dtype=np.float64)


def present(values: Floats) -> Floats:
    """The entries of ``values`` that are there."""
    return values[~np.isnan(values)]


def added_up(groups: Any, values: Floats, count: int) -> Floats:
    """The sum of the values of each group, for groups numbered from 0."""
    return np.bincount(groups, values, count).astype(np.float64)


def require_count(have: int, need: int, what: str) -> None:
    """Refuse to compute ``what`` from fewer than ``need`` values."""
    if have < need:
        raise CalculationError(
            f"{what} needs at least {need} values, but only {have} could be used.",
            suggestions=["Provide more rows, or a finer grain if the data has one."],
        )


def require_between(value: Any, low: float, high: float, what: str) -> float:
    """``value`` when it lies strictly between the bounds, otherwise a typed error."""
    if not (isinstance(value, int | float | np.number) and low < value < high):
        raise InvalidInput(
            f"{what} must lie between {low:g} and {high:g} (both excluded), but it is {value!r}.",
            suggestions=[
                f"Choose a {what} such as {(low + high) / 2 if math.isfinite(high) else low + 1:g}."
            ],
        )
    return float(value)


def require_whole(value: Any, low: int, high: int, what: str) -> int:
    """``value`` as a whole number within the bounds (included), otherwise a typed error."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise InvalidInput(
            f"{what} must be a whole number from {low} to {high}, but it is {value!r}.",
            suggestions=[f"Choose a {what} between {low} and {high}."],
        )
    return int(value)


def require_choice(value: Any, choices: Sequence[str], what: str) -> str:
    """``value`` when it is one of the ``choices``, otherwise an error that proposes the closest one."""
    if value not in choices:
        raise NotFound.among(what, str(value), choices)
    return str(value)


def require_column(frame: pd.DataFrame, name: str) -> str:
    """``name`` when the frame has such a column, otherwise an error that proposes the closest one."""
    if name not in frame.columns:
        raise NotFound.among("column", str(name), [str(c) for c in frame.columns])
    return name


def require_frame(frame: Any, what: str = "frame") -> pd.DataFrame:
    """``frame`` when it is a data frame with unique column names, otherwise a typed error."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InvalidInput(
            f"{what} must be a pandas DataFrame, but a {type(frame).__name__} was given.",
            suggestions=["Build a DataFrame from the rows first."],
        )
    if any(type(c) is not str for c in frame.columns):
        frame = frame.rename(columns=str)
    if not frame.columns.is_unique:
        twice = sorted({str(c) for c in frame.columns[frame.columns.duplicated()]})
        raise InvalidInput(
            f"{what} has more than one column named {', '.join(twice[:5])}.",
            suggestions=["Rename the columns so that every name occurs once."],
        )
    return frame


def check_stop(should_stop: ShouldStop | None) -> None:
    """Leave politely when the caller asked to stop."""
    if should_stop is not None and should_stop():
        raise Cancelled("The computation was stopped on request.", suggestions=["Ask again to start over."])
