"""Tests of location and spread: t, Mann–Whitney, Wilcoxon, ANOVA, Kruskal–Wallis, Levene."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon.analytics.distributions import normality
from gnomon.analytics.evidence import Check, Sample, TestOutcome, described, size_word
from gnomon.analytics.inputs import Floats, require_count
from gnomon.core.errors import CalculationError

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
_SIDES = {"two-sided": "differs from", "less": "is lower than", "greater": "is higher than"}
_MOST_PAIRS = 1000


def looks_normal(x: Floats) -> Check:
    """Whether a mean of ``x`` can be trusted to behave normally: by its shape, or by its number."""
    if len(x) < 3 or np.ptp(x) == 0:
        return Check("normal shape", len(x) >= 3, f"n = {len(x)}")
    if len(x) >= 30:
        skew = float(np.mean(((x - x.mean()) / x.std()) ** 3))
        return Check("normal means", abs(skew) < 2, f"n = {len(x)}, skewness {skew:.2f}")
    shape = normality(x)
    return Check("normal shape", shape.normal, f"n = {len(x)}, {shape.test} p = {shape.p_value:.3f}")


def welch_t(
    a: Floats, b: Floats, names: tuple[str, str], side: Alternative, confidence: float
) -> TestOutcome:
    """Welch's t test of two independent means."""
    return _independent_t(a, b, names, side, confidence, equal_spread=False)


def student_t(
    a: Floats, b: Floats, names: tuple[str, str], side: Alternative, confidence: float
) -> TestOutcome:
    """Student's t test of two independent means, which takes their spreads as equal."""
    return _independent_t(a, b, names, side, confidence, equal_spread=True)


def _independent_t(
    a: Floats, b: Floats, names: tuple[str, str], side: Alternative, confidence: float, *, equal_spread: bool
) -> TestOutcome:
    from scipy import stats

    require_count(min(len(a), len(b)), 2, "A t test")
    _require_spread(np.ptp(a) > 0 or np.ptp(b) > 0)
    outcome: Any = stats.ttest_ind(a, b, equal_var=equal_spread, alternative=side)
    interval: Any = outcome.confidence_interval(confidence)
    g, low, high = hedges_g(a, b, confidence)
    return TestOutcome(
        "student_t" if equal_spread else "welch_t", float(outcome.statistic), float(outcome.pvalue),
        (described(names[0], a), described(names[1], b)),
        freedom=float(outcome.df),
        effect_name="Hedges' g", effect=g, effect_low=low, effect_high=high, effect_size=size_word(g, 0.2, 0.5, 0.8),
        estimate_name="difference of means", estimate=float(a.mean() - b.mean()),
        estimate_low=float(interval.low), estimate_high=float(interval.high),
        checks=(looks_normal(a), looks_normal(b)),
        claim=f"the mean of {names[0]} {_SIDES[side]} the mean of {names[1]}",
    )  # fmt: skip


def hedges_g(a: Floats, b: Floats, confidence: float) -> tuple[float, float, float]:
    """Standardised difference of means, corrected for small samples, with a normal interval."""
    from scipy import stats

    n, m = len(a), len(b)
    pooled = np.sqrt(((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / (n + m - 2))
    g = float((a.mean() - b.mean()) / pooled * (1 - 3 / (4 * (n + m) - 9)))
    half = float(stats.norm.ppf(0.5 + confidence / 2)) * np.sqrt((n + m) / (n * m) + g * g / (2 * (n + m)))
    return g, g - half, g + half


def one_sample_t(
    d: Floats, mu: float, claim: str, names: Sample, side: Alternative, confidence: float, label: str
) -> TestOutcome:
    """One-sample (or, on differences, paired) t test."""
    from scipy import stats

    require_count(len(d), 2, "A t test")
    _require_spread(np.ptp(d) > 0)
    outcome: Any = stats.ttest_1samp(d, mu, alternative=side)
    interval: Any = outcome.confidence_interval(confidence)
    effect = float((d.mean() - mu) / d.std(ddof=1))
    half = float(stats.norm.ppf(0.5 + confidence / 2)) * np.sqrt(1 / len(d) + effect**2 / (2 * len(d)))
    return TestOutcome(
        label, float(outcome.statistic), float(outcome.pvalue), (names,),
        freedom=float(outcome.df),
        effect_name="Cohen's d", effect=effect, effect_low=effect - half, effect_high=effect + half,
        effect_size=size_word(effect, 0.2, 0.5, 0.8),
        estimate_name="mean" if label == "one_sample_t" else "mean difference", estimate=float(d.mean()),
        estimate_low=float(interval.low), estimate_high=float(interval.high),
        checks=(looks_normal(d),), claim=claim,
    )  # fmt: skip


def mann_whitney(
    a: Floats, b: Floats, names: tuple[str, str], side: Alternative, confidence: float
) -> TestOutcome:
    """Mann–Whitney test that one sample tends to larger values."""
    from scipy import stats

    require_count(min(len(a), len(b)), 2, "A Mann–Whitney test")
    outcome: Any = stats.mannwhitneyu(a, b, alternative=side)
    n, m = len(a), len(b)
    effect = float(2 * outcome.statistic / (n * m) - 1)
    shift, low, high = hodges_lehmann(a, b, confidence)
    return TestOutcome(
        "mann_whitney", float(outcome.statistic), float(outcome.pvalue),
        (described(names[0], a), described(names[1], b)),
        effect_name="rank-biserial correlation", effect=effect, effect_size=size_word(effect, 0.1, 0.3, 0.5),
        estimate_name="typical difference (Hodges–Lehmann)", estimate=shift, estimate_low=low, estimate_high=high,
        claim=f"{names[0]} {'differs from' if side == 'two-sided' else 'tends to be ' + side.replace('less', 'lower').replace('greater', 'higher') + ' than'} {names[1]}",
    )  # fmt: skip


def hodges_lehmann(a: Floats, b: Floats, confidence: float) -> tuple[float, float, float]:
    """Median of all pairwise differences, with the rank-based interval of Moses."""
    from scipy import stats

    rng = np.random.default_rng(0)
    a, b = (x if len(x) <= _MOST_PAIRS else rng.choice(x, _MOST_PAIRS, replace=False) for x in (a, b))
    n, m = len(a), len(b)
    gaps = np.sort(np.subtract.outer(a, b).ravel())
    stray = float(stats.norm.ppf(0.5 + confidence / 2)) * np.sqrt(n * m * (n + m + 1) / 12)
    low = int(np.clip(round(n * m / 2 - stray), 0, len(gaps) - 1))
    return float(np.median(gaps)), float(gaps[low]), float(gaps[len(gaps) - 1 - low])


def wilcoxon(d: Floats, claim: str, sample: Sample, side: Alternative) -> TestOutcome:
    """Wilcoxon's signed-rank test on differences."""
    from scipy import stats

    moved = d[d != 0]
    require_count(len(moved), 1, "A Wilcoxon test (differences that are not zero)")
    outcome: Any = stats.wilcoxon(d, alternative=side)
    ranks = stats.rankdata(np.abs(moved))
    effect = float((ranks[moved > 0].sum() - ranks[moved < 0].sum()) / ranks.sum())
    skew = float(stats.skew(moved)) if len(moved) > 2 and np.ptp(moved) > 0 else 0.0
    return TestOutcome(
        "wilcoxon", float(outcome.statistic), float(outcome.pvalue), (sample,),
        effect_name="rank-biserial correlation", effect=effect, effect_size=size_word(effect, 0.1, 0.3, 0.5),
        estimate_name="median difference", estimate=float(np.median(d)),
        checks=(Check("symmetric differences", abs(skew) < 1.5, f"skewness {skew:.2f}"),), claim=claim,
    )  # fmt: skip


def anova(groups: dict[str, Floats], equal_spread: bool) -> TestOutcome:
    """One-way ANOVA: the classical F test, or Welch's where the spreads differ."""
    from scipy import stats
    from statsmodels.stats.oneway import anova_oneway

    samples = list(groups.values())
    require_count(min(len(g) for g in samples), 2, "An ANOVA (in every group)")
    _require_spread(any(np.ptp(g) > 0 for g in samples))
    if equal_spread or any(np.ptp(g) == 0 for g in samples):
        outcome: Any = stats.f_oneway(*samples)
        name, statistic, p = "anova", float(outcome.statistic), float(outcome.pvalue)
    else:
        welch: Any = anova_oneway(samples, use_var="unequal")
        name, statistic, p = "welch_anova", float(welch.statistic), float(welch.pvalue)
    everyone = np.concatenate(samples)
    k, n = len(samples), len(everyone)
    between = sum(len(g) * (g.mean() - everyone.mean()) ** 2 for g in samples)
    within = sum(((g - g.mean()) ** 2).sum() for g in samples)
    omega = max(0.0, float((between - (k - 1) * within / (n - k)) / (between + within + within / (n - k))))
    return TestOutcome(
        name, statistic, p, tuple(described(g, v) for g, v in groups.items()),
        freedom=float(k - 1),
        effect_name="omega squared", effect=omega, effect_size=size_word(omega, 0.01, 0.06, 0.14),
        checks=tuple(looks_normal(v) for v in samples), claim=f"the means of the {k} groups differ",
    )  # fmt: skip


def kruskal(groups: dict[str, Floats]) -> TestOutcome:
    """Kruskal–Wallis test that some group tends to larger values."""
    from scipy import stats

    samples = list(groups.values())
    everyone = np.concatenate(samples)
    _require_spread(np.ptp(everyone) > 0)
    outcome: Any = stats.kruskal(*samples)
    k, n = len(samples), len(everyone)
    effect = max(0.0, float((outcome.statistic - k + 1) / (n - k))) if n > k else 0.0
    return TestOutcome(
        "kruskal", float(outcome.statistic), float(outcome.pvalue),
        tuple(described(g, v) for g, v in groups.items()), freedom=float(k - 1),
        effect_name="eta squared (ranks)", effect=effect, effect_size=size_word(effect, 0.01, 0.06, 0.14),
        checks=(Check("enough rows per group", min(map(len, samples)) >= 5, f"smallest n = {min(map(len, samples))}"),),
        claim=f"the {k} groups differ in what is typical",
    )  # fmt: skip


def levene(groups: dict[str, Floats]) -> TestOutcome:
    """Brown–Forsythe's form of Levene's test that spreads differ."""
    from scipy import stats

    samples = list(groups.values())
    require_count(min(len(g) for g in samples), 2, "Levene's test (in every group)")
    _require_spread(any(np.ptp(g) > 0 for g in samples))
    outcome: Any = stats.levene(*samples, center="median")
    spreads = [float(g.std(ddof=1)) for g in samples]
    ratio = max(spreads) / min(spreads) if min(spreads) > 0 else float("inf")
    return TestOutcome(
        "levene", float(outcome.statistic), float(outcome.pvalue),
        tuple(described(g, v) for g, v in groups.items()), freedom=float(len(samples) - 1),
        effect_name="largest over smallest standard deviation", effect=ratio,
        claim=f"the spreads of the {len(samples)} groups differ",
    )  # fmt: skip


def _require_spread(varies: Any) -> None:
    if not varies:
        raise CalculationError(
            "The values do not vary, so chance cannot be judged.",
            suggestions=["Check that the right column is used."],
        )
