"""Values that are usual in their column but do not follow from the rest of their row are told from noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.conditional import leftover, unexplained

Draw = Callable[[np.random.Generator], np.ndarray]


def hanging_together(r: np.random.Generator, n: int = 300, p: int = 8) -> np.ndarray:
    mix = r.standard_normal((2, p))
    return r.standard_normal((n, 2)) @ (mix / np.linalg.norm(mix, axis=0)) + 0.2 * r.standard_normal((n, p))


NOISE: dict[str, Draw] = {
    "factors": hanging_together,
    "skewed factors": lambda r: np.exp(hanging_together(r)),
    "counts": lambda r: r.poisson(np.exp(2 + 0.5 * r.standard_normal((400, 1))), (400, 5)).astype(float),
    "groups": lambda r: r.standard_normal((400, 4)) + 6 * r.integers(0, 2, (400, 1)),
    "heavy": lambda r: hanging_together(r) * np.sqrt(5 / r.chisquare(5, (300, 1))),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", NOISE)
def test_rows_that_hang_together_are_seldom_called_odd(kind: str) -> None:
    found = [unexplained(NOISE[kind](np.random.default_rng(seed))) for seed in range(12)]
    assert sum(min(single.p, whole.p) <= 0.025 for single, whole in found) <= 2


def test_signs_turned_in_half_of_the_columns_are_found_although_each_value_is_usual() -> None:
    X = hanging_together(np.random.default_rng(1), n=600)
    before = X.copy()
    X[[3, 77, 140, 205], :4] *= -1
    single, whole = unexplained(X)
    assert min(single.p, whole.p) < 0.01
    assert {3, 77, 140, 205} & {*single.rows, *whole.rows}
    assert min(p.p for p in unexplained(before)) > 0.05


def test_what_is_left_over_is_large_where_a_value_does_not_follow() -> None:
    X = hanging_together(np.random.default_rng(2))
    X[10, 0] = X[:, 0].max() if X[10, 1:].mean() < 0 else X[:, 0].min()
    left = leftover(X)
    assert left is not None
    assert np.abs(left.each[10]).max() > np.quantile(np.abs(left.each), 0.995)


def test_columns_that_do_not_hang_together_leave_nothing_to_say() -> None:
    r = np.random.default_rng(3)
    assert leftover(r.standard_normal((300, 6))) is None
    assert leftover(hanging_together(r)[:50]) is None
    assert leftover(r.standard_normal((300, 1))) is None


def test_an_investigation_flags_rows_whose_parts_do_not_belong_together() -> None:
    X = hanging_together(np.random.default_rng(4), n=600, p=12)
    rows = [9, 100, 301, 402, 503]
    X[np.ix_(rows, [0, 1, 2, 3, 4, 5])] *= -1
    state = ADEngine().investigate(X)
    assert state.quality is not None
    assert state.quality.get("significant")
    assert state.consensus is not None
    flagged = set(np.flatnonzero(state.consensus["labels"]).tolist())
    assert len(flagged & set(rows)) >= 2
    assert len(flagged - set(rows)) <= len(flagged) // 2
