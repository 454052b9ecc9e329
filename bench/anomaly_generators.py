"""Generated tables with and without anomalies, for judging whether a verdict means something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

NOISE = ("normal", "uniform", "correlated", "exponential", "lognormal", "student", "clusters", "counts", "ints", "laplace", "beta", "mixed", "heavy", "pareto", "zeros")  # fmt: skip
PLANTED = ("cluster", "scattered", "few columns", "spread", "broken dependence", "local density")


@dataclass(frozen=True)
class Generated:
    """A table, what it is, and which rows are anomalous (none for noise)."""

    kind: str
    X: np.ndarray
    rows: np.ndarray


def noise(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Rows without anomalies."""
    if kind == "clusters":
        k = int(rng.integers(2, 5))
        centres, spread = rng.uniform(-8, 8, (k, p)), rng.uniform(0.5, 1.5, k)
        of = rng.integers(0, k, n)
        return centres[of] + rng.standard_normal((n, p)) * spread[of][:, None]
    if kind == "mixed":
        X = rng.standard_normal((n, p))
        X[:, ::3], X[:, 1::3] = rng.exponential(1, X[:, ::3].shape), rng.random(X[:, 1::3].shape)
        return X
    draws = {
        "normal": lambda: rng.standard_normal((n, p)),
        "uniform": lambda: rng.random((n, p)) * rng.uniform(1, 100, p),
        "correlated": lambda: rng.standard_normal((n, p)) @ rng.standard_normal((p, p)),
        "exponential": lambda: rng.exponential(1, (n, p)),
        "lognormal": lambda: np.exp(rng.standard_normal((n, p))),
        "student": lambda: rng.standard_t(4, (n, p)),
        "counts": lambda: rng.poisson(rng.uniform(2, 10), (n, p)).astype(float),
        "ints": lambda: rng.integers(0, 10, (n, p)).astype(float),
        "laplace": lambda: rng.laplace(0, 1, (n, p)),
        "heavy": lambda: rng.standard_t(rng.choice([2, 3]), (n, p)),
        "pareto": lambda: rng.pareto(2.5, (n, p)),
        "zeros": lambda: rng.exponential(1, (n, p)) * (rng.random((n, p)) < 0.5),
        "beta": lambda: rng.beta(2, 5, (n, p)),
    }
    return draws[kind]()


def planted(kind: str, n: int, p: int, share: float, rng: np.random.Generator) -> Generated:
    """Rows of which a share is anomalous in the given way."""
    k = max(3, int(share * n))
    rows = rng.choice(n, k, replace=False)
    if kind == "broken dependence":
        p = max(p, 4)
        factors = rng.standard_normal((n, max(1, p // 5)))
        X = factors @ rng.standard_normal((factors.shape[1], p)) + 0.2 * rng.standard_normal((n, p))
        X[rows] = np.stack([rng.permutation(X[:, j]) for j in range(p)], axis=1)[rows]
        return Generated(kind, X, rows)
    if kind == "local density":
        p = max(p, 4)
        of, spread = rng.integers(0, 2, n), np.array([0.3, 2.0])
        X = 8.0 * of[:, None] + rng.standard_normal((n, p)) * spread[of][:, None]
        away = rng.standard_normal((k, p))
        X[rows] = away / np.linalg.norm(away, axis=1, keepdims=True) * 0.3 * np.sqrt(p) * 3.5
        return Generated(kind, X, rows)
    base = str(
        rng.choice(
            ["normal", "correlated", "uniform", "mixed", "clusters", "exponential", "laplace", "counts"]
        )
    )
    X = noise(base, n, p, rng)
    centre = np.median(X, axis=0)
    spread = np.subtract(*np.quantile(X, [0.84, 0.16], axis=0)) / 2
    if kind == "cluster":
        X[rows] = centre + spread * (
            rng.choice([-1, 1], p) * rng.uniform(4, 6) + 0.3 * rng.standard_normal((k, p))
        )
    elif kind == "scattered":
        X[rows] = centre + spread * rng.uniform(-8, 8, (k, p))
    elif kind == "few columns":
        hit = rng.choice(p, max(1, p // 4), replace=False)
        size = rng.choice([-1, 1], (k, len(hit))) * rng.uniform(5, 10, (k, len(hit)))
        X[np.ix_(rows, hit)] = centre[hit] + spread[hit] * size
    else:
        X[rows] = centre + 5 * spread * rng.standard_normal((k, p))
    return Generated(f"{kind} in {base}", X, rows)


def suite(each: int, seed: int = 0) -> Iterator[Generated]:
    """``each`` tables of noise and as many with planted anomalies, of many kinds and sizes."""
    rng = np.random.default_rng(seed)
    for i in range(each):
        n, p = int(rng.choice([100, 300, 1000, 3000])), int(rng.choice([2, 5, 10, 30]))
        kind = NOISE[i % len(NOISE)]
        yield Generated(kind, noise(kind, n, p, rng), np.empty(0, dtype=int))
    for i in range(each):
        n, p = int(rng.choice([100, 300, 1000, 3000])), int(rng.choice([2, 5, 10, 30]))
        yield planted(PLANTED[i % len(PLANTED)], n, p, float(rng.choice([0.005, 0.01, 0.03, 0.08])), rng)
