"""What single aspects of the data show although all of them taken together do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from gnomon.anomaly.contamination import MOST, rethreshold
from gnomon.anomaly.evidence import SIGNIFICANT, either
from gnomon.anomaly.gaps import ways_apart
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import ConsensusResult


def overall_p(prepared: Prepared, detected: float) -> float:
    """One p-value from what detectors see and what single aspects or places show, whichever is clearer."""
    p = either(detected, prepared)
    if prepared.looks is None or p <= SIGNIFICANT:
        return p
    return float(min(1.0, p, 2 * prepared.looks().together))


def far_row(prepared: Prepared, detected: float) -> int | None:
    """The row with the farthest value of all columns, where these are beyond chance and detectors see nothing.

    Args:
        prepared: The data.
        detected: The p-value of what the detectors see.
    """
    found = ways(prepared)
    if detected <= SIGNIFICANT or prepared.looks is not None or len(found) < 2:
        return None
    if 2 * len(found) * min(found[:2]) > SIGNIFICANT:
        return None
    low, middle, high = np.quantile(prepared.matrix, [0.05, 0.5, 0.95], axis=0)
    reach = np.abs(prepared.matrix - middle) / np.maximum(high - low, 1e-300)
    return int((reach * (high > low)).max(axis=1).argmax())


def weights_for(row: int, scores: Sequence[np.ndarray]) -> list[float]:
    """Weights of detectors by how far in front each has the row."""
    return [1.0 / float((s >= s[row]).sum()) for s in scores]


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
