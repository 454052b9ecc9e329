"""The far end of each column against the ends that its other values allow.

The values farthest out are left aside; how likely each shape of the library is follows from all the others,
columns lending each other strength, and says how far out the ones left aside would lie by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly import shapes
from gnomon.anomaly.contamination import among, global_p
from gnomon.anomaly.marginals import MISFIT, smooth_part
from gnomon.anomaly.own_tail import own_tail_p
from gnomon.anomaly.pooling import FREEDOM, Expected, expected

_FEWEST: Final = 80
_COLUMNS: Final = (8, 24)
_VALUES: Final = 500_000
_SIDES: Final = 12
_PARTLY: Final = 4
_UNKNOWN: Final = 6
# Shapes less likely than the likeliest by more than this, as a logarithm, are left out.
_LIKELY: Final = 12.0
_RANKS: Final = 26
_MOST: Final = 0.05
_SAFE: Final = 0.05
_NEAR: Final = (1, 2, 3)
# Columns tell each other's shape up to here, as long as some values remain beyond.
_FAR: Final = np.array([0.97, 0.98, 0.99, 0.995, 0.998, 0.999])
_ASIDE: Final = (2, 10, 0.004)
_LAST: Final = 20
_TIMES: Final = np.array([1.0, 1.08, 1.17, 1.27, 1.4, 1.6, 1.9, 2.4, 3.2, 5.0])
# How often one of the last values is an anomaly.
_ODD: Final = 0.05
# Ends are never as sharp as in the library: values count as this much nearer.
_BLUNT: Final = 0.97
# How many independent looks the counts of values amount to, by simulation: one value or two, and more of them.
_FEW: Final = (2, 5.0)
_LOOKS: Final = 12.0
# The price of asking the farthest side, and of asking whether many sides reach a little too far.
_FARTHEST: Final = 4 / 3
_MANY: Final = 4.0


@dataclass(frozen=True)
class Far:
    """Values that lie farther out than they should.

    Attributes:
        p: One p-value that there are any, corrected for columns, sides and counts.
        rows: The rows that hold them, the clearest first.
    """

    p: float
    rows: tuple[int, ...]


def far_ends(matrix: np.ndarray, level: float = 0.05, lower: bool = True) -> Far:
    """Values beyond what the shape of their column allows.

    Args:
        matrix: The rows.
        level: Rows are named where a side of a column is this surprising after correction.
        lower: Whether low values count too.
    """
    n, p = matrix.shape
    found = _candidates(matrix) if n >= _FEWEST else {}
    whole = {j: c for j, c in found.items() if len(c) == n}
    parts = [_far(matrix, whole, p, level, lower)] if whole else []
    # Columns of which only a part is smooth are asked one by one: what they lack differs.
    rest = [j for j, c in found.items() if _FEWEST <= len(c) < n][:_PARTLY]
    parts += [_far(matrix, {j: found[j]}, p, level, lower) for j in rest]
    if not parts:
        return Far(1.0, ())
    rows = [r for part in sorted(parts, key=lambda f: f.p) for r in part.rows]
    return Far(min(part.p for part in parts), tuple(dict.fromkeys(rows)))


def _far(matrix: np.ndarray, columns: dict[int, np.ndarray], p: int, level: float, lower: bool) -> Far:
    """Far values of columns that have equally many values."""
    names = list(columns)
    table = _Table.of(list(columns.values()), _each_counts(matrix[:, names]))
    known = table.misfit <= MISFIT
    far = sorted(
        ((j, up) for j in range(len(names)) for up in (True, False)[: 1 + lower]),
        key=lambda side: -table.reach(*side),
    )
    chosen = [side for side in far if known[side[0]]][:_SIDES]
    each = [table.side_p(j, up) for j, up in chosen]
    for j, up in [side for side in far if not known[side[0]]][:_UNKNOWN]:
        # No shape explains the middle: the tail has to say the same by itself.
        value, count = table.side_p(j, up)
        chosen.append((j, up))
        each.append((max(value, own_tail_p(columns[names[j]], up)), count))
    sides = (1 + lower) * p
    values = np.ones(max(sides, len(each)))
    values[: len(each)] = [value for value, _ in each]
    together = min(among(float(values.min()), _FARTHEST * sides), among(global_p(values), _MANY))
    order = np.argsort(values[: len(each)], kind="stable")
    clear = [i for i in order if _FARTHEST * sides * values[i] <= level]
    rows = [_top(matrix[:, names[chosen[i][0]]], chosen[i][1], each[i][1]) for i in clear]
    return Far(together, tuple(dict.fromkeys(int(r) for part in rows for r in part)))


def ends_p(matrix: np.ndarray) -> float:
    """One p-value that some column ends farther out than its shape allows."""
    return far_ends(matrix).p


def _top(values: np.ndarray, up: bool, count: int) -> np.ndarray:
    return np.argsort(-values if up else values, kind="stable")[:count]


def _candidates(matrix: np.ndarray) -> dict[int, np.ndarray]:
    """Sorted values of smooth columns: those that reach farthest beyond their bulk, and others to learn shapes from."""
    thin = matrix[:: max(1, len(matrix) // 5_000)]
    low, middle, high = np.quantile(thin, [0.05, 0.5, 0.95], axis=0)
    beyond = np.maximum(matrix.max(axis=0) - middle, middle - matrix.min(axis=0))
    reach = beyond / np.maximum(high - low, 1e-300)
    order = np.argsort(-reach, kind="stable")
    half = int(np.clip(_VALUES // len(matrix), *_COLUMNS)) // 2
    rest = order[half:]
    others = rest[:: max(1, len(rest) // half)][:half] if len(rest) else rest
    found = {int(j): smooth_part(matrix[:, j]) for j in np.concatenate([order[:half], others])}
    return {j: c for j, c in found.items() if c is not None}


def _each_counts(S: np.ndarray) -> float:
    """How much each column counts beside the others: one for unrelated ones, less the more they go together."""
    if S.shape[1] < 2:
        return 1.0
    thin = S[:: max(1, len(S) // 2_000)]
    low, middle, high = np.quantile(thin, [0.1, 0.5, 0.9], axis=0)
    Z = np.clip((thin - middle) / np.maximum(high - low, 1e-300), -1, 1)
    unit = (Z - Z.mean(axis=0)) / np.maximum(Z.std(axis=0), 1e-12)
    return float(S.shape[1] / np.maximum(((unit.T @ unit / len(Z)) ** 2).sum(), S.shape[1]))


@dataclass(frozen=True)
class _Logs:
    """Log likelihoods of one side of all columns, of its body and of all of it: (column, shape, scale)."""

    body: np.ndarray
    whole: np.ndarray
    scale: np.ndarray


@dataclass(frozen=True)
class _Table:
    """Columns compared with the library, each with what the others say about it.

    Upper sides come first, lower ones second: ``one`` at the scale of both, ``two`` each at its own.
    """

    n: int
    ranks: np.ndarray
    ends: tuple[np.ndarray, np.ndarray]
    one: tuple[_Logs, _Logs]
    two: tuple[_Logs, _Logs]
    prior: Expected

    @classmethod
    def of(cls, columns: Sequence[np.ndarray], counts: float) -> _Table:
        n = len(columns[0])
        ranks = np.unique(np.round(np.geomspace(1, n // 2 - 1, _RANKS)).astype(int))
        far = _FAR[1 - np.clip(_ASIDE[2] * n, *_ASIDE[:2]) / n >= _FAR]
        levels = np.concatenate([shapes.LEVELS, far])
        C = np.stack(columns)
        middle = np.median(C, axis=1)[:, None]
        tiny = 1e-9 * (C[:, -1:] - C[:, :1]) + 1e-300
        place = np.arange(n)
        up = np.stack([np.interp(levels * (n - 1), place, c) for c in C]) - middle
        low = middle - np.stack([np.interp((1 - levels) * (n - 1), place, c) for c in C])
        up, low = np.maximum(up, tiny), np.maximum(low, tiny)
        body = len(shapes.LEVELS)
        scale, *own = shapes.scales(up[:, :body], low[:, :body], n)
        # The last few of each side, beyond the levels.
        last = min(_LAST, round(n * (1 - levels[-1])))
        ends = (np.maximum(C[:, n - ranks] - middle, tiny), np.maximum(middle - C[:, ranks - 1], tiny))
        sides = (
            _Levels(up, C[:, n - last :] - middle, n, levels),
            _Levels(low, middle - C[:, :last], n, levels),
        )
        curves = shapes.library().upper, shapes.library().lower
        one = tuple(s.under(c, scale) for s, c in zip(sides, curves, strict=True))
        two = tuple(s.under(c, x) for s, c, x in zip(sides, curves, own, strict=True))
        prior = expected(one[0].whole + one[1].whole, two[0].whole, two[1].whole, counts)
        return cls(n, ranks, ends, (one[0], one[1]), (two[0], two[1]), prior)

    @property
    def misfit(self) -> np.ndarray:
        """How much worse the best shape explains the middle than the values themselves, by column."""
        return shapes.misfit(self.one[0].body + self.one[1].body, self.two[0].body, self.two[1].body)

    def reach(self, j: int, up: bool) -> float:
        """How far a side goes beyond where its tail begins, as a ratio."""
        distance = self.ends[0 if up else 1][j]
        return float(distance[0] / distance[np.searchsorted(self.ranks, max(2, _SAFE * self.n))])

    def side_p(self, j: int, up: bool) -> tuple[float, int]:
        """The smallest p-value of one side of a column over how many of its values are tested, and that count."""
        library, own = shapes.library(), self.ends[0 if up else 1][j]
        curves = library.upper if up else library.lower
        logs, sizes = self._likely(j, 0 if up else 1)
        kept, scale = np.nonzero(logs > logs.max() - _LIKELY)
        looked = [(curves[c % len(curves)], sizes[c, scale[kept == c]]) for c in np.unique(kept)]
        tail, blunt = (
            np.concatenate([_log_tail(part * own, curve, size) for curve, size in looked])
            for part in (1.0, _BLUNT)
        )
        return _least(tail, blunt, logs[kept, scale], self.ranks, self.n)

    def _likely(self, j: int, here: int) -> tuple[np.ndarray, np.ndarray]:
        """Log weights and scales of all shapes, as one of both sides and then as one of its own: (shape, scale).

        The far end of the side that is asked about has no say.
        """
        there, sides = 1 - here, (self.prior.up, self.prior.low)
        one = self.prior.whole[j][:, None] + self.one[here].body[j] + self.one[there].whole[j]
        other = sides[there][j][:, None] + self.two[there].whole[j]
        beside = np.logaddexp.reduce(other, axis=None) - np.log(other.shape[1])
        alone = sides[here][j][:, None] + self.two[here].body[j] + beside - FREEDOM
        return np.concatenate([one, alone]), np.concatenate(
            [self.one[here].scale[j], self.two[here].scale[j]]
        )


@dataclass(frozen=True)
class _Levels:
    """One side of all columns: distances from the median at levels, and of the last values beyond them."""

    distance: np.ndarray
    tops: np.ndarray
    n: int
    levels: np.ndarray

    def under(self, curves: np.ndarray, scale: np.ndarray) -> _Logs:
        """How well each shape explains the side.

        The last values are counted by how many times farther out they lie than the last level; each may be
        an anomaly, so that none of them can rule a shape out.
        """
        edges = self.distance[:, -1:] * _TIMES
        bins = np.maximum((self.tops[:, :, None] >= edges[:, None, :]).sum(axis=2) - 1, 0)
        counts = np.stack([(bins == b).sum(axis=1) for b in range(len(_TIMES))], axis=1)
        seen = (counts * np.log(np.maximum(counts, 1) / max(1, self.tops.shape[1]))).sum(axis=1)
        below = shapes.shares_below(np.concatenate([self.distance, edges[:, 1:]], axis=1), curves, scale)
        inner, size = len(shapes.LEVELS), len(self.levels)
        body = shapes.between_levels(below[..., :inner], self.n, shapes.LEVELS)
        inside = np.diff(below[..., size - 1 :], axis=-1, append=1.0)
        inside /= np.maximum(1 - below[..., size - 1 : size], 1e-12)
        odds = np.log((1 - _ODD) * inside + _ODD / len(_TIMES))
        last = (odds * counts[:, None, None, :]).sum(axis=-1) - seen[:, None, None]
        whole = shapes.between_levels(below[..., :size], self.n, self.levels) + last
        return _Logs(body, whole, scale)


def _least(
    tail: np.ndarray, blunt: np.ndarray, prior: np.ndarray, ranks: np.ndarray, n: int
) -> tuple[float, int]:
    """The smallest p-value over how many values are left aside and tested, corrected for that, and the count."""
    from scipy.special import betainc

    # What lies between the bulk, which the weights come from, and the values left aside.
    safe = int(np.searchsorted(ranks, max(2, _SAFE * n)))
    between = np.diff(ranks) * _log_minus(tail[:, 1:], tail[:, :-1])
    inside = np.cumsum(between[:, :safe][:, ::-1], axis=1)[:, ::-1]
    best, count = 1.0, 1
    for i in range(1, safe + 1):
        logs = prior
        if i < safe:
            logs = prior + inside[:, i] + ranks[i] * tail[:, i] - ranks[safe] * tail[:, safe]
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        for back in _NEAR:
            if i - back < 0 or ranks[i - back] > max(3, _MOST * n):
                continue
            tested = int(ranks[i - back])
            ratio = np.exp(np.minimum(blunt[:, i - back] - tail[:, i], 0.0))
            looks = _FEW[1] if tested <= _FEW[0] else _LOOKS
            p = among(float(weights @ betainc(tested, int(ranks[i]) - tested, ratio)), looks)
            if p < best:
                best, count = p, tested
    return best, count


def _log_tail(distance: np.ndarray, curve: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Logarithm of the share beyond each distance, by scale."""
    from scipy.special import log_ndtr

    return log_ndtr(-np.interp(distance[None, :] / sizes[:, None], curve, shapes.GRID))


def _log_minus(larger: np.ndarray, smaller: np.ndarray) -> np.ndarray:
    return larger + np.log(np.maximum(-np.expm1(np.minimum(smaller - larger, 0.0)), 1e-9))
