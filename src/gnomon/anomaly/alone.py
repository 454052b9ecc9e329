"""What single aspects of the data show although all of them taken together do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.contamination import MOST, rethreshold
from gnomon.anomaly.evidence import SIGNIFICANT, either
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import ConsensusResult
from gnomon.anomaly.ways import Way, any_of, beyond, ways_of

_FEW: Final = 5
_MOST: Final = 0.05


def overall_p(prepared: Prepared, detected: float) -> float:
    """One p-value from what detectors see and what single aspects or places show, whichever is clearer."""
    p = min(either(detected, prepared), prepared.outage_p)
    if prepared.looks is None or p <= SIGNIFICANT:
        return p
    return float(min(1.0, p, 2 * prepared.looks().together))


def far_rows(prepared: Prepared, detected: float) -> list[int]:
    """Rows that stand alone in a way of their own, beyond chance, the clearest way first; many rows are not alone.

    Args:
        prepared: The data.
        detected: The p-value of what the detectors see.
    """
    clear = beyond(detected, ways(prepared), SIGNIFICANT)
    rows = list(dict.fromkeys(row for way in clear for row in way.rows))
    return rows[: max(_FEW, int(_MOST * prepared.n_rows))]


def weights_for(rows: Sequence[int], scores: Sequence[np.ndarray]) -> list[float]:
    """Weights of detectors by how far in front each has the rows."""
    return [float(np.mean([1.0 / (s >= s[row]).sum() for row in rows])) for s in scores]


def ways(prepared: Prepared) -> tuple[Way, ...]:
    """The ways in which rows of a table can stand alone; none for other kinds of data."""
    table = prepared.surrogate is None and prepared.data_type == "tabular"
    return ways_of(prepared.matrix) if table else ()


def separating_p(prepared: Prepared, detected: float) -> float:
    """One p-value from all that is looked at; below 1 as long as any of it is, so that it ranks."""
    if prepared.looks is None:
        return any_of(detected, ways(prepared)) if ways(prepared) else detected
    least = min(detected, prepared.looks().together, prepared.outage_p, 1 - 1e-12)
    return float(-np.expm1(2 * np.log1p(-least)))


def with_looks(prepared: Prepared, made: ConsensusResult, contamination: float | None) -> ConsensusResult:
    """The consensus with as many rows flagged as stand out in single aspects, where these show more than it does.

    Args:
        prepared: The data.
        made: The consensus.
        contamination: The share that was asked for; the consensus follows it and stays as it is.
    """
    null: dict[str, Any] = dict(cast(dict[str, Any], made).get("null") or {})
    before = float(null.get("significance", 1.0))
    if contamination is not None or prepared.looks is None:
        return made
    looks, flagged, n = prepared.looks(), int(made["labels"].sum()), len(made["scores"])
    p = overall_p(prepared, before)
    if p > SIGNIFICANT or before <= 2 * looks.together or looks.rows <= flagged:
        return made
    threshold, labels = rethreshold(made["scores"], min(MOST, max(1, looks.rows) / max(n, 1)))
    changed = dict(made) | {
        "threshold": threshold,
        "labels": labels,
        "contamination": float(np.mean(labels)),
        "null": null | {"significance": p},
    }
    return cast(ConsensusResult, changed)
