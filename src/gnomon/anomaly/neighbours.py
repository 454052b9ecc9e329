"""Distance to the nearest of a few random rows, averaged over many draws.

A small draw measures distance to the bulk, a larger one distance to the local neighbourhood; both cost
a fixed number of distances per row, so a million rows take a million times one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from gnomon.anomaly.calibrate import VIEWS, LogScale, soft_max
from gnomon.anomaly.detector import Detector
from gnomon.anomaly.scaling import Normal, Robust, Scaling, White

_CHUNK: Final = 8192
_REFERENCE: Final = 1024
_MANY: Final = 20_000


class NearestOfSample:
    """Mean distance to the nearest member over ``draws`` random subsets of ``size`` rows."""

    def __init__(self, size: int, draws: int, nearest: int = 1) -> None:
        self.size = size
        self.draws = draws
        self.nearest = nearest
        self.anchors_: np.ndarray = np.empty((0, 0), dtype=np.float32)
        self.rows_: np.ndarray = np.empty(0, dtype=int)

    def fit(self, Z: np.ndarray, rng: np.random.Generator) -> NearestOfSample:
        """Draw the subsets."""
        size = max(1, min(self.size, len(Z) - 1))
        # One row per member and one column per draw: the nearest of a draw is then an elementwise minimum.
        self.rows_ = np.stack([rng.choice(len(Z), size, replace=False) for _ in range(self.draws)], axis=1)
        self.anchors_ = Z[self.rows_.ravel()]
        return self

    def score(self, Z: np.ndarray, *, own: bool = False) -> np.ndarray:
        """Mean distance of each row; with ``own`` the rows are those of the fit and skip themselves."""
        size, draws = self.rows_.shape
        square = (self.anchors_**2).sum(axis=1)
        out = np.empty(len(Z))
        members = self.rows_.ravel()
        order = np.argsort(members, kind="stable")
        step = max(256, min(_CHUNK, 30_000_000 // max(1, draws * size)))
        for start in range(0, len(Z), step):
            part = Z[start : start + step]
            away = part @ self.anchors_.T
            away *= -2
            away += square
            away += (part**2).sum(axis=1)[:, None]
            if own:
                lo, hi = np.searchsorted(members[order], [start, start + len(part)])
                away[members[order[lo:hi]] - start, order[lo:hi]] = np.inf
            out[start : start + step] = _nearest(away.reshape(len(part), size, draws), self.nearest)
        return out


def _nearest(away: np.ndarray, k: int) -> np.ndarray:
    """Mean over draws of the distance to the ``k`` nearest members, from squares (rows, members, draws)."""
    if k == 1 or away.shape[1] <= k:
        near = away[:, 0]
        for member in range(1, away.shape[1]):
            near = np.minimum(near, away[:, member])
        distance = np.sqrt(np.maximum(near, 0.0))
    else:
        distance = np.sqrt(np.maximum(np.partition(away, k - 1, axis=1)[:, :k], 0.0)).mean(axis=1)
    # A draw of one row that is the row itself says nothing: the other draws decide.
    known = np.isfinite(distance)
    if bool(known.all()):
        return distance.mean(axis=1)
    return np.where(known, distance, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)


def _alike(Z: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The same score for rows that repeat each other: that of those which were not drawn as a member."""
    key = np.einsum("ij,j->i", Z, np.random.default_rng(0).standard_normal(Z.shape[1]))
    values, group = np.unique(key, return_inverse=True)
    if len(values) > 0.9 * len(Z):
        return scores
    least = np.full(len(values), np.inf)
    np.minimum.at(least, group, scores)
    return least[group]


class NeighbourMix(Detector):
    """Far from random rows, on several scalings and neighbourhood sizes at once."""

    def _parts(self, X: np.ndarray, rng: np.random.Generator) -> Sequence[tuple[Scaling, NearestOfSample]]:
        normal, soft = Normal.fit(X, rng), Robust.fit(X, rng, tails="soft")
        # The cost is per row and draw; with many rows half the draws rank them just as well.
        part = 1 if len(X) <= _MANY else 2
        return (
            (normal, NearestOfSample(4, 60 // part)),
            (soft, NearestOfSample(16, 40 // part)),
            (Robust.fit(X, rng, shared=True), NearestOfSample(16, 40 // part)),
        )

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.parts_ = self._parts(X, rng)
        self.scales_: list[LogScale] = []
        seen: list[np.ndarray] = []
        for scaling, near in self.parts_:
            Z = scaling.apply(X)
            scores = _alike(Z, near.fit(Z, rng).score(Z, own=True))
            self.scales_.append(LogScale.fit(scores))
            seen.append(self.scales_[-1].apply(scores))
        return soft_max(seen, sharpness=VIEWS)

    def _score(self, X: np.ndarray) -> np.ndarray:
        scored = (
            s.apply(near.score(scaling.apply(X)))
            for (scaling, near), s in zip(self.parts_, self.scales_, strict=True)
        )
        return soft_max(list(scored), sharpness=VIEWS)


class LocalNeighbours(NeighbourMix):
    """Far from the nearest of a few hundred rows: finds rows that are odd only for where they lie."""

    def _parts(self, X: np.ndarray, rng: np.random.Generator) -> Sequence[tuple[Scaling, NearestOfSample]]:
        draws = 6 if len(X) <= _MANY else 2
        return (
            (Robust.fit(X, rng), NearestOfSample(512, draws, nearest=3)),
            (White.fit(X, rng), NearestOfSample(256, draws, nearest=3)),
        )


class LocalDensity(Detector):
    """Farther from its neighbours than those are from theirs, measured against a sample of the rows."""

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.scaling_ = Robust.fit(X, rng, tails="bent")
        Z = self.scaling_.apply(X)
        size = min(_REFERENCE, len(Z))
        self.rows_ = np.sort(rng.choice(len(Z), size, replace=False))
        self.reference_ = Z[self.rows_]
        self.k_ = min(10, size - 1)
        near = self._neighbours(self.reference_, np.arange(size))[0] if self.k_ else np.ones(size)
        self.floor_ = _grain(near)
        self.radius_ = near
        where = np.full(len(Z), -1)
        where[self.rows_] = np.arange(size)
        return self._ratio(Z, where)

    def _score(self, X: np.ndarray) -> np.ndarray:
        return self._ratio(self.scaling_.apply(X), np.full(len(X), -1))

    def _ratio(self, Z: np.ndarray, where: np.ndarray) -> np.ndarray:
        if self.k_ == 0:
            return np.zeros(len(Z))
        out = np.empty(len(Z))
        for start in range(0, len(Z), _CHUNK):
            part = slice(start, start + _CHUNK)
            distance, index = self._neighbours(Z[part], where[part])
            usual = self.radius_[index].mean(axis=1)
            out[part] = (distance + self.floor_) / (usual + self.floor_)
        return out

    def _neighbours(self, Z: np.ndarray, where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean distance to the nearest reference rows other than itself, and which they are."""
        D = (Z**2).sum(axis=1)[:, None] + (self.reference_**2).sum(axis=1) - 2 * Z @ self.reference_.T
        own = np.flatnonzero(where >= 0)
        D[own, where[own]] = np.inf
        index = np.argpartition(D, self.k_ - 1, axis=1)[:, : self.k_]
        return np.sqrt(np.maximum(np.take_along_axis(D, index, axis=1), 0.0)).mean(axis=1), index


def _grain(near: np.ndarray) -> float:
    """The distance below which differences mean nothing: the step of a grid where rows repeat on one."""
    positive = near[near > 0]
    if len(positive) == 0:
        return 1.0
    repeats = len(positive) < 0.98 * len(near) or float(np.quantile(near, 0.1)) < 0.01 * float(near.mean())
    return float(np.median(positive)) if repeats else 0.05 * float(np.median(near))
