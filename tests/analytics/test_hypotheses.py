"""Hypothesis tests: each number against scipy or statsmodels, the choice by the data, p-values by simulation."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from gnomon.analytics import hypothesis_test
from gnomon.analytics.shape_tests import wilson
from gnomon.core.errors import CalculationError, InvalidInput, NotFound

RNG = np.random.default_rng(0)
A = RNG.normal(10, 2, 50)
B = RNG.normal(11.5, 3, 60)
SKEWED = RNG.lognormal(0, 1.2, 20)


def test_welch_equals_scipy_with_interval_and_effect() -> None:
    result = hypothesis_test(A, B)
    theirs = stats.ttest_ind(A, B, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert result.test == "welch_t"
    assert (result.statistic, result.p_value) == (
        pytest.approx(theirs.statistic),
        pytest.approx(theirs.pvalue),
    )
    assert (result.estimate_low, result.estimate_high) == (
        pytest.approx(interval.low),
        pytest.approx(interval.high),
    )
    pooled = np.sqrt((49 * A.var(ddof=1) + 59 * B.var(ddof=1)) / 108)
    assert result.effect == pytest.approx((A.mean() - B.mean()) / pooled * (1 - 3 / (4 * 110 - 9)))
    assert result.conclusion.startswith("There is evidence that the mean of the first sample differs")
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_skewed_small_samples_get_mann_whitney() -> None:
    other = SKEWED[::-1] * 1.5
    result = hypothesis_test(SKEWED, other)
    theirs = stats.mannwhitneyu(SKEWED, other, alternative="two-sided")
    assert result.test == "mann_whitney"
    assert result.p_value == pytest.approx(theirs.pvalue)
    assert result.estimate == pytest.approx(np.median(np.subtract.outer(SKEWED, other)))
    wins = np.mean(SKEWED[:, None] > other) - np.mean(SKEWED[:, None] < other)
    assert result.effect == pytest.approx(wins)


def test_paired_samples_get_paired_t_or_wilcoxon() -> None:
    after = A + RNG.normal(0.5, 1, 50)
    t = hypothesis_test(A, after, paired=True)
    assert (t.test, t.p_value) == ("paired_t", pytest.approx(stats.ttest_rel(A, after).pvalue))
    odd = SKEWED + RNG.lognormal(0, 2, 20)
    w = hypothesis_test(SKEWED, odd, paired=True)
    assert (w.test, w.p_value) == ("wilcoxon", pytest.approx(stats.wilcoxon(SKEWED, odd).pvalue))
    assert w.effect == -1.0


def test_one_sample_against_a_value() -> None:
    result = hypothesis_test(A, mu=9, alternative="greater")
    assert result.p_value == pytest.approx(stats.ttest_1samp(A, 9, alternative="greater").pvalue)
    assert "is higher than 9" in result.conclusion


def test_categories_get_chi_square_and_small_tables_fisher() -> None:
    x = ["a"] * 40 + ["b"] * 60
    y = ["u"] * 30 + ["v"] * 10 + ["u"] * 20 + ["v"] * 40
    big = hypothesis_test(x, y)
    theirs = stats.chi2_contingency([[30, 10], [20, 40]], correction=False)
    assert (big.test, big.p_value) == ("chi2", pytest.approx(theirs.pvalue))
    small = hypothesis_test(["a"] * 5 + ["b"] * 5, ["u"] * 4 + ["v"] + ["u"] + ["v"] * 4)
    assert (small.test, small.p_value) == (
        "fisher",
        pytest.approx(stats.fisher_exact([[4, 1], [1, 4]]).pvalue),
    )
    forced = hypothesis_test(["a"] * 5 + ["b"] * 5, ["u"] * 4 + ["v"] + ["u"] + ["v"] * 4, test="chi2")
    assert not forced.checks[0].holds
    assert "Read with care" in forced.conclusion


def test_flags_in_two_groups_are_proportions() -> None:
    flags = np.r_[np.ones(45, bool), np.zeros(55, bool), np.ones(30, bool), np.zeros(90, bool)]
    result = hypothesis_test(flags, groups=["a"] * 100 + ["b"] * 120)
    _, p_value = proportions_ztest([45, 30], [100, 120])
    low, high = confint_proportions_2indep(45, 100, 30, 120, method="newcomb")
    assert (result.test, result.p_value) == ("proportions", pytest.approx(p_value))
    assert (result.estimate_low, result.estimate_high) == (pytest.approx(low), pytest.approx(high))


def test_wilson_equals_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    assert wilson(7, 30, 0.95) == pytest.approx(proportion_confint(7, 30, method="wilson"))


def test_several_groups_get_anova_welch_or_kruskal() -> None:
    rng = np.random.default_rng(1)
    equal = [rng.normal(m, 1, 40) for m in (0, 0.2, 1)]
    labels = np.repeat(["a", "b", "c"], 40)
    result = hypothesis_test(np.concatenate(equal), groups=labels)
    assert (result.test, result.p_value) == ("anova", pytest.approx(stats.f_oneway(*equal).pvalue))
    unequal = [rng.normal(0, s, 40) for s in (1, 3, 9)]
    welch = hypothesis_test(np.concatenate(unequal), groups=labels)
    theirs = anova_oneway(unequal, use_var="unequal").pvalue
    assert (welch.test, welch.p_value) == ("welch_anova", pytest.approx(theirs))
    heavy = [rng.lognormal(m, 2, 40) for m in (0, 0, 1)]
    ranks = hypothesis_test(np.concatenate(heavy), groups=labels)
    assert (ranks.test, ranks.p_value) == ("kruskal", pytest.approx(stats.kruskal(*heavy).pvalue))


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("ks", stats.ks_2samp(A, B).pvalue),
        ("levene", stats.levene(A, B, center="median").pvalue),
        ("anova", None),
        ("mann_whitney", stats.mannwhitneyu(A, B).pvalue),
    ],
)
def test_named_tests_are_run_as_named(test: str, expected: float | None) -> None:
    result = hypothesis_test(A, B, test=test)
    assert result.chosen == "named"
    if expected is not None:
        assert result.p_value == pytest.approx(expected)
    else:
        assert result.test in {"anova", "welch_anova"}


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_correlation_tests_equal_scipy(method: str) -> None:
    x, y = A, A + np.random.default_rng(3).normal(0, 2, 50)
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method](x, y)
    result = hypothesis_test(x, y, test=method)
    assert (result.effect, result.p_value) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))


def test_normality_is_shapiro_then_dagostino() -> None:
    small = hypothesis_test(A)
    assert (small.test, small.p_value) == ("normality (shapiro)", pytest.approx(stats.shapiro(A).pvalue))
    many = np.random.default_rng(0).normal(size=6000)
    large = hypothesis_test(many, test="normality")
    assert (large.test, large.p_value) == (
        "normality (dagostino)",
        pytest.approx(stats.normaltest(many).pvalue),
    )


@pytest.mark.long
def test_one_sample_ks_with_fitted_parameters_is_calibrated() -> None:
    rng = np.random.default_rng(5)
    p_values = [hypothesis_test(rng.normal(3, 2, 40), test="ks").p_value for _ in range(25)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert hypothesis_test(rng.exponential(1, 80), test="ks").p_value < 0.05
    assert hypothesis_test(rng.exponential(1, 80), test="ks", distribution="expon").p_value > 0.01


@pytest.mark.parametrize("kind", ["normal", "skewed", "groups", "flags"])
def test_p_values_are_uniform_when_nothing_is_there(kind: str) -> None:
    rng = np.random.default_rng(8)
    p_values = []
    for _ in range(150):
        if kind == "normal":
            p_values.append(hypothesis_test(rng.normal(0, 1, 25), rng.normal(0, 2, 40)).p_value)
        elif kind == "skewed":
            p_values.append(hypothesis_test(rng.exponential(1, 20), rng.exponential(1, 30)).p_value)
        elif kind == "groups":
            p_values.append(
                hypothesis_test(rng.normal(0, 1, 60), groups=np.repeat(["a", "b", "c"], 20)).p_value
            )
        else:
            flags = rng.random(400) < 0.3
            p_values.append(hypothesis_test(flags, groups=np.repeat(["a", "b"], 200)).p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 0.005
    assert np.mean(np.array(p_values) < 0.05) <= 0.10


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: hypothesis_test([1, 2, 3], [1, 2], paired=True), InvalidInput),
        (lambda: hypothesis_test([5, 5, 5], [5, 5, 5], test="welch_t"), CalculationError),
        (lambda: hypothesis_test(A, B, test="welchh"), NotFound),
        (lambda: hypothesis_test(A, test="chi2"), InvalidInput),
        (lambda: hypothesis_test(A, test="one_sample_t"), InvalidInput),
        (lambda: hypothesis_test(A, B, test="proportions"), InvalidInput),
        (lambda: hypothesis_test(A, groups=["a"] * 50), CalculationError),
        (lambda: hypothesis_test(["a"] * 9, ["b"] * 9), CalculationError),
        (lambda: hypothesis_test([None, None], [1, 2]), CalculationError),
        (lambda: hypothesis_test(list("abcabc"), list("uvwuvw"), test="fisher"), CalculationError),
    ],
)
def test_what_cannot_be_tested_is_a_typed_error(call, error) -> None:
    with pytest.raises(error) as caught:
        call()
    assert caught.value.suggestions


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=15),
    st.lists(st.integers(-50, 50), min_size=3, max_size=15),
)
def test_swapping_samples_keeps_the_p_value_and_turns_the_effect(a: list[int], b: list[int]) -> None:
    if len(set(a)) < 2 or len(set(b)) < 2:
        return
    for test in ("welch_t", "mann_whitney", "ks"):
        one, two = hypothesis_test(a, b, test=test), hypothesis_test(b, a, test=test)
        assert one.p_value == pytest.approx(two.p_value, abs=1e-9)
        if test != "ks":
            assert one.effect == pytest.approx(-two.effect, abs=1e-9)


def test_a_number_and_a_category_are_split_by_the_category() -> None:
    frame = pd.DataFrame({"v": np.r_[A, B], "g": ["a"] * 50 + ["b"] * 60})
    assert hypothesis_test(frame.v, frame.g).p_value == pytest.approx(hypothesis_test(A, B).p_value)
