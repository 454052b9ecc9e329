"""Whether a node has more neighbours than the degrees of the others let expect."""

from __future__ import annotations

from typing import Final

import numpy as np

from gnomon.anomaly.contamination import discoveries
from gnomon.anomaly.prepared import Looks

# Ties at random keep every degree, so degrees are judged by their own tail: its upper tenth, of which the
# highest part only counts as "at least this high", since what is looked for may be in it.
_TAIL: Final = 0.1
_HELD_BACK: Final = 0.02
_FEWEST: Final = 8


def degree_look(degree: np.ndarray) -> Looks:
    """How far the highest degrees lie beyond the tail of the others.

    The tail is taken as a power law, the heaviest that graphs usually show, with its exponent fitted to the
    upper tenth of the degrees: hubs of a graph that grows by preference are ordinary, a hub among even ones is not.

    Args:
        degree: Neighbours of each node.
    """
    name, n = "more neighbours than others", len(degree)
    k = max(_FEWEST, round(_TAIL * n))
    if n < 5 * _FEWEST:
        return Looks({name: 1.0}, 0)
    ordered = np.sort(degree)[::-1]
    start = max(float(ordered[k - 1]), 1.0) - 0.5
    held = max(3, round(_HELD_BACK * n))
    bound = max(float(ordered[held]), start + 0.5)
    seen = np.minimum(ordered[:k], bound)
    exponent = (k - held) / max(float(np.log(seen / start).sum()), 1e-9)
    reached = np.maximum((degree - 0.5) / start, 1.0)
    beyond = k / n * reached**-exponent
    p = np.where(degree > ordered[k - 1], np.minimum(beyond, 1.0), 1.0)
    return Looks({name: float(min(1.0, n * p.min()))}, discoveries(p))
