"""Values that do not follow from the rest of their row, however usual they are in their own column.

Every column is predicted from the others, in normal scores so that no far value leads the prediction, from the
most central rows, and for each row as if the prediction had not seen it. What is left over is a table of its
own, whose far ends are judged like those of any other; so is the whole of what is left over in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.ends import Far, far_ends
from gnomon.anomaly.scaling import sample_rows

_FEWEST: Final = 80
_ROWS: Final = 20_000
_COLUMNS: Final = 200
_ROWS_PER_COLUMN: Final = 1.5
_CENTRAL: Final = 0.9
_STEPS: Final = 3
# How much of each column counts as its own from the start, at least, and per column for each row.
_OWN: Final = (0.02, 0.5)
# A column of which more than this is left over does not hang together with the others.
_LEFT: Final = 0.6
# What is left over of a whole row ends a little farther out than its middle says, since rows judge themselves.
_LENIENT: Final = 2.0


@dataclass(frozen=True)
class Leftover:
    """What the other columns do not explain.

    Attributes:
        rows: The row numbers looked at.
        each: By row and column, the columns that hang together with others only.
        total: The whole of it, by row, as a logarithm.
    """

    rows: np.ndarray
    each: np.ndarray
    total: np.ndarray


def unexplained(matrix: np.ndarray, seed: int = 0) -> tuple[Far, Far]:
    """Single values, and whole rows, that do not follow from how columns hang together."""
    left = leftover(matrix, seed)
    if left is None:
        return Far(1.0, ()), Far(1.0, ())
    single, whole = far_ends(left.each), far_ends(left.total[:, None], lower=False)
    return _named(single, left.rows), _named(Far(min(1.0, _LENIENT * whole.p), whole.rows), left.rows)


def _named(far: Far, rows: np.ndarray) -> Far:
    return Far(far.p, tuple(int(rows[r]) for r in far.rows))


def leftover(matrix: np.ndarray, seed: int = 0) -> Leftover | None:
    """What is left over when each column is predicted from the others; None where none can be."""
    n, p = matrix.shape
    if n < _FEWEST or not 2 <= p <= _COLUMNS or n < _ROWS_PER_COLUMN * p:
        return None
    rows = sample_rows(np.arange(n), _ROWS, np.random.default_rng([seed, 17]))
    Z = _standard(matrix[rows])
    if Z.shape[1] < 2:
        return None
    n, p = Z.shape
    own = _OWN[0] + _OWN[1] * p / n
    inside, centre, inverse = np.ones(n, dtype=bool), np.zeros(p), np.eye(p)
    seen, along, away = inside, Z, np.zeros(n)
    for _ in range(_STEPS + 1):
        seen = inside
        centre = Z[seen].mean(axis=0)
        C = np.cov(Z[seen] - centre, rowvar=False)
        inverse = np.linalg.inv((1 - own) * C + own * np.diag(np.diag(C)) + 1e-9 * np.eye(p))
        along = (Z - centre) @ inverse
        away = ((Z - centre) * along).sum(axis=1)
        # A row pulls the prediction of itself: without it what is left over would be larger by this.
        without = np.where(seen, np.maximum(1 - away / seen.sum(), 0.05), 1.0)
        away, along = away / without, along / without[:, None]
        inside = away <= np.quantile(away, _CENTRAL)
    share = 1 / (np.diag(inverse) * np.maximum(Z[seen].var(axis=0), 1e-9))
    related = share < _LEFT
    if not related.any():
        return None
    return Leftover(rows, (along / np.diag(inverse))[:, related], np.log(np.maximum(away, 1e-9)))


def _standard(S: np.ndarray) -> np.ndarray:
    """Columns as normal scores, ties in the middle, of mean 0 and spread 1; constant ones left out."""
    from scipy.special import ndtri

    n = len(S)
    Z = np.empty(S.shape)
    for j in range(S.shape[1]):
        known, at, count = np.unique(S[:, j], return_inverse=True, return_counts=True)
        Z[:, j] = ndtri((np.cumsum(count) - 0.5 * count) / n)[at] if len(known) > 1 else 0.0
    varies = Z.std(axis=0) > 1e-9
    return (Z - Z.mean(axis=0))[:, varies] / Z.std(axis=0)[varies]
