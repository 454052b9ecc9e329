"""What the data would look like without anomalies: a smooth model of its bulk to draw rows from.

The rows are split where a valley of density lies between them; groups too small to be a population are
left out. Within a population each column is straightened by its own tail shape, measured on the middle
of the data only, and the dependence between columns is that of the most central rows. Drawn rows have
the same marginals, dependence and clusters, but nothing that stands apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.clusters import populations
from gnomon.anomaly.scaling import Robust, bulk_axes, sample_rows

_LEVELS: Final = np.array([0.60, 0.675, 0.75, 0.80, 0.85, 0.90])
_ROWS: Final = 4000
# Standard error of a tail slope on n normal values, times the root of n (by simulation, per exponent).
_ERROR: Final = {"weight": 3.1, "lean": 2.65}
_STEEPEST: Final = 1.2
_MOST_AXES: Final = 200


@dataclass(frozen=True)
class Population:
    """One unimodal part of the data: straightened columns that are jointly normal."""

    share: float
    columns: tuple[_Column, ...]
    centre: np.ndarray
    root: np.ndarray
    rest: np.ndarray | None

    @classmethod
    def fit(cls, S: np.ndarray, share: float) -> Population:
        """Describe the bulk of the rows ``S``."""
        columns = _straighteners(S)
        Z = np.column_stack([c.straighten(S[:, j]) for j, c in enumerate(columns)])
        wide = S.shape[1] > _MOST_AXES or len(S) < 4 * S.shape[1]
        return cls(share, columns, *(_few_axes if wide else _all_axes)(np.clip(Z, -6, 6)))

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` rows."""
        Z = self.centre + rng.standard_normal((n, self.root.shape[1])) @ self.root.T
        rest = 0.0 if self.rest is None else rng.standard_normal(Z.shape) * self.rest
        drawn = Z + rest
        return np.column_stack([c.bend(drawn[:, j]) for j, c in enumerate(self.columns)])


@dataclass(frozen=True)
class NullModel:
    """A generator of rows that follow the bulk of the data."""

    populations: tuple[Population, ...]

    @classmethod
    def fit(cls, X: np.ndarray, rng: np.random.Generator) -> NullModel:
        """Describe the bulk of ``X``, on a sample where there are many rows."""
        S = sample_rows(X, _ROWS, rng).astype(float)
        groups = populations(Robust.fit(S, rng).apply(S).astype(float), rng)
        total = sum(len(g) for g in groups)
        return cls(tuple(Population.fit(S[g], len(g) / total) for g in groups))

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` rows."""
        of = rng.choice(len(self.populations), size=n, p=[g.share for g in self.populations])
        rows = np.empty((n, len(self.populations[0].columns)))
        for k, population in enumerate(self.populations):
            chosen = of == k
            rows[chosen] = population.draw(int(chosen.sum()), rng)
        return rows


@dataclass(frozen=True)
class _Column:
    """A monotone map between a column and normal scores."""

    centre: float
    low: np.ndarray
    high: np.ndarray
    grid: np.ndarray
    values: np.ndarray | None

    def straighten(self, x: np.ndarray) -> np.ndarray:
        d = x - self.centre
        return np.where(d >= 0, np.interp(d, self.high, self.grid), -np.interp(-d, self.low, self.grid))

    def bend(self, z: np.ndarray) -> np.ndarray:
        x = self.centre + np.where(
            z >= 0, np.interp(z, self.grid, self.high), -np.interp(-z, self.grid, self.low)
        )
        if self.values is None:
            return x
        if len(self.values) == 1:
            return np.full_like(x, self.values[0])
        at = np.clip(np.searchsorted(self.values, x), 1, len(self.values) - 1)
        lower, upper = self.values[at - 1], self.values[at]
        return np.where(x - lower <= upper - x, lower, upper)


def _straighteners(S: np.ndarray) -> tuple[_Column, ...]:
    from scipy.special import ndtri

    z = ndtri(_LEVELS)
    centre = np.median(S, axis=0)
    sides = [np.quantile(S, _LEVELS, axis=0) - centre, centre - np.quantile(S, 1 - _LEVELS, axis=0)]
    high, low = _tails(np.concatenate(sides, axis=1).T, z, len(S))
    grid = np.linspace(0, 9, 901)
    columns: list[_Column] = []
    for j in range(S.shape[1]):
        known = np.unique(S[:, j])
        tiny = 1e-9 * (float(S[:, j].std()) + 1e-300) * grid
        columns.append(
            _Column(
                float(centre[j]),
                np.maximum.accumulate(low[j](grid)) + tiny,
                np.maximum.accumulate(high[j](grid)) + tiny,
                grid,
                known if len(known) <= max(20, 0.05 * len(S)) else None,
            )
        )
    return tuple(columns)


@dataclass(frozen=True)
class _Side:
    """Distance from the centre as a function of the normal score: ``scale z exp(lean z + weight z²/2)``."""

    scale: float
    lean: float = 0.0
    weight: float = 0.0

    def __call__(self, z: np.ndarray) -> np.ndarray:
        return self.scale * z * np.exp(self.lean * z + 0.5 * self.weight * z**2)


def _tails(distances: np.ndarray, z: np.ndarray, n: int) -> tuple[list[_Side], list[_Side]]:
    """The tail of every side of every column (first all upper sides, then all lower ones).

    Slopes are drawn towards their common mean as far as chance explains their differences.
    """
    good = np.asarray((distances > 0).all(axis=1))
    y = np.log(np.where(good[:, None], distances, 1.0) / z)
    fits: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
    for kind, shape in (("weight", 0.5 * z**2), ("lean", z)):
        centred = shape - shape.mean()
        slope = (y * centred).sum(axis=1) / (centred**2).sum()
        error = _ERROR[kind] / np.sqrt(n)
        # A tail that is surely steeper than the others stays so: a null too light finds anomalies in noise.
        slope = np.clip(np.maximum(_shrunk(slope, good, error), slope - error), 0.0, _STEEPEST)
        offset = (y - slope[:, None] * shape).mean(axis=1)
        fits[kind] = (slope, offset, ((y - offset[:, None] - slope[:, None] * shape) ** 2).sum(axis=1))
    sides: list[_Side] = []
    for j in range(len(distances)):
        if not good[j]:
            sides.append(_Side(float(distances[j, -1])))
            continue
        kind = "lean" if fits["lean"][2][j] < fits["weight"][2][j] else "weight"
        slope, offset = float(fits[kind][0][j]), float(np.exp(fits[kind][1][j]))
        sides.append(_Side(offset, lean=slope) if kind == "lean" else _Side(offset, weight=slope))
    half = len(sides) // 2
    return sides[:half], sides[half:]


def _shrunk(slopes: np.ndarray, good: np.ndarray, error: float) -> np.ndarray:
    if good.sum() < 2:
        return slopes
    mean, found = float(slopes[good].mean()), float(slopes[good].var(ddof=1))
    real = max(0.0, found - error**2)
    return mean + real / (real + error**2) * (slopes - mean)


def _all_axes(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, None]:
    """Centre and root of the covariance of the most central rows, at the scale of all rows."""
    from scipy.special import gammaincinv

    p = Z.shape[1]
    centre, axes, spread = bulk_axes(Z)
    spread = np.maximum(spread, 1e-9 * float(spread.max()) + 1e-12)
    distance = (((Z - centre) @ axes) ** 2 / spread).sum(axis=1)
    # The bulk alone is too narrow: the median distance says by how much, as for a normal cluster.
    wider = float(np.median(distance)) / (2.0 * float(gammaincinv(p / 2.0, 0.5)))
    return centre, axes * np.sqrt(spread * max(wider, 1e-12) * (1 + p / len(Z))), None


def _few_axes(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For wide data: the leading axes, and what they leave to each column."""
    centre = np.median(Z, axis=0)
    spread = np.quantile(np.abs(Z - centre), 0.6827, axis=0) + 1e-9
    clipped = np.clip((Z - centre) / spread, -2.5, 2.5)
    axes = max(1, min(50, len(Z) // 8, Z.shape[1] - 1))
    _, size, directions = np.linalg.svd(clipped[:1000] - clipped[:1000].mean(axis=0), full_matrices=False)
    root = (directions[:axes].T * (size[:axes] / np.sqrt(len(clipped[:1000])))) * spread[:, None]
    return centre, root, np.sqrt(np.maximum(spread**2 - (root**2).sum(axis=1), 1e-12))
