"""Long stretches in which a series was not itself: another level that ends again, or one value that stays.

What lasts for more than a few per cent of a series would be learned as usual. Such stretches are found first and
mended, so that what is usual is learned from the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.modalities.departure import spread
from gnomon.anomaly.modalities.seasonality import rolling_median

SHORTEST: Final = 8
# A stretch with the rest on both sides, and one at an end: a longer one there is a new level, not an outage.
_LONGEST: Final = 0.25
_LONGEST_AT_AN_END: Final = 0.2
_ALL: Final = 0.3
_EDGES: Final = 12
_SHARP: Final = 4.0
_CLEARER: Final = 1.5
_RECOVERED: Final = 0.5
_INSIDE: Final = 0.4
_THROUGHOUT: Final = 0.85
_MOSTLY: Final = 0.6
# Readings beyond so many deviations count as no more: one spike makes no stretch.
_BOUND: Final = 3.5
_STRETCHES: Final = 4
_LONGER_BY: Final = 1.41
# Less than so many deviations of a mean come about in any series.
_LEAST: Final = 4.0
# A stretch lies this many times as far off as the rest of the series wanders.
_WANDERS: Final = 1.2
_WANDERS_AT_AN_END: Final = 2.0
# The most that chance may have to do with it, whatever else is looked at.
_CHANCE: Final = 0.02
# Distances scatter less evenly than levels do: what swings has to be clearer.
_SURE: Final = 0.0003
_LONGER: Final = 3.0
_TAIL: Final = 0.25


@dataclass(frozen=True)
class Outages:
    """Long outages of a variable.

    Attributes:
        inside: Which readings belong to one.
        p: The chance that a series without outages shows the least clear of them; 1 where there are none.
    """

    inside: np.ndarray
    p: float = 1.0

    @classmethod
    def find(cls, x: np.ndarray, level: np.ndarray, window: int) -> Outages:
        """Look for them.

        Args:
            x: The readings.
            level: The same without drift and season.
            window: How many readings tell a level.
        """
        found = [_stuck(x)]
        if len(x) >= 6 * SHORTEST:
            near = max(5, min(window, len(x) // 12))
            moved = _displaced(level, near)
            found += [moved, _restless(bridged(level, moved.inside, near), near)]
        inside = np.any([f.inside for f in found if f.p <= _CHANCE] or [np.zeros(len(x), dtype=bool)], axis=0)
        if not inside.any() or inside.mean() > _ALL:
            return cls(np.zeros(len(x), dtype=bool))
        return cls(inside, max(f.p for f in found if f.p <= _CHANCE))


def bridged(level: np.ndarray, inside: np.ndarray, window: int) -> np.ndarray:
    """The level with outages bridged: along a line between what surrounds them, with the unrest of other readings.

    Args:
        level: Readings without drift and season.
        inside: Which of them belong to an outage.
        window: How many readings tell a level.
    """
    if not inside.any():
        return level
    out, outside = level.copy(), np.flatnonzero(~inside)
    rough = level[outside] - rolling_median(level[outside], window)
    for start, end in _runs(inside):
        before, after = level[max(0, start - window) : start], level[end : end + window]
        sides = [np.median(side[~part]) for side, part in _known(before, after, inside, start, end, window)]
        first, last = (sides[0], sides[-1]) if sides else (0.0, 0.0)
        donors = (np.searchsorted(outside, end) + np.arange(end - start)) % len(outside)
        out[start:end] = np.linspace(first, last, end - start) + rough[donors]
    return out


def _known(
    before: np.ndarray, after: np.ndarray, inside: np.ndarray, start: int, end: int, window: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The readings on each side of a stretch that there are, and which of them belong to another one."""
    sides = [(before, inside[max(0, start - window) : start]), (after, inside[end : end + window])]
    return [(side, part) for side, part in sides if not part.all()]


def _runs(inside: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _stuck(x: np.ndarray) -> Outages:
    """Readings that stay at one value for longer than repeated values elsewhere explain."""
    n = len(x)
    edges = np.flatnonzero(np.concatenate([[True], np.diff(x) != 0]))
    lengths = np.diff(np.append(edges, n))
    longest = int(lengths.max())
    inside = np.zeros(n, dtype=bool)
    if longest < SHORTEST or longest > _LONGEST * n:
        return Outages(inside)
    # Half as long as the longest counts as the same kind of event: a sensor may fail more than once.
    events = lengths >= max(SHORTEST, longest / 2)
    others = lengths[~events]
    again = (others.sum() - len(others) + 1) / (others.sum() + 1)
    shortest = int(lengths[events].min())
    if shortest < _LONGER * others.max(initial=1) or lengths[events].sum() > _ALL * n:
        return Outages(inside)
    inside[np.repeat(events, lengths)] = True
    return Outages(inside, min(1.0, float(n * again ** (shortest - 1))))


def _displaced(level: np.ndarray, window: int) -> Outages:
    """Readings of stretches whose level is another one, with sharp edges, and that return to where they came from."""
    n = len(level)
    change = level_changes(level, window)
    strong = _SHARP * float(spread(change))
    peaks = apart(np.abs(change), strong, window)
    inside, found = np.zeros(n, dtype=bool), list[tuple[int, int, float]]()
    for start, end, p in _scanned(level, window):
        inside[start:end] = True
        found.append((start, end, p))
    ends = [0, *sorted(peaks), n]
    for height, start, end in sorted(_stretches(level, ends, window), reverse=True):
        if not inside[max(0, start - 1) : end + 1].any() and height > strong:
            start, end = _settled(level, start, end, window)
            inside[start:end] = True
            found.append((start, end, 1.0))
    near = inside.copy()
    for start, end, _ in found:
        for edge in (start, end):
            near[max(0, edge - window) : edge + window] = True
    rest = np.abs(change[~near])
    p = 0.0
    for start, end, chance in found:
        edges = [np.abs(change[max(0, e - window) : e + window]).max() for e in (start, end) if 0 < e < n]
        if len(rest) >= n // 2 and min(edges) >= max(strong, _CLEARER * float(rest.max())):
            chance = min(chance, _chance(np.array(edges), rest, window))
        if chance > _CHANCE or _wanders(level, near, start, end, window):
            inside[start:end] = False
        else:
            p = max(p, chance)
    return Outages(inside, p) if inside.any() else Outages(inside)


def _restless(level: np.ndarray, window: int) -> Outages:
    """Readings of stretches in which they swing farther, or less far, than anywhere else."""
    # Where a level changes and stays, readings fit what comes before or what comes after.
    wide = max(31, len(level) // 8)
    before, after = (_running(x, wide) for x in (level, level[::-1]))
    off = np.minimum(np.abs(level - before), np.abs(level - after[::-1]))
    size = np.minimum(off, _BOUND * float(spread(level)))
    inside, p = np.zeros(len(level), dtype=bool), 0.0
    found = _scanned(size, window, _MOSTLY)
    near = np.zeros(len(level), dtype=bool)
    for start, end, _ in found:
        near[max(0, start - window) : end + window] = True
    for start, end, chance in found:
        if chance <= _SURE and not _wanders(size, near, start, end, window):
            inside[start:end], p = True, max(p, chance)
    return Outages(inside, p) if inside.any() else Outages(inside)


def _running(x: np.ndarray, window: int) -> np.ndarray:
    """The median of each reading and those before it."""
    import pandas as pd

    return pd.Series(x).rolling(window, min_periods=1).median().to_numpy(dtype=float)


def _scanned(level: np.ndarray, window: int, throughout: float = _THROUGHOUT) -> list[tuple[int, int, float]]:
    """Stretches whose mean lies farther from what surrounds them than that of any other stretch as long, and by chance.

    Each edge may be lost in noise; all readings between them together are not.
    """
    n, width = len(level), float(spread(level))
    bounded = np.clip((level - np.median(level)) / width, -_BOUND, _BOUND)
    taken, out = np.zeros(n, dtype=bool), list[tuple[int, int, float]]()
    while len(out) < _STRETCHES:
        start, size, clear, freedom = _farthest(np.where(taken, 0.0, bounded), window)
        looks = 2.0 * n / SHORTEST
        p = min(1.0, looks * _t_tail(clear, freedom))
        if p > _CHANCE:
            break
        start, end = _settled(level, start, start + size, max(window, size // 3))
        if taken[start:end].any() or _returns(level, start, end, window, throughout) is None:
            break
        taken[start:end] = True
        out.append((start, end, p))
    return out


def _farthest(x: np.ndarray, window: int) -> tuple[int, int, float, float]:
    """Start and length of the stretch that lies farthest off its surroundings, in usual deviations, and how well these are known."""
    n, total = len(x), np.concatenate([[0.0], np.cumsum(x)])
    memory = min(3 * window, n // 6)
    most, best = 0.0, (0, SHORTEST, 0.0, 1.0)
    size = float(SHORTEST)
    while size <= _LONGEST * n:
        long, beside = round(size), max(round(size), 2 * window)
        start = np.arange(n - long + 1)
        left, right = np.minimum(start, beside), np.minimum(n - start - long, beside)
        own = (total[start + long] - total[start]) / long
        before = (total[start] - total[start - left]) / np.maximum(left, 1)
        after = (total[start + long + right] - total[start + long]) / np.maximum(right, 1)
        # At an end there is one side only.
        one, other = left >= beside // 2, right >= beside // 2
        both = one & other
        off = own - np.where(both, (before + after) / 2, np.where(one, before, after))
        off = np.abs(off / np.sqrt(1 / long + np.where(both, 0.5, 1.0) / beside))
        at = int(np.argmax(off))
        size *= _LONGER_BY
        if off[at] < max(most, _LEAST):
            continue
        # A few stretches may be as odd as this one; more of them are how the series is.
        alike = apart(off, float(off[at]) / _CLEARER, long + beside)[:_STRETCHES]
        elsewhere = np.all([np.abs(start - other) > long + beside for other in alike], axis=0)
        if elsewhere.sum() > n // 4 and off[at] > _CLEARER * off[elsewhere].max():
            rest = np.delete(x, np.s_[at : at + long])
            # Two ways to know how far means stray by themselves, with the memory that readings have.
            usual = max(
                1.4826 * float(np.median(off[elsewhere])), np.sqrt(long_run(rest - rest.mean(), memory))
            )
            most, best = float(off[at]), (at, long, float(off[at]) / usual, 1.5 * len(rest) / memory)
    return best


def _t_tail(t: float, freedom: float) -> float:
    """Both tails of Student's law."""
    from scipy.special import stdtr

    return float(2 * stdtr(max(1.0, freedom), -t))


def _chance(edges: np.ndarray, rest: np.ndarray, window: int) -> float:
    """How often changes as large as these come about anywhere: those of the rest, continued as they fall."""
    edge = float(np.quantile(rest, 1 - _TAIL))
    slope = float((rest[rest > edge] - edge).mean()) if (rest > edge).any() else edge
    slope = max(slope, 1e-12 * float(edges.max()), 1e-300)
    # Neighbouring changes are one: so few tell how the tail falls that it may well be heavier than it looks.
    known = max(1.0, _TAIL * len(rest) / window)
    each = _TAIL * (1.0 + np.maximum(edges - edge, 0.0) / (slope * known)) ** -known
    return float(min(1.0, len(rest) / window * np.prod(each)))


def long_run(x: np.ndarray, window: int) -> float:
    """The variance of sums of readings, for each of them: their own, and twice what they share with those before."""
    n = len(x)
    own = float(x @ x) / n
    shared = [float(x[k:] @ x[:-k]) / n * (1 - k / (window + 1)) for k in range(1, window + 1)]
    return max(own + 2 * sum(shared), own)


def level_changes(level: np.ndarray, window: int) -> np.ndarray:
    """At each reading, the level from it on against the level before it; zero where one side is too short."""
    import pandas as pd

    before = pd.Series(level).rolling(window).median().to_numpy(dtype=float)
    out = np.zeros(len(level))
    out[window : len(level) - window + 1] = (
        before[2 * window - 1 :] - before[window - 1 : len(level) - window]
    )
    return out


def apart(height: np.ndarray, least: float, window: int) -> list[int]:
    """The highest places, none within ``window`` of a higher one."""
    chosen: list[int] = []
    order = np.argsort(-height, kind="stable")
    for at in order[: int((height > least).sum())]:
        if all(abs(at - c) >= window for c in chosen):
            chosen.append(int(at))
            if len(chosen) == _EDGES:
                break
    return chosen


def _stretches(level: np.ndarray, ends: list[int], window: int) -> list[tuple[float, int, int]]:
    """How far each stretch between two places lies off what surrounds it, where it does so throughout."""
    return [
        (height, start, end)
        for i, start in enumerate(ends)
        for end in ends[i + 1 :]
        if (height := _returns(level, start, end, window)) is not None
    ]


def _returns(
    level: np.ndarray, start: int, end: int, window: int, throughout: float = _THROUGHOUT
) -> float | None:
    """How far a stretch lies off what surrounds it; None where it does not throughout, or nothing returns."""
    n = len(level)
    longest = _LONGEST if start > 0 and end < n else _LONGEST_AT_AN_END
    if not SHORTEST <= end - start <= longest * n:
        return None
    sides = [
        np.median(s) for s in (level[max(0, start - window) : start], level[end : end + window]) if len(s)
    ]
    off = level[start:end] - np.mean(sides)
    height = float(np.median(off))
    if abs(sides[0] - sides[-1]) > _RECOVERED * abs(height):
        return None
    return abs(height) if np.mean(off * np.sign(height) > _INSIDE * abs(height)) >= throughout else None


def _settled(level: np.ndarray, start: int, end: int, window: int) -> tuple[int, int]:
    """The same stretch with each edge where readings change from the level outside to the one inside."""
    inner = float(np.median(level[start:end]))

    def edge(at: int, outer: float, side: int) -> int:
        low, high = max(0, at - window), min(len(level), at + window)
        part = level[low:high]
        gain = (np.abs(part - inner) - np.abs(part - outer)) * side
        return low + int(np.argmax(np.concatenate([[0.0], np.cumsum(gain)])))

    if start > 0:
        start = edge(start, float(np.median(level[max(0, start - window) : start])), 1)
    if end < len(level):
        end = edge(end, float(np.median(level[end : end + window])), -1)
    return start, end


def _wanders(level: np.ndarray, near: np.ndarray, start: int, end: int, window: int) -> bool:
    """Whether a stretch lies where the rest of the series has been, or could soon be, too."""
    rest = rolling_median(level[~near], window)
    low, high = np.quantile(rest, [0.05, 0.95])
    far = _WANDERS if start > 0 and end < len(level) else _WANDERS_AT_AN_END
    return abs(float(np.median(level[start:end]) - np.median(rest))) < far * float(high - low)
