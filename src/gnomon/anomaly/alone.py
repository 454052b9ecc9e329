"""What single aspects of the data show although all of them taken together do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.contamination import MOST, rethreshold
from gnomon.anomaly.ends import farthest_end
from gnomon.anomaly.evidence import SIGNIFICANT, either
from gnomon.anomaly.gaps import farthest_gap, ways_apart
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import ConsensusResult

_MOST: Final = 5


def overall_p(prepared: Prepared, detected: float) -> float:
    """One p-value from what detectors see and what single aspects or places show, whichever is clearer."""
    p = either(detected, prepared)
    if prepared.looks is None or p <= SIGNIFICANT:
        return p
    return float(min(1.0, p, 2 * prepared.looks().together))


def far_rows(prepared: Prepared, detected: float) -> list[int]:
    """Rows with a value that lies far beyond the others of its column, where detectors see nothing.

    One is taken away after the other, until the columns end as chance allows.

    Args:
        prepared: The data.
        detected: The p-value of what the detectors see.
    """
    found = ways(prepared)
    rows: list[int] = []
    if detected <= SIGNIFICANT or prepared.looks is not None or len(found) < 2:
        return rows
    kept, p = np.arange(prepared.n_rows), float(min(found[:2]))
    while 2 * len(found) * p <= SIGNIFICANT and len(rows) < _MOST:
        p, row = min(farthest_gap(prepared.matrix[kept]), farthest_end(prepared.matrix[kept]))
        if 2 * len(found) * p <= SIGNIFICANT:
            rows.append(int(kept[row]))
            kept = np.delete(kept, row)
    return rows


def weights_for(rows: Sequence[int], scores: Sequence[np.ndarray]) -> list[float]:
    """Weights of detectors by how far in front each has the rows."""
    return [float(np.mean([1.0 / (s >= s[row]).sum() for row in rows])) for s in scores]


def ways(prepared: Prepared) -> tuple[float, ...]:
    """The p-values of what is looked at beside the detectors."""
    if prepared.looks is not None:
        return (prepared.looks().together,)
    table = prepared.surrogate is None and prepared.data_type == "tabular"
    return ways_apart(prepared.matrix) if table else ()


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
