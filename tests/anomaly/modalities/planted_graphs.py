"""Graphs with planted anomalies: 1 marks the nodes that were planted."""

from __future__ import annotations

import networkx as nx
import numpy as np

GROUPS, SIZE = 5, 200


def communities(rng: np.random.Generator) -> nx.Graph:
    """Five groups with about twelve ties inside and two across for each node."""
    odds = np.full((GROUPS, GROUPS), 0.0025) + np.eye(GROUPS) * 0.06
    made = nx.stochastic_block_model([SIZE] * GROUPS, odds.tolist(), seed=int(rng.integers(1 << 30)))
    graph = nx.Graph()
    graph.add_nodes_from(range(GROUPS * SIZE))
    graph.add_edges_from(made.edges())
    return graph


def plant(kind: str, seed: int) -> tuple[nx.Graph, np.ndarray | None, np.ndarray]:
    """A graph, its node features if any, and where anomalies were planted."""
    rng = np.random.default_rng(seed)
    n = GROUPS * SIZE
    graph, planted = communities(rng), np.zeros(n, dtype=int)
    nodes = rng.choice(n, 10, replace=False)
    planted[nodes] = 1
    features = None
    for v in nodes:
        others = [int(u) for u in rng.choice(n, 60, replace=False) if u != v]
        if kind == "stars":
            graph.add_edges_from((int(v), u) for u in others[:40])
        elif kind == "bridges":
            graph.remove_edges_from(list(graph.edges(v)))
            graph.add_edges_from((int(v), u) for u in others[:20])
    if kind == "clique":
        graph.add_edges_from((int(u), int(v)) for u in nodes for v in nodes if u < v)
    if kind == "features":
        group = np.arange(n) // SIZE
        centres = rng.normal(0, 2, (GROUPS, 8))
        features = centres[group] + rng.normal(0, 1, (n, 8))
        moved = (group[nodes] + rng.integers(1, GROUPS, len(nodes))) % GROUPS
        features[nodes] = centres[moved] + rng.normal(0, 1, (len(nodes), 8))
    return graph, features, planted
