"""Bins: equal width, quantiles and edges against numpy and pandas, dates by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.analytics import bin_column
from gnomon.core.errors import InvalidInput, NotFound


def test_equal_width_counts_equal_numpys_histogram() -> None:
    x = np.random.default_rng(0).normal(size=300)
    result = bin_column(x, bins=7)
    counts, edges = np.histogram(x, 7)
    assert [b.count for b in result.bins] == counts.tolist()
    assert np.allclose([b.low for b in result.bins], edges[:-1])


def test_quantiles_are_equal_in_count_and_ties_are_said() -> None:
    assert [b.count for b in bin_column(np.arange(100), method="quantile", bins=4).bins] == [25] * 4
    tied = bin_column([1, 1, 1, 1, 1, 2, 3], method="quantile", bins=4)
    assert len(tied.bins) < 4
    assert "cannot be parted" in tied.notes[0]


def test_edges_hold_their_lower_end_and_count_what_lies_outside() -> None:
    result = bin_column([0, 5, 10, 20, 25, None], method="edges", edges=[0, 10, 20], labels=["low", "high"])
    assert result.labels.tolist() == ["low", "low", "high", "high", None, None]
    assert (result.outside, result.missing) == (1, 1)


@pytest.mark.parametrize(
    ("grain", "expected"),
    [
        ("day", ["2024-12-30", "2025-01-05"]),
        ("week", ["2025-W01", "2025-W01"]),
        ("month", ["2024-12", "2025-01"]),
        ("quarter", ["2024-Q4", "2025-Q1"]),
        ("year", ["2024", "2025"]),
        ("weekday", ["Monday", "Sunday"]),
        ("hour_of_day", ["07", "23"]),
        ("hour", ["2024-12-30 07:00", "2025-01-05 23:00"]),
        ("month_of_year", ["12", "01"]),
    ],
)
def test_date_grains(grain: str, expected: list[str]) -> None:
    result = bin_column(["2024-12-30 07:10", "2025-01-05 23:59", None], method="date", grain=grain)
    assert result.labels.tolist() == [*expected, None]
    assert (sum(b.count for b in result.bins), result.missing) == (2, 1)


def test_the_index_is_kept_and_labels_are_distinct() -> None:
    series = pd.Series([1.00001, 1.00002, 1.00003], index=[7, 8, 9])
    result = bin_column(series, bins=3)
    assert result.labels.index.tolist() == [7, 8, 9]
    assert len({b.label for b in result.bins}) == 3


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50),
    st.integers(1, 12),
    st.sampled_from(["width", "quantile"]),
)
def test_every_value_falls_into_exactly_one_bin(values: list[float], bins: int, method: str) -> None:
    result = bin_column(values, bins=bins, method=method)
    assert sum(b.count for b in result.bins) == len(values)
    assert result.outside == 0


def test_errors_are_typed() -> None:
    for edges in ([1], [2, 1], [1, 1], None):
        with pytest.raises(InvalidInput):
            bin_column([1, 2], method="edges", edges=edges)
    with pytest.raises(InvalidInput):
        bin_column([1, 2, 3], bins=2, labels=["one"])
    with pytest.raises(NotFound, match="month"):
        bin_column(["2024-01-01"], method="date", grain="mnth")
    with pytest.raises(InvalidInput):
        bin_column(["never"], method="date", grain="day")
