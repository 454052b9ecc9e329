"""Groups that stand out: who has most rows or the largest total, and whose average differs from the others'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import Cube, feature
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View, nothing
from gnomon.analytics.insight.space import Axis, AxisKind, Measure

FEWEST = 5
SHOWN = 12
_MAJORITY = 0.5
_APART = 1.15
_EVEN = 0.3
_SMALL = 0.2
_CHANCE = 0.05
_TELLING = 0.03


def leaders(cube: Cube) -> Looked:
    """Groups with clearly more rows, or a clearly larger total, than the next; or rows spread evenly."""
    looked = Looked()
    for axis in cube.axes:
        if axis.kind is not AxisKind.CATEGORY or axis.name in cube.twins:
            continue
        sums = cube.of(axis.name)
        counts = sums[:-1, 0]
        looked.extend(_leading(cube, axis, None, View.COUNT, counts, counts, counts))
        for i, measure in enumerate(cube.measures):
            if measure.additive:
                totals, squares = sums[:-1, feature(i, 1)], sums[:-1, feature(i, 4)]
                if totals.min() >= 0:
                    looked.extend(_leading(cube, axis, measure, View.SUM, totals, squares, counts))
    return looked


def _leading(
    cube: Cube, axis: Axis, measure: Measure | None, view: View, totals: Floats, squares: Floats, rows: Floats
) -> Looked:
    """``totals`` by group, further values last; ``squares`` are the variances of totals of so many chance rows."""
    looked = Looked()
    k = len(axis.values)
    order = np.argsort(-totals[:k], kind="stable")
    held = totals[order]
    whole = float(totals.sum())
    if k < 2 or whole <= 0 or held[0] <= 0:
        return looked
    most = 1 if k < 5 else 2 if k < 10 else 3
    ratios = [held[i] / max(held[i + 1], 1e-12) for i in range(min(most, k - 1))]
    share = float(held[0] / whole)
    cut = 1 if share >= _MAJORITY and k > 2 else int(np.argmax(ratios)) + 1
    p = _ahead(float(held[:cut].sum()), whole, float(squares[order[:cut]].sum()), float(squares.sum()), cut, k)
    ratio = float(held[cut - 1] / max(held[cut], 1e-12))
    rest = float(held[cut:].mean()) if k > cut else 0.0
    over = float(held[:cut].mean() / rest) if rest > 0 else float("inf")
    fits = ratio >= _APART and over >= 1.2 and (k > 2 or share >= 0.6)
    if (not fits or p > _CHANCE) and view is View.COUNT and k >= 3 and not axis.more:
        _evenly(looked, cube, axis, held, order, p)
        return looked
    strength = float(np.clip(0.6 * (1 - 1 / over) + 0.6 * max(share * cut - 1 / k, 0.0), 0, 1))
    leaders_ = [axis.values[i] for i in order[:cut]]
    numbers: dict[str, Number] = {}
    unit = measure.unit if measure else None
    for i, place in enumerate(order[: min(SHOWN, k)]):
        name = axis.values[place]
        numbers[f"group{i + 1}"] = Number(_said(view), _whole(totals[place], view), unit, {axis.name: name})
    numbers["share"] = Number("share", float(held[:cut].sum() / whole), "fraction", {axis.name: leaders_[0]})
    numbers["total"] = Number("total", _whole(whole, view), unit)
    numbers["times"] = Number("times the average of the others", over) if np.isfinite(over) else numbers["total"]
    grid_rows = tuple(
        (axis.values[i], _whole(totals[i], view), float(totals[i] / whole)) for i in order[:SHOWN]
    )
    figure = "rows" if measure is None else f"total {measure.label}"
    made = (
        Finding(
            Kind.LEADER, cube.space.table, view, measure, (axis.name,), (), tuple(leaders_), numbers,
            Grid((axis.label, figure, "share"), grid_rows, "bars", (None, unit, "fraction")),
            over, "times the average of the others", strength, p,
            "z test against an even share, corrected for choosing the largest",
            int(rows.sum()), int(rows[order[:SHOWN]].min()),
            {"others": str(k - cut), "groups": str(k), "majority": "yes" if share >= _MAJORITY else ""},
        )
    )  # fmt: skip
    if fits and p <= _CHANCE:
        looked.found(made)
    else:
        looked.tried([p])
        looked.findings.append(nothing(made, "leader"))
    return looked


def _ahead(lead: float, whole: float, noise: float, every: float, cut: int, groups: int) -> float:
    """The chance that the largest ``cut`` of equal groups hold so much of the whole."""
    from scipy.special import comb, ndtr

    fair = cut / groups
    error = np.sqrt(max(noise * (1 - 2 * fair) + fair**2 * every, fair * (1 - fair) * every, 1e-300))
    z = (lead - fair * whole) / error
    return float(min(1.0, 2 * ndtr(-abs(z)) * comb(groups, cut))) if z > 0 else 1.0


def _evenly(looked: Looked, cube: Cube, axis: Axis, held: Floats, order: Any, p: float) -> None:
    from scipy import stats

    k, total = len(held), float(held.sum())
    outcome: Any = stats.chisquare(held)
    spread = float((held.max() - held.min()) / held.mean())
    looked.tried([p])
    # Sure to be even: even the upper bound of what chance may hide lies low.
    hidden = 2 / np.sqrt(held.mean())
    if float(outcome.pvalue) < _CHANCE or spread > _EVEN + hidden or held.mean() < 20:
        return
    numbers = {
        f"group{i + 1}": Number("number", int(held[i]), None, {axis.name: axis.values[order[i]]})
        for i in range(min(k, SHOWN))
    }
    numbers["most"], numbers["least"] = Number("most", int(held[0])), Number("least", int(held[-1]))
    numbers["average"] = Number("average", float(held.mean()))
    rows = tuple((axis.values[i], int(n), n / total) for i, n in zip(order, held.tolist(), strict=True))
    looked.findings.append(
        Finding(
            Kind.EVEN, cube.space.table, View.COUNT, None, (axis.name,), (), (), numbers,
            Grid((axis.label, "rows", "share"), rows[:SHOWN], "bars", (None, None, "fraction")),
            spread, "spread of the counts over their average", 0.25, float(outcome.pvalue),
            "chi-squared test against an even spread", int(total), int(held[-1]), {"groups": str(k)},
        )
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Means:
    """Averages of groups, in the data's unit and on the scale of tests."""

    n: Floats
    raw: Floats
    mean: Floats
    variance: Floats


def _means(sums: Floats, i: int) -> _Means:
    n = sums[..., feature(i, 0)]
    safe = np.maximum(n, 1)
    mean = sums[..., feature(i, 2)] / safe
    variance = np.maximum(sums[..., feature(i, 3)] / safe - mean**2, 0) * safe / np.maximum(n - 1, 1)
    return _Means(n, sums[..., feature(i, 1)] / safe, mean, variance)


def differences(cube: Cube) -> Looked:
    """Averages that differ between the groups of an axis, among all rows and among the rows of one other group."""
    looked = Looked()
    for i, measure in enumerate(cube.measures):
        for axis in cube.axes:
            if axis.name in cube.twins or _tells_itself(axis, measure):
                continue
            whole = _differing(looked, cube, i, axis, cube.of(axis.name), ())
            if axis.kind is AxisKind.WORD:
                continue
            for other in cube.axes:
                if (
                    other.name == axis.name
                    or other.kind is not AxisKind.CATEGORY
                    or other.name in cube.twins
                    or not cube.has(axis.name, other.name)
                ):
                    continue
                pair = cube.of(other.name, axis.name)
                for j, value in enumerate(other.values[:SHOWN]):
                    _differing(looked, cube, i, axis, pair[j], ((other.name, value),), whole)
    return looked


def _tells_itself(axis: Axis, measure: Measure) -> bool:
    return bool({axis.name, axis.column} & {measure.name, *measure.columns, *(measure.reaches or ())})


def _differing(
    looked: Looked,
    cube: Cube,
    i: int,
    axis: Axis,
    sums: Floats,
    subset: tuple[tuple[str, str], ...],
    whole: tuple[str, float] | None = None,
) -> tuple[str, float] | None:
    """The most telling group against all others; what it was and by how much, for comparison with subsets."""
    from scipy.special import stdtr

    measure = cube.measures[i]
    k = len(axis.values)
    m = _means(sums, i)
    used = np.flatnonzero(m.n[:k] >= FEWEST)
    if len(used) < 2:
        return None
    n, mean, variance = m.n[used], m.mean[used], m.variance[used]
    total, total_mean = n.sum(), float((n * mean).sum() / n.sum())
    squares = (n - 1) * variance + n * mean**2
    rest_n = np.maximum(total - n, 1)
    rest_mean = (total * total_mean - n * mean) / rest_n
    rest_variance = np.maximum((squares.sum() - squares - rest_n * rest_mean**2) / np.maximum(rest_n - 1, 1), 0)
    error = np.sqrt(variance / n + rest_variance / rest_n)
    floor = 1e-9 * max(float(np.abs(mean).max()), 1e-6)
    t = (mean - rest_mean) / np.maximum(error, floor)
    freedom = np.maximum(
        (variance / n + rest_variance / rest_n) ** 2
        / np.maximum(
            (variance / n) ** 2 / np.maximum(n - 1, 1) + (rest_variance / rest_n) ** 2 / np.maximum(rest_n - 1, 1), 1e-300
        ),
        1.0,
    )  # fmt: skip
    p = np.minimum(1.0, 2 * stdtr(freedom, -np.abs(t)) * (len(used) if len(used) > 2 else 1))
    pooled = np.sqrt(np.maximum(((n - 1) * variance + (rest_n - 1) * rest_variance) / (total - 2), 1e-12))
    effect = (mean - rest_mean) / pooled
    raw = m.raw[used]
    large = n >= min(_TELLING * total, n.max())
    ends = [int(np.argmax(np.where(large, raw, -np.inf))), int(np.argmin(np.where(large, raw, np.inf)))]
    weight = np.where(np.isfinite(effect), np.abs(effect) * np.sqrt(np.minimum(n, rest_n)), 0)
    best = ends[0] if len(used) == 2 else max(ends, key=lambda k: float(weight[k]))
    rest_raw = float((float((m.n[used] * raw).sum()) - m.n[used][best] * raw[best]) / rest_n[best])
    agrees = (raw[best] - rest_raw) * (mean[best] - rest_mean[best]) > 0
    subject, size = axis.values[used[best]], float(effect[best])
    repeats = whole is not None and whole[0] == subject and abs(whole[1]) >= 0.6 * abs(size) and whole[1] * size > 0
    told = p[best] <= _CHANCE and abs(size) >= _SMALL and agrees and not repeats
    if not told and (subset or axis.kind is AxisKind.WORD):
        looked.tried([float(p[best])])
        return subject, size
    made = _difference(cube, i, axis, used, m, best, rest_raw, size, float(p[best]), subset, measure)
    if told:
        looked.found(made)
    else:
        looked.tried([float(p[best])])
        if p[best] > _CHANCE:
            looked.findings.append(nothing(made, "difference"))
    return subject, size


def _difference(
    cube: Cube,
    i: int,
    axis: Axis,
    used: Any,
    m: _Means,
    best: int,
    rest: float,
    effect: float,
    p: float,
    subset: tuple[tuple[str, str], ...],
    measure: Measure,
) -> Finding:
    raw, n = m.raw[used], m.n[used]
    order = np.arange(len(used)) if axis.ordered else np.argsort(-raw, kind="stable")
    subject = axis.values[used[best]]
    rank = int(np.argsort(np.argsort(-raw, kind="stable"), kind="stable")[best])
    place = "highest" if rank == 0 else "lowest" if rank == len(used) - 1 else ""
    steps = np.diff(raw) if axis.ordered and len(used) >= 3 else np.zeros(0)
    along = "rises" if len(steps) and (steps > 0).all() else "falls" if len(steps) and (steps < 0).all() else ""
    numbers = {
        "subject": Number("average", float(raw[best]), measure.unit, {axis.name: subject}),
        "rest": Number("average of the others", rest, measure.unit),
    }
    for j in order[:SHOWN]:
        numbers[f"group{j + 1}"] = Number(
            "average", float(raw[j]), measure.unit, {axis.name: axis.values[used[j]]}
        )
    figure = measure.label if measure.rate else f"average {measure.label}"
    rows = tuple((axis.values[used[j]], float(raw[j]), int(n[j])) for j in order[:SHOWN])
    share = float(np.minimum(n[best], n.sum() - n[best]) / n.sum())
    covered = float(n.sum()) / max(cube.rows, 1)
    strength = float(np.clip(abs(effect) / 1.5, 0, 1)) * (0.55 + 0.9 * share) * covered**0.25
    return Finding(
        Kind.DIFFERENCE, cube.space.table, View.MEAN, measure, (axis.name,), subset, (subject,), numbers,
        Grid((axis.label, figure, "rows"), rows, "bars", (None, measure.unit, None)),
        effect, "Hedges’ g against the other groups", min(strength, 1.0), p, "Welch’s t test against the other groups",
        int(n.sum()), int(n.min()), {"place": place, "along": along},
    )  # fmt: skip


def _said(view: View) -> str:
    return "number" if view is View.COUNT else "total"


def _whole(value: float, view: View) -> float | int:
    return int(round(value)) if view is View.COUNT else float(value)
