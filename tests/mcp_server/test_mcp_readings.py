"""What is told of single rows and readings reaches an agent without their figures, groups, scores and dates."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import calling
from mcp_harness import server_over

from gnomon.anomaly import ADEngine
from gnomon.execution.plain import plain
from gnomon.guardrails.release.cells import CellGuard
from gnomon.guardrails.release.investigation import told
from gnomon.mcp_server.investigations import _labels, _readings, _without_arrays


def test_stretches_of_time_are_told_without_their_readings_and_dates() -> None:
    rng = np.random.default_rng(1)
    late = np.clip(0.018 + 0.004 * rng.standard_normal(300), 0.001, None)
    late[60:70] = 0.0712
    frame = pd.DataFrame({"date": pd.date_range("2031-11-01", periods=300), "late_shipment_rate": late})
    engine = ADEngine()
    state = engine.investigate(frame, data_type="time_series")
    assert state.analysis is not None and state.analysis["consensus_analysis"].get("episodes")
    state = engine.iterate(state, "why row 62")
    found = {
        "consensus": state.analysis["consensus_analysis"],
        "summary": state.analysis["summary"],
        "report": engine.report(state),
        "next_action": dict(state.next_action),
    }
    before = json.dumps(found, default=str)
    assert "7.1 %" in before and "2031" in before
    sent = json.dumps(told(found, CellGuard(()), frozenset(), _readings(state)), default=str)
    assert "7.1" not in sent and "0.0712" not in sent and "2031" not in sent
    assert "late shipment rate" in sent and re.search(r"\d+ anomalies detected out of 300", sent)


def wards() -> pd.DataFrame:
    """Rows in which two groups meet once that never do elsewhere, and two numbers of one digit are far from all others."""
    rng = np.random.default_rng(5)
    team = rng.choice(["red", "blue", "green|grey"], 200)
    coat = [{"red": "scarlet", "blue": "navy", "green|grey": "olive"}[t] for t in team]
    children = rng.choice([0, 1, 2], 200)
    team[17], coat[17], children[21], children[22] = "red", "olive", 8, 9
    return pd.DataFrame({"team": team, "coat": coat, "children": children})


@pytest.fixture(scope="module")
def investigated() -> tuple[dict[str, Any], str]:
    engine = ADEngine(random_state=0)
    state = engine.investigate(wards(), data_type="tabular")
    assert state.analysis is not None
    state = engine.iterate(state, "why row 17")
    found = {
        "consensus": state.analysis["consensus_analysis"],
        "quality": state.quality,
        "report": engine.report(state),
        "as data": engine.report(state, "json"),
        "next_action": dict(state.next_action),
    }
    body = plain(_without_arrays(found))
    return told(body, CellGuard(()), _labels(state), _readings(state)), json.dumps(body, default=str)


def test_single_rows_are_told_without_their_groups_and_figures_of_one_digit(
    investigated: tuple[dict[str, Any], str],
) -> None:
    sent = json.dumps(investigated[0], default=str)
    assert "team 'red' with coat 'olive'" in investigated[1] and "children 9" in investigated[1]
    assert not [w for w in ("'red'", "'olive'", "scarlet", "grey", "seen once") if w in sent]
    assert not re.search(r"children \d|lie below \d|highest of \d", sent)
    first = investigated[0]["consensus"]["top_anomalies"][0]
    assert first["reasons"][0]["text"].startswith("team '…' with coat '…': each is common")


def test_scores_of_single_rows_are_not_told(investigated: tuple[dict[str, Any], str]) -> None:
    said, before = investigated
    scores = [row["score"] for row in json.loads(before)["consensus"]["top_anomalies"]]
    assert scores and not any("score" in row for row in said["consensus"]["top_anomalies"])
    sent = json.dumps(said, default=str)
    assert not [s for s in scores if s and f"{s:.3f}" in sent]
    assert re.search(r"\| row 17 \| … \| yes \|", said["report"])
    assert all(len(re.sub(r"\D", "", str(v)).lstrip("0")) <= 3 for v in said["quality"].values() if isinstance(v, float) and v > 1e-6)  # fmt: skip


@pytest.mark.long
def test_the_tool_that_investigates_tells_no_score_and_no_group_of_a_single_row(tmp_path: Path) -> None:
    wards().to_csv(tmp_path / "wards.csv", index=False)
    with server_over(tmp_path / "wards.csv") as server, calling(server) as call:
        said = call(
            "anomaly_investigate", {"data": {"table": "wards"}, "columns": ["team", "coat", "children"]}
        )
    assert not said.is_error
    rows = said.structured_content["anomalies"]
    assert {row["score"] for row in rows} == {None} and {17, 21, 22} <= {row["index"] for row in rows}
    assert not [w for w in ("red", "olive", "scarlet", "grey") if f"'{w}" in json.dumps(said.structured_content)]  # fmt: skip
