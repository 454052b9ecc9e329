"""Texts, images and graphs: clean ones mostly end with nothing beyond chance, planted ones do not."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import planted_images
import planted_texts
import pytest
from planted_graphs import plant, plant_one

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities.network import read_network, rewired

WORDS = [
    "the",
    "order",
    "arrived",
    "late",
    "and",
    "box",
    "was",
    "damaged",
    "but",
    "support",
    "answered",
    "quickly",
    "with",
    "refund",
    "great",
    "quality",
    "nice",
    "colour",
    "works",
    "well",
    "would",
    "buy",
    "again",
    "price",
    "fair",
    "delivery",
    "fast",
]
ODD = "quantum chromodynamics describes gluon exchange between colour charged quarks in hadrons"


def texts(seed: int, odd: int) -> Any:
    rng = np.random.default_rng(seed)
    made = [" ".join(rng.choice(WORDS, int(rng.integers(6, 14)))) for _ in range(200)]
    return [ODD] * odd + made[odd:]


def alike(seed: int, odd: int) -> Any:
    """Notices that differ in two numbers only."""
    rng = np.random.default_rng(seed)
    made = [
        f"Order {int(rng.integers(1000, 9999))} was delivered on day {int(rng.integers(1, 29))}."
        for _ in range(200)
    ]
    return [ODD] * odd + made[odd:]


def images(seed: int, odd: int) -> Any:
    rng = np.random.default_rng(seed)
    made = 0.5 + 0.1 * rng.standard_normal((150, 16, 16)) + rng.uniform(-0.1, 0.1, (150, 1, 1))
    made[:odd] += 0.5 * (np.indices((16, 16)).sum(axis=0) % 2)
    return np.clip(made, 0, 1)


def graph(seed: int, odd: int) -> Any:
    """Ties at random, and a group in which everyone knows everyone."""
    rng = np.random.default_rng(seed)
    ties = {tuple(sorted(rng.choice(400, 2, replace=False).tolist())) for _ in range(800)}
    ties |= {(a, b) for a in range(odd) for b in range(a + 1, odd)}
    return {"edges": sorted(ties), "nodes": 400}


MAKERS = {"text": (texts, 4), "alike": (alike, 4), "image": (images, 4), "graph": (graph, 12)}


def investigated(kind: str, seed: int, odd: int) -> Any:
    data_type = "text" if kind == "alike" else kind
    return ADEngine(random_state=0).investigate(MAKERS[kind][0](seed, odd), data_type=data_type)


@pytest.mark.long
@pytest.mark.parametrize("kind", MAKERS)
def test_clean_items_mostly_end_with_nothing_beyond_chance(kind: str) -> None:
    states = [investigated(kind, seed, 0) for seed in range(5)]
    assert sum(not s.quality["significant"] for s in states) >= 4
    assert sum(int(s.consensus["labels"].sum()) == 0 for s in states) >= 4


@pytest.mark.long
@pytest.mark.parametrize("kind", MAKERS)
def test_planted_items_are_beyond_chance_and_flagged(kind: str) -> None:
    odd = MAKERS[kind][1]
    state = investigated(kind, 1, odd)
    flagged = np.flatnonzero(state.consensus["labels"])
    assert state.quality["significance"] < 0.01
    assert np.isin(np.arange(odd), flagged).mean() >= 0.75
    assert len(flagged) <= 3 * odd


@pytest.mark.long
@pytest.mark.parametrize("kind", ["foreign", "spam"])
def test_one_odd_text_among_reviews_is_flagged(kind: str) -> None:
    made, planted = planted_texts.plant(kind, 1, 150, 1)
    state = ADEngine(random_state=0).investigate(made, data_type="text")
    assert state.quality["significant"] and int(state.consensus["labels"].sum()) <= 3
    assert state.consensus["labels"][int(np.argmax(planted))] == 1


@pytest.mark.long
@pytest.mark.parametrize("kind", ["noise", "blur"])
def test_one_odd_image_among_discs_is_flagged(kind: str) -> None:
    made, planted = planted_images.plant(kind, 2, 150, 1)
    state = ADEngine(random_state=0).investigate(made, data_type="image")
    assert state.quality["significant"] and int(state.consensus["labels"].sum()) <= 3
    assert state.consensus["labels"][int(np.argmax(planted))] == 1


@pytest.mark.long
@pytest.mark.parametrize("kind", ["text", "image"])
def test_reviews_and_discs_alone_end_with_nothing_flagged(kind: str) -> None:
    made, _ = (planted_texts if kind == "text" else planted_images).plant("none", 4, 150, 0)
    state = ADEngine(random_state=0).investigate(made, data_type=kind)
    assert not state.quality["significant"] and int(state.consensus["labels"].sum()) == 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["stars", "bridges"])
def test_nodes_whose_ties_reach_too_far_are_beyond_chance(kind: str) -> None:
    made, _, planted = plant(kind, 70)
    state = ADEngine(random_state=0).investigate(made)
    flagged = state.consensus["labels"].astype(bool)
    assert state.quality["significance"] < 0.02
    assert planted[flagged].mean() > 0.6


@pytest.mark.long
@pytest.mark.parametrize(("kind", "beside"), [("star", 1), ("attribute", 1), ("clique", 16)])
def test_one_odd_node_is_flagged_first(kind: str, beside: int) -> None:
    made, at = plant_one(kind, 11)
    state = ADEngine(random_state=0).investigate(made, data_type="graph")
    assert state.consensus is not None and state.quality is not None
    assert int(np.argmax(state.consensus["scores"])) == at
    assert state.consensus["labels"][at] == 1 and state.consensus["labels"].sum() <= beside
    assert state.quality["significance"] < 0.05  # type: ignore[typeddict-item]


@pytest.mark.long
def test_groups_that_hold_what_their_members_do_end_with_nothing_flagged() -> None:
    state = ADEngine(random_state=0).investigate(plant_one("none", 1)[0], data_type="graph")
    assert state.consensus is not None and state.consensus["labels"].sum() == 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["off topic", "gibberish", "damaged"])
def test_one_odd_text_of_any_kind_is_flagged(kind: str) -> None:
    made, planted = planted_texts.plant(kind, 5, 150, 1)
    state = ADEngine(random_state=0).investigate(made, data_type="text")
    assert state.consensus is not None
    assert np.flatnonzero(state.consensus["labels"]).tolist() == [int(np.argmax(planted))]


@pytest.mark.long
def test_hubs_of_a_graph_that_grows_by_preference_are_ordinary() -> None:
    states = [
        ADEngine(random_state=0).investigate(nx.barabasi_albert_graph(600, 4, seed=s)) for s in range(3)
    ]
    assert [int(s.consensus["labels"].sum()) for s in states] == [0, 0, 0]


@pytest.mark.long
def test_ties_at_random_leave_every_node_about_as_many() -> None:
    network = read_network(graph(0, 12))
    drawn = rewired(network, np.random.default_rng(0))
    before, after = (np.diff(x.undirected().indptr) for x in (network, drawn))
    assert (after <= before).all()
    assert after.sum() > 0.97 * before.sum()
    assert (drawn.undirected() != network.undirected()).nnz > 0.5 * network.undirected().nnz
