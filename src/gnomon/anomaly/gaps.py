"""A gap before the last values of a column that its own tail does not explain."""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.contamination import among
from gnomon.anomaly.ends import Far

_TAIL: Final = 0.1
_TAIL_ROWS: Final = 20
_DISTINCT: Final = 10
_MOST: Final = 0.02
# With fewer values than this share of the rows of a tail they lie on a grid.
_REPEAT: Final = 0.8


def gap_p(matrix: np.ndarray) -> float:
    """One p-value that some column ends in a gap that its own tail does not explain."""
    return far_gaps(matrix).p


def far_gaps(matrix: np.ndarray, level: float = 0.05) -> Far:
    """Values beyond a gap that the tail of their column does not explain.

    Distances from the median are taken in logarithms, on which even the heaviest usual tails fall like an
    exponential and lighter ones faster; the gap before the k farthest values, times k, is then one draw from
    that exponential. Corrected for the counts, the sides and the columns.

    Args:
        matrix: The rows.
        level: Rows are named where a side of a column is this surprising after correction.
    """
    n, p = matrix.shape
    if n < 5 * _TAIL_ROWS:
        return Far(1.0, ())
    centered = matrix - np.median(matrix, axis=0)
    sides = [side[:, j] for side in (centered, -centered) for j in range(p)]
    each = [_side(side, n) for side in sides]
    order = np.argsort([value for value, _ in each], kind="stable")
    clear = [i for i in order if 2 * p * each[i][0] <= level]
    rows = [r for i in clear for r in np.argsort(-sides[i], kind="stable")[: each[i][1]]]
    return Far(among(min(1.0, each[order[0]][0]), 2 * p), tuple(dict.fromkeys(int(r) for r in rows)))


def _side(distance: np.ndarray, n: int) -> tuple[float, int]:
    """The p-value for one side of one column, corrected for the counts only, and the count it speaks of."""
    rows = max(_TAIL_ROWS, int(_TAIL * n))
    top = np.sort(np.partition(distance, n - rows)[n - rows :])[::-1]
    known = np.unique(top)
    if top[-1] <= 0 or len(known) < _DISTINCT:
        return 1.0, 0
    if len(known) < _REPEAT * rows:
        # Values on a grid are spread over their cells, or every cell would end in a gap.
        step = float(np.median(np.diff(known)))
        top = np.sort(top + step * (np.arange(rows) * 0.6180339887 % 1 - 0.5))[::-1]
        if top[-1] <= 0:
            return 1.0, 0
    y = np.log(top)
    k = np.arange(1, max(3, int(_MOST * n)) + 1)
    k = k[k <= rows // 3]
    beneath = rows - 1 - k
    sums = np.cumsum(y[::-1])[::-1]
    scale = (sums[k] - y[-1] - beneath * y[-1]) / np.maximum(beneath, 1)
    gaps = k * (y[k - 1] - y[k])
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(scale > 0, (1 + gaps / (scale * beneath)) ** -beneath.astype(float), 1.0)
    corrected = chance * k * (k + 1)
    return float(corrected.min()), int(k[corrected.argmin()])
