"""Autocorrelation of noise: how it is measured, and how it is taken out before a test that assumes none."""

from __future__ import annotations

import numpy as np

from gnomon.analytics.inputs import Floats


def lag_correlation(values: Floats, lag: int) -> float:
    """Autocorrelation at ``lag`` (0 for a constant series)."""
    centred = values - values.mean()
    power = float(centred @ centred)
    if power <= 0 or lag >= len(values):
        return 0.0
    return float(centred[lag:] @ centred[:-lag]) / power


def ar_coefficients(noise: Floats, most: int = 3) -> Floats:
    """Coefficients of the autoregression (order chosen by AIC, at most ``most``) that describes ``noise``."""
    n = len(noise)
    if n < 10 or np.ptp(noise) == 0:
        return np.zeros(0)
    rho = np.array([1.0] + [lag_correlation(noise, k) for k in range(1, most + 1)])
    best, best_score = np.zeros(0), 0.0
    for order in range(1, min(most, n // 5) + 1):
        matrix = rho[np.abs(np.subtract.outer(np.arange(order), np.arange(order)))]
        try:
            phi = np.linalg.solve(matrix, rho[1 : order + 1])
        except np.linalg.LinAlgError:
            break
        left = 1 - float(phi @ rho[1 : order + 1])
        score = n * np.log(max(left, 1e-12)) + 2 * order
        if score < best_score:
            best, best_score = phi, score
    return best


def whitened(values: Floats, phi: Floats) -> Floats:
    """``values`` with the autoregression ``phi`` filtered out; the first ``len(phi)`` values are lost."""
    out = values[len(phi) :].copy()
    for lag, weight in enumerate(phi, start=1):
        out -= weight * values[len(phi) - lag : len(values) - lag]
    return out
