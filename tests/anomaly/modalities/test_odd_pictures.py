"""One picture that is odd by its shape or its colour is found among others; pictures that are alike are not."""

from __future__ import annotations

import numpy as np
import pytest
from planted_pictures import COLOURS, SHAPES, picture, pictures

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities import objects, prepare
from gnomon.anomaly.modalities.aspects import stands_alone


@pytest.mark.long
@pytest.mark.parametrize(("odd", "n"), [("shape", 40), ("colour", 40), ("shape", 90), ("colour", 90)])
def test_the_odd_picture_comes_first_and_is_flagged(odd: str, n: int) -> None:
    made, at = pictures(odd, n, 1)
    state = ADEngine(random_state=0).investigate(made, data_type="image")
    assert state.consensus is not None and state.quality is not None and "significance" in state.quality
    assert int(np.argmax(state.consensus["scores"])) == at
    assert state.consensus["labels"][at] == 1
    assert state.consensus["labels"].sum() <= 2
    assert state.quality["significance"] <= 0.05


@pytest.mark.long
def test_odd_pictures_stand_alone_and_alike_ones_do_not() -> None:
    """What the verdict rests on, over more sets than whole investigations have time for."""
    seen = {
        odd: [
            stands_alone(prepare(pictures(odd, n, seed)[0]).matrix[:, :-2])
            for n in (30, 50)
            for seed in range(3)
        ]
        for odd in ("shape", "colour", None)
    }
    assert np.mean(np.array(seen["shape"] + seen["colour"]) < 0.006) >= 0.8
    assert min(seen[None]) > 0.006


@pytest.mark.long
def test_alike_pictures_end_with_nothing_flagged() -> None:
    for seed in (2, 3):
        state = ADEngine(random_state=0).investigate(pictures(None, 60, seed)[0], data_type="image")
        assert state.consensus is not None
        assert state.consensus["labels"].sum() == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_an_outline_stays_where_the_thing_moves_turns_and_changes_colour(shape: str) -> None:
    rng = np.random.default_rng(SHAPES.index(shape))
    drawn = np.stack([picture(rng, shape, COLOURS[k]) for k in (0, 1, 5) for _ in range(6)]) / 255.0
    others = np.stack([picture(rng, s, COLOURS[1]) for s in SHAPES if s != shape]) / 255.0
    own, foreign = objects.outline(drawn)[:, 1:], objects.outline(others)[:, 1:]
    away = np.linalg.norm(own - own.mean(axis=0), axis=1).max()
    assert np.linalg.norm(foreign - own.mean(axis=0), axis=1).min() > away


def test_departures_of_a_few_heights_have_no_gap_to_speak_of() -> None:
    steps = np.repeat([0.7, 3.0], [99, 1])[:, None] * 10
    assert stands_alone(steps) == 1.0
    rng = np.random.default_rng(0)
    clean = [stands_alone(rng.exponential(1.0, (80, 8))) for _ in range(200)]
    assert np.mean(np.array(clean) < 0.05) <= 0.07
