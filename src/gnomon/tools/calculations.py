"""The arithmetic behind the calculation tools: plain functions of plain numbers, None for what is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from gnomon.analytics.relative import percent_change
from gnomon.core.errors import CalculationError, InvalidInput

CALCULATIONS = (
    "calculate_change",
    "calculate_shares",
    "calculate_growth",
    "calculate_ranking",
    "calculate_difference",
    "calculate_correlation",
    "calculate_distribution",
    "calculate_running",
)
"""The names of the tools that compute with it."""

Numbers: TypeAlias = "list[float | None]"
_FEWEST_PAIRS = 3
_EXPAND_UP_TO = 2_000_000


class Correlated(NamedTuple):
    """How two columns go together."""

    r: float
    rank_r: float
    n: int
    p_value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Spread:
    """Where values lie."""

    count: int
    missing: int
    minimum: float
    maximum: float
    mean: float
    median: float
    p25: float
    p75: float
    stddev: float | None
    bins: list[tuple[float, float, int]]


def number_or_none(value: Any, what: str) -> float | None:
    """A number as it is, whole ones as whole ones; None and what is not finite as None.

    Raises:
        InvalidInput: It is no number.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what} holds {value!r}, which is no number.") from None
    return found if math.isfinite(found) else None


def change_pct(current: float | None, previous: float | None) -> float | None:
    """The change in percent of what it was; unknown when it was nothing, and below zero, where percent mislead."""
    return None if current is None or previous is None else percent_change(previous, current)


def share_pct(part: float | None, whole: float | None) -> float | None:
    """The part in percent of the whole; unknown when the whole is nothing."""
    if part is None or whole is None or whole == 0:
        return None
    return 100 * part / whole


def growth_rate(values: Sequence[float | None]) -> float | None:
    """The constant growth in percent a period that leads from the first value to the last."""
    present = [(i, v) for i, v in enumerate(values) if v is not None]
    if len(present) < 2 or present[0][1] <= 0 or present[-1][1] <= 0:
        return None
    (first_at, first), (last_at, last) = present[0], present[-1]
    return 100 * ((last / first) ** (1 / (last_at - first_at)) - 1)


def ascending_ranks(values: Sequence[float]) -> list[int]:
    """Ranks from 1 for the smallest; equal values share the best rank of theirs (1, 2, 2, 4)."""
    ordered = sorted(values)
    first: dict[float, int] = {}
    for place, value in enumerate(ordered, start=1):
        first.setdefault(value, place)
    return [first[v] for v in values]


def running_sums(values: Sequence[float | None]) -> Numbers:
    """Sums from the start; a missing value adds nothing."""
    total: float = 0
    sums: Numbers = []
    for value in values:
        total += value or 0
        sums.append(total)
    return sums


def moving_means(values: Sequence[float | None], window: int) -> Numbers:
    """Means of each value and those before it; None until the window is full or where one is missing."""
    means: Numbers = []
    for end in range(1, len(values) + 1):
        inside = values[max(0, end - window) : end]
        present = [v for v in inside if v is not None]
        means.append(math.fsum(present) / window if len(present) == window else None)
    return means


def correlated(
    x: Sequence[float | None], y: Sequence[float | None], weights: Sequence[int] | None
) -> Correlated:
    """Pearson's and Spearman's coefficients of the complete pairs.

    Raises:
        CalculationError: Fewer than three pairs, or a column that does not vary.
    """
    import numpy as np

    from gnomon.analytics.association import numeric_association

    counts = weights if weights is not None else [1] * len(x)
    pairs = [(a, b, w) for a, b, w in zip(x, y, counts, strict=True) if a is not None and b is not None]
    n = sum(w for *_, w in pairs)
    if n < _FEWEST_PAIRS:
        raise CalculationError(f"A correlation needs at least {_FEWEST_PAIRS} pairs; there are {n}.")
    if n > _EXPAND_UP_TO:
        raise CalculationError(f"{n:,} pairs are too many to relate one by one.")
    repeats = [w for *_, w in pairs]
    first = np.repeat(np.array([a for a, *_ in pairs], dtype=float), repeats)
    second = np.repeat(np.array([b for _, b, _ in pairs], dtype=float), repeats)
    for values in (first, second):
        if np.ptp(values) == 0:
            raise CalculationError("One of the two columns has the same value throughout.")
    pearson = numeric_association(first, second, "pearson", 0.95)
    ranks = numeric_association(first, second, "spearman", 0.95)
    return Correlated(pearson.coefficient, ranks.coefficient, n, pearson.p_value, pearson.low, pearson.high)


def spread(values: Sequence[float | None], weights: Sequence[int] | None, bins: int | None) -> Spread:
    """Where the values lie, each as often as its weight says.

    Raises:
        CalculationError: No value is present.
    """
    import numpy as np

    counts = weights if weights is not None else [1] * len(values)
    pairs = sorted((v, w) for v, w in zip(values, counts, strict=True) if v is not None and w > 0)
    missing = sum(w for v, w in zip(values, counts, strict=True) if v is None)
    if not pairs:
        raise CalculationError("There is no value to describe.")
    x = np.array([v for v, _ in pairs], dtype=float)
    w = np.array([k for _, k in pairs], dtype=np.int64)
    n = int(w.sum())
    mean = float((x * w).sum() / n)
    low, middle, high = (_quantile(x, w, q) for q in (0.25, 0.5, 0.75))
    variance = float((w * (x - mean) ** 2).sum() / (n - 1)) if n > 1 else None
    edges = bin_edges(float(x[0]), float(x[-1]), n, bins, whole=bool(np.all(x == np.round(x))))
    found, _ = np.histogram(x, edges, weights=w)
    return Spread(
        count=n,
        missing=missing,
        minimum=float(x[0]),
        maximum=float(x[-1]),
        mean=mean,
        median=middle,
        p25=low,
        p75=high,
        stddev=None if variance is None else math.sqrt(variance),
        bins=[(float(a), float(b), int(c)) for a, b, c in zip(edges[:-1], edges[1:], found, strict=True)],
    )


def _quantile(x: Any, w: Any, q: float) -> float:
    """The linear quantile of values that each count ``w`` times."""
    import numpy as np

    ends = np.cumsum(w)
    at = q * (int(ends[-1]) - 1)
    below, above = math.floor(at), math.ceil(at)
    a = float(x[int(np.searchsorted(ends, below, side="right"))])
    b = float(x[int(np.searchsorted(ends, above, side="right"))])
    return a + (b - a) * (at - below)


def bin_edges(low: float, high: float, count: int, bins: int | None, *, whole: bool) -> Any:
    """Borders of bins that people can read: steps of 1, 2 or 5 times a power of ten.

    Args:
        low: The smallest value.
        high: The largest.
        count: How many values there are.
        bins: How many bins to make; chosen by ``count`` otherwise.
        whole: Whether all values are whole numbers.
    """
    import numpy as np

    if low == high:
        return np.array([low - 0.5, high + 0.5])
    if bins is not None:
        return np.linspace(low, high, bins + 1)
    wanted = min(20, max(5, math.ceil(math.log2(count)) + 1))
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * 0.999)
    if whole:
        step = max(1.0, round(step))
    first = math.floor(low / step)
    last = math.floor(high / step) + 1
    return np.array([round(i * step, 12) for i in range(first, last + 1)])
