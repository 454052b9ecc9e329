"""What columns of words explain of the level of a series: a route, a weekday, a tariff.

A column counts where its values, learned at other times, foresee readings better than without it; what it explains is
taken out before departures are looked for. A column of noise foresees nothing and is left aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from gnomon.anomaly.modalities.seasonality import learn_pattern, rolling_median

Words = Mapping[str, np.ndarray]
"""Columns of words in time order, by name."""
MOST_VALUES: Final = 60
# The series is cut into so many stretches; each is foreseen from the others. A value that few of them know is no
# property of the rows but an event of its time, and stays.
_STRETCHES: Final = 8
_KNOWN_IN: Final = 3
_FEWEST: Final = 5
# So much of the mean distance from the usual has to go, and in so many stretches.
_GAIN: Final = 0.02
_AGREE: Final = 6


@dataclass(frozen=True)
class Effect:
    """How far the level of each value of a column lies from the level of the whole."""

    column: str
    levels: Mapping[str, float]

    def of(self, words: Words) -> np.ndarray:
        """The part of each reading that the column explains; none for values never seen."""
        known, at = np.unique(words[self.column], return_inverse=True)
        return np.array([self.levels.get(str(k), 0.0) for k in known])[at]


@dataclass(frozen=True)
class Factors:
    """What is explained of every variable, by its number."""

    effects: Mapping[int, tuple[Effect, ...]] = field(default_factory=dict[int, tuple[Effect, ...]])

    @classmethod
    def learn(cls, values: np.ndarray, words: Words, position: np.ndarray, step: float | None) -> Factors:
        """Find what counts.

        Args:
            values: Readings in time order, one column per variable.
            words: Columns of words.
            position: Where on the grid each reading lies.
            step: How long a step of the grid is in seconds, where that is known.
        """
        if not words or len(values) < _STRETCHES * _FEWEST:
            return cls()
        found = {j: _of(values[:, j], words, position, step) for j in range(values.shape[1])}
        return cls({j: effects for j, effects in found.items() if effects})

    def explained(self, words: Words, shape: tuple[int, int]) -> np.ndarray:
        """The part of each reading that words explain, one column per variable."""
        out = np.zeros(shape)
        for j, effects in self.effects.items():
            out[:, j] = np.sum([e.of(words) for e in effects], axis=0)
        return out


def _of(x: np.ndarray, words: Words, position: np.ndarray, step: float | None) -> tuple[Effect, ...]:
    """The columns that count for one variable, the one that explains most first."""
    pattern = learn_pattern(x, position, step)
    level = x - pattern.drift(position) - pattern.seasonal(position)
    left = level - rolling_median(level, max(31, len(x) // 8) | 1)
    stretch = np.arange(len(x)) * _STRETCHES // len(x)
    open_to, out = dict(words), list[Effect]()
    while open_to:
        gains = {name: _gain(left, values, stretch) for name, values in open_to.items()}
        best = max(gains, key=lambda name: gains[name])
        if gains[best] < _GAIN:
            break
        effect = Effect(best, _levels(left, open_to.pop(best), stretch))
        left = left - effect.of(words)
        out.append(effect)
    return tuple(out)


def _gain(left: np.ndarray, values: np.ndarray, stretch: np.ndarray) -> float:
    """How much nearer readings lie to what their value of the column foretells, from the other stretches; 0 by chance."""
    before, after = np.zeros(_STRETCHES), np.zeros(_STRETCHES)
    for k in range(_STRETCHES):
        part = stretch == k
        levels = _levels(left[~part], values[~part], stretch[~part])
        known, at = np.unique(values[part], return_inverse=True)
        foretold = np.array([levels.get(str(v), 0.0) for v in known])[at]
        usual = float(np.median(left[~part]))
        before[k] = np.abs(left[part] - usual).sum()
        after[k] = np.abs(left[part] - usual - foretold).sum()
    if (after < before).sum() < _AGREE or not before.sum() > 0:
        return 0.0
    return 1.0 - float(after.sum() / before.sum())


def _levels(left: np.ndarray, values: np.ndarray, stretch: np.ndarray) -> dict[str, float]:
    known, at = np.unique(values, return_inverse=True)
    out: dict[str, float] = {}
    middle = float(np.median(left))
    for k, value in enumerate(known):
        own = at == k
        if own.sum() >= _FEWEST and len(np.unique(stretch[own])) >= _KNOWN_IN:
            out[str(value)] = float(np.median(left[own])) - middle
    return out
