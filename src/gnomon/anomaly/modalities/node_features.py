"""The structure around each node, in time that grows with the number of edges."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.anomaly.modalities.departure import SEED

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORK = 150_000_000
_CAP = 300
_POWER_STEPS = 30


def edge_support(pattern: csr_array[Any]) -> csr_array[Any]:
    """For each edge, how many common neighbours its ends have (estimated around very large hubs)."""
    from scipy.sparse import csr_array, vstack

    degree = np.diff(pattern.indptr)
    middle = pattern
    if float((degree.astype(float) ** 2).sum()) > _WORK:
        middle = _thinned(pattern, degree)
    blocks: list[Any] = []
    rows = np.cumsum(np.asarray(middle @ degree.astype(float)))
    cuts = np.searchsorted(rows, np.arange(0, rows[-1], 20_000_000)) if rows[-1] > 0 else np.array([0])
    bounds = [*np.unique(cuts).tolist(), pattern.shape[0]]
    for start, stop in pairwise(bounds):
        blocks.append((middle[start:stop] @ pattern).multiply(pattern[start:stop]))
    return csr_array(vstack(blocks))


def _thinned(pattern: csr_array[Any], degree: np.ndarray) -> csr_array[Any]:
    """Hubs left out as go-betweens: what they connect says little, and it is what costs."""
    from scipy.sparse import diags_array

    keep = (degree <= max(_CAP, int(np.quantile(degree, 0.99)))).astype(float)
    thinned = (pattern @ diags_array(keep)).tocsr()
    thinned.eliminate_zeros()
    return thinned


def core_numbers(pattern: csr_array[Any]) -> np.ndarray:
    """The largest k for which each node is part of a group where everyone has k neighbours inside."""
    degree = np.diff(pattern.indptr).astype(int)
    left = np.ones(len(degree), dtype=bool)
    core = np.zeros(len(degree), dtype=int)
    k = 0
    while left.any():
        k = max(k, int(degree[left].min()))
        wave = np.flatnonzero(left & (degree <= k))
        while len(wave):
            core[wave] = k
            left[wave] = False
            touched = np.concatenate(
                [pattern.indices[pattern.indptr[i] : pattern.indptr[i + 1]] for i in wave]
            )
            np.subtract.at(degree, touched, 1)
            near = np.unique(touched)
            wave = near[left[near] & (degree[near] <= k)]
    return core


def pagerank(ties: csr_array[Any], damping: float = 0.85, rounds: int = 60) -> np.ndarray:
    """How often a random walk along the edges visits each node, one being the average."""
    n = ties.shape[0]
    weights = abs(ties)
    out = np.asarray(weights.sum(axis=1)).ravel()
    inverse = np.divide(1.0, out, out=np.zeros(n), where=out > 0)
    backwards = weights.T.tocsr()
    rank = np.full(n, 1.0 / n)
    for _ in range(rounds):
        stranded = rank[out == 0].sum() / n
        updated = (1 - damping) / n + damping * (np.asarray(backwards @ (rank * inverse)).ravel() + stranded)
        done = np.abs(updated - rank).sum() < 1e-9
        rank = updated
        if done:
            break
    return rank * n


def places(pattern: csr_array[Any], dimensions: int = 12) -> np.ndarray:
    """A place for each node such that nodes of one community lie in one direction (unit vectors)."""
    from scipy.sparse import csr_array, diags_array

    n = pattern.shape[0]
    k = min(dimensions, n - 2)
    if k < 2 or pattern.nnz == 0:
        return np.zeros((n, 1))
    degree = np.diff(pattern.indptr).astype(float)
    root = diags_array(1.0 / np.sqrt(degree + degree.mean()))
    normal: Any = csr_array(root @ pattern @ root)
    # A fixed number of steps: graphs without communities have no gap to converge on.
    vectors = np.random.default_rng(SEED).standard_normal((n, k + 4))
    for _ in range(_POWER_STEPS):
        vectors = np.linalg.qr(vectors + normal @ vectors)[0]
    values, rotation = np.linalg.eigh(vectors.T @ (normal @ vectors))
    # Directions near the weakest one found are noise: only what stands above it counts.
    vectors = (vectors @ rotation[:, -k:]) * (values[-k:] - values[0])
    # Smoothing over neighbours places nodes of low degree where their neighbours are.
    vectors = vectors + np.asarray(pattern @ vectors) / np.maximum(degree, 1.0)[:, None]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def neighbour_mean(pattern: csr_array[Any], values: np.ndarray) -> np.ndarray:
    """The mean of ``values`` over the neighbours of each node (zero where there are none)."""
    degree = np.maximum(np.diff(pattern.indptr), 1)
    total = np.asarray(pattern @ values)
    return total / (degree if values.ndim == 1 else degree[:, None])
