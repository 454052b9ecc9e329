"""What is odd in one variable of many is found although the others do not show it; clean series stay clean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.evidence import MODELS
from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.modalities.aspects import compared


def account(seed: int) -> pd.DataFrame:
    """Daily figures of four kinds: two rates, rare warnings, a rounded rating."""
    rng = np.random.default_rng(seed)
    n = 500
    slow = np.zeros(n)
    for t in range(1, n):
        slow[t] = 0.8 * slow[t - 1] + rng.normal()
    return pd.DataFrame(
        {
            "date": pd.date_range("2024-01-01", periods=n),
            "late": 0.02 + 0.002 * rng.standard_normal(n),
            "defects": 0.008 + 0.0005 * slow,
            "warnings": (rng.random(n) < 0.02).astype(int),
            "rating": np.round(4.6 + 0.005 * slow, 2),
        }
    )


@pytest.mark.long
def test_an_outage_in_one_variable_of_four_is_beyond_chance_and_flagged() -> None:
    frame = account(1)
    frame.loc[300:308, "late"] += np.linspace(0.05, 0.015, 9)
    state = ADEngine().investigate(frame)
    assert state.consensus is not None
    assert state.quality is not None
    flagged = np.flatnonzero(state.consensus["labels"])
    assert state.quality.get("significance", 1.0) < 0.01
    assert np.isin(np.arange(300, 309), flagged).sum() >= 8
    assert len(flagged) < 60


@pytest.mark.long
def test_clean_series_of_several_variables_end_with_nothing_flagged() -> None:
    clean = [ADEngine().investigate(account(seed)) for seed in range(10, 16)]
    flagged = [int(s.consensus["labels"].sum()) for s in clean if s.consensus is not None]
    assert sum(n == 0 for n in flagged) >= 5


@pytest.mark.long
def test_a_variable_that_turns_against_its_companions_is_beyond_chance() -> None:
    rng = np.random.default_rng(3)
    shared = np.zeros(800)
    for t in range(1, 800):
        shared[t] = 0.8 * shared[t - 1] + rng.standard_normal()
    X = shared[:, None] * [1, 2, -1.5] + 0.3 * rng.standard_normal((800, 3))
    assert not ADEngine().investigate(X, data_type="time_series").quality["significant"]
    X[500:530, 1] *= -1
    state = ADEngine().investigate(X, data_type="time_series")
    assert state.quality["significance"] < 0.05
    flagged = np.flatnonzero(state.consensus["labels"])
    assert np.isin(flagged, np.arange(495, 535)).mean() > 0.5


def test_the_aspect_that_is_odd_has_the_small_p_value() -> None:
    frame = account(2)
    frame.loc[200:208, "late"] += 0.04
    looks = prepare(frame).looks
    assert looks is not None
    best = min(looks().p, key=lambda k: looks().p[k])
    assert best.startswith("late: ")
    assert looks().together < 0.001
    assert 5 <= looks().rows < 60


@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_an_aspect_whose_middle_exceeds_the_null_says_nothing(shift: float) -> None:
    rng = np.random.default_rng(4)
    x, null = rng.exponential(1, 600), rng.exponential(1, MODELS * 600)
    x[:5] = 20.0
    looks = compared({"a": x + shift}, {"a": null}, reach=1)
    assert (looks.together < 0.001) == (shift == 0.0)
