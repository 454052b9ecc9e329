"""Prepares a graph: one row per node, one column per way in which its surroundings can be unusual."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.evidence import MODELS, SIGNIFICANT
from gnomon.anomaly.modalities.aspects import compared, once, stands_alone, with_ends
from gnomon.anomaly.modalities.degrees import degree_look
from gnomon.anomaly.modalities.departure import SEED, SUMMARY, Neighbourhood, Scale, spread, with_summary
from gnomon.anomaly.modalities.network import Network, read_network, rewired
from gnomon.anomaly.modalities.node_features import (
    core_numbers,
    edge_support,
    neighbour_mean,
    pagerank,
    places,
)
from gnomon.anomaly.modalities.surrogates import surrogate_items
from gnomon.anomaly.prepared import Looks, Prepared, Transformation
from gnomon.anomaly.scaling import bulk_axes
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

    from gnomon.anomaly.ends import Far

_ELSEWHERE = 30
_ROUND = 100
_FEWEST = 50
_MOST_TIES = 50_000


def prepare_graph(data: Any, *, features: Any = None) -> Prepared:
    """Turn a graph into departures of each node from what is usual in it.

    Args:
        data: A networkx graph, a list or table of edges, an adjacency matrix (dense or sparse), a
            dictionary with ``edges``, or an object with ``edge_index``.
        features: Numbers (or categories) per node: an array, a frame, or a dictionary by node.
    """
    network = read_network(data, features)
    model = _Model(has_features=network.features is not None)
    matrix, raw = model.measure(network, learn=True)

    def transform(new: Any) -> np.ndarray:
        return model.measure(read_network(new), learn=False)[0]

    edges = network.undirected().nnz // 2
    log = (
        Transformation(
            "describe",
            (),
            f"{network.n} nodes and {edges} edges became {matrix.shape[1]} structural measures per node.",
        ),
    )
    return Prepared(
        data_type="graph",
        matrix=matrix,
        columns=tuple(model.columns),
        origins=tuple(model.origins),
        raw=raw,
        labels=tuple(network.labels),
        log=log,
        transform=transform,
        surrogate=surrogate_items(matrix),
        looks=once(lambda: model.looks(network, matrix)) if _FEWEST <= edges <= _MOST_TIES else None,
    )


@dataclass
class _Line:
    """A robust straight line and the spread around it: what is usual given something else."""

    slope: float
    intercept: float
    width: float

    @classmethod
    def through(cls, x: np.ndarray, y: np.ndarray) -> _Line:
        low, high = np.quantile(x, 0.1), np.quantile(x, 0.9)
        if high - low < 1e-9:
            return cls(0.0, float(np.median(y)), float(spread(y)))
        inside = (x >= low) & (x <= high)
        bounded = np.clip(y, *np.quantile(y, (0.02, 0.98)))
        slope = float(np.polyfit(x[inside], bounded[inside], 1)[0])
        intercept = float(np.median(y - slope * x))
        return cls(slope, intercept, float(spread(y - slope * x - intercept)))

    def z(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (y - self.slope * x - self.intercept) / self.width


@dataclass
class _Model:
    """What is usual among the nodes of the graph that was learned from."""

    has_features: bool
    lines: dict[str, _Line] = field(default_factory=dict)
    scales: dict[str, Scale] = field(default_factory=dict)
    likeness: Neighbourhood = field(default_factory=Neighbourhood)
    feature_scale: Scale | None = None
    weighted: bool = False
    usual_spread: float = 0.0
    columns: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)

    def measure(self, network: Network, *, learn: bool) -> tuple[np.ndarray, pd.DataFrame]:
        """Departures per node and the measures behind them."""
        import pandas as pd

        weights = network.undirected()
        pattern = weights.copy()
        pattern.data = np.ones_like(pattern.data)
        if learn:
            self.weighted = bool(np.ptp(weights.data) > 1e-12) if weights.nnz else False
        raw = _structure(network, pattern, weights)
        out = self._structural(raw, learn)
        if self.has_features:
            out |= self._attributes(network, pattern, raw, learn)
        if learn:
            self.columns = [*out, *SUMMARY]
            self.origins = [_ORIGINS.get(c, "features") for c in out] + ["all measures"] * len(SUMMARY)
        return with_summary(np.column_stack(list(out.values()))), pd.DataFrame(raw)

    def looks(self, network: Network, matrix: np.ndarray) -> Looks:
        """What ties say against the same graph with its ties at random, and every measure against its other values."""
        rng = np.random.default_rng(SEED)
        drawn = [self.measure(rewired(network, rng), learn=False)[0] for _ in range(MODELS)]
        tied = [i for i, c in enumerate(self.columns) if c in _TIES]
        null = np.concatenate(drawn)
        ties = compared(
            {self.columns[i]: matrix[:, i] for i in tied},
            {self.columns[i]: null[:, i] for i in tied},
            reach=1,
        )
        own = degree_look(np.diff(network.undirected().indptr))
        many = {**ties.p, **own.p, "alone, with nothing near it": stands_alone(matrix[:, :-2])}
        rows = own.rows if len(many) * own.together <= SIGNIFICANT else 0
        if network.features is not None:
            held = _held(network, network.features)
            many["holds what nobody around it does"] = held.p
            rows = max(rows, len(held.rows) if len(many) * held.p <= SIGNIFICANT else 0)
        return with_ends(Looks(many, max(1, ties.rows, rows)), matrix)

    def _structural(self, raw: dict[str, np.ndarray], learn: bool) -> dict[str, np.ndarray]:
        size = np.log1p(raw["degree"])
        ego = np.log1p(raw["degree"] + raw["triangles"])
        out = {
            "number of neighbours": self._scaled("degree", size, learn),
            "neighbours tied to each other": self._given("density", size, ego, learn, sign=1),
            "part of a dense core": self._scaled("core", np.log1p(raw["core"]), learn, up=True),
            # Who has no neighbours has none of unusual degree.
            "neighbours of unusual degree": np.where(
                raw["degree"] > 0, self._given("near", size, np.log1p(raw["neighbour degree"]), learn), 0.0
            ),
            "ties between groups": self._scaled("bridge", self._bridging(raw, learn), learn, up=True),
            "ties without common neighbours": self._given(
                "open", size, np.log1p(raw["open ties"]), learn, sign=1
            ),
        }
        if self.weighted:
            edges = np.log1p(raw["degree"])
            out["strength given the number of ties"] = self._given(
                "strength", edges, np.log1p(raw["strength"]), learn
            )
            out["one dominating tie"] = self._scaled(
                "heaviest", np.log1p(raw["heaviest tie"]), learn, up=True
            )
        return out

    def _attributes(
        self, network: Network, pattern: csr_array[Any], raw: dict[str, np.ndarray], learn: bool
    ) -> dict[str, np.ndarray]:
        if network.features is None:
            raise InvalidInput("The first graph had node features; the new one must have them too.")
        x = network.features
        if learn:
            self.feature_scale = Scale.of(x)
        if self.feature_scale is None or x.shape[1] != len(self.feature_scale.width):
            raise InvalidInput("The new graph must have the same node features as the first one.")
        z = np.clip((x - self.feature_scale.centre) / self.feature_scale.width, -8, 8)
        contrast, misplaced = _contrast(pattern, z)
        raw["contrast with neighbours' features"] = contrast
        raw["nearer to other nodes' surroundings"] = misplaced
        unlike = self.likeness.fit(x) if learn else self.likeness.score(x)
        return {
            "features unlike the neighbours'": self._scaled("contrast", contrast, learn, up=True),
            "features that belong elsewhere": self._scaled("misplaced", misplaced, learn, up=True),
            "features unlike any other node's": np.max(unlike, axis=1),
        }

    def _bridging(self, raw: dict[str, np.ndarray], learn: bool) -> np.ndarray:
        """How much further apart a node's neighbours are than usual, in units of what chance does for its degree."""
        spread_out = raw["spread of neighbours"]
        if learn:
            self.usual_spread = float(np.median(spread_out))
        return (spread_out - self.usual_spread) * np.sqrt(raw["degree"])

    def _scaled(self, name: str, x: np.ndarray, learn: bool, *, up: bool = False) -> np.ndarray:
        if learn:
            self.scales[name] = Scale.of(x, up=up)
        return self.scales[name].surprise(x)

    def _given(self, name: str, x: np.ndarray, y: np.ndarray, learn: bool, *, sign: int = 0) -> np.ndarray:
        if learn:
            self.lines[name] = _Line.through(x, y)
        z = self.lines[name].z(x, y)
        return self._scaled(f"{name} {sign}", sign * z if sign else z, learn, up=sign != 0)


# What ties at random leave open: how many a node has stays the same in both.
_TIES = frozenset({"neighbours tied to each other", "part of a dense core", "ties between groups"})
_ORIGINS = {
    "number of neighbours": "degree",
    "neighbours tied to each other": "triangles",
    "part of a dense core": "core",
    "neighbours of unusual degree": "neighbour degree",
    "ties between groups": "spread of neighbours",
    "ties without common neighbours": "open ties",
    "strength given the number of ties": "strength",
    "one dominating tie": "heaviest tie",
    "features unlike the neighbours'": "contrast with neighbours' features",
    "features that belong elsewhere": "nearer to other nodes' surroundings",
}


def _structure(network: Network, pattern: csr_array[Any], weights: csr_array[Any]) -> dict[str, np.ndarray]:
    """The structural measures of each node."""
    degree = np.diff(pattern.indptr).astype(float)
    support = edge_support(pattern)
    triangles = np.asarray(support.sum(axis=1)).ravel() / 2.0
    closed = np.diff(_nonzero(support).indptr).astype(float)
    place = places(pattern)
    centre = neighbour_mean(pattern, place)
    # With few neighbours the mean of unit vectors is long by chance: correct for their number.
    together = np.einsum("ij,ij->i", centre, centre)
    pairs = (degree * together - 1.0) / np.maximum(degree - 1.0, 1.0)
    heaviest = np.asarray(weights.max(axis=1).toarray()).ravel() if weights.nnz else np.zeros(network.n)
    return {
        "degree": degree,
        "strength": np.asarray(weights.sum(axis=1)).ravel(),
        "heaviest tie": heaviest,
        "triangles": triangles,
        "core": core_numbers(pattern).astype(float),
        "neighbour degree": neighbour_mean(pattern, degree),
        "pagerank": pagerank(weights),
        "spread of neighbours": np.where(degree > 1, 1.0 - pairs, 0.0),
        "open ties": degree - closed,
    }


def _held(network: Network, x: np.ndarray) -> Far:
    """What single nodes hold beyond what is held around them; whoever has no neighbours is compared with nobody."""
    from gnomon.anomaly.ends import far_ends

    tied = network.undirected().copy()
    tied.data = np.ones_like(tied.data)
    has = np.diff(tied.indptr) > 0
    return far_ends(np.where(has[:, None], x - neighbour_mean(tied, x), 0.0))


def _contrast(pattern: csr_array[Any], z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How little a node's features agree with those around it, and how much better they fit elsewhere."""
    has = np.diff(pattern.indptr) > 0
    z = z - z.mean(axis=0)
    if z.shape[1] <= _ROUND:
        # In units of how nodes usually differ from those around them.
        _, axes, usual_spread = bulk_axes(z - _around(pattern, z))
        z = z @ axes / np.sqrt(usual_spread + 0.05 * float(usual_spread.mean()) + 1e-12)
    around = _around(pattern, z)
    apart = ((z - around) ** 2).sum(axis=1)
    rng = np.random.default_rng(SEED)
    others = [((z - around[rng.permutation(len(z))]) ** 2).sum(axis=1) for _ in range(_ELSEWHERE)]
    misplaced = np.log((apart + 1e-9) / (np.median(others, axis=0) + 1e-9))
    if z.shape[1] < 3:
        contrast = np.sqrt(apart)
    else:
        sizes = np.linalg.norm(z, axis=1) * np.linalg.norm(around, axis=1)
        contrast = -np.einsum("ij,ij->i", z, around) / (sizes + 1e-12)
    usual = float(np.median(contrast)), float(np.median(misplaced))
    return np.where(has, contrast, usual[0]), np.where(has, misplaced, usual[1])


def _around(pattern: csr_array[Any], z: np.ndarray) -> np.ndarray:
    """What the features of each node's surroundings are, two steps wide and no flatter than its neighbours."""
    near = neighbour_mean(pattern, z)
    around = (near + 2.0 * neighbour_mean(pattern, near)) / 3.0
    return around * (np.linalg.norm(near) + 1e-12) / (np.linalg.norm(around) + 1e-12)


def _nonzero(matrix: csr_array[Any]) -> csr_array[Any]:
    out = matrix.copy()
    out.eliminate_zeros()
    return out
