"""A straight line through the periods of a figure, honest about rows and autocorrelation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.trends import noise_correlation, variance_inflation


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through a series: how steep, how sure, and the correlation with time."""

    slope: float
    error: float
    p_value: float
    start: float
    end: float
    fit: float


def line(values: Floats, noise: Floats) -> Line:
    """A weighted straight line; its error is never below what the rows of a period explain, and is widened for
    autocorrelation."""
    from scipy.special import stdtr

    n = len(values)
    t = np.arange(n, dtype=np.float64)
    w = 1 / np.maximum(noise, 1e-300)
    w = w / w.mean()
    centre = (w * t).sum() / w.sum()
    level = (w * values).sum() / w.sum()
    square = float((w * (t - centre) ** 2).sum())
    slope = float((w * (t - centre) * (values - level)).sum() / square)
    left = values - level - slope * (t - centre)
    scatter = float((w * left**2).sum()) / max(n - 2, 1)
    expected = float((w * noise).mean())
    inflation = variance_inflation(noise_correlation(left), n)
    error = float(np.sqrt(max(scatter, expected) * inflation / square))
    p = float(min(1.0, 2 * stdtr(max(n - 2, 1), -abs(slope) / error))) if error > 0 else 1.0
    total = float((w * (values - level) ** 2).sum())
    fit = float(np.sqrt(max(0.0, 1 - float((w * left**2).sum()) / total))) if total > 0 else 0.0
    return Line(slope, error, p, float(level - slope * centre), float(level + slope * (n - 1 - centre)), fit)
