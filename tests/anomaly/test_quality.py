"""A verdict that means something: noise reads low and flags nothing, anomalies read high."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnomon.anomaly.null import NullModel
from gnomon.anomaly.pipeline import choose, run_plans
from gnomon.anomaly.quality import assess
from gnomon.anomaly.state import ConsensusResult, QualityAssessment
from gnomon.anomaly.tables import prepare_table


def investigated(X: np.ndarray, **options: Any) -> tuple[ConsensusResult, QualityAssessment]:
    prepared = prepare_table(X)
    results, consensus = run_plans(prepared, choose(prepared), **options)
    assert consensus is not None
    return consensus, assess(prepared, results, consensus)


NOISE: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "normal": lambda r: r.standard_normal((400, 5)),
    "uniform": lambda r: r.random((400, 5)),
    "correlated": lambda r: r.standard_normal((400, 5)) @ r.standard_normal((5, 5)),
    "exponential": lambda r: r.exponential(1, (400, 5)),
    "lognormal": lambda r: r.lognormal(0, 1, (400, 5)),
    "clusters": lambda r: r.standard_normal((400, 5)) + 9 * r.integers(0, 2, (400, 1)),
    "counts": lambda r: r.poisson(5, (400, 5)).astype(float),
    "long lognormal": lambda r: r.lognormal(size=(800, 5)),
    "student": lambda r: r.standard_t(2, (600, 5)),
    "pareto": lambda r: r.pareto(1.5, (600, 5)),
    "zero inflated": lambda r: r.gamma(2, 10, (500, 6)) * (r.random((500, 6)) < 0.5),
    "ratios": lambda r: r.beta(0.8, 3, (500, 6)),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", NOISE)
def test_noise_reads_low_and_flags_nothing(kind: str):
    consensus, quality = investigated(NOISE[kind](np.random.default_rng(3)))
    assert quality["verdict"] == "low"
    assert quality["overall"] < 0.4
    assert not quality.get("significant")
    assert consensus["labels"].sum() == 0
    assert "No anomalies beyond chance" in quality["explanation"]


def scattered(r: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = r.standard_normal((500, 5))
    X[:15] = r.uniform(-9, 9, (15, 5))
    return X, np.arange(15)


def grouped(r: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = r.standard_normal((500, 5))
    X[:15] = 6 + 0.3 * r.standard_normal((15, 5))
    return X, np.arange(15)


def dependent(r: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = r.standard_normal((600, 2)) @ r.standard_normal((2, 8)) + 0.1 * r.standard_normal((600, 8))
    X[:15] = np.stack([r.permutation(X[:, j]) for j in range(8)], axis=1)[:15]
    return X, np.arange(15)


def local(r: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = np.vstack([0.3 * r.standard_normal((300, 6)), 8 + 2 * r.standard_normal((300, 6))])
    away = r.standard_normal((15, 6))
    X[:15] = 2.8 * away / np.linalg.norm(away, axis=1, keepdims=True)
    return X, np.arange(15)


@pytest.mark.parametrize("make", [scattered, grouped, dependent, local])
def test_planted_anomalies_read_well_and_are_the_flagged_rows(
    make: Callable[..., tuple[np.ndarray, np.ndarray]],
):
    X, rows = make(np.random.default_rng(4))
    consensus, quality = investigated(X)
    flagged = set(np.flatnonzero(consensus["labels"]).tolist())
    assert quality["verdict"] in ("medium", "high")
    assert quality.get("significance", 1.0) < 0.01
    assert len(flagged & set(rows.tolist())) >= 13
    assert len(flagged - set(rows.tolist())) <= 2


def test_overall_is_the_mean_of_the_three_and_cuts_the_verdict():
    _, quality = investigated(scattered(np.random.default_rng(5))[0])
    assert quality["overall"] == pytest.approx(
        (quality["separation"] + quality["agreement"] + quality["stability"]) / 3
    )
    assert quality["verdict"] == ("high" if quality["overall"] >= 0.7 else "medium")


def test_a_share_that_is_asked_for_does_not_make_noise_significant():
    consensus, quality = investigated(np.random.default_rng(6).standard_normal((400, 5)), contamination=0.1)
    assert consensus["labels"].sum() == 40
    assert quality["verdict"] == "low"
    assert quality["overall"] < 0.4


def test_without_a_consensus_everything_is_zero():
    quality = assess(prepare_table(np.eye(5)), [], None)
    assert (quality["separation"], quality["agreement"], quality["stability"], quality["overall"]) == (
        0,
        0,
        0,
        0,
    )
    assert quality["verdict"] == "low"


def test_a_single_detector_agrees_neither_well_nor_badly():
    prepared = prepare_table(scattered(np.random.default_rng(7))[0])
    results, consensus = run_plans(prepared, choose(prepared, constraints={"max_detectors": 1}))
    assert assess(prepared, results, consensus)["agreement"] == 0.5


def test_rows_of_the_null_follow_marginals_and_dependence():
    rng = np.random.default_rng(8)
    x = rng.standard_normal(3000)
    X = np.column_stack([np.exp(x), x + 0.3 * rng.standard_normal(3000), rng.integers(0, 4, 3000)])
    drawn = NullModel.fit(X, rng).draw(6000, rng)
    for level in (0.5, 0.75, 0.9, 0.99):
        assert np.quantile(drawn[:, 0], level) == pytest.approx(np.quantile(X[:, 0], level), rel=0.3)
    assert set(np.unique(drawn[:, 2])) <= {0, 1, 2, 3}
    ranks = drawn[:, :2].argsort(axis=0).argsort(axis=0)
    assert np.corrcoef(ranks[:, 0], ranks[:, 1])[0, 1] == pytest.approx(0.95, abs=0.04)


def test_rows_of_the_null_leave_a_small_far_group_out_and_keep_large_ones():
    rng = np.random.default_rng(9)
    X = np.vstack(
        [rng.standard_normal((600, 2)), 12 + rng.standard_normal((400, 2)), 30 + rng.standard_normal((40, 2))]
    )
    drawn = NullModel.fit(X, rng).draw(2000, rng)
    assert (drawn[:, 0] > 22).mean() < 0.005
    assert (drawn[:, 0] > 8).mean() == pytest.approx(0.4, abs=0.05)
    assert ((drawn[:, 0] > 5) & (drawn[:, 0] < 7)).mean() < 0.01
