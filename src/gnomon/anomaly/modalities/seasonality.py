"""Finds the periods of a series and its usual pattern, robustly and in linear time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon.anomaly.modalities.departure import spread

Step = tuple[int, float]
"""Where on the grid a new level begins, and by how much it differs from the one before."""
_CALENDAR = (60.0, 3600.0, 86_400.0, 604_800.0, 31_556_952.0)
_LONGEST = 40_000


@dataclass
class Pattern:
    """What a series usually does: a straight drift, periodic profiles and how noisy each phase is.

    Attributes:
        slope: Change per step.
        intercept: Level at position zero.
        profiles: One usual value per phase, for each period (the length of the profile).
        noise: How noisy each phase of the longest period is, relative to the whole.
        steps: Lasting shifts of the level.
    """

    slope: float
    intercept: float
    profiles: list[np.ndarray]
    noise: np.ndarray
    steps: tuple[Step, ...] = ()

    @property
    def periods(self) -> tuple[int, ...]:
        """The periods in steps, in the order they were found."""
        return tuple(len(p) for p in self.profiles)

    def drift(self, position: np.ndarray) -> np.ndarray:
        """The straight part at each position, on the level that held there."""
        out = self.intercept + self.slope * position
        for at, height in self.steps:
            out = out + np.where(position >= at, height, 0.0)
        return out

    def seasonal(self, position: np.ndarray) -> np.ndarray:
        """The periodic part at each position."""
        out = np.zeros(len(position))
        for profile in self.profiles:
            out += profile[position % len(profile)]
        return out

    def noise_at(self, position: np.ndarray) -> np.ndarray:
        """Relative noise at each position, around one."""
        return self.noise[position % len(self.noise)]


def rolling_median(x: np.ndarray, window: int) -> np.ndarray:
    """Centred rolling median; windows shrink at both ends."""
    import pandas as pd

    return pd.Series(x).rolling(window, center=True, min_periods=1).median().to_numpy(dtype=float)


def learn_pattern(
    x: np.ndarray, position: np.ndarray, step_seconds: float | None, steps: tuple[Step, ...] = ()
) -> Pattern:
    """The usual pattern of a gap-free series ``x`` observed at integer grid positions.

    Args:
        x: The readings.
        position: Where on the grid each of them lies.
        step_seconds: How long a step of the grid is, where that is known.
        steps: Lasting shifts of the level that are known already.
    """
    x = x - Pattern(0.0, 0.0, [], np.ones(1), steps).drift(position)
    slope, intercept = robust_line(x, position)
    level = x - (intercept + slope * position)
    window = max(31, len(x) // 8) | 1
    flat = level - rolling_median(level, window)
    profiles: list[np.ndarray] = []
    for _ in range(2):
        period = _strongest_period(flat, position, step_seconds, taken=[len(p) for p in profiles])
        if period is None:
            break
        profile = _phase_medians(flat, position, period)
        profiles.append(profile)
        flat = flat - profile[position % period]
    noise = _phase_noise(flat, position, max((len(p) for p in profiles), default=1))
    return Pattern(slope, intercept, profiles, noise, steps)


def robust_line(x: np.ndarray, position: np.ndarray) -> tuple[float, float]:
    """A repeated-median line through medians of up to 60 blocks; flat unless it clearly explains something.

    Unlike the median of all slopes (Theil and Sen), it holds where a fifth of the series at one end is off.
    """
    blocks = [b for b in np.array_split(np.arange(len(x)), min(60, max(1, len(x) // 8))) if len(b)]
    t = np.array([np.median(position[b]) for b in blocks])
    v = np.array([np.median(x[b]) for b in blocks])
    middle = float(np.median(x))
    if len(blocks) < 8:
        return 0.0, middle
    run = t[None, :] - t[:, None]
    np.fill_diagonal(run, np.nan)
    if not (np.abs(run) > 0).any(axis=1).all():
        return 0.0, middle
    steepness = (v[None, :] - v[:, None]) / np.where(run == 0, np.nan, run)
    slope = float(np.median(np.nanmedian(steepness, axis=1)))
    intercept = float(np.median(v - slope * t))
    most = len(v) * 3 // 4
    before = np.sort(np.abs(v - np.median(v)))[:most].mean()
    after = np.sort(np.abs(v - intercept - slope * t))[:most].mean()
    return (slope, intercept) if after < 0.6 * before else (0.0, middle)


def _strongest_period(
    flat: np.ndarray, position: np.ndarray, step_seconds: float | None, taken: list[int]
) -> int | None:
    """The period whose profile, learned on every other cycle, best predicts the remaining cycles."""
    width = float(spread(flat))
    clipped = np.clip(flat - np.median(flat), -4 * width, 4 * width)
    length = int(position[-1] - position[0]) + 1
    if length < 12 or not np.any(clipped):
        return None
    best: tuple[float, int] | None = None
    for period in _candidates(clipped, position, step_seconds):
        if any(abs(period - t) <= 0.02 * t for t in taken):
            continue
        gain = _held_out_gain(clipped, position, period)
        if gain > 0.08 and (best is None or gain > best[0] + (0.03 if period > best[1] else -0.03)):
            best = (gain, period)
    return None if best is None else best[1]


def _candidates(x: np.ndarray, position: np.ndarray, step_seconds: float | None) -> list[int]:
    """Plausible periods, shortest first: calendar grains and peaks of the autocorrelation."""
    start = max(0, len(x) - _LONGEST)
    grid = position[start:] - position[start]
    length = int(grid[-1]) + 1
    if length > 4 * _LONGEST:
        return []
    dense = np.interp(np.arange(length), grid, x[start:])
    longest = length // 3
    found: set[int] = set()
    if step_seconds:
        found |= {p for c in _CALENDAR if 4 <= (p := round(c / step_seconds)) <= longest}
    size = 1 << (2 * length - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(dense - dense.mean(), size)) ** 2
    acf = np.fft.irfft(spectrum, size)[: longest + 2]
    if len(acf) < 6 or acf[0] <= 0:
        return sorted(found)
    acf = acf / acf[0] * length / (length - np.arange(len(acf)))
    peaks = np.flatnonzero((acf[1:-1] >= acf[:-2]) & (acf[1:-1] > acf[2:])) + 1
    floor = max(0.12, 2.5 / np.sqrt(length))
    peaks = peaks[(peaks >= 3) & (acf[peaks] > floor)]
    strong = peaks[np.argsort(acf[peaks])[::-1][:8]]
    first = peaks[:4]
    return sorted(found | {int(p) for p in strong} | {int(p) for p in first})


def _held_out_gain(x: np.ndarray, position: np.ndarray, period: int) -> float:
    """How much of the absolute deviation a profile from other cycles removes, from 0 to 1."""
    cycle = position // period
    even = cycle % 2 == 0
    if even.all() or not even.any():
        return 0.0
    error = 0.0
    for train in (even, ~even):
        profile = _phase_medians(x[train], position[train], period)
        error += float(np.abs(x[~train] - profile[position[~train] % period]).sum())
    total = float(np.abs(x - np.median(x)).sum())
    return 1.0 - error / total if total > 0 else 0.0


def _phase_medians(x: np.ndarray, position: np.ndarray, period: int) -> np.ndarray:
    """The median at each phase; neighbouring phases help where there are few cycles."""
    import pandas as pd

    medians = pd.Series(x).groupby(position % period).median()
    profile = medians.reindex(range(period)).to_numpy(dtype=float)
    known = np.flatnonzero(np.isfinite(profile))
    profile = np.interp(np.arange(period), known, profile[known], period=period)
    cycles = len(x) / period
    half = int(min(period // 24, np.ceil(12 / cycles) // 2)) if cycles < 12 else 0
    if half > 0:
        padded = np.concatenate([profile[-half:], profile, profile[:half]])
        profile = rolling_median(padded, 2 * half + 1)[half:-half]
    return profile


def _phase_noise(residual: np.ndarray, position: np.ndarray, period: int) -> np.ndarray:
    """Relative noise per phase, smoothed and bounded; one where there is too little to tell."""
    if period < 2 or len(residual) < 6 * period:
        return np.ones(1)
    import pandas as pd

    size = pd.Series(np.abs(residual - np.median(residual))).groupby(position % period).median()
    local = size.reindex(range(period)).interpolate(limit_direction="both").to_numpy(dtype=float)
    half = max(1, period // 16)
    padded = np.concatenate([local[-half:], local, local[:half]])
    local = pd.Series(padded).rolling(2 * half + 1, center=True).mean().to_numpy(dtype=float)[half:-half]
    overall = float(np.median(local))
    if overall <= 0:
        return np.ones(1)
    return np.clip(local / overall, 0.5, 3.0)
