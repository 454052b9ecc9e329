"""Whether some rows of a table stand alone, whatever detectors say: far values, and places where no rows belong.

A few values far beyond the rest of their column are told by the gap before them, against the tail they would
belong to; rows in odd places by how far from rows of the null they lie.
"""

from __future__ import annotations

import weakref
from typing import Any, Final

import numpy as np

_TAIL: Final = 0.1
_TAIL_ROWS: Final = 20
_DISTINCT: Final = 10
_MOST: Final = 0.02


_known: dict[int, tuple[weakref.ref[Any], tuple[float, ...]]] = {}


def lonely_p(matrix: np.ndarray) -> float:
    """One p-value that some rows stand alone, corrected for the ways in which they can."""
    looks = ways_apart(matrix)
    return float(min(1.0, len(looks) * min(looks, default=1.0)))


def ways_apart(matrix: np.ndarray) -> tuple[float, ...]:
    """A p-value for each way in which rows can stand alone; asked again about the same matrix, the same."""
    at = id(matrix)
    if at in _known and _known[at][0]() is matrix:
        return _known[at][1]
    from gnomon.anomaly.apart import apart_p  # which compares evidence, and evidence asks here
    from gnomon.anomaly.ends import ends_p

    found = (gap_p(matrix), ends_p(matrix), *apart_p(matrix))
    _known[at] = weakref.ref(matrix, lambda _: _known.pop(at, None)), found
    return found


def gap_p(matrix: np.ndarray) -> float:
    """One p-value that some column ends in a gap that its own tail does not explain.

    Distances from the median are taken in logarithms, on which even the heaviest usual tails fall like an
    exponential and lighter ones faster; the gap before the k farthest values, times k, is then one draw from
    that exponential. Corrected for the counts, the sides and the columns.
    """
    return farthest_gap(matrix)[0]


def farthest_gap(matrix: np.ndarray) -> tuple[float, int]:
    """The same p-value, and the row that holds the value it speaks of."""
    n, p = matrix.shape
    if n < 5 * _TAIL_ROWS:
        return 1.0, 0
    centered = matrix - np.median(matrix, axis=0)
    sides = [side[:, j] for side in (centered, -centered) for j in range(p)]
    each = [_side(side, n) for side in sides]
    at = int(np.argmin(each))
    return float(min(1.0, 2 * p * each[at])), int(sides[at].argmax())


def _side(distance: np.ndarray, n: int) -> float:
    """The same for one side of one column, corrected for the counts only."""
    rows = max(_TAIL_ROWS, int(_TAIL * n))
    top = np.sort(np.partition(distance, n - rows)[n - rows :])[::-1]
    if top[-1] <= 0 or len(np.unique(top)) < _DISTINCT:
        return 1.0
    y = np.log(top)
    k = np.arange(1, max(3, int(_MOST * n)) + 1)
    k = k[k <= rows // 3]
    beneath = rows - 1 - k
    sums = np.cumsum(y[::-1])[::-1]
    scale = (sums[k] - y[-1] - beneath * y[-1]) / np.maximum(beneath, 1)
    gaps = k * (y[k - 1] - y[k])
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(scale > 0, (1 + gaps / (scale * beneath)) ** -beneath.astype(float), 1.0)
    return float(np.min(chance * k * (k + 1)))
