"""Benchmarks: where a figure stands among published quartiles, among its peers and in its own past."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from gnomon.analytics.inputs import numbers, present, require_count
from gnomon.analytics.results import Result
from gnomon.core.errors import InvalidInput


class Standing(StrEnum):
    """Where a figure stands."""

    BOTTOM_QUARTER = "bottom quarter"
    BELOW_MIDDLE = "below the middle"
    MIDDLE = "in the middle"
    ABOVE_MIDDLE = "above the middle"
    TOP_QUARTER = "top quarter"


@dataclass(frozen=True, slots=True)
class BenchmarkPosition(Result):
    """A figure against a field.

    Attributes:
        value: The figure.
        middle: The median of the field.
        low: Its lower quartile, where it is known.
        high: Its upper quartile.
        percentile: Where the figure stands, 0 to 100, higher figures having higher ones; with quartiles alone it is
            interpolated between them and never told beyond the 5th and the 95th.
        standing: The same in words; good or bad is for the caller to say.
        gap: The figure less the middle.
        gap_percent: Relative to the middle.
        worth: What closing the gap to the middle would be worth, in ``worth_unit``, where a volume is known.
        worth_best: The same to the better quartile.
        against: What it is held against, in words.
        count: How many figures the field has; None for published quartiles.
        test: How the position was found.
    """

    value: float
    middle: float
    low: float | None
    high: float | None
    percentile: float | None
    standing: Standing
    gap: float
    gap_percent: float | None
    worth: float | None
    worth_best: float | None
    against: str
    count: int | None
    test: str


def against_quartiles(
    value: float,
    middle: float,
    low: float | None = None,
    high: float | None = None,
    *,
    higher_is_better: bool = True,
    worth_per_unit: float | None = None,
    against: str = "the benchmark",
) -> BenchmarkPosition:
    """Where a figure stands among published quartiles.

    Args:
        value: The figure.
        middle: Published median.
        low: Published lower quartile.
        high: Published upper quartile.
        higher_is_better: Which quartile is the better one.
        worth_per_unit: What one unit of the figure is worth in money (sessions × average order value for a
            conversion rate), to size the gap.
        against: What it is held against, in words.

    Raises:
        InvalidInput: The quartiles are not in order or not finite.
    """
    marks = [m for m in (low, middle, high) if m is not None]
    if not all(map(math.isfinite, [value, *marks])) or marks != sorted(marks):
        raise InvalidInput(
            f"Quartiles must be finite and in order, but they are {low}, {middle}, {high}.",
            suggestions=["Check which columns hold the 25th, 50th and 75th percentile."],
        )
    percentile = _interpolated(value, low, middle, high)
    return _position(
        value, middle, low, high, percentile, higher_is_better, worth_per_unit, against, None,
        "interpolated between published quartiles" if percentile is not None else "compared with the published middle",
    )  # fmt: skip


def against_field(
    value: float,
    field: Any,
    *,
    higher_is_better: bool = True,
    worth_per_unit: float | None = None,
    against: str = "its peers",
) -> BenchmarkPosition:
    """Where a figure stands among others: peers, or its own past.

    Args:
        value: The figure.
        field: The others, itself not among them.
        higher_is_better: Which quartile is the better one.
        worth_per_unit: What one unit of the figure is worth in money.
        against: What it is held against, in words.

    Raises:
        CalculationError: There are fewer than three others.
    """
    others = present(numbers(field, "field"))
    require_count(len(others), 3, "A position among others")
    below = float((others < value).sum()) + 0.5 * float((others == value).sum())
    low, middle, high = (float(q) for q in np.quantile(others, [0.25, 0.5, 0.75]))
    return _position(
        value, middle, low, high, 100 * below / len(others), higher_is_better, worth_per_unit, against, len(others),
        f"mid-rank among {len(others)} figures",
    )  # fmt: skip


def benchmark_peers(
    values: Mapping[str, float], *, higher_is_better: bool = True, against: str = "its peers"
) -> dict[str, BenchmarkPosition]:
    """Each of several figures among all the others.

    Args:
        values: The figure of each by name.
        higher_is_better: Which quartile is the better one.
        against: What they are held against, in words.
    """
    names, held = list(values), np.array(list(values.values()), dtype=np.float64)
    return {
        name: against_field(
            float(held[i]), np.delete(held, i), higher_is_better=higher_is_better, against=against
        )
        for i, name in enumerate(names)
        if math.isfinite(held[i])
    }


def _interpolated(value: float, low: float | None, middle: float, high: float | None) -> float | None:
    """Between quartiles along a line; beyond them along a normal tail with their own spread."""
    from scipy import stats

    if low is None or high is None:
        return None
    if value < low or value > high:
        edge, spread = (low, middle - low) if value < low else (high, high - middle)
        away = (value - edge) / (spread / 0.6745) if spread > 0 else math.copysign(math.inf, value - edge)
        at = stats.norm.cdf(away + math.copysign(0.6745, away))
        return float(np.clip(100 * at, 5, 95))
    return float(np.interp(value, [low, middle, high], [25, 50, 75])) if low < high else 50.0


def _position(
    value: float, middle: float, low: float | None, high: float | None, percentile: float | None,
    higher_is_better: bool, worth_per_unit: float | None, against: str, count: int | None, test: str,
) -> BenchmarkPosition:  # fmt: skip
    gap = value - middle
    best = high if higher_is_better else low
    sign = 1.0 if higher_is_better else -1.0

    def sized(target: float | None) -> float | None:
        if worth_per_unit is None or target is None:
            return None
        return max(0.0, sign * (target - value)) * abs(worth_per_unit)

    return BenchmarkPosition(
        value=value,
        middle=middle,
        low=low,
        high=high,
        percentile=percentile,
        standing=_standing(value, low, middle, high),
        gap=gap,
        gap_percent=100 * gap / abs(middle) if middle else None,
        worth=sized(middle),
        worth_best=sized(best),
        against=against,
        count=count,
        test=test,
    )


def _standing(value: float, low: float | None, middle: float, high: float | None) -> Standing:
    if low is not None and value < low:
        return Standing.BOTTOM_QUARTER
    if high is not None and value > high:
        return Standing.TOP_QUARTER
    if math.isclose(value, middle, rel_tol=0.005):
        return Standing.MIDDLE
    return Standing.BELOW_MIDDLE if value < middle else Standing.ABOVE_MIDDLE
