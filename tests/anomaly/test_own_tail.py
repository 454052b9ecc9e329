"""Columns whose middle fits no known shape: far values are found by the fall of the tail, ordinary ends are not."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.anomaly.ends import far_ends
from gnomon.anomaly.own_tail import own_tail_p

TAILS = {
    "cauchy": lambda rng: rng.standard_cauchy(1_500),
    "pareto": lambda rng: rng.pareto(1.5, 1_500),
    "lognormal": lambda rng: rng.lognormal(0, 2, 1_500),
    "normal": lambda rng: rng.standard_normal(1_500),
    "two groups": lambda rng: np.concatenate([rng.normal(0, 1, 1_300), rng.normal(12, 0.5, 200)]),
}


def _two_humps(rng: np.random.Generator) -> np.ndarray:
    """Heights of young and grown animals, rounded: no single shape explains them."""
    young, grown = rng.normal(0.08, 0.015, 1_400), rng.normal(0.16, 0.02, 2_600)
    return np.round(np.concatenate([young, grown]) / 0.005) * 0.005


@pytest.mark.parametrize("kind", sorted(TAILS))
def test_ordinary_tails_are_rarely_surprising(kind: str):
    alarms = [own_tail_p(np.sort(TAILS[kind](np.random.default_rng(s))), True) <= 0.05 for s in range(60)]
    assert sum(alarms) <= 7


def test_far_values_of_rounded_groups_are_named_and_their_rest_is_quiet():
    heights = _two_humps(np.random.default_rng(3))
    assert far_ends(heights[:, None]).p > 0.05
    heights[[17, 2_000]] = 0.515, 1.13
    far = far_ends(heights[:, None])
    assert far.p < 0.001
    assert set(far.rows) == {17, 2_000}


def test_a_tail_of_repeated_values_says_nothing():
    column = np.repeat([1.0, 2.0, 3.0, 50.0], [400, 300, 298, 2])
    assert own_tail_p(np.sort(column), True) == 1.0


def test_direction_matters():
    column = np.sort(np.append(np.random.default_rng(5).standard_normal(1_000), -40.0))
    assert own_tail_p(column, False) < 0.001
    assert own_tail_p(column, True) > 0.05
