"""What repeats over the days of the week and the months of the year, and single days that break it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.course import Series, outliers
from gnomon.analytics.insight.cube import Cube, feature
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View
from gnomon.analytics.insight.space import Grain, Measure
from gnomon.analytics.seasonal import seasonality

_FEWEST_DAYS, _FEWEST_YEARS = 35, 3
_DAYS_TO_JUDGE, _FILLED, _WEEKS = 60, 0.9, 4
_FEWEST_A_DAY = 10.0
_CHANCE = 0.05
_LEAST = 0.05


def seasons(cube: Cube) -> Looked:
    """Patterns over the days of the week, from daily figures, and over the months of the year."""
    looked = Looked()
    _weekdays(looked, cube)
    _months(looked, cube)
    return looked


def _weekdays(looked: Looked, cube: Cube) -> None:
    if cube.days is None:
        return
    first, sums = cube.days
    if len(sums) < _FEWEST_DAYS:
        return
    counts = sums[:, 0]
    days = np.arange(len(counts)) % 7
    if (counts > 0).mean() < 0.5 or (np.bincount(days, counts) == 0).any():
        return  # few days have rows, or some days of the week never do
    names = [(date(2024, 1, 1) + timedelta(days=k)).strftime("%A") for k in range(7)]
    place = np.array([(first + timedelta(days=i)).weekday() for i in range(len(sums))])
    _phases(looked, cube, sums, 7, place, names, "day")


def _months(looked: Looked, cube: Cube) -> None:
    """Only where there are three years: what two have in common may be chance."""
    clock = cube.space.clock
    if clock is None or clock.grain is not Grain.MONTH:
        return
    whole = np.array(cube.whole)
    sums = cube.of("time")[:-1][whole]
    stamps = [s for s, w in zip(cube.periods, cube.whole, strict=True) if w]
    if len(sums) < 12 * _FEWEST_YEARS or (sums[:, 0] > 0).mean() < _FILLED:
        return
    names = [date(2024, m, 1).strftime("%B") for m in range(1, 13)]
    place = np.array([s.month - 1 for s in stamps])
    _phases(looked, cube, sums, 12, place, names, "month")


def _figures(cube: Cube) -> list[tuple[View, Measure | None, int]]:
    return [
        (View.COUNT, None, 0),
        *((View.SUM if m.additive else View.MEAN, m, i) for i, m in cube.figures_over_time),
    ]


def _along(sums: Floats, view: View, i: int) -> tuple[Floats, Floats]:
    """A figure of each step, and the rows behind it."""
    n = sums[:, 0] if view is not View.MEAN else sums[:, feature(i, 0)]
    total = sums[:, 0] if view is View.COUNT else sums[:, feature(i, 1)]
    return (total / np.maximum(n, 1) if view is View.MEAN else total), n


def _phases(
    looked: Looked, cube: Cube, sums: Floats, period: int, place: Floats, names: list[str], step: str
) -> None:
    for view, measure, i in _figures(cube):
        values, n = _along(sums, view, i)
        if (view is View.MEAN and (n > 0).mean() < _FILLED) or float(np.ptp(values)) == 0:
            continue
        found = seasonality(values, period=period)
        if found.p_value > _CHANCE or found.strength < _LEAST or float(values.mean()) == 0:
            looked.tried([found.p_value])
            continue
        looked.found(
            _season(cube, view, measure, values, n, place, names, step, found.p_value, found.strength)
        )


def _season(
    cube: Cube, view: View, measure: Measure | None, values: Floats, n: Floats, place: Floats, names: list[str],
    step: str, p: float, strength: float,
) -> Finding:  # fmt: skip
    weight = n if view is View.MEAN else np.ones(len(n))
    phases = range(len(names))
    means = [float((values * weight)[place == k].sum() / max(weight[place == k].sum(), 1)) for k in phases]
    high, low = int(np.argmax(means)), int(np.argmin(means))
    unit = measure.unit if measure else None
    over = "day of the week" if step == "day" else "month of the year"
    explained = f"share of the variation by {step} explained"
    numbers = {
        "peak": Number(f"average of the highest {step}", means[high], unit, {over: names[high]}),
        "trough": Number(f"average of the lowest {step}", means[low], unit, {over: names[low]}),
        "strength": Number(explained, strength, "fraction"),
    }
    spread = (means[high] - means[low]) / max(abs(float(np.mean(means))), 1e-12)
    grid = Grid((over, f"average per {step}"), tuple(zip(names, means, strict=True)), "bars", (None, unit))
    return Finding(
        Kind.SEASON, cube.space.table, view, measure, ("time",), (), (names[high], names[low]), numbers, grid,
        strength, explained, min(1.0, 0.5 * strength + 0.5 * min(spread, 1.0)), p,
        f"F test between {step}s, corrected for autocorrelation", int(n.sum()),
        int(min(n[place == k].sum() for k in phases)), {"step": step, "over": over},
    )  # fmt: skip


def odd_days(cube: Cube) -> Looked:
    """Single days far from the same weekday around them, and from what any other day does."""
    looked = Looked()
    clock = cube.space.clock
    if cube.days is None or clock is None or clock.grain in (Grain.DAY, Grain.HOUR):
        return looked
    first, sums = cube.days
    if len(sums) < _DAYS_TO_JUDGE or (sums[:, 0] > 0).mean() < _FILLED:
        return looked
    stamps: list[date | datetime] = [first + timedelta(days=i) for i in range(len(sums))]
    if (gap := _gap(cube, sums[:, 0], stamps)) is not None:
        looked.found(gap)
        return looked
    for view, measure, i in _figures(cube):
        values, rows = _along(sums, view, i)
        if (
            view is View.MEAN
            or float(np.ptp(values)) == 0
            or float(np.median(np.abs(values))) < _FEWEST_A_DAY
        ):
            continue
        noise = np.full(len(values), max(float(np.median(np.abs(values))), 1e-12))
        series = Series(view, measure, None, None, tuple(stamps), values, rows, noise, "day")
        outliers(looked, cube, series, _same_weekday(values), alone=True)
    return looked


def _gap(cube: Cube, counts: Floats, stamps: list[date | datetime]) -> Finding | None:
    """The longest run of days without a row, where every day of the week has rows otherwise."""
    empty = np.flatnonzero(np.diff(np.concatenate([[0], (counts == 0).astype(np.int64), [0]])))
    if not len(empty):
        return None
    starts, ends = empty[::2], empty[1::2]
    at = int(np.argmax(ends - starts))
    first, last = int(starts[at]), int(ends[at]) - 1
    # The chance that so many days stay empty at the rate of the weeks around, wherever the run may begin: where a
    # shop has just opened, an empty day is no surprise.
    phase = np.arange(len(counts)) % 7
    outside = np.zeros(len(counts), dtype=np.bool_)
    outside[max(first - 7 * _WEEKS, 0) : last + 1 + 7 * _WEEKS] = True
    outside[first : last + 1] = False
    if len(set(phase[outside].tolist())) < 7:
        return None
    usual, others = (
        float(counts[outside].mean()),
        np.delete(np.arange(len(counts)), np.arange(first, last + 1)),
    )
    filled = [float((counts[others][phase[others] == k] > 0).mean()) for k in range(7)]
    rates = [float(counts[outside & (phase == k)].mean()) for k in range(7)]
    p = min(1.0, len(counts) * float(np.exp(-sum(rates[k % 7] for k in range(first, last + 1)))))
    if p > _CHANCE or min(filled) < _FILLED:
        return None
    ends_at = (stamps[first].isoformat(), stamps[last].isoformat())
    numbers = {"value": Number("rows then", 0), "usual": Number("average of the days around", usual),
               "days": Number("days without rows", last - first + 1)}  # fmt: skip
    rows = tuple((s, int(n), first <= i <= last) for i, (s, n) in enumerate(zip(stamps, counts, strict=True)))
    return Finding(
        Kind.OUTLIER, cube.space.table, View.COUNT, None, ("time",), (), ends_at, numbers,
        Grid(("day", "rows", "marked"), rows, "marked", (None, None, None)), -usual, "rows a day below the usual", 1.0, p,
        "chance of no rows at the usual rate", int(counts.sum()), int(counts[counts > 0].min()),
        {"grain": "day", "from": stamps[0].isoformat(), "to": stamps[-1].isoformat(), "first": ends_at[0],
         "last": ends_at[1], "when": ends_at[0], "empty": "yes"},
    )  # fmt: skip


def _same_weekday(values: Floats) -> Floats:
    """What the same weekday had around each day."""
    near = [
        [values[j] for w in range(-_WEEKS, _WEEKS + 1) if w and 0 <= (j := i + 7 * w) < len(values)]
        for i in range(len(values))
    ]
    return np.array([float(np.median(v)) for v in near])
