"""Tables with more columns than rows stay cheap and are judged like any other."""

from __future__ import annotations

import time

import numpy as np
import pytest

from gnomon.anomaly import ADEngine


@pytest.mark.long
def test_a_thousand_columns_take_seconds_of_cpu() -> None:
    X = np.random.default_rng(0).standard_normal((200, 1_000))
    X[:3] += 3.0
    before = time.process_time()
    state = ADEngine().investigate(X)
    assert time.process_time() - before < 15.0
    assert state.consensus is not None
    assert set(np.argsort(-state.consensus["scores"])[:3].tolist()) == {0, 1, 2}


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_wide_noise_flags_nothing_and_shifted_rows_are_flagged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((120, 300)) @ rng.standard_normal((300, 300)) / 17
    quiet = ADEngine().investigate(X)
    assert quiet.consensus is not None
    assert int(quiet.consensus["labels"].sum()) == 0
    X[[7, 70]] += 2.0 * X.std(axis=0) * rng.choice([-1.0, 1.0], 300)
    loud = ADEngine().investigate(X)
    assert loud.consensus is not None
    assert np.flatnonzero(loud.consensus["labels"]).tolist() == [7, 70]
