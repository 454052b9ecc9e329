"""The smallest explanation: the fewest segments that a change comes down to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from gnomon.analytics.drivers import Segment, plain_value
from gnomon.analytics.inputs import (
    Bools,
    Floats,
    Ints,
    ShouldStop,
    check_stop,
    numbers,
    require_column,
    require_frame,
)
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError


@dataclass(frozen=True, slots=True)
class ExplainedSegment(Result):
    """A segment that moved apart from the rest.

    Attributes:
        segment: The values that name it; empty where everything moved alike.
        before: Its own value in the earlier period.
        after: Its own value in the later period.
        expected: What it would have come to had it moved as the rest did.
        excess: What it had more (or less) than that: its effect.
        excess_percent: Relative to what was expected.
        share: The excess over the whole change; None where nothing changed.
        score: The excess in standard deviations of the segment's own past.
        p_value: The chance of a departure as large, corrected for all segments looked at.
        test: How it was tested.
    """

    segment: Segment
    before: float | None
    after: float | None
    expected: float
    excess: float
    excess_percent: float | None
    share: float | None
    score: float
    p_value: float
    test: str


@dataclass(frozen=True, slots=True)
class Explanation(Result):
    """The segments that a change comes down to, the most telling first.

    Attributes:
        parts: The segments.
        level: How everything else moved relative to the period before (0.1 is 10 % up).
        explained: The share of the change that the parts account for together; None where nothing changed.
        looked_at: How many segments were compared.
        notes: What limits it.
    """

    parts: tuple[ExplainedSegment, ...]
    level: float
    explained: float | None
    looked_at: int
    notes: tuple[str, ...] = ()


_ALPHA = 0.02
_MOST_PARTS = 6
_NOTHING = 1e-6  # the level of what is gone altogether
_LEVEL_COST = 10.0  # what it costs at most to say that everything moved
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


def smallest_explanation(
    frame: Any,
    dimensions: Sequence[str],
    *,
    value: str,
    window: str,
    weight: str | None = None,
    square: str | None = None,
    expected: float | None = None,
    spread: float | None = None,
    pairs: bool = True,
    alpha: float = _ALPHA,
    should_stop: ShouldStop | None = None,
) -> Explanation:
    """Find the fewest segments that a change comes down to.

    What a segment would have come to is told by its share in earlier windows and by how everything else moved, so a
    large segment that moved like the rest explains nothing. How far segments stray by themselves is told by the same
    forecast made for earlier windows. Segments are taken one at a time, the most telling first, and what each
    explains is taken out before the next is looked for; of a segment and its parts the one that fits better wins.

    Args:
        frame: Rows of any grain with the dimensions, a window number and the value. Window 0 is the later period,
            1 the earlier one, 2, 3 … periods of the same length before that.
        dimensions: The columns that segments are made of.
        value: The column that adds up.
        window: The column with the number of the window.
        weight: For a ratio, the column that the value is divided by.
        square: The sum of squares of the rows behind the value, where it is known: how lumpy it is.
        expected: What the whole was expected to be in the later period; as in the earlier one by default.
        spread: How far the whole strays from that by itself, as a fraction.
        pairs: Whether pairs of dimensions are looked at as well.
        alpha: The chance of any false alarm that is accepted.
        should_stop: Asked between steps.

    Raises:
        NotFound: A column is missing.
        CalculationError: There is nothing in one of the two periods to compare.
    """
    field = Field.of(frame, dimensions, value=value, window=window, weight=weight, square=square, pairs=pairs)
    return field.explained(expected=expected, spread=spread, alpha=alpha, should_stop=should_stop)


@dataclass(frozen=True, slots=True)
class _Cut:
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
    cuts: tuple[_Cut, ...]
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
        """The same from columns that are coded already."""
        leaf, count, leaf_codes = _leaves(codes, len(window))
        windows = int(window.max(initial=0)) + 1

        def spread_out(column: Floats) -> Floats:
            return np.bincount(window * count + leaf, column, windows * count).reshape(windows, count)

        values = spread_out(value)
        weights = None if weight is None else spread_out(weight)
        if windows < 2 or not (values[1].any() or (weights is not None and weights[1].any())):
            raise CalculationError(
                "There is nothing in the earlier period to compare with.",
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

    def _cuts(self, kept: list[int], pairs: bool) -> tuple[_Cut, ...]:
        """Every dimension, and every pair of which neither tells the other."""
        singles = [(d,) for d, c in self.codes.items() if len(np.unique(c)) > 1]
        double = [p for p in combinations([d for (d,) in singles], 2) if not self._told(*p)] if pairs else []
        past = [(h, _forecast(self.values, self.weights, h, kept)) for h in kept[:-1]]
        made: list[_Cut] = []
        for dimensions in [*singles, *double]:
            groups, names = self._named(dimensions)
            share = _ONE_SHARE / len(singles) if len(dimensions) == 1 else _TWO_SHARE / max(1, len(double))
            drift = self._drift(groups, len(names), kept) if len(dimensions) == 1 else None
            strays = self._strays(groups, len(names), past, drift)
            made.append(_Cut(dimensions, groups, names, *strays, len(names), share))
        return tuple(made)

    def _drift(self, groups: Ints, count: int, kept: list[int]) -> Floats | None:
        """For each window, by what factor segments drift from one window to the next: seasons of their own.

        None where the past was told no better with it.
        """
        if len(kept) < 7:
            return None
        held = np.array([np.bincount(groups, self.values[h], count) for h in range(self.values.shape[0])])
        if self.weights is not None:
            under = np.array([np.bincount(groups, self.weights[h], count) for h in range(len(held))])
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
            e = np.bincount(groups, _forecast(self.values, self.weights, h, kept), count)
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
        lumps = np.bincount(groups, self._lumps(), count)
        now = np.bincount(groups, self.base, count) * moves
        if len(past) < 2:
            return moves, 2.5 * lumps, 2.5, _LEAST_FREEDOM
        errors, expected = list[Floats](), list[Floats]()
        for h, forecast in past:
            actual = np.bincount(groups, self.values[h], count)
            e = np.bincount(groups, forecast, count) * (1.0 if drift is None else drift[h])
            expected.append(_fitted(e, actual))  # how everything moved is not the segment's own
            errors.append(actual - expected[-1])
        r2, e2 = np.square(errors), np.square(expected)
        known = lumps > 0
        if not known.any():
            return moves, lumps, 1.0, _LEAST_FREEDOM
        noise = max(_trimmed(r2[:, known] / lumps[known]), 1e-12)
        large = known & (now >= np.quantile(now[known], 0.8))
        beyond = (r2[:, large] - noise * lumps[large]) / np.maximum(e2[:, large], 1e-300)
        model = noise * lumps + max(0.0, _trimmed(beyond)) * now**2
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
        past = [(h, _forecast(self.values, self.weights, h, kept)) for h in kept[:-1]]
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
        usual = self.squares[1:].mean(axis=0)
        if self.weights is None:
            return usual * _level(self.values)
        before = self.weights[1:].mean(axis=0)
        return usual * np.divide(self.weights[0], before, out=np.ones_like(before), where=before > 0)

    def explained(
        self,
        *,
        expected: float | None = None,
        spread: float | None = None,
        alpha: float = _ALPHA,
        should_stop: ShouldStop | None = None,
    ) -> Explanation:
        """The fewest segments that the change comes down to."""
        level, parts = self.parts(expected=expected, spread=spread, alpha=alpha, should_stop=should_stop)
        return self.told(level, parts)

    def told(self, level: float, parts: Sequence[Found]) -> Explanation:
        """Segments that were found, in figures."""
        before, after = self.figure(1, None), self.figure(0, None)
        change = (after or 0.0) - (before or 0.0)
        per = 1.0 if self.weights is None else float(self.weights[0].sum()) or 1.0
        made = tuple(self._told_as(f, change, per) for f in parts)
        covered = math.fsum(p.excess for p in made)
        return Explanation(
            made, level - 1, covered / change if change else None, sum(c.size for c in self.cuts), self.notes
        )

    def _told_as(self, found: Found, change: float, per: float) -> ExplainedSegment:
        excess = (found.actual - found.expected) / per
        weight = 1.0 if self.weights is None else float(self.weights[0][found.leaves].sum())
        return ExplainedSegment(
            segment=found.segment,
            before=self.figure(1, found.leaves),
            after=self.figure(0, found.leaves),
            expected=found.expected / weight if weight else 0.0,
            excess=excess,
            excess_percent=100 * (found.actual / found.expected - 1) if found.expected else None,
            share=excess / change if change else None,
            score=found.score,
            p_value=found.p_value,
            test="departure from the segment's share of earlier periods, spread of the same forecast in the past,"
            f" Student t with {self.cuts[found.cut].freedom:.0f} degrees of freedom, Bonferroni over all segments",
        )

    def figure(self, window: int, leaves: Bools | None) -> float | None:
        """The figure of a window, of some leaves."""
        chosen = slice(None) if leaves is None else leaves
        value = math.fsum(self.values[window][chosen])
        if self.weights is None:
            return value
        below = math.fsum(self.weights[window][chosen])
        return value / below if below else None

    def parts(
        self,
        *,
        expected: float | None,
        spread: float | None,
        alpha: float,
        moved: bool = False,
        should_stop: ShouldStop | None = None,
    ) -> tuple[float, list[Found]]:
        """The level of everything else against the earlier period, and the segments apart from it.

        Args:
            expected: What the whole was expected to be.
            spread: How far it strays from that by itself, as a fraction.
            alpha: The chance of any false alarm that is accepted.
            moved: Whether the whole is known to have moved, so that its own level is as good as the expected one.
            should_stop: Asked between steps.
        """
        told = math.fsum(self.base)
        anchor = 1.0
        if self.weights is None and expected is not None and told > 0 and expected > 0:
            anchor = expected / told
        best: tuple[float, float, list[Found]] | None = None
        for level in self._levels(anchor):
            check_stop(should_stop)
            parts, left = self._greedy(level * self.base, alpha)
            strayed = (math.log(level / anchor) / max(spread or 0.05, 0.01)) ** 2 if level > 0 else math.inf
            if moved and math.isclose(level, self._total_level()):
                strayed = 0.0
            named = sum(2 * math.log(self.cuts[f.cut].tests) for f in parts)
            cost = min(strayed, _LEVEL_COST) + left + named
            if best is None or cost < best[0] - 1e-9:
                best = (cost, level, parts)
        assert best is not None
        previous = math.fsum(self.values[1]) if self.weights is None else told
        return best[1] * told / previous if previous else best[1], best[2]

    def _total_level(self) -> float:
        told = math.fsum(self.base)
        return max(math.fsum(self.values[0]) / told, _NOTHING) if told > 0 else 1.0

    def _levels(self, anchor: float) -> list[float]:
        """How everything may have moved: as expected, as the total did, or as the middle of a dimension did."""
        levels = [anchor, self._total_level()]
        for cut in self.cuts:
            if len(cut.dimensions) == 1:
                e = np.bincount(cut.groups, self.base, cut.size) * cut.moves
                v = np.bincount(cut.groups, self.values[0], cut.size)
                middle = _weighted_median(v[e > 0] / e[e > 0], e[e > 0]) if (e > 0).any() else 0.0
                levels.append(max(middle, _NOTHING))
        return list(dict.fromkeys(levels))

    def _greedy(self, expected: Floats, alpha: float) -> tuple[list[Found], float]:
        """Take out the most telling segment until none is left; and how much then still strays."""
        e, parts = expected.copy(), list[Found]()
        while len(parts) < _MOST_PARTS and (found := self._most_telling(e, alpha)) is not None:
            parts.append(found)
            if found.expected > 0:
                e[found.leaves] *= (
                    found.actual / found.expected * float(self.cuts[found.cut].moves[found.group])
                )
            else:
                e[found.leaves] = self.values[0][found.leaves]
        left = [
            float((np.clip(self.scores(i, e), -6, 6) ** 2).sum()) - c.size
            for i, c in enumerate(self.cuts)
            if len(c.dimensions) == 1
        ]
        return parts, max(0.0, *left) if left else 0.0

    def scores(self, cut: int, expected: Floats) -> Floats:
        """How many standard deviations each segment of a cut lies from what is expected."""
        c = self.cuts[cut]
        e = np.bincount(c.groups, expected, c.size) * c.moves
        v = np.bincount(c.groups, self.values[0], c.size)
        now = np.bincount(c.groups, self.squares[0], c.size)
        # A segment that grew from nearly nothing is judged by what it is, not by what it was.
        variance = np.where(v > e, np.maximum(c.variance, c.noise * now), c.variance)
        return np.divide(v - e, np.sqrt(variance), out=np.zeros_like(e), where=variance > 0)

    def _most_telling(self, expected: Floats, alpha: float) -> Found | None:
        from scipy import stats

        best: tuple[float, int, int, float, float] | None = None
        for i, cut in enumerate(self.cuts):
            z = self.scores(i, expected)
            at = int(np.argmax(np.abs(z)))
            p = float(min(1.0, 2 * stats.t.sf(abs(float(z[at])), cut.freedom) * cut.tests))
            gain = float(z[at]) ** 2 - 2 * math.log(cut.tests)
            if p < alpha and (best is None or gain > best[0] + 1e-9):
                best = (gain, i, at, float(z[at]), p)
        if best is None:
            return None
        _, i, at, z, p = best
        cut = self.cuts[i]
        leaves = cut.groups == at
        e = math.fsum(expected[leaves]) * float(cut.moves[at])
        v = math.fsum(self.values[0][leaves])
        return Found(i, at, cut.names[at], leaves, e, v, z, p)


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
    return [h for h in range(1, len(totals)) if h == 1 or totals[h] > 0.05 * usual]


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
    above, below = values[before].sum(axis=0), weights[before].sum(axis=0)
    overall = float(above.sum() / below.sum()) if below.sum() else 0.0
    steady = (
        20.0 * float(below[below > 0].mean()) / max(1.0, float(below[below > 0].mean()))
        if (below > 0).any()
        else 1.0
    )
    rate = (above + steady * overall) / (below + steady)
    return weights[at] * rate


def _fitted(expected: Floats, actual: Floats) -> Floats:
    """What is expected, brought to the level of what came."""
    told = float(expected.sum())
    return expected * (float(actual.sum()) / told) if told else expected


def _tails(scores: Floats, windows: int) -> float:
    """Degrees of freedom whose tails are as heavy as those of the past; single events of the past count little."""
    z = np.clip(scores, -5, 5)
    spread = float((z**2).mean())
    heavy = float((z**4).mean()) / spread**2 - 3 if spread > 0 else 0.0
    fitted = 4 + 6 / heavy if heavy > 0 else _MOST_FREEDOM
    few = 3.0 * scores.shape[1] * windows / 4  # a handful of segments cannot tell how heavy tails are
    return float(np.clip(min(fitted, few), _LEAST_FREEDOM, _MOST_FREEDOM))


def _trimmed(values: Floats) -> float:
    """The mean without the largest fiftieth, which past events fill."""
    flat = np.sort(values, axis=None)
    return float(flat[: max(1, int(0.98 * len(flat)))].mean()) if len(flat) else 0.0


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    running = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(running, running[-1] / 2)])
