"""Plans follow what was measured, what matters and what is allowed; scores are combined as asked."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from gnomon.anomaly import ADEngine
from gnomon.anomaly.cost import estimate_seconds
from gnomon.anomaly.detector_notes import NOTES
from gnomon.anomaly.knowledge import load_knowledge
from gnomon.anomaly.measured import best_first, merits, quickest_first


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    X = np.random.default_rng(5).normal(size=(300, 6))
    X[:5] += 6
    return X


def planned(engine: ADEngine, data: np.ndarray, priority: str = "balanced", **limits: Any) -> list[str]:
    return [p["detector_name"] for p in engine.plan(engine.start(data), priority, limits).plans]


def another_best(name: str, folder: Path, *, sets: bool) -> ADEngine:
    """An engine whose measurements say that ``name`` is best."""
    known: Any = copy.deepcopy(load_knowledge())
    for benchmark in known["benchmarks"].values():
        for each in benchmark["datasets"].values():
            each["results"][name] = {"auc": 0.99, "ap": 0.99, "cpu_seconds": 0.1}
        if not sets:
            benchmark["datasets"] = {}
    known["detectors"].setdefault(name, {})["measured"] = {
        "auc": 0.99, "ap": 0.99, "cpu_seconds": 0.1, "datasets": 21, "rank": 1,
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / "knowledge.json").write_text(json.dumps(known))
    return ADEngine(str(folder))


@pytest.mark.parametrize("name", ["KNN", "ECOD", "LOF", "RobustCovariance"])
@pytest.mark.parametrize("sets", [True, False])
def test_what_another_folder_measured_best_is_planned_first(
    name: str, sets: bool, data: np.ndarray, tmp_path: Path
) -> None:
    engine = another_best(name, tmp_path / f"{name}{sets}", sets=sets)
    plans = engine.plan(engine.start(data)).plans
    assert plans[0]["detector_name"] == name != planned(ADEngine(), data)[0]
    assert engine.plan_detection(engine.profile_data(data))["detector_name"] == name
    families = [NOTES[p["detector_name"]].category for p in plans]
    assert len(set(families)) == len(families)
    assert "0.990" in plans[0]["evidence"][0]


def test_measurements_on_data_of_the_same_width_count_for_more() -> None:
    def measured(columns: int, one: float, other: float) -> dict[str, Any]:
        return {
            "shape": {"columns": columns},
            "results": {"KNN": {"auc": one, "ap": one}, "PCA": {"auc": other, "ap": other}},
        }

    known = {"benchmarks": {"ours": {"datasets": {"a": measured(3, 0.9, 0.6), "b": measured(300, 0.6, 0.9)}}}}
    assert best_first(merits(known, 3)) == ["KNN", "PCA"]
    assert best_first(merits(known, 300)) == ["PCA", "KNN"]
    narrow = merits(known, 30)
    assert narrow["KNN"] == pytest.approx(narrow["PCA"])


@pytest.mark.parametrize(("rows", "columns"), [(200, 3), (2_000, 20), (50_000, 40)])
def test_speed_takes_quick_detectors_that_are_nearly_as_good(rows: int, columns: int) -> None:
    known = load_knowledge()
    merit = merits(known, columns)
    quick, best = quickest_first(merit, rows, columns, known), best_first(merit)
    costs = [sum(estimate_seconds(n, rows, columns, known) for n in names) for names in (quick[:2], best[:3])]
    assert costs[0] < 0.6 * costs[1]
    assert min(merit[n] for n in quick[:2]) > 0.9 * max(merit.values())
    assert set(quick) == set(best)


def test_priorities_and_limits_change_the_plan(data: np.ndarray) -> None:
    engine = ADEngine()
    usual, quick = planned(engine, data), planned(engine, data, "speed")
    assert len(usual) == 3 and len(quick) == 2 and usual[0] not in quick
    without = planned(engine, data, exclude_detectors=usual)
    assert len(without) == 3 and not set(without) & set(usual)
    assert len(planned(engine, data, max_detectors=1)) == 1


def test_the_mean_of_ranks_can_be_asked_for(data: np.ndarray) -> None:
    engine = ADEngine()
    state = engine.investigate(data, constraints={"consensus": "rank_mean"})
    assert state.consensus is not None
    expected = np.mean([rankdata(r["scores_train"]) / len(data) for r in state.results], axis=0)
    order = [rankdata(v) for v in (expected, state.consensus["scores"])]
    assert np.corrcoef(*order)[0, 1] > 0.999 and state.consensus["method"] == "rank_mean"
    usual = engine.investigate(data)
    assert usual.consensus is not None and usual.consensus["method"] == "tail_mean"
    again = engine.run(engine.iterate(usual, {"action": "replan", "constraints": {"consensus": "tail_max"}}))
    assert again.consensus is not None and again.consensus["method"] == "tail_max"
    with pytest.raises(ValueError, match="rank_mean"):
        engine.plan(engine.start(data), constraints={"consensus": "rank_meen"})


def test_accuracy_averages_several_draws_and_scores_new_rows_alike(data: np.ndarray) -> None:
    engine = ADEngine(random_state=4)
    plans = engine.plan(engine.start(data), "accuracy").plans
    drawn = [p for p in plans if p["params"].get("rounds") == 3]
    assert {p["detector_name"] for p in drawn} == {"NeighbourMix", "ProjectionMix"}
    for plan in drawn:
        each = [
            ADEngine(random_state=4 + i).build_detector({**plan, "params": {}}).fit(data) for i in range(3)
        ]
        made = engine.build_detector(plan).fit(data)
        expected = np.mean([e.decision_scores_ for e in each], axis=0)
        assert made.decision_scores_ == pytest.approx(expected)
        assert made.decision_function(data[:9]) == pytest.approx(
            np.mean([e.decision_function(data[:9]) for e in each], axis=0)
        )
    state = engine.investigate(data, priority="accuracy")
    assert state.consensus is not None and set(range(5)) <= set(np.flatnonzero(state.consensus["labels"]))
    again = state.replay()
    assert again.consensus is not None and (again.consensus["scores"] == state.consensus["scores"]).all()
