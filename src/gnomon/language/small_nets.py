"""A few small networks that judge together, in plain numpy: one hidden layer each, beside a straight line to the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Single = NDArray[Any]

HIDDEN = 24
EPOCHS = 8
BATCH = 64
RATE = 2e-3
DECAY = 2e-3
DROPPED = 0.3
_MOMENTUM, _SPREAD, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class SmallNets:
    """Positive scores speak for the second class; each array has one layer for each network.

    Args:
        inner: From the features to the hidden units.
        bend: What is added to the hidden units.
        outer: From the hidden units to the score.
        straight: From the features to the score.
        offset: What is added to the score.
    """

    inner: Single
    bend: Single
    outer: Single
    straight: Single
    offset: Single

    def scores(self, features: Array) -> Array:
        """The log-odds of each row: the mean of what the networks say."""
        rows = features.astype(np.float32)
        found = []
        for inner, bend, outer, straight, offset in zip(*self._arrays(), strict=True):
            # In the calling thread: for one word, waking a second one costs more than it brings.
            hidden = np.maximum(np.einsum("ij,jk->ik", rows, inner) + bend, 0)
            found.append(hidden @ outer + np.einsum("ij,j->i", rows, straight) + offset)
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    def arrays(self) -> dict[str, NDArray[np.float16]]:
        """What is stored, in half precision."""
        names = ("inner", "bend", "outer", "straight", "offset")
        return {name: array.astype(np.float16) for name, array in zip(names, self._arrays(), strict=True)}

    def _arrays(self) -> tuple[Single, ...]:
        return self.inner, self.bend, self.outer, self.straight, self.offset

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> SmallNets:
        """What was stored."""
        return cls(**{name: array.astype(np.float32) for name, array in arrays.items()})

    @classmethod
    def fit(cls, features: Array, labels: NDArray[np.bool_], nets: int) -> SmallNets:
        """Networks that begin at different places, each fitted by Adam with falling steps and features left out at random.

        Args:
            features: One row per example.
            labels: True where the example is of the second class.
            nets: How many.
        """
        rows, wanted = features.astype(np.float32), labels.astype(np.float32)
        fitted = [_fitted(rows, wanted, np.random.default_rng(seed)) for seed in range(nets)]
        return cls(*(np.stack(layers) for layers in zip(*fitted, strict=True)))


def _fitted(rows: Single, wanted: Single, rng: np.random.Generator) -> list[Single]:
    count, width = rows.shape
    weights: list[Single] = [
        (rng.normal(size=(width, HIDDEN)) * 0.5 / np.sqrt(width)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (rng.normal(size=HIDDEN) / np.sqrt(HIDDEN)).astype(np.float32),
        np.zeros(width, np.float32),
        np.zeros((), np.float32),
    ]
    decays = (DECAY, 0.0, DECAY, DECAY, 0.0)
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    orders = [rng.permutation(count) for _ in range(EPOCHS)]
    batches = [order[begin : begin + BATCH] for order in orders for begin in range(0, count, BATCH)]
    steps = len(batches)
    for step, chosen in enumerate(batches, start=1):
        slopes = _slopes(weights, rows[chosen], wanted[chosen], rng)
        rate = RATE * (1 - step / steps)
        for i, slope in enumerate(slopes):
            first[i] = _MOMENTUM * first[i] + (1 - _MOMENTUM) * slope
            second[i] = _SPREAD * second[i] + (1 - _SPREAD) * slope**2
            mean = first[i] / (1 - _MOMENTUM**step)
            spread = np.sqrt(second[i] / (1 - _SPREAD**step))
            weights[i] = weights[i] - rate * (mean / (spread + _TINY) + decays[i] * weights[i])
    return weights


def _slopes(weights: list[Single], rows: Single, wanted: Single, rng: np.random.Generator) -> list[Single]:
    """The slopes of the mean log loss over some rows, with features left out at random."""
    inner, bend, outer, straight, offset = weights
    rows = rows * (rng.random(rows.shape, dtype=np.float32) > DROPPED) / np.float32(1 - DROPPED)
    hidden = np.maximum(rows @ inner + bend, 0)
    scores = hidden @ outer + rows @ straight + offset
    wrong = (0.5 * (1 + np.tanh(0.5 * scores)) - wanted) / len(wanted)
    back = np.outer(wrong, outer) * (hidden > 0)
    return [rows.T @ back, back.sum(0), hidden.T @ wrong, rows.T @ wrong, wrong.sum()]
