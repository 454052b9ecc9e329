"""What to do after an analysis: report, or try something that has not been tried."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.anomaly.plans import choose_plans
from gnomon.anomaly.ranks import ranks
from gnomon.anomaly.report import BEYOND_CHANCE, failures, is_beyond_chance
from gnomon.anomaly.state import (
    InvestigationAnalysis,
    InvestigationState,
    NextAction,
    QualityAssessment,
    StructuredFeedback,
)

MAX_ATTEMPTS = 3


def after_analysis(
    state: InvestigationState, analysis: InvestigationAnalysis, quality: QualityAssessment, knowledge: Any
) -> NextAction:
    """Medium and high quality are reported; low quality iterates while something is left to try."""
    failed = failures(state)
    note = "".join(f" {f['detector_name']} gave no result: {f['error']}." for f in failed)
    if quality["verdict"] != "low":
        reason = f"Results ready (quality {quality['verdict']}, {quality['overall']:.2f}).{note}"
        return _report(reason, analysis, quality, failed)
    change, suggestion = improvement(state, quality, knowledge)
    if change is None:
        chance = not is_beyond_chance(quality)
        reason = (
            f"{BEYOND_CHANCE}: {len(state.tried)} combinations of detectors were tried.{note}"
            if chance
            else f"Quality stays low ({quality['overall']:.2f}) after {len(state.tried)} combinations; treat the rows as hints.{note}"
        )
        return _report(reason, analysis, quality, failed)
    why = (
        "nothing stands out beyond chance"
        if not is_beyond_chance(quality)
        else quality["explanation"].rstrip(".")
    )
    return {
        "action": "iterate",
        "reason": f"Low result quality ({quality['overall']:.2f}): {why}.{note}",
        "suggestion": suggestion,
        "proposed_change": change,
    }


def _report(
    reason: str, analysis: InvestigationAnalysis, quality: QualityAssessment, failed: list[dict[str, str]]
) -> NextAction:
    action: NextAction = {
        "action": "report_to_user",
        "reason": reason,
        "summary": analysis["summary"],
        "confidence": float(quality["overall"]),
    }
    if failed:
        action["failed_detectors"] = [f["detector_name"] for f in failed]
    return action


def improvement(
    state: InvestigationState, quality: QualityAssessment, knowledge: Any
) -> tuple[StructuredFeedback | None, str]:
    """A change worth trying that has not been tried, or None."""
    if len(state.tried) >= MAX_ATTEMPTS:
        return None, ""
    tried_sets = [frozenset(t["detectors"]) for t in state.tried]
    odd = _odd_one_out(state)
    if odd is not None and is_beyond_chance(quality):
        rest = frozenset(p["detector_name"] for p in state.plans) - {odd}
        if rest not in tried_sets:
            return {
                "action": "exclude",
                "detectors": [odd],
            }, f"Exclude {odd}, which agrees least with the others, and run again."
    used = {name for t in tried_sets for name in t}
    fresh = [p["detector_name"] for p in choose_plans(state, knowledge, avoid=tuple(sorted(used)))]
    if fresh:
        return {"action": "replan"}, f"Try detectors that have not been tried: {', '.join(fresh)}."
    return None, ""


def _odd_one_out(state: InvestigationState) -> str | None:
    """The detector whose scores agree least with those of the others, where there are three."""
    good = [r for r in state.results if r["status"] == "success"]
    if len(good) < 3:
        return None
    orders = [ranks(r["scores_train"]) for r in good if "scores_train" in r]
    if any(np.ptp(r) == 0 for r in orders):
        return None
    rho = np.corrcoef(orders)
    mean = (rho.sum(axis=1) - 1) / (len(orders) - 1)
    return good[int(np.argmin(mean))]["detector_name"]
