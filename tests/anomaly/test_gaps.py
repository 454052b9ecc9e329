"""A gap before a few far values is told from the tails that columns usually have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.gaps import gap_p

Draw = Callable[[np.random.Generator], np.ndarray]
TAILS: dict[str, Draw] = {
    "normal": lambda r: r.normal(size=(300, 4)),
    "lognormal": lambda r: r.lognormal(size=(300, 4)),
    "student": lambda r: r.standard_t(2, size=(300, 4)),
    "exponential": lambda r: r.exponential(size=(300, 4)),
    "pareto": lambda r: r.pareto(1.5, size=(300, 4)),
    "counts": lambda r: r.poisson(40, (300, 4)).astype(float),
}


@pytest.mark.parametrize("name", TAILS)
def test_usual_tails_seldom_end_in_a_gap(name: str) -> None:
    alarms = [gap_p(TAILS[name](np.random.default_rng(seed))) <= 0.05 for seed in range(120)]
    assert np.mean(alarms) <= 0.08


def test_one_value_far_beyond_the_rest_is_a_gap() -> None:
    X = np.random.default_rng(1).normal(size=(300, 3))
    assert gap_p(X) > 0.1
    X[7, 2] = -40.0
    assert gap_p(X) < 0.02


def test_the_gap_does_not_depend_on_units() -> None:
    X = np.random.default_rng(2).normal(size=(200, 2))
    X[3, 0] = 25.0
    assert gap_p(1000 * X + 7) == pytest.approx(gap_p(X), rel=1e-6)


def test_too_few_rows_or_values_say_nothing() -> None:
    assert gap_p(np.random.default_rng(0).normal(size=(40, 2))) == 1.0
    assert gap_p(np.random.default_rng(0).integers(0, 3, (300, 2)).astype(float)) == 1.0


def test_an_investigation_flags_the_one_value_beyond_the_rest() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[5, 1] = 40.0
    state = ADEngine().investigate(X)
    assert state.consensus is not None
    assert np.flatnonzero(state.consensus["labels"]).tolist() == [5]
