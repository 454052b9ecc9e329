"""Splitting rows into populations: groups with a valley of density between them."""

from __future__ import annotations

from typing import Final

import numpy as np

_SMALLEST_POPULATION: Final = 0.12
_MOST_LEFT_OUT: Final = 0.12
_SMALLEST_GROUP: Final = 0.02
_VALLEY: Final = 0.5
_DEPTH: Final = 4


def populations(Z: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Row numbers of each population in scaled rows ``Z``; groups too small to be one are left out."""
    groups = _split(Z, np.arange(len(Z)), rng, _DEPTH, max(10, int(_SMALLEST_GROUP * len(Z))))
    groups = sorted(groups, key=len, reverse=True)
    before = np.cumsum([0, *(len(g) for g in groups[:-1])])
    # Many small groups are how the rows are, a few rows beside large ones are not.
    large = [
        g
        for g, covered in zip(groups, before, strict=True)
        if len(g) >= _SMALLEST_POPULATION * len(Z) or covered < (1 - _MOST_LEFT_OUT) * len(Z)
    ]
    return large or [np.arange(len(Z))]


def _split(
    Z: np.ndarray, rows: np.ndarray, rng: np.random.Generator, depth: int, least: int
) -> list[np.ndarray]:
    """The rows in groups, divided in two as long as a valley lies between the halves."""
    if depth == 0 or len(rows) < 4 * least:
        return [rows]
    for _ in range(3):
        side = _two_means(Z[rows], rng)
        left, right = rows[~side], rows[side]
        if min(len(left), len(right)) < least:
            continue
        along = Z[rows] @ (Z[right].mean(axis=0) - Z[left].mean(axis=0))
        if _has_valley(along, float(along[~side].mean()), float(along[side].mean())):
            halves = (left, right)
            return [g for half in halves for g in _split(Z, half, rng, depth - 1, least)]
    return [rows]


def _two_means(Z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which of two centres each row is nearest to."""
    first = Z[rng.integers(len(Z))]
    away = ((Z - first) ** 2).sum(axis=1)
    if away.sum() <= 0:
        return np.zeros(len(Z), dtype=bool)
    centres = np.stack([first, Z[rng.choice(len(Z), p=away / away.sum())]])
    side = np.zeros(len(Z), dtype=bool)
    for step in range(30):
        new = ((Z - centres[1]) ** 2).sum(axis=1) < ((Z - centres[0]) ** 2).sum(axis=1)
        if step and bool((new == side).all()):
            break
        side = new
        if bool(side.all()) or not bool(side.any()):
            break
        centres = np.stack([Z[~side].mean(axis=0), Z[side].mean(axis=0)])
    return side


def _has_valley(x: np.ndarray, left: float, right: float) -> bool:
    """Whether the smoothed density of ``x`` falls and rises again between two centres."""
    low, high = np.quantile(x, [0.001, 0.999])
    if high <= low:
        return False
    bins = 256
    counts, _ = np.histogram(np.clip(x, low, high), bins, (low, high))
    q25, q75 = np.quantile(x, [0.25, 0.75])
    spread = min(float(x.std()), float(q75 - q25) / 1.349 or float(x.std()))
    width = max(1.0, 0.9 * spread * len(x) ** -0.2 / float(high - low) * bins)
    side = min(int(4 * width), bins // 2 - 1)
    reach = np.arange(-side, side + 1)
    density = np.convolve(counts, np.exp(-0.5 * (reach / width) ** 2), mode="same")
    rising, falling = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    lower = np.minimum(rising, falling)
    # A peak made of a handful of rows is a tail, not a population.
    tall = lower > 0.06 * density.max()
    middles = low + (np.arange(bins) + 0.5) * (high - low) / bins
    between = (middles > left) & (middles < right)
    return bool((between & tall & (density < _VALLEY * lower)).any())
