"""Tables of every odd shape give an answer that makes sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.anomaly import ADEngine

_RNG = np.random.default_rng(0)
QUIET: dict[str, Any] = {
    **{f"{n} rows": _RNG.normal(size=(n, 4)) for n in (1, 2, 3, 5, 10)},
    "one column": _RNG.normal(size=(100, 1)),
    "one dimension": _RNG.normal(size=100),
    "constant": np.ones((50, 3)),
    "a column of gaps": np.column_stack([_RNG.normal(size=60), np.full(60, np.nan)]),
    "only gaps": np.full((30, 2), np.nan),
    "two rows repeated": np.repeat([[1.0, 2.0], [3.0, 4.0]], 40, axis=0),
    "yes and no": _RNG.random((80, 3)) < 0.5,
    "objects": np.array([["a", 1.5], ["b", 2]] * 30, dtype=object),
    "very large": _RNG.normal(size=(200, 3)) * 1e200,
    "very small": _RNG.normal(size=(200, 3)) * 1e-200,
}


@pytest.mark.long
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_flagged_where_nothing_stands_out(name: str):
    engine = ADEngine()
    state = engine.investigate(QUIET[name])
    assert state.consensus is not None and state.quality is not None
    assert state.consensus["labels"].sum() == 0
    assert state.quality["verdict"] == "low"
    assert {r["status"] for r in state.results} == {"success"}
    assert "no anomalies beyond chance" in str(engine.report(state)).casefold()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("value", [5.0, 1e300])
def test_one_value_among_equals_or_far_away_is_flagged(value: float):
    X = np.zeros((100, 1)) if value == 5.0 else np.random.default_rng(1).normal(size=(100, 1))
    X[60] = value
    state = ADEngine().investigate(X)
    assert state.consensus is not None
    assert np.argmax(state.consensus["scores"]) == 60
    assert np.flatnonzero(state.consensus["labels"]).tolist() in ([60], [])


def test_one_detector_finds_planted_rows():
    X = np.random.default_rng(0).normal(size=(300, 5))
    X[:6] += 7
    found = ADEngine().detect(X)
    assert np.flatnonzero(found["labels_train"]).tolist() == [0, 1, 2, 3, 4, 5]


def test_default_parameters_are_those_of_the_constructors():
    import inspect

    from pyod.models.lof import LOF

    told = ADEngine().explain_detector("LOF")["default_params"]
    real = {n: p.default for n, p in inspect.signature(LOF).parameters.items()}
    assert told == {n: real[n] for n in told}
    assert told["n_neighbors"] == 20
    assert ADEngine().explain_detector("TailMix")["default_params"] == {
        "contamination": 0.1,
        "random_state": 0,
    }


@pytest.mark.long
def test_small_tables_of_whole_numbers_raise_an_alarm_no_oftener_than_chance():
    alarms = 0
    for seed in range(10):
        numbers = np.random.default_rng(seed).integers(0, 5, (80, 3))
        state = ADEngine().investigate(numbers)
        assert state.consensus is not None
        alarms += bool(state.consensus["labels"].any())
    assert alarms <= 1
