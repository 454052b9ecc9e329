"""How figures go over time: trends of all rows and of single groups, lasting changes, odd periods."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from gnomon.analytics.changepoints import ChangePoint, change_points
from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import Cube, feature
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View, nothing
from gnomon.analytics.insight.lines import Line, line
from gnomon.analytics.insight.space import Axis, AxisKind, Measure
from gnomon.analytics.relative import percent_change
from gnomon.analytics.trends import trend
from gnomon.core.errors import CalculationError

FEWEST_PERIODS = 6
_CHANGE_PERIODS = 10
_MOST_GROUPS = 15
_PER_PERIOD = 3
_CHANCE = 0.05
_CLEAR = 0.1
_MANIFOLD = 6
_ALONE, _LARGE = 2.0, 0.5


@dataclass(frozen=True, slots=True)
class Series:
    """A figure along the periods, with how much a period may stray by chance."""

    view: View
    measure: Measure | None
    axis: Axis | None
    group: str | None
    stamps: tuple[date | datetime, ...]
    values: Floats
    rows: Floats
    noise: Floats
    grain: str = "period"

    @property
    def subset(self) -> tuple[tuple[str, str], ...]:
        return ((self.axis.name, self.group),) if self.axis is not None and self.group is not None else ()

    @property
    def unit(self) -> str | None:
        return self.measure.unit if self.measure is not None else None


def courses(cube: Cube) -> Looked:
    """Everything that can be said of the figures of a table over time."""
    looked = Looked()
    if not cube.periods:
        return looked
    everyone = _overall(cube)
    for series in everyone:
        _trend(looked, cube, series)
        _changes(looked, cube, series)
        outliers(looked, cube, series)
    for axis in cube.axes:
        if axis.kind is AxisKind.CATEGORY and axis.name not in cube.twins:
            for series, rest in _segments(cube, axis):
                _segment_trend(looked, cube, series, rest)
                _segment_change(looked, cube, series, rest)
                if series.view is View.COUNT:
                    usual = float(np.median(series.values / np.maximum(rest.values, 1)))
                    outliers(looked, cube, series, usual * rest.values)
    return looked


def _overall(cube: Cube) -> list[Series]:
    sums = cube.of("time")[:-1]
    found: list[Series] = []
    counted = _kept(cube, sums, View.COUNT, None, None, None, 0)
    steady = counted is not None and float(np.ptp(counted.values)) > 0
    found += [counted] if counted is not None and steady else []
    for i, measure in cube.figures_over_time:
        views = [View.MEAN, View.SUM] if measure.additive else [View.MEAN]
        made = [_kept(cube, sums, view, measure, None, None, i) for view in views]
        found += [s for s in made if s is not None]
    return found


def _segments(cube: Cube, axis: Axis) -> list[tuple[Series, Series]]:
    """Each group beside all other rows."""
    sums = cube.of(axis.name, "time")[:, :-1]
    whole = sums[: len(axis.values) + 1].sum(axis=0)
    found: list[tuple[Series, Series]] = []
    for j, group in enumerate(axis.values[:_MOST_GROUPS]):
        own, rest = sums[j], whole - sums[j]
        pairs = [(View.COUNT, None, 0), *((View.MEAN, m, i) for i, m in cube.figures_over_time)]
        for view, measure, i in pairs:
            a = _kept(cube, own, view, measure, axis, group, i)
            b = _kept(cube, rest, view, measure, axis, group, i)
            if a is not None and b is not None and len(a.values) == len(b.values):
                found.append((a, b))
    return found


def _kept(
    cube: Cube,
    sums: Floats,
    view: View,
    measure: Measure | None,
    axis: Axis | None,
    group: str | None,
    i: int,
) -> Series | None:
    """The series over whole periods; None where there are too few, or too few rows in them."""
    stamps = np.arange(len(cube.periods))
    if view is View.MEAN:
        n = sums[:, feature(i, 0)]
        there = n >= _PER_PERIOD
        if there.sum() < max(FEWEST_PERIODS, 0.7 * len(n)):
            return None
        safe = np.maximum(n, 1)
        raw = sums[:, feature(i, 1)] / safe
        variance = np.maximum(sums[:, feature(i, 4)] / safe - raw**2, 0) * safe / np.maximum(n - 1, 1)
        pooled = float((variance * n).sum() / max(n.sum(), 1))
        stamps = stamps[there]
        values, rows, noise = raw[there], n[there], (pooled / safe)[there]
    else:
        whole = np.array(cube.whole)
        rows = sums[:, 0][whole]
        values = sums[:, 0][whole] if view is View.COUNT else sums[:, feature(i, 1)][whole]
        noise = rows if view is View.COUNT else sums[:, feature(i, 4)][whole]
        stamps = stamps[whole]
        noise = np.full(len(rows), max(float(noise.mean()), 1e-12))
        if len(rows) < FEWEST_PERIODS or rows.sum() < 5 * FEWEST_PERIODS:
            return None
    shown = tuple(cube.periods[s] for s in stamps)
    grain = cube.space.clock.grain.value if cube.space.clock else "period"
    return Series(view, measure, axis, group, shown, values, rows, noise, grain)


def _trend(looked: Looked, cube: Cube, series: Series) -> None:
    fitted = line(series.values, series.noise)
    robust = trend(series.values) if len(series.values) >= 8 else None
    p = max(fitted.p_value, robust.p_value) if robust is not None else fitted.p_value
    change = _relative(fitted)
    if p > _CHANCE or (change is not None and abs(change) < _CLEAR / 2):
        looked.tried([p])
        if p > 0.1:
            looked.findings.append(_no_trend(cube, series, fitted, p))
        return
    strength = 0.45 * fitted.fit + 0.55 * min(1.0, abs(change) if change is not None else 0.5)
    looked.found(_told_trend(cube, series, fitted, p, strength))


def _relative(fitted: Line) -> float | None:
    """How much of its start the line gains or loses; nothing where it starts near nothing, or crosses it."""
    if fitted.start * fitted.end <= 0 or abs(fitted.end) > _MANIFOLD * abs(fitted.start):
        return None
    return (fitted.end - fitted.start) / abs(fitted.start)


def _told_trend(cube: Cube, series: Series, fitted: Line, p: float, strength: float) -> Finding:
    half = _half(series, fitted)
    # A straight line through what grows ever faster may begin below nothing, where nothing ever was.
    crosses = min(fitted.start, fitted.end) < 0 <= float(series.values.min())
    ends = (float(series.values[0]), float(series.values[-1])) if crosses else (fitted.start, fitted.end)
    where = "value" if crosses else "trend line"
    numbers = {
        "slope": Number("change per period", fitted.slope, series.unit),
        "low": Number("least change per period", fitted.slope - half, series.unit),
        "high": Number("most change per period", fitted.slope + half, series.unit),
        "start": Number(f"{where} at the start", ends[0], series.unit),
        "end": Number(f"{where} at the end", ends[1], series.unit),
    }
    if (change := _relative(fitted)) is not None:
        numbers["change"] = Number("relative change", change, "fraction")
    return Finding(
        Kind.TREND, cube.space.table, series.view, series.measure, ("time",), series.subset, (), numbers,
        _grid(series), fitted.slope, "change per period", min(strength, 1.0), p,
        "regression on time, corrected for autocorrelation, and Mann–Kendall", int(series.rows.sum()),
        int(series.rows.min()), _span(series),
    )  # fmt: skip


def _no_trend(cube: Cube, series: Series, fitted: Line, p: float) -> Finding:
    made = _told_trend(cube, series, fitted, p, 0.25)
    return nothing(made, "trend")


def _half(series: Series, fitted: Line) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(max(len(series.values) - 2, 1), 0.975)) * fitted.error


def _segment_trend(looked: Looked, cube: Cube, own: Series, rest: Series) -> None:
    """A group whose course differs from that of all other rows."""
    mine, others = line(own.values, own.noise), line(rest.values, rest.noise)
    if own.view is View.COUNT:
        total = own.values + rest.values
        there = total > 0
        if there.sum() < FEWEST_PERIODS:
            return
        share = own.values[there] / total[there]
        mean = float(own.values.sum() / total.sum())
        apart = line(share, np.maximum(mean * (1 - mean), 1e-9) / total[there])
        p, moved = apart.p_value, apart.end - apart.start
        size = abs(moved) / np.sqrt(max(mean * (1 - mean), 1e-9))
    else:
        error = float(np.hypot(mine.error, others.error))
        from scipy.special import stdtr

        gap = mine.slope - others.slope
        p = float(min(1.0, 2 * stdtr(len(own.values) - 2, -abs(gap) / error))) if error > 0 else 1.0
        spread = float(np.sqrt((own.noise * own.rows).mean()))
        size = abs(gap) * (len(own.values) - 1) / spread if spread > 0 else 0.0
    p = max(p, mine.p_value)
    if p > _CHANCE or size < 0.2 or abs(mine.slope) <= abs(others.slope):
        looked.tried([p])
        return
    numbers = {
        "slope": Number("change per period", mine.slope, own.unit),
        "start": Number("trend line at the start", mine.start, own.unit),
        "end": Number("trend line at the end", mine.end, own.unit),
        "rest": Number("change per period of the others", others.slope, own.unit),
        "rest_start": Number("trend line of the others at the start", others.start, own.unit),
        "rest_end": Number("trend line of the others at the end", others.end, own.unit),
    }
    if (change := _relative(mine)) is not None:
        numbers["change"] = Number("relative change", change, "fraction")
    flat = others.p_value > 0.05
    grid = _grid(own)
    both = tuple((s, a, b) for (s, a), b in zip(grid.rows, rest.values.tolist(), strict=True))
    columns = (grid.columns[0], own.group or "", "all others")
    share_rows = float(own.rows.sum() / max(own.rows.sum() + rest.rows.sum(), 1))
    looked.found(
        Finding(
            Kind.SEGMENT_TREND, cube.space.table, own.view, own.measure,
            ("time", own.axis.name if own.axis else ""), (), (own.group or "",), numbers,
            Grid(columns, both, "lines", (None, own.unit, own.unit)), size, "standard deviations moved",
            min(1.0, size / 1.5) * (0.4 + 0.6 * min(1.0, 3 * share_rows)), p,
            "difference of regressions on time, corrected for autocorrelation",
            int(own.rows.sum()), int(min(own.rows.min(), rest.rows.min())),
            {**_span(own), "flat": "yes" if flat else ""},
        )
    )  # fmt: skip


def _segment_change(looked: Looked, cube: Cube, own: Series, rest: Series) -> None:
    """A group that changed its level for good while the other rows did not."""
    if own.view is View.COUNT:
        apart = own.values / np.maximum(own.values + rest.values, 1.0)
    else:
        apart = own.values - rest.values
    best = _step(looked, apart)
    if best is None:
        return
    at = best.position
    before, after = float(own.values[:at].mean()), float(own.values[at:].mean())
    others = float(rest.values[at:].mean() - rest.values[:at].mean())
    if abs(after - before) <= 2 * abs(others):
        looked.tried([best.p_value])
        return
    _changed(looked, cube, own, at, before, after, best.p_value)


def _step(looked: Looked, values: Floats) -> ChangePoint | None:
    """The largest lasting step of a series; what was looked for in vain is counted."""
    if len(values) < _CHANGE_PERIODS or float(np.ptp(values)) == 0:
        return None
    try:
        found = change_points(values)
    except CalculationError:
        return None
    if not found.changes:
        looked.tried([1.0])
        return None
    return max(found.changes, key=lambda c: abs(c.change))


def _changes(looked: Looked, cube: Cube, series: Series) -> None:
    best = _step(looked, series.values)
    if best is not None:
        _changed(looked, cube, series, best.position, best.before, best.after, best.p_value)


def _changed(
    looked: Looked, cube: Cube, series: Series, at: int, before: float, after: float, p_value: float
) -> None:
    change = after - before
    spread = float(np.std(series.values)) or 1.0
    size = abs(change) / spread
    percent = percent_change(before, after)
    if before and abs(change / before) < _CLEAR:
        looked.tried([p_value])
        return
    numbers = {
        "before": Number("average before", before, series.unit),
        "after": Number("average after", after, series.unit),
        "change": Number("change", change, series.unit),
    }
    if percent is not None:
        numbers["relative"] = Number("relative change", percent / 100, "fraction")
    when = series.stamps[at]
    looked.found(
        Finding(
            Kind.CHANGE, cube.space.table, series.view, series.measure, ("time",), series.subset, (str(when),),
            numbers, _grid(series), size, "standard deviations", min(1.0, 0.35 * size), p_value,
            "exact segmentation with a test of each step", int(series.rows.sum()), int(series.rows.min()),
            {**_span(series), "when": when.isoformat()},
        )
    )  # fmt: skip


def outliers(
    looked: Looked, cube: Cube, series: Series, expected: Floats | None = None, *, alone: bool = False
) -> None:
    """Periods far from what the others let expect.

    Args:
        looked: Takes what is found.
        cube: The sums.
        series: A figure along the periods.
        expected: What each period should have; by default the middle of all, or their line where they have one.
        alone: Only what no other period comes near to: single days stray far without a reason.
    """
    from scipy.special import stdtr

    n = len(series.values)
    if n < _CHANGE_PERIODS - 2:
        return
    by, course = _own_course(series)
    if expected is None:
        expected = course
    else:
        by = "rest" if series.subset else "around"
    left = series.values - expected
    typical = 1.4826 * float(np.median(np.abs(left - np.median(left))))
    # A count strays by its root at least; the periods that are odd themselves must not widen that.
    chance = np.maximum(np.abs(expected), 1.0) if series.view is View.COUNT else series.noise
    error = np.sqrt(np.maximum(typical**2, chance))
    z = (left - np.median(left)) / np.maximum(error, 1e-12)
    p = np.minimum(1.0, 2 * stdtr(n - 2, -np.abs(z)) * n)
    best = int(np.argmax(np.abs(z)))
    first = last = best
    # Neighbours that are as odd belong to it.
    alike = (np.sign(z) == np.sign(z[best])) & (np.abs(z) >= max(2.5, 0.35 * abs(z[best])))
    while first > 0 and alike[first - 1]:
        first -= 1
    while last < n - 1 and alike[last + 1]:
        last += 1
    if p[best] > _CHANCE or last - first + 1 > n / 3 or _every_year(series, z, best):
        looked.tried([float(p[best])])
        return
    others = np.delete(np.abs(z), np.arange(first, last + 1))
    if alone and (
        abs(z[best]) < _ALONE * others.max(initial=0.0) or abs(left[best]) < _LARGE * abs(expected[best])
    ):
        looked.tried([float(p[best])])
        return
    # Where the others move, a group that stays as it was is not the odd one.
    own = (series.values[best] - course[best]) * np.sign(left[best])
    if abs(left[best]) < 0.25 * abs(expected[best]) or (by == "rest" and own < 0.5 * abs(left[best])):
        looked.tried([float(p[best])])
        return
    window = series.values[first : last + 1]
    farthest = first + int(np.argmax(window) if z[best] > 0 else np.argmin(window))
    value = float(series.values[farthest])
    if by:
        usual = Number("what was to be expected", float(expected[first : last + 1].mean()), series.unit)
    else:
        elsewhere = np.delete(series.values, np.arange(first, last + 1))
        usual = Number("average of the other periods", float(np.mean(elsewhere)), series.unit)
    numbers = {
        "value": Number("value of the period", _whole(value, series.view), series.unit),
        "usual": usual,
        "window": Number("average of the odd periods", float(window.mean()), series.unit),
    }
    if (percent := percent_change(usual.value, float(window.mean()))) is not None:
        numbers["times"] = Number("times the usual", float(window.mean() / usual.value))
        numbers["relative"] = Number("relative to the usual", percent / 100, "fraction")
    stamps = [series.stamps[first], series.stamps[last], series.stamps[farthest]]
    covered = float(series.rows.sum()) / max(cube.rows, 1)
    strength = min(1.0, abs(float(z[best])) / 12) * (0.5 + 0.5 * covered**0.5)
    looked.found(
        Finding(
            Kind.OUTLIER, cube.space.table, series.view, series.measure,
            ("time", series.axis.name) if series.axis else ("time",), series.subset,
            tuple(str(s) for s in stamps), numbers, _grid(series, range(first, last + 1)),
            float(z[best]), "robust standard deviations", strength, float(p[best]),
            "robust t test of the period against the others", int(series.rows.sum()), int(series.rows.min()),
            {**_span(series), "first": stamps[0].isoformat(), "last": stamps[1].isoformat(),
             "when": stamps[2].isoformat(), "by": by},
        )
    )  # fmt: skip


def _own_course(series: Series) -> tuple[str, Floats]:
    """What the periods themselves let expect: their middle, or their line where they have one."""
    n, fitted = len(series.values), line(series.values, series.noise)
    if fitted.p_value < 0.01:
        return "course", fitted.start + fitted.slope * np.arange(n, dtype=np.float64)
    return "", np.full(n, float(np.median(series.values)))


def _every_year(series: Series, z: Floats, best: int) -> bool:
    """Whether the same time of another year is as odd: what comes every year is no surprise."""
    at = series.stamps[best]
    same = [
        k
        for k, s in enumerate(series.stamps)
        if k != best and s.year != at.year and abs(s.timetuple().tm_yday - at.timetuple().tm_yday) <= 10
    ]
    return any(z[k] * z[best] > 0 and abs(z[k]) >= 0.4 * abs(z[best]) for k in same)


def _grid(series: Series, marked: Any = None) -> Grid:
    grain = series.grain
    figure = "value" if series.measure is not None else "rows"
    rows = [(s, _whole(v, series.view)) for s, v in zip(series.stamps, series.values.tolist(), strict=True)]
    if marked is None:
        return Grid((grain, figure), tuple(rows), "line", (None, series.unit))
    places = set(marked)
    return Grid(
        (grain, figure, "marked"),
        tuple((*r, i in places) for i, r in enumerate(rows)),
        "marked",
        (None, series.unit, None),
    )


def _span(series: Series) -> dict[str, str]:
    return {"grain": series.grain, "from": series.stamps[0].isoformat(), "to": series.stamps[-1].isoformat()}


def _whole(value: float, view: View) -> float | int:
    return round(value) if view is View.COUNT else float(value)
