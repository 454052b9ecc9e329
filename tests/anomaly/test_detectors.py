"""One contract for every detector that can be planned, and what ours are for."""

from typing import Any

import numba
import numpy as np
import pytest

from gnomon.anomaly.registry import build, lookup, names, register, unregister
from gnomon.core.errors import InvalidInput, NotFound

# Compiling PyOD's inner loops costs more than running them on the few rows used here.
numba.config.DISABLE_JIT = True

NAMES = names()
OURS = [n for n in NAMES if lookup(n).native]
# These keep no model of the rows they were fitted on, so new rows cannot be scored.
TRANSDUCTIVE = {"COF", "LOCI", "SOD", "SOS", "RGraph", "ROD", "HDBSCAN", "LMDD", "QMCD", "CD", "MAD"}


def rows_with_outliers(n: int = 80, p: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:4] = 9 + rng.standard_normal((4, p))
    return X, np.arange(4)


@pytest.mark.parametrize("name", NAMES)
def test_every_detector_fits_scores_and_repeats_itself(name: str):
    X, _ = rows_with_outliers()
    X[40:] += 5  # two groups, as detectors that look for groups need them
    X = X[:, :1] if name == "MAD" else X
    params = {"contamination": 0.05} | ({"min_cluster_size": 5} if name == "HDBSCAN" else {})
    first, second = build(name, params, seed=3), build(name, params, seed=3)
    scores = first.fit(X).decision_scores_
    assert scores.shape == (80,)
    assert np.isfinite(scores).all()
    assert scores.std() > 0
    assert set(np.unique(first.labels_)) <= {0, 1}
    np.testing.assert_allclose(scores, second.fit(X).decision_scores_)
    if name not in TRANSDUCTIVE:
        again = first.decision_function(X[:7])
        assert again.shape == (7,)
        assert np.isfinite(again).all()


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 1), (12, 40), (300, 2)])
def test_ours_take_any_shape(name: str, shape: tuple[int, int]):
    X = np.random.default_rng(1).standard_normal(shape)
    scores = build(name).fit(X).decision_scores_
    assert scores.shape == (shape[0],)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", OURS)
def test_ours_take_constants_duplicates_and_huge_values(name: str):
    rng = np.random.default_rng(2)
    X = np.column_stack(
        [
            np.full(200, 7.0),
            rng.integers(0, 2, 200),
            rng.standard_normal(200) * 1e-8,
            rng.lognormal(0, 9, 200),
        ]
    )
    X[50:100] = X[0]
    detector = build(name).fit(X)
    assert np.isfinite(detector.decision_scores_).all()
    assert np.isfinite(detector.decision_function(X * 1e6)).all()


@pytest.mark.parametrize(
    "name", ["NeighbourMix", "TailMix", "ProjectionMix", "RobustCovariance", "LocalNeighbours"]
)
def test_scattered_outliers_come_first(name: str):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((400, 6))
    X[:8] = rng.choice([-1, 1], (8, 6)) * rng.uniform(5, 9, (8, 6))
    top = np.argsort(-build(name).fit(X).decision_scores_)[:8]
    assert len(set(top.tolist()) & set(range(8))) >= 7


def test_local_density_finds_a_row_beside_a_dense_group():
    rng = np.random.default_rng(6)
    X = np.vstack([rng.standard_normal((300, 2)) * 0.1, 10 + 2 * rng.standard_normal((300, 2)), [[1.2, 1.2]]])
    assert int(build("LocalDensity").fit(X).decision_scores_.argmax()) == 600
    assert int(build("TailMix").fit(X).decision_scores_.argmax()) != 600


def test_a_broken_dependence_is_seen_by_the_covariance():
    rng = np.random.default_rng(7)
    x = rng.standard_normal(500)
    X = np.column_stack([x, x + 0.1 * rng.standard_normal(500)])
    X[0] = [1.5, -1.5]
    assert int(build("RobustCovariance").fit(X).decision_scores_.argmax()) == 0


@pytest.mark.parametrize("name", [n for n in OURS if n != "NeighbourMix"])
def test_scale_of_columns_does_not_matter_to_ours(name: str):
    X, _ = rows_with_outliers(200, 5, 3)
    scaled = X * np.array([1e-3, 1.0, 50.0, 1e4, 7.0]) + 100
    a, b = build(name).fit(X).decision_scores_, build(name).fit(scaled).decision_scores_
    assert np.corrcoef(a, b)[0, 1] > 0.999


def test_units_count_for_no_more_than_one_view_of_distances():
    X, outliers = rows_with_outliers(200, 5, 3)
    scaled = X * np.array([1e-3, 1.0, 50.0, 1e4, 7.0]) + 100
    for rows in (X, scaled):
        scores = build("NeighbourMix").fit(rows).decision_scores_
        assert set(np.argsort(-scores)[: len(outliers)]) == set(outliers)


def test_names_are_found_in_any_case_and_proposed_when_wrong():
    assert lookup("iforest").name == "IForest"
    with pytest.raises(NotFound, match="Did you mean 'IForest'"):
        lookup("IsoForest")
    with pytest.raises(NotFound, match="parameter of KNN"):
        build("KNN", {"neighbors": 3})


def test_parameters_reach_pyod():
    assert build("KNN", {"n_neighbors": 3}).inner.n_neighbors == 3
    assert build("IForest", {}, seed=42).inner.random_state == 42


def test_a_detector_of_your_own_can_be_added_and_removed():
    class Norm:
        def __init__(self, contamination: float = 0.1) -> None:
            self.contamination = contamination

        def fit(self, X: Any) -> "Norm":
            self.decision_scores_ = np.linalg.norm(X, axis=1)
            return self

    register("Norm", Norm)
    try:
        X, outliers = rows_with_outliers()
        assert set(np.argsort(-build("Norm").fit(X).decision_scores_)[:4]) == set(outliers)
        with pytest.raises(InvalidInput, match="registered already"):
            register("norm", Norm)
    finally:
        unregister("Norm")
    with pytest.raises(InvalidInput, match="shipped"):
        unregister("KNN")


def test_quadratic_detectors_fit_on_a_sample_and_score_everything():
    from gnomon.anomaly.adapted import Adapted

    X, outliers = rows_with_outliers(600)
    inner = build("KNN").inner
    detector = Adapted(inner, scale="robust", fit_rows=100).fit(X)
    assert detector.decision_scores_.shape == (600,)
    assert len(inner.decision_scores_) == 100
    assert set(np.argsort(-detector.decision_scores_)[:4]) == set(outliers)


@pytest.mark.parametrize(
    ("X", "said"), [([["a"]], "numbers only"), ([[np.nan]], "finite"), (np.empty((0, 3)), "rows and columns")]
)
def test_what_is_no_finite_matrix_is_refused(X: Any, said: str):
    with pytest.raises(InvalidInput, match=said):
        build("TailMix").fit(X)
