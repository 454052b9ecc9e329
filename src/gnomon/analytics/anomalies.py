"""Z-score anomalies: which values lie too far from the middle of their own series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, median
from typing import Any, Literal

import numpy as np

from gnomon.analytics.inputs import Floats, numbers, present, require_between, require_choice
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError, InvalidInput

_MAD_TO_SD = 1.4826022185056018  # a normal sample's standard deviation over its median absolute deviation
_MEAN_TO_SD = 1.2533141373155001  # … over its mean absolute deviation


@dataclass(frozen=True, slots=True)
class Anomaly(Result):
    """A value that lies too far out: where it is, how far, and on which side."""

    position: int
    index: Any
    group: str | None
    value: float
    score: float
    direction: Literal["high", "low"]
    expected: float


@dataclass(frozen=True, slots=True)
class SeriesScale(Result):
    """What counts as normal in one series."""

    group: str | None
    count: int
    missing: int
    center: float | None
    scale: float | None
    scale_method: str
    anomalies: int


@dataclass(frozen=True, slots=True)
class ZScoreAnomalies(Result):
    """All anomalies, most extreme first, with the yardstick of each series.

    Attributes:
        scores: Signed z-score of every input value (NaN where there is none), in input order.
    """

    method: str
    threshold: float
    anomalies: tuple[Anomaly, ...]
    series: tuple[SeriesScale, ...]
    checked: int
    missing: int
    notes: tuple[str, ...]
    scores: Floats


def zscore_anomalies(
    values: Any,
    *,
    method: Literal["robust", "classic"] = "robust",
    threshold: float | None = None,
    groups: Any = None,
    index: Any = None,
) -> ZScoreAnomalies:
    """Flag values whose z-score within their series exceeds a threshold.

    Args:
        values: The observations.
        method: ``robust`` measures from the median in MADs, so that outliers cannot hide themselves;
            ``classic`` uses mean and standard deviation.
        threshold: How many standard deviations are too far; 3.5 for robust, 3 for classic when left out.
        groups: The series that each value belongs to, if there is more than one.
        index: Labels to report with the anomalies, such as dates.
    """
    data = numbers(values)
    require_choice(method, ("robust", "classic"), "method")
    limit = 3.5 if method == "robust" else 3.0
    if threshold is not None:
        limit = require_between(threshold, 0, float("inf"), "threshold")
    if len(present(data)) == 0:
        raise CalculationError("There is no number to check.", suggestions=["Choose a column with values."])
    labels = _aligned(index, len(data), "index")
    members = _members(groups, len(data))
    scores = np.full(len(data), np.nan)
    found: list[Anomaly] = []
    series: list[SeriesScale] = []
    notes: list[str] = []
    for name, where in members:
        own = data[where]
        center, scale, how = _yardstick(present(own), method)
        if center is None or scale is None:
            series.append(SeriesScale(name, len(own), int(np.isnan(own).sum()), center, scale, how, 0))
            notes.append(f"{'The series' if name is None else name} has {how}; nothing was flagged.")
            continue
        scores[where] = (own - center) / scale
        far = where[np.flatnonzero(np.abs(scores[where]) > limit)]
        found += [_anomaly(int(i), labels, name, float(data[i]), float(scores[i]), center) for i in far]
        missing = int(np.isnan(own).sum())
        series.append(SeriesScale(name, len(own), missing, center, scale, how, len(far)))
    found.sort(key=lambda a: (-abs(a.score), a.position))
    gone = int(np.isnan(data).sum())
    return ZScoreAnomalies(
        method, limit, tuple(found), tuple(series), len(data) - gone, gone, tuple(notes), scores
    )


def _yardstick(values: Floats, method: str) -> tuple[float | None, float | None, str]:
    if len(values) < 3:
        return None, None, f"only {len(values)} values"
    if np.ptp(values) == 0:
        return float(values[0]), None, "one constant value"
    if method == "classic":
        return float(values.mean()), float(values.std(ddof=1)), "standard deviation"
    center = float(np.median(values))
    away = np.abs(values - center)
    if (mad := float(np.median(away))) > 0:
        return center, _MAD_TO_SD * mad, "median absolute deviation"
    # More than half the values are equal: the mean deviation still sees the others.
    return center, _MEAN_TO_SD * float(away.mean()), "mean absolute deviation (more than half are equal)"


def _anomaly(
    position: int, labels: Sequence[Any] | None, group: str | None, value: float, score: float, center: float
) -> Anomaly:
    label = position if labels is None else labels[position]
    return Anomaly(position, label, group, value, score, "high" if score > 0 else "low", center)


def _aligned(given: Any, count: int, what: str) -> Sequence[Any] | None:
    if given is None:
        return None
    if len(given) != count:
        raise InvalidInput(
            f"{what} has {len(given)} entries for {count} values.",
            suggestions=[f"Pass one {what} entry for every value."],
        )
    return list(given)


def _members(groups: Any, count: int) -> list[tuple[str | None, Any]]:
    if groups is None:
        return [(None, np.arange(count))]
    import pandas as pd

    codes, names = pd.factorize(
        pd.Series(_aligned(groups, count, "groups"), dtype=object), use_na_sentinel=False
    )
    words = ["(missing)" if pd.isna(n) else str(n) for n in names]
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1])
    return list(zip(words, parts, strict=True))


def departures(values: Sequence[float], *, counts: bool = False) -> list[float]:
    """How many deviations each value is from the middle of all.

    The deviation is that of its side, since what is measured is often skewed, and the larger one of two: that of the
    middle half, and that of all values but the far ones; the first alone is often too small by a third where there are
    only some dozens. Counts spread with their size, so that their roots are compared.
    """
    counts = counts and min(values) >= 0
    data = [2 * sqrt(v + 0.375) for v in values] if counts else list(values)
    middle = median(data)
    away = [v - middle for v in data]
    usual = _MAD_TO_SD * median([abs(d) for d in away])
    scales = {
        side: max(_spread([abs(d) for d in away if d * side > 0], usual), 1.0 if counts else 0.0)
        for side in (-1, 1)
    }
    return [abs(d) / scale if (scale := scales[1 if d > 0 else -1]) else 0.0 for d in away]


def _spread(away: list[float], usual: float) -> float:
    """The deviation on one side of the middle, far values left out."""
    near = [d for d in away if d <= 4 * usual]
    return max(_MAD_TO_SD * median(near), sqrt(fmean(d * d for d in near))) if len(near) > 2 else usual


def departure_limit(looked_at: int) -> float:
    """How many deviations are too far where so many values are looked at: as far out one of them may lie by chance."""
    return max(4.5, NormalDist().inv_cdf(1 - 0.005 / max(1, looked_at)))
