"""How figures go over time: trends of all rows and of single groups, lasting changes, odd periods, seasons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from gnomon.analytics.changepoints import change_points
from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import Cube, feature
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View, nothing
from gnomon.analytics.insight.space import Axis, AxisKind, Measure
from gnomon.analytics.relative import percent_change
from gnomon.analytics.seasonal import seasonality
from gnomon.analytics.trends import noise_correlation, trend, variance_inflation
from gnomon.core.errors import CalculationError

FEWEST_PERIODS = 6
_CHANGE_PERIODS = 10
_FEWEST_DAYS = 35
_MOST_GROUPS = 15
_PER_PERIOD = 3
_CHANCE = 0.05
_CLEAR = 0.1
_MANIFOLD = 6


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

    @property
    def subset(self) -> tuple[tuple[str, str], ...]:
        return ((self.axis.name, self.group),) if self.axis is not None and self.group is not None else ()

    @property
    def unit(self) -> str | None:
        return self.measure.unit if self.measure is not None else None


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through a series: how steep, how sure, and the correlation with time."""

    slope: float
    error: float
    p_value: float
    start: float
    end: float
    fit: float


def courses(cube: Cube) -> Looked:
    """Everything that can be said of the figures of a table over time."""
    looked = Looked()
    if not cube.periods:
        return looked
    everyone = _overall(cube)
    for series in everyone:
        _trend(looked, cube, series)
        _changes(looked, cube, series)
        _outliers(looked, cube, series, series.values * 0 + float(np.median(series.values)))
    for axis in cube.axes:
        if axis.kind is AxisKind.CATEGORY and axis.name not in cube.twins:
            for series, rest in _segments(cube, axis):
                _segment_trend(looked, cube, series, rest)
                if series.view is View.COUNT:
                    usual = float(np.median(series.values / np.maximum(rest.values, 1)))
                    _outliers(looked, cube, series, usual * rest.values)
    _seasons(looked, cube)
    return looked


def _overall(cube: Cube) -> list[Series]:
    sums = cube.of("time")[:-1]
    found: list[Series] = []
    counted = _kept(cube, sums, View.COUNT, None, None, None, 0)
    steady = counted is not None and float(np.ptp(counted.values)) > 0
    found += [counted] if counted is not None and steady else []
    for i, measure in cube.figures:
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
        pairs = [(View.COUNT, None, 0), *((View.MEAN, m, i) for i, m in cube.figures)]
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
    return Series(view, measure, axis, group, shown, values, rows, noise)


def line(values: Floats, noise: Floats) -> Line:
    """A weighted straight line; its error is never below what the rows of a period explain, and is widened for
    autocorrelation."""
    from scipy.special import stdtr

    n = len(values)
    t = np.arange(n, dtype=np.float64)
    w = 1 / np.maximum(noise, 1e-300)
    w = w / w.mean()
    centre = (w * t).sum() / w.sum()
    level = (w * values).sum() / w.sum()
    square = float((w * (t - centre) ** 2).sum())
    slope = float((w * (t - centre) * (values - level)).sum() / square)
    left = values - level - slope * (t - centre)
    scatter = float((w * left**2).sum()) / max(n - 2, 1)
    expected = float((w * noise).mean())
    inflation = variance_inflation(noise_correlation(left), n)
    error = float(np.sqrt(max(scatter, expected) * inflation / square))
    p = float(min(1.0, 2 * stdtr(max(n - 2, 1), -abs(slope) / error))) if error > 0 else 1.0
    total = float((w * (values - level) ** 2).sum())
    fit = float(np.sqrt(max(0.0, 1 - float((w * left**2).sum()) / total))) if total > 0 else 0.0
    return Line(slope, error, p, float(level - slope * centre), float(level + slope * (n - 1 - centre)), fit)


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
    numbers = {
        "slope": Number("change per period", fitted.slope, series.unit),
        "low": Number("least change per period", fitted.slope - half, series.unit),
        "high": Number("most change per period", fitted.slope + half, series.unit),
        "start": Number("trend line at the start", fitted.start, series.unit),
        "end": Number("trend line at the end", fitted.end, series.unit),
    }
    if (change := _relative(fitted)) is not None:
        numbers["change"] = Number("relative change", change, "fraction")
    return Finding(
        Kind.TREND, cube.space.table, series.view, series.measure, ("time",), series.subset, (), numbers,
        _grid(cube, series), fitted.slope, "change per period", min(strength, 1.0), p,
        "regression on time, corrected for autocorrelation, and Mann–Kendall", int(series.rows.sum()),
        int(series.rows.min()), _span(cube, series),
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
    grid = _grid(cube, own)
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
            {**_span(cube, own), "flat": "yes" if flat else ""},
        )
    )  # fmt: skip


def _changes(looked: Looked, cube: Cube, series: Series) -> None:
    if len(series.values) < _CHANGE_PERIODS or float(np.ptp(series.values)) == 0:
        return
    try:
        found = change_points(series.values)
    except CalculationError:
        return
    if not found.changes:
        looked.tried([1.0])
        return
    best = max(found.changes, key=lambda c: abs(c.change))
    spread = float(np.std(series.values)) or 1.0
    size = abs(best.change) / spread
    percent = percent_change(best.before, best.after)
    if best.before and abs(best.change / best.before) < _CLEAR:
        looked.tried([best.p_value])
        return
    numbers = {
        "before": Number("average before", best.before, series.unit),
        "after": Number("average after", best.after, series.unit),
        "change": Number("change", best.change, series.unit),
    }
    if percent is not None:
        numbers["relative"] = Number("relative change", percent / 100, "fraction")
    when = series.stamps[best.position]
    looked.found(
        Finding(
            Kind.CHANGE, cube.space.table, series.view, series.measure, ("time",), series.subset, (str(when),),
            numbers, _grid(cube, series), size, "standard deviations", min(1.0, 0.35 * size), best.p_value,
            "exact segmentation with a test of each step", int(series.rows.sum()), int(series.rows.min()),
            {**_span(cube, series), "when": when.isoformat()},
        )
    )  # fmt: skip


def _outliers(looked: Looked, cube: Cube, series: Series, expected: Floats) -> None:
    """Periods far from what the others, and for a group the total, let expect."""
    from scipy.special import stdtr

    n = len(series.values)
    if n < _CHANGE_PERIODS - 2:
        return
    fitted = line(series.values, series.noise)
    if fitted.p_value < 0.01 and series.axis is None:
        expected = fitted.start + fitted.slope * np.arange(n, dtype=np.float64)
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
    base = float(np.median(series.values))
    value = float(series.values[best])
    if base and abs(value - base) < 0.25 * abs(base):
        looked.tried([float(p[best])])
        return
    window = series.values[first : last + 1]
    usual = float(np.mean(np.delete(series.values, np.arange(first, last + 1))))
    numbers = {
        "value": Number("value of the period", _whole(value, series.view), series.unit),
        "usual": Number("average of the other periods", usual, series.unit),
        "window": Number("average of the odd periods", float(window.mean()), series.unit),
    }
    if usual:
        numbers["times"] = Number("times the usual", float(window.mean() / usual))
    stamps = [series.stamps[first], series.stamps[last], series.stamps[best]]
    covered = float(series.rows.sum()) / max(cube.rows, 1)
    strength = min(1.0, abs(float(z[best])) / 12) * (0.5 + 0.5 * covered**0.5)
    looked.found(
        Finding(
            Kind.OUTLIER, cube.space.table, series.view, series.measure,
            ("time", series.axis.name) if series.axis else ("time",), series.subset,
            tuple(str(s) for s in stamps), numbers, _grid(cube, series, range(first, last + 1)),
            float(z[best]), "robust standard deviations", strength, float(p[best]),
            "robust t test of the period against the others", int(series.rows.sum()), int(series.rows.min()),
            {**_span(cube, series), "first": stamps[0].isoformat(), "last": stamps[1].isoformat(),
             "when": stamps[2].isoformat()},
        )
    )  # fmt: skip


def _every_year(series: Series, z: Floats, best: int) -> bool:
    """Whether the same time of another year is as odd: what comes every year is no surprise."""
    at = series.stamps[best]
    same = [
        k
        for k, s in enumerate(series.stamps)
        if k != best and s.year != at.year and abs(s.timetuple().tm_yday - at.timetuple().tm_yday) <= 10
    ]
    return any(z[k] * z[best] > 0 and abs(z[k]) >= 0.4 * abs(z[best]) for k in same)


def _seasons(looked: Looked, cube: Cube) -> None:
    """Patterns over the days of the week, from daily figures."""
    if cube.days is None:
        return
    first, sums = cube.days
    if len(sums) < _FEWEST_DAYS:
        return
    counts = sums[:, 0]
    days = np.arange(len(counts)) % 7
    if (counts > 0).mean() < 0.5 or (np.bincount(days, counts) == 0).any():
        return  # few days have rows, or some days of the week never do
    todo: list[tuple[View, Measure | None, int]] = [(View.COUNT, None, 0)]
    todo += [(View.SUM if m.additive else View.MEAN, m, i) for i, m in cube.figures]
    stamps = [first + timedelta(days=i) for i in range(len(sums))]
    for view, measure, i in todo:
        n = counts if view is not View.MEAN else sums[:, feature(i, 0)]
        if view is View.MEAN and (n > 0).mean() < 0.9:
            continue
        total = counts if view is View.COUNT else sums[:, feature(i, 1)]
        values = total / np.maximum(n, 1) if view is View.MEAN else total
        if float(np.ptp(values)) == 0:
            continue
        found = seasonality(values, period=7)
        level = float(values.mean())
        if found.p_value > _CHANCE or found.strength < 0.05 or level == 0:
            looked.tried([found.p_value])
            continue
        _season(looked, cube, view, measure, values, n, stamps, found.p_value, found.strength)


def _season(
    looked: Looked,
    cube: Cube,
    view: View,
    measure: Measure | None,
    values: Floats,
    n: Floats,
    stamps: list[date],
    p: float,
    strength: float,
) -> None:
    days = np.array([s.weekday() for s in stamps])
    names = [(date(2024, 1, 1) + timedelta(days=k)).strftime("%A") for k in range(7)]
    weight = n if view is View.MEAN else np.ones(len(n))
    means = [float((values * weight)[days == k].sum() / max(weight[days == k].sum(), 1)) for k in range(7)]
    high, low = int(np.argmax(means)), int(np.argmin(means))
    unit = measure.unit if measure else None
    numbers = {
        "peak": Number("average of the highest day", means[high], unit, {"weekday": names[high]}),
        "trough": Number("average of the lowest day", means[low], unit, {"weekday": names[low]}),
        "strength": Number("share of the daily variation explained", strength, "fraction"),
    }
    spread = (means[high] - means[low]) / max(abs(float(np.mean(means))), 1e-12)
    grid = Grid(
        ("day of the week", "average per day"), tuple(zip(names, means, strict=True)), "bars", (None, unit)
    )
    looked.found(
        Finding(
            Kind.SEASON, cube.space.table, view, measure, ("time",), (), (names[high], names[low]), numbers, grid,
            strength, "share of the daily variation explained", min(1.0, 0.5 * strength + 0.5 * min(spread, 1.0)), p,
            "F test between days of the week, corrected for autocorrelation", int(n.sum()), int(min(n[days == k].sum() for k in range(7))),
        )
    )  # fmt: skip


def _grid(cube: Cube, series: Series, marked: Any = None) -> Grid:
    grain = cube.space.clock.grain.value if cube.space.clock else "period"
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


def _span(cube: Cube, series: Series) -> dict[str, str]:
    grain = cube.space.clock.grain.value if cube.space.clock else "period"
    return {"grain": grain, "from": series.stamps[0].isoformat(), "to": series.stamps[-1].isoformat()}


def _whole(value: float, view: View) -> float | int:
    return round(value) if view is View.COUNT else float(value)
