"""Gaps filled by what the other columns foresee, so that a filled cell breaks no dependence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.scaling import Robust, sample_rows

_ROWS: Final = 5_000
_COLUMNS: Final = 60
_TELLING: Final = 0.2
_FAR: Final = 6.0


@dataclass(frozen=True)
class Foreseen:
    """A linear forecast of one matrix column from the others, on a robust scale."""

    column: int
    scaling: Robust
    weights: np.ndarray

    def fill(self, matrix: np.ndarray, gap: np.ndarray) -> None:
        """Put the forecast into the rows of ``gap``, in place."""
        if not bool(gap.any()):
            return
        j, Z = self.column, np.clip(self.scaling.apply(matrix[gap]).astype(float), -_FAR, _FAR)
        Z[:, j] = 1.0
        matrix[gap, j] = self.scaling.centre[j] + self.scaling.scale[j] * (Z @ self.weights)


def forecasts(matrix: np.ndarray, gaps: Mapping[int, np.ndarray]) -> list[Foreseen]:
    """A forecast for each column with gaps that the others tell something about.

    Args:
        matrix: Finite numbers, gaps filled in some way.
        gaps: By matrix column, where its gaps are.
    """
    n, p = matrix.shape
    if not gaps or not 2 <= p <= _COLUMNS or n < 20 + 2 * p:
        return []
    scaling = Robust.fit(matrix, np.random.default_rng(0))
    found: list[Foreseen] = []
    for j, gap in gaps.items():
        known = matrix[~gap]
        if len(known) < 20 + 2 * p or not scaling.scale[j] > 0:
            continue
        Z = np.clip(
            scaling.apply(sample_rows(known, _ROWS, np.random.default_rng(0))).astype(float), -_FAR, _FAR
        )
        target = Z[:, j].copy()
        Z[:, j] = 1.0
        weights = np.linalg.solve(Z.T @ Z + 1e-3 * len(Z) * np.eye(p), Z.T @ target)
        left = float(np.mean((target - Z @ weights) ** 2)) / max(float(target.var()), 1e-12)
        if left < 1 - _TELLING:
            found.append(Foreseen(j, scaling, weights))
    return found
