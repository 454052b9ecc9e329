"""Strength of association between two columns of any kinds, with p-value and confidence interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.inputs import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Association:
    """A coefficient with its evidence; the interval is ``None`` where none is defined."""

    method: str
    coefficient: float
    p_value: float
    low: float | None
    high: float | None


def numeric_association(x: Floats, y: Floats, method: str, confidence: float) -> Association:
    """Pearson, Spearman or Kendall correlation of two complete columns that both vary."""
    if method == "kendall":
        from scipy import stats

        outcome: Any = stats.kendalltau(x, y)
        r, p = float(np.clip(outcome.statistic, -1, 1)), float(outcome.pvalue)
    else:
        r, p = _linear(x, y) if method == "pearson" else _linear(ranks(x), ranks(y))
    low, high = _fisher_interval(r, len(x), method, confidence)
    return Association(method, r, p, low, high)


def _linear(x: Floats, y: Floats) -> tuple[float, float]:
    """The coefficient of a straight line and the chance of it, by Student's t; quick to load and to compute."""
    from scipy.special import stdtr

    a, b = x - x.mean(), y - y.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    r = float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))
    freedom = len(x) - 2
    if freedom < 1:
        return r, 1.0
    if abs(r) >= 1:
        return r, 0.0
    return r, float(2 * stdtr(freedom, -abs(r) * np.sqrt(freedom / ((1 - r) * (1 + r)))))


def ranks(values: Floats) -> Floats:
    """The place of each value in order, from 1; equal values share the average of their places."""
    order = np.argsort(values, kind="stable")
    held = values[order]
    starts = np.r_[0, np.flatnonzero(held[1:] != held[:-1]) + 1, len(held)]
    places = np.repeat((starts[:-1] + starts[1:] + 1) / 2, np.diff(starts))
    made = np.empty(len(values))
    made[order] = places
    return made


def _fisher_interval(r: float, n: int, method: str, confidence: float) -> tuple[float | None, float | None]:
    """Fisher's z interval, with the variances of Bonett–Wright (Spearman) and Fieller (Kendall)."""
    from scipy.special import ndtri

    if n < 5:
        return None, None
    if abs(r) >= 1 - 1e-12:
        return r, r
    variance = {"pearson": 1 / (n - 3), "spearman": (1 + r * r / 2) / (n - 3), "kendall": 0.437 / (n - 4)}[
        method
    ]
    half = float(ndtri(0.5 + confidence / 2)) * np.sqrt(variance)
    center = np.arctanh(r)
    return float(np.tanh(center - half)), float(np.tanh(center + half))


def cramers_v(table: Floats) -> Association:
    """Cramér's V of a contingency table, corrected for the upward bias of small samples (Bergsma)."""
    from scipy import stats

    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    n = float(table.sum())
    if min(rows, columns) < 2:
        return Association("cramers_v", 0.0, 1.0, None, None)
    outcome: Any = stats.chi2_contingency(table, correction=False)
    phi2 = max(0.0, float(outcome.statistic) / n - (rows - 1) * (columns - 1) / (n - 1))
    r_fair, c_fair = rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)
    least = min(r_fair, c_fair) - 1
    v = float(np.sqrt(phi2 / least)) if least > 0 else 0.0
    return Association("cramers_v", min(v, 1.0), float(outcome.pvalue), None, None)


def correlation_ratio(codes: Any, values: Floats) -> Association:
    """Eta: the share of spread between groups (square root), with the ANOVA p-value."""
    from scipy.special import fdtrc

    counts = np.bincount(codes)
    sums = np.bincount(codes, values)
    used = counts > 0
    groups, n = int(used.sum()), len(values)
    grand = values.mean()
    between = float((counts[used] * (sums[used] / counts[used] - grand) ** 2).sum())
    total = float(((values - grand) ** 2).sum())
    if total <= 0 or groups < 2 or n <= groups:
        return Association("correlation_ratio", 0.0, 1.0, None, None)
    share = min(between / total, 1.0)
    # Epsilon squared removes what groups explain by chance.
    fair = max(0.0, 1 - (1 - share) * (n - 1) / (n - groups))
    within = total - between
    if within <= 1e-12 * total:
        return Association("correlation_ratio", 1.0, 0.0, None, None)
    f = (between / (groups - 1)) / (within / (n - groups))
    return Association(
        "correlation_ratio", float(np.sqrt(fair)), float(fdtrc(groups - 1, n - groups, f)), None, None
    )


def contingency(a: pd.Series[Any], b: pd.Series[Any]) -> Floats:
    """Counts of every combination of two complete columns."""
    import pandas as pd

    return pd.crosstab(a, b).to_numpy(dtype=np.float64)


def holm(p_values: Floats) -> Floats:
    """Holm's step-down correction: the chance of any false claim stays below the level."""
    order = np.argsort(p_values, kind="stable")
    raised = p_values[order] * (len(p_values) - np.arange(len(p_values)))
    out = np.empty_like(p_values)
    out[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return out


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Benjamini–Hochberg correction: the expected share of false claims stays below the level."""
    order = np.argsort(p_values, kind="stable")[::-1]
    ranks = np.arange(len(p_values), 0, -1)
    out = np.empty_like(p_values)
    out[order] = np.minimum(np.minimum.accumulate(p_values[order] * len(p_values) / ranks), 1.0)
    return out
