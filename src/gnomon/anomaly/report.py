"""The report of an investigation: the consensus first, then the evidence behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.anomaly.results import result_report
from gnomon.anomaly.serialise import jsonable, without_working
from gnomon.anomaly.state import (
    ConsensusAnalysis,
    ConsensusResult,
    InvestigationAnalysis,
    InvestigationState,
    QualityAssessment,
)
from gnomon.core.errors import InvalidInput
from gnomon.core.visible import visible

BEYOND_CHANCE = "No anomalies beyond chance"
MOST_TOLD = 20


def report_state(state: InvestigationState, format: str = "text") -> str | dict[str, Any]:
    """The report as Markdown text or as JSON-ready data.

    Args:
        state: An analysed investigation.
        format: ``text`` or ``json``.

    Raises:
        InvalidInput: The format is unknown, or there is nothing to report on.
    """
    if format not in ("text", "json"):
        raise InvalidInput(f"Unknown report format: {format!r}. Use 'text' or 'json'.")
    if state.analysis is None or state.consensus is None or state.quality is None:
        raise InvalidInput(
            "No successful detectors to report on. Use iterate() to adjust the plan.",
            suggestions=["iterate(state, {'action': 'replan'}) chooses other detectors."],
        )
    parts = state.analysis, state.consensus, state.quality
    return _as_json(state, *parts) if format == "json" else visible(_as_text(state, *parts))


def is_beyond_chance(quality: QualityAssessment) -> bool:
    """Whether the result differs from what the same columns give when nothing is going on."""
    return bool(quality.get("significant", True))


def failures(state: InvestigationState) -> list[dict[str, str]]:
    """The detectors that gave no result, and why."""
    return [
        {"detector_name": r["detector_name"], "status": r["status"], "error": str(r.get("error") or "")}
        for r in state.results
        if r["status"] != "success"
    ]


def _as_json(
    state: InvestigationState,
    analysis: InvestigationAnalysis,
    consensus: ConsensusResult,
    quality: QualityAssessment,
) -> dict[str, Any]:
    at = analysis["best_detector_index"]
    best: dict[str, Any] = dict(state.results[at])
    comparison = {"agreement": consensus["agreement"], "disagreements": consensus["disagreements"]}
    return jsonable(
        {
            "session": {
                "consensus": without_working(consensus),
                "quality": quality,
                "comparison": comparison,
                "analysis": analysis["consensus_analysis"],
                "summary": analysis["summary"],
                "beyond_chance": is_beyond_chance(quality),
                "detectors": _detector_rows(state),
                "failed_detectors": failures(state),
                "data": {"profile": state.profile, "transformations": state.transformations},
                "labelled_rows": {str(k): v for k, v in state.labels.items()},
                "iterations": state.iteration,
                "next_action": state.next_action,
            },
            "best_detector": {
                "name": best["detector_name"],
                "scores": best["scores_train"],
                "labels": best["labels_train"],
                "threshold": best["threshold"],
                "analysis": analysis["per_detector_analysis"][at],
            },
        }
    )


def _detector_rows(state: InvestigationState) -> list[dict[str, Any]]:
    return [
        {
            "name": r["detector_name"],
            "status": r["status"],
            "error": r.get("error"),
            "n_anomalies": r.get("n_anomalies"),
            "runtime_seconds": r.get("runtime_seconds"),
        }
        for r in state.results
    ]


def _as_text(
    state: InvestigationState,
    analysis: InvestigationAnalysis,
    consensus: ConsensusResult,
    quality: QualityAssessment,
) -> str:
    found = analysis["consensus_analysis"]
    lines = ["# Investigation Report", "", f"{quality['explanation']}", "", analysis["summary"], ""]
    lines += _session_lines(state, found, consensus, quality)
    if not is_beyond_chance(quality):
        lines += ["The rows below score highest, but rows like them turn up by chance too.", ""]
    if found.get("episodes"):
        lines += ["## When", "", *(f"- {e['text']}" for e in found.get("episodes", [])[:MOST_TOLD]), ""]
    else:
        lines += ["## Rows that stand out", "", *_top_table(found["top_anomalies"]), ""]
        lines += _group_lines(found.get("groups", []))
    lines += ["## Detectors", "", *_detector_table(state), ""]
    if state.transformations:
        lines += ["## What was done to the data", ""]
        lines += [f"- {', '.join(map(str, t['columns']))}: {t['detail']}" for t in state.transformations] + [
            ""
        ]
    lines += [f"**Next:** {state.next_action.get('reason', '')}".rstrip(), ""]
    at = analysis["best_detector_index"]
    best_analysis = analysis["per_detector_analysis"][at]
    if best_analysis is not None:
        lines.append(result_report(dict(state.results[at]), best_analysis, "text"))
    return "\n".join(lines)


def _session_lines(
    state: InvestigationState,
    found: ConsensusAnalysis,
    consensus: ConsensusResult,
    quality: QualityAssessment,
) -> list[str]:
    """What PyOD's engine tells of a session, in its order, and what was found beside."""
    lines = [
        "## Session Summary",
        f"- **Detectors run:** {consensus['n_detectors']}",
        f"- **Detector agreement:** {consensus['agreement']:.2f}",
        f"- **Quality verdict:** {quality['verdict']} ({quality['overall']:.2f})",
        f"- **Iterations:** {state.iteration}",
    ]
    if consensus["disagreements"]:
        lines.append(f"- **Disagreements:** {len(consensus['disagreements'])} samples")
    share = 100 * found["anomaly_ratio"]
    lines.append(
        f"- **Flagged:** {found['n_anomalies']:,} of {len(consensus['labels']):,} rows ({share:.2g} %)"
    )
    if "significance" in quality:
        lines.append(f"- **Against chance:** p = {quality['significance']:.2g}")
    lines += [f"- **Failed:** {f['detector_name']} ({f['status']}): {f['error']}" for f in failures(state)]
    if state.labels:
        lines.append(f"- **Your marks:** {len(state.labels):,} rows, taken into account")
    return [*lines, ""]


def _top_table(top: Sequence[Any]) -> list[str]:
    lines = ["| Row | Score | Flagged | Why |", "|---|---:|---|---|"]
    for t in top:
        why = "; ".join(r["text"] for r in t.get("reasons", [])) or "unusual only taken together"
        mark = "yes" if t.get("flagged") else "no"
        lines.append(f"| {_cell(t.get('row', t['index']))} | {t['score']:.3f} | {mark} | {_cell(why)} |")
    return lines


def _cell(text: Any) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def _group_lines(groups: Sequence[dict[str, Any]]) -> list[str]:
    if not groups:
        return []
    lines = ["## Shared causes", ""]
    for g in groups[:8]:
        rows = ", ".join(str(r) for r in g["rows"][:6]) + (", …" if g["size"] > 6 else "")
        lines.append(f"- **{g['size']:,} rows: {g['cause']}** (for example {g['example']}): {rows}")
    return [*lines, ""]


def _detector_table(state: InvestigationState) -> list[str]:
    lines = ["| Detector | Status | Flagged | Seconds |", "|---|---|---:|---:|"]
    for r in _detector_rows(state):
        flagged = "" if r["n_anomalies"] is None else f"{r['n_anomalies']:,}"
        seconds = "" if r["runtime_seconds"] is None else f"{r['runtime_seconds']:.2f}"
        status = r["status"] if not r["error"] else f"{r['status']}: {r['error']}"
        lines.append(f"| {r['name']} | {_cell(status)} | {flagged} | {seconds} |")
    return lines
