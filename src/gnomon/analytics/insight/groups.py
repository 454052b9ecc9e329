"""Groups that stand out: who has most rows or the largest total, and whose average differs from the others'."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import Cube, feature
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View, nothing
from gnomon.analytics.insight.space import Axis, AxisKind, Measure

FEWEST = 8
SHOWN = 12
_MAJORITY = 0.5
_APART = 1.15
_EVEN = 0.3
_SMALL = 0.2
_CHANCE = 0.05
_TELLING = 0.03
_STEADY = 10
_COMPARABLE, _LEFT, _EXPLAINED = 0.7, 0.15, 0.6


def leaders(cube: Cube) -> Looked:
    """Groups with clearly more rows, or a clearly larger total, than the next; or rows spread evenly."""
    looked = Looked()
    for axis in cube.axes:
        if axis.kind is not AxisKind.CATEGORY or axis.name in cube.twins:
            continue
        sums = cube.of(axis.name)
        counts = sums[:-1, 0]
        looked.extend(_leading(cube, axis, None, View.COUNT, counts, counts, counts))
        for i, measure in cube.figures:
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
    p = _ahead(
        float(held[:cut].sum()), whole, float(squares[order[:cut]].sum()), float(squares.sum()), cut, k
    )
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
        numbers[f"group{i + 1}"] = Number(
            _said(view), _whole(float(totals[place]), view), unit, {axis.name: name}
        )
    numbers["share"] = Number("share", float(held[:cut].sum() / whole), "fraction", {axis.name: leaders_[0]})
    numbers["total"] = Number("total", _whole(whole, view), unit)
    numbers["times"] = (
        Number("times the average of the others", over) if np.isfinite(over) else numbers["total"]
    )
    grid_rows = tuple(
        (axis.values[i], _whole(float(totals[i]), view), float(totals[i] / whole)) for i in order[:SHOWN]
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
    for i, measure in cube.figures:
        for axis in cube.axes:
            natural = frozenset((axis.column, measure.name)) in cube.alike
            # Neighbours in time are alike: ranges of one series always differ in another. Series have tests of their own.
            drifting = cube.is_series and axis.kind is AxisKind.BRACKET
            if axis.name in cube.twins or natural or drifting or _tells_itself(axis, measure):
                continue
            overall = _tested(cube.of(axis.name)[None], i, len(axis.values), measure.rate)
            whole = _differing(looked, cube, i, axis, overall, [()], None)
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
                values = other.values[:SHOWN]
                pair = cube.of(other.name, axis.name)[: len(values)]
                within = _tested(pair, i, len(axis.values), measure.rate)
                _differing(looked, cube, i, axis, within, [((other.name, v),) for v in values], whole)
    return looked


def _tells_itself(axis: Axis, measure: Measure) -> bool:
    return bool({axis.name, axis.column} & {measure.name, *measure.columns, *(measure.reaches or ())})


@dataclass(frozen=True, slots=True)
class _Tested:
    """For each set of rows: its most telling group, the chance and size of its difference, and what is needed to tell it."""

    means: _Means
    used: Any
    best: Any
    p: Floats
    size: Floats
    rest: Floats
    agrees: Any


def _tested(sums: Floats, i: int, k: int, rate: bool) -> _Tested:
    """Each group against all others by Welch's test, for many sets of rows at once (the first axis of ``sums``)."""
    from scipy.special import stdtr

    m = _means(sums[:, :k], i)
    used = m.n >= FEWEST
    groups = used.sum(axis=1)
    n = np.where(used, m.n, 0.0)
    mean, variance = np.where(used, m.mean, 0.0), np.where(used, m.variance, 0.0)
    total = np.maximum(n.sum(axis=1, keepdims=True), 1)
    total_mean = (n * mean).sum(axis=1, keepdims=True) / total
    squares = np.maximum(n - 1, 0) * variance + n * mean**2
    # Few rows may agree by chance: what groups have in common steadies the variance of each.
    common = (np.maximum(n - 1, 0) * variance).sum(axis=1, keepdims=True) / np.maximum(
        total - groups[:, None], 1
    )
    if rate:
        common = (squares.sum(axis=1, keepdims=True) - total * total_mean**2) / total
        variance = np.maximum(variance, common)
    safe = np.maximum(n, 1)
    variance = ((safe - 1) * variance + _STEADY * common) / (safe - 1 + _STEADY)
    rest_n = np.maximum(total - n, 1)
    rest_mean = (total * total_mean - n * mean) / rest_n
    rest_squares = squares.sum(axis=1, keepdims=True) - squares - rest_n * rest_mean**2
    rest_variance = np.maximum(rest_squares / np.maximum(rest_n - 1, 1), 0)
    own, others = variance / safe, rest_variance / rest_n
    error = np.sqrt(own + others)
    t = (mean - rest_mean) / np.maximum(error, 1e-12)
    parts = own**2 / np.maximum(safe - 1, 1) + others**2 / np.maximum(rest_n - 1, 1)
    freedom = np.maximum((own + others) ** 2 / np.maximum(parts, 1e-300), 1.0)
    chosen = np.where(groups > 2, groups, 1)[:, None]
    p = np.minimum(1.0, 2 * stdtr(freedom, -np.abs(t)) * chosen)
    pooled = np.sqrt(
        np.maximum(((safe - 1) * variance + (rest_n - 1) * rest_variance) / np.maximum(total - 2, 1), 1e-12)
    )
    size = (mean - rest_mean) / pooled
    large = used & (n >= np.minimum(_TELLING * total, n.max(axis=1, keepdims=True)))
    high = np.argmax(np.where(large, m.raw, -np.inf), axis=1)
    low = np.argmin(np.where(large, m.raw, np.inf), axis=1)
    weight = np.abs(size) * np.sqrt(np.minimum(safe, rest_n))
    rows = np.arange(len(n))
    best = np.where((groups == 2) | (weight[rows, high] >= weight[rows, low]), high, low)
    raw = np.where(used, m.raw, 0.0)
    every = (n * raw).sum(axis=1)
    rest = (every - n[rows, best] * raw[rows, best]) / rest_n[rows, best]
    agrees = (raw[rows, best] - rest) * (mean - rest_mean)[rows, best] > 0
    return _Tested(
        m, used, best, np.where(groups >= 2, p[rows, best], np.nan), size[rows, best], rest, agrees
    )


def _differing(
    looked: Looked,
    cube: Cube,
    i: int,
    axis: Axis,
    tested: _Tested,
    subsets: list[tuple[tuple[str, str], ...]],
    whole: tuple[str, float] | None,
) -> tuple[str, float] | None:
    """Keep what differs; the last group and its size are handed back, for comparison with subsets."""
    subject, size = "", 0.0
    for j, subset in enumerate(subsets):
        p = float(tested.p[j])
        if p != p:
            continue
        subject, size = axis.values[tested.best[j]], float(tested.size[j])
        repeats = (
            whole is not None
            and whole[0] == subject
            and abs(whole[1]) >= 0.6 * abs(size)
            and whole[1] * size > 0
        )
        told = p <= _CHANCE and abs(size) >= _SMALL and bool(tested.agrees[j]) and not repeats
        quiet = bool(subset) or axis.kind is AxisKind.WORD
        if told:
            made = _difference(cube, i, axis, tested, j, subset)
            looked.found(made if subset else _at_equal_mix(cube, i, axis, int(tested.best[j]), made))
        else:
            looked.tried([p])
            if p > _CHANCE and not quiet:
                looked.findings.append(nothing(_difference(cube, i, axis, tested, j, subset), "difference"))
    return (subject, size) if subject else None


def _difference(
    cube: Cube, i: int, axis: Axis, tested: _Tested, j: int, subset: tuple[tuple[str, str], ...]
) -> Finding:
    measure = cube.measures[i]
    used = np.flatnonzero(tested.used[j])
    best = int(np.flatnonzero(used == tested.best[j])[0])
    effect, rest, p = float(tested.size[j]), float(tested.rest[j]), float(tested.p[j])
    raw, n = tested.means.raw[j][used], tested.means.n[j][used]
    subject = axis.values[used[best]]
    rank = int(np.argsort(np.argsort(-raw, kind="stable"), kind="stable")[best])
    place = "highest" if rank == 0 else "lowest" if rank == len(used) - 1 else ""
    # From the end that is told of: behind the lowest comes the next to lowest.
    order = (
        np.arange(len(used))
        if axis.ordered
        else np.argsort(raw if place == "lowest" else -raw, kind="stable")
    )
    steps = np.diff(raw) if axis.ordered and len(used) >= 3 else np.zeros(0)
    along = (
        "rises" if len(steps) and (steps > 0).all() else "falls" if len(steps) and (steps < 0).all() else ""
    )
    numbers = {
        "subject": Number("average", float(raw[best]), measure.unit, {axis.name: subject}),
        "rest": Number("average of the others", rest, measure.unit),
    }
    for j in order[:SHOWN]:
        numbers[f"group{j + 1}"] = Number(
            "average", float(raw[j]), measure.unit, {axis.name: axis.values[used[j]]}
        )
    figure = measure.label if measure.rate else f"average {measure.label}"
    columns, units = [axis.label, figure, "rows"], [None, measure.unit, None]
    held = [[axis.values[used[j]], float(raw[j]), int(n[j])] for j in order[:SHOWN]]
    if middle := _medians(cube, axis, measure, [int(used[j]) for j in order[:SHOWN]], subset):
        columns.append(f"median {measure.label}")
        units.append(measure.unit)
        for row, j, value in zip(held, order.tolist(), middle, strict=False):
            row.append(value)
            numbers[f"median{j + 1}"] = Number("median", value, measure.unit, {axis.name: str(row[0])})
    rows = tuple(tuple(row) for row in held)
    share = float(np.minimum(n[best], n.sum() - n[best]) / n.sum())
    covered = float(n.sum()) / max(cube.rows, 1)
    strength = float(np.clip(abs(effect) / 1.5, 0, 1)) * (0.55 + 0.9 * share) * covered**0.25
    return Finding(
        Kind.DIFFERENCE, cube.space.table, View.MEAN, measure, (axis.name,), subset, (subject,), numbers,
        Grid(tuple(columns), rows, "bars", tuple(units)),
        effect, "Hedges’ g against the other groups", min(strength, 1.0), p, "Welch’s t test against the other groups",
        int(n.sum()), _smallest(n, raw if measure.rate else None), {"place": place, "along": along},
    )  # fmt: skip


def _at_equal_mix(cube: Cube, i: int, axis: Axis, best: int, made: Finding) -> Finding:
    """The difference with a word of warning, where another axis accounts for it: at an equal mix it is gone or turned.

    Within each group of the other axis the subject is held against the rest; the groups count as much as they have rows.
    """
    k = len(axis.values)
    gap = made.numbers["subject"].value - made.numbers["rest"].value
    found: list[tuple[float, Axis, float, float]] = []
    for other in cube.axes:
        if other.kind is not AxisKind.CATEGORY or other.column == axis.column or other.name in cube.twins:
            continue
        if not cube.has(axis.name, other.name) or other.name in axis.within or axis.name in other.within:
            continue
        cells = cube.of(other.name, axis.name)[: len(other.values), :k]
        n, total = cells[..., feature(i, 0)], cells[..., feature(i, 1)]
        own_n, rest_n = n[:, best], n.sum(axis=1) - n[:, best]
        both = (own_n >= FEWEST) & (rest_n >= FEWEST)
        weight = np.where(both, n.sum(axis=1), 0.0)
        if both.sum() < 2 or weight.sum() < _COMPARABLE * n.sum():
            continue
        weight = weight / weight.sum()
        own = float((weight * total[:, best] / np.maximum(own_n, 1)).sum())
        rest = float((weight * (total.sum(axis=1) - total[:, best]) / np.maximum(rest_n, 1)).sum())
        each = (
            total[:, best] / np.maximum(own_n, 1)
            - (total.sum(axis=1) - total[:, best]) / np.maximum(rest_n, 1)
        )[both]
        # Turned within every group, or nearly nothing left.
        if (each * gap < 0).all() or abs(own - rest) < _LEFT * abs(gap):
            found.append(((own - rest) / gap, other, own, rest))
    if not found:
        return made
    share, other, own, rest = min(found, key=lambda f: f[0])
    unit = made.numbers["subject"].unit
    numbers = {
        **made.numbers,
        "equal_subject": Number("average at an equal mix", own, unit),
        "equal_rest": Number("average of the others at an equal mix", rest, unit),
    }
    detail = {**made.detail, "mixed": other.name, "turned": "yes" if share <= -_LEFT else ""}
    return replace(made, numbers=numbers, detail=detail, strength=_EXPLAINED * made.strength)


def _medians(
    cube: Cube, axis: Axis, measure: Measure, groups: list[int], subset: tuple[tuple[str, str], ...]
) -> list[float]:
    """The median of each group beside its average, where the sample holds every row."""
    if measure.rate or len(cube.sample.get(axis.name, ())) < cube.rows:
        return []
    values, codes = cube.sample[f"={measure.name}"], cube.sample[axis.name]
    inside = np.isfinite(values)
    for name, value in subset:
        inside &= cube.sample[name] == cube.axis(name).values.index(value)
    return [float(np.median(values[inside & (codes == g)])) for g in groups]


def _smallest(n: Floats, rates: Floats | None) -> int:
    """The rows of the smallest group; of a rate, those that have it and those that have not are groups too."""
    if rates is None:
        return int(n.min())
    parts = np.round(np.concatenate([n * rates, n * (1 - rates)]))
    return int(parts[parts > 0].min())


def _said(view: View) -> str:
    return "number" if view is View.COUNT else "total"


def _whole(value: float, view: View) -> float | int:
    return round(value) if view is View.COUNT else float(value)
