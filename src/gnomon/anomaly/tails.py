"""How rare each value is in its own column: empirical tails and histogram heights, summed over columns."""

from __future__ import annotations

import numpy as np

from gnomon.anomaly.calibrate import LogScale
from gnomon.anomaly.detector import Detector
from gnomon.anomaly.scaling import sample_rows

_ROWS = 50_000


class TailMix(Detector):
    """Rare values, column by column: far in a tail, or in a gap between common values."""

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.sorted_ = np.sort(sample_rows(X, _ROWS, rng), axis=0).T.copy()
        spread = self.sorted_.std(axis=1, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            centred = (self.sorted_ - self.sorted_.mean(axis=1, keepdims=True)) / spread[:, None]
            skew = np.nan_to_num((centred**3).mean(axis=1))
        self.used_ = np.flatnonzero(self.sorted_[:, -1] > self.sorted_[:, 0])
        self.left_ = skew < 0
        self.bars_ = [_Bars.fit(self.sorted_[j]) for j in self.used_]
        parts = self._both(X)
        self.scales_ = [LogScale.fit(part) for part in parts]
        return np.mean([s.apply(part) for s, part in zip(self.scales_, parts, strict=True)], axis=0)

    def _score(self, X: np.ndarray) -> np.ndarray:
        parts = self._both(X)
        return np.mean([s.apply(part) for s, part in zip(self.scales_, parts, strict=True)], axis=0)

    def _both(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Surprise by tail probability, and by histogram height."""
        low, high, skewed, height = (np.zeros(len(X)) for _ in range(4))
        n = self.sorted_.shape[1]
        for j, bars in zip(self.used_, self.bars_, strict=True):
            x, values = np.ascontiguousarray(X[:, j]), self.sorted_[j]
            below = -np.log((np.searchsorted(values, x, side="right") + 1) / (n + 1))
            above = -np.log((n - np.searchsorted(values, x, side="left") + 1) / (n + 1))
            low += below
            high += above
            skewed += below if self.left_[j] else above
            height += bars.surprise(x)
        return np.maximum(np.maximum(low, high), skewed), height


class _Bars:
    """A histogram of one column: a bar per value where values repeat, bars of one width elsewhere."""

    def __init__(self, edges: np.ndarray, surprises: np.ndarray, discrete: bool, unseen: float) -> None:
        self.edges = edges
        self.surprises = surprises
        self.discrete = discrete
        self.unseen = unseen

    @classmethod
    def fit(cls, ordered: np.ndarray) -> _Bars:
        n = len(ordered)
        bins = int(np.clip(np.sqrt(n), 5, 50))
        values, counts = np.unique(ordered, return_counts=True)
        discrete = len(values) <= bins
        if discrete:
            edges, share = values, counts / n * len(values)
        else:
            counts, edges = np.histogram(ordered, bins)
            share = counts / n * bins
        return cls(edges, -np.log(share + 1e-3), discrete, -float(np.log(1e-3)))

    def surprise(self, x: np.ndarray) -> np.ndarray:
        if self.discrete:
            at = np.clip(np.searchsorted(self.edges, x), 0, len(self.edges) - 1)
            return np.where(self.edges[at] == x, self.surprises[at], self.unseen)
        width = (self.edges[-1] - self.edges[0]) / len(self.surprises)
        at = np.clip((x - self.edges[0]) / width, -1, len(self.surprises)).astype(int)
        inside = (x >= self.edges[0]) & (x <= self.edges[-1])
        return np.where(inside, self.surprises[np.clip(at, 0, len(self.surprises) - 1)], self.unseen)
