"""How many rows are anomalous: p-values of scores, a bound on false discoveries, and the share it gives."""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.consensus import labels_above, threshold_for
from gnomon.core.errors import InvalidInput

FALSE_DISCOVERY_RATE: Final = 0.1
MOST: Final = 0.5
_TAIL: Final = 0.02


def p_values(scores: np.ndarray, null_scores: np.ndarray) -> np.ndarray:
    """How often the null reaches each score; beyond its own tail, by an exponential continuation.

    Args:
        scores: Scores of the rows under investigation.
        null_scores: Scores of rows without anomalies, by the same detectors.
    """
    ordered = np.sort(null_scores)
    n = len(ordered)
    if n < 50:
        raise InvalidInput(f"p-values need at least 50 scores of the null; got {n}.")
    share = (n - np.searchsorted(ordered, scores, side="left") + 1) / (n + 1)
    edge = float(ordered[int((1 - _TAIL) * n)])
    beyond = ordered[ordered > edge] - edge
    slope = float(beyond.mean()) if len(beyond) else 0.0
    if slope <= 1e-12 * max(1.0, abs(edge)):
        return share
    continued = _TAIL * np.exp(-np.maximum(scores - edge, 0.0) / slope)
    return np.where(scores > edge, np.clip(continued, 1e-300, 1.0), share)


def p_values_from_bulk(scores: np.ndarray) -> np.ndarray:
    """p-values where no null can be drawn: the upper tail continues as its middle part falls.

    The fall is measured between the median and the 90th percentile, where few anomalies lie.
    """
    middle, edge = np.quantile(scores, [0.5, 0.9])
    if edge <= middle:
        above = np.sort(scores[scores > middle])
        if len(above) < 5:
            return np.ones(len(scores))
        edge = float(np.median(above))
    slope = float(edge - middle) / np.log(5.0)
    return np.minimum(1.0, 0.5 * np.exp(-np.maximum(scores - middle, 0.0) / slope))


def global_p(values: np.ndarray) -> float:
    """One p-value for all rows together, corrected for their number (Simes)."""
    ordered = np.sort(values)
    n = len(ordered)
    return float(min(1.0, (ordered * n / np.arange(1, n + 1)).min())) if n else 1.0


def discoveries(values: np.ndarray, rate: float = FALSE_DISCOVERY_RATE) -> int:
    """How many rows stand out when the expected share of false ones is at most ``rate``."""
    ordered = np.sort(values)
    n = len(ordered)
    passing = np.flatnonzero(ordered <= rate * np.arange(1, n + 1) / n)
    return int(passing[-1]) + 1 if len(passing) else 0


def estimate_contamination(values: np.ndarray, rate: float = FALSE_DISCOVERY_RATE) -> float:
    """The share of rows beyond chance, at most half."""
    return min(MOST, discoveries(values, rate) / len(values)) if len(values) else 0.0


def rethreshold(scores: np.ndarray, contamination: float) -> tuple[float, np.ndarray]:
    """Threshold and labels for another share, without fitting anything again."""
    threshold = threshold_for(scores, contamination)
    return threshold, labels_above(scores, threshold)
