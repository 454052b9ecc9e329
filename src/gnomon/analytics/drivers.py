"""Drivers: what a change is made of, exactly.

A product of factors is split by Shapley values, a sum over segments by their differences, a ratio into what
changed within segments (rate) and what changed between them (mix). Contributions always add up to the change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.inputs import Floats, numbers, require_column, require_frame
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError, InvalidInput

if TYPE_CHECKING:
    import pandas as pd

MOST_FACTORS = 10
Segment = tuple[tuple[str, Any], ...]
"""Conditions that name some of the rows: ``(("region", "north"), ("channel", "web"))``; empty for all of them."""


@dataclass(frozen=True, slots=True)
class Factor(Result):
    """One factor of a product: the quotient of two measures, or a measure itself.

    Args:
        name: What it is called, such as ``conversion rate``.
        numerator: The measure above.
        denominator: The measure below; None for a measure as it is.
    """

    name: str
    numerator: str
    denominator: str | None = None


@dataclass(frozen=True, slots=True)
class FactorEffect(Result):
    """How a factor changed and what that did to the whole.

    Attributes:
        before: Its value before; None where it is not defined (nothing to divide by).
        after: Its value after.
        contribution: The part of the change of the whole that is its doing, in the units of the whole.
        share: That part over the whole change; None where nothing changed.
    """

    name: str
    before: float | None
    after: float | None
    contribution: float
    share: float | None


@dataclass(frozen=True, slots=True)
class TreeDecomposition(Result):
    """A change split among the factors of a product.

    Attributes:
        before: The whole before.
        after: The whole after.
        change: Their difference, which the contributions and ``residual`` add up to.
        effects: The factors in the order of the tree.
        residual: What no factor carries: not 0 only where measures contradict each other (sales without a visit).
    """

    before: float
    after: float
    change: float
    effects: tuple[FactorEffect, ...]
    residual: float


@dataclass(frozen=True, slots=True)
class SegmentEffect(Result):
    """What one segment adds to the change of the whole.

    Attributes:
        segment: The values that name it.
        before: Its own value before; for a ratio its own ratio, None where it has no weight.
        after: Its own value after.
        contribution: What it adds to the change of the whole; all segments of one cut add up to the change.
        rate: For a ratio, the part that comes from its own ratio.
        mix: For a ratio, the part that comes from its growing or shrinking weight.
        share: ``contribution`` over the whole change; None where nothing changed.
    """

    segment: Segment
    before: float | None
    after: float | None
    contribution: float
    rate: float | None
    mix: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class SegmentCut(Result):
    """The change over all segments of one dimension, or of a pair of dimensions, the largest effects first."""

    dimensions: tuple[str, ...]
    before: float
    after: float
    change: float
    effects: tuple[SegmentEffect, ...]

    @property
    def rate(self) -> float:
        """What changed within segments."""
        return math.fsum(e.rate or 0.0 for e in self.effects)

    @property
    def mix(self) -> float:
        """What came from segments growing and shrinking."""
        return math.fsum(e.mix or 0.0 for e in self.effects)


def chain(measures: Sequence[str], names: Mapping[tuple[str, str], str] | None = None) -> tuple[Factor, ...]:
    """The factors whose product is the last measure: the first, then each over the one before.

    Args:
        measures: From the volume to the result, such as sessions, orders, units, revenue.
        names: What a quotient of two of them is called.
    """
    if not measures or len(set(measures)) != len(measures):
        raise InvalidInput("A tree needs different measures, at least one.")
    factors = [Factor(measures[0], measures[0])]
    for below, above in pairwise(measures):
        called = (names or {}).get((above, below)) or f"{above} per {below}"
        factors.append(Factor(called, above, below))
    return tuple(factors)


def decompose_tree(
    before: Mapping[str, float],
    after: Mapping[str, float],
    tree: Sequence[Factor],
    *,
    whole: str | None = None,
) -> TreeDecomposition:
    """Split the change of a product among its factors by Shapley values.

    Each factor gets its average effect over all orders in which the factors could have changed, so no order is
    preferred; zeros and changes of sign need no special case. A factor that is not defined in one period (nothing
    to divide by) is taken as unchanged; not defined in either, as 1.

    Args:
        before: The measures before, by name.
        after: The measures after.
        tree: The factors.
        whole: The measure that their product is; the numerator of the last one by default.

    Raises:
        InvalidInput: The tree has no factor, too many, or a measure is missing or not finite.
    """
    if not 1 <= len(tree) <= MOST_FACTORS:
        raise InvalidInput(f"A tree has 1 to {MOST_FACTORS} factors, not {len(tree)}.")
    old, new = _factor_values(before, tree), _factor_values(after, tree)
    product = whole if whole is not None else tree[-1].numerator
    first, last = _measure(before, product), _measure(after, product)
    x = np.array([a if a is not None else b if b is not None else 1.0 for a, b in zip(old, new, strict=True)])
    y = np.array([b if b is not None else a if a is not None else 1.0 for a, b in zip(old, new, strict=True)])
    parts = _shapley(x, y)
    change = last - first
    effects = tuple(
        FactorEffect(f.name, old[i], new[i], float(parts[i]), _over(float(parts[i]), change))
        for i, f in enumerate(tree)
    )
    residual = change - math.fsum(float(p) for p in parts)
    scale = max(abs(first), abs(last), float(np.abs(parts).max()))
    if abs(residual) <= 1e-9 * scale:
        residual = 0.0
    return TreeDecomposition(first, last, change, effects, residual)


def _factor_values(measures: Mapping[str, float], tree: Sequence[Factor]) -> list[float | None]:
    values: list[float | None] = []
    for factor in tree:
        above = _measure(measures, factor.numerator)
        below = 1.0 if factor.denominator is None else _measure(measures, factor.denominator)
        value = above / below if below != 0 else math.nan
        values.append(value if math.isfinite(value) else None)
    return values


def _measure(measures: Mapping[str, float], name: str) -> float:
    value = measures.get(name)
    if value is None or not math.isfinite(value):
        raise InvalidInput(
            f"The tree needs a number for {name}, but it is {value}.",
            suggestions=["Give every measure of the tree in both periods; 0 where there was nothing."],
        )
    return float(value)


def _shapley(x: Floats, y: Floats) -> Floats:
    """Shapley values of the change of a product from all of ``x`` to all of ``y``."""
    n = len(x)
    parts = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            weight = math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)
            for moved in combinations(others, size):
                rest = math.prod(float(y[j]) if j in moved else float(x[j]) for j in others)
                parts[i] += weight * rest * (y[i] - x[i])
    return parts


def decompose_segments(
    before: Any,
    after: Any,
    dimensions: Sequence[str],
    *,
    value: str,
    weight: str | None = None,
    pairs: bool = True,
) -> tuple[SegmentCut, ...]:
    """Split a change over the segments of every dimension, and of every pair of dimensions.

    Args:
        before: Rows of the period before, with the dimensions and the value (any grain; rows are added up).
        after: Rows of the period after.
        dimensions: The columns to cut by.
        value: The column that adds up.
        weight: For a ratio, the column that the value is divided by (sessions under orders).
        pairs: Whether pairs of dimensions are cut as well; a pair of which one tells the other is left out.

    Raises:
        NotFound: A column is missing.
        CalculationError: A ratio has no weight at all in one of the periods.
    """
    old, new = require_frame(before, "before"), require_frame(after, "after")
    for frame in (old, new):
        for name in (*dimensions, value, *([weight] if weight else [])):
            require_column(frame, name)
    cuts = [(d,) for d in dimensions]
    if pairs:
        told = _told(old, new, dimensions)
        cuts += [p for p in combinations(dimensions, 2) if p not in told]
    return tuple(_cut(old, new, cut, value, weight) for cut in cuts)


def _told(old: pd.DataFrame, new: pd.DataFrame, dimensions: Sequence[str]) -> set[tuple[str, str]]:
    """Pairs of which one dimension tells the other (a product its category): their cut is that of one alone."""
    import pandas as pd

    found: set[tuple[str, str]] = set()
    both = pd.concat([old[list(dimensions)], new[list(dimensions)]]).drop_duplicates()
    for a, b in combinations(dimensions, 2):
        together = len(both[[a, b]].drop_duplicates())
        if together in (len(both[a].drop_duplicates()), len(both[b].drop_duplicates())):
            found.add((a, b))
    return found


def _cut(
    old: pd.DataFrame, new: pd.DataFrame, cut: tuple[str, ...], value: str, weight: str | None
) -> SegmentCut:

    columns = [value] if weight is None else [value, weight]
    summed: list[pd.DataFrame] = []
    for frame in (old, new):
        filled = frame[list(cut)].assign(
            **{f"_{i}": np.nan_to_num(numbers(frame[c], c)) for i, c in enumerate(columns)}
        )
        summed.append(filled.groupby(list(cut), dropna=False, observed=True, sort=False).sum())
    both = summed[0].add_suffix("a").join(summed[1].add_suffix("b"), how="outer").fillna(0.0)
    keys = [k if isinstance(k, tuple) else (k,) for k in both.index]
    segments = [tuple((d, plain_value(v)) for d, v in zip(cut, key, strict=True)) for key in keys]
    columns = ["_0a", "_0b", *(["_1a", "_1b"] if weight else [])]
    first, last, made = segment_effects(segments, *(both[c].to_numpy(np.float64) for c in columns))
    return SegmentCut(cut, first, last, last - first, tuple(made))


def segment_effects(
    segments: Sequence[Segment], v0: Floats, v1: Floats, w0: Floats | None = None, w1: Floats | None = None
) -> tuple[float, float, list[SegmentEffect]]:
    """The whole before and after, and what each segment adds to its change, the largest effects first.

    Args:
        segments: Their names.
        v0: Their values before.
        v1: Their values after.
        w0: For a ratio, what the values are divided by, before.
        w1: The same after.
    """
    if w0 is None or w1 is None:
        first, last = math.fsum(v0), math.fsum(v1)
        made = [SegmentEffect(s, a, b, b - a, None, None, _over(b - a, last - first))
                for s, a, b in zip(segments, v0.tolist(), v1.tolist(), strict=True)]  # fmt: skip
    else:
        first, last, made = _ratio_effects(segments, v0, v1, w0, w1)
    made.sort(key=lambda e: (-abs(e.contribution), str(e.segment)))
    return first, last, made


def _ratio_effects(
    segments: Sequence[Segment], v0: Floats, v1: Floats, w0: Floats, w1: Floats
) -> tuple[float, float, list[SegmentEffect]]:
    """Mix and rate with the average of both periods as the point of view; sums are exact whatever is zero."""
    below = (math.fsum(w0), math.fsum(w1))
    if 0.0 in below:
        raise CalculationError(
            "The ratio is not defined: its denominator is 0 in one of the periods.",
            suggestions=["Choose periods in which there was something to divide by."],
        )
    first, last = math.fsum(v0) / below[0], math.fsum(v1) / below[1]
    middle, change = (first + last) / 2, last - first
    made: list[SegmentEffect] = []
    for i, segment in enumerate(segments):
        s0, s1 = w0[i] / below[0], w1[i] / below[1]
        r0 = v0[i] / w0[i] if w0[i] else None
        r1 = v1[i] / w1[i] if w1[i] else None
        seen = [r for r in (r0, r1) if r is not None]
        own = (seen[0] + seen[-1]) / 2 if seen else middle
        whole = v1[i] / below[1] - v0[i] / below[0] - (s1 - s0) * middle
        mix = (s1 - s0) * (own - middle)
        made.append(
            SegmentEffect(
                segment, _maybe(r0), _maybe(r1), float(whole), float(whole - mix), float(mix),
                _over(float(whole), change),
            )
        )  # fmt: skip
    return first, last, made


def _maybe(value: Any) -> float | None:
    return None if value is None else float(value)


def _over(part: float, whole: float) -> float | None:
    share = part / whole if whole else math.nan
    return share if math.isfinite(share) else None


def plain_value(value: Any) -> Any:
    """A value of a dimension as plain Python; None where it is missing."""
    import pandas as pd

    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value
