"""Scalings that detectors put in front of themselves: each is fitted once and applied to new rows alike.

``robust`` centres on the median and divides by a quantile range, with or without compressed
tails, ``normal`` maps each column to normal scores, ``white`` removes robust linear dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np

_SAMPLE: Final = 20_000
_LIMIT: Final = 1e3
_KNEE: Final = 3.0

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
    def fit(cls, X: np.ndarray, rng: np.random.Generator, *, tails: Tails = "linear") -> Robust:
        """Measure centre and scale on a sample of the rows."""
        S = sample_rows(X, _SAMPLE, rng).astype(float)
        q05, q25, centre, q75, q95 = np.percentile(S, [5, 25, 50, 75, 95], axis=0)
        scale = np.maximum((q75 - q25) / 1.349, 0.5 * (q95 - q05) / 3.29)
        spread = X.std(axis=0, dtype=float)
        scale = np.where(scale > 1e-9 * spread, scale, spread)
        return cls(centre, np.where(spread > 1e-12 * np.maximum(np.abs(centre), 1e-280), scale, 0.0), tails)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Centred and scaled rows, constant columns at zero."""
        safe = np.where(self.scale > 0, self.scale, 1.0)
        Z = np.where(self.scale > 0, (X - self.centre) / safe, 0.0)
        if self.tails == "soft":
            return np.arcsinh(Z).astype(np.float32)
        if self.tails == "bent":
            size = np.abs(Z)
            return (
                np.sign(Z) * np.where(size > _KNEE, _KNEE + np.log1p(np.maximum(size - _KNEE, 0.0)), size)
            ).astype(np.float32)
        return np.clip(Z, -_LIMIT, _LIMIT).astype(np.float32)


@dataclass(frozen=True)
class Normal:
    """Normal scores by interpolation between the quantiles of a sample."""

    knots: tuple[np.ndarray, ...]
    levels: tuple[np.ndarray, ...]

    @classmethod
    def fit(cls, X: np.ndarray, rng: np.random.Generator, *, knots: int = 512) -> Normal:
        """Measure the quantiles of each column."""
        from scipy.special import ndtri

        S = np.sort(sample_rows(X, _SAMPLE, rng).astype(float), axis=0)
        n = len(S)
        at: list[np.ndarray] = []
        level: list[np.ndarray] = []
        for j in range(S.shape[1]):
            # Tied values take the middle of their ranks, so that discrete columns stay symmetric.
            values, first, count = np.unique(S[:, j], return_index=True, return_counts=True)
            middle = (first + 0.5 * count) / n
            if len(values) > knots:
                pick = np.unique(np.linspace(0, len(values) - 1, knots).round().astype(int))
                values, middle = values[pick], middle[pick]
            at.append(values)
            level.append(ndtri(np.clip(middle, 0.5 / n, 1 - 0.5 / n)))
        return cls(tuple(at), tuple(level))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Normal scores; constant columns at zero, values outside the sample at its extremes."""
        Z = np.zeros(X.shape, dtype=np.float32)
        for j, (values, levels) in enumerate(zip(self.knots, self.levels, strict=True)):
            if len(values) > 1:
                Z[:, j] = np.interp(X[:, j], values, levels)
        return Z


@dataclass(frozen=True)
class White:
    """Robust scaling, then rotation and division by the spread of the bulk along each axis."""

    inner: Robust
    centre: np.ndarray
    rotation: np.ndarray

    @classmethod
    def fit(
        cls, X: np.ndarray, rng: np.random.Generator, *, shrink: float = 0.05, tails: Tails = "linear"
    ) -> White:
        """Measure the covariance of the most central rows, by concentration steps on a sample."""
        inner = Robust.fit(X, rng, tails=tails)
        S = inner.apply(sample_rows(X, _SAMPLE, rng)).astype(float)
        centre, axes, spread = bulk_axes(S)
        ridge = shrink * float(spread.mean()) + 1e-12
        return cls(inner, centre, axes / np.sqrt(spread + ridge))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Rows in coordinates where the bulk is round."""
        return ((self.inner.apply(X) - self.centre) @ self.rotation).astype(np.float32)


def bulk_axes(S: np.ndarray, keep: float = 0.75, steps: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre, axes (as columns) and variances of the most central share of the rows."""
    inside = S
    centre, axes, spread = np.zeros(S.shape[1]), np.eye(S.shape[1]), np.ones(S.shape[1])
    if len(S) < 2:
        return S.mean(axis=0), axes, spread
    for _ in range(steps + 1):
        centre = inside.mean(axis=0)
        spread, axes = np.linalg.eigh(np.atleast_2d(np.cov(inside, rowvar=False)))
        spread = np.maximum(spread, 0.0)
        floor = max(1e-6 * float(spread.max(initial=0.0)), 1e-12)
        distance = (((S - centre) @ axes) ** 2 / np.maximum(spread, floor)).sum(axis=1)
        chosen = S[distance <= np.quantile(distance, keep)]
        inside = chosen if len(chosen) > 2 else S
    return centre, axes, spread
