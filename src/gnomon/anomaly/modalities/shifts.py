"""Lasting changes of the level of a series: from one reading on it lies elsewhere, and stays there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.modalities.departure import spread
from gnomon.anomaly.modalities.outages import SHORTEST, apart, level_changes, long_run
from gnomon.anomaly.modalities.seasonality import Step, robust_line, rolling_median

_MOST: Final = 4
_SHARP: Final = 4.0
_CLEARER: Final = 1.5
# Within a few readings of where it begins, so much of a shift has to be there: a slope is none.
_AT_ONCE: Final = 0.5
# A shift is so many times what the level wanders by itself.
_WANDERS: Final = 1.7
# Less than so many usual departures is nobody's news.
_LEAST: Final = 1.5
_STAYS: Final = 0.7
# What ends again sooner, or is over so soon, is an outage or nothing.
_LASTS: Final = 0.2
_LASTS_AT_AN_END: Final = 0.1
_CHANCE: Final = 0.01
_BOUND: Final = 3.5


@dataclass(frozen=True)
class Shifts:
    """Lasting shifts of the level of a variable.

    Attributes:
        at: The readings with which a new level begins, in order.
        heights: By how much the level changed at each.
        p: The chance that a series without shifts shows the least clear of them; 1 where there are none.
    """

    at: tuple[int, ...] = ()
    heights: tuple[float, ...] = ()
    p: float = 1.0

    @classmethod
    def find(cls, level: np.ndarray) -> Shifts:
        """Look for them.

        Args:
            level: The readings without season, long outages bridged.
        """
        n = len(level)
        if n < 6 * SHORTEST:
            return cls()
        window = max(SHORTEST, n // 12)
        change = level_changes(level, window)
        known = slice(window, n - window + 1)
        # What a steady drift gives everywhere is no shift.
        change[known] -= np.median(change[known])
        height = np.abs(change)
        peaks = apart(height, _SHARP * float(spread(change[known])), window)
        if not peaks:
            return cls()
        events = sorted(p for p in peaks if height[p] >= 0.5 * height[peaks[0]])
        if len(events) > _MOST:
            return cls()
        near = np.zeros(n, dtype=bool)
        for event in events:
            near[max(0, event - window) : event + window + 1] = True
        rest = height[known][~near[known]]
        if len(rest) < n // 4 or height[events].min() < _CLEARER * float(rest.max()):
            return cls()
        settled = [_edge(level, event, window) for event in events]
        steps = np.array([change[event] for event in events])
        p = _chance(level, settled, steps, window)
        if p > _CHANCE or not all(_at_once(level, at, step) for at, step in zip(settled, steps, strict=True)):
            return cls()
        return cls(tuple(settled), tuple(float(s) for s in steps), p)

    def steps(self, position: np.ndarray) -> tuple[Step, ...]:
        """The same on the grid of the series."""
        return tuple((int(position[a]), h) for a, h in zip(self.at, self.heights, strict=True))


def _edge(level: np.ndarray, at: int, window: int) -> int:
    """The reading from which on the level is rather the new one than the old one."""
    low, high = max(0, at - window), min(len(level), at + window)
    before, after = float(np.median(level[low:at])), float(np.median(level[at:high]))
    gain = np.abs(level[low:high] - after) - np.abs(level[low:high] - before)
    return low + int(np.argmax(np.concatenate([[0.0], np.cumsum(gain)])))


def _at_once(level: np.ndarray, at: int, step: float) -> bool:
    few = SHORTEST // 2
    before, after = level[max(0, at - few) : at], level[at : at + few]
    if not len(before) or not len(after):
        return False
    return float(np.median(after) - np.median(before)) * np.sign(step) > _AT_ONCE * abs(step)


def _chance(level: np.ndarray, at: list[int], heights: np.ndarray, window: int) -> float:
    """How often the least clear of these shifts comes about where the level only wanders; 1 where it wanders as far.

    What is left without the shifts tells how far sums of readings stray by themselves, with the memory that they
    have; the largest of such sums follows Kolmogorov's law.
    """
    n, t = len(level), np.arange(len(level))
    left = level - np.sum([np.where(t >= a, h, 0.0) for a, h in zip(at, heights, strict=True)], axis=0)
    slope, intercept = robust_line(left, t)
    left = left - intercept - slope * t
    smooth = rolling_median(left, window)
    low, high = np.quantile(smooth, [0.05, 0.95])
    least = float(np.abs(heights).min())
    if least < _WANDERS * float(high - low):
        return 1.0
    width = float(spread(left))
    if least < _LEAST * width or not _stay(left, at, heights):
        return 1.0
    bounded = np.clip(left - np.median(left), -_BOUND * width, _BOUND * width)
    stray = np.sqrt(max(long_run(bounded, window), 1e-12 * width**2))
    ends = [0, *at, n]
    worst = np.inf
    for i, h in enumerate(heights):
        first, last = ends[i + 1] - ends[i], ends[i + 2] - ends[i + 1]
        worst = min(worst, abs(h) * first * last / (first + last) ** 1.5 / stray)
    return float(min(1.0, n / window * 2 * np.exp(-2 * worst**2)))


def _stay(left: np.ndarray, at: list[int], heights: np.ndarray) -> bool:
    """Whether readings on both sides of each shift, up to the next one, lie nearer to their own level than to the other."""
    n = len(left)
    ends = [0, *at, n]
    longs = np.diff(ends)
    if longs[1:-1].min(initial=n) < _LASTS * n or min(longs[0], longs[-1]) < max(
        SHORTEST, _LASTS_AT_AN_END * n
    ):
        return False
    return all(
        np.mean(-left[ends[i] : ends[i + 1]] * np.sign(h) > -abs(h) / 2) > _STAYS
        and np.mean(left[ends[i + 1] : ends[i + 2]] * np.sign(h) > -abs(h) / 2) > _STAYS
        for i, h in enumerate(heights)
    )
