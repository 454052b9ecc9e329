"""A third family of generated tables, in two halves that share neither seeds nor laws.

The development half may be looked at as often as one likes; the final half is for one look at the end.
Anomalies are measured in standard deviations of the column they lie in, so that what is far in light tails
is ordinary in heavy ones: no engine can tell them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from anomaly_generators import Generated

Draw = Callable[[int, int, np.random.Generator], np.ndarray]
DEVELOPMENT: Final = "development"
FINAL: Final = "final"


def _clusters(n: int, p: int, rng: np.random.Generator, *, skewed: bool = False) -> np.ndarray:
    k = int(rng.integers(2, 5))
    of = rng.choice(k, n, p=rng.dirichlet(np.full(k, 8.0)))
    around = rng.gamma(3.0, 0.6, (n, p)) if skewed else rng.standard_normal((n, p))
    return rng.uniform(-7, 7, (k, p))[of] + around * rng.uniform(0.6, 1.4, k)[of][:, None]


def _factors(n: int, p: int, rng: np.random.Generator, noise: float = 0.3) -> np.ndarray:
    k = max(1, p // 4)
    mix = rng.standard_normal((k, p))
    mix /= np.linalg.norm(mix, axis=0)
    return rng.standard_normal((n, k)) @ mix + noise * rng.standard_normal((n, p))


def _ordered(n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    near = 0.85 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return rng.standard_normal((n, p)) @ np.linalg.cholesky(near).T


LAWS: Final[dict[str, dict[str, Draw]]] = {
    DEVELOPMENT: {
        "gaussian": lambda n, p, r: r.standard_normal((n, p)) * r.uniform(1, 50, p),
        "uniform": lambda n, p, r: r.uniform(-1, 1, (n, p)),
        "exponential": lambda n, p, r: r.exponential(1, (n, p)),
        "student 5": lambda n, p, r: r.standard_t(5, (n, p)),
        "clusters": lambda n, p, r: _clusters(n, p, r),
        "factors": lambda n, p, r: _factors(n, p, r),
        "poisson": lambda n, p, r: r.poisson(r.uniform(1, 30, p), (n, p)).astype(float),
        "with categories": lambda n, p, r: r.standard_normal((n, p)),
        "lognormal 0.5": lambda n, p, r: r.lognormal(0, 0.5, (n, p)),
    },
    FINAL: {
        "lognormal 1": lambda n, p, r: r.lognormal(0, 1, (n, p)),
        "logistic": lambda n, p, r: r.logistic(0, 1, (n, p)),
        "gamma": lambda n, p, r: r.gamma(r.uniform(1.5, 6, p), 1, (n, p)),
        "student 3": lambda n, p, r: r.standard_t(3, (n, p)),
        "skewed clusters": lambda n, p, r: _clusters(n, p, r, skewed=True),
        "ordered": _ordered,
        "ordered lognormal": lambda n, p, r: np.exp(0.6 * _ordered(n, p, r)),
        "negative binomial": lambda n, p, r: r.negative_binomial(4, 0.3, (n, p)).astype(float),
        "categories and counts": lambda n, p, r: r.integers(0, 40, (n, p)).astype(float),
        "triangular": lambda n, p, r: r.triangular(0, 0.3, 1, (n, p)),
        "gaussian": lambda n, p, r: r.standard_normal((n, p)) @ r.standard_normal((p, p)),
    },
}
KINDS: Final = {
    DEVELOPMENT: ("points", "between clusters", "broken dependence", "dense group", "scale"),
    FINAL: ("directions", "beside a tight cluster", "flipped", "two groups", "stretched", "one column"),
}


def _spread(X: np.ndarray) -> np.ndarray:
    return X.std(axis=0) + 1e-9


def _plant(kind: str, X: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> None:
    """Change ``rows`` of a table of any law in the given way."""
    k, p = len(rows), X.shape[1]
    middle, sd = X.mean(axis=0), _spread(X)
    if kind in ("points", "one column"):
        most = 1 if kind == "one column" else max(1, p // 3)
        for r in rows:
            hit = rng.choice(p, int(rng.integers(1, most + 1)), replace=False)
            X[r, hit] = middle[hit] + sd[hit] * rng.choice([-1, 1], len(hit)) * rng.uniform(4, 8, len(hit))
    elif kind == "directions":
        way = rng.standard_normal((k, p))
        way *= (
            rng.uniform(4, 8, (k, 1)) * np.sqrt(max(1.0, p / 3)) / np.linalg.norm(way, axis=1, keepdims=True)
        )
        X[rows] = middle + sd * way
    elif kind in ("dense group", "two groups"):
        for part in np.array_split(rows, 1 if kind == "dense group" else 2):
            to = rng.choice([-1, 1], p) * rng.uniform(3, 6)
            X[part] = middle + sd * (to + 0.2 * rng.standard_normal((len(part), p)))
    else:
        X[rows] = middle + rng.uniform(3, 5, (k, 1)) * (X[rows] - middle)


def _planted(kind: str, half: str, n: int, p: int, k: int, rng: np.random.Generator) -> Generated:
    rows = rng.choice(n, k, replace=False)
    if kind in ("between clusters", "beside a tight cluster"):
        tight = kind.startswith("beside")
        of = rng.integers(0, 2, n)
        X = (
            8.0 * of[:, None]
            + rng.standard_normal((n, p)) * np.where(of, 1.0, 0.25 if tight else 1.0)[:, None]
        )
        away = rng.standard_normal((k, p))
        away *= (
            0.25
            * rng.uniform(5, 8, (k, 1))
            * np.sqrt(max(1.0, p / 3))
            / np.linalg.norm(away, axis=1)[:, None]
        )
        X[rows] = away if tight else 4.0 + 0.5 * rng.standard_normal((k, p))
        return Generated(kind, X, rows)
    if kind in ("broken dependence", "flipped"):
        p = max(p, 3)
        X = _factors(n, p, rng, 0.2)
        half_of = rng.choice(p, p // 2, replace=False)
        if kind == "flipped":
            X[np.ix_(rows, half_of)] *= -1
        else:
            X[rows] = np.column_stack([rng.permutation(X[:, j])[:k] for j in range(p)])
        return Generated(kind, X, rows)
    law = str(rng.choice(list(LAWS[half])))
    X = LAWS[half][law](n, p, rng)
    _plant(kind, X, rows, rng)
    return Generated(f"{kind} in {law}", X, rows)


def _with_categories(made: Generated, rng: np.random.Generator) -> Generated:
    """The same table with columns of words beside the numbers."""
    import pandas as pd

    frame: Any = pd.DataFrame({f"x{j}": made.X[:, j] for j in range(made.X.shape[1])})
    for c in range(int(rng.integers(1, 3))):
        levels = int(rng.integers(2, 7))
        frame[f"kind {c}"] = rng.choice(
            [f"level {v}" for v in range(levels)], len(frame), p=rng.dirichlet(np.full(levels, 3.0))
        )
    return Generated(made.kind, frame, made.rows)


def laws(half: str, each: int, seed: int = 0) -> Iterator[Generated]:
    """``each`` tables of noise and as many with 0.5 to 5 % of planted rows, of one half of the family."""
    rng = np.random.default_rng([seed, 1_000 + sum(map(ord, half))])

    def size() -> tuple[int, int]:
        return int(np.exp(rng.uniform(np.log(100), np.log(5000)))), int(rng.choice([2, 3, 5, 8, 15, 30]))

    for i in range(each):
        law = list(LAWS[half])[i % len(LAWS[half])]
        made = Generated(law, LAWS[half][law](*size(), rng), np.empty(0, dtype=int))
        yield _with_categories(made, rng) if "categories" in law else made
    for i in range(each):
        n, p = size()
        k = max(3, round(n * float(np.exp(rng.uniform(np.log(0.005), np.log(0.05))))))
        made = _planted(KINDS[half][i % len(KINDS[half])], half, n, p, k, rng)
        yield _with_categories(made, rng) if "categories" in made.kind else made
