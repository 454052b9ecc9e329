"""Values beyond what their column's shape allows are told from the far values that every shape has."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gnomon.anomaly.ends import ends_p, far_ends

Draw = Callable[[np.random.Generator], np.ndarray]
SHAPES: dict[str, Draw] = {
    "normal": lambda r: r.standard_normal((400, 4)),
    "uniform": lambda r: r.random((400, 4)),
    "exponential": lambda r: r.exponential(1, (400, 4)),
    "student": lambda r: r.standard_t(3, (400, 4)),
    "lognormal": lambda r: r.lognormal(size=(400, 4)),
    "pareto": lambda r: r.pareto(2, (400, 4)),
    "whole numbers": lambda r: r.poisson(20, (400, 4)).astype(float),
    "clusters": lambda r: r.standard_normal((400, 4)) + 8 * r.integers(0, 3, (400, 1)),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", SHAPES)
def test_usual_columns_seldom_end_too_far_out(kind: str) -> None:
    alarms = [ends_p(SHAPES[kind](np.random.default_rng(seed))) <= 0.05 for seed in range(17)]
    assert np.mean(alarms) <= 0.12


def test_three_values_far_out_in_one_column_of_ten_are_beyond_chance() -> None:
    X = np.random.default_rng(1).standard_normal((600, 10))
    assert ends_p(X) > 0.1
    X[[5, 80, 300], 4] = [6.0, 6.6, 7.4]
    assert ends_p(X) < 0.01


def test_a_value_far_out_in_light_tails_is_ordinary_in_heavy_ones() -> None:
    r = np.random.default_rng(2)
    light, heavy = r.standard_normal((1000, 4)), r.standard_t(3, (1000, 4))
    for X in (light, heavy):
        X[:3, 1] = [9.0, 10.0, 11.0]
    assert ends_p(light) < 0.001
    assert ends_p(heavy) > 0.05


def test_units_do_not_matter_few_rows_say_nothing_and_few_values_end_as_usual() -> None:
    X = np.random.default_rng(3).standard_normal((300, 3))
    X[7, 1] = 8.0
    assert ends_p(1000 * X - 5) == pytest.approx(ends_p(X), rel=1e-6)
    assert ends_p(X[:50]) == 1.0
    assert ends_p(np.random.default_rng(4).integers(0, 4, (300, 3)).astype(float)) > 0.9999
    assert ends_p(np.random.default_rng(4).integers(0, 2, (300, 3)).astype(float)) == 1.0


def test_the_row_that_ends_a_column_too_far_out_is_named() -> None:
    X = np.random.default_rng(3).standard_normal((800, 6))
    X[41, 2] = -9.0
    far = far_ends(X)
    assert far.p < 0.01
    assert far.rows == (41,)
    assert far_ends(np.delete(X, 41, axis=0)).p > 0.05
