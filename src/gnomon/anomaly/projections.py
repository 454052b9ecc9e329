"""Rare values along random directions: what no single column shows but a combination does."""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.calibrate import VIEWS, LogScale, soft_max
from gnomon.anomaly.detector import Detector
from gnomon.anomaly.lookup import CHUNK
from gnomon.anomaly.scaling import Robust, White, sample_rows

_ROWS: Final = 20_000
_MANY: Final = 20_000


class RandomHistograms:
    """Mean surprise of a row over histograms of random sparse combinations of columns."""

    def __init__(self, directions: int = 100) -> None:
        self.directions = directions

    def fit(self, Z: np.ndarray, rng: np.random.Generator) -> RandomHistograms:
        """Draw directions and measure their histograms."""
        p = Z.shape[1]
        used = max(1, round(p**0.5))
        spread = Z.std(axis=0, dtype=float)
        weights = np.zeros((p, self.directions))
        for d in range(self.directions):
            chosen = rng.choice(p, used, replace=False)
            weights[chosen, d] = rng.standard_normal(used)
        self.weights_ = (weights / np.where(spread > 1e-9, spread, 1.0)[:, None]).astype(np.float32)
        P = sample_rows(Z, _ROWS, rng) @ self.weights_
        bins = int(np.clip(2 * len(P) ** (1 / 3), 5, 60))
        self.low_ = P.min(axis=0)
        width = (P.max(axis=0) - self.low_).astype(float) / bins
        self.width_ = np.where(width > 1e-12, width, 1.0).astype(np.float32)
        self.surprise_ = np.empty((bins + 1, self.directions), dtype=np.float32)
        for d in range(self.directions):
            at = np.clip((P[:, d] - self.low_[d]) / self.width_[d], 0, bins - 1).astype(int)
            # An empty bar counts as half a row: a fitted row always finds itself, a new one must not be
            # punished for not being there.
            height = np.maximum(np.bincount(at, minlength=bins), 0.5) / len(P) / self.width_[d]
            self.surprise_[:bins, d] = -np.log(height)
            self.surprise_[bins, d] = -np.log(0.5 / len(P) / self.width_[d])
        return self

    def score(self, Z: np.ndarray) -> np.ndarray:
        """Mean surprise of each row."""
        bins = len(self.surprise_) - 1
        # One bar of "unseen" on either side of each histogram.
        framed = np.vstack([self.surprise_[-1:], self.surprise_]).T.ravel()
        offsets = (np.arange(self.directions) * (bins + 2)).astype(np.float32)
        weights = self.weights_ / self.width_
        start_at = self.low_ / self.width_
        out = np.empty(len(Z))
        for start in range(0, len(Z), CHUNK):
            at = Z[start : start + CHUNK] @ weights
            at -= start_at
            # Half a bar of grace at both ends: rounding must not make a seen row unseen.
            unseen = (at < -0.5) | (at > bins + 0.5)
            np.clip(at, 0, bins - 0.5, out=at)
            at += offsets + np.float32(1)
            index = at.astype(np.intp)
            if bool(unseen.any()):
                np.copyto(index, offsets.astype(np.intp), where=unseen)
            out[start : start + CHUNK] = framed[index].mean(axis=1, dtype=np.float32)
        return out


class ProjectionMix(Detector):
    """Random histograms over softly scaled columns and over decorrelated ones."""

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.scalings_ = (Robust.fit(X, rng, tails="soft"), White.fit(X, rng))
        self.views_: list[RandomHistograms] = []
        self.scales_: list[LogScale] = []
        seen: list[np.ndarray] = []
        for scaling in self.scalings_:
            Z = scaling.apply(X)
            self.views_.append(RandomHistograms(100 if len(X) <= _MANY else 50).fit(Z, rng))
            scores = self.views_[-1].score(Z)
            self.scales_.append(LogScale.fit(scores))
            seen.append(self.scales_[-1].apply(scores))
        return soft_max(seen, sharpness=VIEWS)

    def _score(self, X: np.ndarray) -> np.ndarray:
        fitted = zip(self.scalings_, self.views_, self.scales_, strict=True)
        seen = [scale.apply(view.score(scaling.apply(X))) for scaling, view, scale in fitted]
        return soft_max(seen, sharpness=VIEWS)


class RobustCovariance(Detector):
    """Distance from the bulk in units of the bulk's own spread (a robust Mahalanobis distance)."""

    def _learn(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.white_ = White.fit(X, rng, tails="bent")
        return self._score(X)

    def _score(self, X: np.ndarray) -> np.ndarray:
        return np.sqrt((self.white_.apply(X).astype(float) ** 2).sum(axis=1))
