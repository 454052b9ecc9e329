"""What one detector's result says: figures, explanations, the next step and a report of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.explain import explain_rows, narrative
from gnomon.anomaly.ranks import ranks
from gnomon.anomaly.serialise import jsonable
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    from gnomon.anomaly.prepared import Prepared

Result = Mapping[str, Any]
_SAMPLE: Final = 5_000


def distribution(scores: np.ndarray) -> dict[str, float]:
    """Mean, spread and quartiles of the scores."""
    if len(scores) == 0:
        return dict.fromkeys(("mean", "std", "min", "max", "median", "q25", "q75"), 0.0)
    low, middle, up = np.percentile(scores, [25, 50, 75])
    return {
        "mean": float(np.mean(scores)),
        "std": float(np.std(scores)),
        "min": float(np.min(scores)),
        "max": float(np.max(scores)),
        "median": float(middle),
        "q25": float(low),
        "q75": float(up),
    }


def top_rows(scores: np.ndarray, k: int) -> np.ndarray:
    """The ``k`` rows with the highest scores, highest first, ties by row number."""
    k = max(0, min(int(k), len(scores)))
    if k == 0:
        return np.empty(0, dtype=np.intp)
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    likely = np.flatnonzero(scores >= least)
    return likely[np.argsort(-scores[likely], kind="stable")[:k]]


def analyze_result(
    result: Result, prepared: Prepared | None, top_k: int = 10, distance: np.ndarray | None = None
) -> dict[str, Any]:
    """Figures of one detector's result; ``feature_importance`` where the data is at hand.

    Args:
        result: What the detector found.
        prepared: The data.
        top_k: How many of the highest scores to list.
        distance: What ``distance_ranks`` gave, where several results share the data.
    """
    scores, labels = np.asarray(result["scores_train"]), np.asarray(result["labels_train"])
    n, flagged = len(labels), int(labels.sum())
    spread = distribution(scores)
    name = result["plan"].get("detector_name", "unknown")
    share = flagged / n if n else 0.0
    analysis: dict[str, Any] = {
        "n_anomalies": flagged,
        "anomaly_ratio": share,
        "score_distribution": spread,
        "top_anomalies": [{"index": int(i), "score": float(scores[i])} for i in top_rows(scores, top_k)],
        "summary": (
            f"{name} flags {flagged:,} of {n:,} rows ({100 * share:.1f} %), those that score above "
            f"{float(result['threshold']):.4g}; scores run from {spread['min']:.4g} to {spread['max']:.4g}."
        ),
    }
    if prepared is not None and prepared.n_rows == n:
        importance = feature_importance(scores, prepared, distance)
        analysis["feature_importance"] = [v for _, v in importance]
        analysis["feature_names"] = [c for c, _ in importance]
    return analysis


def distance_ranks(prepared: Prepared) -> np.ndarray:
    """Centred ranks of the distance from each column's median, on a sample of the rows."""
    matrix = prepared.matrix[:: _step(prepared)]
    ranked = ranks(np.abs(matrix - np.median(matrix, axis=0)))
    return ranked - ranked.mean(axis=0)


def _step(prepared: Prepared) -> int:
    return max(1, prepared.n_rows // _SAMPLE)


def feature_importance(
    scores: np.ndarray, prepared: Prepared, distance: np.ndarray | None = None
) -> list[tuple[str, float]]:
    """How strongly the scores follow each source column, from 0 to 1, in column order.

    The rank correlation of the scores with the distance from the column's median: tails on both sides count.
    """
    distance = distance_ranks(prepared) if distance is None else distance
    own = ranks(scores[:: _step(prepared)])
    own -= own.mean()
    size = np.sqrt((distance**2).sum(axis=0) * (own**2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        follows = np.abs(distance.T @ own) / size
    best: dict[str, float] = {}
    for origin, value in zip(prepared.origins, np.nan_to_num(follows), strict=True):
        best[origin] = max(best.get(origin, 0.0), float(value))
    return list(best.items())


def explain_result(
    result: Result,
    prepared: Prepared | None,
    indices: Sequence[int] | None,
    top_k: int,
    feature_names: Sequence[str] | None,
) -> list[dict[str, Any]]:
    """Why rows were flagged: score, percentile, and where the data is at hand the columns behind it."""
    scores = np.asarray(result["scores_train"])
    n = len(scores)
    asked = top_rows(scores, top_k) if indices is None else indices
    rows = [
        int(i) for i in asked if not isinstance(i, bool) and isinstance(i, int | np.integer) and 0 <= i < n
    ]
    threshold = float(result["threshold"])
    ordered = np.sort(scores)
    reasons = explain_rows(prepared, rows) if prepared is not None else [[] for _ in rows]
    renamed = (
        dict(zip(_source_columns(prepared), feature_names, strict=False))
        if prepared and feature_names
        else {}
    )
    return [
        _explained(result, prepared, r, why, ordered, threshold, renamed)
        for r, why in zip(rows, reasons, strict=True)
    ]


def _explained(
    result: Result,
    prepared: Prepared | None,
    row: int,
    why: list[dict[str, Any]],
    ordered: np.ndarray,
    threshold: float,
    renamed: dict[str, str],
) -> dict[str, Any]:
    score = float(result["scores_train"][row])
    marked = result.get("labels_train")
    label = "anomaly" if (score > threshold if marked is None else int(marked[row]) == 1) else "normal"
    percentile = 100.0 * float(np.searchsorted(ordered, score, "right")) / len(ordered)
    text = f"Row {row} scores {score:.4g} (higher than {percentile:.1f} % of the rows; threshold {threshold:.4g}): {label}."
    entry: dict[str, Any] = {"index": row, "score": score, "percentile": percentile, "label": label}
    if prepared is not None:
        why = [_rename(r, renamed) for r in why]
        entry["contributing_features"] = [_contribution(prepared, row, r, renamed) for r in why]
        entry["reasons"] = why
        text += " " + narrative(prepared, row, why)
    entry["narrative"] = text
    return entry


def _rename(reason: dict[str, Any], renamed: dict[str, str]) -> dict[str, Any]:
    old = reason["column"]
    if old not in renamed:
        return reason
    return {
        **reason,
        "column": renamed[old],
        "text": re.sub(rf"\b{re.escape(old)}\b", renamed[old], reason["text"]),
    }


def _source_columns(prepared: Prepared) -> list[str]:
    if prepared.raw is not None:
        return [str(c) for c in prepared.raw.columns]
    return list(dict.fromkeys(prepared.origins))


def _contribution(
    prepared: Prepared, row: int, reason: dict[str, Any], renamed: dict[str, str]
) -> dict[str, Any]:
    """One column behind a score, with the fields that PyOD's engine gives."""
    sources = _source_columns(prepared)
    back = {v: k for k, v in renamed.items()}
    source = str(back.get(reason["column"], reason["column"]))
    out: dict[str, Any] = {
        "feature": sources.index(source) if source in sources else -1,
        "name": reason["column"],
        "kind": reason["kind"],
        "strength": reason["strength"],
        "text": reason["text"],
    }
    values = _numbers(prepared, source)
    if values is not None:
        mean, std = float(np.nanmean(values)), float(np.nanstd(values))
        value = float(values[row])
        out |= {
            "value": jsonable(value),
            "mean": mean,
            "z_score": abs(value - mean) / std if std > 0 else 0.0,
        }
        out["z_score"] = float(np.nan_to_num(out["z_score"]))
        out["direction"] = "low" if value < mean else "high"
    else:
        out |= {"value": _cell(prepared, row, source), "mean": None, "z_score": None, "direction": "high"}
    return out


def _numbers(prepared: Prepared, source: str) -> np.ndarray | None:
    if prepared.raw is not None and source in prepared.raw.columns:
        column = prepared.raw[source]
        if column.dtype.kind in "iuf":
            return column.to_numpy(dtype=np.float64)
        return None
    return prepared.matrix[:, prepared.columns.index(source)] if source in prepared.columns else None


def _cell(prepared: Prepared, row: int, source: str) -> Any:
    if prepared.raw is None or source not in prepared.raw.columns:
        return None
    value = prepared.raw[source].iloc[row]
    return None if value is None or value != value else str(value)


def result_report(result: Result, analysis: Mapping[str, Any], format: str) -> str:
    """The result of one detector as Markdown, line for line as PyOD writes it, or as a JSON string.

    Raises:
        InvalidInput: The format is neither ``text`` nor ``json``.
    """
    if format == "json":
        return json.dumps(jsonable(_result_figures(result, analysis)), indent=2)
    if format != "text":
        raise InvalidInput(f"Unknown report format: {format!r}. Use 'text' or 'json'.")
    spread = analysis["score_distribution"]
    lines = [
        "# Anomaly Detection Report",
        "",
        "## Configuration",
        f"- **Detector:** {result['plan'].get('detector_name', 'unknown')}",
        f"- **Reason:** {result['plan'].get('reason', '')}",
        f"- **Samples:** {len(result['scores_train'])}",
        f"- **Runtime:** {float(result.get('runtime_seconds', 0)):.2f}s",
        "",
        "## Results",
        f"- **Anomalies found:** {analysis['n_anomalies']} ({100 * analysis['anomaly_ratio']:.1f}%)",
        f"- **Threshold:** {float(result['threshold']):.4f}",
        f"- **Score range:** {spread['min']:.4f} to {spread['max']:.4f}",
        f"- **Score mean/std:** {spread['mean']:.4f} / {spread['std']:.4f}",
        "",
        "## Top Anomalies",
        "",
        "| Rank | Index | Score |",
        "|------|-------|-------|",
    ]
    lines += [
        f"| {i} | {t['index']} | {t['score']:.4f} |" for i, t in enumerate(analysis["top_anomalies"][:10], 1)
    ]
    return "\n".join([*lines, ""])


def _result_figures(result: Result, analysis: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "detector": result["plan"].get("detector_name", ""),
        "reason": result["plan"].get("reason", ""),
        "n_samples": len(result["scores_train"]),
        "n_anomalies": analysis["n_anomalies"],
        "anomaly_ratio": analysis["anomaly_ratio"],
        "threshold": result["threshold"],
        "runtime_seconds": result.get("runtime_seconds", 0),
        "score_distribution": analysis["score_distribution"],
        "top_anomalies": analysis["top_anomalies"][:10],
    }
