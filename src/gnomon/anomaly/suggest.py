"""What to try next after a single result, from its figures and from feedback in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.anomaly.feedback_grammar import Context, read
from gnomon.anomaly.results import top_rows

if TYPE_CHECKING:
    from gnomon.anomaly.catalogue import Catalogue

# What PyOD's detectors flag unless told otherwise; steps from there are PyOD's.
USUAL: Final = 0.1
MORE: Final = 1.5
FEWER: Final = 0.5
LEAST: Final = 0.01
MOST: Final = 0.5


def next_step(
    catalogue: Catalogue, result: Mapping[str, Any], analysis: Mapping[str, Any], feedback: str | None
) -> dict[str, Any]:
    """``adjust_threshold``, ``try_alternative`` or ``done``, with what to change and why."""
    share = float(analysis.get("anomaly_ratio", 0.0))
    if feedback:
        answered = _from_words(catalogue, result, share, feedback)
        if answered is not None:
            return answered
    if share > 0.3:
        return _threshold(
            result, share, False, f"{100 * share:.0f} % of the rows are flagged, unusually many."
        )
    if share == 0:
        return _alternative(catalogue, result, "No anomalies were detected; another detector may see more.")
    reason = f"Results look reasonable ({100 * share:.1f} % flagged). Review the top anomalies to validate."
    return {"action": "done", "reason": reason}


def _from_words(
    catalogue: Catalogue, result: Mapping[str, Any], share: float, feedback: str
) -> dict[str, Any] | None:
    if "ensemble" in feedback.casefold():
        return _alternative(
            catalogue, result, "Several detectors together are steadier: investigate() runs up to three."
        )
    scores = np.asarray(result["scores_train"])
    current = _current(result, share)
    flagged = max(1, round(current * len(scores)))
    context = Context(
        detectors=catalogue.plannable(None),
        planned=[str(result["plan"].get("detector_name", ""))],
        n_rows=len(scores),
        flagged=flagged,
        ranking=[int(i) for i in top_rows(scores, max(flagged, 100))],
    )
    reading = read(feedback, context)
    change = reading.change or {}
    if change.get("action") == "adjust_contamination" and change.get("value") != "auto":
        value = float(change["value"])
        more = value > flagged / len(scores)
        said = "Missed anomalies were reported." if more else "Too many were reported as flagged."
        # A number is taken as it was said; a direction alone takes PyOD's step.
        return _threshold(result, share, more, said, value if any(c.isdigit() for c in feedback) else None)
    if change.get("action") in ("replan", "exclude", "include", "rerun", "batch"):
        return _alternative(catalogue, result, reading.reason)
    if change.get("action") in ("accept", "report"):
        return {"action": "done", "reason": reading.reason}
    return None


def _current(result: Mapping[str, Any], share: float) -> float:
    """The share in force: what the plan says, else what is flagged, else what is usual."""
    return float(result["plan"].get("params", {}).get("contamination") or share or USUAL)


def _threshold(
    result: Mapping[str, Any], share: float, more: bool, why: str, value: float | None = None
) -> dict[str, Any]:
    current = _current(result, share)
    if value is None:
        value = min(current * MORE, MOST) if more else max(current * FEWER, LEAST)
    return {
        "action": "adjust_threshold",
        "reason": f"{why} Try {'increasing' if more else 'reducing'} contamination from {current:.3g} to {value:.3g}.",
        "threshold_adjustment": {
            "current_contamination": current,
            "suggested_contamination": value,
            "direction": "increase" if more else "decrease",
        },
    }


def _alternative(catalogue: Catalogue, result: Mapping[str, Any], why: str) -> dict[str, Any]:
    return {"action": "try_alternative", "reason": why, "new_plan": _other_plan(catalogue, result)}


def _other_plan(catalogue: Catalogue, result: Mapping[str, Any]) -> dict[str, Any]:
    current = result["plan"].get("detector_name", "")
    for plan in result["plan"].get("alternatives", []):
        if plan.get("detector_name") not in ("", current):
            return plan
    ranked = [d["name"] for d in catalogue.comparison(None, "tabular", 10)]
    name = next((n for n in ranked if n != current), "IForest")
    from gnomon.anomaly.routing import plan_from_names

    return dict(plan_from_names(catalogue, [name], [f"Alternative to {current}"], None))
