"""Rows that a person marked as normal or anomalous, and what follows for the others.

Two things are learned from marks: which detectors to trust (those that rank the marked rows rightly gain
weight), and that rows like a marked one share its fate, the more so the closer they lie to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from gnomon.anomaly import contamination as shares
from gnomon.anomaly.scaling import Robust
from gnomon.anomaly.state import ConsensusResult, DetectorResult

# A row is like a marked one within about this part of the median distance to it.
_REACH: Final = 0.25
# Rows like a marked one follow it a quarter of the way: one mark alone overturns no clear finding.
_PULL: Final = 0.25


def label_weights(
    results: Sequence[DetectorResult], base: Mapping[str, float], labels: Mapping[int, int]
) -> list[float]:
    """Weight of each result: its weight so far, times how well it ranks the marked rows."""
    weights: list[float] = []
    for r in results:
        if r["status"] != "success" or "scores_train" not in r:
            weights.append(0.0)
            continue
        ordered, own = np.sort(r["scores_train"]), r["scores_train"]
        ranks = {row: float(np.searchsorted(ordered, own[row], "right")) / len(ordered) for row in labels}
        right = np.mean([ranks[row] if label == 1 else 1 - ranks[row] for row, label in labels.items()])
        weights.append(base.get(r["detector_name"], 1.0) * float(np.exp(4 * (right - 0.5))))
    total = sum(weights)
    return [w / total for w in weights]


def with_marks(
    matrix: np.ndarray, made: ConsensusResult, labels: Mapping[int, int], contamination: float | None
) -> ConsensusResult:
    """The consensus with marked rows where their mark puts them, and rows like them drawn after.

    Args:
        matrix: The prepared data, for telling which rows are alike.
        made: The consensus without marks.
        labels: 0 for rows marked normal, 1 for rows marked anomalous.
        contamination: The share to flag; estimated again where not given.
    """
    scores, values = made["scores"].copy(), made.get("p_values", np.ones(len(made["scores"]))).copy()
    normal = [row for row, label in labels.items() if label == 0]
    anomalous = [row for row, label in labels.items() if label == 1]
    top, middle, least = float(scores.max()), float(np.median(scores)), float(values.min())
    down, up = (_PULL * likeness(matrix, rows) for rows in (normal, anomalous))
    scores += up * (top - scores) - down * np.maximum(scores - middle, 0.0)
    # The same pull on p-values, on a logarithmic scale: towards 1 and towards the smallest.
    logs = np.log(np.maximum(values, 1e-300))
    values = np.exp((logs + up * (np.log(max(least, 1e-300)) - logs)) * (1 - down))
    step = 1e-3 * (top - middle or 1.0)
    scores[normal] = np.minimum(scores[normal], middle)
    scores[anomalous] = top + step * np.arange(len(anomalous), 0, -1)
    values[normal], values[anomalous] = 1.0, least
    share = shares.estimate_contamination(values) if contamination is None else contamination
    share = max(share, len(anomalous) / len(scores))
    threshold, flags = shares.rethreshold(scores, min(share, 0.5))
    out: Any = dict(made)
    out |= {"scores": scores, "labels": flags, "threshold": threshold, "p_values": values}
    out["contamination"] = float(flags.mean())
    return out


def likeness(matrix: np.ndarray, rows: Sequence[int]) -> np.ndarray:
    """How much each row is like the nearest of ``rows``: 1 for the same, towards 0 with distance."""
    like = np.zeros(len(matrix))
    if not rows:
        return like
    scaled = Robust.fit(matrix, np.random.default_rng(0), tails="soft").apply(matrix)
    for row in rows:
        # What a row stands out in says more about its kind than what is usual about it.
        counts = 1 + scaled[row] ** 2
        away = np.sqrt((counts * (scaled - scaled[row]) ** 2).sum(axis=1))
        reach = _REACH * float(np.median(away))
        near = np.exp(-((away / reach) ** 2)) if reach > 0 else (away == 0).astype(float)
        like = np.maximum(like, near)
    return like
