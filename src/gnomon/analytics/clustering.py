"""Segments: groups of similar rows, how many there are, what sets each apart; or that there are none."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.inputs import (
    Floats,
    Ints,
    ShouldStop,
    check_stop,
    numbers,
    require_column,
    require_count,
    require_frame,
    require_whole,
)
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError

if TYPE_CHECKING:
    import pandas as pd

_JUDGED = 800  # rows that the choice of k looks at
_REFERENCES = 4
_STARTS = 4
_MOST_LEVELS = 20


@dataclass(frozen=True, slots=True)
class SegmentColumn(Result):
    """One column within a segment, in original units, beside the whole table."""

    column: str
    mean: float | None
    median: float | None
    overall_mean: float | None
    difference_sd: float | None
    top_value: str | None
    top_share: float | None
    overall_share: float | None


@dataclass(frozen=True, slots=True)
class ClusterSegment(Result):
    """A group of rows: how many, what is typical, and the columns that set it apart (most telling first)."""

    segment: int
    count: int
    share: float
    columns: tuple[SegmentColumn, ...]


@dataclass(frozen=True, slots=True)
class Clusters(Result):
    """The segments of a table.

    Attributes:
        found: Whether clear segments exist; ``False`` means that one group describes the rows as well.
        k: How many segments (1 when there are none).
        silhouette: How well rows sit in their segment (−1 to 1).
        reference: What structureless data of the same spread reaches at most (mean plus two deviations).
        labels: Segment of each input row; −1 for rows that were left out.
    """

    found: bool
    k: int
    silhouette: float | None
    reference: float | None
    scores: dict[int, float]
    segments: tuple[ClusterSegment, ...]
    labels: Ints
    columns: tuple[str, ...]
    left_out_rows: int
    left_out_columns: dict[str, str]
    notes: tuple[str, ...]


def clusters(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    k: int | None = None,
    most: int = 8,
    should_stop: ShouldStop | None = None,
) -> Clusters:
    """Group the rows of a table.

    Numbers are scaled robustly (skewed positive ones by logarithm), categories become indicator columns.

    Args:
        frame: The table.
        columns: Which columns describe a row; all usable ones when left out.
        k: Number of segments; chosen by silhouette against structureless data when left out.
        most: Largest number of segments to try.
        should_stop: Asked between fits; a true answer ends the work with ``Cancelled``.
    """
    table = require_frame(frame)
    names = [require_column(table, c) for c in (columns if columns is not None else table.columns)]
    require_whole(most, 2, 30, "most")
    if k is not None:
        require_whole(k, 2, 50, "k")
    features, used, left_out, rows, blocks = _features(table, names)
    if not used:
        raise CalculationError(
            "No column can describe the rows.",
            suggestions=[f"{c}: {why}" for c, why in left_out.items()] or ["Add columns."],
        )
    require_count(len(features), max(8, k or 0), "Grouping rows")
    sample = _sample(features)
    scores, reference, notes = _choose(sample, blocks, k, most, should_stop)
    best = k if k is not None else max(scores, key=lambda c: (scores[c], -c)) if scores else 1
    clear = best in scores and reference is not None and scores[best] > reference and scores[best] >= 0.2
    if k is None and not clear:
        best = 1
        notes.append("No clear segments: structureless data of the same spread would split as well.")
    check_stop(should_stop)
    inner = _grown(features, sample, best) if best > 1 else np.zeros(len(features), dtype=np.int64)
    inner = _by_size(inner)
    labels = np.full(len(table), -1, dtype=np.int64)
    labels[rows] = inner
    segments = _profiles(table.iloc[rows], inner, used) if best > 1 else ()
    return Clusters(
        found=clear,
        k=int(best),
        silhouette=scores.get(best),
        reference=reference,
        scores=scores,
        segments=segments,
        labels=labels,
        columns=tuple(used),
        left_out_rows=len(table) - len(rows),
        left_out_columns=left_out,
        notes=tuple(notes),
    )


def _features(
    table: pd.DataFrame, names: Sequence[str]
) -> tuple[Floats, list[str], dict[str, str], Ints, list[slice]]:
    import pandas as pd

    blocks: list[Floats] = []
    used: list[str] = []
    left_out: dict[str, str] = {}
    for name in names:
        column = table[name]
        distinct = int(column.nunique())
        if distinct < 2:
            left_out[name] = "it does not vary"
        elif pd.api.types.is_datetime64_any_dtype(column.dtype):
            left_out[name] = "times do not describe a kind of row"
        elif pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            blocks.append(_scaled(numbers(column, name))[:, None])
            used.append(name)
        elif distinct > _MOST_LEVELS:
            left_out[name] = f"{distinct} different texts are too many for categories"
        else:
            codes = column.astype("category").cat.codes.to_numpy()
            indicator = (codes[:, None] == np.arange(distinct)).astype(np.float64)
            indicator[codes < 0] = np.nan
            blocks.append((indicator - np.nanmean(indicator, axis=0)) / np.sqrt(2))
            used.append(name)
    if not blocks:
        return np.zeros((0, 0)), used, left_out, np.zeros(0, dtype=np.int64), []
    stacked = np.hstack(blocks)
    rows = np.flatnonzero(~np.isnan(stacked).any(axis=1)).astype(np.int64)
    edges = np.cumsum([0] + [b.shape[1] for b in blocks])
    return stacked[rows], used, left_out, rows, [slice(a, b) for a, b in pairwise(edges)]


def _scaled(x: Floats) -> Floats:
    from scipy import stats

    there = x[~np.isnan(x)]
    if there.min() > 0 and stats.skew(there) > 2:
        x = np.log(x)
        there = np.log(there)
    low, high = np.quantile(there, [0.01, 0.99])
    core = np.clip(there, low, high) if high > low else there
    spread = float(core.std()) or float(there.std()) or 1.0
    # A few extreme values must not become segments of their own.
    return np.clip((x - float(core.mean())) / spread, -4, 4)


def _sample(features: Floats) -> Floats:
    if len(features) <= _JUDGED:
        return features
    return features[np.random.default_rng(0).choice(len(features), _JUDGED, replace=False)]


def _choose(
    sample: Floats, blocks: list[slice], k: int | None, most: int, should_stop: ShouldStop | None
) -> tuple[dict[int, float], float | None, list[str]]:
    distinct = len(np.unique(sample, axis=0))
    tried = [c for c in ([k] if k else range(2, most + 1)) if c < min(distinct, len(sample))]
    notes: list[str] = []
    if k and not tried:
        raise CalculationError(
            f"{k} segments need more than {k} different rows, but there are {distinct}.",
            suggestions=["Ask for fewer segments."],
        )
    if not tried:
        return {}, None, notes
    scores = silhouettes(sample, tried)
    limits: list[float] = []
    for family in _structureless(sample, blocks):
        null: list[float] = []
        for cloud in family:
            check_stop(should_stop)
            null.append(max(silhouettes(cloud, tried).values()))
        limits.append(float(np.mean(null) + 2 * np.std(null)))
    return scores, max(limits), notes


def _structureless(sample: Floats, blocks: list[slice]) -> list[list[Floats]]:
    """Clouds with the same principal spreads but no groups: normal ones and evenly filled boxes.

    Categories make clumps by themselves: with them, the table with every column shuffled on its own counts too.
    """
    rng = np.random.default_rng(7)
    centred = sample - sample.mean(axis=0)
    sd = np.linalg.svd(centred, compute_uv=False) / np.sqrt(len(sample))
    shape = (min(len(sample), 400), len(sd))
    normal = [rng.normal(0, 1, shape) * sd for _ in range(_REFERENCES)]
    box = [rng.uniform(-1, 1, shape) * sd for _ in range(_REFERENCES)]
    if all(b.stop - b.start == 1 for b in blocks):
        return [normal, box]
    shuffled = [
        np.hstack([rng.permutation(sample)[: shape[0], b] for b in blocks]) for _ in range(_REFERENCES)
    ]
    return [normal, box, shuffled]


def _fit(features: Floats, k: int) -> Ints:
    """K-means from several seeded starts; the tightest grouping wins."""
    from scipy.cluster.vq import kmeans2

    best: tuple[float, Ints] | None = None
    for start in range(_STARTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an emptied group: that start simply loses
            centers, labels = kmeans2(features, k, iter=30, minit="++", rng=np.random.default_rng(start))
        loose = float(((features - centers[labels]) ** 2).sum())
        if best is None or loose < best[0] - 1e-9:
            best = loose, np.asarray(labels, dtype=np.int64)
    assert best is not None
    return best[1]


def _grown(features: Floats, sample: Floats, k: int) -> Ints:
    """The grouping that was judged on a sample, carried over to every row: another start might end in another one."""
    from scipy.cluster.vq import kmeans2

    judged = _fit(sample, k)
    centres = np.array([sample[judged == g].mean(axis=0) for g in np.unique(judged)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, labels = kmeans2(features, centres, iter=30, minit="matrix")
    return np.asarray(labels, dtype=np.int64)


def silhouettes(sample: Floats, tried: Sequence[int]) -> dict[int, float]:
    """Mean silhouette of the best grouping into each number of groups."""
    from scipy.spatial.distance import cdist

    distances = cdist(sample, sample)
    return {k: _silhouette(distances, _fit(sample, k)) for k in tried}


def _silhouette(distances: Floats, labels: Ints) -> float:
    groups, codes = np.unique(labels, return_inverse=True)
    if len(groups) < 2:
        return -1.0
    member = (codes[:, None] == np.arange(len(groups))).astype(np.float64)
    sizes = member.sum(axis=0)
    totals = distances @ member
    rows = np.arange(len(labels))
    own = totals[rows, codes] / np.maximum(sizes[codes] - 1, 1)
    means = totals / sizes
    means[rows, codes] = np.inf
    other = means.min(axis=1)
    scale = np.maximum(np.maximum(own, other), 1e-300)
    return float(np.where(sizes[codes] > 1, (other - own) / scale, 0.0).mean())


def _by_size(labels: Ints) -> Ints:
    """Number the segments from the largest down."""
    counts = np.bincount(labels)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank[labels]


def _profiles(table: pd.DataFrame, labels: Ints, used: Sequence[str]) -> tuple[ClusterSegment, ...]:
    out: list[ClusterSegment] = []
    for segment in range(int(labels.max()) + 1):
        inside = labels == segment
        columns = [_column_profile(table[c], inside, c) for c in used]
        columns.sort(key=lambda c: -_distinctness(c))
        out.append(ClusterSegment(segment, int(inside.sum()), float(inside.mean()), tuple(columns)))
    return tuple(out)


def _column_profile(column: pd.Series[Any], inside: Any, name: str) -> SegmentColumn:
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        everyone = numbers(column, name)
        own = everyone[inside]
        spread = float(everyone.std())
        gap = float((own.mean() - everyone.mean()) / spread) if spread > 0 else 0.0
        return SegmentColumn(
            name, float(own.mean()), float(np.median(own)), float(everyone.mean()), gap, None, None, None
        )
    shares = column[inside].astype("string").value_counts(normalize=True)
    top = str(shares.index[0])
    overall = float((column.astype("string") == top).mean())
    return SegmentColumn(name, None, None, None, None, top, float(shares.iloc[0]), overall)


def _distinctness(c: SegmentColumn) -> float:
    if c.difference_sd is not None:
        return abs(c.difference_sd)
    return 2 * abs((c.top_share or 0) - (c.overall_share or 0))
