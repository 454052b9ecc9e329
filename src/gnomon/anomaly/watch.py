"""New data: scored with the fitted consensus and threshold, and watched for the day they no longer fit.

``Watch`` compares arriving batches with the data of the investigation: columns whose values moved, scores
of ordinary rows that moved, and a share of flagged rows that chance does not explain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gnomon.anomaly import detection
from gnomon.anomaly.explain import explain_rows, narrative
from gnomon.anomaly.plans import prepared_of
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.refit import fitted_of
from gnomon.anomaly.state import InvestigationState

WINDOW: Final = 5_000
SMALLEST: Final = 30
_REFERENCE: Final = 20_000
_SURE: Final = 1e-4
_MOVED: Final = 0.15


def score_new(state: InvestigationState, data: Any) -> dict[str, Any]:
    """Scores and labels of new rows, on the scale of the investigation."""
    detectors = fitted_of(state)
    prepared = prepared_of(state)
    matrix = np.asarray(prepared.transform(data), dtype=np.float64)
    return _score_matrix(state, detectors, matrix)


def _score_matrix(state: InvestigationState, detectors: list[Any], matrix: np.ndarray) -> dict[str, Any]:
    good = [r for r in state.results if r["status"] == "success"]
    consensus = state.consensus
    assert consensus is not None
    each = [np.asarray(d.decision_function(matrix), dtype=np.float64) for d in detectors]
    scores = detection.apply_consensus(state.results, consensus, each)
    threshold = float(consensus.get("threshold", np.inf))
    labels = (scores > threshold).astype(int)
    return {
        "scores": scores,
        "labels": labels,
        "threshold": threshold,
        "n_anomalies": int(labels.sum()),
        "anomaly_ratio": float(labels.mean()) if len(labels) else 0.0,
        "per_detector": {r["detector_name"]: s for r, s in zip(good, each, strict=True)},
    }


@dataclass(frozen=True)
class BatchReport:
    """What one batch brought.

    Attributes:
        n_rows: Rows in the batch.
        scores: Their scores, on the scale of the investigation.
        labels: 1 for rows above the threshold.
        anomalies: The flagged rows with their reasons, most anomalous first.
        moved_columns: Columns whose values no longer look like the data of the investigation.
        stale: Whether the threshold no longer fits what arrives.
        reason: Why, or that nothing moved.
        rows_compared: How many recent rows the comparison rests on.
    """

    n_rows: int
    scores: np.ndarray
    labels: np.ndarray
    anomalies: tuple[dict[str, Any], ...]
    moved_columns: tuple[str, ...]
    stale: bool
    reason: str
    rows_compared: int

    @property
    def n_anomalies(self) -> int:
        """How many rows of the batch are flagged."""
        return int(self.labels.sum())


class Watch:
    """Scores batches as they arrive and says when the investigation should be made anew.

    Args:
        state: An investigation that was run.
    """

    def __init__(self, state: InvestigationState) -> None:
        self.state = state
        self._detectors = fitted_of(state)
        self._prepared = prepared_of(state)
        step = max(1, self._prepared.n_rows // _REFERENCE)
        self._matrix = self._prepared.matrix[::step]
        self._scores = np.asarray(_score_matrix(state, self._detectors, self._matrix)["scores"])
        assert state.consensus is not None
        self._rate = float(np.mean(state.consensus["labels"]))
        self._recent = np.empty((0, self._prepared.n_columns))
        self._recent_scores = np.empty(0)
        self._seen = 0

    def update(self, batch: Any, top_k: int = 10) -> BatchReport:
        """Score a batch and compare what arrived lately with the data of the investigation.

        Args:
            batch: New rows with the same columns.
            top_k: How many flagged rows to explain.
        """
        matrix = np.asarray(self._prepared.transform(batch), dtype=np.float64)
        scored = _score_matrix(self.state, self._detectors, matrix)
        scores, labels = scored["scores"], scored["labels"]
        self._recent = np.concatenate([self._recent, matrix])[-WINDOW:]
        self._recent_scores = np.concatenate([self._recent_scores, scores])[-WINDOW:]
        self._seen += len(matrix)
        moved = self._moved_columns()
        reason = self._why_stale(moved)
        return BatchReport(
            n_rows=len(matrix),
            scores=scores,
            labels=labels,
            anomalies=tuple(self._explain(batch, matrix, scores, labels, top_k)),
            moved_columns=moved,
            stale=reason is not None,
            reason=reason or "What arrives looks like the data of the investigation.",
            rows_compared=len(self._recent),
        )

    @property
    def rows_seen(self) -> int:
        """How many rows have arrived."""
        return self._seen

    def _moved_columns(self) -> tuple[str, ...]:
        from scipy.stats import ks_2samp

        if len(self._recent) < SMALLEST:
            return ()
        moved: list[str] = []
        level = _SURE / max(1, self._prepared.n_columns)
        for j, name in enumerate(self._prepared.origins):
            test = ks_2samp(self._matrix[:, j], self._recent[:, j], method="asymp")
            if test.pvalue < level and test.statistic > _MOVED and name not in moved:
                moved.append(name)
        return tuple(moved)

    def _why_stale(self, moved: tuple[str, ...]) -> str | None:
        from scipy.stats import binomtest, ks_2samp

        n = len(self._recent_scores)
        if n < SMALLEST:
            return None
        assert self.state.consensus is not None
        threshold = float(self.state.consensus.get("threshold", np.inf))
        flagged = int(np.sum(self._recent_scores > threshold))
        # Ordinary rows only: more anomalies than usual are news, not a reason to move the threshold.
        bulk, recent = (s[s <= threshold] for s in (self._scores, self._recent_scores))
        if len(recent) >= SMALLEST:
            test = ks_2samp(bulk, recent, method="asymp")
            if test.pvalue < _SURE and test.statistic > 2 * _MOVED:
                columns = f" ({', '.join(moved[:4])} moved)" if moved else ""
                return f"Scores of ordinary rows have moved{columns}: the threshold no longer means what it did. Investigate again."
        usual = max(self._rate, 1 / max(self._prepared.n_rows, 1))
        if (
            flagged > 3
            and flagged / n > 3 * usual
            and binomtest(flagged, n, usual, alternative="greater").pvalue < _SURE
        ):
            share = (
                f"{100 * flagged / n:.1f} % of the last {n:,} rows are flagged where {100 * usual:.2g} % were"
            )
            if moved:
                return f"{share}, and {', '.join(moved[:4])} moved: this is drift. Investigate again."
            if flagged / n > 0.2:
                return f"{share}: too many to be anomalies. Investigate again."
        if len(moved) > max(1, 0.3 * len(set(self._prepared.origins))):
            return f"{', '.join(moved[:4])} no longer look like the data of the investigation. Investigate again."
        return None

    def _explain(
        self, batch: Any, matrix: np.ndarray, scores: np.ndarray, labels: np.ndarray, top_k: int
    ) -> list[dict[str, Any]]:
        flagged = np.flatnonzero(labels)
        rows = flagged[np.argsort(-scores[flagged], kind="stable")][:top_k]
        if len(rows) == 0:
            return []
        joined = _joined(self._prepared, batch, matrix, rows)
        at = list(range(joined.n_rows - len(rows), joined.n_rows))
        return [
            {
                "index": int(row),
                "score": float(scores[row]),
                "reasons": why,
                "narrative": narrative(joined, i, why).replace(f"row {i}", f"row {row}", 1),
            }
            for row, i, why in zip(rows, at, explain_rows(joined, at), strict=True)
        ]


def _joined(prepared: Prepared, batch: Any, matrix: np.ndarray, rows: np.ndarray) -> Prepared:
    """The data of the investigation with the rows to explain after it, so that reasons compare with the old."""
    from dataclasses import replace

    raw = None
    if prepared.raw is not None and prepared.data_type == "tabular":
        import pandas as pd

        fresh = detection.raw_frame(batch)
        if fresh is not None and list(map(str, fresh.columns)) == list(map(str, prepared.raw.columns)):
            raw = pd.concat([prepared.raw, fresh.iloc[rows]], ignore_index=True)
    return replace(
        prepared,
        matrix=np.concatenate([prepared.matrix, matrix[rows]]),
        raw=raw,
        labels=None,
        data_type=prepared.data_type,
    )
