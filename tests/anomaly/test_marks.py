"""Marked rows draw rows like them along."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.marks import likeness
from gnomon.anomaly.state import InvestigationState


def two_kinds() -> np.ndarray:
    """Rows 0-4 stand out in one way, rows 5-9 in another."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    X[:5, 0] += 9
    X[5:10, 1] += 9
    return X


@pytest.fixture(scope="module")
def found() -> InvestigationState:
    return ADEngine().investigate(two_kinds())


def marked(found: InvestigationState, **rows: list[int]) -> np.ndarray:
    engine = ADEngine()
    state = engine.iterate(found.branch(), {"action": "label", **rows})
    state = engine.run(state)
    assert state.consensus is not None
    return state.consensus["scores"]


def test_a_row_marked_normal_lowers_rows_like_it_more_than_others(found: InvestigationState):
    assert found.consensus is not None
    before, after = found.consensus["scores"], marked(found, normal=[0])
    fall = before - after
    assert fall[0] > 0
    assert fall[1:5].mean() > 3 * max(float(fall[5:10].mean()), 0.0)
    assert fall[1:5].min() > 0


def test_a_row_marked_anomalous_raises_rows_like_it(found: InvestigationState):
    assert found.consensus is not None
    X = two_kinds()
    usual = int(np.argsort(found.consensus["scores"])[200])
    nearest = np.argsort(np.linalg.norm(X - X[usual], axis=1))[1:4]
    far = np.argsort(np.linalg.norm(X - X[usual], axis=1))[200:300]
    rise = marked(found, anomalous=[usual]) - found.consensus["scores"]
    assert rise[nearest].min() > rise[far].max()
    assert np.argmax(marked(found, anomalous=[usual])) == usual


def test_likeness_is_one_for_the_same_and_falls_with_distance():
    X = two_kinds()
    like = likeness(X, [0])
    assert like[0] == 1.0
    assert like[1:5].min() > 5 * like[10:].mean()
    assert likeness(X, []).max() == 0.0
