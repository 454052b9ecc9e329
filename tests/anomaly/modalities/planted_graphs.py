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


def plant_one(kind: str, seed: int) -> tuple[nx.Graph, int | None]:
    """The same groups with one odd node, told by its ties or by what it holds; none for ``none``."""
    rng = np.random.default_rng(seed)
    n = GROUPS * SIZE
    graph, at = communities(rng), int(rng.integers(n))
    others = [int(u) for u in rng.permutation(n) if u != at]
    if kind == "star":
        graph.add_edges_from((at, u) for u in others[:60])
    elif kind == "bridge":
        graph.remove_edges_from(list(graph.edges(at)))
        graph.add_edges_from((at, u) for u in others[:25])
    elif kind == "clique":  # one whose friends all know each other
        friends = others[:14]
        graph.remove_edges_from(list(graph.edges(at)))
        graph.add_edges_from((u, v) for u in [at, *friends] for v in friends if u < v or u == at)
    if kind in ("attribute", "features", "none"):
        group = np.arange(n) // SIZE
        centres = rng.normal(0, 2, (GROUPS, 4))
        held = centres[group] + rng.normal(0, 1, (n, 4))
        if kind == "attribute":
            held[at, 0] += 12
        elif kind == "features":
            held[at] = 2 * centres[(group[at] + 2) % GROUPS] - held[at]
        for j in range(4):
            nx.set_node_attributes(graph, dict(enumerate(held[:, j].tolist())), f"f{j}")
    return graph, None if kind == "none" else at
