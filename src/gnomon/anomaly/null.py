"""What the data would look like without anomalies: a smooth model of its bulk to draw rows from.

The rows are split where a valley of density lies between them; groups too small to be a population are
left out. Within a population the middle of each column says which shapes its tails may have, and the
dependence between columns is that of the most central rows. Drawn rows have the same marginals, dependence
and clusters, but nothing that stands apart. What the data leaves open (which tail, which scale) is drawn
too: a ``NullModel`` is one of several that fit equally well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.clusters import populations
from gnomon.anomaly.marginals import Marginal, marginals
from gnomon.anomaly.scaling import Robust, bulk_axes, sample_rows

_ROWS: Final = 4000
_MOST_AXES: Final = 200


@dataclass(frozen=True)
class Population:
    """One unimodal part of the data: columns of known marginals whose normal scores are jointly normal."""

    share: float
    columns: tuple[Marginal, ...]
    root: np.ndarray
    rest: np.ndarray | None
    known_from: int

    @classmethod
    def fit(cls, S: np.ndarray, share: float) -> Population:
        """Describe the bulk of the rows ``S``."""
        columns = marginals(S)
        Z = np.column_stack([c.normal_scores(S[:, j]) for j, c in enumerate(columns)])
        wide = S.shape[1] > _MOST_AXES or len(S) < 2.5 * S.shape[1]
        return cls(share, columns, *(_few_axes if wide else _all_axes)(Z), len(S) // 3 + S.shape[1])

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` rows under marginals and a dependence that the data allows."""
        Z = rng.standard_normal((n, self.root.shape[1])) @ self._root(rng).T
        rest = 0.0 if self.rest is None else rng.standard_normal(Z.shape) * self.rest
        drawn = Z + rest
        return np.column_stack([c.values(drawn[:, j], rng) for j, c in enumerate(self.columns)])

    def _root(self, rng: np.random.Generator) -> np.ndarray:
        """Root of a correlation that may be the true one, given from how many rows it was measured."""
        p = self.root.shape[1]
        if self.rest is not None:
            return self.root
        seen = rng.standard_normal((self.known_from, p))
        size, axes = np.linalg.eigh(seen.T @ seen / self.known_from)
        return _unit(self.root @ (axes / np.sqrt(np.maximum(size, 1e-3))))


@dataclass(frozen=True)
class NullModel:
    """A generator of rows that follow the bulk of the data."""

    populations: tuple[Population, ...]

    @classmethod
    def fit(cls, X: np.ndarray, rng: np.random.Generator) -> NullModel:
        """Describe the bulk of ``X``, on a sample where there are many rows."""
        S = sample_rows(X, _ROWS, rng).astype(float)
        groups = populations(
            without_steps(S, Robust.fit(S, rng, tails="soft").apply(S).astype(float), rng), rng
        )
        total = sum(len(g) for g in groups)
        return cls(tuple(Population.fit(S[g], len(g) / total) for g in groups))

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` rows; every call takes another of the shapes that the data allows."""
        of = rng.choice(len(self.populations), size=n, p=[g.share for g in self.populations])
        rows = np.empty((n, len(self.populations[0].columns)))
        for k, population in enumerate(self.populations):
            chosen = of == k
            rows[chosen] = population.draw(int(chosen.sum()), rng)
        return rows


def without_steps(S: np.ndarray, Z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Scaled rows in which columns of repeating values are smoothed: gaps of a grid are no valleys."""
    from scipy.special import ndtri

    n = len(S)
    for j in range(S.shape[1]):
        if len(np.unique(S[:, j])) <= 0.3 * n:
            order = np.lexsort((rng.random(n), S[:, j]))
            Z[order, j] = ndtri((np.arange(n) + 0.5) / n)
    return Z


def _all_axes(Z: np.ndarray) -> tuple[np.ndarray, None]:
    """Root of the correlation of the most central rows."""
    _, axes, spread = bulk_axes(Z)
    spread = np.maximum(spread, 1e-9 * float(spread.max(initial=0.0)) + 1e-12)
    return _unit(axes * np.sqrt(spread)), None


def _unit(root: np.ndarray) -> np.ndarray:
    return root / np.maximum(np.sqrt((root**2).sum(axis=1, keepdims=True)), 1e-9)


def _few_axes(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For wide data: the leading axes, and what they leave to each column."""
    clipped = np.clip(Z, -2.5, 2.5)[:1000]
    clipped = clipped / np.maximum(clipped.std(axis=0), 1e-9)
    axes = max(1, min(50, len(Z) // 8, Z.shape[1] - 1))
    _, size, directions = np.linalg.svd(clipped - clipped.mean(axis=0), full_matrices=False)
    root = directions[:axes].T * (size[:axes] / np.sqrt(len(clipped)))
    return root, np.sqrt(np.maximum(1.0 - (root**2).sum(axis=1), 1e-12))
