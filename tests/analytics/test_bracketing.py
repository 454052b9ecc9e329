"""Edges between ranges: round, in order, and with rows on both sides."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analytics.bracketing import bracket_edges
from gnomon.core.errors import InvalidInput


def test_evenly_spread_values_get_equal_steps() -> None:
    ages = np.random.default_rng(1).integers(18, 75, 500).astype(float)
    assert bracket_edges(ages) == [20, 30, 40, 50, 60, 70]


def test_values_that_trail_off_get_round_edges_near_their_quantiles() -> None:
    amounts = np.random.default_rng(2).lognormal(6, 1.2, 2000)
    edges = bracket_edges(amounts)
    shares = np.histogram(amounts, [-np.inf, *edges, np.inf])[0] / len(amounts)
    assert 3 <= len(edges) <= 5 and shares.min() > 0.1
    assert all(float(f"{e:.2g}") == e for e in edges)


def test_a_width_that_was_said_is_kept_and_bounded() -> None:
    assert bracket_edges(np.array([3.0, 12.0, 27.0]), width=10) == [10, 20]
    with pytest.raises(InvalidInput, match="more than 50"):
        bracket_edges(np.linspace(0, 1000, 50), width=1)


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=2, max_size=60))
def test_edges_rise(values: list[float]) -> None:
    edges = bracket_edges(np.asarray(values))
    assert edges and all(a < b for a, b in itertools.pairwise(edges))
