"""Joins: rows as pandas gives them, accounts by hand, fan-out and mismatched keys named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.analytics import join_frames
from gnomon.core.errors import CalculationError, InvalidInput, NotFound

ORDERS = pd.DataFrame({"order": [1, 2, 3, 4], "product": ["a", "a", "b", None], "amount": [10, 20, 30, 40]})
PRODUCTS = pd.DataFrame({"product": ["a", "b", "c"], "price": [1.0, 2.0, 3.0]})


def test_a_clean_lookup_is_many_to_one_with_match_rates() -> None:
    result = join_frames(ORDERS, PRODUCTS)
    assert result.keys == (("product", "product"),)
    assert result.frame["price"].fillna(-1).tolist() == [1.0, 1.0, 2.0, -1]
    assert (result.cardinality, result.fan_out, result.rows) == ("many-to-one", 1.0, 4)
    assert (result.left_match_rate, result.right_match_rate) == (0.75, pytest.approx(2 / 3))
    assert (result.left_missing_keys, result.notes) == (1, ())


def test_fan_out_is_detected_and_named() -> None:
    prices = pd.DataFrame({"product": ["a", "a", "a", "b"], "price": [1, 2, 3, 4]})
    result = join_frames(ORDERS, prices, on="product", how="inner")
    assert (result.rows, result.cardinality) == (7, "many-to-many")
    assert result.fan_out == pytest.approx(7 / 3)
    assert result.repeated_keys == (("a", 2, 3),)
    assert "do not total left columns" in result.notes[0]


def test_missing_keys_never_match_each_other() -> None:
    left = pd.DataFrame({"k": [None, 1.0], "a": [1, 2]})
    right = pd.DataFrame({"k": [None, 1.0], "b": [3, 4]})
    assert join_frames(left, right, how="inner").rows == 1
    assert join_frames(left, right, how="outer").rows == 3


def test_numbers_and_texts_are_compared_as_text_and_it_is_said() -> None:
    left = pd.DataFrame({"id": [1.0, 2.0, np.nan], "a": [1, 2, 3]})
    right = pd.DataFrame({"code": ["1", " 2", "3"], "b": [4, 5, 6]})
    result = join_frames(left, right, left_on="id", right_on="code")
    assert result.frame["b"].fillna(-1).tolist() == [4, 5, -1]
    assert "compared as text" in result.notes[0]


def test_columns_of_the_same_name_are_renamed() -> None:
    result = join_frames(ORDERS, PRODUCTS.assign(amount=0), on="product")
    assert result.renamed == {"amount": "amount_right"}
    assert result.frame["amount"].tolist() == [10, 20, 30, 40]


@settings(max_examples=60, deadline=None)
@given(
    *(
        st.lists(st.sampled_from(["a", "a_right", "a_right_2", "a_right_right", "b"]), unique=True)
        for _ in range(2)
    )
)
def test_no_name_is_given_twice_whatever_columns_are_called(left: list[str], right: list[str]) -> None:
    a = pd.DataFrame({"k": [1, 2], **{c: [f"{c} 1", f"{c} 2"] for c in left}})
    b = pd.DataFrame({"k": [2, 1], **{c: [f"right {c} 2", f"right {c} 1"] for c in right}})
    result = join_frames(a, b, on="k")
    assert result.frame.columns.is_unique and len(result.frame.columns) == 1 + len(left) + len(right)
    for c in left:
        assert result.frame[c].tolist() == a[c].tolist()
    for c in right:
        assert result.frame[result.renamed.get(c, c)].tolist() == b[c].tolist()[::-1]


keys = st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=12)


@settings(max_examples=60, deadline=None)
@given(keys, keys, st.sampled_from(["inner", "left", "right", "outer"]))
def test_row_counts_equal_a_join_by_hand(left: list, right: list, how: str) -> None:
    a = pd.DataFrame({"k": pd.array(left, dtype="Int64"), "a": range(len(left))})
    b = pd.DataFrame({"k": pd.array(right, dtype="Int64"), "b": range(len(right))})
    pairs = sum(x == y and x is not None for x in left for y in right)
    lonely_left = sum(x is None or x not in right for x in left)
    lonely_right = sum(y is None or y not in left for y in right)
    expected = pairs + lonely_left * (how in {"left", "outer"}) + lonely_right * (how in {"right", "outer"})
    result = join_frames(a, b, on="k", how=how)
    assert result.rows == len(result.frame) == expected
    assert result.left_matched == len(left) - lonely_left
    kept = result.frame.dropna(subset=["a", "b"])
    assert all(left[int(i)] == right[int(j)] for i, j in zip(kept["a"], kept["b"], strict=True))
    assert all(k == left[int(i)] for k, i in zip(kept["k"], kept["a"], strict=True))


def test_errors_are_typed() -> None:
    with pytest.raises(NotFound, match="product"):
        join_frames(ORDERS, PRODUCTS, on="prodct")
    with pytest.raises(InvalidInput):
        join_frames(ORDERS[["order"]], PRODUCTS)
    with pytest.raises(InvalidInput):
        join_frames(ORDERS, PRODUCTS, left_on="product")
    with pytest.raises(CalculationError):
        join_frames(
            pd.DataFrame({"k": [1] * 1000}), pd.DataFrame({"k": [1] * 1000}), on="k", most_rows=10_000
        )
