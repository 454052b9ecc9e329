"""Scalings that detectors put in front of themselves: each is fitted once and applied to new rows alike.

``robust`` centres on the median and divides by a quantile range, with or without compressed
tails, ``normal`` maps each column to normal scores, ``white`` removes robust linear dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np

from gnomon.anomaly.lookup import CHUNK, Exact, Grid

_SAMPLE: Final = 5_000
_MANY: Final = 20_000
_LIMIT: Final = 1e3
_FARTHEST: Final = 1e30
_KNEE: Final = 3.0
_WIDE: Final = 200
_WIDE_SAMPLE: Final = 2_000

Tails = Literal["linear", "soft", "bent"]


class Scaling(Protocol):
    """A fitted map from matrix to matrix."""

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The rows of ``X`` on the new scale, as float32."""
        ...


def sample_rows(X: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """At most ``size`` rows of ``X``, drawn without replacement, in their order."""
    if len(X) <= size:
        return X
    return X[np.sort(rng.choice(len(X), size, replace=False))]


def _measured(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The rows that scales are measured on: all, or a sample where there are many."""
    return sample_rows(X, _SAMPLE, rng) if len(X) > _MANY else X


@dataclass(frozen=True)
class Robust:
    """Median and quantile range.

    Tails stay as they are (``linear``), grow like a logarithm all along (``soft``), or from three units on
    (``bent``), which leaves the shape of the bulk alone.
    """

    centre: np.ndarray
    scale: np.ndarray
    tails: Tails = "linear"

    @classmethod
    def fit(
        cls, X: np.ndarray, rng: np.random.Generator, *, tails: Tails = "linear", shared: bool = False
    ) -> Robust:
        """Measure centre and scale on a sample of the rows.

        Args:
            X: The rows.
            rng: For the sample.
            tails: What happens to values far from the centre.
            shared: One scale for all columns, that of the widest: units stay as they were measured, which
                tells most where columns share one (pixels, embeddings, counts).
        """
        S = _measured(X, rng).astype(float)
        q05, q25, centre, q75, q95 = np.percentile(S, [5, 25, 50, 75, 95], axis=0)
        scale = np.maximum((q75 - q25) / 1.349, 0.5 * (q95 - q05) / 3.29)
        spread = S.std(axis=0)
        narrow = scale <= 1e-9 * spread
        if bool(narrow.any()):  # what hardly varies in a sample may vary in the rest
            spread[narrow] = X[:, narrow].std(axis=0, dtype=float)
        scale = np.where(scale > 1e-9 * spread, scale, spread)
        scale = np.where(spread > 1e-12 * np.maximum(np.abs(centre), 1e-280), scale, 0.0)
        return cls(centre, np.where(scale > 0, scale.max(), 0.0) if shared else scale, tails)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Centred and scaled rows, constant columns at zero."""
        per_unit = np.where(self.scale > 0, 1.0 / np.where(self.scale > 0, self.scale, 1.0), 0.0)
        Z = np.empty(X.shape, dtype=np.float32)
        for start in range(0, len(X), CHUNK):
            part = slice(start, start + CHUNK)
            # The centre is taken off in double precision; the rest needs no more than single.
            with np.errstate(over="ignore"):
                Z[part] = np.clip((X[part] - self.centre) * per_unit, -_FARTHEST, _FARTHEST)
            Z[part] = self._tailed(Z[part])
        return Z

    def _tailed(self, Z: np.ndarray) -> np.ndarray:
        if self.tails == "soft":
            return np.arcsinh(Z)
        if self.tails == "bent":
            size = np.abs(Z)
            far = _KNEE + np.log1p(np.maximum(size - _KNEE, 0.0))
            return np.sign(Z) * np.where(size > _KNEE, far, size)
        return np.clip(Z, -_LIMIT, _LIMIT)


@dataclass(frozen=True)
class Normal:
    """Normal scores by interpolation between the quantiles of a sample."""

    knots: tuple[np.ndarray, ...]
    levels: tuple[np.ndarray, ...]
    grids: tuple[Grid | None, ...]

    @classmethod
    def fit(cls, X: np.ndarray, rng: np.random.Generator, *, knots: int = 512) -> Normal:
        """Measure the quantiles of each column."""
        from scipy.special import ndtri

        S = np.sort(_measured(X, rng).astype(float), axis=0)
        n = len(S)
        at: list[np.ndarray] = []
        level: list[np.ndarray] = []
        grids: list[Grid | None] = []
        for j in range(S.shape[1]):
            # Tied values take the middle of their ranks, so that discrete columns stay symmetric.
            values, first, count = np.unique(S[:, j], return_index=True, return_counts=True)
            middle = (first + 0.5 * count) / n
            if len(values) > knots:
                pick = np.unique(np.linspace(0, len(values) - 1, knots).round().astype(int))
                values, middle = values[pick], middle[pick]
            at.append(values)
            level.append(ndtri(np.clip(middle, 0.5 / n, 1 - 0.5 / n)))
            grids.append(
                Grid.over(S[:, j], _between(at[-1], level[-1])) if len(values) > knots // 2 else None
            )
        return cls(tuple(at), tuple(level), tuple(grids))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Normal scores; constant columns at zero, values outside the sample at its extremes."""
        Z = np.zeros(X.shape, dtype=np.float32)
        for start in range(0, len(X), CHUNK):
            columns = np.ascontiguousarray(X[start : start + CHUNK].T)
            scores = np.zeros(columns.shape, dtype=np.float32)
            for j, (values, levels, grid) in enumerate(zip(self.knots, self.levels, self.grids, strict=True)):
                if len(values) > 1:
                    scores[j] = np.interp(columns[j], values, levels) if grid is None else grid(columns[j])
            Z[start : start + CHUNK] = scores.T
        return Z


def _between(values: np.ndarray, levels: np.ndarray) -> Exact:
    """Interpolation between knots, as one row."""
    return lambda x: np.interp(x, values, levels)[None]


@dataclass(frozen=True)
class White:
    """Robust scaling, then division by the spread of the bulk along each of its axes.

    Attributes:
        inner: The scaling in front.
        centre: Centre of the bulk.
        axes: The axes as columns: all of them, or for wide data those that the rows span.
        gains: What to multiply each axis with.
        rest: What to multiply the distance from the space of these axes with, where there is more; it becomes one
            coordinate more.
    """

    inner: Robust
    centre: np.ndarray
    axes: np.ndarray
    gains: np.ndarray
    rest: float | None = None

    @classmethod
    def fit(
        cls, X: np.ndarray, rng: np.random.Generator, *, shrink: float = 0.05, tails: Tails = "linear"
    ) -> White:
        """Measure the covariance of the most central rows, by concentration steps on a sample."""
        inner = Robust.fit(X, rng, tails=tails)
        p = X.shape[1]
        rows = _measured(X, rng) if p <= _WIDE else sample_rows(X, _WIDE_SAMPLE, rng)
        centre, axes, spread = bulk_axes(inner.apply(rows).astype(float))
        ridge = shrink * float(spread.sum()) / p + 1e-12
        rest = None if axes.shape[1] == p else float(1 / np.sqrt(ridge))
        centre, axes, gains = (v.astype(np.float32) for v in (centre, axes, 1 / np.sqrt(spread + ridge)))
        return cls(inner, centre, axes, gains, rest)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows in coordinates where the bulk is round."""
        Z = self.inner.apply(X)
        np.subtract(Z, self.centre, out=Z)
        along = Z @ self.axes
        if self.rest is None:
            return along * self.gains
        off = np.sqrt(np.maximum((Z**2).sum(axis=1) - (along**2).sum(axis=1), 0.0)) * np.float32(self.rest)
        return np.column_stack([along * self.gains, off])


def bulk_axes(S: np.ndarray, keep: float = 0.75, steps: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre, axes (as columns) and variances of the most central share of the rows.

    With fewer rows than columns only the axes that the rows span are given; along any other nothing varies.
    """
    inside = S
    centre, axes, spread = np.zeros(S.shape[1]), np.eye(S.shape[1]), np.ones(S.shape[1])
    if len(S) < 2:
        return S.mean(axis=0), axes, spread
    for _ in range((steps if S.shape[1] <= _WIDE else 1) + 1):
        centre = inside.mean(axis=0)
        spread, axes = _axes(inside - centre)
        floor = max(1e-6 * float(spread.max(initial=0.0)), 1e-12)
        away = S - centre
        along = away @ axes
        distance = (along**2 / np.maximum(spread, floor)).sum(axis=1)
        if axes.shape[1] < S.shape[1]:
            distance += np.maximum((away**2).sum(axis=1) - (along**2).sum(axis=1), 0.0) / floor
        chosen = S[distance <= np.quantile(distance, keep)]
        inside = chosen if len(chosen) > 2 else S
    return centre, axes, spread


def _axes(C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variances and axes of centred rows, by way of the smaller of the two products."""
    n, p = C.shape
    if n >= p:
        size, axes = np.linalg.eigh(C.T @ C / (n - 1))
        return np.maximum(size, 0.0), axes
    size, vectors = np.linalg.eigh(C @ C.T)
    kept = size > 1e-10 * max(float(size[-1]), 1e-300)
    if not bool(kept.any()):
        return np.zeros(1), np.eye(p)[:, :1]
    return size[kept] / (n - 1), C.T @ (vectors[:, kept] / np.sqrt(size[kept]))
