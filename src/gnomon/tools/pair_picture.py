"""What a picture of two related columns shows: points of some rows, the average of each group, or how often two meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from gnomon.analytics.coding import Coded
from gnomon.analytics.relations import Relation
from gnomon.tools.frames import Frame

MOST_POINTS = 1500
_MOST_LEVELS = 200
_SEED = 20_260

Kind = Literal["points", "averages", "counts"]


def picture_of(
    names: tuple[str, str], columns: tuple[Coded, Coded], values: tuple[Sequence[Any], Sequence[Any]]
) -> tuple[Kind, Frame] | None:
    """The kind of picture and its rows; None where no picture would be readable.

    Args:
        names: What the columns are called.
        columns: The two as numbers.
        values: The two as they are.
    """
    both = np.flatnonzero(~(np.isnan(columns[0].values) | np.isnan(columns[1].values)))
    grouped = [c.kind in ("flag", "category") for c in columns]
    if max((len(c.levels) for c in columns), default=0) > _MOST_LEVELS:
        return None
    if not any(grouped):
        chosen = both
        if len(both) > MOST_POINTS:  # the same rows each time; those at even distances would follow a season
            chosen = np.sort(np.random.default_rng(_SEED).choice(both, MOST_POINTS, replace=False))
        return "points", Frame.of(
            {n: [v[i] for i in chosen.tolist()] for n, v in zip(names, values, strict=True)}
        )
    if all(grouped):
        pairs = np.stack([c.values[both].astype(np.int64) for c in columns])
        found, count = np.unique(pairs, axis=1, return_counts=True)
        made = {n: [c.levels[i] for i in codes] for n, c, codes in zip(names, columns, found, strict=True)}
        return "counts", Frame.of({**made, "rows": count.tolist()})
    at = grouped.index(True)
    codes, measured = columns[at].values[both].astype(np.int64), columns[1 - at]
    if measured.kind != "number":
        return None
    known = np.unique(codes)
    means = [float(measured.values[both][codes == k].mean()) for k in known]
    rows = sorted(zip((columns[at].levels[k] for k in known), means, strict=True), key=lambda r: -r[1])
    return "averages", Frame.of({names[at]: [r[0] for r in rows], names[1 - at]: [r[1] for r in rows]})


def line_of(columns: tuple[Coded, Coded], found: Relation) -> tuple[float, float] | None:
    """Slope and intercept of the least squares line, where two columns of numbers are related along one."""
    if found.method != "pearson" or found.type != "linear" or any(c.kind != "number" for c in columns):
        return None
    both = ~(np.isnan(columns[0].values) | np.isnan(columns[1].values))
    x, y = (c.values[both] for c in columns)
    dx = x - x.mean()
    slope = float(dx @ (y - y.mean()) / (dx @ dx))
    return slope, float(y.mean() - slope * x.mean())
