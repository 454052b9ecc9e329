"""A hub among nodes of about equal degree is called so; hubs that a graph grows by itself are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities.degrees import degree_look

EVEN: dict[str, Callable[[int], Any]] = {
    "ties at random": lambda s: nx.gnm_random_graph(400, 1600, seed=s),
    "small world": lambda s: nx.watts_strogatz_graph(400, 8, 0.1, seed=s),
    "groups": lambda s: nx.planted_partition_graph(4, 100, 0.07, 0.004, seed=s),
    "all equal": lambda s: nx.random_regular_graph(8, 400, seed=s),
}
GROWN: dict[str, Callable[[int], Any]] = {
    "by preference": lambda s: nx.barabasi_albert_graph(400, 4, seed=s),
    "by preference in triangles": lambda s: nx.powerlaw_cluster_graph(400, 4, 0.3, seed=s),
}


def degrees(graph: Any) -> np.ndarray:
    return np.array([d for _, d in graph.degree()])


def p_of(degree: np.ndarray) -> float:
    return next(iter(degree_look(degree).p.values()))


@pytest.mark.parametrize("kind", [*EVEN, *GROWN])
def test_degrees_of_clean_graphs_are_within_their_own_tail(kind: str) -> None:
    make = {**EVEN, **GROWN}[kind]
    assert np.mean([p_of(degrees(make(s))) <= 0.05 for s in range(20)]) <= 0.05


@pytest.mark.parametrize("kind", EVEN)
@pytest.mark.parametrize("hubs", [1, 3])
def test_hubs_among_even_degrees_are_beyond_chance_each(kind: str, hubs: int) -> None:
    for seed in range(5):
        degree = degrees(EVEN[kind](seed))
        degree[:hubs] = 108
        look = degree_look(degree)
        assert look.together < 0.02 and look.rows == hubs


@pytest.mark.parametrize("seed", range(3))
def test_a_hub_is_flagged_first_and_alone(seed: int) -> None:
    graph = EVEN["ties at random"](seed)
    rng = np.random.default_rng(seed)
    hub = int(rng.integers(400))
    graph.add_edges_from((hub, int(v)) for v in rng.choice(400, 108, replace=False) if v != hub)
    state = ADEngine(random_state=0).investigate(graph)
    assert state.consensus is not None and state.quality is not None
    assert state.quality["significance"] < 0.05
    assert np.flatnonzero(state.consensus["labels"]).tolist() == [hub]


@pytest.mark.parametrize("n", [0, 1, 2, 39, 40])
def test_few_nodes_say_nothing(n: int) -> None:
    assert p_of(np.full(n, 3)) == 1.0 if n < 40 else p_of(np.full(n, 3)) > 0.5
