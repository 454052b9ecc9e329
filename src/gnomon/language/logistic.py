"""Logistic regression with a ridge penalty, in plain numpy: what the gate and the router decide with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MAX_STEPS = 50
TOLERANCE = 1e-8


@dataclass(frozen=True)
class LogisticHead:
    """A weight per feature and an offset; positive scores speak for the second class."""

    weights: Array
    offset: float

    def scores(self, features: Array) -> Array:
        """The log-odds of each row."""
        return rows_times(features, self.weights) + self.offset

    @classmethod
    def fit(cls, features: Array, labels: NDArray[np.bool_], penalty: float) -> LogisticHead:
        """The one optimum of the penalised likelihood: by Newton's method, or by gradients where it is wide.

        Args:
            features: One row per example.
            labels: True where the example is of the second class.
            penalty: How strongly large weights are held down; the offset is free.
        """
        if features.shape[1] > len(features):
            return _fit_wide(features, labels, penalty)
        rows = np.hstack([features, np.ones((len(features), 1))])
        ridge = np.full(rows.shape[1], penalty)
        ridge[-1] = 1e-6
        weights = np.zeros(rows.shape[1])
        for _ in range(MAX_STEPS):
            chance = 0.5 * (1.0 + np.tanh(0.5 * (rows @ weights)))
            slope = rows.T @ (chance - labels) + ridge * weights
            bend = (rows * np.maximum(chance * (1 - chance), 1e-9)[:, None]).T @ rows
            step = np.linalg.solve(bend + np.diag(ridge), slope)
            weights = weights - step
            if float(np.abs(step).max()) < TOLERANCE:
                break
        return cls(weights[:-1], float(weights[-1]))


def rows_times(rows: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """``rows @ vector`` in the calling thread: for one question, waking a second one costs more than it brings."""
    return np.einsum("ij,j->i", rows, vector)


def _fit_wide(features: Array, labels: NDArray[np.bool_], penalty: float) -> LogisticHead:
    """The same optimum with far more features than examples, most of them zero."""
    from scipy.optimize import minimize
    from scipy.sparse import csr_array

    rows: Any = csr_array(features)

    def loss(weights: Array) -> tuple[float, Array]:
        scores = rows @ weights[:-1] + weights[-1]
        wrong = 0.5 * (1.0 + np.tanh(0.5 * scores)) - labels
        value = float((np.logaddexp(0.0, scores) - labels * scores).sum())
        value += 0.5 * penalty * float(weights[:-1] @ weights[:-1])
        return value, np.append(rows.T @ wrong + penalty * weights[:-1], wrong.sum())

    options: Any = {"maxiter": 2000, "gtol": 1e-4, "ftol": 1e-12}
    start = np.zeros(features.shape[1] + 1)
    found: Any = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return LogisticHead(found.x[:-1], float(found.x[-1]))


def probability(score: float) -> float:
    """Log-odds as a probability."""
    return float(0.5 * (1.0 + np.tanh(0.5 * score)))
