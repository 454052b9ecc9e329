"""Several ways to stand alone share one chance of a false alarm, and columns tell each other's shape."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.anomaly import shapes
from gnomon.anomaly.pooling import expected
from gnomon.anomaly.ways import DETECTORS, Way, any_of, beyond, ways_of

NAMES = ("ends", "gap", "values", "rows", "nearest", "outside")


def test_the_parts_of_all_ways_and_of_the_detectors_make_one() -> None:
    assert DETECTORS + sum(Way(name, 1.0).part for name in NAMES) == pytest.approx(1.0)
    X = np.random.default_rng(0).standard_normal((200, 3))
    assert {way.name for way in ways_of(X)} <= set(NAMES)


def test_a_p_value_is_corrected_by_its_part_and_never_passes_one() -> None:
    assert Way("gap", 0.001).corrected == pytest.approx(0.001 / Way("gap", 1.0).part)
    assert Way("gap", 0.9).corrected == 1.0


def test_together_the_clearest_tells_and_clearer_reads_lower() -> None:
    quiet, clear = Way("rows", 0.7), Way("values", 1e-6)
    assert any_of(1.0, [quiet]) < 1.0
    assert any_of(0.3, [quiet, clear]) == pytest.approx(clear.corrected, rel=1e-4)
    assert any_of(1e-9, [clear]) < any_of(1e-8, [clear])


def test_what_is_found_leaves_its_part_of_the_chance_to_the_others() -> None:
    ends, values = Way("ends", 1e-9), Way("values", 0.02)
    assert beyond(1.0, [values], 0.05) == []
    assert beyond(1e-9, [ends, values], 0.05) == [ends]
    gap, rows, nearest, outside = (Way(name, 1e-9) for name in ("gap", "rows", "nearest", "outside"))
    assert beyond(1e-9, [ends, values, gap, rows, nearest, outside], 0.05)[-1] == values


def logs_of(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Made-up log likelihoods: every column speaks for one shape only, at one scale."""
    count = len(shapes.library().prior)
    whole = np.full((len(columns), count, 1), -8.0)
    whole[np.arange(len(columns)), columns, 0] = 0.0
    return whole, np.full_like(whole, -20.0), np.full_like(whole, -20.0)


def test_columns_of_one_shape_make_it_expected_of_another_column() -> None:
    prior = np.exp(expected(*logs_of(np.array([4, 4, 4, 4, 4, 9]))).whole)
    assert prior[5, 4] > 0.8
    assert prior[5].sum() == pytest.approx(1.0, abs=1e-6)


def test_columns_of_different_shapes_promise_nothing_about_the_next() -> None:
    prior = np.exp(expected(*logs_of(np.array([1, 4, 7, 11, 20, 9]))).whole)
    assert prior[5].max() < 0.35


def test_a_column_alone_is_told_nothing() -> None:
    prior = np.exp(expected(*logs_of(np.array([3]))).whole)
    assert prior[0] == pytest.approx(shapes.library().prior, abs=1e-9)
