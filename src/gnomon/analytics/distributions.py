"""Distribution of one column: summary, shape, the family that fits best, normality, histogram, outliers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats, numbers, present, require_count, require_whole
from gnomon.analytics.results import Result

_MOST_FITTED = 5000
_LARGEST_COUNT = 10_000


@dataclass(frozen=True, slots=True)
class Bin(Result):
    """One bar of the histogram; the upper edge belongs to the last bar only."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Family(Result):
    """A fitted family: parameters by name, Akaike's criterion and Kolmogorov's distance to the data."""

    name: str
    parameters: dict[str, float]
    aic: float
    distance: float


@dataclass(frozen=True, slots=True)
class Normality(Result):
    """A test of normality: Shapiro–Wilk up to 5000 values, D'Agostino beyond."""

    test: str
    statistic: float
    p_value: float
    normal: bool


@dataclass(frozen=True, slots=True)
class Distribution(Result):
    """What one column of numbers looks like."""

    count: int
    missing: int
    distinct: int
    mean: float
    sd: float | None
    minimum: float
    maximum: float
    quantiles: dict[str, float]
    iqr: float
    skewness: float | None
    kurtosis: float | None
    shape: str
    zeros: float
    negatives: float
    outliers: float
    outlier_low: float
    outlier_high: float
    normality: Normality | None
    best: Family | None
    families: tuple[Family, ...]
    histogram: tuple[Bin, ...]
    notes: tuple[str, ...]


def distribution(values: Any, *, bins: int | None = None) -> Distribution:
    """Describe a column of numbers.

    Args:
        values: The column; missing and infinite entries are counted and left out.
        bins: Number of histogram bars; chosen by Freedman and Diaconis' rule when left out.
    """
    data = numbers(values)
    x = present(data)
    require_count(len(x), 1, "A distribution")
    if bins is not None:
        require_whole(bins, 1, 1000, "bins")
    quantiles = np.quantile(x, [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])
    iqr = float(quantiles[4] - quantiles[2])
    low, high = float(quantiles[2] - 1.5 * iqr), float(quantiles[4] + 1.5 * iqr)
    varies = np.ptp(x) > 0
    skew, kurt = _moments(x) if varies and len(x) >= 3 else (None, None)
    families, notes = _families(x) if varies and len(x) >= 10 else ((), ())
    if not varies:
        notes = (*notes, "All values are equal.")
    return Distribution(
        count=len(x),
        missing=len(data) - len(x),
        distinct=len(np.unique(x)),
        mean=float(x.mean()),
        sd=float(x.std(ddof=1)) if len(x) > 1 else None,
        minimum=float(x.min()),
        maximum=float(x.max()),
        quantiles=dict(
            zip(("p1", "p5", "p25", "p50", "p75", "p95", "p99"), map(float, quantiles), strict=True)
        ),
        iqr=iqr,
        skewness=skew,
        kurtosis=kurt,
        shape=_shape(x, skew, kurt),
        zeros=float((x == 0).mean()),
        negatives=float((x < 0).mean()),
        outliers=float(((x < low) | (x > high)).mean()),
        outlier_low=low,
        outlier_high=high,
        normality=normality(x) if varies and len(x) >= 8 else None,
        best=families[0] if families else None,
        families=families,
        histogram=histogram(x, bins),
        notes=notes,
    )


def _moments(x: Floats) -> tuple[float, float]:
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values that hardly differ relative to their size
        return float(stats.skew(x)), float(stats.kurtosis(x))


def _shape(x: Floats, skew: float | None, kurt: float | None) -> str:
    if skew is None or kurt is None:
        return "constant" if np.ptp(x) == 0 else "too few values"
    if len(np.unique(x)) == 2:
        return "two values"
    side = "right-skewed" if skew > 0.5 else "left-skewed" if skew < -0.5 else "symmetric"
    tails = ", heavy-tailed" if kurt > 2 else ", flat" if kurt < -1 else ""
    return side + tails


def normality(x: Floats, alpha: float = 0.05) -> Normality:
    """Test whether complete values could come from a normal distribution."""
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len(x) <= 5000:
            name, outcome = "shapiro", stats.shapiro(x)
        else:
            name, outcome = "dagostino", stats.normaltest(x)
    statistic, p_value = float(outcome[0]), float(outcome[1])
    return Normality(name, statistic, p_value, p_value >= alpha)


def histogram(x: Floats, bins: int | None = None) -> tuple[Bin, ...]:
    """Bars of equal width; whole numbers with few values get one bar each."""
    distinct = np.unique(x)
    if bins is None and len(distinct) <= 30 and np.all(distinct == np.round(distinct)) and np.ptp(x) <= 60:
        edges = np.arange(distinct[0] - 0.5, distinct[-1] + 1.0, 1.0)
    elif bins is not None:
        edges = np.histogram_bin_edges(x, bins)
    else:
        wanted = len(np.histogram_bin_edges(x, "fd")) - 1 if _spread_enough(x) else 10
        edges = np.histogram_bin_edges(x, int(np.clip(wanted, 5, 60)) if np.ptp(x) > 0 else 1)
    counts, edges = np.histogram(x, edges)
    return tuple(Bin(float(a), float(b), int(c)) for a, b, c in zip(edges, edges[1:], counts, strict=False))


def _spread_enough(x: Floats) -> bool:
    """Whether the rule of Freedman and Diaconis gives a number of bars that fits into memory."""
    iqr = float(np.subtract(*np.quantile(x, [0.75, 0.25])))
    return iqr > 0 and float(np.ptp(x)) / iqr < 1000


def _families(x: Floats) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """Fit the common families that the data's range allows; smallest criterion first."""
    notes: tuple[str, ...] = ()
    if len(x) > _MOST_FITTED:
        x = np.random.default_rng(0).choice(x, _MOST_FITTED, replace=False)
        notes = (f"Families were fitted to {_MOST_FITTED} values drawn with a fixed seed.",)
    whole = bool(np.all(x == np.round(x)) and x.min() >= 0 and x.max() <= _LARGEST_COUNT)
    counts = whole and len(np.unique(x)) <= max(20, len(x) // 5)
    fitted = _count_families(x) if counts else _continuous_families(x)
    return tuple(sorted(fitted, key=lambda f: (f.aic, f.name))), notes


def _continuous_families(x: Floats) -> list[Family]:
    from scipy import stats

    plans: list[tuple[str, Any, tuple[str, ...], dict[str, float]]] = [
        ("normal", stats.norm, ("mean", "sd"), {}),
        ("uniform", stats.uniform, ("low", "width"), {}),
        ("laplace", stats.laplace, ("median", "scale"), {}),
        ("student t", stats.t, ("freedom", "center", "scale"), {}),
    ]
    if x.min() >= 0:
        plans.append(("exponential", stats.expon, ("", "scale"), {"floc": 0}))
    if x.min() > 0:
        positive: list[tuple[str, Any, tuple[str, ...], dict[str, float]]] = [
            ("lognormal", stats.lognorm, ("sigma", "", "median"), {"floc": 0}),
            ("gamma", stats.gamma, ("shape", "", "scale"), {"floc": 0}),
            ("weibull", stats.weibull_min, ("shape", "", "scale"), {"floc": 0}),
        ]
        plans += positive
    out: list[Family] = []
    for name, law, labels, fixed in plans:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            parameters = tuple(float(p) for p in law.fit(x, **fixed))
            likelihood = float(np.sum(law.logpdf(x, *parameters)))
            distance = float(stats.kstest(x, law.cdf, args=parameters).statistic)
        if np.isfinite(likelihood):
            kept = {label: p for label, p in zip(labels, parameters, strict=True) if label}
            out.append(Family(name, kept, 2 * len(kept) - 2 * likelihood, distance))
    return out


def _count_families(x: Floats) -> list[Family]:
    from scipy import stats

    mean, variance = float(x.mean()), float(x.var(ddof=1))
    grid = np.arange(0, x.max() + 1)
    empirical = np.searchsorted(np.sort(x), grid, side="right") / len(x)

    def family(name: str, law: Any, args: tuple[float, ...], parameters: dict[str, float]) -> Family:
        likelihood = float(np.sum(law.logpmf(x, *args)))
        distance = float(np.max(np.abs(empirical - law.cdf(grid, *args))))
        return Family(name, parameters, 2 * len(parameters) - 2 * likelihood, distance)

    out = [
        family("poisson", stats.poisson, (mean,), {"mean": mean}),
        family("geometric", stats.geom, (1 / (1 + mean), -1), {"p": 1 / (1 + mean)}),
    ]
    if variance > mean:  # moments: enough to see overdispersion
        size = mean**2 / (variance - mean)
        args = (size, size / (size + mean))
        out.append(family("negative binomial", stats.nbinom, args, {"size": size, "mean": mean}))
    return [f for f in out if np.isfinite(f.aic)]
