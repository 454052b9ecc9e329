"""What a change is made of always adds up to it."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.analytics.drivers import Factor, chain, decompose_segments, decompose_tree
from gnomon.core.errors import CalculationError, InvalidInput, NotFound

AMOUNTS = st.one_of(st.just(0.0), st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3)))
LEVELS = st.one_of(st.just(0.0), st.floats(0, 1e6, allow_nan=False).map(lambda x: round(x, 3)))
ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", None]), AMOUNTS, LEVELS), max_size=12
)


def _close(a: float, b: float, scale: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9 * max(1.0, scale))


@given(before=st.lists(AMOUNTS, min_size=4, max_size=4), after=st.lists(AMOUNTS, min_size=4, max_size=4))
def test_factors_and_what_none_of_them_carries_add_up_to_the_change_whatever_is_zero_or_negative(
    before, after
):
    names = ["visits", "orders", "units", "sales"]
    old, new = dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True))
    found = decompose_tree(old, new, chain(names))
    parts = [e.contribution for e in found.effects]
    assert found.change == new["sales"] - old["sales"]
    assert _close(math.fsum([*parts, found.residual]), found.change, max(map(abs, [*parts, found.residual])))


@given(
    before=st.lists(st.floats(0.1, 1e4), min_size=3, max_size=3),
    after=st.lists(st.floats(0.1, 1e4), min_size=3, max_size=3),
)
def test_where_everything_is_positive_nothing_is_left_over(before, after):
    names = ["visits", "orders", "sales"]
    found = decompose_tree(
        dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True)), chain(names)
    )
    assert found.residual == 0.0


def test_a_factor_that_alone_changed_carries_the_whole_change():
    before = {"visits": 100.0, "orders": 10.0, "sales": 500.0}
    after = {"visits": 80.0, "orders": 8.0, "sales": 400.0}
    visits, rate, value = decompose_tree(before, after, chain(["visits", "orders", "sales"])).effects
    assert visits.contribution == pytest.approx(-100)
    assert (rate.contribution, value.contribution) == pytest.approx((0, 0))


def test_the_order_of_factors_does_not_matter():
    factors = [Factor("a", "a"), Factor("b", "b"), Factor("c", "c")]
    before, after = {"a": 2.0, "b": 3.0, "c": 5.0, "p": 30.0}, {"a": 4.0, "b": 1.0, "c": 7.0, "p": 28.0}
    there = {e.name: e.contribution for e in decompose_tree(before, after, factors, whole="p").effects}
    back = {e.name: e.contribution for e in decompose_tree(before, after, factors[::-1], whole="p").effects}
    assert there == pytest.approx(back)


def test_sales_without_visits_are_a_residual_and_not_hidden_in_a_factor():
    found = decompose_tree(
        {"visits": 0.0, "orders": 0.0}, {"visits": 0.0, "orders": 5.0}, chain(["visits", "orders"])
    )
    assert found.residual == 5.0


def test_a_tree_with_a_missing_measure_says_which():
    with pytest.raises(InvalidInput, match="orders"):
        decompose_tree({"visits": 1.0}, {"visits": 1.0, "orders": 1.0}, chain(["visits", "orders"]))


@settings(max_examples=25, deadline=None)
@given(before=ROWS, after=ROWS)
def test_segments_of_every_cut_add_up_to_the_change(before, after):
    old, new = (
        pd.DataFrame(r, columns=["d", "e", "v", "w"]).astype({"v": float, "w": float})
        for r in (before, after)
    )
    scale = old["v"].abs().sum() + new["v"].abs().sum()
    for cut in decompose_segments(old, new, ["d", "e"], value="v"):
        assert _close(math.fsum(e.contribution for e in cut.effects), new["v"].sum() - old["v"].sum(), scale)


@settings(max_examples=25, deadline=None)
@given(before=ROWS, after=ROWS)
def test_mix_and_rate_add_up_to_the_change_of_a_ratio(before, after):
    old, new = (
        pd.DataFrame(r, columns=["d", "e", "v", "w"]).astype({"v": float, "w": float})
        for r in (before, after)
    )
    if not old["w"].sum() or not new["w"].sum():
        with pytest.raises(CalculationError):
            decompose_segments(old, new, ["d"], value="v", weight="w")
        return
    ratio = [f["v"].sum() / f["w"].sum() for f in (old, new)]
    for cut in decompose_segments(old, new, ["d", "e"], value="v", weight="w"):
        scale = max([abs(x or 0) for e in cut.effects for x in (e.rate, e.mix)] + [abs(r) for r in ratio])
        assert _close(cut.rate + cut.mix, ratio[1] - ratio[0], scale)
        assert _close(math.fsum(e.contribution for e in cut.effects), ratio[1] - ratio[0], scale)


def test_a_ratio_that_falls_in_no_segment_but_as_a_whole_is_all_mix():
    before = pd.DataFrame({"d": ["a", "b"], "v": [10.0, 50.0], "w": [100.0, 100.0]})
    after = pd.DataFrame({"d": ["a", "b"], "v": [30.0, 25.0], "w": [300.0, 50.0]})
    (cut,) = decompose_segments(before, after, ["d"], value="v", weight="w")
    assert cut.rate == pytest.approx(0, abs=1e-12)
    assert cut.mix == pytest.approx(cut.change)


def test_a_segment_that_appears_and_one_that_goes_are_told_with_what_they_add():
    before = pd.DataFrame({"d": ["old", "same"], "v": [5.0, 1.0]})
    after = pd.DataFrame({"d": ["new", "same"], "v": [7.0, 1.0]})
    (cut,) = decompose_segments(before, after, ["d"], value="v")
    told = {dict(e.segment)["d"]: e.contribution for e in cut.effects}
    assert told == {"old": -5.0, "new": 7.0, "same": 0.0}


def test_a_pair_of_which_one_dimension_tells_the_other_is_not_cut():
    rows = pd.DataFrame({"product": ["p1", "p2", "p3"], "kind": ["k1", "k1", "k2"], "v": [1.0, 2.0, 3.0]})
    cuts = decompose_segments(rows, rows, ["product", "kind"], value="v")
    assert [c.dimensions for c in cuts] == [("product",), ("kind",)]


def test_a_missing_column_is_named():
    rows = pd.DataFrame({"d": ["a"], "v": [1.0]})
    with pytest.raises(NotFound, match="region"):
        decompose_segments(rows, rows, ["region"], value="v")
