"""Rows that hide each other from detectors are told by rows drawn from the null."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.apart import apart_p
from gnomon.anomaly.ways import lonely_p, ways_of

Draw = Callable[[np.random.Generator], np.ndarray]
NOISE: dict[str, Draw] = {
    "normal": lambda r: r.standard_normal((300, 4)),
    "uniform": lambda r: r.random((300, 4)),
    "exponential": lambda r: r.exponential(1, (300, 4)),
    "lognormal": lambda r: r.lognormal(size=(300, 4)),
    "clusters": lambda r: r.standard_normal((300, 4)) + 9 * r.integers(0, 2, (300, 1)),
    "dependent": lambda r: r.standard_normal((300, 4)) @ r.standard_normal((4, 4)),
    "whole numbers": lambda r: r.poisson(8, (300, 4)).astype(float),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", NOISE)
def test_noise_seldom_lies_apart(kind: str) -> None:
    alarms = [lonely_p(NOISE[kind](np.random.default_rng(seed))) <= 0.05 for seed in range(17)]
    assert np.mean(alarms) <= 0.12


def between(r: np.random.Generator) -> np.ndarray:
    X = r.standard_normal((600, 4)) + 9 * r.integers(0, 2, (600, 1))
    X[:20] = 4.5 + 0.5 * r.standard_normal((20, 4))
    return X


def group(r: np.random.Generator) -> np.ndarray:
    X = r.exponential(1, (800, 3))
    X[:25] = [7.0, 7.0, 7.0] + 0.2 * r.standard_normal((25, 3))
    return X


def dependence(r: np.random.Generator) -> np.ndarray:
    X = r.standard_normal((600, 1)) + 0.2 * r.standard_normal((600, 5))
    X[:6] = np.stack([r.permutation(X[:, j])[:6] for j in range(5)], axis=1)
    return X


@pytest.mark.parametrize("make", [between, group, dependence])
def test_rows_that_hide_each_other_lie_apart(make: Draw) -> None:
    assert lonely_p(make(np.random.default_rng(2))) < 0.001


def test_a_null_that_does_not_describe_the_middle_says_nothing() -> None:
    r = np.random.default_rng(3)
    shared = r.exponential(1, (1000, 1)) * r.uniform(0.5, 2, 15)
    assert apart_p(shared + 0.3 * r.standard_normal((1000, 15))) == {}


def test_too_few_rows_say_nothing() -> None:
    assert apart_p(np.random.default_rng(0).standard_normal((30, 3))) == {}


def test_asked_again_the_answer_is_the_same_and_another_matrix_has_its_own() -> None:
    r = np.random.default_rng(4)
    X, Y = r.standard_normal((200, 3)), between(r)
    assert ways_of(X) == ways_of(X) == ways_of(X.copy())
    assert lonely_p(Y) < lonely_p(X)


def test_a_dense_group_between_two_others_is_beyond_chance() -> None:
    quality = ADEngine().investigate(between(np.random.default_rng(5))).quality
    assert quality is not None
    assert quality.get("significance", 1.0) < 0.001
    assert quality["separation"] > 0.9
