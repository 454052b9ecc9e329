"""Correlation across a table: every pair of columns of any kind, ranked, corrected for the number of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.analytics.association import (
    Association,
    benjamini_hochberg,
    contingency,
    correlation_ratio,
    cramers_v,
    holm,
    numeric_association,
)
from gnomon.analytics.inputs import (
    Floats,
    numbers,
    require_between,
    require_choice,
    require_column,
    require_frame,
)
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError, InvalidInput

if TYPE_CHECKING:
    import pandas as pd

_MOST_LEVELS = 50
_MOST_COLUMNS = 60


@dataclass(frozen=True, slots=True)
class Pair(Result):
    """Two columns and how they hang together."""

    first: str
    second: str
    method: str
    coefficient: float
    low: float | None
    high: float | None
    p_value: float
    p_adjusted: float
    significant: bool
    count: int
    strength: Literal["none", "weak", "moderate", "strong"]


@dataclass(frozen=True, slots=True)
class Correlation(Result):
    """All pairs, strongest first; columns that could not take part, with the reason."""

    pairs: tuple[Pair, ...]
    columns: dict[str, str]
    left_out: dict[str, str]
    correction: str
    confidence: float
    notes: tuple[str, ...]


def correlation(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    target: str | None = None,
    method: Literal["auto", "pearson", "spearman", "kendall"] = "auto",
    correction: Literal["bh", "holm", "none"] = "bh",
    confidence: float = 0.95,
) -> Correlation:
    """Relate every pair of columns.

    Numbers meet numbers by ``method`` (``auto``: Spearman when a column is heavily skewed or has far outliers,
    else Pearson); categories meet categories by Cramér's V, numbers meet categories by the correlation ratio.

    Args:
        frame: The table.
        columns: Which columns; all when left out.
        target: Only pairs with this column.
        method: Correlation between numbers.
        correction: For the number of pairs: Benjamini–Hochberg, Holm or none.
        confidence: Of the intervals; one minus it is the significance level.
    """
    table = require_frame(frame)
    require_choice(method, ("auto", "pearson", "spearman", "kendall"), "method")
    require_choice(correction, ("bh", "holm", "none"), "correction")
    require_between(confidence, 0, 1, "confidence")
    names = [require_column(table, c) for c in (columns if columns is not None else table.columns)]
    if target is not None:
        require_column(table, target)
        names = [target, *(n for n in names if n != target)]
    numeric, coded, left_out = _read(table, names)
    usable = [n for n in names if n in numeric or n in coded]
    if target is not None and target not in usable:
        raise InvalidInput(
            f"The column {target!r} cannot be related: {left_out[target]}.",
            suggestions=["Choose a column with several different values."],
        )
    if len(usable) < 2:
        raise CalculationError(
            "A correlation needs at least two columns that vary.",
            suggestions=[f"{n}: {why}" for n, why in left_out.items()] or ["Add a column."],
        )
    wanted = [(target, n) for n in usable if n != target] if target else list(combinations(usable, 2))
    ranked = {n for n, x in numeric.items() if method == "auto" and _skewed(x[~np.isnan(x)])}
    found = [(a, b, *_relate(a, b, numeric, coded, method, confidence, ranked)) for a, b in wanted]
    kinds = {n: "number" if n in numeric else "category" for n in usable}
    pairs, notes = _ranked(found, correction, confidence)
    return Correlation(pairs, kinds, left_out, correction, float(confidence), notes)


def _read(
    table: pd.DataFrame, names: Sequence[str]
) -> tuple[dict[str, Floats], dict[str, pd.Series[Any]], dict[str, str]]:
    import pandas as pd

    numeric: dict[str, Floats] = {}
    coded: dict[str, pd.Series[Any]] = {}
    left_out: dict[str, str] = {}
    for name in names:
        column = table[name]
        distinct = int(column.nunique())
        if distinct < 2:
            left_out[name] = "it does not vary"
        elif len(numeric) + len(coded) >= _MOST_COLUMNS:
            left_out[name] = f"more than {_MOST_COLUMNS} columns"
        elif pd.api.types.is_datetime64_any_dtype(column.dtype):
            stamps = column.to_numpy(dtype="datetime64[ns]")
            days = (stamps - np.datetime64(0, "ns")) / np.timedelta64(1, "D")
            numeric[name] = np.where(np.isnat(stamps), np.nan, days)
        elif pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            numeric[name] = numbers(column, name)
        elif distinct > _MOST_LEVELS:
            left_out[name] = f"{distinct} different texts are too many for categories"
        else:
            coded[name] = column.astype("string").reset_index(drop=True)
    return numeric, coded, left_out


def _relate(
    a: str,
    b: str,
    numeric: dict[str, Floats],
    coded: dict[str, pd.Series[Any]],
    method: str,
    confidence: float,
    ranked: set[str],
) -> tuple[Association | None, int]:
    if a in numeric and b in numeric:
        x, y = numeric[a], numeric[b]
        both = ~(np.isnan(x) | np.isnan(y))
        x, y = x[both], y[both]
        if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
            return None, len(x)
        how = method if method != "auto" else ("spearman" if ranked & {a, b} else "pearson")
        return numeric_association(x, y, how, confidence), len(x)
    if a in coded and b in coded:
        both = np.asarray(coded[a].notna() & coded[b].notna())
        if both.sum() < 3:
            return None, int(both.sum())
        return cramers_v(contingency(coded[a][both], coded[b][both])), int(both.sum())
    values, labels = (numeric[a], coded[b]) if a in numeric else (numeric[b], coded[a])
    both = ~np.isnan(values) & np.asarray(labels.notna())
    if both.sum() < 3:
        return None, int(both.sum())
    codes = labels[both].astype("category").cat.codes.to_numpy()
    return correlation_ratio(codes, values[both]), int(both.sum())


def _skewed(x: Floats) -> bool:
    from scipy import stats

    return bool(abs(stats.skew(x)) > 2 or stats.kurtosis(x) > 7)


def _ranked(
    found: list[tuple[str, str, Association | None, int]], correction: str, confidence: float
) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
    usable = [(a, b, link, n) for a, b, link, n in found if link is not None]
    p_values = np.array([link.p_value for _, _, link, _ in usable], dtype=np.float64)
    adjusted = {"bh": benjamini_hochberg, "holm": holm, "none": lambda p: p}[correction](p_values)
    pairs = [
        Pair(
            a, b, link.method, link.coefficient, link.low, link.high, link.p_value, float(p),
            bool(p < 1 - confidence), n, _strength(link.coefficient),
        )
        for (a, b, link, n), p in zip(usable, adjusted, strict=True)
    ]  # fmt: skip
    pairs.sort(key=lambda p: (-abs(p.coefficient), p.p_value, p.first, p.second))
    lost = len(found) - len(usable)
    notes = (f"{lost} pairs have too few rows in common that vary.",) if lost else ()
    return tuple(pairs), notes


def _strength(coefficient: float) -> Literal["none", "weak", "moderate", "strong"]:
    size = abs(coefficient)
    return "strong" if size >= 0.5 else "moderate" if size >= 0.3 else "weak" if size >= 0.1 else "none"
