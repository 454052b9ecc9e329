"""From prepared data to a consensus: choose detectors, fit them, calibrate against the null, combine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly import consensus as joint
from gnomon.anomaly.alone import far_rows, weights_for
from gnomon.anomaly.contamination import (
    MOST,
    estimate_contamination,
    p_values,
    p_values_from_bulk,
    rethreshold,
)
from gnomon.anomaly.evidence import (
    SIGNIFICANT,
    either,
    highest,
    null_rows,
    null_scores,
    significance,
    weights_by_evidence,
)
from gnomon.anomaly.portfolio import choose
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.runner import Outcome, Progress, run_all
from gnomon.anomaly.state import ConsensusResult, DetectorResult

_FRONT: Final = 3

__all__ = ["choose", "combine", "fit_plans", "run_plans"]


def run_plans(
    prepared: Prepared,
    plans: Sequence[Mapping[str, Any]],
    seed: int = 0,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    contamination: float | None = None,
    *,
    method: str = joint.DEFAULT_METHOD,
    weights: Sequence[float] | None = None,
    knowledge: Mapping[str, Any] | None = None,
) -> tuple[list[DetectorResult], ConsensusResult | None]:
    """Fit every plan and combine what succeeded.

    Args:
        prepared: The data.
        plans: At most three; ``detector_name`` and ``params`` each.
        seed: The same seed gives the same scores.
        max_seconds: Wall-clock budget for the fits; what overruns is stopped and reported.
        progress: Called with a detector's name and ``started``, ``success``, ``error`` or ``skipped``.
        contamination: Share of rows to flag; estimated from the scores where not given.
        method: How scores are combined, one of ``consensus.METHODS``.
        weights: One per plan; where not given, equal unless the data speaks for fewer detectors.
        knowledge: Measured costs.

    Returns:
        One result per plan, and the consensus, or None where every detector failed.
    """
    results = fit_plans(prepared, plans, seed, max_seconds, progress, knowledge=knowledge)
    return combine(prepared, results, contamination=contamination, method=method, weights=weights, seed=seed)


def fit_plans(
    prepared: Prepared,
    plans: Sequence[Mapping[str, Any]],
    seed: int = 0,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    *,
    knowledge: Mapping[str, Any] | None = None,
) -> list[DetectorResult]:
    """One result per plan, with scores but without labels yet."""
    outcomes = run_all(
        prepared.matrix, plans, seed=seed, max_seconds=max_seconds, progress=progress, knowledge=knowledge
    )
    return [_result(p, o) for p, o in zip(plans, outcomes, strict=True)]


def _result(plan: Mapping[str, Any], outcome: Outcome) -> DetectorResult:
    result: dict[str, Any] = {
        "detector_name": plan["detector_name"],
        "status": outcome.status,
        "error": outcome.error,
        "plan": dict(plan),
        "runtime_seconds": outcome.seconds,
    }
    if outcome.status == "success":
        scores = np.asarray(outcome.detector.decision_scores_, dtype=float)
        result |= {
            "scores_train": scores,
            "detector": outcome.detector,
            "score_summary": joint.summary(scores),
        }
    return cast(DetectorResult, result)


def combine(
    prepared: Prepared,
    results: Sequence[DetectorResult],
    *,
    contamination: float | None = None,
    method: str = joint.DEFAULT_METHOD,
    weights: Sequence[float] | None = None,
    seed: int = 0,
) -> tuple[list[DetectorResult], ConsensusResult | None]:
    """Results with labels, and the consensus of those that succeeded; nothing is fitted again.

    ``weights`` are one per result, those of failed ones ignored.
    """
    kept = [i for i, r in enumerate(results) if r["status"] == "success"]
    if not kept:
        return list(results), None
    good = [results[i] for i in kept]
    scores = [r.get("scores_train", np.empty(0)) for r in good]
    drawn, rest = null_rows(prepared, seed), prepared.rest
    nulls = [None if drawn is None else null_scores(r.get("detector"), drawn) for r in good]
    beside = prepared.rest_in_order
    tops = highest(prepared, [s[beside] for s in scores], nulls)
    chosen = [weights[i] for i in kept] if weights is not None else weights_by_evidence(*tops, method)
    made, total, null_total = _joined(scores, nulls, method, chosen, rest)
    (top,), (null_top,) = highest(prepared, [total[beside]], [null_total])
    detected = significance(*tops, top, null_top)
    beyond, alone = either(detected, prepared), far_rows(prepared, detected)
    if alone and weights is None and detected > SIGNIFICANT:
        made, total, null_total = _joined(scores, nulls, method, weights_for(alone, scores), rest)
    labelled = list(results)
    for i, s, m in zip(kept, scores, nulls, strict=True):
        labelled[i] = with_share(results[i], _share(contamination, _p(s, m), beyond, alone, s, rest))
    values = _p(total, null_total)
    share = _share(contamination, values, beyond, alone, total, rest)
    total = _lifted(total, rest)
    threshold, labels = rethreshold(total, share)
    counts = joint.votes([labelled[i].get("labels_train", np.empty(0)) for i in kept])
    consensus: dict[str, Any] = {
        "scores": total,
        "labels": labels,
        "n_detectors": len(good),
        "agreement": joint.agreement(scores),
        "disagreements": joint.disagreements(counts, total, len(good)),
        "threshold": threshold,
        "votes": counts,
        "p_values": values,
        "weights": {r["detector_name"]: w for r, w in zip(good, made.weights, strict=True)},
        "contamination": float(labels.mean()),
        "contamination_given": contamination is not None,
        "method": made.method,
        "combination": made,
        "null": {"scores": null_total, "detectors": nulls, "significance": beyond},
    }
    return labelled, cast(ConsensusResult, consensus)


def _joined(
    scores: Sequence[np.ndarray],
    nulls: Sequence[np.ndarray | None],
    method: str,
    weights: Sequence[float] | None,
    rest: np.ndarray,
) -> tuple[joint.Combination, np.ndarray, np.ndarray | None]:
    """The combination, fitted on the ``rest``, and what it makes of the scores and of those of the null."""
    made = joint.Combination.fit([s[rest] for s in scores], method, weights)
    known = [m for m in nulls if m is not None]
    return made, made.apply(scores), made.apply(known) if len(known) == len(nulls) else None


def with_share(result: DetectorResult, contamination: float) -> DetectorResult:
    """The same result with another share of its rows flagged."""
    threshold, labels = rethreshold(result.get("scores_train", np.empty(0)), contamination)
    changed = dict(result) | {
        "threshold": threshold,
        "labels_train": labels,
        "n_anomalies": int(labels.sum()),
        "anomaly_ratio": float(labels.mean()),
    }
    return cast(DetectorResult, changed)


def _p(scores: np.ndarray, null: np.ndarray | None) -> np.ndarray:
    return p_values_from_bulk(scores) if null is None else p_values(scores, null)


def _share(
    contamination: float | None,
    values: np.ndarray,
    beyond: float,
    alone: Sequence[int],
    scores: np.ndarray,
    rest: np.ndarray,
) -> float:
    """The share to flag: as given, else what stands out, which is nothing where chance explains it all.

    Rows ``alone`` in a way of their own are flagged with those before them, as long as they come soon after the
    others that are. What is not ``rest`` is a long outage, flagged whatever else is.
    """
    if contamination is not None:
        return contamination
    n = len(scores)
    judged = values[rest]
    found = round(len(judged) * estimate_contamination(judged, beyond=True)) if beyond <= SIGNIFICANT else 0
    flagged = found
    places = sorted(int((scores >= scores[row]).sum()) for row in alone)
    for more, place in enumerate((p for p in places if p > found), start=1):
        if place <= found + _FRONT * more:
            flagged = place
    return min(MOST, (flagged + n - len(judged)) / n)


def _lifted(scores: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """The scores with those of a long outage raised above the others, in the order they have."""
    if rest.all():
        return scores
    out, others = scores.copy(), scores[rest]
    least = others.max() + 0.05 * max(np.ptp(others), 1e-9)
    out[~rest] += max(0.0, least - scores[~rest].min())
    return out
