"""Rows that lie where rows of the null model do not: measured against drawn rows, not against each other.

Rows that resemble each other hide each other from detectors that were fitted on them; a null that leaves them
out does not know them, however many they are.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.evidence import MODELS, beyond_chance
from gnomon.anomaly.null import NullModel, Population
from gnomon.anomaly.scaling import Robust, bulk_axes, sample_rows

_ROWS: Final = 2_000
_FEWEST: Final = 60
_REFERENCE: Final = 150
_FRESH: Final = 500
_OF_EACH: Final = 600
_NEIGHBOUR: Final = 5
# In wider tables this many columns are looked at: the price is per column, and rows that lie apart in many do
# so in these.
_COLUMNS: Final = 100
# With fewer rows per column the spread of the bulk is too uncertain to call rows outside it odd.
_ROWS_PER_COLUMN: Final = 5
# Where the middle of the rows is compared with that of the null, and how much it may differ.
_BODY: Final = (0.4, 0.6, 0.8)
_GAP: Final = 0.12


def apart_p(X: np.ndarray, seed: int = 0) -> dict[str, float]:
    """One p-value per way in which rows can lie apart from those of the null.

    Args:
        X: The rows; a sample of many.
        seed: For the sample and the draws.

    Returns:
        ``nearest`` for the distance to the nearest drawn rows, and ``outside`` for the distance from the
        middle of the nearest population in units of its spread where there are rows enough to know it.
    """
    if len(X) < _FEWEST or X.shape[1] < 1:
        return {}
    rng = np.random.default_rng([seed, 13])
    S = _some_columns(sample_rows(X, _ROWS, rng), rng).astype(float)
    model = NullModel.fit(S, rng)
    known, fresh = _drawn(model, _REFERENCE, rng), _drawn(model, _FRESH, rng)
    scale = Robust.fit(known, rng, tails="soft")
    reference = scale.apply(known)
    found = {"nearest": (_nearest(scale.apply(S), reference), _nearest(scale.apply(fresh), reference))}
    if S.shape[1] >= 2 and len(S) >= _ROWS_PER_COLUMN * S.shape[1]:
        found["outside"] = _outside(model, S, fresh, Robust.fit(known, rng, tails="bent"), rng)
    return {name: beyond_chance(rows, null) for name, (rows, null) in found.items() if _alike(rows, null)}


def _some_columns(S: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if S.shape[1] <= _COLUMNS:
        return S
    return S[:, np.sort(rng.choice(S.shape[1], _COLUMNS, replace=False))]


def _drawn(model: NullModel, size: int, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([model.draw(size, rng) for _ in range(MODELS)])


def _nearest(rows: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Logarithm of the squared distance to a near row of the reference."""
    away = (rows**2).sum(axis=1)[:, None] - 2 * rows @ reference.T + (reference**2).sum(axis=1)
    return np.log(np.maximum(np.partition(away, _NEIGHBOUR, axis=1)[:, _NEIGHBOUR], 1e-6)).astype(float)


def _outside(
    model: NullModel, S: np.ndarray, fresh: np.ndarray, scale: Robust, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Logarithm of the squared distance from the nearest population, of the rows and of the drawn ones."""
    rows, null = scale.apply(S).astype(float), scale.apply(fresh).astype(float)
    away = [_spreads(population, scale, (rows, null), rng) for population in model.populations]
    nearest = (np.min(side, axis=0) for side in zip(*away, strict=True))
    near_rows, near_null = (np.log(x + 1e-9) for x in nearest)
    return near_rows, near_null


def _spreads(
    population: Population, scale: Robust, sides: tuple[np.ndarray, np.ndarray], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    parts = [population.draw(_OF_EACH // 2, rng) for _ in range(2)]
    centre, axes, spread = bulk_axes(scale.apply(np.concatenate(parts)).astype(float), keep=0.9, steps=1)
    spread = np.maximum(spread, 1e-6 * float(spread.max()) + 1e-12)
    first, second = ((((x - centre) @ axes) ** 2 / spread).sum(axis=1) for x in sides)
    return first, second


def _alike(rows: np.ndarray, null: np.ndarray) -> bool:
    """Whether the null describes the middle of the rows; where not, it is too simple to judge the rest."""
    reached = np.array([np.mean(rows <= q) for q in np.quantile(null, _BODY)])
    return bool(np.abs(reached - np.array(_BODY)).max() <= _GAP + 1 / np.sqrt(len(rows)))
