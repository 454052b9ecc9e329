"""Change points: planted ones are found at their place and size, noise of any colour is mostly left alone."""

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics import change_points
from gnomon.analytics.changepoints import noise_model
from gnomon.core.errors import CalculationError


def ar1(rng: np.random.Generator, n: int, phi: float) -> np.ndarray:
    noise = rng.normal(size=n + 50)
    for i in range(1, n + 50):
        noise[i] += phi * noise[i - 1]
    return noise[50:]


def test_planted_changes_are_found_with_time_and_size() -> None:
    rng = np.random.default_rng(0)
    y = np.r_[rng.normal(10, 1, 60), rng.normal(15, 1, 60), rng.normal(8, 1, 60)]
    times = pd.date_range("2024-01-01", periods=180, freq="D")
    result = change_points(y, times=times)
    assert [abs(c.position - p) <= 1 for c, p in zip(result.changes, (60, 120), strict=True)] == [True, True]
    first = result.changes[0]
    assert first.time == times[first.position]
    assert first.before == pytest.approx(y[: first.position].mean())
    assert first.change == pytest.approx(5, abs=0.5)
    assert first.p_value < 1e-6
    assert sum(s.count for s in result.segments) == 180
    assert result.segments[1].mean == pytest.approx(
        y[result.changes[0].position : result.changes[1].position].mean()
    )


@pytest.mark.parametrize(("phi", "limit"), [(0.0, 0.06), (0.4, 0.15), (0.7, 0.2)])
def test_pure_noise_rarely_raises_an_alarm(phi: float, limit: float) -> None:
    rng = np.random.default_rng(2)
    alarms = np.mean([bool(change_points(ar1(rng, 150, phi)).changes) for _ in range(100)])
    assert alarms <= limit


def test_small_noise_around_clear_steps_is_not_split_further() -> None:
    rng = np.random.default_rng(5)
    exact = 0
    for _ in range(30):
        y = np.r_[rng.normal(0, 1, 80), rng.normal(4, 1, 80)]
        exact += len(change_points(y).changes) == 1
    assert exact >= 27


def test_a_ramp_is_not_a_staircase() -> None:
    y = 0.2 * np.arange(150) + np.random.default_rng(1).normal(0, 1, 150)
    result = change_points(y)
    assert result.changes == ()
    assert any("trend" in n for n in result.notes)


def test_the_noise_model_is_blind_to_a_level_change() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(0, 2, 2000)
    calm, _ = noise_model(y)
    shifted, _ = noise_model(np.r_[y[:1000], y[1000:] + 50])
    assert calm == pytest.approx(4, rel=0.25)
    assert shifted == pytest.approx(calm, rel=0.1)
    variance, rho = noise_model(ar1(rng, 4000, 0.6))
    assert rho == pytest.approx(0.6, abs=0.07)
    assert variance == pytest.approx(1 / (1 - 0.6) ** 2, rel=0.4)


def test_shift_and_scale_move_nothing() -> None:
    rng = np.random.default_rng(3)
    y = np.r_[rng.normal(0, 1, 50), rng.normal(3, 1, 50)]
    places = [c.position for c in change_points(y).changes]
    assert places == [c.position for c in change_points(y * 40 - 7).changes]
    assert len(places) == 1


def test_constant_and_exact_steps_and_too_few() -> None:
    assert change_points([1.0] * 30).changes == ()
    assert [c.position for c in change_points([1.0] * 20 + [2.0] * 20).changes] == [20]
    with pytest.raises(CalculationError):
        change_points([1, 2, 3])
    with pytest.raises(CalculationError, match="at most 20000"):
        change_points(np.arange(20_001.0))


def test_a_weekly_season_is_taken_out_first() -> None:
    rng = np.random.default_rng(0)
    t = np.arange(140)
    y = 8 * np.sin(2 * np.pi * t / 7) + rng.normal(0, 1, 140) + np.where(t >= 70, 3, 0)
    result = change_points(y, season=7)
    assert [abs(c.position - 70) <= 3 for c in result.changes] == [True]
