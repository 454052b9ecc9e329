"""Tables with anomalies that are hard to tell from noise: weak, few, or visible only in how columns hang together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anomaly_generators import Generated, noise

BASES = ("normal", "correlated", "exponential", "lognormal", "student", "laplace")
HARD = ("weak shift", "one in two thousand", "dependence only")


def weak_shift(rng: np.random.Generator) -> Generated:
    """3 % of the rows lie two deviations higher in every column, which hang together a little."""
    n, p = int(rng.choice([500, 1000, 2000])), int(rng.choice([8, 15, 30]))
    X = rng.standard_normal((n, p)) + 0.5 * rng.standard_normal((n, 1))
    rows = np.sort(rng.choice(n, round(0.03 * n), replace=False))
    X[rows] += 2 * X.std(axis=0)
    return Generated("weak shift", X, rows)


def one_in_two_thousand(rng: np.random.Generator) -> Generated:
    """One row of 2,000 lies four deviations out in every column, to either side."""
    p = int(rng.choice([4, 8, 15]))
    X = rng.standard_normal((2000, p))
    row = int(rng.integers(2000))
    X[row] = 4 * rng.choice([-1.0, 1.0], p)
    return Generated("one in two thousand", X, np.array([row]))


def dependence_only(rng: np.random.Generator) -> Generated:
    """In 3 % of the rows the columns do not hang together as they do elsewhere; each value alone is ordinary."""
    n, p = int(rng.choice([500, 1000, 2000])), int(rng.choice([4, 8, 15]))
    X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)) + 0.25 * rng.standard_normal((n, p))
    rows = np.sort(rng.choice(n, round(0.03 * n), replace=False))
    for j in range(p):
        X[rows, j] = rng.permutation(X[:, j])[: len(rows)]
    return Generated("dependence only", X, rows)


def hard(each: int, seed: int = 0) -> Iterator[Generated]:
    """``each`` tables of noise and as many with weak, single or only joint anomalies."""
    rng = np.random.default_rng(seed)
    for i in range(each):
        n, p = int(rng.choice([500, 1000, 2000])), int(rng.choice([4, 8, 15]))
        kind = BASES[i % len(BASES)]
        yield Generated(kind, noise(kind, n, p, rng), np.empty(0, dtype=int))
    makers = (weak_shift, one_in_two_thousand, dependence_only)
    for i in range(each):
        yield makers[i % len(makers)](rng)
