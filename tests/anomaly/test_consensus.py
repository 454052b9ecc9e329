"""Combining detectors: tails stay, labels follow scores, agreement is measured."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from gnomon.anomaly.calibrate import LogScale, soft_max
from gnomon.anomaly.consensus import (
    Combination,
    agreement,
    disagreements,
    labels_above,
    threshold_for,
    votes,
)
from gnomon.core.errors import InvalidInput, NotFound


def two_detectors(seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.gamma(2, 1, 300), rng.gamma(2, 100, 300)]


def test_one_far_row_stays_on_top_by_tails_and_drowns_by_ranks():
    a, b = two_detectors()
    a[0] = 60.0  # far beyond everything for the first detector
    b[0] = np.median(b)  # usual for the second
    tail = Combination.fit([a, b]).apply([a, b])
    ranks = Combination.fit([a, b], "rank_mean").apply([a, b])
    assert tail.argmax() == 0
    assert (ranks > ranks[0]).sum() > 20


def test_many_far_rows_hardly_widen_the_unit_they_are_measured_in():
    usual = np.random.default_rng(1).gamma(2, 1, 900)
    scores = np.concatenate([usual, np.full(100, 60.0)])
    alone, among = LogScale.fit(usual), LogScale.fit(scores)
    assert among.unit < 1.3 * alone.unit
    assert among.apply(scores)[-1] > 4


@given(
    st.lists(st.lists(st.floats(-900, 900), min_size=3, max_size=3), min_size=1, max_size=6),
)
def test_merged_scores_lie_between_mean_and_maximum(rows: list[list[float]]):
    parts = np.array(rows).T
    merged = soft_max(list(parts))
    assert (merged >= parts.mean(axis=0) - 1e-6).all()
    assert (merged <= parts.max(axis=0) + 1e-6).all()


def test_merged_scores_follow_their_weights():
    parts = [np.array([3.0, 0.0]), np.array([0.0, 3.0])]
    merged = soft_max(parts, [0.9, 0.1])
    assert merged[0] > merged[1]
    np.testing.assert_allclose(merged[0], np.log(0.9 * np.exp(3) + 0.1))


def test_rank_mean_is_the_mean_of_ranks():
    scores = two_detectors()
    expected = (rankdata(scores[0]) + rankdata(scores[1])) / 600
    np.testing.assert_allclose(Combination.fit(scores, "rank_mean").apply(scores), expected)


def test_units_do_not_matter():
    a, b = two_detectors()
    np.testing.assert_allclose(
        Combination.fit([a, b]).apply([a, b]),
        Combination.fit([a, 1000 * b + 5]).apply([a, 1000 * b + 5]),
        atol=1e-9,
    )


def test_weights_move_the_consensus():
    a, b = two_detectors()
    heavy = Combination.fit([a, b], weights=[9, 1]).apply([a, b])
    assert spearmanr(heavy, a).statistic > 0.95 > spearmanr(heavy, b).statistic


def test_a_single_detector_keeps_its_scores():
    a, _ = two_detectors()
    made = Combination.fit([a])
    assert made.method == "single"
    np.testing.assert_array_equal(made.apply([a]), a)


def test_new_rows_are_scored_on_the_fitted_scale():
    a, b = two_detectors()
    made = Combination.fit([a, b])
    np.testing.assert_allclose(made.apply([a[:5], b[:5]]), made.apply([a, b])[:5])


def test_constant_scores_add_nothing():
    a, _ = two_detectors()
    flat = np.full(300, 3.0)
    np.testing.assert_array_equal(np.argsort(Combination.fit([a, flat]).apply([a, flat])), np.argsort(a))


def test_agreement_is_the_mean_rank_correlation():
    a, b = two_detectors()
    assert agreement([a, a**3]) == pytest.approx(1.0)
    assert agreement([a, b]) == pytest.approx(max(0, spearmanr(a, b).statistic))
    assert agreement([a, -a]) == 0.0
    assert agreement([a, np.ones(300)]) == 0.0
    assert agreement([a]) == 0.5


def test_votes_and_disagreements():
    labels = [np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])]
    counts = votes(labels)
    assert counts.tolist() == [2, 1, 1, 0]
    assert disagreements(counts, np.array([9.0, 1.0, 5.0, 0.0]), 2) == [2, 1]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60, unique=True),
    st.floats(0.01, 0.5),
)
def test_the_share_asked_for_is_flagged_from_the_top(values: list[float], share: float):
    scores = np.array(values)
    labels = labels_above(scores, threshold_for(scores, share))
    k = max(1, round(share * len(scores)))
    assert labels.sum() == k
    assert scores[labels == 1].min() > scores[labels == 0].max()


def test_nothing_is_flagged_at_zero_and_wrong_input_is_refused():
    a, b = two_detectors()
    assert labels_above(a, threshold_for(a, 0.0)).sum() == 0
    with pytest.raises(InvalidInput, match="between 0 and"):
        threshold_for(a, 0.7)
    with pytest.raises(NotFound, match="way to combine"):
        Combination.fit([a], "mean_rank")
    with pytest.raises(InvalidInput, match="Weights"):
        Combination.fit([a, b], weights=[1])
    with pytest.raises(InvalidInput, match="at least one"):
        Combination.fit([])
