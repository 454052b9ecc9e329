"""How many rows are anomalous: p-values of scores, a bound on false discoveries, and the share it gives."""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.consensus import labels_above, threshold_for
from gnomon.core.errors import InvalidInput

FALSE_DISCOVERY_RATE: Final = 0.1
MOST: Final = 0.5
_TAIL: Final = 0.01
_TAIL_ROWS: Final = 40
_TAIL_VALUES: Final = 8
# Evidence is sought among the smallest p-values, up to this share of the rows, at this many counts.
_LOOK: Final = 0.15
_COUNTS: Final = 30
_RELAXED: Final = (3.0, 5.0)


def p_values(scores: np.ndarray, null_scores: np.ndarray, expected: float | None = None) -> np.ndarray:
    """How often the null reaches each score; beyond its own tail, by an exponential continuation.

    Args:
        scores: Scores of the rows under investigation.
        null_scores: Scores of rows without anomalies, by the same detectors.
        expected: How much scores in the tail are expected to lie above its edge on average, where known;
            counts as much as the null's own tail.
    """
    ordered = np.sort(null_scores)
    n = len(ordered)
    if n < 50:
        raise InvalidInput(f"p-values need at least 50 scores of the null; got {n}.")
    share = (n - np.searchsorted(ordered, scores, side="left") + 1) / (n + 1)
    tail = max(_TAIL, min(0.1, _TAIL_ROWS / n))
    edge = float(ordered[int((1 - tail) * n)])
    beyond = ordered[ordered > edge] - edge
    slope = float(beyond.mean()) if len(beyond) else 0.0
    if expected is not None:
        slope = (slope * len(beyond) + expected * _TAIL_ROWS) / (len(beyond) + _TAIL_ROWS)
    # Scores of a few values have no tail to continue.
    if slope <= 1e-12 * max(1.0, abs(edge)) or len(np.unique(beyond)) < _TAIL_VALUES:
        return share
    continued = tail * np.exp(-np.maximum(scores - edge, 0.0) / slope)
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


def among(p: float, looks: float) -> float:
    """The p-value of the smallest of ``looks`` independent ones; below 1 as long as it is, so that it ranks."""
    return float(-np.expm1(looks * np.log1p(-p))) if p < 1 else 1.0


def looked_at(n: int) -> int:
    """How many of ``n`` rows, the smallest p-values first, :func:`global_p` looks at."""
    return max(1, round(_LOOK * n))


def global_p(values: np.ndarray, lenient: float = 1.0, total: int | None = None) -> float:
    """One p-value for all rows together: are more of them small than chance allows (Berk and Jones).

    Args:
        values: p-values of the rows.
        lenient: By how much the p-values may be too small before that counts as evidence.
        total: How many rows there are, where ``values`` holds only the :func:`looked_at` smallest.
    """
    from scipy.special import betainc

    n = len(values) if total is None else total
    if n == 0:
        return 1.0
    counts = np.unique(np.round(np.geomspace(1, looked_at(n), _COUNTS)).astype(int))
    ordered = np.sort(np.partition(values, counts[-1] - 1)[: counts[-1]])
    surprise = betainc(counts, n - counts + 1, np.minimum(1.0, lenient * ordered[counts - 1]))
    # How many independent looks the counts amount to, by simulation.
    looks = max(1.0, 1.8 * np.log(n))
    return float(-np.expm1(-looks * float(surprise.min())))


def discoveries(values: np.ndarray, rate: float = FALSE_DISCOVERY_RATE) -> int:
    """How many rows stand out when the expected share of false ones is at most ``rate``."""
    ordered = np.sort(values)
    n = len(ordered)
    passing = np.flatnonzero(ordered <= rate * np.arange(1, n + 1) / n)
    return int(passing[-1]) + 1 if len(passing) else 0


def estimate_contamination(
    values: np.ndarray, rate: float = FALSE_DISCOVERY_RATE, *, beyond: bool = False
) -> float:
    """The share of rows beyond chance, at most half.

    Args:
        values: p-values of the rows.
        rate: Expected share of false ones among those flagged.
        beyond: It is known that some rows are beyond chance; where the rate leaves none, it is relaxed.
    """
    if not len(values):
        return 0.0
    found = discoveries(values, rate)
    for relaxed in _RELAXED if beyond else ():
        found = found or discoveries(values, relaxed * rate)
    return min(MOST, found / len(values))


def rethreshold(scores: np.ndarray, contamination: float) -> tuple[float, np.ndarray]:
    """Threshold and labels for another share, without fitting anything again."""
    threshold = threshold_for(scores, contamination)
    return threshold, labels_above(scores, threshold)
