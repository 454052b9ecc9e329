"""A one-hidden-layer autoencoder in plain numpy, small enough to be fitted while a data set is opened."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

STEPS = 4
LEARNING_RATE = 0.01
RIDGE = 1e-3
MAX_THREADS = 4


@dataclass(frozen=True)
class Autoencoder:
    """``H = sigmoid(X W1 + b1)``, ``X_hat = H W2 + b2``; the decoder is linear since vectors have negative parts.

    It reads ``H``, never ``X``: whatever does not fit through the hidden layer is lost and shows as error.
    """

    w1: Array
    b1: Array
    w2: Array
    b2: Array

    def hidden(self, vectors: Array) -> Array:
        """What is left of each vector in the hidden layer."""
        return _sigmoid(vectors @ self.w1 + self.b1)

    def reconstruct(self, vectors: Array) -> Array:
        """Each vector as the decoder makes it from the hidden layer."""
        return self.hidden(vectors) @ self.w2 + self.b2

    def errors(self, vectors: Array) -> Array:
        """Euclidean distance between each vector and its reconstruction."""
        return np.linalg.norm(vectors - self.reconstruct(vectors), axis=1)

    def forward(self, vector: Array) -> Array:
        """The reconstruction of one vector, in the calling thread."""
        hidden = _sigmoid(np.einsum("i,ij->j", vector, self.w1) + self.b1)
        return np.einsum("i,ij->j", hidden, self.w2) + self.b2

    @classmethod
    def fit(cls, vectors: Array, hidden_dim: int, seed: int = 0) -> Autoencoder:
        """Minimise the squared reconstruction error over the rows of ``vectors``.

        It starts from the principal directions, which are the optimum of the linear case, so that a few
        steps suffice; the decoder's optimum for a given hidden layer is then exact.
        """
        from threadpoolctl import threadpool_limits

        # Small matrices: a second thread costs more than it brings, and far more on a busy machine.
        with threadpool_limits(1):
            return cls(*_fitted(vectors, hidden_dim, seed))


def cross_fitted(vectors: Array, hidden_dim: int, folds: int, seed: int = 0) -> tuple[Autoencoder, Array]:
    """The autoencoder of all rows, and the error of every row under one that did not see it; fitted side by side."""
    from threadpoolctl import threadpool_limits

    order = np.random.default_rng(seed).permutation(len(vectors))
    errors = np.empty(len(vectors))

    def fitted(fold: int | None) -> Autoencoder:
        if fold is None:
            return Autoencoder(*_fitted(vectors, hidden_dim, seed))
        held = order[fold::folds]
        model = Autoencoder(*_fitted(vectors[np.setdiff1d(order, held)], hidden_dim, seed))
        errors[held] = model.errors(vectors[held])
        return model

    with threadpool_limits(1), ThreadPoolExecutor(min(folds, MAX_THREADS, os.cpu_count() or 1)) as threads:
        whole, *_ = threads.map(fitted, [None, *range(folds)])
    return whole, errors


def _fitted(vectors: Array, hidden_dim: int, seed: int) -> tuple[Array, Array, Array, Array]:
    w1, b1 = _principal_start(vectors, hidden_dim, np.random.default_rng(seed))
    w2, b2 = _best_decoder(_sigmoid(vectors @ w1 + b1), vectors)
    w1, b1 = _descend(vectors, [w1, b1, w2, b2])
    return w1, b1, *_best_decoder(_sigmoid(vectors @ w1 + b1), vectors)


def _sigmoid(z: NDArray[Any]) -> NDArray[Any]:
    return 0.5 * (1.0 + np.tanh(0.5 * z))


def _principal_start(vectors: Array, hidden_dim: int, rng: np.random.Generator) -> tuple[Array, Array]:
    centre = vectors.mean(axis=0)
    from_centre = vectors - centre
    squares, columns = np.linalg.eigh(from_centre.T @ from_centre / len(vectors))
    spread, directions = np.sqrt(np.maximum(squares[::-1], 0.0)), columns[:, ::-1].T
    kept = min(hidden_dim, len(vectors) - 1, int((spread > 1e-4).sum()))
    # Half a standard deviation keeps the sigmoid near its straight middle.
    w1 = (directions[:kept] / (2.0 * spread[:kept, None])).T
    if kept < hidden_dim:
        w1 = np.hstack([w1, rng.normal(scale=0.1, size=(vectors.shape[1], hidden_dim - kept))])
    return w1, -centre @ w1


def _best_decoder(hidden: Array, vectors: Array) -> tuple[Array, Array]:
    centre_h, centre_x = hidden.mean(axis=0), vectors.mean(axis=0)
    h, x = hidden - centre_h, vectors - centre_x
    w2 = np.linalg.solve(h.T @ h + RIDGE * np.eye(h.shape[1]), h.T @ x)
    return w2, centre_x - centre_h @ w2


def _descend(vectors: Array, weights: list[Array]) -> tuple[Array, Array]:
    """A few steps of Adam on all four weights over all rows; the encoder's two are what is kept.

    Single precision: the steps take half as long, and the decoder is solved exactly afterwards.
    """
    rows = vectors.astype(np.float32)
    kept: list[NDArray[Any]] = [w.astype(np.float32) for w in weights]
    first = [np.zeros_like(w) for w in kept]
    second = [np.zeros_like(w) for w in kept]
    for step in range(1, STEPS + 1):
        for i, gradient in enumerate(_gradients(rows, kept)):
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient**2
            mean, square = first[i] / (1 - 0.9**step), second[i] / (1 - 0.999**step)
            kept[i] = kept[i] - LEARNING_RATE * mean / (np.sqrt(square) + 1e-8)
    return kept[0].astype(np.float64), kept[1].astype(np.float64)


def _gradients(vectors: NDArray[Any], weights: list[NDArray[Any]]) -> list[NDArray[Any]]:
    w1, b1, w2, b2 = weights
    hidden = _sigmoid(vectors @ w1 + b1)
    wrong = 2.0 * (hidden @ w2 + b2 - vectors) / len(vectors)
    back = (wrong @ w2.T) * hidden * (1.0 - hidden)
    return [vectors.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]
