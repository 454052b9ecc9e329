"""The state: JSON and back, data by reference, branches, replays, memory of fits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from anomaly_cases import finished, payments

from gnomon.anomaly import ADEngine, InvestigationState
from gnomon.anomaly.serialise import fingerprint
from gnomon.core.errors import DataUnavailable


def test_a_state_survives_json() -> None:
    state = finished()
    saved = json.loads(json.dumps(state.to_dict(), allow_nan=False))
    again = InvestigationState.from_dict(saved, data=payments())
    assert again.phase == state.phase and again.quality == pytest.approx(state.quality)
    assert again.next_action == state.next_action
    assert again.consensus is not None and state.consensus is not None
    assert np.array_equal(again.consensus["scores"], state.consensus["scores"])
    assert np.array_equal(again.consensus["labels"], state.consensus["labels"])
    assert again.to_dict() == state.to_dict()


def test_the_data_itself_is_not_in_the_saved_state() -> None:
    frame = payments()
    frame.loc[0, "Country"] = "CANARY-4471"
    state = ADEngine().start(frame)
    assert "CANARY-4471" not in json.dumps(state.to_dict())


def test_detectors_are_not_saved_but_fitted_again_when_needed() -> None:
    engine, state = ADEngine(), finished()
    saved = state.to_dict()
    assert all("detector" not in r for r in saved["results"])
    again = InvestigationState.from_dict(json.loads(json.dumps(saved)), data=payments())
    fresh = payments().head(40)
    assert np.allclose(engine.score(again, fresh)["scores"], engine.score(state, fresh)["scores"])


def test_a_loaded_state_goes_on_where_it_stopped() -> None:
    engine = ADEngine()
    state = engine.plan(engine.start(payments()))
    again = InvestigationState.from_dict(json.loads(json.dumps(state.to_dict())), data=payments())
    again = engine.analyze(engine.run(again))
    assert np.array_equal(again.consensus["scores"], finished().consensus["scores"])  # type: ignore[index]


def test_a_file_is_found_again_by_its_path_and_refused_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "payments.csv"
    payments().to_csv(path, index=False)
    engine = ADEngine()
    state = engine.investigate(str(path))
    saved = state.to_dict()
    assert saved["source"]["path"] == str(path)
    again = InvestigationState.from_dict(saved)
    again = engine.iterate(again, {"action": "adjust_contamination", "value": 0.01})
    assert int(engine.run(again).consensus["labels"].sum()) == 6  # type: ignore[index]
    path.write_text("Amount\n1\n")
    with pytest.raises(DataUnavailable, match="has changed"):
        engine.iterate(InvestigationState.from_dict(saved), "flag 1 %")


def test_other_data_is_refused() -> None:
    with pytest.raises(ValueError, match="fingerprint differs"):
        InvestigationState.from_dict(finished().to_dict(), data=payments().head(10))


def test_something_else_is_not_taken_for_a_state() -> None:
    with pytest.raises(ValueError, match="not a saved investigation"):
        InvestigationState.from_dict({"phase": "analyzed"})


def test_a_branch_is_independent() -> None:
    engine, state = ADEngine(), finished()
    before = state.to_dict()
    side = engine.iterate(
        state.branch(), {"action": "exclude", "detectors": [state.plans[0]["detector_name"]]}
    )
    assert len(side.plans) == len(state.plans) - 1
    assert state.to_dict() == before


@pytest.mark.long
def test_a_replay_repeats_every_step() -> None:
    engine, state = ADEngine(), finished()
    for feedback in ("flag 2 %", "row 9 is normal", {"action": "rerun"}):
        state = engine.analyze(engine.run(engine.iterate(state, feedback)))
    again = state.replay()
    assert again.seed == state.seed and again.labels == {9: 0} and again.contamination == 0.02
    assert np.array_equal(again.consensus["scores"], state.consensus["scores"])  # type: ignore[index]
    assert [h["action"] for h in again.history] == [h["action"] for h in state.history]


def test_the_fingerprint_follows_the_content() -> None:
    a, b = payments(), payments()
    assert fingerprint(a) == fingerprint(b)
    b.loc[3, "Amount"] += 1
    assert fingerprint(a) != fingerprint(b)
    assert fingerprint(np.arange(6.0)) != fingerprint(np.arange(6.0).reshape(2, 3))
    assert fingerprint(["a", "b"]) == fingerprint(["a", "b"]) != fingerprint(["ab"])


def test_importing_the_room_loads_no_heavy_library() -> None:
    code = (
        "import sys, gnomon.anomaly as a; from gnomon.anomaly import InvestigationState, PHASES\n"
        "print([m for m in ('pandas', 'sklearn', 'pyod', 'scipy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
