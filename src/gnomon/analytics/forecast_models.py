"""The forecasting models that compete: naive rules, exponential smoothing (statsmodels) and Theta.

A candidate is fitted once on a stretch of history; the fitted model then gives the forecast path from any
number of later origins in one pass, because smoothing states depend on the past only. That makes a backtest
over hundreds of origins as cheap as one fit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gnomon.analytics.inputs import Floats, Ints

# (series, origins, horizon) → one row of forecasts per origin; origin t may look at series[:t] only.
Paths: TypeAlias = Callable[[Floats, Ints, int], Floats]
LARGEST_SMOOTHED_SEASON = 400


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that can be fitted: its name, its season (1: none), whether it costs a numerical fit."""

    name: str
    season: int
    costly: bool
    fit: Callable[[Floats], Paths]


def candidates(count: int, seasons: tuple[int, ...]) -> list[Candidate]:
    """The models worth trying on ``count`` training points, cheapest first."""
    out = [
        Candidate("naive", 1, False, lambda _train: _naive),
        Candidate("drift", 1, False, lambda _train: _drift),
    ]
    out += [Candidate("seasonal naive", m, False, _seasonal_naive(m)) for m in seasons if count >= m]
    if count < 12:
        return out
    out.append(Candidate("exponential smoothing", 1, True, _smoothing(None, 1)))
    out.append(Candidate("damped trend", 1, True, _smoothing("add", 1)))
    out.append(Candidate("theta", 1, True, _theta(1)))
    for m in seasons:
        if m <= LARGEST_SMOOTHED_SEASON and count >= max(2 * m + 2, m + 12):
            out.append(Candidate("seasonal smoothing", m, True, _smoothing(None, m)))
            out.append(Candidate("seasonal theta", m, True, _theta(m)))
            out.append(Candidate("seasonal damped trend", m, True, _smoothing("add", m)))
    return out


def _naive(series: Floats, origins: Ints, horizon: int) -> Floats:
    return np.repeat(series[origins - 1][:, None], horizon, axis=1)


def _drift(series: Floats, origins: Ints, horizon: int) -> Floats:
    slope = (series[origins - 1] - series[0]) / np.maximum(origins - 1, 1)
    return series[origins - 1][:, None] + slope[:, None] * np.arange(1, horizon + 1)


def _seasonal_naive(season: int) -> Callable[[Floats], Paths]:
    def paths(series: Floats, origins: Ints, horizon: int) -> Floats:
        return series[origins[:, None] - season + np.arange(horizon) % season]

    return lambda _train: paths


def _smoothing(trend: str | None, season: int) -> Callable[[Floats], Paths]:
    shape: dict[str, Any] = {"trend": trend, "damped_trend": trend is not None}
    if season > 1:
        shape |= {"seasonal": "add", "seasonal_periods": season}

    def fit(train: Floats) -> Paths:
        params = _fitted(train, shape, brute=trend is None)
        damping = params["damping_trend"] if trend else 0.0

        def paths(series: Floats, origins: Ints, horizon: int) -> Floats:
            states = _filtered(series, shape, params)
            out = np.repeat(np.asarray(states.level)[origins - 1][:, None], horizon, axis=1)
            if trend:
                weights = np.cumsum(damping ** np.arange(1, horizon + 1))
                out = out + np.asarray(states.trend)[origins - 1][:, None] * weights
            if season > 1:
                out = out + np.asarray(states.season)[origins[:, None] - season + np.arange(horizon) % season]
            return np.asarray(out, dtype=np.float64)

        return paths

    return fit


def _theta(season: int) -> Callable[[Floats], Paths]:
    """Theta in its equivalent form: exponential smoothing plus half the linear trend."""

    def fit(train: Floats) -> Paths:
        profile = phase_profile(train, season)
        flat = train - profile[np.arange(len(train)) % season]
        params = _fitted(flat, {"trend": None}, brute=True)
        alpha = max(float(params["smoothing_level"]), 1e-4)
        slope = float(np.polyfit(np.arange(len(flat)), flat, 1)[0])

        def paths(series: Floats, origins: Ints, horizon: int) -> Floats:
            adjusted = series - profile[np.arange(len(series)) % season]
            level = np.asarray(_filtered(adjusted, {"trend": None}, params).level)[origins - 1]
            lead = np.arange(horizon) + ((1 - (1 - alpha) ** origins) / alpha)[:, None]
            phases = (origins[:, None] + np.arange(horizon)) % season
            return level[:, None] + slope / 2 * lead + profile[phases]

        return paths

    return fit


def phase_profile(series: Floats, season: int) -> Floats:
    """The mean offset of each phase from the series' moving level; sums to zero."""
    if season <= 1:
        return np.zeros(1)
    offsets = series - moving_level(series, season)
    phases = np.arange(len(series)) % season
    means = np.bincount(phases, offsets, season) / np.maximum(np.bincount(phases, minlength=season), 1)
    return means - means.mean()


def moving_level(series: Floats, season: int) -> Floats:
    """A centred moving average over one season, held constant at the ends."""
    if len(series) < season + 1:
        return np.full(len(series), series.mean())
    center = series.mean()
    total = np.concatenate([[0.0], np.cumsum(series - center)])
    middle = (total[season:] - total[:-season]) / season
    if season % 2 == 0:
        middle = (middle[1:] + middle[:-1]) / 2
    middle = middle + center
    side = (len(series) - len(middle)) // 2
    return np.concatenate(
        [np.full(side, middle[0]), middle, np.full(len(series) - len(middle) - side, middle[-1])]
    )


def preload() -> None:
    """Load the smoothing library, so that its import is not counted as time spent on a series."""
    import statsmodels.tsa.holtwinters  # noqa: F401  # pyright: ignore[reportUnusedImport]


def _fitted(train: Floats, shape: dict[str, Any], *, brute: bool) -> dict[str, Any]:
    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ExponentialSmoothing(train, initialization_method="heuristic", **shape)
        return dict(model.fit(use_brute=brute, method="SLSQP").params)


def _filtered(series: Floats, shape: dict[str, Any], params: dict[str, Any]) -> Any:
    """The smoothing states along ``series`` under parameters that were fitted earlier."""
    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    known: dict[str, Any] = {"initial_level": params["initial_level"]}
    given: dict[str, Any] = {"smoothing_level": params["smoothing_level"]}
    if shape.get("trend"):
        known["initial_trend"] = params["initial_trend"]
        given |= {"smoothing_trend": params["smoothing_trend"], "damping_trend": params["damping_trend"]}
    if shape.get("seasonal"):
        known["initial_seasonal"] = params["initial_seasons"]
        given["smoothing_seasonal"] = params["smoothing_seasonal"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ExponentialSmoothing(series, initialization_method="known", **known, **shape)
        return model.fit(optimized=False, **given)
