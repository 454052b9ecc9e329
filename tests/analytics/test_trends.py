"""Trend: numbers against scipy and closed forms, false alarms under autocorrelation by simulation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gnomon.analytics import trend
from gnomon.analytics.trends import drift, mann_kendall, theil_sen
from gnomon.core.errors import CalculationError


def ar1(rng: np.random.Generator, n: int, phi: float) -> np.ndarray:
    noise = rng.normal(size=n + 50)
    for i in range(1, n + 50):
        noise[i] += phi * noise[i - 1]
    return noise[50:]


def test_slope_equals_scipys_theil_sen() -> None:
    y = np.random.default_rng(0).normal(size=80) + 0.05 * np.arange(80)
    slope, _ = theil_sen(y)
    assert np.isclose(slope, stats.theilslopes(y).slope)
    assert np.isclose(trend(y).slope, slope)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=4, max_size=30))
def test_mann_kendall_equals_the_sum_over_pairs_and_scipys_tau(values: list[int]) -> None:
    y = np.array(values, dtype=float)
    score, variance = mann_kendall(y)
    assert score == sum(np.sign(y[j] - y[i]) for i in range(len(y)) for j in range(i + 1, len(y)))
    if len(set(values)) > 1:
        tau = stats.kendalltau(np.arange(len(y)), y, method="asymptotic")
        assert np.isclose(2 * stats.norm.sf(abs(score) / np.sqrt(variance)), tau.pvalue)


def test_a_clear_rise_is_measured_with_its_interval_and_total() -> None:
    rng = np.random.default_rng(1)
    times = pd.date_range("2024-01-01", periods=100, freq="W-MON")
    result = trend(50 + 0.5 * np.arange(100) + rng.normal(0, 2, 100), times=times)
    assert result.direction == "up"
    assert result.slope_low < 0.5 < result.slope_high
    assert result.change == pytest.approx(result.slope * 99)
    assert result.end == pytest.approx(result.start + result.change)
    assert result.change_percent == pytest.approx(100 * result.change / result.start)
    assert result.grain == "week"


def test_a_season_does_not_pass_for_a_trend() -> None:
    t = np.arange(30)
    season = 10 * np.sin(2 * np.pi * t / 12)
    y = season + np.random.default_rng(0).normal(0, 0.5, 30)
    assert trend(y, season=12).direction == "no clear trend"


@pytest.mark.parametrize(("phi", "limit"), [(0.0, 0.10), (0.5, 0.12), (0.8, 0.16)])
def test_noise_rarely_looks_like_a_trend(phi: float, limit: float) -> None:
    rng = np.random.default_rng(4)
    alarms = np.mean([trend(ar1(rng, 100, phi)).significant for _ in range(120)])
    assert alarms <= limit


def test_the_uncorrected_test_would_have_failed_the_same_noise() -> None:
    rng = np.random.default_rng(4)
    plain = []
    for _ in range(120):
        score, variance = mann_kendall(ar1(rng, 100, 0.8))
        plain.append(2 * stats.norm.sf(abs(score) / np.sqrt(variance)) < 0.05)
    assert np.mean(plain) > 0.3


def test_a_constant_has_no_trend_and_three_values_are_too_few() -> None:
    flat = trend([3.0] * 12)
    assert (flat.direction, flat.slope, flat.p_value) == ("no clear trend", 0.0, 1.0)
    with pytest.raises(CalculationError):
        trend([1, 2, 3])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(-50, 50), min_size=6, max_size=30),
    st.integers(-9, 9),
    st.sampled_from([0.5, 2.0, 4.0]),
)
def test_the_slope_scales_and_the_p_value_does_not(values: list[int], shift: int, scale: float) -> None:
    a, b = trend(values), trend([v * scale + shift for v in values])
    assert b.slope == pytest.approx(a.slope * scale, abs=1e-9)
    assert b.p_value == pytest.approx(a.p_value, abs=1e-9)
    mirrored = trend([-v for v in values])
    assert mirrored.slope == pytest.approx(-a.slope, abs=1e-9)
    assert mirrored.p_value == pytest.approx(a.p_value, abs=1e-9)


def test_a_long_series_is_read_in_blocks_without_losing_the_slope() -> None:
    y = 0.01 * np.arange(20_000) + np.random.default_rng(0).normal(0, 5, 20_000)
    result = trend(y)
    assert result.slope == pytest.approx(0.01, rel=0.02)
    assert result.direction == "up"


def test_what_grows_along_a_curve_has_a_direction_and_a_walk_has_none_by_its_steps() -> None:
    rng = np.random.default_rng(11)
    grown = [trend(np.exp(0.2 * np.arange(34) + 0.1 * rng.normal(size=34).cumsum())) for _ in range(20)]
    assert all(g.direction == "up" and g.slope_low > 0 for g in grown)
    walks = [2 * drift(rng.normal(size=34).cumsum()) < 0.05 for _ in range(400)]
    noise = [2 * drift(rng.normal(size=34)) < 0.05 for _ in range(400)]
    assert np.mean(walks) <= 0.04
    assert np.mean(noise) <= 0.01
