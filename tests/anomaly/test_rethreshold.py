"""Another share to flag changes labels only: no detector is fitted and no null drawn again."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.anomaly import ADEngine, pipeline
from gnomon.anomaly.state import InvestigationState


def investigated() -> tuple[ADEngine, InvestigationState]:
    X = np.random.default_rng(0).standard_normal((400, 4))
    X[:8] += 7
    engine = ADEngine(random_state=0)
    return engine, engine.investigate(X)


def test_a_new_share_draws_no_null_and_keeps_the_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, state = investigated()
    assert state.consensus is not None
    before = state.consensus["scores"].copy()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the null was drawn again")

    monkeypatch.setattr(pipeline, "null_rows", refuse)
    state = engine.analyze(
        engine.run(engine.iterate(state, {"action": "adjust_contamination", "value": 0.05}))
    )
    assert state.consensus is not None
    assert state.consensus["labels"].sum() == 20
    assert (state.consensus["scores"] == before).all()
    assert all(r.get("n_anomalies") == 20 for r in state.results)


def test_the_result_is_that_of_asking_for_the_share_at_once() -> None:
    engine, state = investigated()
    later = engine.analyze(
        engine.run(engine.iterate(state, {"action": "adjust_contamination", "value": 0.1}))
    )
    other = ADEngine(random_state=0)
    fresh = other.start(state.data)
    fresh = other.analyze(other.run(other.plan(fresh, constraints={"contamination": 0.1})))
    assert later.consensus is not None and fresh.consensus is not None
    assert (later.consensus["labels"] == fresh.consensus["labels"]).all()
    assert later.consensus["threshold"] == pytest.approx(fresh.consensus["threshold"])
    assert later.consensus["disagreements"] == fresh.consensus["disagreements"]
    assert later.quality == fresh.quality


def test_going_back_to_an_estimated_share_gives_the_first_labels() -> None:
    engine, state = investigated()
    assert state.consensus is not None
    first = state.consensus["labels"].copy()
    for value in (0.2, "auto"):
        state = engine.iterate(state, {"action": "adjust_contamination", "value": value})
        state = engine.analyze(engine.run(state))
    assert state.consensus is not None
    assert (state.consensus["labels"] == first).all()


def test_rows_marked_anomalous_stay_flagged_at_a_small_share() -> None:
    engine, state = investigated()
    state = engine.run(engine.iterate(state, {"action": "label", "anomalous": [100, 101, 102]}))
    state = engine.run(
        engine.iterate(engine.analyze(state), {"action": "adjust_contamination", "value": 0.0025})
    )
    assert state.consensus is not None
    assert state.consensus["labels"][[100, 101, 102]].sum() == 3
