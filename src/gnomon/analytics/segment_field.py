"""The field of segments: the smallest pieces that segments are made of, what is expected of them, and how they stray."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from gnomon.analytics.drivers import Segment, plain_value
from gnomon.analytics.inputs import Bools, Floats, Ints, added_up, numbers, require_column, require_frame
from gnomon.core.errors import CalculationError

LARGEST = 1e75  # the squares of larger numbers are too large to compute with
_LEAST_FREEDOM, _MOST_FREEDOM = 6.0, 60.0
_PRIOR = 12.0  # how many windows the pooled variance counts for beside a segment's own
_ONE_SHARE, _TWO_SHARE = 0.8, 0.2  # how the chance of a false alarm is split between segments and pairs
_NEAR = (
    0.4,
    0.25,
    0.15,
    0.1,
    0.05,
    0.05,
)  # the weight of each earlier window in what is expected, the latest first


@dataclass(frozen=True, slots=True)
class Cut:
    """All segments of one dimension or pair, and how far each strays by itself."""

    dimensions: tuple[str, ...]
    groups: Ints  # the segment of each leaf
    names: tuple[Segment, ...]
    moves: Floats  # by what factor each segment drifts by itself
    variance: Floats
    noise: float  # variance over the sum of squares
    freedom: float  # how heavy the tails are
    size: int  # how many segments there are
    share: float  # of the chance of a false alarm

    @property
    def tests(self) -> float:
        """How many segments might have been named in its place."""
        return self.size / self.share


@dataclass(frozen=True, slots=True)
class Found:
    """A segment that was taken out: its leaves, and what it had against what was expected."""

    cut: int
    group: int
    segment: Segment
    leaves: Bools
    expected: float
    actual: float
    score: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Field:
    """The smallest pieces that segments are made of, window by window, and what is expected of them now."""

    values: Floats  # (window, leaf)
    weights: Floats | None
    squares: Floats
    base: Floats  # what is expected of each leaf now, at the ordinary level
    cuts: tuple[Cut, ...]
    codes: dict[str, Ints]
    labels: dict[str, tuple[Any, ...]]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        frame: Any,
        dimensions: Sequence[str],
        *,
        value: str,
        window: str,
        weight: str | None = None,
        square: str | None = None,
        pairs: bool = True,
    ) -> Field:
        """Read a frame; the arguments are those of :func:`smallest_explanation`."""
        import pandas as pd

        rows = require_frame(frame)
        for name in (*dimensions, value, window, *(c for c in (weight, square) if c)):
            require_column(rows, name)
        codes: dict[str, Ints] = {}
        labels: dict[str, tuple[Any, ...]] = {}
        for name in dimensions:
            codes[name], found = pd.factorize(rows[name], sort=False, use_na_sentinel=False)
            labels[name] = tuple(plain_value(v) for v in found)
        columns = {c: np.nan_to_num(numbers(rows[c], c)) for c in (value, weight, square) if c}
        return cls.coded(
            codes, labels, np.asarray(rows[window], dtype=np.int64), columns[value],
            columns[weight] if weight else None, columns[square] if square else None, pairs=pairs,
        )  # fmt: skip

    def within(self, leaves: Bools, *, pairs: bool = True) -> Field:
        """The same of some leaves only."""
        windows, kept = self.values.shape[0], int(leaves.sum())
        window = np.repeat(np.arange(windows), kept)

        def flat(held: Floats) -> Floats:
            return held[:, leaves].ravel()

        codes = {d: np.tile(c[leaves], windows) for d, c in self.codes.items()}
        weights = None if self.weights is None else flat(self.weights)
        return Field.coded(
            codes, self.labels, window, flat(self.values), weights, flat(self.squares), pairs=pairs
        )

    @classmethod
    def coded(
        cls,
        codes: Mapping[str, Ints],
        labels: Mapping[str, tuple[Any, ...]],
        window: Ints,
        value: Floats,
        weight: Floats | None,
        square: Floats | None,
        *,
        pairs: bool = True,
    ) -> Field:
        """The same from columns that are coded already.

        Raises:
            CalculationError: There is nothing to compare with, or the values are too large to be squared.
        """
        for held in (value, weight, square):
            most = LARGEST if held is not square else LARGEST**2
            if held is not None and not (largest := float(np.abs(held).max(initial=0.0))) <= most:
                raise CalculationError(
                    f"The values reach {largest:g}, which is too large to compute with (limit {most:g}).",
                    suggestions=["Check the values, or express them in a larger unit."],
                )
        leaf, count, leaf_codes = _leaves(codes, len(window))
        windows = int(window.max(initial=0)) + 1

        def spread_out(column: Floats) -> Floats:
            return added_up(window * count + leaf, column, windows * count).reshape(windows, count)

        values = spread_out(value)
        weights = None if weight is None else spread_out(weight)
        if windows < 2 or not (values[1:].any() or (weights is not None and weights[1:].any())):
            raise CalculationError(
                "There is nothing before the later period to compare with.",
                suggestions=["Choose an earlier period."],
            )
        squares = spread_out(np.abs(value) * _typical(value) if square is None else square)
        kept = _filled(values if weights is None else weights)
        notes = (
            () if len(kept) >= 4 else ("Little history: how far segments stray by themselves is a guess.",)
        )
        base = _forecast(values, weights, 0, kept)
        made = cls(values, weights, squares, base, (), leaf_codes, dict(labels), notes)
        cuts = made._cuts(kept, pairs)
        return replace(made, cuts=cuts)

    def _cuts(self, kept: list[int], pairs: bool) -> tuple[Cut, ...]:
        """Every dimension, and every pair of which neither tells the other."""
        singles = [(d,) for d, c in self.codes.items() if len(np.unique(c)) > 1]
        double = [p for p in combinations([d for (d,) in singles], 2) if not self._told(*p)] if pairs else []
        past = [(h, _forecast(self.values, self.weights, h, kept)) for h in _judged_by(kept)]
        made: list[Cut] = []
        for dimensions in [*singles, *double]:
            groups, names = self._named(dimensions)
            share = _ONE_SHARE / len(singles) if len(dimensions) == 1 else _TWO_SHARE / max(1, len(double))
            drift = self._drift(groups, len(names), kept) if len(dimensions) == 1 else None
            strays = self._strays(groups, len(names), past, drift)
            made.append(Cut(dimensions, groups, names, *strays, len(names), share))
        return tuple(made)

    def _drift(self, groups: Ints, count: int, kept: list[int]) -> Floats | None:
        """For each window, by what factor segments drift from one window to the next: seasons of their own.

        None where the past was told no better with it.
        """
        if len(kept) < 7:
            return None
        held = np.array([added_up(groups, self.values[h], count) for h in range(self.values.shape[0])])
        if self.weights is not None:
            under = np.array([added_up(groups, self.weights[h], count) for h in range(len(held))])
        else:
            under = np.repeat(held.sum(axis=1, keepdims=True), count, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where((held > 0) & (under > 0), np.log(held / under), np.nan)
        made = np.ones_like(held)
        for h in [0, *kept[:-4]]:
            before = [k for k in kept if k > h][:5]
            y = logs[before]
            x = -np.arange(len(before), dtype=np.float64)
            x -= x.mean()
            slope = (x[:, None] * y).sum(axis=0) / (x**2).sum()
            rest = y - y.mean(axis=0) - slope * x[:, None]
            error = (rest**2).sum(axis=0) / (len(before) - 2) / (x**2).sum()
            keep = slope**2 / (slope**2 + 2 * error + 1e-12)
            # The forecast's weights look about one and a half windows back.
            made[h] = np.exp(np.clip(np.nan_to_num(keep * slope) * 2.0, -0.7, 0.7))
        plain, drifted = 0.0, 0.0
        for h in kept[:-4]:
            e = added_up(groups, _forecast(self.values, self.weights, h, kept), count)
            actual, scale = held[h], np.maximum(e, 1e-300)
            plain += float((np.minimum((actual - _fitted(e, actual)) ** 2 / scale, 25 * scale)).sum())
            moved = _fitted(e * made[h], actual)
            drifted += float((np.minimum((actual - moved) ** 2 / scale, 25 * scale)).sum())
        return made if drifted < 0.9 * plain else None

    def _told(self, a: str, b: str) -> bool:
        """Whether one dimension tells the other, so that pairs of them are segments of one alone."""
        x, y = self.codes[a], self.codes[b]
        together = len(np.unique(x * (int(y.max(initial=0)) + 1) + y))
        return together in (len(np.unique(x)), len(np.unique(y)))

    def _named(self, dimensions: tuple[str, ...]) -> tuple[Ints, tuple[Segment, ...]]:
        key = np.zeros(self.values.shape[1], dtype=np.int64)
        for d in dimensions:
            key = key * (int(self.codes[d].max(initial=0)) + 1) + self.codes[d]
        _, first, groups = np.unique(key, return_index=True, return_inverse=True)
        names = tuple(
            tuple((d, self.labels[d][self.codes[d][i]]) for d in dimensions) for i in first.tolist()
        )
        return groups.astype(np.int64), names

    def _strays(
        self, groups: Ints, count: int, past: list[tuple[int, Floats]], drift: Floats | None
    ) -> tuple[Floats, Floats, float, float]:
        """How segments move by themselves: drift, variance, variance over the sum of squares, degrees of freedom.

        The variance is that of the segment's own past, steadied by that of the others.
        """
        moves = np.ones(count) if drift is None else drift[0]
        lumps = added_up(groups, self._lumps(), count)
        now = added_up(groups, self.base, count) * moves
        if len(past) < 2:
            return moves, 2.5 * lumps, 2.5, _LEAST_FREEDOM
        errors, expected = list[Floats](), list[Floats]()
        for h, forecast in past:
            actual = added_up(groups, self.values[h], count)
            e = added_up(groups, forecast, count) * (1.0 if drift is None else drift[h])
            expected.append(_fitted(e, actual))  # how everything moved is not the segment's own
            errors.append(actual - expected[-1])
        r2, e2 = np.square(errors), np.square(expected)
        known = lumps > 0
        if not known.any():
            return moves, lumps, 1.0, _LEAST_FREEDOM
        noise = max(_trimmed(r2[:, known] / lumps[known]), 1e-12)
        large = known & (now >= np.quantile(now[known], 0.8))
        beyond = (r2[:, large] - noise * lumps[large]) / np.maximum(e2[:, large], 1e-300)
        model = noise * lumps + max(1e-12, _trimmed(beyond)) * now**2  # never less than rounding
        own = np.minimum(r2, 9 * model).sum(
            axis=0
        )  # what happened once in the past is not what always happens
        variance = np.maximum((_PRIOR * model + own) / (_PRIOR + len(past)), 0.5 * model)
        return (
            moves,
            variance,
            noise,
            _tails(np.array(errors)[:, known] / np.sqrt(variance[known]), len(past)),
        )

    def departure(self, leaves: Bools) -> Found | None:
        """Whether some leaves together departed from how all the others moved, tested as one; None where it cannot be."""
        groups = leaves.astype(np.int64)
        kept = _filled(self.values if self.weights is None else self.weights)
        past = [(h, _forecast(self.values, self.weights, h, kept)) for h in _judged_by(kept)]
        e = float(self.base[leaves].sum())
        rest, told = float(self.values[0][~leaves].sum()), float(self.base[~leaves].sum())
        if told <= 0 or not leaves.any():
            return None
        from scipy import stats

        e *= rest / told
        _, variance, noise, freedom = self._strays(groups, 2, past, None)
        spread = max(float(variance[1]), noise * float(self._lumps()[leaves].sum()))
        v = float(self.values[0][leaves].sum())
        z = (v - e) / math.sqrt(spread) if spread > 0 else 0.0
        return Found(-1, 1, (), leaves, e, v, z, float(2 * stats.t.sf(abs(z), freedom)))

    def leaf_variance(self) -> Floats:
        """How far each leaf strays by itself, roughly: what all cuts agree on."""
        noise = float(np.median([c.noise for c in self.cuts])) if self.cuts else 2.5
        return noise * self._lumps()

    def _lumps(self) -> Floats:
        """What the squares of an ordinary window come to, leaf by leaf."""
        if self.weights is None:
            return self.squares[1:].mean(axis=0) * _level(self.values)
        # A leaf that had nothing above so far is no steadier for that: few rows lean on what rows are like elsewhere.
        return self.weights[0] * _steadied(self.squares[1:].sum(axis=0), self.weights[1:].sum(axis=0))

    def figure(self, window: int, leaves: Bools | None) -> float | None:
        """The figure of a window, of some leaves."""
        chosen = slice(None) if leaves is None else leaves
        value = math.fsum(self.values[window][chosen])
        if self.weights is None:
            return value
        below = math.fsum(self.weights[window][chosen])
        return value / below if below else None

    def scores(self, cut: int, expected: Floats) -> Floats:
        """How many standard deviations each segment of a cut lies from what is expected."""
        c = self.cuts[cut]
        e = added_up(c.groups, expected, c.size) * c.moves
        v = added_up(c.groups, self.values[0], c.size)
        now = added_up(c.groups, self.squares[0], c.size)
        # A segment that grew from nearly nothing is judged by what it is, not by what it was.
        variance = np.where(v > e, np.maximum(c.variance, c.noise * now), c.variance)
        return np.divide(v - e, np.sqrt(variance), out=np.zeros_like(e), where=variance > 0)


def _leaves(codes: Mapping[str, Ints], rows: int) -> tuple[Ints, int, dict[str, Ints]]:
    """The leaf of each row, how many there are, and the codes of each leaf."""
    key = np.zeros(rows, dtype=np.int64)
    for c in codes.values():
        key = key * (int(c.max(initial=0)) + 1) + c
        _, key = np.unique(
            key, return_inverse=True
        )  # keeps the numbers small however many dimensions there are
    _, first, leaf = np.unique(key, return_index=True, return_inverse=True)
    return leaf.astype(np.int64), len(first), {d: c[first] for d, c in codes.items()}


def _typical(values: Floats) -> float:
    """What one row is worth, where nobody says."""
    seen = np.abs(values[values != 0])
    return float(np.median(seen)) if len(seen) else 1.0


def _filled(held: Floats) -> list[int]:
    """The windows of the past that have anything in them, the latest first; one that is nearly empty is none."""
    totals = np.abs(held).sum(axis=1)
    usual = float(np.median(totals[1:]))
    return [h for h in range(1, len(totals)) if (h == 1 and totals[h]) or totals[h] > 0.05 * usual] or [1]


def _judged_by(kept: list[int]) -> list[int]:
    """The windows whose forecast is held against what came: those that have about as much past as the present has."""
    return kept[:-4] if len(kept) >= 7 else kept[:-1]


def _level(values: Floats) -> float:
    """How the earlier period compares with the average of the past."""
    average = float(np.abs(values[1:]).sum()) / max(1, len(values) - 1)
    return float(np.abs(values[1]).sum()) / average if average else 1.0


def _forecast(values: Floats, weights: Floats | None, at: int, kept: list[int]) -> Floats:
    """What is expected of each leaf in window ``at`` from the windows before it."""
    before = [h for h in kept if h > at] or [1]
    near = np.array([_NEAR[min(i, len(_NEAR) - 1)] if i < len(_NEAR) else 0.0 for i in range(len(before))])
    if weights is None:
        totals = np.array([math.fsum(values[h]) for h in before])
        if (totals == 0).any() or (totals > 0).any() != (totals > 0).all():
            return values[before[0]].copy()
        near = near / near.sum()
        share = sum(
            (n * values[h] / t for n, h, t in zip(near, before, totals, strict=True)),
            np.zeros(values.shape[1]),
        )
        return share * totals[0]
    return weights[at] * _steadied(values[before].sum(axis=0), weights[before].sum(axis=0))


def _steadied(above: Floats, below: Floats) -> Floats:
    """The ratio of each leaf, drawn towards that of all the more, the less there is of it."""
    overall = float(above.sum() / below.sum()) if below.sum() else 0.0
    typical = float(below[below > 0].mean()) if (below > 0).any() else 1.0
    steady = 20.0 * typical / max(1.0, typical)
    return (above + steady * overall) / (below + steady)


def _fitted(expected: Floats, actual: Floats) -> Floats:
    """What is expected, brought to the level of what came."""
    told = float(expected.sum())
    return expected * (float(actual.sum()) / told) if told else expected


def _tails(scores: Floats, windows: int) -> float:
    """Degrees of freedom whose tails are as heavy as those of the past; single events of the past count little."""
    z = np.clip(scores, -5, 5)
    spread = float((z**2).mean())
    heavy = float((z**4).mean()) / spread**2 - 3 if spread > 1e-60 else 0.0
    fitted = 4 + 6 / heavy if heavy > 0 else _MOST_FREEDOM
    few = 3.0 * scores.shape[1] * windows / 4  # a handful of segments cannot tell how heavy tails are
    return float(np.clip(min(fitted, few), _LEAST_FREEDOM, _MOST_FREEDOM))


def _trimmed(values: Floats) -> float:
    """The mean without the largest twentieth, which past events fill; normal squares lose a quarter by that."""
    flat = np.sort(values, axis=None)
    return 1.32 * float(flat[: max(1, int(0.95 * len(flat)))].mean()) if len(flat) else 0.0
