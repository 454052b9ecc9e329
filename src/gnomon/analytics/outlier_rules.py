"""Values of one column that lie far from the rest, by the two rules that analysts mean.

``zscore`` counts distances from the mean in standard deviations of all values (the population's, as
``scipy.stats.zscore`` does); ``iqr`` is Tukey's rule of quartiles and whiskers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gnomon.analytics.inputs import Floats, require_between, require_choice
from gnomon.analytics.results import Result

Rule = Literal["iqr", "zscore"]
USUAL: dict[str, float] = {"iqr": 1.5, "zscore": 3.0}


@dataclass(frozen=True, slots=True)
class Bounds(Result):
    """Where the rest ends by one rule, and how many values lie beyond."""

    rule: str
    threshold: float
    low: float
    high: float
    below: int
    above: int

    @property
    def outliers(self) -> int:
        """How many values lie beyond either bound."""
        return self.below + self.above


@dataclass(frozen=True, slots=True)
class Outlying(Result):
    """What a rule found in one set of values.

    ``by_sample`` counts what lies beyond where the standard deviation is that of a sample; ``other`` is the usual form
    of the other rule.
    """

    count: int
    mean: float
    deviation: float
    lower_quartile: float
    upper_quartile: float
    bounds: Bounds
    by_sample: int
    other: Bounds


def outlying(values: Floats, rule: Rule, threshold: float | None = None) -> Outlying:
    """Find the values that lie far from the rest.

    Args:
        values: At least one, all of them known.
        rule: ``iqr`` (beyond the quartiles by so many interquartile ranges) or ``zscore``.
        threshold: Another factor than the usual 1.5 or 3.
    """
    require_choice(rule, tuple(USUAL), "rule")
    factor = USUAL[rule] if threshold is None else require_between(threshold, 0, 1e6, "threshold")
    x = np.asarray(values, dtype=np.float64)
    lower, upper = (float(q) for q in np.quantile(x, [0.25, 0.75]))
    other: Rule = "zscore" if rule == "iqr" else "iqr"
    sample = float(x.std(ddof=1)) if len(x) > 1 else 0.0
    by_sample = _counted(
        x, rule, factor, float(x.mean()) - factor * sample, float(x.mean()) + factor * sample
    )
    bounds = bounds_of(x, rule, factor)
    return Outlying(
        count=len(x),
        mean=float(x.mean()),
        deviation=float(x.std()),
        lower_quartile=lower,
        upper_quartile=upper,
        bounds=bounds,
        by_sample=by_sample.outliers if rule == "zscore" else bounds.outliers,
        other=bounds_of(x, other, USUAL[other]),
    )


def among(values: Floats, whole: Outlying) -> Outlying:
    """Some of the values, judged by the bounds of all of them."""
    x = np.asarray(values, dtype=np.float64)
    lower, upper = (float(q) for q in np.quantile(x, [0.25, 0.75]))
    kept, other = whole.bounds, whole.other
    bounds = _counted(x, kept.rule, kept.threshold, kept.low, kept.high)
    return Outlying(
        count=len(x),
        mean=float(x.mean()),
        deviation=float(x.std()),
        lower_quartile=lower,
        upper_quartile=upper,
        bounds=bounds,
        by_sample=bounds.outliers,
        other=_counted(x, other.rule, other.threshold, other.low, other.high),
    )


def bounds_of(x: Floats, rule: Rule, factor: float) -> Bounds:
    """Where the rest ends by a rule."""
    if rule == "zscore":
        middle, step = float(x.mean()), float(x.std())
        if step <= 1e-12 * abs(middle):  # what rounding leaves of equal values
            return Bounds(rule, factor, float(x.min()), float(x.max()), 0, 0)
        return _counted(x, rule, factor, middle - factor * step, middle + factor * step)
    lower, upper = (float(q) for q in np.quantile(x, [0.25, 0.75]))
    return _counted(x, rule, factor, lower - factor * (upper - lower), upper + factor * (upper - lower))


def _counted(x: Floats, rule: str, factor: float, low: float, high: float) -> Bounds:
    return Bounds(rule, factor, low, high, int((x < low).sum()), int((x > high).sum()))
