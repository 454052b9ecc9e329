"""Where a figure stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analytics.benchmarks import Standing, against_field, against_quartiles, benchmark_peers
from gnomon.core.errors import CalculationError, InvalidInput


def test_a_figure_at_a_quartile_has_its_percentile():
    assert [against_quartiles(v, 3.0, 2.0, 4.0).percentile for v in (2.0, 3.0, 4.0)] == [25, 50, 75]


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_a_higher_figure_never_has_a_lower_percentile(a, b):
    low, high = sorted([a, b])
    first, second = (against_quartiles(v, 3.0, 2.0, 4.0).percentile for v in (low, high))
    assert first is not None and second is not None and 5 <= first <= second <= 95


def test_a_gap_is_sized_in_money_only_where_it_can_be_closed():
    below = against_quartiles(0.02, 0.03, 0.025, 0.035, worth_per_unit=1_000_000)
    assert (below.worth, below.worth_best) == pytest.approx((10_000, 15_000))
    assert below.standing is Standing.BOTTOM_QUARTER
    above = against_quartiles(0.04, 0.03, 0.025, 0.035, worth_per_unit=1_000_000)
    assert (above.worth, above.worth_best) == (0, 0)


def test_where_less_is_better_the_lower_quartile_is_the_aim():
    found = against_quartiles(0.08, 0.06, 0.05, 0.07, higher_is_better=False, worth_per_unit=-1000)
    assert (found.worth, found.worth_best) == pytest.approx((20, 30))


def test_without_quartiles_no_percentile_is_made_up():
    assert against_quartiles(1.0, 2.0).percentile is None


def test_a_position_among_others_counts_them():
    found = against_field(3.5, [1, 2, 3, 4])
    assert (found.percentile, found.count, found.middle) == (75, 4, 2.5)


def test_each_peer_is_held_against_the_others():
    found = benchmark_peers({"a": 1.0, "b": 2.0, "c": 3.0, "d": 10.0})
    assert found["d"].percentile == 100 and found["a"].percentile == 0
    assert found["d"].middle == 2.0


def test_two_others_are_too_few():
    with pytest.raises(CalculationError):
        against_field(1.0, [1, 2])


def test_quartiles_out_of_order_are_refused():
    with pytest.raises(InvalidInput):
        against_quartiles(1.0, 2.0, 3.0, 1.0)
