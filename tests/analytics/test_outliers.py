"""Cleaning outliers: bounds by hand, everything taken out is given back with the reason."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gnomon.analytics import clean_outliers
from gnomon.core.errors import InvalidInput, NotFound

FRAME = pd.DataFrame(
    {"v": [1.0, 2, 3, 2, 1, 2, 50, np.nan], "w": [5.0, 6, 5, 6, 5, -40, 5, 6], "t": list("abcdefgh")}
)


def test_iqr_takes_out_rows_and_says_why() -> None:
    result = clean_outliers(FRAME)
    assert result.frame.index.tolist() == [0, 1, 2, 3, 4, 7]
    assert [(r.position, r.column, r.value) for r in result.removed] == [(5, "w", -40.0), (6, "v", 50.0)]
    q1, q3 = np.nanquantile(FRAME.v, [0.25, 0.75])
    assert (result.bounds[0].low, result.bounds[0].high) == (q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1))
    assert result.removed[1].reason == f"v = 50 is above {q3 + 1.5 * (q3 - q1):g}"
    assert (result.rows_before, result.rows_after) == (8, 6)


@pytest.mark.parametrize("method", ["zscore", "mad"])
def test_other_bounds_equal_their_definition(method: str) -> None:
    x = np.random.default_rng(0).normal(size=100)
    bounds = clean_outliers(pd.DataFrame({"x": x}), method=method, threshold=2).bounds[0]
    center, scale = (
        (x.mean(), x.std(ddof=1))
        if method == "zscore"
        else (np.median(x), stats.median_abs_deviation(x, scale="normal"))
    )
    assert (bounds.low, bounds.high) == (pytest.approx(center - 2 * scale), pytest.approx(center + 2 * scale))
    assert bounds.outliers == ((x < bounds.low) | (x > bounds.high)).sum()


def test_capping_keeps_all_rows_and_the_input_unchanged() -> None:
    before = FRAME.copy()
    result = clean_outliers(FRAME, columns=["v"], action="cap")
    assert result.rows_after == 8
    assert result.frame["v"].max() == result.bounds[0].high
    assert result.frame["w"].tolist() == FRAME["w"].tolist()
    pd.testing.assert_frame_equal(FRAME, before)


def test_infinite_values_are_outliers() -> None:
    result = clean_outliers(pd.DataFrame({"v": [1.0, 2, 3, 4, np.inf]}))
    assert result.rows_after == 4
    assert "not finite" in result.removed[0].reason


def test_columns_without_spread_are_left_alone_with_a_note() -> None:
    result = clean_outliers(pd.DataFrame({"v": [1.0] * 9 + [5.0]}))
    assert result.rows_after == 10
    assert "no spread" in result.bounds[0].note


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.sampled_from(["iqr", "zscore", "mad"]))
def test_kept_and_removed_rows_add_up(values: list[float], method: str) -> None:
    result = clean_outliers(pd.DataFrame({"v": values}), method=method)
    assert result.rows_after + len(result.removed) == len(values)
    if (low := result.bounds[0].low) is not None:
        assert result.frame["v"].between(low, result.bounds[0].high).all()


def test_errors_are_typed() -> None:
    with pytest.raises(InvalidInput):
        clean_outliers(FRAME[["t"]])
    with pytest.raises(NotFound):
        clean_outliers(FRAME, columns=["vv"])
    with pytest.raises(InvalidInput):
        clean_outliers(FRAME, columns=["t"])
    with pytest.raises(InvalidInput):
        clean_outliers([1, 2, 3])
