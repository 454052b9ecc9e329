"""A value far out in one column of many is flagged although detectors of whole rows see nothing."""

from __future__ import annotations

import numpy as np

from gnomon.anomaly import ADEngine
from gnomon.anomaly.alone import far_rows, weights_for
from gnomon.anomaly.detection import prepare_data


def one_far_value(seed: int) -> np.ndarray:
    X = np.random.default_rng(seed).standard_normal((2_000, 10))
    X[17, seed % 10] = 7.0
    return X


def test_one_value_of_seven_deviations_in_ten_columns_is_mostly_flagged_and_alone() -> None:
    found = [ADEngine().investigate(one_far_value(seed)).consensus for seed in range(6)]
    flagged = [np.flatnonzero(made["labels"]).tolist() for made in found if made is not None]
    assert sum(rows == [17] for rows in flagged) >= 4
    assert all(len(rows) <= 2 for rows in flagged)


def test_one_detector_flags_it_too() -> None:
    result = ADEngine().detect(one_far_value(0))
    assert np.flatnonzero(result["labels_train"]).tolist() == [17]


def test_far_rows_are_found_one_after_the_other_until_columns_end_as_usual() -> None:
    X = one_far_value(0)
    X[[400, 900], [3, 5]] = [-9.0, 11.0]
    prepared = prepare_data(X, None)
    assert sorted(far_rows(prepared, detected=1.0)) == [17, 400, 900]
    assert far_rows(prepared, detected=0.01) == []


def test_columns_that_end_as_usual_have_no_far_rows() -> None:
    X = np.random.default_rng(5).standard_normal((2_000, 10))
    assert far_rows(prepare_data(X, None), detected=1.0) == []


def test_detectors_count_by_how_far_in_front_they_have_the_rows() -> None:
    first, second = np.array([9.0, 1.0, 2.0, 3.0]), np.array([2.0, 1.0, 4.0, 3.0])
    assert weights_for([0], [first, second]) == [1.0, 1 / 3]
