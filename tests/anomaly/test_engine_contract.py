"""The contract of the session: phases, typed next actions, plans, results, consensus, edge cases."""

from __future__ import annotations

import numpy as np
import pytest
from anomaly_cases import PLANTED, finished, finished_noise, payments

from gnomon.anomaly import ACTION_TYPES, PHASES, ADEngine
from gnomon.anomaly.registry import register, unregister
from gnomon.anomaly.session import best_detector

REQUIRED = {
    "report_to_user": {"summary", "confidence"},
    "iterate": {"suggestion"},
    "recover_detector_failure": {"failed_detectors", "suggested_replacements", "suggestion"},
}


def assert_typed(action: dict) -> None:
    assert action["action"] in ACTION_TYPES
    assert isinstance(action["reason"], str) and action["reason"]
    assert REQUIRED.get(action["action"], set()) <= set(action)


def test_phases_and_actions_are_the_published_ones() -> None:
    assert PHASES == ("profiled", "planned", "detected", "analyzed")
    published = {"plan", "run", "analyze", "report_to_user", "confirm_with_user", "iterate", "done"}
    assert published <= set(ACTION_TYPES)


def test_each_step_moves_one_phase_on_and_names_the_next_method() -> None:
    engine = ADEngine()
    state = engine.start(payments())
    seen = [(state.phase, state.next_action["action"])]
    for step in (engine.plan, engine.run, engine.analyze):
        state = step(state)
        seen.append((state.phase, state.next_action["action"]))
        assert_typed(state.next_action)
    assert seen == [
        ("profiled", "plan"),
        ("planned", "run"),
        ("detected", "analyze"),
        ("analyzed", "report_to_user"),
    ]
    assert [h["action"] for h in state.history] == ["start", "plan", "run", "analyze"]
    assert all(set(h) == {"phase", "action", "iteration", "timestamp", "detail"} for h in state.history)


def test_steps_out_of_order_say_what_was_expected() -> None:
    engine = ADEngine()
    state = engine.start(payments())
    with pytest.raises(ValueError, match=r"Expected phase 'planned', got 'profiled'"):
        engine.run(state)
    with pytest.raises(ValueError, match=r"Expected phase 'detected'"):
        engine.analyze(state)
    with pytest.raises(ValueError, match=r"analyzed"):
        engine.iterate(state, {"action": "rerun"})
    with pytest.raises(ValueError, match=r"start -> plan -> run -> analyze"):
        engine.report(state)


def test_a_plan_has_at_most_three_detectors_with_reasons() -> None:
    engine = ADEngine()
    state = engine.plan(engine.start(payments()), constraints={"max_detectors": 9})
    assert 1 <= len(state.plans) <= 3
    for plan in state.plans:
        assert {"detector_name", "params", "reason", "evidence", "confidence", "alternatives"} <= set(plan)
        assert 0 <= plan["confidence"] <= 1 and plan["reason"]
    one = engine.plan(state, constraints={"max_detectors": 1})
    assert len(one.plans) == 1


def test_excluded_detectors_are_not_planned() -> None:
    engine = ADEngine()
    state = engine.plan(engine.start(payments()))
    first = state.plans[0]["detector_name"]
    state = engine.plan(state, constraints={"exclude_detectors": [first]})
    assert first not in [p["detector_name"] for p in state.plans]


def test_an_unknown_priority_is_refused() -> None:
    engine = ADEngine()
    with pytest.raises(ValueError, match="balanced, speed, accuracy"):
        engine.plan(engine.start(payments()), priority="cheap")


def test_planted_anomalies_are_flagged_with_trust() -> None:
    state = finished()
    assert state.consensus is not None and state.quality is not None
    assert set(PLANTED) <= set(np.flatnonzero(state.consensus["labels"]))
    assert state.consensus["labels"].sum() <= 30
    assert state.quality["verdict"] in ("high", "medium")
    assert state.quality["significant"] is True


def test_results_and_analyses_are_aligned() -> None:
    state = finished()
    assert state.analysis is not None
    assert len(state.results) == len(state.plans) == len(state.analysis["per_detector_analysis"])
    for result in state.results:
        assert result["status"] == "success" and result["error"] is None
        assert result["scores_train"].shape == result["labels_train"].shape == (600,)
        assert set(result["score_summary"]) >= {"mean", "std", "min", "max", "q25", "q75"}
    at = state.analysis["best_detector_index"]
    assert state.results[at]["detector_name"] == state.analysis["best_detector"]


def test_labels_follow_from_the_scores_that_are_shown() -> None:
    consensus = finished().consensus
    assert consensus is not None
    assert np.array_equal(consensus["labels"], (consensus["scores"] > consensus["threshold"]).astype(int))
    flagged = consensus["labels"] == 1
    assert consensus["scores"][flagged].min() > consensus["scores"][~flagged].max()
    assert consensus["votes"].max() <= consensus["n_detectors"]


def test_quality_is_the_mean_of_its_three_parts() -> None:
    for state in (finished(), finished_noise()):
        quality = state.quality
        assert quality is not None
        parts = [quality[k] for k in ("separation", "agreement", "stability")]
        assert all(0 <= p <= 1 for p in parts)
        assert quality["overall"] == pytest.approx(sum(parts) / 3)
        assert quality["explanation"]


def test_noise_reads_low_and_nothing_is_flagged_by_habit() -> None:
    state = finished_noise()
    assert state.quality is not None and state.consensus is not None
    assert state.quality["verdict"] == "low"
    assert state.quality["significant"] is False
    assert state.consensus["labels"].mean() < 0.02
    assert state.next_action["action"] == "iterate"
    assert_typed(state.next_action)


@pytest.mark.long
def test_following_next_action_on_noise_ends_in_a_report_that_says_so() -> None:
    engine = ADEngine()
    state = finished_noise()
    steps = {"plan": engine.plan, "run": engine.run, "analyze": engine.analyze}
    for _ in range(20):
        action = state.next_action
        if action["action"] == "iterate":
            state = engine.iterate(state, action["proposed_change"])
        elif action["action"] in steps:
            state = steps[action["action"]](state)
        else:
            break
    assert state.next_action["action"] == "report_to_user"
    assert "No anomalies beyond chance" in state.next_action["summary"]
    assert "No anomalies beyond chance" in str(engine.report(state))


def test_a_given_share_is_flagged_exactly() -> None:
    engine = ADEngine()
    state = engine.investigate(payments(), contamination=0.02)
    assert state.consensus is not None
    assert int(state.consensus["labels"].sum()) == 12
    assert all(p["params"]["contamination"] == 0.02 for p in state.plans)


@pytest.mark.parametrize("value", [0, -0.1, 0.7, "many", True])
def test_an_impossible_share_is_refused(value: object) -> None:
    engine = ADEngine()
    with pytest.raises(ValueError, match="share of rows"):
        engine.plan(engine.start(payments()), constraints={"contamination": value})


class _Broken:
    """A detector that cannot be fitted."""

    def __init__(self, contamination: float = 0.1) -> None:
        self.contamination = contamination

    def fit(self, X: np.ndarray) -> None:
        raise RuntimeError("no license on this machine")


@pytest.fixture
def broken_detector():
    register("BrokenOne", _Broken)
    yield "BrokenOne"
    unregister("BrokenOne")


def _with_broken(engine: ADEngine, name: str):
    state = engine.plan(engine.start(payments()), constraints={"max_detectors": 2})
    state.plans.append({**state.plans[0], "detector_name": name, "params": {}})
    return engine.run(state)


def test_a_failing_detector_is_named_and_the_rest_goes_on(broken_detector: str) -> None:
    engine = ADEngine()
    state = _with_broken(engine, broken_detector)
    assert [r["status"] for r in state.results] == ["success", "success", "error"]
    assert state.consensus is not None and state.consensus["n_detectors"] == 2
    assert state.next_action["action"] == "recover_detector_failure"
    assert_typed(state.next_action)
    assert state.next_action["failed_detectors"] == [broken_detector]
    assert "no license" in state.next_action["reason"]
    state = engine.analyze(state)
    assert state.analysis is not None
    assert state.analysis["per_detector_analysis"][2] is None
    assert broken_detector in state.analysis["summary"]
    assert broken_detector in state.next_action["reason"]
    assert "no license" in str(engine.report(state))


def test_a_failed_detector_can_be_replaced(broken_detector: str) -> None:
    engine = ADEngine()
    state = _with_broken(engine, broken_detector)
    spare = state.next_action["suggested_replacements"][0]
    state = engine.iterate(state, {"action": "recover"})
    assert state.phase == "planned" and state.next_action["action"] == "run"
    assert [p["detector_name"] for p in state.plans][2] == spare
    state = engine.run(state)
    assert state.next_action["action"] == "analyze"


def test_when_all_detectors_fail_nothing_is_invented(broken_detector: str) -> None:
    engine = ADEngine()
    state = engine.plan(engine.start(payments()))
    state.plans = [{**state.plans[0], "detector_name": broken_detector, "params": {}}]
    state = engine.run(state)
    assert state.consensus is None and state.next_action["action"] == "confirm_with_user"
    state = engine.analyze(state)
    assert state.analysis is None
    assert state.quality is not None and state.quality["overall"] == 0.0 and state.quality["verdict"] == "low"
    assert state.next_action["action"] == "confirm_with_user"
    with pytest.raises(ValueError, match="No successful detectors to report on"):
        engine.report(state)


def test_one_detector_alone_agrees_with_nobody() -> None:
    engine = ADEngine()
    state = engine.investigate(payments(), constraints={"max_detectors": 1})
    assert state.consensus is not None and state.quality is not None
    assert state.consensus["n_detectors"] == 1
    assert state.quality["agreement"] == 0.5


def _result(name: str, scores: list[float], confidence: float, seconds: float) -> dict:
    plan = {"detector_name": name, "confidence": confidence}
    return {
        "detector_name": name,
        "status": "success",
        "scores_train": np.array(scores),
        "plan": plan,
        "runtime_seconds": seconds,
    }


def test_the_best_detector_is_chosen_by_correlation_confidence_speed_then_order() -> None:
    scores = np.array([1.0, 2.0, 3.0, 4.0])
    good, bad = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    error = {"detector_name": "e", "status": "error", "error": "x"}
    assert best_detector([error, _result("a", bad, 0.9, 1), _result("b", good, 0.1, 9)], scores) == 2  # type: ignore[list-item]
    assert best_detector([_result("a", good, 0.5, 1), _result("b", good, 0.9, 9)], scores) == 1  # type: ignore[list-item]
    assert best_detector([_result("a", good, 0.9, 5), _result("b", good, 0.9, 1)], scores) == 1  # type: ignore[list-item]
    flat = [1.0, 1.0, 1.0, 1.0]
    assert best_detector([error, _result("a", flat, 0.1, 1), _result("b", flat, 0.9, 1)], scores) == 1  # type: ignore[list-item]


def test_the_same_seed_gives_the_same_result() -> None:
    engine = ADEngine(random_state=4)
    a, b = engine.investigate(payments()), engine.investigate(payments())
    assert a.consensus is not None and b.consensus is not None
    assert np.array_equal(a.consensus["scores"], b.consensus["scores"])
    assert a.quality == b.quality


def test_the_share_can_be_diagnosed_without_changing_anything() -> None:
    engine, state = ADEngine(), finished()
    before = state.to_dict()
    figures = engine.contamination_diagnostics(state, threshold_sweep=[0.01, 0.05, 2.0])
    assert [s["contamination"] for s in figures["threshold_sweep"]] == [0.01, 0.05]
    assert figures["threshold_sweep"][0]["flagged_rate"] == pytest.approx(0.01, abs=0.002)
    assert set(figures["score_percentiles"]) == {50, 75, 90, 95, 99}
    assert figures["flagged_rate"] == pytest.approx(float(state.consensus["labels"].mean()))  # type: ignore[index]
    assert state.to_dict() == before


def test_hindsight_compares_with_labels() -> None:
    engine, state = ADEngine(), finished()
    y = np.zeros(600, dtype=int)
    y[list(PLANTED)] = 1
    seen = engine.validate(state, y)
    assert seen["consensus"]["recall"] == 1.0
    assert seen["consensus"]["roc_auc"] > 0.99
    assert seen["false_negatives"] == []
    assert set(seen["per_detector"]) == {r["detector_name"] for r in state.results}
    with pytest.raises(ValueError, match="lengths must match"):
        engine.validate(state, y[:5])
