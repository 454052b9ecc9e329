"""Change points: when did the level of a series really change, and by how much.

Segmentation is exact (ruptures, linear kernel); the penalty and the test of each change use the long-run
variance, so that slowly wandering noise is not read as a row of changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np

from gnomon.analytics.forecast_models import phase_profile
from gnomon.analytics.inputs import Floats, require_between, require_count, require_whole
from gnomon.analytics.relative import percent_change
from gnomon.analytics.results import Result
from gnomon.analytics.timegrid import Merge, RegularSeries, regular_series
from gnomon.analytics.trends import noise_correlation, theil_sen
from gnomon.core.errors import CalculationError

_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class ChangePoint(Result):
    """One change: the first step of the new level, its size, and the chance that noise did it."""

    position: int
    time: Any
    before: float
    after: float
    change: float
    change_percent: float | None
    p_value: float


@dataclass(frozen=True, slots=True)
class Segment(Result):
    """A stretch between changes."""

    start: Any
    end: Any
    count: int
    mean: float


@dataclass(frozen=True, slots=True)
class ChangePoints(Result):
    """All changes in time order, and the stretches between them."""

    changes: tuple[ChangePoint, ...]
    segments: tuple[Segment, ...]
    noise: float
    autocorrelation: float
    count: int
    grain: str
    notes: tuple[str, ...]


def change_points(
    values: Any,
    *,
    times: Any = None,
    season: int | None = None,
    alpha: float = 0.05,
    least: int | None = None,
    merge: Merge = "mean",
) -> ChangePoints:
    """Find the lasting changes of level in a series.

    Args:
        values: The observations.
        times: Their time stamps; without them the values are taken as one step apart.
        season: Steps per season; its pattern is taken out first.
        alpha: Chance of any false alarm in a series without changes.
        least: Shortest stretch that counts as a level; chosen from the length when left out.
        merge: What to do with several observations in one step.

    Raises:
        CalculationError: for fewer than ten values.
    """
    series = regular_series(values, times, merge=merge)
    require_between(alpha, 0, 1, "alpha")
    y, notes = series.values, list(series.notes)
    require_count(len(y), 10, "Finding change points")
    if len(y) > _LONGEST:
        raise CalculationError(
            f"The exact search for change points takes at most {_LONGEST} steps, but the series has {len(y)}.",
            suggestions=["Aggregate to a coarser grain first, such as days instead of hours."],
        )
    shortest = require_whole(least, 2, len(y) // 2, "least") if least is not None else max(3, len(y) // 50)
    if season is not None and require_whole(season, 1, 10**6, "season") > 1:
        require_count(len(y), 2 * season, f"Taking out a season of {season} steps")
        y = y - phase_profile(y, season)[np.arange(len(y)) % season]
        notes.append(f"A season of {season} steps was taken out first.")
    if np.ptp(y) < 1e-140:  # squares of smaller differences vanish
        return _result(series, series.values, [], {}, 0.0, 0.0, (*notes, "The series is constant."))
    noise, rho = noise_model(y)
    cuts = _segmented(y, noise, alpha, shortest)
    if cuts and _is_ramp(y, cuts):
        slope, _ = theil_sen(y)
        notes.append("A steady trend explains the series better than steps; changes are sought around it.")
        y = y - slope * (np.arange(len(y)) - (len(y) - 1) / 2)
        if np.ptp(y) <= 1e-9 * np.ptp(series.values):  # the trend is all there is
            return _result(series, y, [], {}, 0.0, 0.0, tuple(notes))
        noise, rho = noise_model(y)
        cuts = _segmented(y, noise, alpha, shortest)
    if cuts:
        left_over = y - np.concatenate([np.full(len(part), part.mean()) for part in np.split(y, cuts)])
        rho = max(rho, noise_correlation(left_over))
        noise = max(noise, float(np.var(left_over)) * (1 + rho) / (1 - rho))
    kept = _significant(y, cuts, noise, alpha)
    return _result(series, y, sorted(kept), kept, float(np.sqrt(noise)), rho, tuple(notes))


def noise_model(y: Floats) -> tuple[float, float]:
    """Long-run variance and lag-one autocorrelation of the noise, blind to rare level changes.

    Differences at lags one to three see a level change only where they straddle it; their medians do not.
    """
    spread = np.array([_robust_variance(y[k:] - y[:-k]) / 2 for k in (1, 2, 3)])
    if spread[0] <= 0:
        spread = np.array([_trimmed_variance(y[k:] - y[:-k]) / 2 for k in (1, 2, 3)])
    if spread[0] <= 0:  # a series that only ever steps: any step is more than noise
        return 1e-9 * float(np.var(y)), 0.0
    # spread[k] = σ²(1 − φᵏ), so that spread[1] / spread[0] = 1 + φ and spread[2] / spread[0] = 1 + φ + φ².
    first = spread[1] / spread[0] - 1
    second = (np.sqrt(max(4 * spread[2] / spread[0] - 3, 0.0)) - 1) / 2
    rho = float(np.clip((first + second) / 2 + 1.5 / np.sqrt(len(y)) * 0.5, 0.0, 0.97))
    return float(spread[0] * (1 + rho) / (1 - rho) ** 2), rho


def _robust_variance(x: Floats) -> float:
    return float((1.4826022185056018 * np.median(np.abs(x - np.median(x)))) ** 2)


def _trimmed_variance(x: Floats) -> float:
    """For series that mostly repeat themselves: the mean square without the largest twentieth."""
    squares = np.sort((x - np.median(x)) ** 2)
    return float(squares[: max(1, int(0.95 * len(squares)))].mean())


def _segmented(y: Floats, noise: float, alpha: float, shortest: int) -> list[int]:
    import ruptures

    signal = (y - np.median(y)).reshape(-1, 1)
    search = ruptures.KernelCPD(kernel="linear", min_size=shortest).fit(signal)
    penalty = noise * _critical(len(y), alpha)
    return [int(c) for c in cast("list[int]", search.predict(pen=penalty))[:-1]]


def _critical(n: int, alpha: float) -> float:
    """Squared z-score that the best of all cuts exceeds with probability ``alpha`` in pure noise.

    A union bound over the effectively independent places of a cut (they grow with log n on each side).
    """
    from scipy import stats

    places = max(2.0, 4 * np.log(n) ** 1.5)
    return float(stats.norm.isf(alpha / 2 / places) ** 2)


def _significant(y: Floats, cuts: list[int], noise: float, alpha: float) -> dict[int, float]:
    """Drop the weakest change until each that is left could hardly be chance."""
    from scipy import stats

    kept = list(cuts)
    places = max(2.0, 4 * np.log(len(y)) ** 1.5)
    while kept:
        edges = [0, *kept, len(y)]
        p_values: dict[int, float] = {}
        for i, cut in enumerate(kept, start=1):
            left, right = y[edges[i - 1] : cut], y[cut : edges[i + 1]]
            error = np.sqrt(noise * (1 / len(left) + 1 / len(right)))
            z = abs(float(right.mean() - left.mean())) / error if error > 0 else np.inf
            p_values[cut] = float(min(1.0, 2 * stats.norm.sf(z) * places))
        weakest = max(kept, key=lambda c: (p_values[c], c))
        if p_values[weakest] < alpha:
            return p_values
        kept.remove(weakest)
    return {}


def _is_ramp(y: Floats, cuts: list[int]) -> bool:
    """Whether one straight line describes the series better (by BIC) than the steps found."""
    n, t = len(y), np.arange(len(y))
    line = y - np.polyval(np.polyfit(t, y, 1), t)
    steps = y - np.concatenate([np.full(len(part), part.mean()) for part in np.split(y, cuts)])
    tiny = 1e-12 * float(np.var(y)) * n
    line_score = n * np.log(max(float(line @ line), tiny) / n) + 2 * np.log(n)
    step_score = n * np.log(max(float(steps @ steps), tiny) / n) + (2 * len(cuts) + 1) * np.log(n)
    return bool(line_score < step_score)


def _result(
    series: RegularSeries,
    y: Floats,
    cuts: list[int],
    p_values: dict[int, float],
    noise: float,
    rho: float,
    notes: tuple[str, ...],
) -> ChangePoints:
    edges = [0, *cuts, len(y)]
    means = [float(y[a:b].mean()) for a, b in pairwise(edges)]
    changes = tuple(
        ChangePoint(
            position=cut,
            time=series.stamp(cut),
            before=means[i],
            after=means[i + 1],
            change=means[i + 1] - means[i],
            change_percent=percent_change(means[i], means[i + 1]),
            p_value=p_values[cut],
        )
        for i, cut in enumerate(cuts)
    )
    segments = tuple(
        Segment(series.stamp(a), series.stamp(b - 1), b - a, float(series.values[a:b].mean()))
        for a, b in pairwise(edges)
    )
    return ChangePoints(changes, segments, noise, rho, len(y), series.grain, notes)
