"""Feedback changes the investigation: structured changes, sentences, questions, memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from anomaly_cases import finished

from gnomon.anomaly import ADEngine, InvestigationState


def again(engine: ADEngine, state: InvestigationState) -> InvestigationState:
    return engine.analyze(engine.run(state))


def flagged(state: InvestigationState) -> set[int]:
    assert state.consensus is not None
    return {int(i) for i in np.flatnonzero(state.consensus["labels"])}


def names(state: InvestigationState) -> list[str]:
    return [p["detector_name"] for p in state.plans]


def fitted(state: InvestigationState) -> list[Any]:
    return [r["detector"] for r in state.results]  # type: ignore[typeddict-item]


def test_another_share_is_flagged_without_fitting_again() -> None:
    engine, state = ADEngine(), finished()
    before = fitted(state)
    state = engine.iterate(state, {"action": "adjust_contamination", "value": 0.05})
    assert (state.phase, state.iteration, state.next_action["action"]) == ("planned", 1, "run")
    assert (
        state.results == [] and state.consensus is None and state.analysis is None and state.quality is None
    )
    state = again(engine, state)
    assert len(flagged(state)) == 30
    assert all(a is b for a, b in zip(before, fitted(state), strict=True))
    assert all(r["n_anomalies"] == 30 for r in state.results)


def test_the_share_can_be_left_to_the_scores_again() -> None:
    engine, state = ADEngine(), finished()
    first = flagged(state)
    state = again(engine, engine.iterate(state, {"action": "adjust_contamination", "value": 0.3}))
    assert len(flagged(state)) == 180
    state = again(engine, engine.iterate(state, {"action": "adjust_contamination", "value": "auto"}))
    assert flagged(state) == first
    assert all("contamination" not in p["params"] for p in state.plans)


def test_an_excluded_detector_is_gone_and_stays_gone() -> None:
    engine, state = ADEngine(), finished()
    out = names(state)[0]
    rest = names(state)[1:]
    state = engine.iterate(state, {"action": "exclude", "detectors": [out]})
    assert names(state) == rest
    assert out in state.next_action["adjustment"]
    state = engine.iterate(again(engine, state), {"action": "replan", "priority": "speed"})
    assert out not in names(state)


def test_excluding_everything_chooses_others() -> None:
    engine, state = ADEngine(), finished()
    all_names = names(state)
    state = engine.iterate(state, {"action": "exclude", "detectors": all_names})
    assert state.plans and not set(names(state)) & set(all_names)


def test_an_included_detector_runs_and_three_stay_the_limit() -> None:
    engine, state = ADEngine(), finished()
    state = engine.iterate(state, {"action": "include", "detectors": ["HBOS"]})
    assert "HBOS" in names(state) and len(state.plans) <= 3
    state = again(engine, state)
    assert any(r["detector_name"] == "HBOS" and r["status"] == "success" for r in state.results)


def test_a_rerun_really_reseeds() -> None:
    engine, state = ADEngine(), finished()
    before, seed = [r["scores_train"] for r in state.results], state.seed
    state = again(engine, engine.iterate(state, {"action": "rerun"}))
    assert state.seed != seed
    changed = [not np.array_equal(a, r["scores_train"]) for a, r in zip(before, state.results, strict=True)]
    assert any(changed)


def test_a_row_called_normal_is_no_longer_flagged() -> None:
    engine, state = ADEngine(), finished()
    row = state.analysis["consensus_analysis"]["top_anomalies"][0]["index"]  # type: ignore[index]
    others = flagged(state) - {row}
    state = again(engine, engine.iterate(state, {"action": "label", "normal": [row]}))
    assert state.labels == {row: 0}
    assert row not in flagged(state) and others <= flagged(state)
    consensus = state.consensus
    assert consensus is not None
    assert np.array_equal(consensus["labels"], (consensus["scores"] > consensus["threshold"]).astype(int))


def test_a_row_called_normal_lowers_the_detectors_that_flagged_it() -> None:
    engine, state = ADEngine(), finished()
    ranks = {r["detector_name"]: np.argsort(np.argsort(r["scores_train"])) for r in state.results}
    row = int(np.argmax(np.ptp(np.stack(list(ranks.values())), axis=0)))
    state = again(engine, engine.iterate(state, {"action": "label", "normal": [row]}))
    weights = state.consensus["weights"]  # type: ignore[index]
    assert weights[max(ranks, key=lambda n: ranks[n][row])] < weights[min(ranks, key=lambda n: ranks[n][row])]


def test_rows_called_anomalous_are_flagged_and_raise_the_detectors_that_saw_them() -> None:
    engine, state = ADEngine(), finished()
    ranks = {r["detector_name"]: np.argsort(np.argsort(r["scores_train"])) for r in state.results}
    spread = np.ptp(np.stack(list(ranks.values())), axis=0)
    row = int(np.argmax(np.where(state.consensus["labels"] == 0, spread, -1)))  # type: ignore[index]
    state = again(engine, engine.iterate(state, {"action": "label", "anomalous": [row]}))
    assert row in flagged(state)
    weights = state.consensus["weights"]  # type: ignore[index]
    best = max(ranks, key=lambda n: ranks[n][row])
    worst = min(ranks, key=lambda n: ranks[n][row])
    assert weights[best] > weights[worst]


def test_marks_may_also_be_given_as_rows_with_a_label() -> None:
    engine, state = ADEngine(), finished()
    state = engine.iterate(state, {"action": "label", "rows": [5, 6], "label": "normal"})
    assert state.labels == {5: 0, 6: 0}


def test_something_else_means_detectors_that_were_not_tried() -> None:
    engine, state = ADEngine(), finished()
    first = set(names(state))
    state = engine.iterate(state, "try something else")
    assert state.phase == "planned" and not set(names(state)) & first


def test_a_combination_tried_before_is_remembered_and_not_fitted_again() -> None:
    engine, state = ADEngine(), finished()
    before = fitted(state)
    out = names(state)[0]
    state = again(engine, engine.iterate(state, {"action": "exclude", "detectors": [out]}))
    state = engine.iterate(state, {"action": "undo"})
    assert "tried in iteration 0" in state.next_action["adjustment"]
    state = again(engine, state)
    assert all(a is b for a, b in zip(before, fitted(state), strict=True))
    assert len({t["combination"] for t in state.tried}) == 2


def test_several_changes_at_once_count_as_one_iteration() -> None:
    engine, state = ADEngine(), finished()
    first = names(state)[0]
    state = engine.iterate(state, f"drop {first} and flag 2 %")
    assert state.iteration == 1 and first not in names(state) and state.contamination == 0.02


def test_a_vague_sentence_asks_before_it_changes_anything() -> None:
    engine, state = ADEngine(), finished()
    count = len(flagged(state))
    state = engine.iterate(state, "too many false positives")
    action = state.next_action
    assert (state.phase, state.iteration, action["action"]) == ("analyzed", 0, "confirm_with_user")
    assert action["proposed_change"]["action"] == "adjust_contamination"
    assert action["suggestion"].endswith("Proceed?")
    state = again(engine, engine.iterate(state, action["proposed_change"]))
    assert len(flagged(state)) == round(count / 2)


def test_a_question_is_answered_and_changes_nothing() -> None:
    engine, state = ADEngine(), finished()
    state = engine.iterate(state, "why row 0?")
    action = state.next_action
    assert (state.phase, state.iteration, action["action"]) == ("analyzed", 0, "report_to_user")
    assert "Amount 9,120 where 95 % lie below" in action["summary"]
    assert action["explanations"][0]["index"] == 0
    assert "confidence" in action


def test_negation_keeps_a_detector() -> None:
    engine, state = ADEngine(), finished()
    before = names(state)
    state = engine.iterate(state, f"don't drop {before[0]}")
    assert names(state) == before


def test_agreement_ends_the_investigation() -> None:
    engine, state = ADEngine(), finished()
    state = engine.iterate(state, "looks good, thanks")
    assert state.next_action["action"] == "done"
    assert "# Investigation Report" in str(engine.report(state))


def test_an_unknown_sentence_asks_for_other_words() -> None:
    engine, state = ADEngine(), finished()
    state = engine.iterate(state, "the moon is made of cheese")
    assert state.next_action["action"] == "confirm_with_user"
    assert "proposed_change" not in state.next_action
    assert state.history[-1]["action"] == "iterate_nl"


@pytest.mark.parametrize(
    ("feedback", "message"),
    [
        ({"action": "explode"}, "valid actions"),
        ({}, "valid actions"),
        ({"action": "exclude"}, "requires 'detectors'"),
        ({"action": "adjust_contamination"}, "requires 'value'"),
        ({"action": "adjust_contamination", "value": 0.9}, "share of rows"),
        ({"action": "include", "detectors": ["IForst"]}, "Did you mean 'IForest'"),
        ({"action": "label", "normal": [6000]}, "rows go from 0 to 599"),
        ({"action": "label"}, "at least one row"),
        ({"action": "undo"}, "no earlier change"),
        ({"action": "batch", "changes": [{"action": "rerun"}, {"action": "nope"}]}, "valid actions"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused_and_changes_nothing(
    feedback: dict[str, Any], message: str
) -> None:
    engine, state = ADEngine(), finished()
    before = names(state)
    with pytest.raises(ValueError, match=message):
        engine.iterate(state, feedback)
    assert (state.phase, state.iteration, names(state)) == ("analyzed", 0, before)


def test_recovering_when_nothing_failed_changes_nothing() -> None:
    engine, state = ADEngine(), finished()
    state = engine.iterate(state, {"action": "recover"})
    assert state.phase == "analyzed" and state.consensus is not None
    assert state.next_action["action"] == "report_to_user" and "summary" in state.next_action
