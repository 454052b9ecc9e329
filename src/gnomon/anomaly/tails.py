"""How rare each value is in its own column: empirical tails and histogram heights, summed over columns."""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.calibrate import VIEWS, LogScale, soft_max
from gnomon.anomaly.detector import Detector
from gnomon.anomaly.lookup import CHUNK, Grid
from gnomon.anomaly.scaling import sample_rows

_ROWS: Final = 20_000
_KNOTS: Final = 500


class TailMix(Detector):
    """Rare values, column by column: far in a tail, or in a gap between common values."""

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        ordered = np.sort(sample_rows(X, _ROWS, rng), axis=0)
        self.used_ = np.flatnonzero(ordered[-1] > ordered[0])
        self.tails_ = [_Tails.fit(ordered[:, j]) for j in self.used_]
        self.bars_ = [_Bars.fit(ordered[:, j]) for j in self.used_]
        parts = self._views(X)
        self.scales_ = [LogScale.fit(part) for part in parts]
        return self._score_parts(parts)

    def _score(self, X: np.ndarray) -> np.ndarray:
        return self._score_parts(self._views(X))

    def _score_parts(self, parts: np.ndarray) -> np.ndarray:
        return soft_max([s.apply(part) for s, part in zip(self.scales_, parts, strict=True)], sharpness=VIEWS)

    def _views(self, X: np.ndarray) -> np.ndarray:
        """Surprise in one direction, in either, and by histogram height, a row each."""
        views = np.empty((3, len(X)))
        for start in range(0, len(X), CHUNK):
            views[:, start : start + CHUNK] = self._part(X[start : start + CHUNK])
        return views

    def _part(self, X: np.ndarray) -> np.ndarray:
        low, high, skewed, either, height = (np.zeros(len(X)) for _ in range(5))
        columns = np.ascontiguousarray(X.T)
        for j, tails, bars in zip(self.used_, self.tails_, self.bars_, strict=True):
            below, above = tails.surprise(columns[j])
            low += below
            high += above
            skewed += below if tails.left else above
            either += np.maximum(below, above)
            height += bars.surprise(columns[j])
        return np.stack([np.maximum(np.maximum(low, high), skewed), either, height])


class _Tails:
    """The empirical distribution of one column at knots: every extreme value, and quantiles between."""

    def __init__(self, knots: np.ndarray, below: np.ndarray, above: np.ndarray, at: np.ndarray, left: bool):
        self.knots = knots
        self.below = below
        self.above = above
        self.at = at
        self.left = left
        self.grid: Grid | None = None

    @classmethod
    def fit(cls, ordered: np.ndarray) -> _Tails:
        n = len(ordered)
        values, first, count = np.unique(ordered, return_index=True, return_counts=True)
        if len(values) > 4 * _KNOTS:
            middle = np.linspace(_KNOTS, len(values) - _KNOTS - 1, 2 * _KNOTS).astype(int)
            ends = np.arange(_KNOTS)
            pick = np.unique(np.concatenate([ends, middle, len(values) - 1 - ends]))
            values, first, count = values[pick], first[pick], count[pick]
        up_to = first + count
        left = bool(np.mean((ordered - ordered.mean()) ** 3) < 0)
        made = cls(
            values,
            -np.log((np.concatenate([[0], up_to]) + 1) / (n + 1)),
            -np.log((n - np.concatenate([[0], up_to]) + 1) / (n + 1)),
            -np.log((n - first + 1) / (n + 1)),
            left,
        )
        made.grid = Grid.over(ordered, made.exact) if len(values) > _KNOTS else None
        return made

    def surprise(self, x: np.ndarray) -> np.ndarray:
        """Minus the logarithms of the shares at or below and at or above each value, as two rows."""
        return self.exact(x) if self.grid is None else self.grid(x)

    def exact(self, x: np.ndarray) -> np.ndarray:
        """The same by searching."""
        index = np.searchsorted(self.knots, x, side="right")
        before = np.maximum(index - 1, 0)
        seen = self.knots[before] == x
        return np.stack([self.below[index], np.where(seen, self.at[before], self.above[index])])


class _Bars:
    """A histogram of one column: a bar per value where values repeat, bars of one width elsewhere."""

    def __init__(self, edges: np.ndarray, surprises: np.ndarray, discrete: bool, unseen: float) -> None:
        self.edges = edges
        self.surprises = surprises
        self.discrete = discrete
        self.unseen = unseen
        self.framed = np.concatenate([[unseen], surprises, [unseen]])

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
        # An empty bar counts as half a row, so that new rows compare with fitted ones, which find themselves.
        least = 0.5 / n * (len(values) if discrete else bins)
        return cls(edges, -np.log(np.maximum(share, least)), discrete, -float(np.log(least)))

    def surprise(self, x: np.ndarray) -> np.ndarray:
        if self.discrete:
            at = np.clip(np.searchsorted(self.edges, x), 0, len(self.edges) - 1)
            return np.where(self.edges[at] == x, self.surprises[at], self.unseen)
        # One bar of "unseen" on either side; the grace keeps the largest value in the last bar.
        per_unit = len(self.surprises) / (self.edges[-1] - self.edges[0]) * (1 - 1e-9)
        at = np.clip((x - self.edges[0]) * per_unit + 1, 0, len(self.surprises) + 1)
        return self.framed[at.astype(np.intp)]
