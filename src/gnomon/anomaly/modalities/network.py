"""Reads a graph in whatever form it comes: edge lists, networkx, adjacency matrices, objects with edge_index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.frames import to_frame
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

_SOURCES = ("source", "src", "from", "u", "sender", "start", "head")
_TARGETS = ("target", "dst", "dest", "destination", "to", "v", "receiver", "end", "tail")
_WEIGHTS = ("weight", "w", "amount", "count", "value", "strength")


@dataclass
class Network:
    """A graph as numbers.

    Attributes:
        directed: One row and column per node, weights as given; repeated edges are added up.
        labels: What each node is called.
        features: One row of numbers per node, or None.
        feature_names: What these numbers are called.
    """

    directed: csr_array[Any]
    labels: list[str]
    features: np.ndarray | None
    feature_names: list[str]

    @property
    def n(self) -> int:
        """How many nodes there are."""
        return len(self.labels)

    def undirected(self) -> csr_array[Any]:
        """Both directions added up, without loops; absolute weights."""
        from scipy.sparse import csr_array, triu

        a = abs(self.directed)
        if (abs(a - a.T) > 1e-12).nnz:
            a = a + a.T
        a = csr_array(triu(a, 1))
        a = csr_array(a + a.T)
        a.eliminate_zeros()
        return a


def rewired(network: Network, rng: np.random.Generator) -> Network:
    """The same nodes with as many ties each (but for a few that would be loops or doubles), tied at random."""
    from scipy.sparse import csr_array, triu

    ties = triu(network.undirected(), 1).tocoo()
    ends = np.concatenate(ties.coords)
    rng.shuffle(ends)
    a, b = ends[: len(ties.data)], ends[len(ties.data) :]
    low, high = np.minimum(a, b), np.maximum(a, b)
    _, first = np.unique(low.astype(np.int64) * network.n + high, return_index=True)
    kept = first[low[first] != high[first]]
    weights = rng.permutation(ties.data)[kept]
    matrix = csr_array((weights, (low[kept], high[kept])), shape=(network.n, network.n))
    return Network(csr_array(matrix + matrix.T), network.labels, network.features, network.feature_names)


def read_network(graph: Any, features: Any = None) -> Network:
    """Read a graph, with node features where they are given.

    Raises:
        InvalidInput: The data cannot be read as a graph.
    """
    data: Any = graph
    if isinstance(graph, tuple) and len(graph) == 2 and features is None and _is_matrix(graph[0]):
        data, features = graph
    if isinstance(data, str | Path):
        data = to_frame(data)
    if hasattr(data, "edge_index"):
        return _from_index(
            data.edge_index,
            getattr(data, "num_nodes", None),
            _first(features, getattr(data, "x", None)),
            getattr(data, "edge_weight", None),
        )
    if isinstance(data, Mapping):
        return _from_mapping(data, features)
    if hasattr(data, "nodes") and hasattr(data, "edges"):
        return _from_networkx(data, features)
    if _is_matrix(data):
        return _from_matrix(data, features)
    if hasattr(data, "columns"):
        return _from_frame(data, features)
    if isinstance(data, Iterable):
        return _from_edges(list(data), None, features)
    raise InvalidInput(
        f"A {type(data).__name__} cannot be read as a graph.",
        suggestions=["Pass a networkx graph, a list of (source, target) pairs, or an adjacency matrix."],
    )


def _first(*options: Any) -> Any:
    return next((o for o in options if o is not None), None)


def _is_matrix(data: Any) -> bool:
    """Whether the data is a square matrix, dense or sparse."""
    shape = getattr(data, "shape", None)
    if hasattr(data, "columns") or shape is None or len(shape) != 2:
        return False
    return shape[0] == shape[1] and (shape[0] != 2 or hasattr(data, "tocsr"))


def _numbers(data: Any) -> np.ndarray:
    """An array out of whatever offers one, tensors included."""
    for name in ("detach", "cpu"):
        if hasattr(data, name):
            data = getattr(data, name)()
    return np.asarray(data)


def _build(
    rows: np.ndarray, cols: np.ndarray, weights: np.ndarray, labels: list[str], features: Any
) -> Network:
    from scipy.sparse import csr_array

    n = len(labels)
    if not n:
        raise InvalidInput("The graph has no nodes.", suggestions=["Check that the edge list is not empty."])
    weights = np.where(np.isfinite(weights), weights, 0.0)
    matrix = csr_array((weights, (rows, cols)), shape=(n, n))
    matrix.sum_duplicates()
    values, names = _features(features, labels)
    return Network(matrix, labels, values, names)


def _features(features: Any, labels: list[str]) -> tuple[np.ndarray | None, list[str]]:
    """Node features as finite numbers: categories become indicator columns, holes the median."""
    import pandas as pd

    if features is None:
        return None, []
    if isinstance(features, Mapping):
        frame = pd.DataFrame.from_dict({str(k): v for k, v in features.items()}, orient="index")
        frame = frame.reindex(labels)
    elif isinstance(features, pd.DataFrame):
        frame = features.reset_index(drop=True)
    else:
        array = _numbers(features)
        array = array.reshape(len(array), -1)
        frame = pd.DataFrame(array, columns=[f"feature {i}" for i in range(array.shape[1])])
    if len(frame) != len(labels):
        raise InvalidInput(
            f"There are {len(frame)} rows of node features for {len(labels)} nodes; they must match."
        )
    words = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    few = [c for c in words if frame[c].nunique() <= 50]
    frame = pd.get_dummies(frame.drop(columns=[c for c in words if c not in few]), columns=few, dtype=float)
    values = frame.to_numpy(dtype=float, na_value=np.nan)
    values = np.where(np.isfinite(values), values, np.nan)
    with np.errstate(all="ignore"):
        middle = np.array([np.median(c[np.isfinite(c)]) if np.isfinite(c).any() else 0.0 for c in values.T])
    values = np.where(np.isnan(values), middle, values) if values.size else values
    return (values, [str(c) for c in frame.columns]) if values.shape[1] else (None, [])


def _from_edges(edges: list[Any], nodes: Iterable[Any] | None, features: Any) -> Network:
    labels: dict[Any, int] = {}
    for node in nodes or ():
        labels.setdefault(node, len(labels))
    rows, cols, weights = [], [], []
    for edge in edges:
        if isinstance(edge, str) or not hasattr(edge, "__len__") or not 2 <= len(edge) <= 3:
            raise InvalidInput(
                f"An edge is (source, target) or (source, target, weight); got {edge!r}.",
                suggestions=["Pass a list of pairs."],
            )
        source, target = _plain(edge[0]), _plain(edge[1])
        rows.append(labels.setdefault(source, len(labels)))
        cols.append(labels.setdefault(target, len(labels)))
        weights.append(_weight(edge[2]) if len(edge) == 3 else 1.0)
    return _ordered(rows, cols, weights, labels, features, sort=nodes is None)


def _plain(node: Any) -> Any:
    return node.item() if isinstance(node, np.generic) else node


def _weight(value: Any) -> float:
    if isinstance(value, Mapping):
        value = value.get("weight", 1.0)
    return float(value)


def _ordered(
    rows: list[int],
    cols: list[int],
    weights: list[float],
    labels: dict[Any, int],
    features: Any,
    *,
    sort: bool,
) -> Network:
    """Nodes in their natural order where they are all whole numbers, else in order of appearance."""
    names = list(labels)
    if sort and names and all(isinstance(v, int) and v >= 0 for v in names):
        count = max(names) + 1
        if features is not None and not isinstance(features, Mapping):
            count = max(count, len(features))
        if count <= 2 * len(names) + 10 and features is not None:
            places = np.array(names)
            return _build(
                places[rows], places[cols], np.array(weights), [str(i) for i in range(count)], features
            )
        rank = np.empty(len(names), dtype=int)
        order = sorted(range(len(names)), key=lambda i: names[i])
        rank[order] = np.arange(len(names))
        return _build(rank[rows], rank[cols], np.array(weights), [str(names[i]) for i in order], features)
    return _build(
        np.array(rows, dtype=int),
        np.array(cols, dtype=int),
        np.array(weights, dtype=float),
        [str(v) for v in names],
        features,
    )


def _from_mapping(data: Mapping[Any, Any], features: Any) -> Network:
    features = _first(features, data.get("features"), data.get("node_features"), data.get("x"))
    if "edge_index" in data:
        return _from_index(
            data["edge_index"],
            data.get("num_nodes"),
            features,
            _first(data.get("edge_weight"), data.get("weights")),
        )
    for key in ("adjacency", "adj", "matrix"):
        if key in data:
            return _from_matrix(data[key], features)
    if "edges" not in data and "links" not in data:
        raise InvalidInput(
            "A dictionary that describes a graph needs the key 'edges', 'edge_index' or 'adjacency'.",
            suggestions=["Pass {'edges': [(source, target), …]}."],
        )
    edges = data["edges"] if "edges" in data else data["links"]
    if hasattr(edges, "columns"):
        return _from_frame(edges, features)
    nodes = data.get("nodes")
    if isinstance(nodes, int):
        nodes = range(nodes)
    return _from_edges(list(edges), nodes, features)


def _from_index(index: Any, count: Any, features: Any, weights: Any) -> Network:
    pairs = _numbers(index)
    if pairs.ndim != 2 or 2 not in pairs.shape:
        raise InvalidInput(f"edge_index must have the shape (2, edges); got {pairs.shape}.")
    pairs = (pairs if pairs.shape[0] == 2 else pairs.T).astype(int)
    n = max(int(pairs.max(initial=-1)) + 1, int(count or 0), 0 if features is None else len(features))
    w = np.ones(pairs.shape[1]) if weights is None else _numbers(weights).astype(float).ravel()
    return _build(pairs[0], pairs[1], w, [str(i) for i in range(n)], features)


def _from_networkx(graph: Any, features: Any) -> Network:
    nodes = list(graph.nodes)
    if features is None:
        attributes = {str(n): dict(d) for n, d in graph.nodes(data=True)}
        simple = {
            n: {k: v for k, v in d.items() if isinstance(v, (int, float, str, bool, np.generic))}
            for n, d in attributes.items()
        }
        features = simple if any(simple.values()) else None
    place = {n: i for i, n in enumerate(nodes)}
    edges = list(graph.edges(data="weight", default=1.0))
    rows = np.array([place[u] for u, _, _ in edges], dtype=int)
    cols = np.array([place[v] for _, v, _ in edges], dtype=int)
    weights = np.array([w for _, _, w in edges], dtype=float)
    return _build(rows, cols, weights, [str(n) for n in nodes], features)


def _from_matrix(data: Any, features: Any) -> Network:
    from scipy.sparse import coo_array

    matrix = coo_array(data)
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(f"An adjacency matrix is square; got {matrix.shape[0]} × {matrix.shape[1]}.")
    rows, cols = matrix.coords
    return _build(rows, cols, matrix.data.astype(float), [str(i) for i in range(matrix.shape[0])], features)


def _from_frame(frame: pd.DataFrame, features: Any) -> Network:
    """An edge table: named source and target columns, else the first two."""
    by_name = {str(c).casefold(): c for c in frame.columns}
    source = next((by_name[k] for k in _SOURCES if k in by_name), None)
    target = next((by_name[k] for k in _TARGETS if k in by_name), None)
    if source is None or target is None:
        if len(frame.columns) < 2:
            raise InvalidInput("A table of edges needs a source and a target column.")
        source, target = frame.columns[0], frame.columns[1]
    weight = next((by_name[k] for k in _WEIGHTS if k in by_name and by_name[k] not in (source, target)), None)
    parts = [frame[source].tolist(), frame[target].tolist()]
    if weight is not None:
        parts.append(frame[weight].tolist())
    return _from_edges(list(zip(*parts, strict=True)), None, features)
