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
# A stretch lies this many times as far off as the rest of the series wanders.
_WANDERS: Final = 1.2
_WANDERS_AT_AN_END: Final = 2.0
# The most that chance may have to do with it, whatever else is looked at.
_CHANCE: Final = 0.02
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
            found.append(_displaced(level, max(5, min(window, len(x) // 12))))
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
    inside, found = np.zeros(n, dtype=bool), []
    ends = [0, *sorted(peaks), n]
    for height, start, end in sorted(_stretches(level, ends, window), reverse=True):
        if not inside[max(0, start - 1) : end + 1].any() and height > strong:
            start, end = _settled(level, start, end, window)
            inside[start:end] = True
            found.append((start, end))
    near = inside.copy()
    for start, end in found:
        for edge in (start, end):
            near[max(0, edge - window) : edge + window] = True
    rest = np.abs(change[~near])
    p = 0.0
    for start, end in found:
        edges = [np.abs(change[max(0, e - window) : e + window]).max() for e in (start, end) if 0 < e < n]
        clear = len(rest) >= n // 2 and min(edges) >= max(strong, _CLEARER * float(rest.max()))
        chance = _chance(np.array(edges), rest, window) if clear else 1.0
        if chance > _CHANCE or _wanders(level, near, start, end, window):
            inside[start:end] = False
        else:
            p = max(p, chance)
    return Outages(inside, p) if inside.any() else Outages(inside)


def _chance(edges: np.ndarray, rest: np.ndarray, window: int) -> float:
    """How often changes as large as these come about anywhere: those of the rest, continued as they fall."""
    edge = float(np.quantile(rest, 1 - _TAIL))
    slope = float((rest[rest > edge] - edge).mean()) if (rest > edge).any() else edge
    slope = max(slope, 1e-12 * float(edges.max()), 1e-300)
    # Neighbouring changes are one: so few tell how the tail falls that it may well be heavier than it looks.
    known = max(1.0, _TAIL * len(rest) / window)
    each = _TAIL * (1.0 + np.maximum(edges - edge, 0.0) / (slope * known)) ** -known
    return float(min(1.0, len(rest) / window * np.prod(each)))


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
    n = len(level)
    out: list[tuple[float, int, int]] = []
    for i, start in enumerate(ends):
        for end in ends[i + 1 :]:
            longest = _LONGEST if start > 0 and end < n else _LONGEST_AT_AN_END
            if not SHORTEST <= end - start <= longest * n:
                continue
            sides = [
                np.median(s)
                for s in (level[max(0, start - window) : start], level[end : end + window])
                if len(s)
            ]
            off = level[start:end] - np.mean(sides)
            height = float(np.median(off))
            returns = abs(sides[0] - sides[-1]) <= _RECOVERED * abs(height)
            if returns and np.mean(off * np.sign(height) > _INSIDE * abs(height)) >= 0.85:
                out.append((abs(height), start, end))
    return out


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
