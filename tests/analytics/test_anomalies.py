"""Z-score anomalies against scipy, and the laws they must obey."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gnomon.analytics import zscore_anomalies
from gnomon.core.errors import CalculationError, InvalidInput, NotFound

VALUES = [10.0, 11, 9, 10, 12, 10, 9, 11, 60, 10]


def test_robust_scores_equal_scipys_median_and_mad() -> None:
    result = zscore_anomalies(VALUES)
    scale = stats.median_abs_deviation(VALUES, scale="normal")
    assert np.allclose(result.scores, (np.array(VALUES) - np.median(VALUES)) / scale)
    assert [(a.position, a.value, a.direction) for a in result.anomalies] == [(8, 60.0, "high")]


def test_classic_scores_equal_scipys_zscore_and_miss_what_hides_itself() -> None:
    result = zscore_anomalies(VALUES, method="classic")
    assert np.allclose(result.scores, stats.zscore(VALUES, ddof=1))
    assert result.anomalies == ()  # the outlier inflates the deviation it is measured by
    assert zscore_anomalies(VALUES, method="classic", threshold=2.5).anomalies[0].position == 8


def test_each_series_has_its_own_yardstick() -> None:
    values = [1, 2, 3, 2, 1, 2, 100, 110, 90, 105, 95, 2]
    groups = ["a"] * 6 + ["b"] * 6
    result = zscore_anomalies(values, groups=groups, index=[f"d{i}" for i in range(12)])
    assert [(a.index, a.group, a.direction) for a in result.anomalies] == [("d11", "b", "low")]
    assert {s.group: s.center for s in result.series} == {"a": 2.0, "b": 97.5}


def test_when_half_the_values_are_equal_the_mean_deviation_takes_over() -> None:
    values = [5.0] * 20 + [5.5, 50.0]
    result = zscore_anomalies(values)
    deviations = np.abs(np.array(values) - 5.0)
    assert np.isclose(result.series[0].scale, deviations.mean() * np.sqrt(np.pi / 2))
    assert [a.value for a in result.anomalies] == [50.0]


def test_missing_and_infinite_values_are_counted_not_flagged() -> None:
    result = zscore_anomalies([1, 2, None, 3, float("inf"), 2])
    assert (result.missing, result.checked) == (2, 4)
    assert json.dumps(result.to_dict(), allow_nan=False)
    assert result.to_dict()["scores"][2] is None


def test_a_constant_series_flags_nothing_and_says_so() -> None:
    result = zscore_anomalies([4.0] * 10)
    assert result.anomalies == ()
    assert "one constant value" in result.notes[0]


@pytest.mark.parametrize(
    ("values", "kwargs", "error"),
    [
        ([], {}, CalculationError),
        (["x"], {}, InvalidInput),
        ("text", {}, InvalidInput),
        ([[1, 2], [3, 4]], {}, InvalidInput),
        ([1, 2, 3], {"method": "robst"}, NotFound),
        ([1, 2, 3], {"threshold": -1}, InvalidInput),
        ([1, 2, 3], {"groups": ["a"]}, InvalidInput),
    ],
)
def test_bad_input_is_a_typed_error(values, kwargs, error) -> None:
    with pytest.raises(error):
        zscore_anomalies(values, **kwargs)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-1000, 1000), min_size=5, max_size=40),
    st.integers(-500, 500),
    st.sampled_from([0.25, 0.5, 2.0, 8.0]),
    st.randoms(use_true_random=False),
)
def test_scores_ignore_shift_scale_and_order(values, shift, scale, random) -> None:
    base = zscore_anomalies(values).scores
    assert np.allclose(base, zscore_anomalies([v * scale + shift for v in values]).scores, equal_nan=True)
    order = list(range(len(values)))
    random.shuffle(order)
    assert np.allclose(base[order], zscore_anomalies([values[i] for i in order]).scores, equal_nan=True)
