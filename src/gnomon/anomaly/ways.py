"""The ways in which rows of a table can stand alone, whatever detectors say, and what they say together.

Each way gives a p-value and, where it can, the rows it speaks of. Together they share one chance of a false
alarm with the detectors: each has its part of it, the larger the more often it is the one that tells.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gnomon.anomaly.contamination import among

# The parts of the chance of a false alarm, one in all.
DETECTORS: Final = 0.26
_PARTS: Final = {"ends": 0.4, "values": 0.1, "rows": 0.15, "gap": 0.04, "nearest": 0.03, "outside": 0.02}


@dataclass(frozen=True)
class Way:
    """One way in which rows can stand alone.

    Attributes:
        name: ``ends`` (values beyond the shape of their column), ``gap`` (values after a gap), ``values`` and
            ``rows`` (what does not follow from how columns hang together), ``nearest`` and ``outside`` (places
            where no rows belong).
        p: The p-value that there are such rows.
        rows: The rows, the clearest first; empty where only their presence is known.
    """

    name: str
    p: float
    rows: tuple[int, ...] = ()

    @property
    def part(self) -> float:
        """Its part of the chance of a false alarm."""
        return _PARTS[self.name]

    @property
    def corrected(self) -> float:
        """The p-value corrected for all that is looked at."""
        return min(1.0, self.p / self.part)


_known: dict[int, tuple[weakref.ref[Any], tuple[Way, ...]]] = {}


def ways_of(matrix: np.ndarray) -> tuple[Way, ...]:
    """All ways for one matrix; asked again about the same one, the same answer."""
    at = id(matrix)
    if at in _known and _known[at][0]() is matrix:
        return _known[at][1]
    found = _looked(matrix)
    _known[at] = weakref.ref(matrix, lambda _: _known.pop(at, None)), found
    return found


def _looked(matrix: np.ndarray) -> tuple[Way, ...]:
    from gnomon.anomaly.apart import apart_p  # which compares evidence, and evidence asks here
    from gnomon.anomaly.conditional import unexplained
    from gnomon.anomaly.ends import far_ends
    from gnomon.anomaly.gaps import far_gaps

    ends, gap, (values, rows) = far_ends(matrix), far_gaps(matrix), unexplained(matrix)
    named = {"ends": ends, "gap": gap, "values": values, "rows": rows}
    found = [Way(name, far.p, far.rows) for name, far in named.items()]
    return *found, *(Way(name, p) for name, p in apart_p(matrix).items())


def lonely_p(matrix: np.ndarray) -> float:
    """One p-value that some rows stand alone, corrected for the ways in which they can."""
    return float(min((way.p * (1 - DETECTORS) / way.part for way in ways_of(matrix)), default=1.0))


def any_of(detected: float, ways: Sequence[Way]) -> float:
    """One p-value that detectors or single ways see something; below 1 as long as they are, so that they rank."""
    sides: list[tuple[float, float]] = [(detected, DETECTORS), *((w.p, w.part) for w in ways)]
    return min(among(p, 1 / part) for p, part in sides)


def beyond(detected: float, ways: Sequence[Way], level: float) -> list[Way]:
    """The ways that are beyond chance, the clearest first, all of them together at ``level`` (Holm).

    What is found leaves its part of the chance of a false alarm to the others.
    """
    left = 1.0
    clear: list[Way] = []
    sides: list[tuple[float, float, Way | None]] = [(w.p, w.part, w) for w in ways]
    for p, part, way in sorted([*sides, (detected, DETECTORS, None)], key=lambda side: side[0] / side[1]):
        if p > level * part / left:
            break
        left -= part
        clear += [way] if way is not None else []
    return clear
