"""Single aspects of the data against the same aspects without anomalies, each for itself.

Detectors weigh everything together, and what is odd in one variable of many can drown in what the others do;
looked at one by one, corrected for how many there are, it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from gnomon.anomaly.contamination import discoveries, p_values
from gnomon.anomaly.evidence import MODELS, SIGNIFICANT, beyond_chance, peaks
from gnomon.anomaly.modalities.departure import SEED, firm
from gnomon.anomaly.prepared import Looks

# Data drawn without anomalies is never exact: departures may be this much larger than in truth.
_MARGIN: Final = 1.25
# Where the middle of an aspect is compared with that of the null, and how much it may differ.
_BODY: Final = (0.5, 0.7, 0.85)
_GAP: Final = 0.15
# A gap is looked for among so many items, in departures that mostly differ from item to item (in the upper half: the
# lower one is ordinary, and all of one height).
_FEWEST: Final = 25
_FINE: Final = 0.8


def compared(seen: Mapping[str, np.ndarray], null: Mapping[str, np.ndarray], reach: int) -> Looks:
    """A p-value for each aspect, and how many rows stand out in those beyond chance.

    Args:
        seen: Departures of the rows, by aspect.
        null: The same of data without anomalies, in ``MODELS`` equal parts.
        reach: How many neighbouring rows tell much the same.
    """
    p = {k: _beyond(x, null[k], reach) for k, x in seen.items()}
    odd = np.zeros(len(next(iter(seen.values()))), dtype=bool)
    for name, x in seen.items():
        if len(p) * p[name] <= SIGNIFICANT:
            found = discoveries(p_values(x / _MARGIN, null[name]))
            odd[np.argsort(-x, kind="stable")[: max(1, found)]] = True
    return Looks(p, int(odd.sum()))


def item_looks(
    matrix: np.ndarray, surrogate: Callable[[np.random.Generator], np.ndarray] | None
) -> Callable[[], Looks] | None:
    """Whether items lie where items drawn without anomalies do not, also where they hide each other.

    Args:
        matrix: Departures with the two summary columns last.
        surrogate: Draws such a matrix; None where there are too few items.
    """
    if surrogate is None:
        return None

    def looks() -> Looks:
        from gnomon.anomaly.apart import apart_p

        found = apart_p(matrix[:, :-2])
        drawn = surrogate(np.random.default_rng(SEED))
        rows = discoveries(p_values(matrix[:, -1], drawn[:, -1]))
        apart = Looks({"unlike all others": next(iter(found.values()), 1.0)}, max(1, rows))
        single = {"alone, with nothing near it": stands_alone(matrix[:, :-2])}
        ends = with_ends(apart, matrix)
        return Looks({**ends.p, **single}, max(1, ends.rows))

    return once(looks)


def stands_alone(columns: np.ndarray) -> float:
    """One p-value that a single item lies beyond a gap in some departure.

    Departures fall off exponentially where nothing is going on, and so does the gap between the first and the
    second; where the second lies farther out than second ones do, so may the first.

    Args:
        columns: Departures, one row per item; those of a few values have no gap to speak of.
    """
    n = len(columns)
    fine = [j for j in range(columns.shape[1]) if len(np.unique(columns[:, j])) >= _FINE * n / 2]
    if n < _FEWEST or not fine:
        return 1.0
    ordered = firm(np.sort(columns[:, fine], axis=0)[::-1])
    slope = ordered[1] / np.log(n / 1.5)
    gap = float(((ordered[0] - ordered[1]) / np.maximum(1.0, slope)).max())
    return min(1.0, len(fine) * float(np.exp(-gap)))


def once(look: Callable[[], Looks]) -> Callable[[], Looks]:
    """``look``, done at most once; unlike what ``functools.cache`` wraps, it can be sent to another process."""
    done: list[Looks] = []

    def looked() -> Looks:
        if not done:
            done.append(look())
        return done[0]

    return looked


def with_ends(looks: Looks, matrix: np.ndarray) -> Looks:
    """The same looks and one more: whether some departure reaches farther than the others of its kind allow.

    Args:
        looks: What was looked at before.
        matrix: Departures with the two summary columns last.
    """
    from gnomon.anomaly.ends import far_ends

    far = far_ends(matrix[:, :-2], lower=False)
    rows = max(looks.rows, len(far.rows)) if looks.together <= SIGNIFICANT else len(far.rows)
    return Looks({**looks.p, "farther than the others": far.p}, rows)


def _beyond(x: np.ndarray, null: np.ndarray, reach: int) -> float:
    """One p-value that an aspect holds more than the null; 1 where it does so in the middle already."""
    return beyond_chance(peaks(x / _MARGIN, reach), peaks(null, reach, MODELS)) if _alike(x, null) else 1.0


def _alike(x: np.ndarray, null: np.ndarray) -> bool:
    """Whether no fewer rows than in the null lie below what its middle reaches; more only make the test careful."""
    reached = np.array([np.mean(x <= q) for q in np.quantile(null, _BODY)])
    return bool((reached >= np.array(_BODY) - _GAP).all())
