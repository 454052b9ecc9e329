"""How far a result can be trusted: separation, agreement, stability, and whether it is beyond chance.

Each figure is measured against rows drawn from a model of the data without anomalies, so that noise reads
low and anomalies read high; ``overall`` is their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.alone import overall_p, separating_p, ways
from gnomon.anomaly.consensus import Combination
from gnomon.anomaly.contamination import (
    FALSE_DISCOVERY_RATE,
    discoveries,
    global_p,
    p_values,
    p_values_from_bulk,
)
from gnomon.anomaly.evidence import (
    MODELS,
    SIGNIFICANT,
    beyond_chance,
    highest,
    significance,
    strength,
)
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import ConsensusResult, DetectorResult, QualityAssessment, Verdict
from gnomon.anomaly.ways import Way

HIGH: Final = 0.7
MEDIUM: Final = 0.4
_ROUNDS: Final = 6
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
    total: np.ndarray | None = null.get("scores")
    rest, beside = prepared.rest, prepared.rest_in_order
    every = np.arange(prepared.n_rows) if prepared.order is None else prepared.order
    tops = highest(prepared, [s[every] for s in scores], nulls)
    (top,), (null_top,) = highest(prepared, [consensus["scores"][beside]], [total])
    detected = significance(*highest(prepared, [s[beside] for s in scores], nulls), top, null_top)
    p = overall_p(prepared, detected)
    flagged = int(consensus["labels"].sum())
    some = 0 < flagged < prepared.n_rows
    seen = separation(separating_p(prepared, detected))
    # Where nothing or everything is flagged there are no two groups to tell apart.
    separates = seen if some else 0.0
    agrees = confirmation(scores, nulls, consensus["labels"] == 1, tops, ways(prepared)) if some else 1.0
    # The edges of a long outage tell it, under any weights.
    outage = float(((~rest) & (consensus["labels"] == 1)).sum() / max(1, flagged))
    agrees = max(agrees, outage)
    stable = max(stability(scores, consensus, total, seed), outage)
    # What chance may have made is agreed upon and stable by chance too.
    return _verdict(
        separates,
        agrees * (seen if flagged < prepared.n_rows else 0.0) if len(scores) > 1 else _NEUTRAL,
        stable * separates if some else 0.0,
        p,
        flagged,
        prepared.n_rows,
    )


def separation(p: float) -> float:
    """From 0 for what chance explains towards 1 for what it cannot."""
    return float(1 - np.exp(-strength(p) / 1.3))


def confirmation(
    scores: Sequence[np.ndarray],
    nulls: Sequence[np.ndarray | None],
    flagged: np.ndarray,
    tops: tuple[Sequence[np.ndarray], Sequence[np.ndarray | None]],
    beside: Sequence[Way] = (),
) -> float:
    """How far what sees something beyond chance, each for itself, sees it in the flagged rows.

    A detector blind to the kind of anomaly neither confirms nor contradicts, but the more of them there are
    the less is confirmed. 0.5 for a single detector, where there is nothing to compare.

    Args:
        scores: Of each detector.
        nulls: What each detector says about the null.
        flagged: Which rows the consensus flags.
        tops: Scores and nulls with neighbours that tell the same counted once.
        beside: What is looked at beside the detectors; ways that name rows count like one more detector each.
    """
    if len(scores) < 2:
        return _NEUTRAL
    if not flagged.any():
        return 0.0
    seen: list[float] = []
    for s, m, top, null_top in zip(scores, nulls, *tops, strict=True):
        values = p_values_from_bulk(s) if m is None else p_values(s, m)
        alone = global_p(values) if null_top is None else beyond_chance(top, null_top)
        if s.std() > 0 and alone <= SIGNIFICANT:
            found = discoveries(values, FALSE_DISCOVERY_RATE)
            seen.append(float((_top(s, max(found, int(flagged.sum()) // 2)) & flagged).sum() / flagged.sum()))
    clear = [list(way.rows) for way in beside if way.rows and way.corrected <= SIGNIFICANT]
    seen += [float(flagged[rows].sum() / min(flagged.sum(), len(rows))) for rows in clear]
    return float(np.mean(seen)) * min(1.0, (len(seen) + len(scores)) / (2 * len(scores))) if seen else 0.0


def stability(
    scores: Sequence[np.ndarray], consensus: ConsensusResult, null: np.ndarray | None, seed: int
) -> float:
    """Mean overlap of the flagged rows with those flagged under other weights or against another null."""
    flagged = consensus["labels"] == 1
    k = int(flagged.sum())
    overlaps: list[float] = []
    made: Any = cast(dict[str, Any], consensus).get("combination")
    rng = np.random.default_rng([seed, 5])
    if len(scores) > 1 and isinstance(made, Combination):
        for _ in range(_ROUNDS):
            other = [w * rng.gamma(4.0) for w in made.weights]
            overlaps.append(
                _jaccard(flagged, _top(Combination.fit(scores, made.method, other).apply(scores), k))
            )
    if null is not None and not _given(consensus) and len(null) >= 50 * MODELS:
        ordered = np.sort(consensus["scores"])  # sorted scores are looked up far faster
        for block in np.array_split(null, MODELS):
            found = discoveries(p_values(ordered, block), FALSE_DISCOVERY_RATE)
            overlaps.append(min(k, found) / max(k, found, 1))
    return float(np.mean(overlaps)) if overlaps else _NEUTRAL


def _top(scores: np.ndarray, k: int) -> np.ndarray:
    top = np.zeros(len(scores), dtype=bool)
    top[np.argsort(-scores, kind="stable")[:k]] = True
    return top


def _jaccard(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / max(1, (one | other).sum()))


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
        f"{_in_words(verdict, beyond, flagged, n)} "
        f"({'p below 0.0001' if p < 1e-4 else f'p = {p:.3g}'}, separation {separates:.2f}, "
        f"agreement {agrees:.2f}, stability {stable:.2f})."
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


def _in_words(verdict: Verdict, beyond: bool, flagged: int, n: int) -> str:
    """The verdict as one would say it, before any figure."""
    if not beyond:
        return "No anomalies beyond chance: rows like the highest ones turn up where nothing is going on"
    if not flagged:
        return "Something differs from chance, but no single row stands out enough to be flagged"
    which = f"The {flagged:,} flagged of {n:,} rows" if flagged > 1 else f"The one flagged of {n:,} rows"
    one = "s" if flagged == 1 else ""
    if verdict == "high":
        return f"{which} clearly stand{one} out, however it is looked at"
    if verdict == "medium":
        return (
            f"{which} stand{one} out beyond chance; where exactly they end is less certain"
            if flagged > 1
            else f"{which} stands out beyond chance, though not to every detector"
        )
    return f"{which} may be the wrong ones: something differs from chance, but the detectors do not agree on where"
