"""Several detectors as one: comparable scores, their combination, agreement and disagreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.calibrate import LogScale, soft_max
from gnomon.core.errors import InvalidInput, NotFound

METHODS: Final = ("tail_mean", "rank_mean", "tail_max")
DEFAULT_METHOD: Final = "tail_mean"


@dataclass(frozen=True)
class Combination:
    """A fitted way to turn one score per detector into one score; works for new rows too.

    Attributes:
        method: One of ``METHODS``, or ``single`` for one detector, whose scores stay as they are.
        weights: One per detector, summing to 1.
        scales: The fitted scale of each detector.
        ordered: The sorted training scores of each detector, for ranks.
    """

    method: str
    weights: tuple[float, ...]
    scales: tuple[LogScale, ...]
    ordered: tuple[np.ndarray, ...]

    @classmethod
    def fit(
        cls,
        scores: Sequence[np.ndarray],
        method: str = DEFAULT_METHOD,
        weights: Sequence[float] | None = None,
    ) -> Combination:
        """Measure each detector's scale.

        Raises:
            NotFound: The method does not exist.
            InvalidInput: There are no scores, or the weights do not fit them.
        """
        if method not in METHODS:
            raise NotFound.among("way to combine scores", method, METHODS)
        if not scores:
            raise InvalidInput("A consensus needs the scores of at least one detector.")
        given = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=float)
        if len(given) != len(scores) or (given < 0).any() or given.sum() <= 0:
            raise InvalidInput(f"Weights must be {len(scores)} numbers, none below 0 and not all 0.")
        return cls(
            method if len(scores) > 1 else "single",
            tuple(float(w) for w in given / given.sum()),
            tuple(LogScale.fit(s) for s in scores),
            tuple(np.sort(s) for s in scores),
        )

    def apply(self, scores: Sequence[np.ndarray]) -> np.ndarray:
        """One score per row, the higher the more anomalous."""
        if self.method == "single":
            return np.asarray(scores[0], dtype=float)
        if self.method == "rank_mean":
            parts = [_rank(s, o) for s, o in zip(scores, self.ordered, strict=True)]
        else:
            parts = [scale.apply(s) for s, scale in zip(scores, self.scales, strict=True)]
        if self.method == "tail_max":
            return np.max(parts, axis=0)
        if self.method == "tail_mean":
            return soft_max(parts, self.weights)
        return np.asarray(np.tensordot(self.weights, np.array(parts), axes=1))


def _rank(scores: np.ndarray, ordered: np.ndarray) -> np.ndarray:
    """Share of the training rows below, ties counted half."""
    low = np.searchsorted(ordered, scores, side="left")
    high = np.searchsorted(ordered, scores, side="right")
    return (low + high + 1) / (2 * len(ordered))


def agreement(scores: Sequence[np.ndarray]) -> float:
    """Mean pairwise rank correlation from 0 to 1; 0.5 for one detector, where there is nothing to compare."""
    if len(scores) < 2:
        return 0.5
    ranks = [_rank(s, np.sort(s)) for s in scores]
    found: list[float] = []
    for i in range(len(ranks)):
        for j in range(i + 1, len(ranks)):
            constant = np.ptp(ranks[i]) == 0 or np.ptp(ranks[j]) == 0
            found.append(0.0 if constant else max(0.0, float(np.corrcoef(ranks[i], ranks[j])[0, 1])))
    return float(np.mean(found))


def votes(labels: Sequence[np.ndarray]) -> np.ndarray:
    """How many detectors flag each row."""
    return np.sum([np.asarray(v, dtype=int) for v in labels], axis=0)


def disagreements(counts: np.ndarray, scores: np.ndarray, n_detectors: int) -> list[int]:
    """Rows that some but not all detectors flag, the most anomalous first."""
    split = np.flatnonzero((counts > 0) & (counts < n_detectors))
    return [int(i) for i in split[np.argsort(-scores[split], kind="stable")]]


def threshold_for(scores: np.ndarray, contamination: float) -> float:
    """The score above which the given share of the rows lies; ties at the edge stay unflagged.

    Raises:
        InvalidInput: The share is not between 0 and 0.5.
    """
    if not 0 <= contamination <= 0.5:
        raise InvalidInput(f"contamination must lie between 0 and 0.5; got {contamination}.")
    n = len(scores)
    k = round(contamination * n)
    ordered = np.sort(scores)
    if contamination > 0:
        k = max(1, k)
    if k == 0:
        return float(ordered[-1])
    if k >= n:
        return float(np.nextafter(ordered[0], -np.inf))
    low, high = float(ordered[n - k - 1]), float(ordered[n - k])
    middle = low + 0.5 * (high - low)
    return middle if low < middle < high else low


def labels_above(scores: np.ndarray, threshold: float) -> np.ndarray:
    """1 where the score lies above the threshold."""
    return (np.asarray(scores) > threshold).astype(int)


def summary(scores: np.ndarray) -> Mapping[str, float]:
    """Mean, spread, extremes and quartiles of scores."""
    q25, q75 = np.percentile(scores, [25, 75])
    return {
        "mean": float(scores.mean()),
        "std": float(scores.std()),
        "min": float(scores.min()),
        "max": float(scores.max()),
        "q25": float(q25),
        "q75": float(q75),
    }
