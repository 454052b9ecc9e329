"""Regular grids: every calendar grain survives a round trip, and its future continues it."""

import numpy as np
import pandas as pd
import pytest

from gnomon.analytics import regular_series
from gnomon.core.errors import InvalidInput


@pytest.mark.parametrize(
    ("rule", "grain"),
    [
        ("D", "day"), ("B", "business day"), ("W-TUE", "week"), ("MS", "month"), ("ME", "month"), ("QS", "quarter"),
        ("QE", "quarter"), ("QS-FEB", "quarter"), ("YS", "year"), ("YE", "year"), ("YS-APR", "year"), ("h", "hour"),
        ("5min", "5 minutes"), ("30s", "30 seconds"), ("2h", "2 hours"), ("10D", "10 days"), ("14D", "14 days"),
    ],
)  # fmt: skip
def test_regular_stamps_are_kept_and_continued(rule: str, grain: str) -> None:
    times = pd.date_range("2021-03-02", periods=33, freq=rule)
    series = regular_series(np.arange(30.0), times[:30])
    assert series.grain == grain
    assert list(series.times) == list(times[:30])
    assert list(series.future(3)) == list(times[30:])
    assert series.notes == ()


def test_order_does_not_matter() -> None:
    times = pd.date_range("2021-01-01", periods=20, freq="D")
    shuffled = np.random.default_rng(0).permutation(20)
    series = regular_series(shuffled.astype(float), times[shuffled])
    assert list(series.values) == list(range(20))
    assert series.notes == ("The observations were sorted by time.",)


def test_gaps_are_interpolated_duplicates_merged_and_both_counted() -> None:
    times = ["2021-01-01", "2021-01-02", "2021-01-02", "2021-01-04", "2021-01-05", "2021-01-06"]
    series = regular_series([1, 2, 4, 5, 6, 7], times, merge="sum")
    assert list(series.values) == [1, 6, 5.5, 5, 6, 7]
    assert series.notes[0].startswith("1 observations shared a day")
    assert series.notes[1].startswith("1 of 6 steps")


def test_times_in_the_middle_of_the_month_become_months() -> None:
    times = pd.date_range("2021-01-01", periods=12, freq="MS") + pd.Timedelta(days=14)
    series = regular_series(np.arange(12.0), times)
    assert list(series.times) == list(pd.date_range("2021-01-01", periods=12, freq="MS"))


def test_random_times_get_a_grain_that_most_steps_can_fill() -> None:
    rng = np.random.default_rng(0)
    times = pd.Timestamp("2021-01-01") + pd.to_timedelta(np.sort(rng.uniform(0, 100 * 86400, 150)), unit="s")
    series = regular_series(np.ones(150), times)
    assert series.grain == "day"
    assert 99 <= len(series.values) <= 101


def test_numbers_are_not_times() -> None:
    with pytest.raises(InvalidInput, match="numbers were given"):
        regular_series([1, 2, 3], [2021, 2022, 2023])
