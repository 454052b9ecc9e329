"""The far end of each column against the ends that its other values allow.

The values farthest out are left aside; how likely each shape of the library is follows from all the others,
columns lending each other strength, and says how far out the ones left aside would lie by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly import shapes
from gnomon.anomaly.marginals import MISFIT, smooth_part

_FEWEST: Final = 80
_COLUMNS: Final = (8, 24)
_VALUES: Final = 500_000
_SIDES: Final = 8
_SHAPES: Final = 10
_SCALES: Final = np.arange(-3, 4)
_RANKS: Final = 26
_MOST: Final = 0.05
_SAFE: Final = 0.05
_NEAR: Final = (1, 2, 3)
# What one shape for both sides costs less than two, as a logarithm, as in the library.
_FREEDOM: Final = 3.0
# Ends are never as sharp as in the library: values count as this much nearer.
_BLUNT: Final = 0.97
_CORRECTION: Final = 1.5


def ends_p(matrix: np.ndarray) -> float:
    """One p-value that some column ends farther out than its shape allows, corrected for sides and counts."""
    return farthest_end(matrix)[0]


def farthest_end(matrix: np.ndarray) -> tuple[float, int]:
    """The same p-value, and the row that holds the value it speaks of."""
    n, p = matrix.shape
    names, columns = _candidates(matrix) if n >= _FEWEST else ([], [])
    if not columns:
        return 1.0, 0
    ranks = np.unique(np.round(np.geomspace(1, n // 2 - 1, _RANKS)).astype(int))
    ends = [_distances(c, ranks) for c in columns]
    middle = np.array([np.median(c) for c in columns])
    above = np.stack([np.quantile(c, shapes.LEVELS) for c in columns]) - middle[:, None]
    below = middle[:, None] - np.stack([np.quantile(c, 1 - shapes.LEVELS) for c in columns])
    tiny = 1e-9 * (above[:, -1:] + below[:, -1:]) + 1e-300
    fitted = shapes.fit(np.maximum(above, tiny), np.maximum(below, tiny), n)
    asked = [(j, up) for j in range(len(columns)) for up in (True, False) if fitted.misfit[j] <= MISFIT]
    far = np.argsort([-_reach(ends[j][0 if up else 1], ranks, n) for j, up in asked], kind="stable")
    chosen = [asked[i] for i in far[:_SIDES]]
    sides = [_Side.of(fitted, j, up, ends[j]) for j, up in chosen]
    each = [side.p(ranks, n) for side in sides]
    if not each:
        return 1.0, 0
    j, up = chosen[int(np.argmin(each))]
    values = matrix[:, names[j]]
    tested = int((ranks <= max(3, _MOST * n)).sum())
    return float(min(1.0, _CORRECTION * 2 * p * tested * min(each))), int(
        (values if up else -values).argmax()
    )


def _candidates(matrix: np.ndarray) -> tuple[list[int], list[np.ndarray]]:
    """Numbers and sorted values of smooth columns: those that reach farthest beyond their bulk, and others to learn shapes from."""
    thin = matrix[:: max(1, len(matrix) // 5_000)]
    low, middle, high = np.quantile(thin, [0.05, 0.5, 0.95], axis=0)
    beyond = np.maximum(matrix.max(axis=0) - middle, middle - matrix.min(axis=0))
    reach = beyond / np.maximum(high - low, 1e-300)
    order = np.argsort(-reach, kind="stable")
    half = int(np.clip(_VALUES // len(matrix), *_COLUMNS)) // 2
    rest = order[half:]
    others = rest[:: max(1, len(rest) // half)][:half] if len(rest) else rest
    found = {int(j): smooth_part(matrix[:, j]) for j in np.concatenate([order[:half], others])}
    kept = {j: c for j, c in found.items() if c is not None and len(c) == len(matrix)}
    return list(kept), list(kept.values())


def _distances(ordered: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance from the median of the values at the given ranks from either end."""
    middle, n = float(np.median(ordered)), len(ordered)
    up, down = ordered[n - ranks] - middle, middle - ordered[ranks - 1]
    tiny = 1e-9 * float(up[0] + down[0]) + 1e-300
    return np.maximum(up, tiny), np.maximum(down, tiny)


def _reach(distance: np.ndarray, ranks: np.ndarray, n: int) -> float:
    return float(distance[0] / distance[np.searchsorted(ranks, max(2, _SAFE * n))])


@dataclass(frozen=True)
class _Side:
    """One side of a column under its likeliest shapes and scales: (shape and scale, rank)."""

    tail: np.ndarray
    blunt: np.ndarray
    log_prior: np.ndarray

    @classmethod
    def of(cls, fitted: shapes.Fitted, j: int, up: bool, ends: tuple[np.ndarray, np.ndarray]) -> _Side:
        library = shapes.library()
        own, curves = (ends[0], library.upper) if up else (ends[1], library.lower)
        whole = fitted.whole[j].sum(axis=1) * (1 - fitted.split[j])
        alone = (fitted.above if up else fitted.below)[j].sum(axis=1) * fitted.split[j]
        one = fitted.whole_scale[j]
        two = (fitted.above_scale if up else fitted.below_scale)[j]
        logs: list[np.ndarray] = []
        blunt: list[np.ndarray] = []
        prior: list[float] = []
        steps = np.exp(_SCALES * 0.5 * np.log(one[0, -1] / one[0, 0]) / _SCALES[-1])
        for weights, scale in ((whole, one), (alone, two)):
            for c in np.argsort(-weights, kind="stable")[:_SHAPES]:
                if weights[c] <= 1e-6:
                    continue
                sizes = scale[c, scale.shape[1] // 2] * steps
                logs.append(_log_tail(own, curves[c], sizes))
                blunt.append(_log_tail(_BLUNT * own, curves[c], sizes))
                prior += [float(np.log(weights[c]))] * len(sizes)
        return cls(np.concatenate(logs), np.concatenate(blunt), np.array(prior))

    def p(self, ranks: np.ndarray, n: int) -> float:
        """The smallest p-value over how many values are left aside and how many of those are tested."""
        from scipy.special import betainc

        # What lies between the bulk, which the weights come from, and the values left aside.
        safe = int(np.searchsorted(ranks, max(2, _SAFE * n)))
        between = np.diff(ranks) * _log_minus(self.tail[:, 1:], self.tail[:, :-1])
        inside = np.cumsum(between[:, :safe][:, ::-1], axis=1)[:, ::-1]
        best = 1.0
        for i in range(1, safe + 1):
            if i < safe:
                left = ranks[i] * self.tail[:, i] - ranks[safe] * self.tail[:, safe]
                logs = self.log_prior + inside[:, i] + left
            else:
                logs = self.log_prior
            weights = np.exp(logs - logs.max())
            weights /= weights.sum()
            for back in _NEAR:
                if i - back < 0 or ranks[i - back] > max(3, _MOST * n):
                    continue
                tested = int(ranks[i - back])
                ratio = np.exp(np.minimum(self.blunt[:, i - back] - self.tail[:, i], 0.0))
                best = min(best, float(weights @ betainc(tested, int(ranks[i]) - tested, ratio)))
        return best


def _log_tail(distance: np.ndarray, curve: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Logarithm of the share beyond each distance, by scale."""
    from scipy.special import log_ndtr

    return log_ndtr(-np.interp(distance[None, :] / sizes[:, None], curve, shapes.GRID))


def _log_minus(larger: np.ndarray, smaller: np.ndarray) -> np.ndarray:
    return larger + np.log(np.maximum(-np.expm1(np.minimum(smaller - larger, 0.0)), 1e-9))
