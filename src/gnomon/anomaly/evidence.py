"""How far detectors see more in the data than in rows drawn from the null model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from gnomon.anomaly.consensus import Combination
from gnomon.anomaly.contamination import global_p, p_values
from gnomon.anomaly.null import NullModel

FEWEST_ROWS: Final = 20
_DRAWN: Final = (4_000, 20_000)
_CELLS: Final = 6_000_000
# In leading zeros of a p-value: what counts as seen by the consensus, and as clearly seen by one detector.
SEEN: Final = 1.3
CLEAR: Final = 2.8


def null_rows(X: np.ndarray, seed: int) -> np.ndarray | None:
    """Rows without anomalies to compare with, or None where there is too little data to model."""
    n, p = X.shape
    if n < FEWEST_ROWS:
        return None
    rng = np.random.default_rng([seed, 7])
    size = int(np.clip(n // 2, *_DRAWN))
    return NullModel.fit(X, rng).draw(max(1_000, min(size, _CELLS // p)), rng)


def null_scores(detector: Any, rows: np.ndarray) -> np.ndarray | None:
    """The detector's scores of the null, or None where it cannot score rows it was not fitted on."""
    try:
        scores = np.asarray(detector.decision_function(rows), dtype=float)
    except Exception:  # noqa: BLE001  some detectors of PyOD score only the rows they were fitted on
        return None
    return scores if scores.shape == (len(rows),) and bool(np.isfinite(scores).all()) else None


def strength(p: float) -> float:
    """A p-value as its number of leading zeros."""
    return float(-np.log10(max(p, 1e-30))) if p < 1 else 0.0


def evidence(scores: np.ndarray, null: np.ndarray) -> float:
    """Strength of the evidence that ``scores`` hold more than the null does."""
    return strength(global_p(p_values(scores, null)))


def weights_by_evidence(
    scores: Sequence[np.ndarray], nulls: Sequence[np.ndarray | None], method: str
) -> list[float] | None:
    """Unequal weights where equal ones show nothing but single detectors do, else None.

    On most data equal weights are best. Where an anomaly is visible in one way only (a broken dependence,
    an odd place between dense and sparse), averaging with detectors that cannot see it would hide it.
    """
    known = [(s, m) for s, m in zip(scores, nulls, strict=True) if m is not None]
    if len(known) < len(scores) or len(scores) < 2:
        return None
    made = Combination.fit(scores, method)
    if evidence(made.apply(scores), made.apply([m for _, m in known])) > SEEN:
        return None
    alone = np.array([evidence(s, m) for s, m in known])
    if float(alone.max()) - np.log10(len(alone)) < CLEAR:
        return None
    return [float(w) for w in np.where(alone >= 0.5 * alone.max(), alone, 0.05 * alone.max())]
