"""Looking back: the result against labels that became known, and the share of rows that was flagged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from gnomon.anomaly.plans import require_phase
from gnomon.anomaly.state import InvestigationState
from gnomon.core.errors import InvalidInput

_PERCENTILES: Final = (50, 75, 90, 95, 99)


def validate_state(state: InvestigationState, y: Any) -> dict[str, Any]:
    """Precision, recall and ranking quality of the consensus and of each detector.

    Raises:
        InvalidInput: There is no consensus, or ``y`` does not fit the rows.
    """
    require_phase(state, "analyzed")
    if state.consensus is None:
        raise InvalidInput("Cannot validate: all detectors failed. Use iterate() to recover first.")
    truth = _labels(y, len(state.consensus["labels"]))
    labels = state.consensus["labels"]
    whole = label_metrics(truth, labels, state.consensus["scores"])
    each = {
        r["detector_name"]: label_metrics(truth, r["labels_train"], r["scores_train"])
        for r in state.results
        if r["status"] == "success" and "labels_train" in r and "scores_train" in r
    }
    best = each.get(state.analysis["best_detector"]) if state.analysis is not None else None
    return {
        "consensus": whole,
        "per_detector": each,
        "best_detector": best,
        "consensus_vs_best": {
            "consensus_f1": whole["f1"],
            "best_detector_f1": best["f1"] if best else None,
            "consensus_helped": whole["f1"] >= best["f1"] if best else None,
        },
        "false_positives": np.flatnonzero((labels == 1) & (truth == 0)).tolist(),
        "false_negatives": np.flatnonzero((labels == 0) & (truth == 1)).tolist(),
    }


def _labels(y: Any, n: int) -> np.ndarray:
    truth = np.asarray(y).ravel()
    if len(truth) != n:
        raise InvalidInput(f"y has {len(truth)} labels but there are {n} rows; lengths must match.")
    if not np.isin(truth, (0, 1)).all():
        raise InvalidInput("y must hold 0 for normal and 1 for anomalous rows only.")
    return truth.astype(int)


def label_metrics(truth: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    """Precision, recall, F1, ROC AUC and average precision; the last two are None where one class is absent."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    hit = int(np.sum((labels == 1) & (truth == 1)))
    flagged, positive = int(np.sum(labels == 1)), int(truth.sum())
    precision = hit / flagged if flagged else 0.0
    recall = hit / positive if positive else 0.0
    both = 0 < positive < len(truth)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hit else 0.0,
        "roc_auc": float(roc_auc_score(truth, scores)) if both else None,
        "average_precision": float(average_precision_score(truth, scores)) if both else None,
        "n_flagged": flagged,
        "n_true_positive": hit,
    }


def contamination_figures(state: InvestigationState, sweep: Sequence[float] | None) -> dict[str, Any]:
    """The share in force, the share flagged, score percentiles, and a preview of other shares."""
    require_phase(state, "analyzed")
    given = state.plans[0]["params"].get("contamination") if state.plans else None
    if state.consensus is None:
        empty: dict[str, Any] = {
            "effective_contamination": given,
            "flagged_rate": 0.0,
            "score_percentiles": {},
        }
        return {**empty, "threshold_sweep": []} if sweep else empty
    scores, labels = state.consensus["scores"], state.consensus["labels"]
    rate = float(np.mean(labels)) if len(labels) else 0.0
    out: dict[str, Any] = {
        "effective_contamination": given,
        "source": "given" if given is not None else "estimated from the scores",
        "flagged_rate": rate,
        "threshold": state.consensus.get("threshold"),
        "score_percentiles": {p: float(np.percentile(scores, p)) for p in _PERCENTILES},
    }
    if sweep:
        out["threshold_sweep"] = [_preview(scores, float(c)) for c in sweep if 0 < c < 1]
    return out


def _preview(scores: np.ndarray, share: float) -> dict[str, float]:
    threshold = float(np.quantile(scores, 1 - share))
    return {
        "contamination": share,
        "threshold": threshold,
        "flagged_rate": float(np.mean(scores > threshold)),
    }
