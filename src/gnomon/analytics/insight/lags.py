"""Figures that go together or follow each other from day to day or period to period."""

from __future__ import annotations

from datetime import timedelta
from itertools import combinations
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import FEWEST_STEPS, Cube, feature
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View
from gnomon.analytics.insight.space import Measure

_CHANCE = 0.05


def lags(cube: Cube) -> Looked:
    """Figures per day or period that go together or follow each other, corrected for their autocorrelation."""
    looked = Looked()
    series, stamps, grain = _steps(cube)
    if len(stamps) < FEWEST_STEPS:
        return looked
    longest = max(1, min(14 if grain == "day" else 6, len(stamps) // 6))
    flat = {name: _flattened(v, grain) for name, (_, _, v) in series.items()}
    own = {name: _autocorrelation(v) for name, v in flat.items()}
    for first, second in combinations(series, 2):
        x, y = flat[first], flat[second]
        if np.ptp(x) == 0 or np.ptp(y) == 0 or frozenset((first, second)) in cube.alike:
            continue
        shared = max(1.0, 1 + 2 * float((own[first] * own[second]).sum()))
        tested = [(*_at_lag(x, y, lag, shared), lag) for lag in range(-longest, longest + 1)]
        r, p, lag = min(tested, key=lambda found: (found[1], abs(found[2])))
        p = min(1.0, p * len(tested))
        at_once = next(t for t in tested if t[2] == 0)
        if (
            abs(r) < 0.2
            or p > _CHANCE
            or abs(at_once[0]) >= 0.97
            or (lag and abs(r) < abs(at_once[0]) + 0.05)
        ):
            looked.tried([p])
            continue
        if lag < 0:  # the second one leads
            first, second, lag = second, first, -lag
        looked.found(_lagged(cube, series, first, second, r, p, lag, stamps, grain))
    return looked


def _steps(cube: Cube) -> tuple[dict[str, tuple[View, Measure | None, Floats]], list[Any], str]:
    if cube.days is not None and (cube.days[1][:, 0] > 0).mean() >= 0.9 and len(cube.days[1]) >= 60:
        sums, grain = cube.days[1], "day"
        stamps: list[Any] = [cube.days[0] + timedelta(days=i) for i in range(len(sums))]
    elif cube.periods and cube.space.clock is not None:
        whole = np.array(cube.whole)
        sums, grain = cube.of("time")[:-1][whole], cube.space.clock.grain.value
        stamps = [s for s, w in zip(cube.periods, cube.whole, strict=True) if w]
    else:
        return {}, [], ""
    series: dict[str, tuple[View, Measure | None, Floats]] = {}
    if np.ptp(sums[:, 0]) > 0:
        series[""] = (View.COUNT, None, sums[:, 0])
    for i, measure in cube.figures_over_time:
        n = sums[:, feature(i, 0)]
        if (n > 0).mean() < 0.9:
            continue
        # Averages, since totals go with the number of rows by their nature.
        mean = sums[:, feature(i, 1)] / np.maximum(n, 1)
        series[measure.name] = (View.MEAN, measure, np.where(n > 0, mean, np.median(mean[n > 0])))
    return series, stamps, grain


def _flattened(values: Floats, grain: str) -> Floats:
    """What neither a straight line nor the days of the week explain."""
    t = np.arange(len(values))
    left = values - np.polyval(np.polyfit(t, values, 1), t)
    if grain == "day":
        phase = t % 7
        left = left - (np.bincount(phase, left) / np.bincount(phase))[phase]
    return left


def _autocorrelation(values: Floats) -> Floats:
    """The autocorrelation at each lag up to a quarter of the series, less at the ends, where few pairs tell it."""
    n = len(values)
    centred = values - values.mean()
    power = np.abs(np.fft.rfft(centred, 2 * n)) ** 2
    covered = np.fft.irfft(power)[: max(2, n // 4)]
    found = covered / covered[0] if covered[0] > 0 else covered * 0
    weights = np.sqrt(1 - np.arange(len(found)) / n)
    return (found * weights)[1:]


def _at_lag(x: Floats, y: Floats, lag: int, shared: float) -> tuple[float, float]:
    """The correlation of ``x`` with ``y`` so many steps later, and its chance.

    ``shared`` is Bartlett's factor: by how much the autocorrelation of both shortens the series.
    """
    from scipy.special import stdtr

    a, b = (x[: len(x) - lag], y[lag:]) if lag >= 0 else (x[-lag:], y[: len(y) + lag])
    a, b = a - a.mean(), b - b.mean()
    power = float(np.sqrt((a @ a) * (b @ b)))
    if power <= 0:
        return 0.0, 1.0
    r = float(a @ b / power)
    held = max(4.0, len(a) / shared)
    t = r * np.sqrt((held - 2) / max(1 - r * r, 1e-12))
    return r, float(2 * stdtr(held - 2, -abs(t)))


def _lagged(
    cube: Cube, series: dict[str, tuple[View, Measure | None, Floats]], first: str, second: str, r: float, p: float,
    lag: int, stamps: list[Any], grain: str,
) -> Finding:  # fmt: skip
    view, measure, x = series[first]
    other_view, other, y = series[second]
    numbers = {"correlation": Number("correlation", r), "lag": Number("steps later", lag)}
    rows = tuple(zip(stamps, x.tolist(), y.tolist(), strict=True))
    named = [m.label if m else f"number of {cube.space.things}" for m in (measure, other)]
    return Finding(
        Kind.LAG, cube.space.table, view, measure, ("time", second), (), (named[0], named[1]), numbers,
        Grid((grain, named[0], named[1]), rows, "two", (None, measure.unit if measure else None, other.unit if other else None)),
        r, "correlation without trend and weekly pattern", min(1.0, abs(r)), p,
        "correlation with Bartlett’s correction for autocorrelation and the lags tried", cube.rows, len(stamps),
        {"other": named[1], "other_view": other_view.value, "grain": grain},
    )  # fmt: skip
