"""Departures of a series, reading by reading: from its pattern, its neighbours, its level, its unrest, its shape."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gnomon.anomaly.marginals import grid_step
from gnomon.anomaly.modalities.departure import Scale, soften, spread
from gnomon.anomaly.modalities.outages import Outages, bridged
from gnomon.anomaly.modalities.seasonality import Pattern, learn_pattern, rolling_median
from gnomon.anomaly.modalities.shifts import Shifts
from gnomon.anomaly.modalities.subsequences import Shapes

SHAPE = "unusual shape"
KINDS = (
    "departure from the usual pattern",
    "jump against the neighbours",
    "shift of the level",
    "sustained departure",
    "unusual calm or unrest",
    "unchanged for unusually long",
    SHAPE,
)
_OF_LEVEL = slice(2, 4)
_LONGEST_WINDOW = 20_001


@dataclass
class Variable:
    """What was learned about one variable of a series."""

    pattern: Pattern
    width: float
    window: int
    trend_window: int
    shapes: Shapes
    unrest: float = 1.0
    bustle: float = 1.0
    scale: Scale = field(init=False)
    shifts: Shifts = field(default_factory=Shifts)

    @classmethod
    def learn(
        cls, x: np.ndarray, position: np.ndarray, step_seconds: float | None
    ) -> tuple[Variable, np.ndarray]:
        """Learn from a gap-free variable; also returns its departures, one column per kind."""
        self = cls._around(learn_pattern(x, position, step_seconds), len(x))
        clean, out = self.mended(x, position)
        shifts = Shifts.find(clean - self.pattern.seasonal(position))
        if out.inside.any() or shifts.at:
            steps = shifts.steps(position)
            self = cls._around(learn_pattern(clean, position, step_seconds, steps), len(x))
            clean, _ = self.mended(x, position)
            self.shifts = shifts
        level = clean - self.pattern.drift(position)
        residual = self._residual(clean, clean, position)
        self.width = float(spread(residual))
        self.unrest = float(np.median(_unrest(residual / self.width, self.window))) + 1e-6
        self.bustle = float(np.median(_unrest(level / self.width, self.window))) + 1e-6
        self.shapes = Shapes.learn(level / self.width, position, self.shapes.length)
        self.scale = Scale.of(self._columns(clean, clean, position))
        measured = self._measure(x, position)
        for at, height in zip(self.shifts.at, self.shifts.heights, strict=True):
            # The first reading of a new level stands for all of them.
            measured[at, _OF_LEVEL] = np.maximum(measured[at, _OF_LEVEL], abs(height) / self.width)
        return self, self.scale.surprise(measured)

    @classmethod
    def _around(cls, pattern: Pattern, n: int) -> Variable:
        """A variable of ``n`` readings of which only the pattern is known."""
        longest, shortest = max(pattern.periods, default=0), min(pattern.periods, default=0)
        trend_window = min(max(3 * longest, n // 8, 31), _LONGEST_WINDOW) | 1
        window = int(np.clip(shortest // 6 if shortest else n // 60, 5, 25)) | 1
        length = max(1, min(int(np.clip(shortest if shortest else n // 20, 12, 512)), n // 4))
        return cls(pattern, 1.0, window, trend_window, Shapes(length, np.empty(0), np.empty(0)))

    def mended(self, x: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, Outages]:
        """The readings with long outages bridged by what would have been usual, and the outages."""
        usual = self.pattern.drift(position) + self.pattern.seasonal(position)
        out = Outages.find(x, x - usual, self.window)
        if not out.inside.any():
            return x, out
        bridge, step = usual + bridged(x - usual, out.inside, self.window), grid_step(np.sort(x))
        return np.where(out.inside, np.round(bridge / step) * step if step > 0 else bridge, x), out

    def departures(self, x: np.ndarray, position: np.ndarray) -> np.ndarray:
        """Departures of readings that came later, one column per kind."""
        return self.scale.surprise(self._measure(x, position))

    def residual_z(self, x: np.ndarray, position: np.ndarray) -> np.ndarray:
        """Signed departures from the usual pattern in units of the usual noise."""
        return self._z(x, self.mended(x, position)[0], position)

    def expected(self, x: np.ndarray, position: np.ndarray) -> np.ndarray:
        """What the pattern and the level around each reading let expect of it."""
        return x - self._residual(x, self.mended(x, position)[0], position)

    def levels(self, x: np.ndarray) -> list[tuple[int, float, float]]:
        """Each lasting shift: the reading with which it begins, the level before it and the level from it on."""
        ends = [0, *self.shifts.at, len(x)]
        near = max(3 * max(self.pattern.periods, default=0), len(x) // 8)
        return [
            (
                at,
                float(np.median(x[max(start, at - near) : at])),
                float(np.median(x[at : min(end, at + near)])),
            )
            for start, at, end in zip(ends, ends[1:-1], ends[2:], strict=False)
        ]

    @property
    def context(self) -> int:
        """How many readings before a new one its departures depend on."""
        return max(self.trend_window, 2 * self.shapes.length, 4 * self.window)

    def _z(self, x: np.ndarray, clean: np.ndarray, position: np.ndarray) -> np.ndarray:
        return self._residual(x, clean, position) / (self.width * self.pattern.noise_at(position))

    def _residual(self, x: np.ndarray, clean: np.ndarray, position: np.ndarray) -> np.ndarray:
        """Readings against pattern and level, the level taken from the ``clean`` ones."""
        usual = self.pattern.drift(position) + self.pattern.seasonal(position)
        return x - usual - rolling_median(clean - usual, self.trend_window)

    def _measure(self, x: np.ndarray, position: np.ndarray) -> np.ndarray:
        clean, out = self.mended(x, position)
        inside = out.inside
        measured = self._columns(clean, clean, position)
        if inside.any():
            # What lies beside an outage is judged as if there were none.
            measured[inside] = self._columns(x, clean, position)[inside]
        return measured

    def _columns(self, x: np.ndarray, clean: np.ndarray, position: np.ndarray) -> np.ndarray:
        z = self._z(x, clean, position)
        w = self.window
        left, right = _side_medians(z, w)
        level = (x - self.pattern.drift(position)) / self.width
        columns = [
            np.abs(z),
            np.abs(z - _neighbour_median(z)),
            np.abs(right - left),
            np.abs(rolling_median(z, w)),
            np.maximum(
                np.abs(_log_ratio(_unrest(z, w), self.unrest)), -_log_ratio(_unrest(level, w), self.bustle)
            ),
            np.log(_run_lengths(x)),
            np.log1p(self.shapes.measure(level, position)),
        ]
        return np.column_stack(columns)


@dataclass
class Together:
    """How the variables of a series usually move together: each one predicted from all the others."""

    precision: np.ndarray
    width: np.ndarray
    window: int
    scale: Scale = field(init=False)

    @classmethod
    def learn(cls, z: np.ndarray, window: int) -> Together:
        """Learn from signed departures, one column per variable."""
        bounded = np.clip(z, -5, 5)
        cover = np.cov(bounded, rowvar=False) + 0.02 * np.eye(z.shape[1])
        precision = np.linalg.inv(cover)
        self = cls(precision / np.diag(precision)[:, None], np.ones(z.shape[1]), window)
        self.width = spread(z @ self.precision.T)
        self.scale = Scale.of(self._measure(z))
        return self

    def departures(self, z: np.ndarray) -> np.ndarray:
        """Joint departures of readings."""
        return self.scale.surprise(self._measure(z))

    def _measure(self, z: np.ndarray) -> np.ndarray:
        unexplained = (z @ self.precision.T) / self.width
        smooth = np.column_stack(
            [_rolling_mean(soften(unexplained[:, j], 4.0), self.window) for j in range(z.shape[1])]
        )
        return np.column_stack([np.abs(unexplained).max(axis=1), smooth.max(axis=1)])


def _rolling_mean(x: np.ndarray, window: int) -> np.ndarray:
    import pandas as pd

    return pd.Series(x).rolling(window, center=True, min_periods=1).mean().to_numpy(dtype=float)


def _unrest(z: np.ndarray, window: int) -> np.ndarray:
    """Mean absolute change around each reading; each change bounded so that one spike is no unrest."""
    change = np.abs(np.diff(z, prepend=z[:1]))
    usual = np.median(change) + 1e-12
    near = rolling_median(change, 2 * window + 1)
    return _rolling_mean(np.minimum(change, 4.0 * np.maximum(near, 0.25 * usual)), 2 * window + 1)


def _log_ratio(x: np.ndarray, usual: float) -> np.ndarray:
    """How many times more or less than usual, as a logarithm that nothing at all does not make infinite."""
    return np.log((x + 0.02 * usual) / (1.02 * usual))


def _neighbour_median(z: np.ndarray) -> np.ndarray:
    """The median of the two readings before and the two after each reading."""
    padded = np.pad(z, 2, mode="reflect" if len(z) > 2 else "edge")
    n = len(z)
    around = np.stack([padded[k : k + n] for k in (0, 1, 3, 4)])
    return np.median(around, axis=0)


def _side_medians(z: np.ndarray, window: int) -> tuple[np.ndarray, np.ndarray]:
    """Medians of the ``window`` readings before and from each reading on."""
    import pandas as pd

    before = pd.Series(z).rolling(window, min_periods=1).median().to_numpy(dtype=float)
    after = pd.Series(z[::-1]).rolling(window, min_periods=1).median().to_numpy(dtype=float)[::-1]
    left = np.concatenate([after[:1], before[:-1]])
    few = np.arange(len(z))
    left = np.where(few < window // 2 + 1, after, left)
    after = np.where(few > len(z) - window // 2 - 2, left, after)
    return left, after


def _run_lengths(x: np.ndarray) -> np.ndarray:
    """For each reading, how many equal readings in a row it is part of."""
    edges = np.flatnonzero(np.concatenate([[True], np.diff(x) != 0]))
    lengths = np.diff(np.append(edges, len(x)))
    return np.repeat(lengths, lengths).astype(float)
