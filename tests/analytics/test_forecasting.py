"""Forecasts: the right model wins, stamps and intervals are right, errors are honest."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.analytics import forecast
from gnomon.analytics.backtest import Backtest, backtest
from gnomon.analytics.forecast_models import candidates
from gnomon.core.errors import CalculationError, Cancelled, InvalidInput


def weekly(n: int = 140, noise: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pattern = np.array([0, 5, 10, 15, 10, 5, -20.0])
    return 100 + pattern[np.arange(n) % 7] + rng.normal(0, noise, n)


def test_a_weekly_pattern_is_found_and_carried_forward_with_future_stamps() -> None:
    times = pd.date_range("2024-01-01", periods=140, freq="D")
    result = forecast(weekly(), times=times, horizon=7)
    truth = weekly(147, noise=0)[140:]
    assert result.season == 7
    assert result.grain == "day"
    assert [p.time for p in result.points] == list(pd.date_range("2024-05-20", periods=7, freq="D"))
    assert np.abs([p.value for p in result.points] - truth).max() < 2.0
    assert result.skill is not None and result.skill > 0.2


def test_a_random_walk_keeps_the_naive_forecast() -> None:
    kept = 0
    for seed in range(8):
        walk = np.cumsum(np.random.default_rng(seed).normal(0, 1, 300))
        result = forecast(walk, horizon=5)
        kept += result.model == "naive"
        assert result.accuracy.mae < 1.1 * result.baseline_accuracy.mae
    assert kept >= 4


def test_naive_is_used_and_said_when_nothing_beats_it() -> None:
    alternating = np.tile([1.0, 2.0, 4.0, 3.0], 20)
    result = forecast(alternating, horizon=4, season=4)
    assert result.model == "seasonal naive (4)"
    assert [p.value for p in result.points] == [1.0, 2.0, 4.0, 3.0]
    assert "naive rule is used" in " ".join(result.notes)


def test_a_straight_line_is_continued() -> None:
    result = forecast(3.0 + 2.0 * np.arange(60), horizon=5)
    assert np.allclose([p.value for p in result.points], 3.0 + 2.0 * np.arange(60, 65), atol=0.2)


def test_intervals_nest_with_confidence_and_never_narrow_with_the_horizon() -> None:
    result = forecast(np.cumsum(np.random.default_rng(3).normal(0, 1, 200)), horizon=12)
    widths = []
    for confidence in (0.5, 0.8, 0.95, 0.99):
        low, high = result._scale.half_width(confidence), result.interval(confidence)
        widths.append(low)
        assert (np.diff(high[1] - high[0]) >= -1e-9).all()
    assert all((b >= a).all() for a, b in pairwise(widths))


@pytest.mark.long
def test_coverage_of_many_series_keeps_its_promise() -> None:
    hits: dict[float, list[float]] = {0.8: [], 0.95: []}
    for seed in range(40):
        rng = np.random.default_rng([9, seed])
        n = 120
        kind = seed % 4
        if kind == 0:
            y = 50 + np.cumsum(rng.normal(0, 1, n + 8))
        elif kind == 1:
            y = 20 + rng.normal(0, 2, n + 8)
        elif kind == 2:
            y = weekly(n + 8, 4.0, seed)
        else:
            y = rng.poisson(5, n + 8).astype(float)
        result = forecast(y[:n], horizon=8, season=7 if kind == 2 else 1)
        for level, found in hits.items():
            low, high = result.interval(level)
            found.append(float(np.mean((y[n:] >= low) & (y[n:] <= high))))
    assert 0.72 <= np.mean(hits[0.8]) <= 0.88
    assert 0.90 <= np.mean(hits[0.95]) <= 0.995


def test_backtest_errors_equal_a_recomputation_by_hand() -> None:
    y = np.random.default_rng(5).normal(10, 2, 60)
    test = backtest(y, 3, (), deadline=float("inf"))
    manual = []
    for origin in test.origins:
        manual += [abs(y[origin - 1] - v) for v in y[origin : origin + 3]]
    mask = ~np.isnan(test.actual)
    assert np.isclose(np.abs(test.paths["naive"] - test.actual)[mask].mean(), np.mean(manual))


@pytest.mark.parametrize("name", [c.name for c in candidates(60, (6,))])
def test_no_model_looks_at_the_future(name: str) -> None:
    rng = np.random.default_rng(2)
    y = 30 + 4 * np.sin(np.arange(90) / 6 * 2 * np.pi) + rng.normal(0, 1, 90)
    changed = y.copy()
    changed[70:] += 1000.0
    model = next(c for c in candidates(60, (6,)) if c.name == name).fit(y[:60])
    origins = np.array([60, 65, 70])
    assert np.allclose(model(y, origins, 5), model(changed, origins, 5))


def test_the_rolled_smoothing_agrees_with_statsmodels_own_forecast() -> None:
    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    y = weekly(98)
    shape = {"trend": "add", "damped_trend": True, "seasonal": "add", "seasonal_periods": 7}
    own = (
        ExponentialSmoothing(y, initialization_method="heuristic", **shape)
        .fit(method="SLSQP", use_brute=False)
        .forecast(10)
    )
    model = next(c for c in candidates(98, (7,)) if c.name == "seasonal damped trend")
    assert np.allclose(model.fit(y)(y, np.array([98]), 10)[0], own)


def test_theta_agrees_with_statsmodels_theta_when_alpha_is_interior() -> None:
    from statsmodels.tsa.forecasting.theta import ThetaModel

    rng = np.random.default_rng(1)
    y = 50 + 0.3 * np.arange(150) + np.cumsum(rng.normal(0, 0.5, 150)) + rng.normal(0, 2, 150)
    theirs = ThetaModel(y, deseasonalize=False).fit(use_mle=False).forecast(8).to_numpy()
    model = next(c for c in candidates(150, ()) if c.name == "theta")
    assert np.allclose(model.fit(y)(y, np.array([150]), 8)[0], theirs, atol=0.5)


def test_the_honest_error_uses_only_what_was_known() -> None:
    # "late" is perfect from row 10 on, but its early errors (8 each) keep naive (error 1) ahead until row 90.
    actual = np.ones((100, 1))
    paths = {"naive": np.full((100, 1), 2.0), "late": np.r_[np.full((10, 1), 9.0), np.ones((90, 1))]}
    test = Backtest(np.arange(10, 110), actual, paths, {"naive": 1, "late": 1})
    rows, honest = test.honest_paths()
    assert list(rows) == list(range(5, 100))
    assert (honest[rows <= 80] == 2.0).all()
    assert (honest[rows > 81] == 1.0).all()


def test_irregular_times_are_put_on_a_grid_and_it_is_said() -> None:
    times = ["2024-01-01", "2024-01-02", "2024-01-04", "2024-01-05", "2024-01-05 12:00", "2024-01-06"]
    result = forecast([1.0, 2.0, 4.0, 5.0, 7.0, 6.0], times=times, horizon=2)
    assert result.points[0].time == pd.Timestamp("2024-01-07")
    assert any("interpolated" in n for n in result.notes)
    assert any("shared a day" in n for n in result.notes)


def test_a_constant_series_stays_constant_with_no_width() -> None:
    result = forecast([5.0] * 30, horizon=3)
    assert [(p.value, p.lower, p.upper) for p in result.points] == [(5.0, 5.0, 5.0)] * 3
    assert result.model == "naive"


def test_values_that_were_never_negative_keep_a_lower_bound_of_zero() -> None:
    counts = np.random.default_rng(0).poisson(1, 100)
    assert min(p.lower for p in forecast(counts, horizon=10).points) >= 0.0


def test_fluctuations_that_grow_with_the_level_get_asymmetric_intervals() -> None:
    rng = np.random.default_rng(0)
    y = np.exp(0.02 * np.arange(150) + rng.normal(0, 0.2, 150))
    result = forecast(y, horizon=6)
    point = result.points[-1]
    assert any("logarithms" in n for n in result.notes)
    assert point.upper - point.value > point.value - point.lower > 0


def test_the_result_is_json_and_repeats_exactly() -> None:
    times = pd.date_range("2024-01-01", periods=80, freq="h")
    a = forecast(weekly(80), times=times, horizon=3).to_dict()
    b = forecast(weekly(80), times=times, horizon=3).to_dict()
    assert json.dumps(a, allow_nan=False) == json.dumps(b, allow_nan=False)
    assert a["points"][0]["time"] == "2024-01-04T08:00:00"
    assert "_scale" not in a


def test_stopping_and_running_out_of_time_are_polite() -> None:
    calls = iter([False, False, False, True])
    with pytest.raises(Cancelled):
        forecast(weekly(), horizon=3, should_stop=lambda: next(calls))
    short = forecast(weekly(), horizon=3, season=7, budget_seconds=1e-9)
    assert short.skipped
    assert short.model.split(" (")[0] in {"naive", "drift", "seasonal naive"}
    assert any("lack of time" in n for n in short.notes)


@pytest.mark.parametrize(
    ("values", "kwargs", "error"),
    [
        ([1, 2, 3], {"horizon": 2}, CalculationError),
        ([1, 2, 3, 4, 5], {"horizon": 0}, InvalidInput),
        ([1, 2, 3, 4, 5], {"horizon": 2, "confidence": 1.0}, InvalidInput),
        (["a", "b", "c", "d"], {"horizon": 2}, InvalidInput),
        ([1, 2, 3, 4], {"horizon": 2, "times": ["2024-01-01"]}, InvalidInput),
        ([1, 2, 3, 4], {"horizon": 2, "times": ["x", "y", "z", "w"]}, InvalidInput),
        ([float("nan")] * 9, {"horizon": 2}, CalculationError),
    ],
)
def test_what_cannot_be_forecast_is_a_typed_error(values, kwargs, error) -> None:
    with pytest.raises(error) as caught:
        forecast(values, **kwargs)
    assert caught.value.suggestions


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=11), st.integers(1, 6))
def test_any_short_series_gives_ordered_finite_intervals(values: list[float], horizon: int) -> None:
    result = forecast(values, horizon=horizon)
    assert len(result.points) == horizon
    assert all(np.isfinite([p.lower, p.value, p.upper]).all() for p in result.points)
    assert all(p.lower <= p.value <= p.upper for p in result.points)


@settings(max_examples=6, deadline=None)
@given(st.floats(0.01, 100), st.integers(0, 1000))
def test_the_forecast_scales_with_the_unit(scale: float, seed: int) -> None:
    y = np.random.default_rng(seed).normal(0, 1, 40)
    a, b = forecast(y, horizon=3), forecast(y * scale, horizon=3)
    assert np.allclose(
        [p.value * scale for p in a.points], [p.value for p in b.points], rtol=1e-3, atol=1e-3 * scale
    )
