"""Values that do not follow from the rest of their row, however usual they are in their own column.

Every column is predicted from the others, in normal scores so that no far value leads the prediction, from the
most central rows, and for each row as if the prediction had not seen it. What is left over is a table of its
own, whose far ends are judged like those of any other; so is the whole of what is left over in a row. Where
rows come in groups, a row is compared with the group it is nearest to instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from gnomon.anomaly.clusters import populations
from gnomon.anomaly.contamination import among
from gnomon.anomaly.ends import Far, far_ends
from gnomon.anomaly.null import without_steps
from gnomon.anomaly.scaling import Robust, bulk_axes, sample_rows

_FEWEST: Final = 80
_ROWS: Final = 20_000
_COLUMNS: Final = 200
_ROWS_PER_COLUMN: Final = 1.5
_CENTRAL: Final = 0.9
_STEPS: Final = 3
# The fewest rows of a group, and for each column, to know how far its rows spread.
_GROUP: Final = 30
_ROWS_PER_SPREAD: Final = 4
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
        each: By row and column, the columns that hang together with others only.
        total: The whole of it, by row, as a logarithm.
    """

    each: np.ndarray
    total: np.ndarray


def unexplained(matrix: np.ndarray, seed: int = 0) -> tuple[Far, Far]:
    """Single values, and whole rows, that do not follow from how columns hang together."""
    n, p = matrix.shape
    if n < _FEWEST or not 1 <= p <= _COLUMNS or n < _ROWS_PER_COLUMN * p:
        return Far(1.0, ()), Far(1.0, ())
    rows = sample_rows(np.arange(n), _ROWS, np.random.default_rng([seed, 17]))
    left, groups = leftover(matrix[rows]), outside_groups(matrix[rows], seed)
    total = groups if groups is not None else left.total if left is not None else None
    single = far_ends(left.each) if left is not None else Far(1.0, ())
    whole = far_ends(total[:, None], lower=False) if total is not None else Far(1.0, ())
    return _named(single, rows), _named(Far(among(whole.p, _LENIENT), whole.rows), rows)


def _named(far: Far, rows: np.ndarray) -> Far:
    return Far(far.p, tuple(int(rows[r]) for r in far.rows))


def outside_groups(S: np.ndarray, seed: int = 0) -> np.ndarray | None:
    """Logarithm of the distance of each row from the group it is nearest to, in units of the group's spread.

    None where the rows are one group, or groups are too small to know their spread.
    """
    rng = np.random.default_rng([seed, 19])
    soft = Robust.fit(S, rng, tails="soft").apply(S).astype(float)
    groups = populations(without_steps(S, soft, rng), rng)
    if len(groups) < 2 or min(len(g) for g in groups) < max(_GROUP, _ROWS_PER_SPREAD * S.shape[1]):
        return None
    Z = Robust.fit(S, rng, tails="bent").apply(S).astype(float)
    nearest = np.full(len(S), np.inf)
    for group in groups:
        centre, axes, spread = bulk_axes(Z[group], keep=_CENTRAL, steps=2)
        spread = np.maximum(spread, 1e-6 * float(spread.max(initial=0.0)) + 1e-12)
        away = (((Z - centre) @ axes) ** 2 / spread).sum(axis=1)
        # Rows of the group are a part of what they are measured with.
        away[group] /= np.maximum(1 - away[group] / len(group), 0.05)
        nearest = np.minimum(nearest, away)
    return np.log(np.maximum(nearest, 1e-9))


def leftover(S: np.ndarray) -> Leftover | None:
    """What is left over when each column is predicted from the others; None where none can be."""
    Z = _standard(S)
    if len(Z) < _FEWEST or Z.shape[1] < 2:
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
    return Leftover((along / np.diag(inverse))[:, related], np.log(np.maximum(away, 1e-9)))


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
