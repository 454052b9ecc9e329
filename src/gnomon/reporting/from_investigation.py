"""A document from an investigation: the verdict and its evidence, the rows that stand out and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.anomaly.plans import prepared_of
from gnomon.anomaly.report import BEYOND_CHANCE, failures, is_beyond_chance
from gnomon.anomaly.state import InvestigationState
from gnomon.core.errors import InvalidInput
from gnomon.core.figures import figure, listed, sentence
from gnomon.data.profile_model import plain
from gnomon.reporting.document import (
    Document,
    Recipe,
    ReportChart,
    ReportFact,
    ReportTable,
    Section,
    Source,
    Step,
    versions,
)
from gnomon.tools.chart_frame import words
from gnomon.tools.chart_groups import score_chart
from gnomon.tools.chart_series import annotated_series_chart

MAX_SERIES = 100_000


def document_of_investigation(
    state: InvestigationState,
    name: str,
    *,
    sources: Sequence[Source] = (),
    recipe: Recipe | None = None,
) -> Document:
    """An analysed investigation as a report.

    Args:
        state: The investigation.
        name: What the data is called.
        sources: The data it was computed from.
        recipe: How to compute it again.

    Raises:
        InvalidInput: There is no analysis to report on.
    """
    if state.analysis is None or state.consensus is None or state.quality is None:
        raise InvalidInput(
            "There is no result to report on.", suggestions=["Run and analyse the investigation first."]
        )
    quality, found = state.quality, state.analysis["consensus_analysis"]
    paragraphs = [
        sentence(found["summary"]),
        sentence(f"{quality['explanation']} Verdict: {quality['verdict']} ({quality['overall']:.2f})."),
    ]
    if not is_beyond_chance(quality):
        paragraphs.append(
            f"{BEYOND_CHANCE}: rows like these turn up where nothing is going on, so read them with care."
        )
    stretches = found.get("episodes")
    charts = tuple(ReportChart.of(c) for c in investigation_charts(state))
    sections = [
        Section(heading="Finding", paragraphs=tuple(paragraphs), charts=charts),
        Section(heading="When", tables=(_episodes(stretches),))
        if stretches
        else Section(heading=_heading(found["top_anomalies"]), tables=(_top(found["top_anomalies"]),)),
    ]
    if not stretches and (groups := found.get("groups")):
        rows = [(g["cause"], g["size"], str(g["example"])) for g in groups]
        table = ReportTable.of("Shared causes", ("cause", "rows", "example"), rows)
        sections.append(Section(heading="Shared causes", tables=(table,)))
    sections.append(Section(heading="Detectors", tables=(_detectors(state),)))
    notes = [f"{f['detector_name']} gave no result: {f['error']}" for f in failures(state)]
    notes += [f"{listed([str(c) for c in t['columns']])}: {t['detail']}" for t in state.transformations]
    return Document(
        kind="investigation",
        title=f"Anomalies in {name}",
        sections=tuple(sections),
        facts=tuple(_facts(state)),
        steps=tuple(_steps(state)),
        notes=tuple(dict.fromkeys(sentence(n) for n in notes)),
        sources=tuple(sources),
        versions=versions(),
        recipe=recipe,
    )


def _facts(state: InvestigationState) -> list[ReportFact]:
    assert state.analysis is not None and state.consensus is not None and state.quality is not None
    found, quality, consensus = state.analysis["consensus_analysis"], state.quality, state.consensus
    values: list[tuple[str, str, Any, str | None, str]] = [
        ("rows", "Rows looked at", len(consensus["labels"]), None, "consensus"),
        ("flagged", "Rows flagged", int(found["n_anomalies"]), None, "consensus"),
        ("flagged_share", "Share of rows flagged", 100 * float(found["anomaly_ratio"]), "%", "consensus"),
        ("agreement", "Agreement of the detectors", float(consensus["agreement"]), None, "consensus"),
        ("threshold", "Threshold of the score", consensus.get("threshold"), None, "consensus"),
        ("quality", "Quality of the result", float(quality["overall"]), None, "quality"),
        ("separation", "Separation", float(quality["separation"]), None, "quality"),
        ("stability", "Stability", float(quality["stability"]), None, "quality"),
        ("significance", "Probability of such a result by chance", quality.get("significance"), None, "quality"),
        ("verdict", "Verdict", str(quality["verdict"]), None, "quality"),
    ]  # fmt: skip
    made = {
        "consensus": "the scores of the detectors, standardised and combined",
        "quality": "separation, agreement and stability of the combined scores",
    }
    return [
        ReportFact(name=name, label=label, value=plain(v), unit=unit, shown=figure(v, unit), step=step, computation=made[step])
        for name, label, v, unit, step in values
        if v is not None
    ]  # fmt: skip


def _steps(state: InvestigationState) -> list[Step]:
    steps = [
        Step(id=f"detector_{i}", tool=p["detector_name"], parameters=plain(p["params"]), inputs=("data",))
        for i, p in enumerate(state.plans, 1)
    ]
    names = tuple(s.id for s in steps)
    return [
        *steps,
        Step(id="consensus", tool="combine_scores", inputs=names),
        Step(id="quality", tool="assess_quality", inputs=("consensus",)),
    ]


def _heading(top: Sequence[Any]) -> str:
    """What the rows are called that were scored highest, where none of them may be flagged."""
    flagged = any(t.get("flagged") for t in top)
    return "Rows that stand out most" if flagged else "Rows that come nearest to standing out"


def _top(top: Sequence[Any]) -> ReportTable:
    rows = [
        (
            str(t.get("row", t["index"])),
            round(float(t["score"]), 6),
            "yes" if t.get("flagged") else "no",
            "; ".join(r["text"] for r in t.get("reasons", [])) or "unusual only taken together",
        )
        for t in top
    ]
    return ReportTable.of("Rows with the highest scores", ("row", "score", "flagged", "why"), rows)


def _episodes(stretches: Sequence[Any]) -> ReportTable:
    rows = [(e["when"], e["size"], round(float(e["score"]), 6), e["why"]) for e in stretches]
    return ReportTable.of("When something stands out", ("when", "readings", "score", "why"), rows)


def _detectors(state: InvestigationState) -> ReportTable:
    rows = [
        (r["detector_name"], r["status"], r.get("n_anomalies"), r["plan"]["reason"] if "plan" in r else "")
        for r in state.results
    ]
    return ReportTable.of("Detectors", ("detector", "status", "rows flagged", "chosen because"), rows)


def investigation_charts(state: InvestigationState) -> list[dict[str, Any]]:
    """The series with what was flagged, where it is one; the scores and the threshold."""
    assert state.consensus is not None
    scores, labels = state.consensus["scores"], state.consensus["labels"]
    many, threshold = int(labels.sum()), state.consensus.get("threshold")
    verb = "lies" if many == 1 else "lie"
    title = f"{figure(many) if many else 'None'} of {figure(len(labels))} rows {verb} above the threshold"
    charts: list[dict[str, Any]] = []
    if float(scores.min()) < float(scores.max()):
        limit = None if threshold is None else float(threshold)
        charts.append(score_chart(title, scores.tolist(), labels.astype(bool).tolist(), limit))
    if (series := _series(state)) is not None:
        charts.insert(0, series)
    return charts


def _series(state: InvestigationState) -> dict[str, Any] | None:
    import pandas as pd

    prepared = prepared_of(state)
    raw, labels = prepared.raw, prepared.labels
    if prepared.data_type != "time_series" or raw is None or labels is None or len(raw) > MAX_SERIES:
        return None
    assert state.consensus is not None
    times = pd.to_datetime(pd.Series(labels), errors="coerce")
    names = list(prepared.usual or {})
    if not names or bool(times.isna().any()):
        return None
    stretches = state.analysis["consensus_analysis"].get("episodes", []) if state.analysis is not None else []
    first = stretches[0] if stretches else {}
    column = first.get("column") if first.get("column") in names else names[0]
    # Of several series the one that stands out most is drawn; what stands out in another variable is not marked on it.
    part = next((p for p in prepared.parts if p.name == first.get("entity")), *prepared.parts[:1] or (None,))
    rows = part.rows if part is not None else prepared.order
    order = [int(r) for r in (range(len(raw)) if rows is None else rows)]
    told = {r for e in stretches if e["column"] == column for r in e["rows"]}
    values = raw[column].astype(float)
    points = {times[r].to_pydatetime(): None if values[r] != values[r] else float(values[r]) for r in order}
    marks = sorted({(times[r].to_pydatetime(), "") for r in order if r in told})
    name, verb = words(str(column)), "stands" if len(marks) == 1 else "stand"
    whose = f"{name} of {part.name}" if part is not None else name
    title = f"{figure(len(marks))} of {figure(len(order))} values of {whose} {verb} out" if marks else f"Nothing stands out in {whose}"  # fmt: skip
    return annotated_series_chart(title, list(points.items()), marks, "time", name)
