"""What a generic ensemble of detectors makes of a prepared matrix, and how good the ranking is."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score
from sklearn.neighbors import NearestNeighbors


def generic_scores(matrix: np.ndarray) -> np.ndarray:
    """Isolation forest, nearest neighbours and distance from the origin, standardised and added up."""
    forest = -IsolationForest(n_estimators=100, random_state=0).fit(matrix).score_samples(matrix)
    k = min(20, len(matrix) - 1)
    near = NearestNeighbors(n_neighbors=k).fit(matrix).kneighbors()[0][:, -1]
    size = np.sqrt((matrix**2).sum(axis=1))
    return sum((s - s.mean()) / (s.std() + 1e-12) for s in (forest, near, size))


def precision(matrix: np.ndarray, planted: np.ndarray) -> float:
    """Average precision of the generic ensemble."""
    return float(average_precision_score(planted, generic_scores(matrix)))
