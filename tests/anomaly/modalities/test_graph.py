"""Graphs: planted nodes are found; every way to give a graph gives the same measures."""

from __future__ import annotations

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from planted_graphs import plant
from ranking import precision

from gnomon.anomaly.modalities import prepare
from gnomon.anomaly.modalities.network import read_network
from gnomon.anomaly.modalities.node_features import core_numbers, edge_support, pagerank
from gnomon.core.errors import InvalidInput


@pytest.mark.long
@pytest.mark.parametrize("kind", ["stars", "clique", "bridges", "features"])
def test_planted_nodes_are_found(kind: str) -> None:
    found: list[float] = []
    for seed in (21, 22, 23):
        graph, features, planted = plant(kind, seed)
        found.append(precision(prepare(graph, features=features).matrix, planted))
    assert min(found) > 0.1, f"{kind}: ten times a random ranking is 0.1; got {found}"
    assert np.mean(found) > 0.4, f"{kind}: {found}"


def test_structural_measures_agree_with_networkx() -> None:
    graph = nx.powerlaw_cluster_graph(150, 4, 0.5, seed=3)
    pattern = read_network(graph).undirected()
    triangles = np.asarray(edge_support(pattern).sum(axis=1)).ravel() / 2
    assert triangles.tolist() == list(nx.triangles(graph).values())
    assert core_numbers(pattern).tolist() == list(nx.core_number(graph).values())
    expected = np.array(list(nx.pagerank(graph, tol=1e-10).values())) * 150
    assert np.allclose(pagerank(pattern), expected, rtol=1e-3)


def test_every_form_of_a_graph_gives_the_same_matrix() -> None:
    graph = nx.karate_club_graph()
    for _, _, data in graph.edges(data=True):
        data.clear()
    for _, data in graph.nodes(data=True):
        data.clear()
    pairs = list(graph.edges())
    dense = nx.to_numpy_array(graph)
    index = np.array(pairs).T
    forms = {
        "pairs": (pairs, "graph"),
        "table": (pd.DataFrame(pairs, columns=["source", "target"]), "graph"),
        "dense": (dense, "graph"),
        "sparse": (nx.to_scipy_sparse_array(graph), None),
        "dictionary": ({"edges": pairs}, None),
        "edge index": (SimpleNamespace(edge_index=index, num_nodes=34, x=None), None),
    }
    expected = prepare(graph).matrix
    for name, (data, kind) in forms.items():
        assert np.allclose(prepare(data, kind).matrix, expected), name


def test_nodes_keep_their_names_and_their_attributes() -> None:
    graph = nx.Graph()
    graph.add_edges_from([("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dee")])
    nx.set_node_attributes(graph, {"ann": 1.0, "bob": 2.0, "cid": 3.0, "dee": 4.0}, "age")
    prepared = prepare(graph)
    assert prepared.labels == ("ann", "bob", "cid", "dee")
    assert prepared.raw is not None
    assert prepared.raw["degree"].tolist() == [2, 2, 3, 1]
    assert prepared.raw["triangles"].tolist() == [1, 1, 1, 0]
    assert "features unlike the neighbours'" in prepared.columns


def test_one_very_heavy_tie_stands_out() -> None:
    graph, _, _ = plant("none", 5)
    rng = np.random.default_rng(0)
    edges = [(u, v, float(rng.uniform(1, 3))) for u, v in graph.edges()]
    u, v, _ = edges[500]
    edges[500] = (u, v, 90.0)
    prepared = prepare({"edges": edges})
    column = prepared.columns.index("one dominating tie")
    assert set(np.argsort(-prepared.matrix[:, column])[:2]) == {u, v}


def test_a_new_graph_is_measured_with_what_was_learned() -> None:
    graph, _, _ = plant("none", 6)
    prepared = prepare(graph)
    assert np.allclose(prepared.transform(graph), prepared.matrix)
    changed = graph.copy()
    changed.add_edges_from((7, u) for u in range(100, 200))
    assert int(np.argmax(prepared.transform(changed)[:, 0])) == 7


@pytest.mark.parametrize("data", [{"nodes": [1]}, {"edges": [(1, 2, 3, 4)]}, {"edges": []}])
def test_what_is_not_a_graph_is_refused(data: object) -> None:
    with pytest.raises(InvalidInput):
        prepare(data, data_type="graph")


def test_nodes_without_neighbours_are_not_odd_for_lack_of_them() -> None:
    rng = np.random.default_rng(0)
    ties = {tuple(sorted(rng.choice(400, 2, replace=False).tolist())) for _ in range(800)}
    prepared = prepare({"edges": sorted(ties), "nodes": 400}, "graph")
    degree = np.bincount(np.array(sorted(ties)).ravel(), minlength=400)
    near = prepared.matrix[:, prepared.columns.index("neighbours of unusual degree")]
    assert (degree == 0).sum() >= 3
    assert (near[degree == 0] == 0).all()
    assert near[degree > 0].max() > 1
