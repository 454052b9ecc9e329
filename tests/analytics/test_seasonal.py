"""Seasonality: the period found, its profile against means by hand, false alarms by simulation."""

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics import seasonality
from gnomon.core.errors import CalculationError


def ar1(rng: np.random.Generator, n: int, phi: float) -> np.ndarray:
    noise = rng.normal(size=n + 50)
    for i in range(1, n + 50):
        noise[i] += phi * noise[i - 1]
    return noise[50:]


@pytest.mark.parametrize("period", [3, 7, 12, 24])
def test_the_true_period_is_found_not_a_multiple(period: int) -> None:
    rng = np.random.default_rng(period)
    pattern = rng.normal(0, 2, period)
    y = pattern[np.arange(period * 20) % period] + rng.normal(0, 1, period * 20)
    result = seasonality(y)
    assert result.period == period
    assert 0.5 < result.strength <= 1


def test_the_profile_is_named_by_the_calendar_and_equals_the_planted_offsets() -> None:
    pattern = np.array([3.0, 1, 0, 0, 1, -1, -4])
    times = pd.date_range("2024-01-01", periods=210, freq="D")  # a Monday
    result = seasonality(100 + pattern[np.arange(210) % 7], times=times)
    assert [p.label for p in result.profile][:2] == ["Monday", "Tuesday"]
    assert np.allclose([p.offset for p in result.profile], pattern - pattern.mean())
    assert (result.peak, result.trough, result.amplitude) == ("Monday", "Sunday", pytest.approx(7.0))
    assert result.p_value == 0.0


def test_a_trend_is_not_a_season() -> None:
    y = 0.5 * np.arange(120) + np.random.default_rng(0).normal(0, 1, 120)
    assert seasonality(y).period is None


@pytest.mark.parametrize("phi", [0.0, 0.6, 0.9])
def test_noise_rarely_looks_seasonal(phi: float) -> None:
    rng = np.random.default_rng(7)
    alarms = np.mean([seasonality(ar1(rng, 120, phi)).significant for _ in range(60)])
    assert alarms <= 0.07


def test_a_season_under_autocorrelated_noise_is_still_found() -> None:
    rng = np.random.default_rng(3)
    t = np.arange(200)
    found = [seasonality(ar1(rng, 200, 0.7) + 1.5 * np.sin(2 * np.pi * t / 7)).period == 7 for _ in range(20)]
    assert np.mean(found) >= 0.9


def test_constant_short_and_given_periods() -> None:
    assert seasonality([2.0] * 30).significant is False
    with pytest.raises(CalculationError):
        seasonality([1, 2, 3])
    with pytest.raises(CalculationError):
        seasonality(np.arange(20), period=12)


def test_one_wild_value_does_not_hide_a_weekly_pattern() -> None:
    rng = np.random.default_rng(8)
    values = 100 + 20 * np.sin(2 * np.pi * np.arange(140) / 7) + rng.normal(size=140)
    assert seasonality(values).period == 7
    values[60] = 900.0
    found = seasonality(values)
    assert found.period == 7
    assert found.p_value < 1e-10
