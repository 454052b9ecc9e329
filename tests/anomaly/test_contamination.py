"""p-values of scores, false discoveries, and thresholds that change without a new fit."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from gnomon.anomaly.contamination import (
    discoveries,
    estimate_contamination,
    global_p,
    p_values,
    p_values_from_bulk,
    rethreshold,
)
from gnomon.core.errors import InvalidInput


def test_p_values_of_the_null_are_uniform():
    rng = np.random.default_rng(0)
    values = p_values(rng.gamma(3, 1, 20_000), rng.gamma(3, 1, 20_000))
    for level in (0.5, 0.1, 0.01, 0.001):
        assert np.mean(values <= level) == pytest.approx(level, rel=0.5)


def test_p_values_fall_with_the_score_also_beyond_the_null():
    null = np.random.default_rng(1).exponential(1, 5000)
    values = p_values(np.array([0.0, 1.0, 5.0, 15.0, 25.0]), null)
    assert (np.diff(values) < 0).all()
    assert values[3] == pytest.approx(np.exp(-15), rel=30)
    with pytest.raises(InvalidInput, match="at least 50"):
        p_values(null, null[:10])


def test_discoveries_match_an_independent_computation():
    rng = np.random.default_rng(2)
    for _ in range(20):
        values = np.concatenate([rng.random(300), rng.random(20) * 1e-4])
        assert discoveries(values, 0.1) == int((false_discovery_control(values) <= 0.1).sum())


def test_global_p_is_uniform_under_chance_and_counts_many_small_ones():
    rng = np.random.default_rng(5)
    chance = np.array([global_p(rng.random(500)) for _ in range(400)])
    assert (chance <= 0.05).mean() < 0.08
    assert (chance <= 0.5).mean() > 0.25
    many = rng.random(500)
    many[:15] = rng.uniform(0, 0.002, 15)
    assert global_p(many) < 1e-6
    assert global_p(many, lenient=2.0) > global_p(many)
    assert global_p(np.ones(5)) > 0.9


def test_planted_share_is_estimated_and_noise_gives_none():
    rng = np.random.default_rng(3)
    null = rng.standard_normal(5000)
    noise = rng.standard_normal(1000)
    planted = noise.copy()
    planted[:40] += 8
    assert estimate_contamination(p_values(noise, null)) <= 0.002
    assert estimate_contamination(p_values(planted, null)) == pytest.approx(0.04, abs=0.006)
    assert estimate_contamination(p_values_from_bulk(np.concatenate([noise, [40.0] * 20]))) == pytest.approx(
        20 / 1020, abs=0.006
    )


def test_another_share_needs_only_the_scores():
    scores = np.arange(100.0)
    threshold, labels = rethreshold(scores, 0.07)
    assert labels.sum() == 7
    assert threshold == pytest.approx(92.5)
