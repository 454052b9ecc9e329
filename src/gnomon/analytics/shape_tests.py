"""Tests of counts, shapes and relations: χ², Fisher, proportions, Kolmogorov–Smirnov, normality, correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.analytics.association import cramers_v, numeric_association
from gnomon.analytics.distributions import normality
from gnomon.analytics.evidence import Check, Sample, TestOutcome, described, size_word
from gnomon.analytics.inputs import Floats, require_choice, require_count
from gnomon.analytics.location_tests import Alternative
from gnomon.core.errors import CalculationError

FAMILIES = ("norm", "uniform", "expon", "lognorm", "gamma")


def contingency_test(table: Floats, exact: bool | None, names: tuple[str, str]) -> TestOutcome:
    """χ² test of independence, or Fisher's exact test for a small two-by-two table."""
    from scipy import stats

    if min(table.shape) < 2:
        raise CalculationError(
            "Both columns need at least two different values.", suggestions=["Choose columns that vary."]
        )
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    share_low = float((expected < 5).mean())
    enough = share_low <= 0.2 and float(expected.min()) >= 1
    claim = f"{names[0]} and {names[1]} are related"
    sample = (Sample(f"{names[0]} × {names[1]}", int(table.sum())),)
    v = cramers_v(table).coefficient
    if exact or (exact is None and not enough and table.shape == (2, 2)):
        if table.shape != (2, 2):
            raise CalculationError(
                f"Fisher's exact test needs a two-by-two table, but this one is {table.shape[0]} by {table.shape[1]}.",
                suggestions=["Use the chi2 test, or merge categories."],
            )
        outcome: Any = stats.fisher_exact(table)
        odds = float(outcome.statistic)
        return TestOutcome(
            "fisher", odds, float(outcome.pvalue), sample, effect_name="odds ratio", effect=odds, claim=claim
        )
    outcome = stats.chi2_contingency(table, correction=table.shape == (2, 2) and not enough)
    check = Check(
        "expected counts of 5 or more", enough, f"{100 * share_low:.0f} % of cells expect fewer than 5"
    )
    return TestOutcome(
        "chi2", float(outcome.statistic), float(outcome.pvalue), sample, freedom=float(outcome.dof),
        effect_name="Cramér's V (bias-corrected)", effect=v, effect_size=size_word(v, 0.1, 0.3, 0.5),
        checks=(check,), claim=claim,
    )  # fmt: skip


def proportions(
    a: Floats, b: Floats, names: tuple[str, str], side: Alternative, confidence: float
) -> TestOutcome:
    """Pooled z test of two proportions with Newcombe's interval for their difference."""
    from scipy import stats

    require_count(min(len(a), len(b)), 1, "A test of proportions")
    n, m, x, y = len(a), len(b), float(a.sum()), float(b.sum())
    p, q, pooled = x / n, y / m, (x + y) / (n + m)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    z = (p - q) / spread if spread > 0 else 0.0
    tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "less": stats.norm.cdf(z), "greater": stats.norm.sf(z)}
    (low_p, high_p), (low_q, high_q) = wilson(x, n, confidence), wilson(y, m, confidence)
    low = p - q - np.sqrt((p - low_p) ** 2 + (high_q - q) ** 2)
    high = p - q + np.sqrt((high_p - p) ** 2 + (q - low_q) ** 2)
    h = float(2 * np.arcsin(np.sqrt(p)) - 2 * np.arcsin(np.sqrt(q)))
    fewest = min(x, n - x, y, m - y)
    word = {"two-sided": "differs from", "less": "is lower than", "greater": "is higher than"}[side]
    return TestOutcome(
        "proportions", float(z), float(min(1.0, tails[side])),
        (Sample(names[0], n, p), Sample(names[1], m, q)),
        effect_name="Cohen's h", effect=h, effect_size=size_word(h, 0.2, 0.5, 0.8),
        estimate_name="difference of proportions", estimate=p - q, estimate_low=float(low), estimate_high=float(high),
        checks=(Check("at least 5 of each outcome", fewest >= 5, f"fewest {fewest:.0f}"),),
        claim=f"the share in {names[0]} {word} the share in {names[1]}",
    )  # fmt: skip


def wilson(successes: float, n: int, confidence: float) -> tuple[float, float]:
    """Wilson's interval of a proportion."""
    from scipy import stats

    z = float(stats.norm.ppf(0.5 + confidence / 2))
    p = successes / n
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return float(max(0.0, center - half)), float(min(1.0, center + half))


def ks_two(a: Floats, b: Floats, names: tuple[str, str]) -> TestOutcome:
    """Two-sample Kolmogorov–Smirnov test that two distributions differ anywhere."""
    from scipy import stats

    require_count(min(len(a), len(b)), 2, "A Kolmogorov–Smirnov test")
    outcome: Any = stats.ks_2samp(a, b)
    distance = float(outcome.statistic)
    return TestOutcome(
        "ks", distance, float(outcome.pvalue), (described(names[0], a), described(names[1], b)),
        effect_name="largest gap between the distributions", effect=distance,
        effect_size=size_word(distance, 0.1, 0.3, 0.5), claim=f"{names[0]} and {names[1]} are distributed differently",
    )  # fmt: skip


def ks_one(a: Floats, name: str, family: str) -> TestOutcome:
    """Kolmogorov–Smirnov test against a family fitted to the same data, by parametric bootstrap.

    The textbook p-value is far too large once the parameters come from the data; simulation repairs it.
    """
    from scipy import stats

    require_choice(family, FAMILIES, "distribution")
    require_count(len(a), 8, "A Kolmogorov–Smirnov test")
    if np.ptp(a) == 0:
        raise CalculationError("The values do not vary.", suggestions=["Choose a column that varies."])
    if family in {"lognorm", "gamma", "expon"} and a.min() <= 0:
        raise CalculationError(
            f"The {family} distribution needs positive values.", suggestions=["Test against norm instead."]
        )
    x = a if len(a) <= 2000 else np.random.default_rng(1).choice(a, 2000, replace=False)
    law: Any = getattr(stats, family)

    def fitted(values: Floats) -> tuple[float, ...]:
        if family == "lognorm":
            logs = np.log(values)
            return float(logs.std()), 0.0, float(np.exp(logs.mean()))
        if family == "gamma":  # moments: quick, and the bootstrap uses the same rule
            shape = float(values.mean() ** 2 / values.var())
            return shape, 0.0, float(values.mean()) / shape
        if family == "expon":
            return 0.0, float(values.mean())
        if family == "uniform":
            return float(values.min()), float(np.ptp(values))
        return float(values.mean()), float(values.std())

    def distance(values: Floats) -> float:
        ordered, n = np.sort(values), len(values)
        cdf = law.cdf(ordered, *fitted(values))
        return float(max((np.arange(1, n + 1) / n - cdf).max(), (cdf - np.arange(n) / n).max()))

    seen = distance(x)
    rng = np.random.default_rng(0)
    parameters = fitted(x)
    draws = [distance(np.asarray(law.rvs(*parameters, size=len(x), random_state=rng))) for _ in range(299)]
    p_value = (1 + sum(d >= seen for d in draws)) / 300
    return TestOutcome(
        "ks", seen, p_value, (described(name, a),), effect_name="largest gap to the fitted distribution", effect=seen,
        claim=f"{name} does not follow a {family} distribution",
        notes=("The p-value comes from 299 simulations with a fixed seed.",),
    )  # fmt: skip


def normality_test(a: Floats, name: str) -> TestOutcome:
    """Shapiro–Wilk, or D'Agostino beyond 5000 values."""
    require_count(len(a), 8, "A test of normality")
    if np.ptp(a) == 0:
        raise CalculationError("The values do not vary.", suggestions=["Choose a column that varies."])
    shape = normality(a)
    notes = (
        ("With so many rows, deviations too small to matter become significant.",) if len(a) > 5000 else ()
    )
    return TestOutcome(
        f"normality ({shape.test})", shape.statistic, shape.p_value, (described(name, a),),
        claim=f"{name} is not normally distributed", notes=notes,
    )  # fmt: skip


def correlation_test(
    a: Floats, b: Floats, method: str, names: tuple[str, str], confidence: float
) -> TestOutcome:
    """Pearson's or Spearman's correlation of paired columns."""
    require_count(len(a), 3, "A correlation")
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        raise CalculationError("One column does not vary.", suggestions=["Choose columns that vary."])
    link = numeric_association(a, b, method, confidence)
    return TestOutcome(
        method, link.coefficient, link.p_value, (described(names[0], a), described(names[1], b)),
        effect_name="correlation", effect=link.coefficient, effect_low=link.low, effect_high=link.high,
        effect_size=size_word(link.coefficient, 0.1, 0.3, 0.5), claim=f"{names[0]} and {names[1]} move together",
    )  # fmt: skip
