"""From prepared data to a consensus: choice, fit, calibration, combination."""

import numpy as np
import pytest

from gnomon.anomaly.evidence import null_rows
from gnomon.anomaly.pipeline import choose, combine, fit_plans, run_plans
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.tables import prepare_table
from gnomon.core.errors import InvalidInput, NotFound


def table(n: int = 300, seed: int = 0) -> Prepared:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:6] = rng.choice([-1, 1], (6, 4)) * rng.uniform(6, 9, (6, 4))
    return prepare_table(X)


def names(plans: list) -> list[str]:
    return [p["detector_name"] for p in plans]


SPECIALISTS = ["RobustCovariance", "LocalDensity"]
CORE = ["NeighbourMix", "TailMix", "ProjectionMix"]


def test_a_plan_says_what_and_why():
    plans = choose(table(), constraints={"exclude_detectors": SPECIALISTS})
    assert names(plans) == ["NeighbourMix", "TailMix", "ProjectionMix"]
    assert all(p["reason"] and 0 < p["confidence"] <= 1 and p["params"] == {} for p in plans)
    assert plans[0]["confidence"] > plans[2]["confidence"]
    assert len(plans[0]["alternatives"]) == 2
    assert not set(names(plans[0]["alternatives"])) & set(names(plans))


def test_constraints_are_kept():
    data = table()
    assert names(choose(data, constraints={"exclude_detectors": ["tailmix", *SPECIALISTS]}))[:2] == [
        "NeighbourMix",
        "ProjectionMix",
    ]
    assert len(choose(data, constraints={"max_detectors": 9})) == 3
    assert len(choose(data, constraints={"max_detectors": 1})) == 1
    assert len(choose(data, "speed")) == 2
    assert names(choose(data, constraints={"include_detectors": ["knn"]}))[0] == "KNN"
    slow = {"costs": {"TailMix": [99.0, 0, 0, 0]}}
    assert "TailMix" not in names(choose(data, constraints={"max_seconds": 30}, knowledge=slow))


def test_wrong_wishes_are_refused():
    with pytest.raises(InvalidInput, match="priority"):
        choose(table(), "fast")
    with pytest.raises(NotFound, match="Did you mean 'KNN'"):
        choose(table(), constraints={"include_detectors": ["KNNN"]})


def odd_for_where_they_lie(seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = np.vstack([0.3 * rng.standard_normal((300, 6)), 8 + 2 * rng.standard_normal((300, 6))])
    away = rng.standard_normal((15, 6))
    X[:15] = 2.8 * away / np.linalg.norm(away, axis=1, keepdims=True)
    return X


def test_rows_that_are_odd_only_for_where_they_lie_call_for_the_specialist():
    plans = choose(prepare_table(odd_for_where_they_lie()))
    assert names(plans) == ["LocalDensity", "TailMix", "ProjectionMix"]
    assert "on a sample it alone" in plans[0]["reason"]
    without = choose(
        prepare_table(odd_for_where_they_lie()), constraints={"exclude_detectors": ["LocalDensity"]}
    )
    assert names(without) == CORE


def test_what_the_usual_detectors_see_calls_for_no_specialist():
    X = np.random.default_rng(2).standard_normal((600, 6))
    X[:10] += 7
    assert names(choose(prepare_table(X))) == CORE


def test_the_null_of_a_wide_table_stays_small_and_keeps_the_bulk():
    X = np.random.default_rng(3).normal(5, 2, (40, 400))
    drawn = null_rows(prepare_table(X), seed=0)
    assert drawn is not None and drawn.shape[1] == 400
    assert 1_000 <= len(drawn) <= 1_500_000 // 400
    assert abs(float(np.median(drawn)) - 5) < 0.2
    assert abs(float(drawn.std()) - 2) < 0.5


def test_results_and_consensus_have_their_fields_and_agree():
    prepared = table()
    results, consensus = run_plans(prepared, choose(prepared), seed=1)
    assert consensus is not None
    for r in results:
        assert r["status"] == "success"
        scores, labels = r.get("scores_train"), r.get("labels_train")
        assert scores is not None
        assert labels is not None
        np.testing.assert_array_equal(labels, scores > r.get("threshold", 0))
        assert r.get("n_anomalies") == labels.sum()
        assert set(r.get("score_summary", {})) == {"mean", "std", "min", "max", "q25", "q75"}
    np.testing.assert_array_equal(consensus["labels"], consensus["scores"] > consensus.get("threshold", 0))
    assert set(np.flatnonzero(consensus["labels"])) >= set(range(6))
    assert consensus["n_detectors"] == 3
    assert sum(consensus.get("weights", {}).values()) == pytest.approx(1)
    assert consensus.get("votes", np.zeros(1)).max() == 3


def test_the_same_seed_gives_the_same_scores_and_another_does_not():
    prepared = table()
    plans = choose(prepared)
    one, two, three = (run_plans(prepared, plans, seed=s)[1] for s in (1, 1, 2))
    assert one is not None
    assert two is not None
    assert three is not None
    np.testing.assert_array_equal(one["scores"], two["scores"])
    assert not np.array_equal(one["scores"], three["scores"])


def test_a_failed_detector_leaves_the_others_and_all_failed_leave_none():
    prepared = table()
    good, bad = (
        {"detector_name": "TailMix", "params": {}},
        {"detector_name": "KNN", "params": {"n_neighbors": -3}},
    )
    results, consensus = run_plans(prepared, [bad, good])
    assert [r["status"] for r in results] == ["error", "success"]
    assert results[0]["error"]
    assert consensus is not None
    np.testing.assert_array_equal(consensus["scores"], results[1].get("scores_train"))
    assert run_plans(prepared, [bad])[1] is None


def test_another_share_or_weight_needs_no_new_fit():
    prepared = table()
    fitted = fit_plans(prepared, choose(prepared, constraints={"exclude_detectors": SPECIALISTS}))
    _, few = combine(prepared, fitted, contamination=0.01)
    _, many = combine(prepared, fitted, contamination=0.2)
    _, one = combine(prepared, fitted, weights=[0, 1, 0])
    assert few is not None
    assert many is not None
    assert one is not None
    assert (few["labels"].sum(), many["labels"].sum()) == (3, 60)
    np.testing.assert_array_equal(few["scores"], many["scores"])
    assert one.get("weights", {})["TailMix"] == 1
    np.testing.assert_array_equal(
        np.argsort(one["scores"]), np.argsort(fitted[1].get("scores_train", np.empty(0)))
    )


def test_tiny_data_is_investigated_without_a_null():
    prepared = prepare_table([1.0, 1.1, 0.9, 1.0, 50.0])
    consensus = run_plans(prepared, choose(prepared))[1]
    assert consensus is not None
    assert int(consensus["scores"].argmax()) == 4
