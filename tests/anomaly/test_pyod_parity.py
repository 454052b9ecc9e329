"""Whoever uses PyOD's engine can use this one: the same calls, the same keys, on real objects."""

from __future__ import annotations

import inspect
import json
import warnings
from typing import Any

import numpy as np
import pytest

from gnomon.anomaly import ACTION_TYPES, PHASES, ADEngine, InvestigationState

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyod.utils import investigation as theirs_investigation
    from pyod.utils.ad_engine import ADEngine as TheirEngine

METHODS = [n for n, f in inspect.getmembers(TheirEngine, inspect.isfunction) if not n.startswith("_")]


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[:6] += 7
    return X


@pytest.fixture(scope="module")
def theirs(data: np.ndarray) -> Any:
    return TheirEngine(random_state=0).investigate(data)


@pytest.fixture(scope="module")
def ours(data: np.ndarray) -> InvestigationState:
    return ADEngine(random_state=0).investigate(data)


def both() -> list[Any]:
    return [TheirEngine(random_state=0), ADEngine(random_state=0)]


def test_the_constructor_takes_the_same_arguments() -> None:
    theirs, ours = (list(inspect.signature(c).parameters) for c in (TheirEngine, ADEngine))
    assert ours == theirs


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_the_same_arguments(method: str) -> None:
    theirs = inspect.signature(getattr(TheirEngine, method)).parameters
    ours = inspect.signature(getattr(ADEngine, method)).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind == parameter.kind, name
    extra = [p for n, p in ours.items() if n not in theirs]
    assert all(p.default is not inspect.Parameter.empty for p in extra)


def test_phases_and_actions_are_the_same() -> None:
    assert theirs_investigation.PHASES == PHASES
    assert theirs_investigation.ACTION_TYPES == ACTION_TYPES


def test_the_state_has_the_same_fields_in_the_same_order() -> None:
    theirs = list(inspect.signature(theirs_investigation.InvestigationState).parameters)
    ours = list(inspect.signature(InvestigationState).parameters)
    assert ours[: len(theirs)] == theirs


@pytest.mark.parametrize("part", ["profile", "consensus", "analysis", "quality"])
def test_each_part_of_the_state_has_their_keys(part: str, theirs: Any, ours: InvestigationState) -> None:
    assert set(getattr(theirs, part)) <= set(getattr(ours, part))


def test_plans_and_results_have_their_keys(theirs: Any, ours: InvestigationState) -> None:
    assert set(theirs.plans[1]) <= set(ours.plans[0])
    assert set(theirs.results[0]) <= set(ours.results[0])
    assert set(theirs.results[0]["score_summary"]) <= set(ours.results[0]["score_summary"])
    mine, other = ours.analysis, theirs.analysis
    assert mine is not None
    assert set(other["consensus_analysis"]) <= set(mine["consensus_analysis"])
    assert set(other["per_detector_analysis"][0]) <= set(mine["per_detector_analysis"][0] or {})
    assert set(other["consensus_analysis"]["top_anomalies"][0]) <= set(
        mine["consensus_analysis"]["top_anomalies"][0]
    )


def test_reports_have_their_keys(theirs: Any, ours: InvestigationState) -> None:
    a, b = TheirEngine().report(theirs, "json"), ADEngine().report(ours, "json")
    assert isinstance(b, dict)
    assert set(a) <= set(b)
    for part in a:
        assert set(a[part]) <= set(b[part])
    for key in ("consensus", "quality", "comparison"):
        assert set(a["session"][key]) <= set(b["session"][key])


def test_validation_and_diagnostics_have_their_keys(theirs: Any, ours: InvestigationState) -> None:
    y = np.r_[np.ones(6, int), np.zeros(294, int)]
    a, b = TheirEngine().validate(theirs, y), ADEngine().validate(ours, y)
    assert set(a) <= set(b) and set(a["consensus"]) <= set(b["consensus"])
    c = TheirEngine().contamination_diagnostics(theirs, [0.05])
    d = ADEngine().contamination_diagnostics(ours, [0.05])
    assert set(c) <= set(d) and set(c["threshold_sweep"][0]) <= set(d["threshold_sweep"][0])


def test_single_questions_give_their_keys(data: np.ndarray) -> None:
    a, b = TheirEngine(random_state=0), ADEngine(random_state=0)
    there, here = a.detect(data, data[:20]), b.detect(data, data[:20])
    assert set(there) <= set(here)
    assert set(there["analysis"]) <= set(here["analysis"])
    assert len(here["scores_test"]) == len(here["labels_test"]) == 20
    assert len(here["analysis"]["feature_importance"]) == 4
    why_there = a.explain_findings(there, X=data, top_k=1)[0]
    why_here = b.explain_findings(here, X=data, top_k=1)[0]
    assert set(why_there) <= set(why_here)
    assert set(why_there["contributing_features"][0]) <= set(why_here["contributing_features"][0])
    step_there = a.suggest_next_step(there, there["analysis"], "too many false positives")
    tenth = b.run_detection(data, b.make_plan(["HBOS"], params=[{"contamination": 0.1}]))
    step_here = b.suggest_next_step(tenth, b.analyze_results(tenth), "too many false positives")
    assert set(step_there) <= set(step_here) and step_here["action"] == "adjust_threshold"
    assert step_here["threshold_adjustment"]["direction"] == "decrease"
    assert set(json.loads(a.generate_report(there, there["analysis"], "json"))) <= set(
        json.loads(b.generate_report(here, here["analysis"], "json"))
    )


def test_plans_from_a_profile_have_their_keys(data: np.ndarray) -> None:
    a, b = TheirEngine(), ADEngine()
    there, here = a.plan_detection(a.profile_data(data)), b.plan_detection(b.profile_data(data))
    assert set(there) <= set(here) and len(here["alternatives"]) == 2
    assert set(a.make_plan(["KNN", "LOF"], ["x", "y"])) <= set(b.make_plan(["KNN", "LOF"], ["x", "y"]))
    kb_there, kb_here = a.get_kb_for_routing(a.profile_data(data)), b.get_kb_for_routing(b.profile_data(data))
    assert set(kb_there) <= set(kb_here)
    assert set(kb_there["available_detectors"][0]) <= set(kb_here["available_detectors"][0])
    with pytest.raises(ValueError, match="KNNN"):
        b.make_plan(["KNNN"])
    with pytest.raises(ValueError, match="at least one"):
        b.make_plan([])


def test_a_plan_of_their_making_runs_here(data: np.ndarray) -> None:
    plan = TheirEngine().make_plan(["HBOS"])
    result = ADEngine().run_detection(data, plan)
    assert result["plan"] is plan
    assert result["n_anomalies"] == 30
    assert set(range(6)) <= set(np.flatnonzero(result["labels_train"]))


def test_the_catalogue_knows_their_tabular_detectors() -> None:
    ours = {d["name"] for d in ADEngine().list_detectors(status="all")}
    tabular = {d["name"] for d in TheirEngine().list_detectors(data_type="tabular") if not d.get("requires")}
    assert len(tabular - ours) <= len(tabular) // 4
    assert {"IForest", "ECOD", "KNN", "LOF", "HBOS", "COPOD", "PCA", "OCSVM"} <= ours


def test_a_detector_is_explained_with_their_keys() -> None:
    there, here = TheirEngine().explain_detector("ECOD"), ADEngine().explain_detector("ECOD")
    assert set(there) - {"paper", "preprocessing_mode", "version_added"} <= set(here)
    with pytest.raises(ValueError, match="Did you mean 'IForest'"):
        ADEngine().explain_detector("IForst")


def test_a_language_model_may_choose_and_is_checked(data: np.ndarray) -> None:
    engine = ADEngine()
    profile = engine.profile_data(data)
    seen: list[str] = []

    def model(prompt: str) -> str:
        seen.append(prompt)
        return 'Sure: {"detectors": ["LOF", "HBOS"], "justifications": ["local", "fast"]}'

    plan = engine.plan_detection(profile, llm_client=model)
    assert plan["detector_name"] == "LOF" and plan["evidence"] == ["llm_routing"]
    assert "LOF" in seen[0] and str(float(data[0, 0])) not in seen[0]
    with pytest.warns(RuntimeWarning, match="measured choice"):
        other = engine.plan_detection(profile, llm_client=lambda _: "no idea")
    assert other["detector_name"]
    with pytest.raises(ValueError, match="no JSON"):
        engine.plan_detection(profile, llm_client=lambda _: "no idea", llm_strict=True)
    with pytest.raises(ValueError, match="LOF"):
        engine.plan_detection(
            profile, constraints={"exclude_detectors": ["LOF"]}, llm_client=model, llm_strict=True
        )


@pytest.mark.parametrize("kind", ["nonsense", "TABULAR"])
def test_a_kind_of_data_that_nobody_knows_has_no_detectors(kind: str) -> None:
    for engine in both():
        assert engine.list_detectors(data_type=kind) == []
        assert engine.compare_detectors(data_type=kind) == []


@pytest.mark.parametrize("top_k", [0, 1, 2, 5, 10_000])
def test_as_many_are_compared_and_explained_as_asked_for(top_k: int, data: np.ndarray) -> None:
    for engine in both():
        known = len(engine.list_detectors(data_type="tabular"))
        assert len(engine.compare_detectors(data_type="tabular", top_k=top_k)) == min(top_k, known)
        found = engine.run_detection(data, engine.plan_detection(engine.profile_data(data)))
        assert len(engine.explain_findings(found, X=data, top_k=top_k)) == min(top_k, len(data))


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        ("too many false positives", -1),
        ("lower contamination", -1),
        ("higher contamination", 1),
        ("missed anomalies", 1),
    ],
)
def test_words_move_the_share_the_same_way(words: str, sign: int, data: np.ndarray) -> None:
    for engine in both():
        found = engine.run_detection(data, engine.plan_detection(engine.profile_data(data)))
        said = engine.suggest_next_step(found, engine.analyze_results(found, X=data), words)
        before, after = (float(v) for v in said["reason"].split("from ")[1].rstrip(".").split(" to "))
        assert said["action"] == "adjust_threshold" and np.sign(after - before) == sign


def test_nothing_failed_means_nothing_to_recover(data: np.ndarray) -> None:
    for engine in both():
        state = engine.iterate(engine.investigate(data), {"action": "recover"})
        assert state.phase == "analyzed" and state.next_action["action"] == "report_to_user"
