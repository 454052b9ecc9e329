"""Forecast a series: the model that proved itself in a backtest, with intervals that keep their promise."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.analytics.backtest import Backtest, backtest, is_naive, label
from gnomon.analytics.forecast_models import candidates, preload
from gnomon.analytics.inputs import (
    Floats,
    ShouldStop,
    check_stop,
    require_between,
    require_count,
    require_whole,
)
from gnomon.analytics.intervals import IntervalScale, interval_scale
from gnomon.analytics.results import Result
from gnomon.analytics.seasonal import best_period, scan_periods
from gnomon.analytics.timegrid import Merge, RegularSeries, regular_series

_LONGEST_HISTORY = 2000
_LONGEST_HORIZON = 5000


@dataclass(frozen=True, slots=True)
class ForecastPoint(Result):
    """One step ahead: its stamp (``None`` without times), the value expected and its interval."""

    step: int
    time: Any
    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Accuracy(Result):
    """Error in the backtest: mean absolute, symmetric percentage (0 to 200) and scaled by in-sample naive."""

    mae: float
    smape: float | None
    mase: float | None
    forecasts: int


@dataclass(frozen=True, slots=True)
class Forecast(Result):
    """A forecast with the evidence for it.

    Attributes:
        points: The future, step by step.
        model: The model that won the backtest.
        season: Steps per season that the model uses, or ``None``.
        confidence: Probability that the intervals promise.
        accuracy: Backtest error of the whole procedure, model choice included.
        baseline: Name of the better naive rule.
        baseline_accuracy: Its error on the same forecasts.
        skill: Share of the naive error that the procedure removes; at most 0 means naive is as good.
        errors: Backtest mean absolute error of every model tried.
        grain: Length of a step.
        history: How many steps the models saw.
        skipped: Models left out for lack of time.
        notes: What was done to the data, and what limits the result.
    """

    points: tuple[ForecastPoint, ...]
    model: str
    season: int | None
    confidence: float
    accuracy: Accuracy
    baseline: str
    baseline_accuracy: Accuracy
    skill: float | None
    errors: dict[str, float]
    grain: str
    history: int
    skipped: tuple[str, ...]
    notes: tuple[str, ...]
    _path: Floats = field(repr=False, compare=False, metadata={"internal": True})
    _scale: IntervalScale = field(repr=False, compare=False, metadata={"internal": True})
    _view: _View = field(repr=False, compare=False, metadata={"internal": True})

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """Lower and upper bounds at another confidence, without fitting again."""
        half = self._scale.half_width(require_between(confidence, 0, 1, "confidence"))
        return self._view.back(self._path - half), self._view.back(self._path + half)


@dataclass(frozen=True, slots=True)
class _View:
    """How the models see the series: centred and scaled, so that its unit cannot matter to any fit.

    In logarithms where fluctuations grow with the level; never below zero when it never was.
    """

    log: bool
    positive: bool
    center: float
    scale: float

    @classmethod
    def of(cls, values: Floats) -> _View:
        log = _grows_with_level(values)
        seen = np.log(values) if log else values
        return cls(log, bool((values >= 0).all()), float(np.median(seen)), float(seen.std()) or 1.0)

    def into(self, values: Floats) -> Floats:
        return ((np.log(values) if self.log else values) - self.center) / self.scale

    def back(self, values: Floats) -> Floats:
        out = values * self.scale + self.center
        if self.log:
            out = np.exp(np.minimum(out, 700.0))
        return np.maximum(out, 0.0) if self.positive else out


def forecast(
    values: Any,
    *,
    horizon: int,
    times: Any = None,
    season: int | None = None,
    confidence: float = 0.95,
    merge: Merge = "mean",
    budget_seconds: float = 3.0,
    should_stop: ShouldStop | None = None,
) -> Forecast:
    """Forecast the next ``horizon`` steps of a series.

    Args:
        values: The history, oldest first (any order when ``times`` are given).
        horizon: How many steps ahead.
        times: Time stamps; irregular ones are put on a regular grid, and the result says so.
        season: Steps per season; found from the calendar and the data when left out, 1 for none.
        confidence: Probability that each interval holds the value.
        merge: What to do with several observations in one step.
        budget_seconds: No further model is started after so much processor time (not wall time: a busy
            machine must not change the answer); those left out are named.
        should_stop: Asked between fits; a true answer ends the work with ``Cancelled``.

    Raises:
        InvalidInput: for parameters or data of the wrong kind.
        CalculationError: for fewer than four observations.
    """
    require_whole(horizon, 1, _LONGEST_HORIZON, "horizon")
    require_between(confidence, 0, 1, "confidence")
    require_between(budget_seconds, 0, float("inf"), "budget_seconds")
    series = regular_series(values, times, merge=merge)
    require_count(len(series.values), 4, "A forecast")
    check_stop(should_stop)
    notes = list(series.notes)
    history = _recent(series.values, notes)
    view = _View.of(history)
    seen = view.into(history)
    seasons = _seasons(seen, series.seasons, season)
    preload()
    deadline = time.thread_time() + budget_seconds
    test = backtest(seen, horizon, seasons, deadline=deadline, should_stop=should_stop)
    model = test.winner()
    check_stop(should_stop)
    path = _final_path(seen, horizon, seasons, test, model)
    scale = interval_scale(test.paths[model] - test.actual, horizon)
    _explain(notes, history, horizon, test, view)
    return _assemble(series, path, scale, view, test, model, confidence, history, notes)


def _recent(values: Floats, notes: list[str]) -> Floats:
    if len(values) <= _LONGEST_HISTORY:
        return values
    notes.append(f"The models saw the latest {_LONGEST_HISTORY} of {len(values)} steps.")
    return values[-_LONGEST_HISTORY:]


def _grows_with_level(values: Floats) -> bool:
    """Whether fluctuations grow in proportion to the level, so that logarithms steady them."""
    width = max(6, len(values) // 20)
    blocks = len(values) // width
    if blocks < 6 or values.min() <= 0 or values.max() < 3 * values.min():
        return False
    table = values[-blocks * width :].reshape(blocks, width)
    level, spread = table.mean(axis=1), np.abs(np.diff(table, axis=1)).mean(axis=1)
    if spread.min() <= 0 or np.ptp(np.log(level)) < 0.5:
        return False
    x, y = np.log(level), np.log(spread)
    slope = float(np.polyfit(x, y, 1)[0])
    return slope > 0.5 and float(np.corrcoef(x, y)[0, 1]) > 0.6


def _seasons(values: Floats, suggested: tuple[int, ...], season: int | None) -> tuple[int, ...]:
    """At most two season lengths worth trying."""
    if season is not None:
        require_whole(season, 1, 10**6, "season")
        if season > 1:
            require_count(len(values), season + 2, f"A season of {season} steps")
        return (season,) if season > 1 else ()
    if len(values) < 8 or np.ptp(values) == 0:
        return ()
    kept = [m for m in suggested if _repeats(values, m)]
    if not kept and (found := best_period(values, scan_periods(len(values)))) is not None:
        best, strength, p_value = found
        kept = [best] if p_value < 0.01 and strength > 0.05 else []
    return tuple(kept[-2:])


def _repeats(values: Floats, period: int) -> bool:
    if len(values) < 2 * period + 2:
        return False
    found = best_period(values, [period])
    return found is not None and (found[2] < 0.1 or found[1] > 0.3)


def _final_path(values: Floats, horizon: int, seasons: tuple[int, ...], test: Backtest, model: str) -> Floats:
    """Fit the winner (or each member of the winning combination) on the whole history."""
    wanted = test.members.get(model, (model,))
    origin = np.array([len(values)], dtype=np.int64)
    paths = [
        c.fit(values)(values, origin, horizon)[0]
        for c in candidates(len(values), seasons)
        if label(c) in wanted
    ]
    return np.mean(paths, axis=0)


def _explain(notes: list[str], values: Floats, horizon: int, test: Backtest, view: _View) -> None:
    if np.ptp(values) == 0:
        notes.append("The series never changed; the intervals only say so.")
    if view.log:
        notes.append("Fluctuations grow with the level, so the models worked on logarithms.")
    if len(test.origins) < 8:
        notes.append(f"Only {len(test.origins)} backtest origins: model choice and intervals are rough.")
    if horizon > len(values) // 2:
        notes.append("The horizon is longer than half the history; the far end is extrapolation.")
    if test.skipped:
        notes.append(f"Left out for lack of time: {', '.join(test.skipped)}.")


def _assemble(
    series: RegularSeries,
    path: Floats,
    scale: IntervalScale,
    view: _View,
    test: Backtest,
    model: str,
    confidence: float,
    history: Floats,
    notes: list[str],
) -> Forecast:
    actual, baseline = view.back(test.actual), test.baseline()
    season = test.seasons[model]
    unit = _naive_unit(history[: int(test.origins[0])], max(season, test.seasons[baseline]))
    rows, honest = test.honest_paths()
    ours = _accuracy(view.back(honest), actual[rows], unit)
    naive = _accuracy(view.back(test.paths[baseline][rows]), actual[rows], unit)
    half = scale.half_width(confidence)
    value, lower, upper = view.back(path), view.back(path - half), view.back(path + half)
    future = series.future(len(path))
    points = tuple(
        ForecastPoint(
            i + 1, None if future is None else future[i], float(value[i]), float(lower[i]), float(upper[i])
        )
        for i in range(len(path))
    )
    errors = {n: float(np.nanmean(np.abs(view.back(p) - actual))) for n, p in test.paths.items()}
    if is_naive(model):
        notes.append("No model beat the naive rule in the backtest, so the naive rule is used.")
    return Forecast(
        points=points,
        model=model,
        season=season if season > 1 else None,
        confidence=float(confidence),
        accuracy=ours,
        baseline=baseline,
        baseline_accuracy=naive,
        skill=1 - ours.mae / naive.mae if naive.mae > 0 else None,
        errors=dict(sorted(errors.items(), key=lambda item: item[1])),
        grain=series.grain,
        history=len(history),
        skipped=test.skipped,
        notes=tuple(notes),
        _path=path,
        _scale=scale,
        _view=view,
    )


def _naive_unit(train: Floats, season: int) -> float:
    """Mean absolute in-sample step (seasonal when there is a season): the unit of MASE."""
    lag = season if len(train) > season else 1
    return float(np.abs(train[lag:] - train[:-lag]).mean()) if len(train) > lag else 0.0


def _accuracy(path: Floats, actual: Floats, unit: float) -> Accuracy:
    known = ~np.isnan(actual)
    error = np.abs(path - actual)[known]
    size = (np.abs(path) + np.abs(actual))[known]
    mae = float(error.mean())
    ratio = np.divide(2 * error, size, out=np.zeros_like(error), where=size > 0)
    return Accuracy(mae, float(100 * ratio.mean()), mae / unit if unit > 0 else None, int(known.sum()))
