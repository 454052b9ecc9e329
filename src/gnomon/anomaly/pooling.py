"""What the columns of a table say about the shape of one of them, before its own values are asked.

Either all columns share one shape, or each has its own; how likely the first is follows from the columns
themselves. A column is never asked about itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly import shapes

# Two free sides explain more than one shape by having more freedom: what that costs, as a logarithm.
FREEDOM: Final = 3.0
_ROUNDS: Final = 8
_OWN_COLUMNS: Final = 1.0


@dataclass(frozen=True)
class Expected:
    """Logarithms of how likely each shape is for each column, by what the others are: (column, shape).

    Attributes:
        whole: One shape for both sides.
        up: The upper side, given that the sides differ.
        low: The lower side, given that the sides differ.
    """

    whole: np.ndarray
    up: np.ndarray
    low: np.ndarray


def expected(both: np.ndarray, up: np.ndarray, low: np.ndarray, counts: float = 1.0) -> Expected:
    """What to expect of each column.

    Args:
        both: Log likelihoods of all columns under one shape for both sides: (column, shape, scale).
        up: The same for the upper side alone.
        low: The same for the lower side alone.
        counts: How much a column counts beside the others; columns that go together say much the same.
    """
    logs = [_over_scales(x) for x in (both, up, low)]
    base = shapes.library().prior
    priors, evidence = _each_its_own(logs, base)
    shared = counts * (logs[0].sum(axis=0) - logs[0]) + np.log(base)
    top = shared.max(axis=1, keepdims=True)
    size = np.exp(shared - top).sum(axis=1, keepdims=True)
    common = np.exp(shared - top) / size
    # Shared by all others, or not; and even where it is, the next column may be the first that differs.
    favours = (top + np.log(size))[:, 0] - counts * (evidence.sum() - evidence)
    n = len(both)
    share = (n / (n + 1) / (1 + np.exp(-np.clip(favours, -50, 50))) if n > 1 else np.zeros(n))[:, None]
    whole = np.log(share * common + (1 - share) * priors[0] + 1e-300)
    return Expected(whole, np.log(priors[1]), np.log(priors[2]))


def _over_scales(logs: np.ndarray) -> np.ndarray:
    top = logs.max(axis=2, keepdims=True)
    return (top + np.log(np.exp(logs - top).mean(axis=2, keepdims=True)))[:, :, 0]


def _each_its_own(logs: list[np.ndarray], base: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Shares of the shapes among the other columns, and the log evidence of each column under them."""
    priors = [np.tile(base, (len(logs[0]), 1))] * 3
    evidence = np.zeros(len(logs[0]))
    for _ in range(_ROUNDS):
        weighed = [x + np.log(prior) for x, prior in zip(logs, priors, strict=True)]
        totals = [np.logaddexp.reduce(w, axis=1) for w in weighed]
        apart = totals[1] + totals[2] - FREEDOM
        evidence = np.logaddexp(totals[0], apart)
        seen = [np.exp(totals[0] - evidence), np.exp(apart - evidence), np.exp(apart - evidence)]
        for i, (w, total) in enumerate(zip(weighed, totals, strict=True)):
            mass = np.exp(w - total[:, None]) * seen[i][:, None]
            others = mass.sum(axis=0) - mass + _OWN_COLUMNS * base
            priors[i] = others / others.sum(axis=1, keepdims=True)
    return priors, evidence
