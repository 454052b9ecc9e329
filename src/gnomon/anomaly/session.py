"""The steps of an investigation: profile, plan, run, analyse. Each says what to do next."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from gnomon.anomaly import detection
from gnomon.anomaly.explain import MAX_EXPLAINED, explain_rows, group_anomalies, narrative
from gnomon.anomaly.guidance import after_analysis
from gnomon.anomaly.plans import (
    check_contamination,
    choose_plans,
    combination,
    consensus_method,
    fit_key,
    prepared_of,
    require_phase,
)
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.ranks import rank_correlation
from gnomon.anomaly.refit import full_consensus
from gnomon.anomaly.report import BEYOND_CHANCE, failures, is_beyond_chance
from gnomon.anomaly.results import analyze_result, distance_ranks, distribution, top_rows
from gnomon.anomaly.rethreshold import combined
from gnomon.anomaly.state import (
    ConsensusAnalysis,
    ConsensusResult,
    DetectionPlan,
    DetectorResult,
    InvestigationState,
    NextAction,
    QualityAssessment,
)
from gnomon.anomaly.threads import one_thread
from gnomon.anomaly.told_series import episodes
from gnomon.core.errors import InvalidInput

PRIORITIES: Final = ("balanced", "speed", "accuracy")
TOP_K: Final = 10

Progress = Callable[[str, float], None]


def start_state(data: Any, data_type: str | None, seed: int) -> InvestigationState:
    """Profile the data and open an investigation."""
    prepared = detection.prepare_data(data, data_type)
    profile = detection.profile_of(prepared, data)
    state = InvestigationState(phase="profiled", data=data, profile=profile, seed=seed, prepared=prepared)
    state.transformations = [t.to_dict() for t in prepared.log]
    state.next_action = {
        "action": "plan",
        "reason": f"Data read as {profile['data_type']} with {profile['n_samples']:,} rows. Ready to choose detectors.",
    }
    state.steps.append({"call": "start", "data_type": data_type, "seed": seed})
    state.log("start", f"Profiled {profile['data_type']} data: {profile['n_samples']:,} rows")
    return state


@one_thread()
def plan_state(
    state: InvestigationState, priority: str, constraints: Mapping[str, Any] | None, knowledge: Any
) -> InvestigationState:
    """Choose up to three detectors."""
    if priority not in PRIORITIES:
        raise InvalidInput(f"priority must be one of {', '.join(PRIORITIES)}; got {priority!r}.")
    given = dict(constraints or {})
    state.clear_results()
    state.priority, state.constraints = priority, given
    if given.get("contamination") is not None:
        state.contamination = check_contamination(given["contamination"])
    consensus_method(state)  # refused here, before anything is fitted
    state.plans = choose_plans(state, knowledge)
    state.phase = "planned"
    state.next_action = _after_plan(state)
    names = ", ".join(p["detector_name"] for p in state.plans)
    state.steps.append({"call": "plan", "priority": priority, "constraints": copy.deepcopy(given)})
    state.log("plan", f"Selected {len(state.plans)} detectors: {names}")
    return state


def _after_plan(state: InvestigationState) -> NextAction:
    if not state.plans:
        return {
            "action": "confirm_with_user",
            "reason": "No detector is left under these constraints.",
            "suggestion": "Plan again with fewer excluded detectors.",
        }
    names = ", ".join(f"{p['detector_name']} ({p['confidence']:.2f})" for p in state.plans)
    return {"action": "run", "reason": f"Top {len(state.plans)} detectors selected: {names}. Ready to run."}


@one_thread()
def run_state(
    state: InvestigationState, knowledge: Any, progress: Progress | None = None
) -> InvestigationState:
    """Fit the planned detectors that are not fitted yet, and take them together."""
    require_phase(state, "planned")
    prepared = prepared_of(state)
    todo = [p for p in state.plans if fit_key(p, state.seed) not in state.fitted]
    seconds = state.constraints.get("max_seconds")
    fresh = detection.fit(prepared, todo, state.seed, seconds, progress, knowledge) if todo else []
    by_key = {fit_key(p, state.seed): r for p, r in zip(todo, fresh, strict=True)}
    state.fitted.update({k: r for k, r in by_key.items() if r["status"] == "success"})
    unlabelled = [_result(state, p, by_key) for p in state.plans]
    state.results, state.consensus = combined(state, prepared, unlabelled)
    state.phase = "detected"
    state.next_action = _after_run(state, knowledge)
    good = sum(r["status"] == "success" for r in state.results)
    detail = f"{good}/{len(state.results)} detectors succeeded"
    detail += "".join(f"; {f['detector_name']} {f['status']}: {f['error']}" for f in failures(state))
    state.steps.append({"call": "run"})
    state.log("run", detail)
    return state


def _result(
    state: InvestigationState, plan: DetectionPlan, by_key: Mapping[str, DetectorResult]
) -> DetectorResult:
    key = fit_key(plan, state.seed)
    known: Any = dict(by_key[key] if key in by_key else state.fitted[key])
    known["plan"] = plan
    return known


def _after_run(state: InvestigationState, knowledge: Any) -> NextAction:
    failed = failures(state)
    names = [f["detector_name"] for f in failed]
    why = "; ".join(f"{f['detector_name']}: {f['error']}" for f in failed)
    if state.consensus is None:
        return {
            "action": "confirm_with_user",
            "reason": f"All {len(state.results)} detectors failed ({why}). Check data format or try a different detector family.",
        }
    n = state.consensus["n_detectors"]
    if failed:
        running = [r["detector_name"] for r in state.results]
        spare = [p["detector_name"] for p in choose_plans(state, knowledge, avoid=tuple(running))][
            : len(names)
        ]
        return {
            "action": "recover_detector_failure",
            "reason": f"{len(names)}/{len(state.results)} detectors gave no result ({why}); the consensus uses {n}.",
            "failed_detectors": names,
            "suggested_replacements": spare,
            "suggestion": f"iterate(state, {{'action': 'recover'}}) replaces them with {', '.join(spare) or 'nothing, none is left'}; "
            "analyze(state) goes on with the rest.",
        }
    agreement = "" if n == 1 else f", agreement {state.consensus['agreement']:.2f}"
    return {
        "action": "analyze",
        "reason": f"Detection complete ({n} detector{'s' if n > 1 else ''}{agreement}).",
    }


@one_thread()
def analyze_state(state: InvestigationState, knowledge: Any) -> InvestigationState:
    """Judge the result, find the causes, and say what to do next."""
    require_phase(state, "detected")
    state.phase = "analyzed"
    state.steps.append({"call": "analyze"})
    if state.consensus is None:
        return _all_failed(state)
    prepared = prepared_of(state)
    consensus = full_consensus(state)
    quality = detection.assess(prepared, state.results, consensus, state.seed)
    state.quality = quality
    distance = distance_ranks(prepared)
    per = [
        analyze_result(r, prepared, distance=distance) if r["status"] == "success" else None
        for r in state.results
    ]
    best = best_detector(state.results, consensus["scores"])
    found = _consensus_analysis(prepared, consensus, quality)
    state.analysis = {
        "consensus_analysis": found,
        "per_detector_analysis": per,
        "best_detector": state.results[best]["detector_name"],
        "best_detector_index": best,
        "summary": _summary(state, found, quality),
        "failed_detectors": failures(state),
    }
    state.tried.append(
        {
            "combination": combination(state),
            "detectors": [p["detector_name"] for p in state.plans],
            "iteration": state.iteration,
            "verdict": quality["verdict"],
            "overall": quality["overall"],
        }
    )
    state.next_action = after_analysis(state, state.analysis, quality, knowledge)
    state.log("analyze", f"Quality: {quality['verdict']} ({quality['overall']:.2f})")
    return state


def _all_failed(state: InvestigationState) -> InvestigationState:
    why = "; ".join(f"{f['detector_name']}: {f['error']}" for f in failures(state))
    state.analysis = None
    state.quality = {
        "separation": 0.0,
        "agreement": 0.0,
        "stability": 0.0,
        "overall": 0.0,
        "verdict": "low",
        "explanation": "All detectors failed.",
        "significance": 1.0,
        "significant": False,
    }
    state.next_action = {
        "action": "confirm_with_user",
        "reason": f"All detectors failed ({why}). Check data format or try a different detector family.",
    }
    state.log("analyze", "All detectors failed")
    return state


def _consensus_analysis(
    prepared: Prepared, consensus: ConsensusResult, quality: QualityAssessment
) -> ConsensusAnalysis:
    scores, labels = consensus["scores"], consensus["labels"]
    n, flagged = len(labels), int(labels.sum())
    top = [int(i) for i in top_rows(scores, min(TOP_K, n))]
    marked = [int(i) for i in top_rows(scores, max(flagged, len(top)))][:MAX_EXPLAINED]
    reasons = dict(zip(marked, explain_rows(prepared, marked), strict=True))
    groups = [i for i in marked if labels[i] == 1]
    first = [reasons[i][0]["column"] if reasons.get(i) else None for i in range(n)]
    return {
        "n_anomalies": flagged,
        "anomaly_ratio": flagged / max(n, 1),
        "score_distribution": distribution(scores),
        "top_anomalies": [
            {
                "index": i,
                "score": float(scores[i]),
                "row": prepared.label(i),
                "flagged": bool(labels[i]),
                "reasons": reasons[i],
                "narrative": narrative(prepared, i, reasons[i]),
            }
            for i in top
        ],
        "summary": _counted(flagged, n, consensus, quality),
        "groups": group_anomalies(groups, [reasons[i] for i in groups]),
        "episodes": episodes(prepared, scores, labels, first),
    }


def _counted(flagged: int, n: int, consensus: ConsensusResult, quality: QualityAssessment) -> str:
    by = f"consensus of {consensus['n_detectors']} detector{'s' if consensus['n_detectors'] > 1 else ''}"
    if not is_beyond_chance(quality):
        tail = f"; {flagged:,} of {n:,} rows stand out only as much as chance allows" if flagged else ""
        return f"{BEYOND_CHANCE} in {n:,} rows by {by}{tail}."
    if flagged == 0:
        return f"Something differs from chance, but no single row of {n:,} stands out enough to be flagged by {by}."
    share = 100 * flagged / max(n, 1)
    what = "anomaly" if flagged == 1 else "anomalies"
    return f"{flagged:,} {what} detected out of {n:,} samples ({share:.2g} %) by {by}."


def _summary(state: InvestigationState, found: ConsensusAnalysis, quality: QualityAssessment) -> str:
    parts = [found["summary"], f"Quality: {quality['verdict']} ({quality['overall']:.2f})."]
    groups, stretches = found.get("groups", []), found.get("episodes", [])
    if stretches and is_beyond_chance(quality):
        parts.append(f"Most unusual: {stretches[0]['text']}.")
    elif groups and is_beyond_chance(quality):
        parts.append(f"Most common cause: {groups[0]['cause']} ({groups[0]['size']:,} rows).")
    parts += [f"{f['detector_name']} gave no result ({f['error']})." for f in failures(state)]
    return " ".join(parts)


def best_detector(results: list[DetectorResult], scores: np.ndarray) -> int:
    """The successful detector closest to the consensus: correlation, then confidence, then speed, then order."""
    good = [i for i, r in enumerate(results) if r["status"] == "success"]
    rho: dict[int, float] = {}
    for i in good:
        own = results[i].get("scores_train", np.empty(0))
        rho[i] = rank_correlation(own, scores)
    finite = [i for i in good if np.isfinite(rho[i])]
    if not finite:
        return good[0]

    def rank(i: int) -> tuple[float, float, float, int]:
        plan = results[i].get("plan")
        confidence = float(plan["confidence"]) if plan else 0.0
        return -round(rho[i], 12), -confidence, float(results[i].get("runtime_seconds", np.inf)), i

    return min(finite, key=rank)
