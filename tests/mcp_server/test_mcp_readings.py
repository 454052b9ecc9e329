"""What is told of single readings of a series reaches an agent without its figures and dates."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd

from gnomon.anomaly import ADEngine
from gnomon.guardrails.release.cells import CellGuard
from gnomon.guardrails.release.investigation import told
from gnomon.mcp_server.investigations import _readings


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
