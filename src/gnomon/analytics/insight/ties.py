"""What hangs together: groups that go with groups, figures that go with figures, and kinds of rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from gnomon.analytics.association import cramers_v, numeric_association
from gnomon.analytics.inputs import Floats
from gnomon.analytics.insight.cube import Cube
from gnomon.analytics.insight.finding import Finding, Grid, Kind, Looked, Number, View, nothing
from gnomon.analytics.insight.space import Axis, AxisKind, Measure

FEWEST = 5
SHOWN = 12
_SAME = 0.9
_ONE = 0.9999
_SAID_TWICE = 0.98
_NATURAL = 0.8
_BOUND = 0.998
_ROUNDED = 0.005
_EXPECTED = 0.1
_CROSSED = 0.5
_CHANCE = 0.05
_WEAK = 0.1
_LIFT = 1.2
_MOST_POINTS = 600


def twins(cube: Cube, preferred: dict[str, float]) -> dict[str, str]:
    """Axes that say the same as another one: each with the one that speaks for it.

    Args:
        cube: The sums.
        preferred: How much each axis is asked for; of two that say the same, the one asked for more stays.
    """
    found: dict[str, str] = {}
    ranked = sorted(
        (a for a in cube.axes if a.kind is AxisKind.CATEGORY), key=lambda a: -preferred.get(a.name, 0.0)
    )
    for kept, other in combinations(ranked, 2):
        if kept.name in found or other.name in found or not cube.has(kept.name, other.name):
            continue
        counts = cube.of(kept.name, other.name)[: len(kept.values), : len(other.values), 0]
        if abs(len(kept.values) - len(other.values)) <= 1 and cramers_v(counts).coefficient >= _SAME:
            found[other.name] = kept.name
    return found


def repeats(cube: Cube) -> frozenset[int]:
    """Measures that are the same figure as an earlier one, whatever its unit: days and hours of one duration."""
    found: set[int] = set()
    for (i, a), (j, b) in combinations(enumerate(cube.measures), 2):
        x, y = cube.sample[f"={a.name}"], cube.sample[f"={b.name}"]
        both = np.isfinite(x) & np.isfinite(y)
        if i in found or both.sum() < 20 or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
            continue
        if float(np.corrcoef(x[both], y[both])[0, 1]) > _ONE:
            found.add(j)
    return frozenset(found)


def alike(cube: Cube) -> frozenset[frozenset[str]]:
    """Pairs of measures in one unit that go together by their nature: a price and its cost, two quantiles of one thing."""
    found: set[frozenset[str]] = set()
    for (_, a), (_, b) in combinations(cube.figures, 2):
        x, y = cube.sample[f"={a.name}"], cube.sample[f"={b.name}"]
        both = np.isfinite(x) & np.isfinite(y)
        if both.sum() < 20 or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
            continue
        r = abs(numeric_association(x[both], y[both], "spearman", 0.95).coefficient)
        if r >= (_NATURAL if a.unit == b.unit else _BOUND):
            found.add(frozenset((a.name, b.name)))
    return frozenset(found) | cube.made_of


def made_of(cube: Cube) -> frozenset[frozenset[str]]:
    """Measures that others make up row by row, each with what it is made of: quantity times price is revenue."""
    found: set[frozenset[str]] = set()
    held = {m.name: cube.sample[f"={m.name}"] for _, m in cube.figures if not m.rate}
    for whole, x in held.items():
        for (a, y), (b, z) in combinations(((n, v) for n, v in held.items() if n != whole), 2):
            there = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
            if there.sum() < 20:
                continue
            of, one, other = x[there], y[there], z[there]
            size = np.abs(one) + np.abs(other)
            sums = [(one + other, size), (one - other, size), (other - one, size), (one * other, np.abs(of))]
            if np.ptp(of) > 0 and any(
                (np.abs(made - of) <= _ROUNDED * scale).mean() >= _SAID_TWICE for made, scale in sums
            ):
                found |= {frozenset((whole, a)), frozenset((whole, b))}
    return frozenset(found)


def associations(cube: Cube) -> Looked:
    """Pairs of axes whose groups occur together more often than by chance."""
    looked = Looked()
    usable = [a for a in cube.axes if a.name not in cube.twins]
    for a, b in combinations(usable, 2):
        if not cube.has(a.name, b.name) or a.column == b.column:
            continue
        if b.name in a.within or a.name in b.within:
            continue
        if (
            (a.ordered and b.ordered)
            or (a.kind is AxisKind.WORD and b.ordered)
            or (b.kind is AxisKind.WORD and a.ordered)
        ):
            continue  # figures against figures are correlations
        outcome, group = _sides(a, b)
        _tied(looked, cube, outcome, group)
    return looked


def _sides(a: Axis, b: Axis) -> tuple[Axis, Axis]:
    """Which of the two is told as a share within groups of the other: words, then the one with fewer groups."""
    for one, other in ((a, b), (b, a)):
        if one.kind is AxisKind.WORD or other.ordered:
            return one, other
    return (a, b) if len(a.values) <= len(b.values) else (b, a)


def _tied(looked: Looked, cube: Cube, outcome: Axis, group: Axis) -> None:
    from scipy.special import ndtr

    full = cube.of(group.name, outcome.name)[: len(group.values), : len(outcome.values), 0]
    seen = np.flatnonzero(full.sum(axis=0) >= FEWEST)
    used = np.flatnonzero(full[:, seen].sum(axis=1) >= FEWEST)
    counts = full[np.ix_(used, seen)]
    if min(counts.shape) < 2:
        return
    total = counts.sum()
    r, c = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    expected = r * c / total
    link = cramers_v(counts)
    residual = (counts - expected) / np.sqrt(np.maximum(expected * (1 - r / total) * (1 - c / total), 1e-12))
    # A surplus is a better story than the gaps that it leaves elsewhere.
    eligible = (counts >= FEWEST) & (expected >= 1) & (residual > 0)
    if outcome.kind is AxisKind.WORD:
        eligible[:, seen != 0] = False
    if not eligible.any():
        looked.tried([link.p_value])
        return
    flat = int(np.argmax(np.where(eligible, residual, -np.inf)))
    i, j = divmod(flat, counts.shape[1])
    z = max(float(residual[i, j]) - 0.5 / float(np.sqrt(expected[i, j])), 0.0)
    p = max(link.p_value, float(min(1.0, 2 * ndtr(-z) * counts.size)))
    share, overall = float(counts[i, j] / r[i, 0]), float((c[0, j] - counts[i, j]) / max(total - r[i, 0], 1))
    lift = share / overall if overall > 0 else float("inf")
    value, place = outcome.values[seen[j]], group.values[used[i]]
    # That databases are mentioned where the category is Database is no news.
    echo = (outcome.word or value).casefold() in place.casefold() or place.casefold() in value.casefold()
    same = link.coefficient >= _SAID_TWICE and outcome.kind is not AxisKind.WORD
    if p > _CHANCE or link.coefficient < _WEAK or lift < _LIFT or echo or same:
        looked.tried([p])
        return
    here = {group.name: place, outcome.name: value}
    within = float(counts[i, j] / c[0, j])
    numbers = {
        "share": Number("share", share, "fraction", here),
        "rest": Number("share among the others", overall, "fraction", {outcome.name: value}),
        "count": Number("rows", int(counts[i, j]), None, here),
        "rows": Number("rows of the group", int(r[i, 0]), None, {group.name: place}),
        "within": Number("share of the group among these", within, "fraction", here),
    }
    order = np.arange(len(used)) if group.ordered else np.argsort(-(counts[:, j] / r[:, 0]), kind="stable")
    for k in order[:SHOWN]:
        there = {group.name: group.values[used[k]], outcome.name: value}
        numbers[f"group{k + 1}"] = Number("share", float(counts[k, j] / r[k, 0]), "fraction", there)
    spread = np.argsort(-counts[i], kind="stable")
    for k in spread[:SHOWN]:
        there = {group.name: place, outcome.name: outcome.values[seen[k]]}
        numbers[f"part{k + 1}"] = Number("share", float(counts[i, k] / r[i, 0]), "fraction", there)
        numbers[f"count{k + 1}"] = Number("rows", int(counts[i, k]), None, there)
    for k in np.argsort(-counts[:, j], kind="stable")[:SHOWN]:
        there = {outcome.name: value, group.name: group.values[used[k]]}
        numbers[f"within{k + 1}"] = Number(
            "share among these", float(counts[k, j] / c[0, j]), "fraction", there
        )
        numbers[f"held{k + 1}"] = Number("rows", int(counts[k, j]), None, there)
    grid = tuple(
        (group.values[used[k]], float(counts[k, j] / r[k, 0]), int(counts[k, j]), int(r[k, 0]))
        for k in order[:SHOWN]
    )
    told = float(counts[i, j] / total)
    strength = min(1.0, 0.5 * link.coefficient + 0.7 * (share - overall)) * (0.7 + 0.6 * min(told * 2, 0.5))
    looked.found(
        Finding(
            Kind.ASSOCIATION, cube.space.table, View.SHARE, None, (group.name, outcome.name), (), (place, value),
            numbers, Grid((group.label, f"share {value}", f"rows {value}", "rows"), grid, "bars",
                          (None, "fraction", None, None)),
            link.coefficient, "Cramér’s V", max(strength, 0.0), p, "chi-squared test and the residual of the cell",
            int(total), _smallest(counts[i, j], c[0, j] - counts[i, j]),
        )
    )  # fmt: skip


def _smallest(*counts: float) -> int:
    """The rows of the smallest group that a sentence tells of; that there are none is told of nobody."""
    return int(min(n for n in counts if n > 0))


def concentrations(cube: Cube) -> Looked:
    """Groups in which far more, or fewer, rows come on each of something: fifty people per manager, elsewhere ten."""
    from scipy.special import ndtr

    looked = Looked()
    for group in cube.axes:
        for many in cube.axes:
            if (
                group is many
                or {group.kind, many.kind} != {AxisKind.CATEGORY}
                or many.more
                or len(many.values) < max(8, 2 * len(group.values))
                or not cube.has(group.name, many.name)
            ):
                continue
            counts = cube.of(group.name, many.name)[: len(group.values), : len(many.values), 0]
            used = np.flatnonzero(counts.sum(axis=1) >= 2 * FEWEST)
            if len(used) < 3 or float((counts[used] > 0).mean()) > _CROSSED:
                continue  # every agent has tickets of every priority: rows for each tell no more than rows do
            rows, distinct = counts[used].sum(axis=1), (counts[used] > 0).sum(axis=1)
            each = rows / distinct
            held = counts[used]
            tests: list[tuple[float, int, float]] = []
            for k in range(len(used)):
                others = np.delete(held, k, axis=0)
                sizes = others[others > 0]
                usual = float(sizes.mean())
                over = max(float(sizes.var(ddof=1)) / usual, 1.0) if len(sizes) > 1 else 1.0
                z = (each[k] - usual) / np.sqrt(over * usual * (1 / distinct[k] + 1 / len(sizes)))
                tests.append((float(min(1.0, 2 * ndtr(-abs(z)) * len(used))), k, usual))
            p, k, usual = min(tests)
            looked.tried([t[0] for t in tests if t[1] != k])
            ratio = float(each[k] / usual)
            if p > _CHANCE or max(ratio, 1 / max(ratio, 1e-9)) < 1.5:
                looked.tried([p])
                continue
            _concentrated(looked, cube, group, many, used, rows, distinct, k, usual, p)
    return looked


def _concentrated(
    looked: Looked, cube: Cube, group: Axis, many: Axis, used: Any, rows: Floats, distinct: Any, k: int, usual: float,
    p: float,
) -> None:  # fmt: skip
    each = rows / distinct
    subject = group.values[used[k]]
    numbers = {
        "each": Number("rows for each", float(each[k]), None, {group.name: subject}),
        "usual": Number("rows for each among the others", usual),
        "distinct": Number("different values", int(distinct[k]), None, {group.name: subject}),
    }
    order = np.argsort(-each, kind="stable")[:SHOWN]
    for j in order:
        here = {group.name: group.values[used[j]]}
        numbers[f"each{j + 1}"] = Number("rows for each", float(each[j]), None, here)
        numbers[f"distinct{j + 1}"] = Number("different values", int(distinct[j]), None, here)
    grid = tuple((group.values[used[j]], float(each[j]), int(distinct[j]), int(rows[j])) for j in order)
    ratio = float(each[k] / usual)
    size = abs(float(np.log(ratio)))
    looked.found(
        Finding(
            Kind.CONCENTRATION, cube.space.table, View.COUNT, None, (group.name, many.name), (), (subject,), numbers,
            Grid((group.label, f"rows per {many.label}", f"different {many.label}", "rows"), grid, "bars",
                 (None, None, None, None)),
            ratio, "times the usual", min(1.0, size / 1.6), p, "z test of rows per value, with their overdispersion",
            int(rows.sum()), int(rows.min()),
        )
    )  # fmt: skip


def correlations(cube: Cube) -> Looked:
    """Figures of the same rows that go together, by rank; left to the series where rows are steps in time."""
    looked = Looked()
    if cube.is_series:
        return looked
    for (_, a), (_, b) in combinations(cube.figures, 2):
        if a.rate or b.rate:
            continue
        if set(a.reaches or ()) & {b.name} or set(b.reaches or ()) & {a.name}:
            continue
        if frozenset((a.name, b.name)) in cube.made_of:
            continue
        x, y = cube.sample[f"={a.name}"], cube.sample[f"={b.name}"]
        both = np.isfinite(x) & np.isfinite(y)
        x, y = x[both], y[both]
        if len(x) < 20 or np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        link = numeric_association(x, y, "spearman", 0.95)
        made = _correlated(cube, a, b, x, y, link, len(x))
        if link.p_value > _CHANCE or abs(link.coefficient) < _WEAK:
            looked.tried([link.p_value])
            if link.p_value > _CHANCE and abs(link.coefficient) < _WEAK:
                looked.findings.append(nothing(made, "correlation"))
            continue
        looked.found(made)
    return looked


def _correlated(cube: Cube, a: Measure, b: Measure, x: Floats, y: Floats, link: Any, n: int) -> Finding:
    numbers = {
        "correlation": Number("rank correlation", link.coefficient),
        "low": Number("lower bound", link.low),
        "high": Number("upper bound", link.high),
    }
    step = max(1, len(x) // _MOST_POINTS)
    points = tuple(zip(x[::step].tolist(), y[::step].tolist(), strict=True))
    sampled = "yes" if cube.rows > len(cube.sample[f"={a.name}"]) else ""
    natural = frozenset((a.name, b.name)) in cube.alike
    strength = _EXPECTED if natural else min(1.0, 1.3 * abs(link.coefficient))
    return Finding(
        Kind.CORRELATION, cube.space.table, View.MEAN, a, (b.name,), (), (a.label, b.label), numbers,
        Grid((a.label, b.label), points, "points", (a.unit, b.unit)),
        link.coefficient, "Spearman’s rank correlation", strength, link.p_value,
        "t test of the rank correlation", n, n, {"other": b.label, "other_unit": b.unit or "", "sampled": sampled},
    )  # fmt: skip


def segments(cube: Cube) -> Looked:
    """Kinds of rows that differ clearly in several figures at once."""
    import pandas as pd

    from gnomon.analytics.clustering import clusters
    from gnomon.core.errors import CalculationError

    looked = Looked()
    figures = [m for _, m in cube.figures if not m.rate]
    if len(figures) < 2 or cube.is_series:
        return looked
    frame = pd.DataFrame({m.label: cube.sample[f"={m.name}"] for m in figures}).dropna()
    if len(frame) < 60:
        return looked
    try:
        found = clusters(frame.iloc[:: max(1, len(frame) // 4000)].reset_index(drop=True), most=5)
    except CalculationError:
        return looked
    margin = (found.silhouette or 0) - (found.reference or 1)
    if not found.found or (found.silhouette or 0) < 0.5 or margin < 0.08:
        return looked
    numbers: dict[str, Number] = {
        "kinds": Number("kinds of rows", found.k),
        "silhouette": Number("silhouette", found.silhouette),
        "reference": Number("silhouette of rows without kinds", found.reference),
    }
    rows: list[tuple[Any, ...]] = []
    told: list[str] = []
    for s in found.segments:
        name = f"kind {s.segment + 1}"
        told.append(_described(s))
        numbers[f"share{s.segment + 1}"] = Number("share of the rows", s.share, "fraction", {"kind": name})
        means = {c.column: c.mean for c in s.columns}
        rows.append((name, s.count, *(means.get(m.label) for m in figures)))
    looked.findings.append(
        Finding(
            Kind.SEGMENTS, cube.space.table, View.COUNT, None, tuple(m.name for m in figures), (), tuple(told), numbers,
            Grid(("kind", "rows", *(f"average {m.label}" for m in figures)), tuple(rows), "bars",
                 (None, None, *(m.unit for m in figures))),
            float(found.silhouette or 0), "silhouette", min(1.0, 0.4 + margin), 0.0,
            "silhouette against rows of the same spread without kinds", len(frame), min(s.count for s in found.segments),
        )
    )  # fmt: skip
    return looked


def _described(segment: Any) -> str:
    """What sets a kind of rows apart, in words: its two most telling figures."""
    told = [c for c in segment.columns if c.difference_sd is not None and abs(c.difference_sd) >= 0.3][:2]
    said = [f"{'high' if c.difference_sd > 0 else 'low'} {c.column}" for c in told]
    return " and ".join(said) or "middling in every figure"
