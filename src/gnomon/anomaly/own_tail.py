"""The last values of a column against the fall of its own tail, where no known shape explains its middle.

Whatever the middle looks like, beyond some point most columns fall no slower than a power of the distance. Under such
a fall the logarithms of neighbouring distances, times their rank, scatter like exponentials of one size; values that
lie apart make the first of them too large.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.contamination import among

_SHARE: Final = 0.05
_FEWEST: Final = 30
_LARGEST: Final = 0.25
_MOST: Final = (3, 0.01)
_COUNTS: Final = 8
# How many independent looks the counts amount to, by simulation.
_LOOKS: Final = 5.0


def own_tail_p(ordered: np.ndarray, up: bool) -> float:
    """How surprising the end of a column is beside the rest of its tail, corrected for how many values are tested.

    Args:
        ordered: The values, sorted.
        up: Whether the upper end is asked about.
    """
    from scipy.special import betainc

    n = len(ordered)
    size = max(_FEWEST, int(_SHARE * n))
    if size > _LARGEST * n:
        return 1.0
    middle = float(np.median(ordered))
    distance = (ordered[::-1][: size + 1] - middle) if up else (middle - ordered[: size + 1])
    # Where values repeat there is no fall to measure.
    if distance[-1] <= 0 or len(np.unique(distance)) < size / 2:
        return 1.0
    falls = np.cumsum(np.arange(1, size + 1) * np.log(distance[:-1] / distance[1:]))
    counts = np.unique(np.round(np.geomspace(1, max(_MOST[0], _MOST[1] * n), _COUNTS)).astype(int))
    counts = counts[counts < size]
    p = betainc(size - counts, counts, np.clip(1 - falls[counts - 1] / falls[-1], 0.0, 1.0))
    return among(float(p.min()), _LOOKS)
