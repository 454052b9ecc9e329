"""Bringing scores of different detectors onto one scale without losing their tails, and merging them.

A detector's scores are pulled through a logarithm anchored at their bulk, then centred and divided by the
width of the bulk: the order stays, a far outlier stays far, and what stands out cannot blow up the unit it is
measured in. Merged, one detector that sees a row far out counts for more than several that see nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

# Quartiles of a normal distribution lie this many deviations apart.
_QUARTILES: Final = 1.349
# Where half of the scores are nearly the same, the whole of them says how wide the bulk is at least.
_LEAST: Final = 0.5
# Views of one detector resemble each other more than detectors do: nearer to their mean, chance weighs less.
VIEWS: Final = 0.5


@dataclass(frozen=True)
class LogScale:
    """A fitted monotone map from raw scores to comparable ones (median 0, bulk of width 1 on the fit)."""

    floor: float
    anchor: float
    centre: float
    unit: float

    @classmethod
    def fit(cls, scores: np.ndarray) -> LogScale:
        """Measure the bulk of ``scores``; constant scores map to zero."""
        floor, anchor = float(scores.min()), float(np.median(scores) - scores.min())
        if anchor <= 0:
            anchor = float(scores.mean() - floor)
        if anchor <= 0:
            return cls(floor, 1.0, 0.0, 0.0)
        logged = np.log1p((scores - floor) / anchor)
        q25, centre, q75 = np.percentile(logged, [25, 50, 75])
        return cls(
            floor, anchor, float(centre), max(float(q75 - q25) / _QUARTILES, _LEAST * float(logged.std()))
        )

    def apply(self, scores: np.ndarray) -> np.ndarray:
        """Comparable scores."""
        if self.unit <= 1e-12:
            return np.zeros(len(scores))
        # Rows beyond the fitted floor keep their order down to the point where the logarithm ends.
        above = np.maximum((scores - self.floor) / self.anchor, -0.999)
        return (np.log1p(above) - self.centre) / self.unit


def soft_max(
    parts: Sequence[np.ndarray], weights: Sequence[float] | None = None, sharpness: float = 1.0
) -> np.ndarray:
    """One score per row from several comparable ones: the logarithm of their mean exponential.

    Between the mean, which hides what only one part sees, and the maximum, which hears the loudest noise.

    Args:
        parts: One score per row each.
        weights: One per part; equal where not given.
        sharpness: The larger, the nearer to the maximum.
    """
    scores = np.asarray(parts, dtype=float)
    highest = scores.max(axis=0)
    mean = np.average(np.exp(sharpness * (scores - highest)), axis=0, weights=weights)
    return np.asarray(np.log(mean) / sharpness + highest)
