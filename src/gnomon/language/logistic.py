"""Logistic regression with a ridge penalty, in plain numpy: what the gate and the router decide with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MAX_STEPS = 50
TOLERANCE = 1e-8
TINY = 1e-12


@dataclass(frozen=True)
class LogisticHead:
    """A weight per feature and an offset; positive scores speak for the second class."""

    weights: Array
    offset: float

    def scores(self, features: Array) -> Array:
        """The log-odds of each row."""
        return features @ self.weights + self.offset

    @classmethod
    def fit(
        cls, features: Array, labels: NDArray[np.bool_], penalty: float, importance: Array | None = None
    ) -> LogisticHead:
        """The one optimum of the penalised likelihood, by Newton's method.

        Args:
            features: One row per example.
            labels: True where the example is of the second class.
            penalty: How strongly large weights are held down; the offset is free.
            importance: How much each example counts; equally by default.
        """
        if features.shape[1] > len(features):
            # With more features than examples the optimum lies in the span of the examples.
            squares, basis = np.linalg.eigh(features @ features.T)
            lengths = np.sqrt(np.maximum(squares, TINY))
            small = cls.fit(basis * lengths, labels, penalty, importance)
            return cls(features.T @ (basis @ (small.weights / lengths)), small.offset)
        rows = np.hstack([features, np.ones((len(features), 1))])
        counts = np.ones(len(rows)) if importance is None else importance
        ridge = np.full(rows.shape[1], penalty)
        ridge[-1] = 1e-6
        weights = np.zeros(rows.shape[1])
        for _ in range(MAX_STEPS):
            chance = 0.5 * (1.0 + np.tanh(0.5 * (rows @ weights)))
            slope = rows.T @ (counts * (chance - labels)) + ridge * weights
            bend = (rows * (counts * np.maximum(chance * (1 - chance), 1e-9))[:, None]).T @ rows
            step = np.linalg.solve(bend + np.diag(ridge), slope)
            weights = weights - step
            if float(np.abs(step).max()) < TOLERANCE:
                break
        return cls(weights[:-1], float(weights[-1]))


def probability(score: float) -> float:
    """Log-odds as a probability."""
    return float(0.5 * (1.0 + np.tanh(0.5 * score)))
