"""A fourth family of generated tables: every column has a law of its own, as in the tables people have.

Columns hang together through common factors, through groups of rows, through a curve, or not at all; what is
planted is what goes wrong in tables: a cell far out, a value that belongs to another row, a sign, rows that
come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from anomaly_generators import Generated

Quantile = Callable[[np.ndarray, np.random.Generator], np.ndarray]
DEPENDENCE: Final = ("none", "weak", "strong", "groups", "curve")
KINDS: Final = ("cells", "other row", "signs", "group", "elsewhere", "blown up")


def _laws() -> dict[str, Quantile]:
    """Laws by name: uniform shares to values, parameters drawn once a column."""
    from scipy import stats

    return {
        "normal": lambda u, r: stats.norm.ppf(u, r.uniform(-50, 50), r.uniform(1, 20)),
        "student": lambda u, r: stats.t.ppf(u, r.uniform(4, 9)) * r.uniform(0.5, 5),
        "gamma": lambda u, r: stats.gamma.ppf(u, r.uniform(0.8, 8), scale=r.uniform(0.5, 30)),
        "lognormal": lambda u, r: stats.lognorm.ppf(u, r.uniform(0.25, 0.8), scale=r.uniform(1, 90)),
        "uniform": lambda u, r: u * r.uniform(1, 100),
        "laplace": lambda u, r: stats.laplace.ppf(u, 0, r.uniform(0.5, 4)),
        "poisson": lambda u, r: stats.poisson.ppf(u, r.uniform(1.5, 60)),
        "negative binomial": lambda u, r: stats.nbinom.ppf(u, r.uniform(2, 9), r.uniform(0.15, 0.6)),
        "share": lambda u, r: stats.beta.ppf(u, r.uniform(1.2, 6), r.uniform(1.2, 6)),
        "rounded": lambda u, r: np.round(stats.norm.ppf(u, r.uniform(20, 60), r.uniform(4, 15))),
        "weibull": lambda u, r: stats.weibull_min.ppf(u, r.uniform(0.9, 3), scale=r.uniform(1, 20)),
        "cents": lambda u, r: np.round(stats.gamma.ppf(u, r.uniform(1.5, 5), scale=r.uniform(2, 9)), 2),
    }


def _scores(how: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Normal scores with the given dependence."""
    own = rng.standard_normal((n, p))
    if how in ("weak", "strong"):
        k, left = max(1, p // 5), 0.9 if how == "weak" else 0.25
        mix = rng.standard_normal((k, p))
        common = rng.standard_normal((n, k)) @ (mix / np.linalg.norm(mix, axis=0))
        return (common + left * own) / np.sqrt(1 + left**2)
    if how == "groups":
        k = int(rng.integers(2, 4))
        return 0.5 * own + rng.uniform(-2, 2, (k, p))[rng.choice(k, n, p=rng.dirichlet(np.full(k, 9.0)))]
    if how == "curve":
        own[:, 1] = 0.8 * (own[:, 0] ** 2 - 1) + 0.4 * own[:, 1]
    return own


def table(how: str, n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    """Rows without anomalies, and the law of each column."""
    from scipy import stats

    laws, E = _laws(), _scores(how, n, p, rng)
    names = [str(rng.choice(list(laws))) for _ in range(p)]
    if how in ("groups", "curve"):  # these have their own marginals
        return E * rng.uniform(1, 50, p), ["own"] * p
    U = np.clip(stats.norm.cdf(E), 1e-12, 1 - 1e-12)
    return np.column_stack([laws[name](U[:, j], rng) for j, name in enumerate(names)]), names


def _plant(kind: str, how: str, n: int, p: int, k: int, rng: np.random.Generator) -> Generated:
    if kind in ("other row", "signs"):
        p, how = max(p, 4), "strong"
    X, names = table(how, n, p, rng)
    rows = rng.choice(n, k, replace=False)
    low, middle, high = np.quantile(X, [0.16, 0.5, 0.84], axis=0)
    spread = (high - low) / 2 + 1e-9
    if kind == "cells":
        for r in rows:
            j = int(rng.integers(p))
            X[r, j] = middle[j] + spread[j] * rng.choice([-1, 1]) * rng.uniform(6, 14)
    elif kind == "other row":
        half = rng.choice(p, max(1, p // 3), replace=False)
        X[np.ix_(rows, half)] = X[np.ix_(rng.permutation(n)[:k], half)]
    elif kind == "signs":
        half = rng.choice(p, max(1, p // 2), replace=False)
        X[np.ix_(rows, half)] = 2 * middle[half] - X[np.ix_(rows, half)]
    elif kind == "group":
        to = rng.choice([-1, 1], p) * rng.uniform(3, 5)
        X[rows] = middle + spread * (to + 0.3 * rng.standard_normal((k, p)))
    elif kind == "elsewhere":
        X[rows] = middle + 5 * spread * rng.uniform(-1, 1, (k, p))
    else:
        X[rows] = middle + rng.uniform(3, 6, (k, 1)) * (X[rows] - middle)
    return Generated(f"{kind} in {how} {'/'.join(names[:3])}", X, rows)


def mixed(each: int, seed: int = 0) -> Iterator[Generated]:
    """``each`` tables of noise and as many with 0.5 to 5 % of planted rows, at least three."""
    rng = np.random.default_rng([seed, 2_024])

    def size() -> tuple[int, int]:
        return int(np.exp(rng.uniform(np.log(100), np.log(5000)))), int(rng.choice([2, 4, 7, 12, 25]))

    for i in range(each):
        how = DEPENDENCE[i % len(DEPENDENCE)]
        X, names = table(how, *size(), rng)
        yield Generated(f"{how} {'/'.join(names[:3])}", X, np.empty(0, dtype=int))
    for i in range(each):
        n, p = size()
        k = max(3, round(n * float(np.exp(rng.uniform(np.log(0.005), np.log(0.05))))))
        yield _plant(KINDS[i % len(KINDS)], str(rng.choice(DEPENDENCE)), n, p, k, rng)
