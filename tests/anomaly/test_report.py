"""The report: consensus first, reasons in words, JSON keys that stay."""

from __future__ import annotations

import json

import pytest
from anomaly_cases import finished, finished_noise

from gnomon.anomaly import ADEngine


def test_the_text_leads_with_the_consensus() -> None:
    text = str(ADEngine().report(finished()))
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings[:3] == ["# Investigation Report", "## Session Summary", "## Rows that stand out"]
    assert "anomalies detected out of 600 samples" in text
    assert "Amount 9,120 where 95 % lie below" in text
    assert "## Shared causes" in text


def test_the_json_report_keeps_its_keys_and_is_json() -> None:
    state = finished()
    report = ADEngine().report(state, format="json")
    assert isinstance(report, dict)
    assert set(report) == {"session", "best_detector"}
    assert {"consensus", "quality", "comparison"} <= set(report["session"])
    assert {"name", "scores", "labels", "threshold", "analysis"} == set(report["best_detector"])
    assert {"scores", "labels", "n_detectors", "agreement", "disagreements"} <= set(
        report["session"]["consensus"]
    )
    assert report["best_detector"]["name"] == state.analysis["best_detector"]  # type: ignore[index]
    back = json.loads(json.dumps(report, allow_nan=False))
    assert len(back["session"]["consensus"]["labels"]) == 600


def test_noise_is_reported_as_chance_not_as_a_tenth_flagged() -> None:
    text = str(ADEngine().report(finished_noise()))
    assert "No anomalies beyond chance" in text
    assert "10 %" not in text


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="Use 'text' or 'json'"):
        ADEngine().report(finished(), format="pdf")


def test_what_was_done_to_the_data_is_in_the_report() -> None:
    state = finished()
    text = str(ADEngine().report(state))
    assert state.transformations
    assert all(t["detail"] in text for t in state.transformations)


def test_marks_and_iterations_are_told() -> None:
    engine = ADEngine()
    state = engine.iterate(finished(), "row 11 is normal")
    text = str(engine.report(engine.analyze(engine.run(state))))
    assert "**Your marks:** 1 rows" in text and "**Iterations:** 1" in text
