"""Another share of rows to flag: labels change, scores and the null they were compared with stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from gnomon.anomaly import consensus as joint
from gnomon.anomaly import detection
from gnomon.anomaly.contamination import MOST, rethreshold
from gnomon.anomaly.pipeline import with_share
from gnomon.anomaly.plans import consensus_method, fit_key
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import ConsensusResult, DetectorResult, InvestigationState


def combined(
    state: InvestigationState, prepared: Prepared, results: Sequence[DetectorResult]
) -> tuple[list[DetectorResult], ConsensusResult | None]:
    """Results with labels and their consensus; where only the share to flag is new, nothing else is made again."""
    key = _key(state, results)
    known = state.combined.get(key)
    if known is not None and state.contamination is not None:
        return at_share(*known, results, state)
    labelled, made = detection.combine(
        prepared, results, state.contamination, state.labels, state.seed, consensus_method(state)
    )
    if made is not None:
        state.combined = {key: (labelled, made)}
    return labelled, made


def at_share(
    labelled: Sequence[DetectorResult],
    made: ConsensusResult,
    results: Sequence[DetectorResult],
    state: InvestigationState,
) -> tuple[list[DetectorResult], ConsensusResult]:
    """The same scores with the share of rows flagged that was asked for; rows marked anomalous stay flagged."""
    share = float(state.contamination or 0.0)
    changed: list[DetectorResult] = []
    for old, new in zip(labelled, results, strict=True):
        both = cast(DetectorResult, dict(old) | {"plan": new.get("plan")})
        changed.append(with_share(both, share) if old["status"] == "success" else both)
    scores = made["scores"]
    marked = sum(state.labels.values()) / max(len(scores), 1)
    threshold, labels = rethreshold(scores, min(MOST, max(share, marked)))
    counts = joint.votes([r.get("labels_train", np.empty(0)) for r in changed if r["status"] == "success"])
    out: dict[str, Any] = dict(made) | {
        "threshold": threshold,
        "labels": labels,
        "votes": counts,
        "disagreements": joint.disagreements(counts, scores, made["n_detectors"]),
        "contamination": float(labels.mean()),
        "contamination_given": True,
    }
    return changed, cast(ConsensusResult, out)


def _key(state: InvestigationState, results: Sequence[DetectorResult]) -> str:
    """What scores and null depend on: the detectors that succeeded, their seed, and the rows marked."""
    parts = [[fit_key(p, state.seed) for p in state.plans], [r["status"] for r in results]]
    return json.dumps([*parts, sorted(state.labels.items()), consensus_method(state)])
