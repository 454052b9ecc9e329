"""Bringing scores of different detectors onto one scale without losing their tails.

A detector's scores are pulled through a logarithm anchored at their bulk, then centred and scaled:
the order stays, a far outlier stays far, and no single detector's unit dominates a sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LogScale:
    """A fitted monotone map from raw scores to comparable ones (mean 0, deviation 1 on the fit)."""

    floor: float
    anchor: float
    mean: float
    deviation: float

    @classmethod
    def fit(cls, scores: np.ndarray) -> LogScale:
        """Measure the bulk of ``scores``; constant scores map to zero."""
        floor, anchor = float(scores.min()), float(np.median(scores) - scores.min())
        if anchor <= 0:
            anchor = float(scores.mean() - floor)
        if anchor <= 0:
            return cls(floor, 1.0, 0.0, 0.0)
        logged = np.log1p((scores - floor) / anchor)
        return cls(floor, anchor, float(logged.mean()), float(logged.std()))

    def apply(self, scores: np.ndarray) -> np.ndarray:
        """Comparable scores."""
        if self.deviation <= 1e-12:
            return np.zeros(len(scores))
        # Rows beyond the fitted floor keep their order down to the point where the logarithm ends.
        above = np.maximum((scores - self.floor) / self.anchor, -0.999)
        return (np.log1p(above) - self.mean) / self.deviation
