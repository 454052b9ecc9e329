"""A library of distribution shapes: how far the tails of a column reach, given how its middle looks.

Each shape is a pair of curves: distance from the median, above and below it, as a function of the normal
score. A column is compared with every shape on the middle of its values only, where few anomalies lie; the
weights that result say how likely each shape is, columns of one table lending each other strength.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

GRID: Final = np.concatenate([np.linspace(0, 3, 121), np.linspace(3.05, 7, 80)])
BOTH_SIDES: Final = np.concatenate([-GRID[:0:-1], GRID])
LEVELS: Final = np.array([0.56, 0.62, 0.68, 0.74, 0.80, 0.86, 0.91, 0.95])
_SCALES: Final = np.arange(-2.0, 3.0)
# Where columns are many, fewer scales are tried: together they tell as much.
_MANY: Final = 300
_FEWER_SCALES: Final = np.array([-1.5, 0.0, 1.5])
# Two free sides explain more than one shape by having more freedom: what that costs, as a logarithm.
_FREEDOM: Final = 3.0
_ROUNDS: Final = 8
_RARITY: Final = 0.5
_PRIOR_COLUMNS: Final = 3.0
_CHUNK: Final = 100


@dataclass(frozen=True)
class Shapes:
    """Curves of all shapes: (shape, grid point), and how likely each is before anything is seen."""

    upper: np.ndarray
    lower: np.ndarray
    prior: np.ndarray


@cache
def library() -> Shapes:
    """Every shape, in units of the distance between its quartiles and its median."""
    from scipy import special

    p, q, quartile = special.ndtr(GRID), special.ndtr(-GRID), float(special.ndtri(0.75))
    shapes: list[tuple[np.ndarray, np.ndarray]] = []

    def add(quantile: Callable[[np.ndarray, np.ndarray], np.ndarray], *, mirrored: bool = True) -> None:
        """``quantile`` takes the share below and the share above."""
        middle = quantile(p[:1], q[:1])[0]
        up, down = quantile(p, q) - middle, middle - quantile(q, p)
        size = 0.5 * (np.interp(quartile, GRID, up) + np.interp(quartile, GRID, down))
        shapes.append((up / size, down / size))
        if mirrored:
            shapes.append((down / size, up / size))

    def signed(upper: np.ndarray, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        return np.where(below >= above, upper, -upper)

    add(lambda b, a: signed(GRID[: len(b)], b, a), mirrored=False)
    for df in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 10.0, 14.0, 20.0):
        add(lambda b, a, v=df: signed(-special.stdtrit(v, np.minimum(a, b)), b, a), mirrored=False)
    add(lambda b, a: signed(-np.log(2 * np.minimum(a, b)), b, a), mirrored=False)
    add(lambda b, a: np.log(b) - np.log(a), mirrored=False)
    for k in (1.0, 2.0, 4.0):
        add(lambda b, a, k=k: special.betaincinv(k, k, b) - 0.5, mirrored=False)
    for s in (0.15, 0.3, 0.4, 0.5, 0.6, 0.75, 0.87, 1.0, 1.25, 1.5, 2.0):
        add(lambda b, a, s=s: np.exp(s * (special.ndtri(b) if b[-1] > a[-1] else -special.ndtri(a))))
    for k in (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0):
        add(
            lambda b, a, k=k: np.where(
                b >= a,
                special.gammainccinv(k, np.minimum(a, 0.5)),
                special.gammaincinv(k, np.minimum(b, 0.5)),
            )
        )
    for k in (0.4, 0.55, 0.75, 1.5):
        add(lambda b, a, k=k: (-np.where(b >= a, np.log(a), np.log1p(-np.minimum(b, 0.5)))) ** (1 / k))
    for power in (1.0, 1.5, 2.0, 3.0, 5.0):
        add(lambda b, a, w=power: a ** (-1 / w))
    for x, y in ((2.0, 5.0), (1.0, 3.0), (1.0, 2.0), (0.5, 1.0), (0.5, 3.0), (2.0, 10.0)):
        add(lambda b, a, x=x, y=y: special.betaincinv(x, y, b))
    up, down = (np.stack(side) for side in zip(*shapes, strict=True))
    up, down = np.maximum.accumulate(up, axis=1), np.maximum.accumulate(down, axis=1)
    # The farther a tail reaches the rarer it is among columns.
    reach = np.interp(3.7, GRID, np.arange(len(GRID)))
    prior = np.maximum(up, down)[:, int(reach)] ** -_RARITY
    return Shapes(up, down, prior / prior.sum())


@dataclass(frozen=True)
class Fitted:
    """How likely each shape at each scale is, for every column.

    Attributes:
        whole: (column, shape, scale): one shape for both sides.
        above: The same for the upper side alone, given that the sides differ.
        below: The same for the lower side.
        split: How likely the sides differ, by column.
        misfit: How much worse the best shape explains the middle than the values themselves, by column.
        whole_scale, above_scale, below_scale: The scales meant, in the same order.
    """

    whole: np.ndarray
    above: np.ndarray
    below: np.ndarray
    split: np.ndarray
    misfit: np.ndarray
    whole_scale: np.ndarray
    above_scale: np.ndarray
    below_scale: np.ndarray

    def draw(self, j: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Distances above and below the median along ``GRID``, for one likely shape of column ``j``."""
        shapes = library()
        if rng.random() >= self.split[j]:
            c, s = _pick(self.whole[j], rng)
            size = self.whole_scale[j, c, s]
            return size * shapes.upper[c], size * shapes.lower[c]
        c, s = _pick(self.above[j], rng)
        up = self.above_scale[j, c, s] * shapes.upper[c]
        c, s = _pick(self.below[j], rng)
        return up, self.below_scale[j, c, s] * shapes.lower[c]


def _pick(weights: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    reached = np.cumsum(weights)
    at = int(np.searchsorted(reached, rng.random() * reached[-1]))
    return divmod(min(at, weights.size - 1), weights.shape[1])


def fit(above: np.ndarray, below: np.ndarray, n: int) -> Fitted:
    """Compare columns with the library.

    Args:
        above: Distance of the quantiles at ``LEVELS`` from the median, one row per column.
        below: The same on the lower side.
        n: From how many values the quantiles come.
    """
    shapes = library()
    scale, up_scale, low_scale = scales(above, below, n)
    up, low = _at_scale(above, shapes.upper, up_scale, n), _at_scale(below, shapes.lower, low_scale, n)
    both = _at_scale(above, shapes.upper, scale, n) + _at_scale(below, shapes.lower, scale, n)
    return _pooled(both, up, low, scale, up_scale, low_scale)


def scales(above: np.ndarray, below: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scales to try for each column and shape, for both sides together and for either: (column, shape, scale)."""
    shapes = library()
    up, low = _log_ratio(above, shapes.upper), _log_ratio(below, shapes.lower)
    one, two = (np.exp(_scales(len(above)) * width / np.sqrt(n)) for width in (0.9, 1.2))
    middle = _mean_scale(np.concatenate([up, low], axis=2))
    return middle[:, :, None] * one, _mean_scale(up)[:, :, None] * two, _mean_scale(low)[:, :, None] * two


def _scales(columns: int) -> np.ndarray:
    return _SCALES if columns <= _MANY else _FEWER_SCALES


def _pooled(
    both: np.ndarray,
    up: np.ndarray,
    low: np.ndarray,
    scale: np.ndarray,
    up_scale: np.ndarray,
    low_scale: np.ndarray,
) -> Fitted:
    """Weights from likelihoods; what is common among the columns becomes what is expected of each."""
    base = library().prior
    priors = [base] * 3
    whole = above = below = both
    split = np.zeros(len(both))
    for _ in range(_ROUNDS):
        parts = [_weights(x, prior) for x, prior in zip((both, up, low), priors, strict=True)]
        (whole, whole_log), (above, above_log), (below, below_log) = parts
        differs = above_log + below_log - _FREEDOM - whole_log
        split = 1 / (1 + np.exp(-np.clip(differs, -50, 50)))
        seen = [(1 - split), split, split]
        for i, (weights, _) in enumerate(parts):
            mass = (weights.sum(axis=2) * seen[i][:, None]).sum(axis=0)
            priors[i] = (mass + _PRIOR_COLUMNS * base) / (mass.sum() + _PRIOR_COLUMNS)
    return Fitted(whole, above, below, split, misfit(both, up, low), scale, up_scale, low_scale)


def misfit(both: np.ndarray, up: np.ndarray, low: np.ndarray) -> np.ndarray:
    """How much worse the best shape explains the middle than the values themselves, by column."""
    return -np.maximum(both.max(axis=(1, 2)), up.max(axis=(1, 2)) + low.max(axis=(1, 2)))


def _weights(logs: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normalised weights, and the logarithm of what they were divided by."""
    total = logs + np.log(prior)[None, :, None] - np.log(logs.shape[2])
    top = total.max(axis=(1, 2), keepdims=True)
    raw = np.exp(total - top)
    size = raw.sum(axis=(1, 2), keepdims=True)
    return raw / size, (top + np.log(size))[:, 0, 0]


def _log_ratio(distance: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Logarithm of distance over curve at each level: (column, shape, level); NaN where a distance is 0."""
    from scipy.special import ndtri

    at = np.stack([np.interp(ndtri(LEVELS), GRID, c) for c in curves])
    safe = np.where(distance > 0, distance, np.nan)
    return np.log(safe)[:, None, :] - np.log(np.maximum(at, 1e-12))[None]


def _mean_scale(ratios: np.ndarray) -> np.ndarray:
    # Small distances are the least certain: levels count by how far out they lie.
    weight = np.where(np.isfinite(ratios), 1.0, 0.0) * np.tile(LEVELS - 0.5, ratios.shape[2] // len(LEVELS))
    total = weight.sum(axis=2)
    return np.exp((np.nan_to_num(ratios) * weight).sum(axis=2) / np.maximum(total, 1e-12))


def _at_scale(distance: np.ndarray, curves: np.ndarray, scale: np.ndarray, n: int) -> np.ndarray:
    """Log likelihood of how many values lie between the levels: (column, shape, scale)."""
    out = np.empty(scale.shape)
    for start in range(0, len(out), _CHUNK):
        part = slice(start, start + _CHUNK)
        out[part] = between_levels(shares_below(distance[part], curves, scale[part]), n, LEVELS)
    return out


def shares_below(distance: np.ndarray, curves: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Share of the values nearer than each distance on its side: (column, shape, scale, distance)."""
    from scipy.special import ndtr

    shares, out = ndtr(GRID), np.empty((*scale.shape, distance.shape[1]))
    for c, curve in enumerate(curves):
        x = distance[:, None, :] / np.maximum(scale[:, c, :, None], 1e-300)
        out[:, c] = np.interp(x, curve, shares)
    return out


def between_levels(below: np.ndarray, n: int, levels: np.ndarray) -> np.ndarray:
    """Log likelihood of how many of ``n`` values lie between levels, by the shares below them (last axis)."""
    want = np.diff(np.concatenate([[0.5], levels, [1.0]]))
    share = np.empty((*below.shape[:-1], len(want)))
    share[..., 0] = below[..., 0] - 0.5
    np.subtract(below[..., 1:], below[..., :-1], out=share[..., 1:-1])
    share[..., -1] = 1 - below[..., -1]
    return n * (np.log(np.maximum(share, 1e-6, out=share), out=share) @ want - np.log(want) @ want)
