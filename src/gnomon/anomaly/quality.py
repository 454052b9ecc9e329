"""How far a result can be trusted: separation, agreement, stability, and whether it is beyond chance.

Each figure is measured against rows drawn from a model of the data without anomalies, so that noise reads
low and anomalies read high; ``overall`` is their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.consensus import Combination
from gnomon.anomaly.contamination import FALSE_DISCOVERY_RATE, discoveries, global_p, p_values
from gnomon.anomaly.evidence import strength
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import ConsensusResult, DetectorResult, QualityAssessment, Verdict

HIGH: Final = 0.7
MEDIUM: Final = 0.4
SIGNIFICANT: Final = 0.05
_ROUNDS: Final = 20
_NEUTRAL: Final = 0.5


def assess(
    prepared: Prepared,
    results: Sequence[DetectorResult],
    consensus: ConsensusResult | None,
    seed: int = 0,
) -> QualityAssessment:
    """The quality of a consensus.

    Args:
        prepared: The data.
        results: What the detectors found.
        consensus: Their combination, or None where all failed.
        seed: For the resampling behind ``stability``.
    """
    if consensus is None:
        return _verdict(0.0, 0.0, 0.0, 1.0, 0, prepared.n_rows)
    scores = [r.get("scores_train", np.empty(0)) for r in results if r["status"] == "success"]
    null: dict[str, Any] = cast(dict[str, Any], consensus).get("null") or {}
    nulls: list[np.ndarray | None] = null.get("detectors") or [None] * len(scores)
    p = significance(scores, nulls, consensus)
    flagged = int(consensus["labels"].sum())
    some = 0 < flagged < prepared.n_rows
    return _verdict(
        separation(p) if some or not _given(consensus) else 0.0,
        tail_agreement(scores, nulls, flagged),
        stability(scores, consensus, null.get("scores"), seed) if some else 0.0,
        p,
        flagged,
        prepared.n_rows,
    )


def significance(
    scores: Sequence[np.ndarray], nulls: Sequence[np.ndarray | None], consensus: ConsensusResult
) -> float:
    """One p-value that something stands out, corrected for the rows and for the number of looks."""
    looks = [global_p(consensus.get("p_values", np.ones(1)))]
    looks += [global_p(p_values(s, m)) for s, m in zip(scores, nulls, strict=True) if m is not None]
    if len(scores) < 2:
        return looks[0]
    return float(min(1.0, 2 * min(looks[0], len(looks[1:]) * min(looks[1:], default=1.0))))


def separation(p: float) -> float:
    """From 0 for what chance explains towards 1 for what it cannot."""
    return float(1 - np.exp(-strength(p) / 1.3))


def tail_agreement(scores: Sequence[np.ndarray], nulls: Sequence[np.ndarray | None], flagged: int) -> float:
    """How far detectors put the same rows on top, beyond what they do on rows without anomalies.

    0.5 for a single detector, where there is nothing to compare.
    """
    if len(scores) < 2:
        return _NEUTRAL
    if any(s.std() == 0 for s in scores):
        return 0.0
    share = max(flagged, 5, round(0.01 * len(scores[0]))) / len(scores[0])
    seen = _overlap(scores, share)
    drawn = [m for m in nulls if m is not None]
    usual = _overlap(drawn, share) if len(drawn) == len(scores) else share
    return float(np.clip((seen - usual) / max(1 - usual, 1e-9), 0.0, 1.0))


def _overlap(scores: Sequence[np.ndarray], share: float) -> float:
    """Mean pairwise share of common rows among the top rows."""
    n = len(scores[0])
    k = max(1, min(n, round(share * n)))
    tops = [set(np.argsort(-s, kind="stable")[:k].tolist()) for s in scores]
    pairs = [len(a & b) / k for i, a in enumerate(tops) for b in tops[i + 1 :]]
    return float(np.mean(pairs))


def stability(
    scores: Sequence[np.ndarray], consensus: ConsensusResult, null: np.ndarray | None, seed: int
) -> float:
    """Mean overlap of the flagged rows with those flagged without one detector, or against another null."""
    flagged = consensus["labels"] == 1
    k = int(flagged.sum())
    overlaps: list[float] = []
    made: Any = cast(dict[str, Any], consensus).get("combination")
    if len(scores) > 2 and isinstance(made, Combination):
        for left_out in range(len(scores)):
            rest = [s for i, s in enumerate(scores) if i != left_out]
            kept = [w for i, w in enumerate(made.weights) if i != left_out]
            if sum(kept) > 0:
                overlaps.append(_jaccard(flagged, Combination.fit(rest, made.method, kept).apply(rest), k))
    if null is not None and not _given(consensus):
        rng = np.random.default_rng(seed)
        for _ in range(_ROUNDS // 4):
            again = rng.choice(null, len(null))
            found = discoveries(p_values(consensus["scores"], again), FALSE_DISCOVERY_RATE)
            overlaps.append(min(k, found) / max(k, found, 1))
    return float(np.mean(overlaps)) if overlaps else _NEUTRAL


def _jaccard(flagged: np.ndarray, scores: np.ndarray, k: int) -> float:
    top = np.zeros(len(scores), dtype=bool)
    top[np.argsort(-scores, kind="stable")[:k]] = True
    return float((top & flagged).sum() / max(1, (top | flagged).sum()))


def _given(consensus: ConsensusResult) -> bool:
    return bool(cast(dict[str, Any], consensus).get("contamination_given"))


def _verdict(
    separates: float, agrees: float, stable: float, p: float, flagged: int, n: int
) -> QualityAssessment:
    overall = (separates + agrees + stable) / 3
    verdict: Verdict = "high" if overall >= HIGH else "medium" if overall >= MEDIUM else "low"
    beyond = p <= SIGNIFICANT
    if not beyond:
        verdict = "low"
    words = (
        f"{'Scores stand out from chance' if beyond else 'No anomalies beyond chance'} "
        f"(p {'below 0.0001' if p < 1e-4 else f'= {p:.3g}'}); separation {separates:.2f}, "
        f"agreement of the detectors on the top rows {agrees:.2f}, stability of the flagged rows {stable:.2f}. "
        f"{flagged:,} of {n:,} rows are flagged."
    )
    return {
        "separation": separates,
        "agreement": agrees,
        "stability": stable,
        "overall": overall,
        "verdict": verdict,
        "explanation": words,
        "significance": p,
        "significant": beyond,
    }
