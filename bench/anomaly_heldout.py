"""A second family of generated tables, made in other ways than the first, to see whether results carry over."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anomaly_generators import Generated

BACKGROUNDS = ("gamma", "weibull", "t3", "t2", "pareto", "zero inflated", "ratios", "binomial", "rounded", "skewed factors", "mixture", "toeplitz", "correlated lognormal", "geometric", "logistic", "bimodal columns", "normal", "uniform")  # fmt: skip
ANOMALIES = ("far group", "two groups", "wide box", "inflated", "swapped", "flipped", "in between", "spikes")  # fmt: skip


def background(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    """Rows without anomalies."""
    if kind == "zero inflated":
        return rng.gamma(2, 10, (n, p)) * (rng.random((n, p)) > rng.uniform(0.2, 0.7, p))
    if kind == "skewed factors":
        factors = rng.standard_normal((n, max(1, p // 4)))
        X = factors @ rng.standard_normal((factors.shape[1], p)) + 0.5 * rng.standard_normal((n, p))
        X[:, ::2] = np.exp(0.5 * X[:, ::2] / X[:, ::2].std(axis=0))
        return X
    if kind == "mixture":
        of = rng.choice(3, n, p=[0.5, 0.3, 0.2])
        return (
            rng.normal(0, 5, (3, p))[of] + rng.standard_normal((n, p)) * np.array([1.0, 0.5, 1.5])[of, None]
        )
    if kind in ("toeplitz", "correlated lognormal"):
        C = 0.8 ** np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
        X = rng.multivariate_normal(np.zeros(p), C, n, method="cholesky")
        return X if kind == "toeplitz" else np.exp(0.8 * X)
    draws = {
        "gamma": lambda: rng.gamma(rng.uniform(0.5, 4, p), 1, (n, p)),
        "weibull": lambda: rng.weibull(rng.uniform(0.7, 3, p), (n, p)),
        "t3": lambda: rng.standard_t(3, (n, p)),
        "t2": lambda: rng.standard_t(2, (n, p)),
        "pareto": lambda: rng.pareto(rng.uniform(1.5, 4, p), (n, p)),
        "ratios": lambda: rng.beta(rng.uniform(0.6, 5, p), rng.uniform(0.6, 5, p), (n, p)),
        "binomial": lambda: rng.binomial(rng.integers(5, 60, p), rng.uniform(0.1, 0.9, p), (n, p)).astype(
            float
        ),
        "rounded": lambda: rng.normal(50, 15, (n, p)).round(),
        "geometric": lambda: rng.geometric(0.2, (n, p)).astype(float),
        "logistic": lambda: rng.logistic(0, 3, (n, p)),
        "bimodal columns": lambda: rng.standard_normal((n, p)) + 3 * rng.choice([-1, 1], (n, p)),
        "normal": lambda: rng.standard_normal((n, p)),
        "uniform": lambda: rng.uniform(-1, 1, (n, p)),
    }
    return draws[kind]()


def with_anomalies(kind: str, n: int, p: int, share: float, rng: np.random.Generator) -> Generated:
    """Rows of which a share is anomalous in the given way."""
    k = max(3, round(share * n))
    rows = rng.choice(n, k, replace=False)
    if kind in ("swapped", "flipped"):
        p = max(p, 3)
        base = rng.standard_normal((n, max(1, p // 6)))
        mix = rng.standard_normal((base.shape[1], p))
        X = base @ mix + 0.15 * np.linalg.norm(mix, axis=0) * rng.standard_normal((n, p))
        half = rng.choice(p, p // 2, replace=False)
        if kind == "flipped":
            X[np.ix_(rows, half)] *= -1
        else:
            X[np.ix_(rows, half)] = X[np.ix_(rng.permutation(n)[:k], half)]
        return Generated(kind, X, rows)
    if kind == "in between":
        p = max(p, 3)
        side = rng.choice([-1.0, 1.0], n)
        X = 6 * side[:, None] + rng.standard_normal((n, p))
        X[rows] = rng.normal(0, 0.7, (k, p))
        return Generated(kind, X, rows)
    base = str(rng.choice(["normal", "uniform", "t3", "gamma", "mixture", "toeplitz", "rounded", "correlated lognormal", "binomial", "logistic"]))  # fmt: skip
    X = background(base, n, p, rng)
    middle, sd = X.mean(axis=0), X.std(axis=0) + 1e-9
    if kind in ("far group", "two groups"):
        for part in np.array_split(rows, 1 if kind == "far group" else 2):
            way = rng.standard_normal(p)
            way *= rng.uniform(4.5, 7) * np.sqrt(p) / np.linalg.norm(way)
            X[part] = middle + sd * (way + 0.4 * rng.standard_normal((len(part), p)))
    elif kind == "wide box":
        low, high = X.min(axis=0), X.max(axis=0)
        X[rows] = (low + high) / 2 + 1.1 * (high - low) * rng.uniform(-0.5, 0.5, (k, p))
    elif kind == "inflated":
        X[rows] = middle + 4 * (X[rows] - middle)
    else:
        for r in rows:
            hit = rng.choice(p, max(1, p // 5), replace=False)
            X[r, hit] = middle[hit] + sd[hit] * rng.choice([-1, 1], len(hit)) * rng.uniform(6, 12, len(hit))
    return Generated(f"{kind} in {base}", X, rows)


def heldout(each: int, seed: int = 0) -> Iterator[Generated]:
    """``each`` tables of noise and as many with planted anomalies."""
    rng = np.random.default_rng([seed, 99])

    def size() -> tuple[int, int]:
        return int(np.exp(rng.uniform(np.log(100), np.log(5000)))), int(rng.choice([2, 3, 6, 12, 25, 50]))

    for i in range(each):
        kind = BACKGROUNDS[i % len(BACKGROUNDS)]
        yield Generated(kind, background(kind, *size(), rng), np.empty(0, dtype=int))
    for i in range(each):
        yield with_anomalies(
            ANOMALIES[i % len(ANOMALIES)],
            *size(),
            float(np.exp(rng.uniform(np.log(0.005), np.log(0.08)))),
            rng,
        )
