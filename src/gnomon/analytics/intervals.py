"""Prediction intervals from backtest errors: how wide per horizon, how heavy the tails, how sure of both.

The spread per horizon is a smooth, never shrinking curve through the squared errors; the tail shape comes
from all standardised errors together (conformal quantiles); few independent errors widen the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon.analytics.inputs import Floats

_TRUST = 20.0  # errors needed before the observed tail counts as much as the normal one


@dataclass(frozen=True, slots=True)
class IntervalScale:
    """Everything needed to give the half width of an interval at any confidence.

    Attributes:
        spread: Standard error of the forecast per horizon.
        shape: Sorted absolute standardised errors.
        independent: How many independent errors the spread rests on, per horizon.
    """

    spread: Floats
    shape: Floats
    independent: Floats

    def half_width(self, confidence: float) -> Floats:
        """Half the width of the interval that holds the value with probability ``confidence``."""
        from scipy import stats

        normal = float(stats.norm.ppf(0.5 + confidence / 2))
        count = len(self.shape)
        tail = normal
        if count:
            rank = min(int(np.ceil((count + 1) * confidence)), count)
            weight = count / (count + _TRUST)
            tail = weight * float(self.shape[rank - 1]) + (1 - weight) * normal
        freedom = np.maximum(self.independent, 2.0)
        unsure = np.asarray(stats.t.ppf(0.5 + confidence / 2, freedom)) / normal
        return self.spread * tail * unsure


def interval_scale(errors: Floats, horizon: int) -> IntervalScale:
    """Learn the scale from backtest ``errors`` (one row per origin, one column per horizon, NaN: unknown)."""
    steps = np.arange(1, errors.shape[1] + 1, dtype=np.float64)
    counts = (~np.isnan(errors)).sum(axis=0)
    independent = np.array([_independent(errors[:, h]) for h in range(errors.shape[1])])
    seen = counts > 0
    mean_square = np.array([np.nanmean(errors[:, h] ** 2) if seen[h] else np.nan for h in range(len(steps))])
    spread = _growth(steps[seen], mean_square[seen], independent[seen], horizon)
    usable = np.maximum(spread[: errors.shape[1]], 1e-300)
    standard = np.abs(errors) / usable
    flat = np.sort(standard[~np.isnan(standard)])
    total = float(max(independent.max(), 1.0))
    picked = flat if len(flat) <= total else np.quantile(flat, (np.arange(int(total)) + 0.5) / int(total))
    far = np.maximum(independent, 1.0)
    freedom = np.full(horizon, far[-1])
    freedom[: len(far)] = far
    # The spread curve borrows strength across horizons: each one rests on more than its own errors.
    freedom = np.maximum(freedom, total / 4)
    return IntervalScale(spread, np.asarray(picked, dtype=np.float64), freedom)


def _independent(errors: Floats) -> float:
    """How many independent squared errors a run of overlapping errors is worth."""
    e = errors[~np.isnan(errors)]
    if len(e) < 4 or not e.any():
        return float(len(e))
    centred = e - e.mean()
    power = float(centred @ centred)
    if power == 0:
        return float(len(e))
    total = 0.0
    for lag in range(1, len(e) // 2):
        rho = float(centred[lag:] @ centred[:-lag]) / power
        if rho <= 0.05:
            break
        total += rho * rho
    return len(e) / (1 + 2 * total)


def _growth(steps: Floats, mean_square: Floats, weight: Floats, horizon: int) -> Floats:
    """The error's standard deviation as a never shrinking function of the horizon."""
    from scipy.optimize import nnls

    size = float(np.max(mean_square, initial=0.0))
    if size <= 0:
        return np.zeros(horizon)
    root = np.sqrt(weight)
    longest = float(max(horizon, steps[-1]))
    basis = np.column_stack([np.ones_like(steps), steps / longest, (steps / longest) ** 2])
    coefficients, _ = nnls(basis * root[:, None], mean_square / size * root)
    ahead = np.arange(1, horizon + 1) / longest
    variance = coefficients[0] + coefficients[1] * ahead + coefficients[2] * ahead**2
    return np.sqrt(np.maximum(variance * size, 0.0))
