"""Correlation: each coefficient against scipy or by hand, corrections against statsmodels."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gnomon.analytics import correlation
from gnomon.analytics.association import benjamini_hochberg, cramers_v, holm
from gnomon.core.errors import CalculationError, InvalidInput, NotFound


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    return pd.DataFrame(
        {
            "x": x,
            "y": 2 * x + rng.normal(size=200),
            "noise": rng.normal(size=200),
            "group": np.where(x + rng.normal(0, 0.3, 200) > 0, "high", "low"),
            "colour": rng.choice(["red", "blue"], 200),
            "same": 1,
        }
    )


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_numbers_agree_with_scipy(table: pd.DataFrame, method: str) -> None:
    pair = correlation(table, columns=["x", "y"], method=method).pairs[0]
    expected = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method](
        table.x, table.y
    )
    assert pair.coefficient == pytest.approx(expected.statistic)
    assert pair.p_value == pytest.approx(expected.pvalue)
    assert pair.low < pair.coefficient < pair.high


def test_pearsons_interval_equals_scipys(table: pd.DataFrame) -> None:
    pair = correlation(table, columns=["x", "y"], method="pearson").pairs[0]
    interval = stats.pearsonr(table.x, table.y).confidence_interval(0.95)
    assert (pair.low, pair.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_mixed_columns_use_the_correlation_ratio(table: pd.DataFrame) -> None:
    pair = correlation(table, columns=["x", "group"]).pairs[0]
    groups = [g.to_numpy() for _, g in table.groupby("group")["x"]]
    assert pair.method == "correlation_ratio"
    assert pair.p_value == pytest.approx(stats.f_oneway(*groups).pvalue)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (200 - 2)
    assert pair.coefficient == pytest.approx(np.sqrt(1 - within / table.x.var(ddof=1)))


def test_categories_use_corrected_cramers_v() -> None:
    counts = np.array([[30.0, 10.0], [10.0, 50.0]])
    link = cramers_v(counts)
    chi2 = stats.chi2_contingency(counts, correction=False)
    phi2 = chi2.statistic / 100 - 1 / 99
    assert link.coefficient == pytest.approx(np.sqrt(phi2 / (2 - 1 / 99 - 1)))
    assert link.p_value == pytest.approx(chi2.pvalue)
    assert cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]])).coefficient == 0.0


def test_pairs_are_ranked_corrected_and_constants_left_out(table: pd.DataFrame) -> None:
    result = correlation(table)
    sizes = [abs(p.coefficient) for p in result.pairs]
    assert sizes == sorted(sizes, reverse=True)
    assert (result.pairs[0].first, result.pairs[0].second) == ("x", "y")
    assert result.left_out == {"same": "it does not vary"}
    raw = [p.p_value for p in result.pairs]
    assert np.allclose([p.p_adjusted for p in result.pairs], stats.false_discovery_control(raw))
    assert len(result.pairs) == 10
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_skewed_columns_are_ranked_first_and_missing_rows_dropped() -> None:
    rng = np.random.default_rng(1)
    x = np.exp(3 * rng.normal(size=100))
    frame = pd.DataFrame({"x": x, "y": x**2})
    frame.loc[:9, "x"] = np.nan
    pair = correlation(frame).pairs[0]
    assert (pair.method, pair.count, pair.coefficient) == ("spearman", 90, pytest.approx(1.0))


def test_target_and_errors(table: pd.DataFrame) -> None:
    assert all("y" in (p.first, p.second) for p in correlation(table, target="y").pairs)
    with pytest.raises(NotFound, match="colour"):
        correlation(table, columns=["color"])
    with pytest.raises(InvalidInput):
        correlation(table, target="same")
    with pytest.raises(CalculationError):
        correlation(table[["same"]])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_corrections_equal_scipy_and_the_definition(p_values: list[float]) -> None:
    p = np.array(p_values)
    assert np.allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
    order = sorted(range(len(p)), key=lambda i: p_values[i])
    for place, i in enumerate(order):
        worst = max((len(p) - k) * p_values[order[k]] for k in range(place + 1))
        assert holm(p)[i] == pytest.approx(min(1.0, worst))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=6, max_size=30, unique=True))
def test_correlation_is_symmetric_and_ignores_units(rows: list[tuple[int, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["a", "b"]).astype(float)
    if frame.a.nunique() < 2 or frame.b.nunique() < 2:
        return
    r = correlation(frame, method="pearson").pairs[0].coefficient
    turned = correlation(pd.DataFrame({"b": frame.b * 3 + 1, "a": frame.a / 2 - 5}), method="pearson").pairs[
        0
    ]
    assert turned.coefficient == pytest.approx(r, abs=1e-9)


def test_noise_columns_rarely_survive_the_correction() -> None:
    alarms = 0
    for seed in range(30):
        frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(60, 6)))
        frame.columns = list("abcdef")
        alarms += any(p.significant for p in correlation(frame).pairs)
    assert alarms <= 5
