"""Seasonality: is there a repeating pattern, how long is it, how strong, and what does it look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.analytics.autocorrelation import ar_coefficients, whitened
from gnomon.analytics.forecast_models import moving_level
from gnomon.analytics.inputs import Floats, require_between, require_count, require_whole
from gnomon.analytics.results import Result
from gnomon.analytics.timegrid import Merge, RegularSeries, regular_series
from gnomon.core.errors import CalculationError

_LONGEST_SCAN = 400
_MAD_TO_SD = 1.4826
_WILD = 6.0
_FEWEST_CYCLES = 3


@dataclass(frozen=True, slots=True)
class Phase(Result):
    """One position within the season: its label, mean offset from the level, and how often it was seen."""

    phase: int
    label: str
    offset: float
    count: int


@dataclass(frozen=True, slots=True)
class Seasonality(Result):
    """What was found about the repeating pattern.

    Attributes:
        period: Steps per season, or ``None`` when no pattern stands out from noise.
        strength: Share of the detrended variation that the pattern explains (0 to 1), adjusted for its length.
        p_value: Chance of so clear a pattern in autocorrelated noise, corrected for the periods tried.
        significant: Whether ``p_value`` is below the level asked for.
        amplitude: Highest minus lowest phase offset.
        peak: Label of the highest phase.
        trough: Label of the lowest phase.
        profile: Offset of each phase from the level.
        grain: The step of the series.
        notes: What was done to the data, and what limits the result.
    """

    period: int | None
    strength: float
    p_value: float
    significant: bool
    amplitude: float | None
    peak: str | None
    trough: str | None
    profile: tuple[Phase, ...]
    grain: str
    notes: tuple[str, ...]


def seasonality(
    values: Any,
    *,
    times: Any = None,
    period: int | None = None,
    alpha: float = 0.01,
    merge: Merge = "mean",
) -> Seasonality:
    """Find the repeating pattern of a series, or say that there is none.

    Args:
        values: The observations.
        times: Their time stamps; without them the values are taken as one step apart.
        period: Test this season length only.
        alpha: Significance level.
        merge: What to do with several observations in one step.

    Raises:
        CalculationError: when the series is too short for any season (at least three cycles are needed).
    """
    series = regular_series(values, times, merge=merge)
    require_between(alpha, 0, 1, "alpha")
    count = len(series.values)
    if period is not None:
        require_whole(period, 2, 10**6, "period")
        require_count(count, 2 * period + 2, f"Testing a season of {period} steps")
    else:
        require_count(count, 8, "Looking for a season")
    if np.ptp(series.values) == 0:
        return _none(series, 1.0, 0.0, (*series.notes, "The series is constant."))
    tried = [period] if period is not None else scan_periods(count, series.seasons)
    found = best_period(series.values, tried)
    if found is None:
        raise CalculationError(
            "The series is too short for a season.", suggestions=["Provide at least three full cycles."]
        )
    best, strength, p_value = found
    notes = series.notes
    if p_value >= alpha:
        return _none(series, p_value, strength, (*notes, "No repeating pattern stands out from noise."))
    return _found(series, best, strength, p_value, notes)


def scan_periods(count: int, suggested: tuple[int, ...] = ()) -> list[int]:
    """Season lengths that a series of ``count`` steps can speak about."""
    longest = count // _FEWEST_CYCLES
    scan = set(range(2, min(longest, _LONGEST_SCAN) + 1))
    return sorted(scan | {s for s in suggested if count >= 2 * s + 2})


def best_period(values: Floats, tried: list[int]) -> tuple[int, float, float] | None:
    """The period that explains most, with its adjusted strength and corrected p-value."""
    values = calm(values)
    rough = {m: _explained(values - moving_level(values, m), m) for m in tried if len(values) >= 2 * m + 2}
    if not rough:
        return None
    strongest = max(rough.values())
    # A multiple of the true period explains as much: the shortest that does nearly as well is the season.
    near = [m for m in rough if rough[m] >= strongest - max(0.02, 0.1 * abs(strongest))]
    best = min(near)
    scored = {best: _p_value(values, best)}
    if scored[best] * len(rough) >= 0.01:
        scored |= {m: _p_value(values, m) for m in sorted(rough, key=lambda m: (-rough[m], m))[:3]}
    chosen = min(scored, key=lambda m: (scored[m], m))
    return chosen, max(rough[chosen], 0.0), min(1.0, scored[chosen] * len(rough))


def calm(values: Floats) -> Floats:
    """The series with single wild values pulled in: one spike must not drown a pattern in its variance."""
    from scipy.ndimage import median_filter

    level = median_filter(values, size=min(len(values), max(5, len(values) // 4)), mode="nearest")
    rest = values - level
    center = float(np.median(rest))
    scale = _MAD_TO_SD * float(np.median(np.abs(rest - center)))
    reach = _WILD * scale
    return values if scale == 0 else level + np.clip(rest, center - reach, center + reach)


def _explained(flat: Floats, period: int) -> float:
    """Adjusted share of variance between phases."""
    n = len(flat)
    total = float(((flat - flat.mean()) ** 2).sum())
    if total <= 0 or n <= period + 1:
        return 0.0
    within = float((_phase_residual(flat, period) ** 2).sum())
    return 1 - (within / (n - period)) / (total / (n - 1))


def _phase_residual(flat: Floats, period: int) -> Floats:
    phases = np.arange(len(flat)) % period
    means = np.bincount(phases, flat, period) / np.bincount(phases, minlength=period)
    return flat - means[phases]


def _p_value(values: Floats, period: int) -> float:
    """F test between phases after taking the noise's autocorrelation out."""
    from scipy import stats

    flat = values - moving_level(values, period)
    if np.ptp(flat) <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return 1.0
    noise = _phase_residual(flat, period)
    if np.ptp(noise) <= 1e-9 * np.ptp(flat):
        return 0.0
    white = whitened(flat, ar_coefficients(noise, most=3))
    n = len(white)
    if n <= period + 2:
        return 1.0
    within = float((_phase_residual(white, period) ** 2).sum())
    between = max(float(((white - white.mean()) ** 2).sum()) - within, 0.0)
    # Removing the moving level costs about one degree of freedom per cycle.
    freedom = max(n - period - n // period, 1)
    return float(stats.f.sf((between / (period - 1)) / (within / freedom), period - 1, freedom))


def _none(series: RegularSeries, p: float, strength: float, notes: tuple[str, ...]) -> Seasonality:
    return Seasonality(None, strength, p, False, None, None, None, (), series.grain, notes)


def _found(
    series: RegularSeries, period: int, strength: float, p_value: float, notes: tuple[str, ...]
) -> Seasonality:
    from gnomon.analytics.forecast_models import phase_profile

    offsets = phase_profile(series.values, period)
    labels = _labels(series, period)
    counts = np.bincount(np.arange(len(series.values)) % period, minlength=period)
    profile = tuple(Phase(i, labels[i], float(offsets[i]), int(counts[i])) for i in range(period))
    high, low = int(np.argmax(offsets)), int(np.argmin(offsets))
    return Seasonality(
        period,
        strength,
        p_value,
        True,
        float(offsets[high] - offsets[low]),
        labels[high],
        labels[low],
        profile,
        series.grain,
        notes,
    )


def _labels(series: RegularSeries, period: int) -> list[str]:
    """What people call each phase: weekday, month, hour, or its number."""
    first = [series.stamp(i) for i in range(period)]
    kind = (series.grain, period)
    if series.times is not None and kind in {("day", 7), ("business day", 5)}:
        return [t.strftime("%A") for t in first if not isinstance(t, int)]
    if series.times is not None and kind == ("month", 12):
        return [t.strftime("%B") for t in first if not isinstance(t, int)]
    if series.times is not None and kind == ("quarter", 4):
        return [f"Q{t.quarter}" for t in first if not isinstance(t, int)]
    if series.times is not None and kind == ("hour", 24):
        return [t.strftime("%H:00") for t in first if not isinstance(t, int)]
    return [f"phase {i + 1}" for i in range(period)]
