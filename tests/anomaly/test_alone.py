"""A value far out in one column of many is flagged although detectors of whole rows see nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.alone import far_rows, weights_for
from gnomon.anomaly.detection import prepare_data


def one_far_value(seed: int, rows: int = 2_000) -> np.ndarray:
    X = np.random.default_rng(seed).standard_normal((rows, 10))
    X[17, seed % 10] = 7.0
    return X


@pytest.mark.long
# Among 200 rows half of these values are told from a heavy tail, among more nearly all.
@pytest.mark.parametrize(("rows", "least"), [(200, 2), (500, 4), (2_000, 5)])
def test_one_value_of_seven_deviations_in_ten_columns_is_flagged_and_alone(rows: int, least: int) -> None:
    found = [ADEngine().investigate(one_far_value(seed, rows)).consensus for seed in range(6)]
    flagged = [np.flatnonzero(made["labels"]).tolist() for made in found if made is not None]
    assert sum(named == [17] for named in flagged) >= least
    assert all(len(named) <= 2 for named in flagged)


def with_few_values(r: np.random.Generator) -> np.ndarray:
    return np.column_stack([r.standard_normal((500, 4)), r.integers(1, 8, 500)])


def with_many_imputed(r: np.random.Generator) -> np.ndarray:
    x = np.where(r.random(500) < 0.4, 50.0, r.normal(50, 8, 500))
    return np.column_stack([r.standard_normal((500, 4)), x])


@pytest.mark.long
@pytest.mark.parametrize(("make", "value"), [(with_few_values, 60.0), (with_many_imputed, 160.0)])
def test_a_value_far_out_in_a_column_of_few_or_of_imputed_values_is_flagged(
    make: Callable[[np.random.Generator], np.ndarray], value: float
) -> None:
    found: list[list[int]] = []
    for seed in range(3):
        X = make(np.random.default_rng(seed))
        X[33, 4] = value
        made = ADEngine().investigate(X).consensus
        assert made is not None
        found.append(np.flatnonzero(made["labels"]).tolist())
    assert sum(rows == [33] for rows in found) >= 2


def test_one_detector_flags_it_too() -> None:
    result = ADEngine().detect(one_far_value(0))
    assert np.flatnonzero(result["labels_train"]).tolist() == [17]


def test_far_rows_are_found_whichever_column_they_are_far_in() -> None:
    X = one_far_value(0)
    X[[400, 900], [3, 5]] = [-9.0, 11.0]
    assert sorted(far_rows(prepare_data(X, None), detected=1.0)) == [17, 400, 900]


def test_columns_that_end_as_usual_have_no_far_rows() -> None:
    X = np.random.default_rng(5).standard_normal((2_000, 10))
    assert far_rows(prepare_data(X, None), detected=1.0) == []


def test_detectors_count_by_how_far_in_front_they_have_the_rows() -> None:
    first, second = np.array([9.0, 1.0, 2.0, 3.0]), np.array([2.0, 1.0, 4.0, 3.0])
    assert weights_for([0], [first, second]) == [1.0, 1 / 3]
