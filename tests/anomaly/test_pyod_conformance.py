"""The same words, the same answers: PyOD's engine and ours asked side by side."""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any

import numpy as np
import pytest

from gnomon.anomaly import ADEngine

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyod.models.base import BaseDetector
    from pyod.utils.ad_engine import ADEngine as TheirEngine

PLAN = {"detector_name": "HBOS", "params": {"contamination": 0.1}, "reason": "", "alternatives": []}
DIRECTIONS = [
    f"{verb} {noun}"
    for verb, noun in itertools.product(("lower", "decrease", "increase"), ("threshold", "contamination"))
] + ["higher contamination", "raise threshold", "reduce contamination", "too many false positives",
     "missed some anomalies", "false negatives"]  # fmt: skip


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(200, 5))


@pytest.fixture(scope="module")
def results(data: np.ndarray) -> tuple[Any, Any, Any, Any]:
    a, b = TheirEngine(random_state=0), ADEngine(random_state=0)
    there, here = a.run_detection(data, PLAN), b.run_detection(data, PLAN)
    return there, a.analyze_results(there, X=data), here, b.analyze_results(here, X=data)


@pytest.mark.parametrize("words", DIRECTIONS)
@pytest.mark.parametrize("share", [0.004, 0.02, 0.1, 0.4])
def test_words_about_the_share_move_it_the_same_way(words: str, share: float, results: Any) -> None:
    there, about_there, here, about_here = results
    plan = {**PLAN, "params": {"contamination": share}}
    a = TheirEngine().suggest_next_step({**there, "plan": plan}, about_there, words)
    b = ADEngine().suggest_next_step({**here, "plan": plan}, about_here, words)
    assert a["action"] == b["action"] == "adjust_threshold"
    assert b["threshold_adjustment"] == pytest.approx(a["threshold_adjustment"])


@pytest.mark.parametrize("words", ["switch to a different detector", "try another one", "use an ensemble"])
def test_words_about_other_detectors_bring_another_plan(words: str, results: Any) -> None:
    there, about_there, here, about_here = results
    a = TheirEngine().suggest_next_step(there, about_there, words)
    b = ADEngine().suggest_next_step(here, about_here, words)
    assert a["action"] == b["action"] == "try_alternative"
    assert b["new_plan"]["detector_name"] not in ("", "HBOS")


@pytest.mark.parametrize("flagged", [0, 1, 199, 200])
def test_figures_alone_lead_to_the_same_step(flagged: int, results: Any) -> None:
    there, _, here, _ = results
    about = {"anomaly_ratio": flagged / 200}
    assert (
        TheirEngine().suggest_next_step(there, about)["action"]
        == ADEngine().suggest_next_step(here, about)["action"]
    )


def test_the_text_of_one_result_is_theirs_line_for_line(results: Any) -> None:
    _, _, here, about_here = results
    theirs = TheirEngine().generate_report(here, about_here, "text")
    assert ADEngine().generate_report(here, about_here, "text") == theirs


def test_a_session_report_holds_their_summary_and_their_report_of_the_detector() -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[:4] += 8
    engine = ADEngine()
    text = str(engine.report(engine.investigate(X)))
    state = TheirEngine(random_state=0).investigate(X)
    theirs = TheirEngine().report(state)
    labels = re.compile(r"^(?:#+ .*|- \*\*[^*]+:\*\*)", re.MULTILINE)
    split = {"- **Disagreements:**"}  # told by both where there are any
    assert set(labels.findall(theirs)) - split <= set(labels.findall(text))


@pytest.mark.parametrize("mark", [0, 1])
def test_where_all_rows_are_alike_nothing_separates(mark: int, data: np.ndarray) -> None:
    for engine in (TheirEngine(random_state=0), ADEngine(random_state=0)):
        state: Any = engine.run(engine.plan(engine.start(data)))
        state.consensus["labels"] = np.full(len(data), mark)
        assert engine.analyze(state).quality["separation"] == 0.0


def test_recovering_without_a_failure_changes_nothing(data: np.ndarray) -> None:
    for engine in (TheirEngine(random_state=0), ADEngine(random_state=0)):
        for last, expected in (("run", "analyze"), ("analyze", "report_to_user")):
            state: Any = engine.run(engine.plan(engine.start(data)))
            state = engine.analyze(state) if last == "analyze" else state
            before = (
                state.phase,
                [p["detector_name"] for p in state.plans],
                state.consensus["scores"].copy(),
            )
            state = engine.iterate(state, {"action": "recover"})
            assert state.next_action["action"] == expected and state.phase == before[0]
            assert [p["detector_name"] for p in state.plans] == before[1]
            assert (state.consensus["scores"] == before[2]).all()


@pytest.mark.parametrize("share", [None, 0.07, 0.15])
def test_diagnostics_read_the_share_from_the_plan(share: float | None, data: np.ndarray) -> None:
    for engine in (TheirEngine(random_state=0), ADEngine(random_state=0)):
        state: Any = engine.investigate(data)
        state.plans[0]["params"].pop("contamination", None)
        if share is not None:
            state.plans[0]["params"]["contamination"] = share
        found = engine.contamination_diagnostics(state)
        assert found["effective_contamination"] == share
        assert found["flagged_rate"] == pytest.approx(state.consensus["labels"].mean())


def test_detectors_suit_the_kinds_of_data_that_they_are_made_for() -> None:
    theirs = {d["name"]: set(d["data_types"]) for d in TheirEngine().list_detectors(status="all")}
    engine = ADEngine()
    for entry in engine.list_detectors(status="all"):
        if entry["origin"] == "pyod":
            assert set(entry["data_types"]) == theirs[entry["name"]], entry["name"]
    kinds = ("tabular", "time_series", "text", "image", "graph")
    listed = {kind: {d["name"] for d in engine.list_detectors(kind)} for kind in kinds}
    assert all("KNN" not in listed[kind] for kind in kinds[1:]) and "KNN" in listed["tabular"]
    for kind in kinds:
        state_kind = engine.get_kb_for_routing({"data_type": kind})
        assert {d["name"] for d in state_kind["available_detectors"]} == listed[kind]
        assert {d["name"] for d in engine.compare_detectors(data_type=kind, top_k=50)} == listed[kind]
        loose = engine.get_kb_for_routing({"data_type": kind}, constraints={"data_type_strict": False})
        assert {d["modality_match"] for d in loose["available_detectors"]} == (
            {True} if kind == "tabular" else {True, False}
        )


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9])
def test_as_many_are_given_as_were_asked_for(k: int, data: np.ndarray, results: Any) -> None:
    engine = ADEngine()
    plan = engine.plan_detection(engine.profile_data(data), top_k=k)
    names = [plan["detector_name"], *(p["detector_name"] for p in plan["alternatives"])]
    assert len(names) == len(set(names)) == k
    assert len(engine.compare_detectors(data_type="tabular", top_k=k)) == k
    assert len(engine.analyze_results(results[2], top_k=k)["top_anomalies"]) == k
    assert len(engine.explain_findings(results[2], top_k=k)) == k


@pytest.mark.parametrize("name", ["IForest", "KNN", "PCA"])
def test_a_built_detector_is_one_of_theirs(name: str, data: np.ndarray) -> None:
    made = ADEngine(random_state=5).build_detector({"detector_name": name, "params": {}})
    there = TheirEngine(random_state=5).build_detector({"detector_name": name, "params": {}})
    assert isinstance(made, BaseDetector)
    assert made.get_params() == there.get_params()
    assert made.fit(data).decision_scores_.shape == (200,)


@pytest.mark.parametrize(("column", "value"), [(0, 10.0), (1, -10.0), (2, 9.0)])
def test_columns_behind_a_score_are_told_as_there(column: int, value: float) -> None:
    X = np.random.default_rng(7).normal(size=(100, 3))
    X[5, column] = value
    result = {"scores_train": np.eye(100)[5], "threshold": 0.5}
    a = TheirEngine().explain_findings(result, indices=[5], X=X)[0]
    b = ADEngine().explain_findings(result, indices=[5], X=X)[0]
    assert a["label"] == b["label"] == "anomaly"
    first, ours = a["contributing_features"][0], b["contributing_features"][0]
    for key in ("feature", "name", "direction"):
        assert first[key] == ours[key], key
    assert ours["value"] == pytest.approx(first["value"]) and ours["mean"] == pytest.approx(first["mean"])


def test_a_short_list_of_sentences_is_text_to_both() -> None:
    said = ["hello world", "anomaly detection", "test sentence"]
    assert (
        TheirEngine().profile_data(said)["data_type"] == ADEngine().profile_data(said)["data_type"] == "text"
    )
