"""Long outages are told as a whole, and what only looks like one is not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from planted_outages import MOVING, OUTAGES, PLACES, USUAL, background, daily, with_outage

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.state import InvestigationState

SHARES = (0.055, 0.1, 0.15)
GRID = list(product(USUAL, OUTAGES, SHARES, PLACES))
# Every pair of kind, length and place once for each background.
THIRD = [c for c in GRID if (OUTAGES.index(c[1]) + SHARES.index(c[2]) + PLACES.index(c[3])) % 3 == 0]


def set_apart(x: np.ndarray) -> np.ndarray:
    found = prepare(daily(x)).outage
    return np.zeros(len(x), dtype=bool) if found is None else found


def investigated(x: np.ndarray) -> InvestigationState:
    state = ADEngine(random_state=0).investigate(daily(x))
    assert state.consensus is not None and state.quality is not None and state.analysis is not None
    return state


@pytest.mark.long
def test_outages_of_any_kind_length_and_place_are_set_apart_with_their_edges() -> None:
    hits, flagged, planted_rows = 0, 0, 0
    for k, (usual, kind, share, place) in enumerate(THIRD):
        rng = np.random.default_rng([k, 1])
        x, planted = with_outage(background(usual, 300, rng), kind, share, place, rng)
        found = set_apart(x)
        hits += int((found & (planted == 1)).sum())
        flagged, planted_rows = flagged + int(found.sum()), planted_rows + int(planted.sum())
    assert hits / flagged > 0.97
    assert hits / planted_rows > 0.95


@pytest.mark.long
def test_nothing_is_set_apart_where_nothing_is_going_on() -> None:
    kinds = [*USUAL, *MOVING]
    wrong = [
        set_apart(background(kind, n, np.random.default_rng([k, n]))).any()
        for kind, k, n in product(kinds, range(7), (120, 300))
    ]
    assert np.mean(wrong) <= 0.02


@pytest.mark.parametrize(("usual", "kind", "share", "place"), GRID[4::33])
def test_the_flagged_readings_and_the_told_stretch_are_the_outage(
    usual: str, kind: str, share: float, place: str
) -> None:
    rng = np.random.default_rng(5)
    x, planted = with_outage(background(usual, 300, rng), kind, share, place, rng)
    state = investigated(x)
    flagged = np.flatnonzero(state.consensus["labels"])  # type: ignore[index]
    rows = np.flatnonzero(planted)
    assert len(np.intersect1d(flagged, rows)) >= 0.9 * max(len(flagged), len(rows))
    told = state.analysis["consensus_analysis"]["episodes"][0]  # type: ignore[index]
    assert len(np.intersect1d(told["rows"], rows)) >= 0.9 * max(told["size"], len(rows))
    if kind == "dead":
        assert "stays at" in told["why"]
    assert state.quality["verdict"] != "low"  # type: ignore[index]


def test_a_spike_beside_a_long_outage_is_flagged_too() -> None:
    rng = np.random.default_rng(3)
    x, planted = with_outage(background("season", 400, rng), "zero", 0.1, "middle", rng)
    away = 40 if planted[:100].sum() == 0 else 350
    x[away] += 14
    labels = investigated(x).consensus["labels"]  # type: ignore[index]
    assert labels[away] == 1
    assert labels[planted == 1].all()


def test_outages_in_one_of_several_variables_are_found_in_their_own_order() -> None:
    rng = np.random.default_rng(4)
    x, planted = with_outage(background("white", 300, rng), "shifted", 0.12, "middle", rng)
    frame = daily(x).assign(other=background("memory", 300, rng))
    shuffled = frame.sample(frac=1.0, random_state=2)
    found = prepare(shuffled, data_type="time_series").outage
    assert found is not None
    assert np.mean(found == (planted[shuffled.index.to_numpy()] == 1)) > 0.98


def test_two_failures_of_one_sensor_are_both_set_apart() -> None:
    rng = np.random.default_rng(6)
    x = background("white", 400, rng)
    x[60:90], x[250:275] = x[60], x[250]
    found = set_apart(x)
    assert set(np.flatnonzero(found)) == {*range(60, 90), *range(250, 275)}
