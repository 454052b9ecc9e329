"""Trend: does a series go somewhere, how fast, and could it be chance (autocorrelation included)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gnomon.analytics.autocorrelation import lag_correlation
from gnomon.analytics.forecast_models import phase_profile
from gnomon.analytics.inputs import Floats, require_between, require_count, require_whole
from gnomon.analytics.relative import percent_change
from gnomon.analytics.results import Result
from gnomon.analytics.timegrid import Merge, regular_series

_MOST_PAIRWISE = 1500


@dataclass(frozen=True, slots=True)
class Trend(Result):
    """What a series does in the long run.

    Attributes:
        direction: ``up``, ``down`` or ``no clear trend``.
        slope: Change per step (Theil–Sen: the median of all pairwise slopes).
        slope_low: Lower bound of its confidence interval, widened for autocorrelation.
        slope_high: Upper bound.
        change: Slope times the number of steps: the change over the whole series.
        change_percent: The same relative to where the trend line starts; None where it starts or ends below zero.
        p_value: Mann–Kendall, two-sided, corrected for autocorrelation; or, where that is clearer, the signs of
            the steps (doubled for the second look), which a curve or a walk cannot pass for noise.
        significant: Whether ``p_value`` is below ``alpha``.
        tau: Kendall's rank correlation with time.
        autocorrelation: Lag-one autocorrelation of what the trend leaves over.
        start: Value of the trend line at the first step.
        end: Value of the trend line at the last step.
    """

    direction: Literal["up", "down", "no clear trend"]
    slope: float
    slope_low: float
    slope_high: float
    change: float
    change_percent: float | None
    p_value: float
    significant: bool
    tau: float
    alpha: float
    autocorrelation: float
    start: float
    end: float
    count: int
    grain: str
    notes: tuple[str, ...]


def trend(
    values: Any,
    *,
    times: Any = None,
    season: int | None = None,
    alpha: float = 0.05,
    merge: Merge = "mean",
) -> Trend:
    """Measure the long-run direction of a series.

    Args:
        values: The observations.
        times: Their time stamps; without them the values are taken as one step apart.
        season: Steps per season; its pattern is taken out first so that it cannot pass for a trend.
        alpha: Significance level.
        merge: What to do with several observations in one step.

    Raises:
        CalculationError: for fewer than four values.
    """
    series = regular_series(values, times, merge=merge)
    require_between(alpha, 0, 1, "alpha")
    y, notes = series.values, list(series.notes)
    require_count(len(y), 4, "A trend")
    if season is not None and require_whole(season, 1, 10**6, "season") > 1:
        require_count(len(y), 2 * season, f"A trend under a season of {season} steps")
        y = y - phase_profile(y, season)[np.arange(len(y)) % season]
        notes.append(f"A season of {season} steps was taken out first.")
    slope, intercept = theil_sen(y)
    n = len(y)
    rest = y - slope * np.arange(n)
    rho = noise_correlation(rest)
    score, variance = mann_kendall(y)
    variance *= variance_inflation(rho, n)
    p_value = _two_sided(score, variance)
    if (p_drift := 2 * drift(y)) < p_value:
        p_value, variance = p_drift, _variance_at(score, p_drift)
    low, high = _slope_interval(y, variance, alpha)
    significant = p_value < alpha
    start, change = intercept, slope * (n - 1)
    if n < 10:
        notes.append("Fewer than ten values: only a very steady trend can be told from chance.")
    return Trend(
        direction=("up" if score > 0 else "down") if significant else "no clear trend",
        slope=slope,
        slope_low=min(low, slope),
        slope_high=max(high, slope),
        change=change,
        change_percent=percent_change(start, start + change),
        p_value=p_value,
        significant=significant,
        tau=2 * score / (n * (n - 1)),
        alpha=float(alpha),
        autocorrelation=rho,
        start=start,
        end=start + change,
        count=n,
        grain=series.grain,
        notes=tuple(notes),
    )


def theil_sen(y: Floats) -> tuple[float, float]:
    """Median pairwise slope and the median intercept that goes with it."""
    slopes = _pairwise_slopes(y)
    slope = float(np.median(slopes))
    return slope, float(np.median(y - slope * np.arange(len(y))))


def _pairwise_slopes(y: Floats) -> Floats:
    """All pairwise slopes; a long series is read in equal blocks by their medians first."""
    n = len(y)
    width = -(-n // _MOST_PAIRWISE)
    if width > 1:
        blocks = n // width
        y = np.median(y[: blocks * width].reshape(blocks, width), axis=1)
    first, second = np.triu_indices(len(y), 1)
    return (y[second] - y[first]) / ((second - first) * float(width))


def mann_kendall(y: Floats) -> tuple[float, float]:
    """Mann–Kendall's S and its variance for independent values, corrected for ties."""
    n = len(y)
    from scipy import stats

    t = np.unique(y, return_counts=True)[1].astype(np.float64)
    pairs, tied = n * (n - 1) / 2, float((t * (t - 1)).sum()) / 2
    # Kendall's tau-b against time is S over the geometric mean of the comparable pairs.
    tau: Any = stats.kendalltau(np.arange(n), y) if tied < pairs else None
    score = round(float(tau.statistic) * np.sqrt(pairs * (pairs - tied))) if tau is not None else 0
    variance = (n * (n - 1) * (2 * n + 5) - float((t * (t - 1) * (2 * t + 5)).sum())) / 18
    return float(score), variance


def noise_correlation(rest: Floats) -> float:
    """Lag-one autocorrelation of detrended noise, corrected for its downward bias, never negative."""
    n = len(rest)
    rho = lag_correlation(rest, 1)
    return float(np.clip((n * rho + 2) / (n - 4) if n > 8 else rho, 0.0, 0.98))


def variance_inflation(rho: float, n: int) -> float:
    """How much lag-one autocorrelation inflates the variance of a trend statistic."""
    lags = np.arange(1, n)
    return float(1 + 2 * ((1 - lags / n) * rho**lags).sum())


def drift(y: Floats) -> float:
    """Two-sided p-value of the steps going one way more often than a walk without direction would.

    Around a curve the residuals of a line look autocorrelated however clear the direction is; steps do not. Steps of
    plain noise turn back more often than a coin, so for these it errs towards saying nothing.
    """
    signs = np.sign(np.diff(y))
    signs = signs[signs != 0]
    m = len(signs)
    if m < 8:
        return 1.0
    rho = min(max(lag_correlation(signs, 1), 0.0), 0.98) if np.ptp(signs) else 0.0
    return _two_sided(float(signs.sum()), m * (1 + rho) / (1 - rho))


def _variance_at(score: float, p_value: float) -> float:
    """The variance at which a score has a p-value."""
    from scipy import stats

    return ((abs(score) - 1) / max(float(stats.norm.isf(p_value / 2)), 1e-9)) ** 2


def _two_sided(score: float, variance: float) -> float:
    from scipy import stats

    if variance <= 0 or score == 0:
        return 1.0
    z = (abs(score) - 1) / np.sqrt(variance)
    return float(min(1.0, 2 * stats.norm.sf(z)))


def _slope_interval(y: Floats, variance: float, alpha: float) -> tuple[float, float]:
    """Sen's interval: the slopes that lie as many ranks from the median as S may stray by chance."""
    from scipy import stats

    slopes = np.sort(_pairwise_slopes(y))
    count = len(slopes)
    shrink = count / (len(y) * (len(y) - 1) / 2)
    stray = float(stats.norm.ppf(1 - alpha / 2)) * np.sqrt(max(variance, 0.0)) * shrink
    low = int(np.clip(np.floor((count - stray) / 2), 0, count - 1))
    high = int(np.clip(np.ceil((count + stray) / 2), 0, count - 1))
    return float(slopes[low]), float(slopes[high])
