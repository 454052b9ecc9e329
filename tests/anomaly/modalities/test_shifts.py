"""A level that changes and stays is told once: when it began, from which level to which."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from planted_outages import MOVING, USUAL, background, daily, with_outage, with_shift

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.prepared import Shift
from gnomon.anomaly.state import InvestigationState


def shifts(x: np.ndarray) -> tuple[Shift, ...]:
    return (prepare(daily(x)).shifts or {}).get("load", ())


def investigated(x: np.ndarray) -> InvestigationState:
    state = ADEngine(random_state=0).investigate(daily(x))
    assert state.consensus is not None and state.quality is not None and state.analysis is not None
    return state


@pytest.mark.long
def test_lasting_shifts_are_found_where_they_begin_with_their_levels() -> None:
    told, planted = 0, 0
    for k, (usual, height, n) in enumerate(product(USUAL, (4.0, 7.0), (120, 300, 800))):
        rng = np.random.default_rng([k, 21])
        x, at = with_shift(background(usual, n, rng), height, rng)
        found = shifts(x)
        planted += 1
        if len(found) == 1 and abs(found[0].row - at) <= 3:
            told += 1
            step = float(np.median(x[at : at + n // 8]) - np.median(x[at - n // 8 : at]))
            assert found[0].after - found[0].before == pytest.approx(step, abs=1.0)
    assert told / planted > 0.85


@pytest.mark.long
@pytest.mark.parametrize("kind", [*USUAL, *MOVING])
def test_drift_season_memory_and_noise_are_no_shifts(kind: str) -> None:
    wrong = [
        bool(shifts(background(kind, n, np.random.default_rng([k, n, 22]))))
        for k, n in product(range(12), (60, 120, 300))
    ]
    assert np.mean(wrong) <= 0.03


@pytest.mark.parametrize(
    ("usual", "height"), [("white", 4.0), ("season", 5.0), ("trend", 7.0), ("memory", 7.0)]
)
def test_an_investigation_tells_a_shift_as_one_episode_in_units_of_the_data(
    usual: str, height: float
) -> None:
    rng = np.random.default_rng([int(height), 23])
    x, at = with_shift(background(usual, 300, rng), height, rng)
    state = investigated(x)
    (episode,) = state.analysis["consensus_analysis"]["episodes"]  # type: ignore[index]
    assert abs(episode["index"] - at) <= 2
    assert episode["when"].startswith("since ")
    before, after = (float(v) for v in re.findall(r"about (-?[\d.]+)", episode["why"]))
    assert before == pytest.approx(float(np.median(x[at - 37 : at])), abs=0.6)
    assert after == pytest.approx(float(np.median(x[at : at + 37])), abs=0.6)
    assert state.consensus["labels"].sum() == 1  # type: ignore[index]
    assert state.quality["verdict"] != "low"  # type: ignore[index]


def test_a_level_that_ends_after_a_long_time_is_told_from_when_to_when() -> None:
    x = background("white", 400, np.random.default_rng(24))
    x[120:270] += 6
    found = sorted(investigated(x).analysis["consensus_analysis"]["episodes"], key=lambda e: e["index"])  # type: ignore[index]
    assert [e["index"] for e in found] == [120, 270]
    assert "went up" in found[0]["why"] and " – " in found[0]["when"]
    assert "went down" in found[1]["why"] and found[1]["when"].startswith("since ")


def test_what_stands_out_beside_a_shift_is_judged_on_its_own_level() -> None:
    rng = np.random.default_rng(25)
    x, at = with_shift(background("season", 400, rng), 8.0, rng)
    x[at + 40] += 13
    x[at - 40] -= 13
    labels = investigated(x).consensus["labels"]  # type: ignore[index]
    assert set(np.flatnonzero(labels)) == {at - 40, at, at + 40}


def test_an_outage_on_the_new_level_is_told_too() -> None:
    rng = np.random.default_rng(26)
    x, planted = with_outage(background("white", 400, rng), "zero", 0.06, "end", rng)
    x[150:] += np.where(planted[150:] == 1, 0.0, 7.0)
    labels = investigated(x).consensus["labels"]  # type: ignore[index]
    assert labels[planted == 1].all() and labels[150] == 1
    assert labels.sum() <= planted.sum() + 2


def test_readings_that_come_later_are_judged_on_the_level_that_holds() -> None:
    rng = np.random.default_rng(27)
    x = background("white", 330, rng)
    x[160:] += 7
    frame = daily(x)
    engine = ADEngine(random_state=0)
    state = engine.investigate(frame[:300])
    assert engine.score(state, frame[300:])["n_anomalies"] <= 1
    fallen = frame[300:].assign(load=frame["load"][300:] - 7)
    assert engine.score(state, fallen)["n_anomalies"] >= 4
