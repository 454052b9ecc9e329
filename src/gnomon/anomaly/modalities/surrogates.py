"""Data like the data but without anomalies: series that follow the same pattern, and departures of other items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gnomon.anomaly.marginals import grid_step
from gnomon.anomaly.modalities.departure import with_summary
from gnomon.anomaly.modalities.seasonality import rolling_median
from gnomon.anomaly.null import NullModel

if TYPE_CHECKING:
    from gnomon.anomaly.modalities.series_features import Variable

_ORDERS = (0, 1, 2, 4, 8)
_TOGETHER = 10
_CALM = 0.995
_BOUND = 3.5
_LONGEST = 6000
_RARE = 0.01
_RESTING = 0.8
_DECIMALS = 4


def surrogate_items(matrix: np.ndarray) -> Callable[[np.random.Generator], np.ndarray] | None:
    """Draws departures of items that depart together as these do, none standing apart; None for few items.

    Args:
        matrix: Departures with the two summary columns last, which are made again from the drawn ones.
    """
    if len(matrix) < 20:
        return None
    base = matrix[:, :-2]
    known: list[NullModel] = []

    def draw(rng: np.random.Generator) -> np.ndarray:
        if not known:
            known.append(NullModel.fit(base, rng))
        return with_summary(np.maximum(known[0].draw(max(1000, min(len(base), 4000)), rng), 0.0))

    return draw


@dataclass
class SeriesNull:
    """Series with the pattern, slow movement and noise of the one learned from.

    Attributes:
        values: The readings, one column per variable.
        position: Where on the grid each reading lies.
        variables: What was learned about each variable.
        read: The readings as they were written down, on the grid that they have.
    """

    values: np.ndarray
    position: np.ndarray
    variables: list[Variable]
    read: np.ndarray

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Readings of another series and where they lie: all positions, or a stretch of a long series."""
        size = min(len(self.values), _LONGEST)
        first = int(rng.integers(0, len(self.values) - size + 1))
        part = slice(first, first + size)
        model, memory = self._noise
        noise = _simulated(model.draw(size, rng), memory)
        columns = [
            shuffled_runs(self.values[:, j], size, rng) if rests else self._variable(j, part, noise[:, j])
            for j, rests in enumerate(self._rests)
        ]
        return np.column_stack(columns), self.position[part]

    def _variable(self, j: int, part: slice, noise: np.ndarray) -> np.ndarray:
        learned, position = self.variables[j], self.position[part]
        x = learned.pattern.drift(position) + learned.pattern.seasonal(position) + self._slow[j][part]
        x = x + noise * learned.width * learned.pattern.noise_at(position)
        step = self._steps[j]
        return np.round(x / step) * step if step > 0 else x

    @cached_property
    def _noise(self) -> tuple[NullModel, np.ndarray]:
        """What is new in each reading, as a model to draw from, and what stays of the readings before."""
        z = np.column_stack(
            [v.residual_z(self.values[:, j], self.position) for j, v in enumerate(self.variables)]
        )
        bounded = np.clip(z, -_BOUND, _BOUND)
        memory = _memory(bounded)
        expected = sum((_before(bounded, k + 1) @ m.T for k, m in enumerate(memory)), np.zeros(z.shape))
        return NullModel.fit(z - expected, np.random.default_rng(0)), memory

    @cached_property
    def _slow(self) -> list[np.ndarray]:
        """Slow movement around the pattern, smooth enough to hold no sudden shift."""
        import pandas as pd

        out: list[np.ndarray] = []
        for j, learned in enumerate(self.variables):
            pattern = learned.pattern
            level = self.values[:, j] - pattern.drift(self.position) - pattern.seasonal(self.position)
            wide = learned.trend_window
            middle = pd.Series(rolling_median(level, wide)).rolling(wide, center=True, min_periods=1)
            out.append(middle.mean().to_numpy(dtype=float))
        return out

    @cached_property
    def _rests(self) -> list[bool]:
        """Which variables stay at one value most of the time: noise around a pattern is not how they move."""
        return [mostly_one_value(self.values[:, j]) for j in range(self.values.shape[1])]

    @cached_property
    def _steps(self) -> list[float]:
        return [max(grid_step(np.sort(x)), resolution(x)) for x in self.read.T]


def resolution(x: np.ndarray) -> float:
    """The last decimal place that readings were written down with; 0 where they are as fine as numbers are."""
    return next(
        (10.0**-d for d in range(_DECIMALS + 1) if np.allclose(x, np.round(x, d), rtol=0, atol=1e-9)), 0.0
    )


def mostly_one_value(x: np.ndarray) -> bool:
    """Whether nearly all readings are the same, but not all."""
    count = np.unique(x, return_counts=True)[1]
    return len(count) > 1 and bool(count.max() >= _RESTING * len(x))


def shuffled_runs(x: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Readings with the same stretches of equal values at other times; a value far beyond all others is cut."""
    ordered = np.unique(x)
    if len(ordered) > 2:
        low, high = ordered[1] - (ordered[-2] - ordered[1]), ordered[-2] + (ordered[-2] - ordered[1])
        x = np.clip(x, low, high)
    edges = np.flatnonzero(np.concatenate([[True], np.diff(x) != 0]))
    rests = x == np.median(x)
    # A long rest is cut into pieces: events come at any time, not only where others came.
    pieces = np.concatenate([edges, np.flatnonzero(rests)])
    parts = np.split(x, np.unique(pieces)[1:])
    order = rng.permutation(len(parts))
    return np.concatenate([parts[i] for i in order])[:size]


def usual_waits(wait: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Times between readings as they usually are: drawn from those that are not rare."""
    known, count = np.unique(np.round(wait, 3), return_counts=True)
    usual = known[count >= _RARE * len(wait)]
    kept = wait[np.isin(np.round(wait, 3), usual)]
    return rng.choice(kept, size) if len(kept) else np.ones(size)


def _before(z: np.ndarray, lag: int) -> np.ndarray:
    return np.concatenate([np.zeros((lag, z.shape[1])), z[:-lag]])


def _memory(z: np.ndarray) -> np.ndarray:
    """How each reading follows from the ones before, by lag: (lag, variable, variable before).

    Variables are predicted from all of them where they are few, each from itself where they are many.
    """
    n, width = z.shape
    best, memory = np.inf, np.zeros((0, width, width))
    for order in _ORDERS:
        if order and n < 30 * order * (width if width <= _TOGETHER else 1):
            break
        found = np.zeros((order, width, width))
        if order:
            past = np.stack([_before(z, k + 1) for k in range(order)])
            groups = [np.arange(width)] if width <= _TOGETHER else [np.array([j]) for j in range(width)]
            for g in groups:
                flat = past[:, :, g].transpose(1, 0, 2).reshape(n, -1)
                solved = np.linalg.lstsq(flat, z[:, g], rcond=None)[0]
                found[np.ix_(np.arange(order), g, g)] = solved.reshape(order, len(g), len(g)).transpose(
                    0, 2, 1
                )
        left = z - sum((_before(z, k + 1) @ m.T for k, m in enumerate(found)), np.zeros(z.shape))
        free = order * width * min(width, _TOGETHER if width <= _TOGETHER else 1)
        cost = n * float(np.log(np.maximum((left**2).mean(axis=0), 1e-12)).sum()) + np.log(n) * free
        if cost < best:
            best, memory = cost, found
    return _calmed(memory)


def _calmed(memory: np.ndarray) -> np.ndarray:
    """The same memory, weakened where noise would grow without end."""
    order, width = memory.shape[:2]
    if not order:
        return memory
    companion = np.zeros((order * width, order * width))
    companion[:width] = np.concatenate(list(memory), axis=1)
    companion[width:, :-width] = np.eye((order - 1) * width)
    radius = float(np.abs(np.linalg.eigvals(companion)).max())
    if radius <= _CALM:
        return memory
    return memory * (_CALM / radius) ** np.arange(1, order + 1)[:, None, None]


def _simulated(fresh: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Noise whose new part is ``fresh``."""
    order = len(memory)
    if order == 0:
        return fresh
    if fresh.shape[1] == 1:
        from scipy.signal import lfilter

        return np.asarray(lfilter([1.0], np.concatenate([[1.0], -memory[:, 0, 0]]), fresh[:, 0]))[:, None]
    out = np.concatenate([np.zeros((order, fresh.shape[1])), fresh])
    for t in range(order, len(out)):
        for k in range(order):
            out[t] += memory[k] @ out[t - k - 1]
    return out[order:]
