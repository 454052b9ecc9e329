"""How two columns hang together: a coefficient, the rank correlation beside it, and what kind of relation it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gnomon.analytics.association import correlation_ratio, cramers_v, numeric_association
from gnomon.analytics.coding import Coded
from gnomon.analytics.inputs import Floats
from gnomon.analytics.results import Result
from gnomon.core.errors import CalculationError

Method = Literal["pearson", "spearman", "kendall"]
FEWEST = 3
CHANCE = 0.05
_BINS = 10
_FEWEST_BINNED = 50
_CLEARLY = 0.1
_BENT = 0.2
_STRAIGHT = 0.7
_SURELY = 0.01
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Relation(Result):
    """Two columns and how they hang together.

    Attributes:
        method: ``pearson``, ``spearman``, ``kendall``, or where a column has no order ``correlation_ratio`` or
            ``cramers_v``.
        coefficient: By that method.
        rank: Spearman's coefficient, where both have an order.
        bent: How much of one the ranges of the other tell apart (from 0 to 1), whatever the shape.
        type: Whether the two are related along a line, otherwise, or not at all.
    """

    method: str
    coefficient: float
    p_value: float
    low: float | None
    high: float | None
    rank: float | None
    rank_p: float | None
    bent: float | None
    n: int
    type: Literal["linear", "nonlinear", "none"]


def relation(first: Coded, second: Coded, method: Method = "pearson") -> Relation:
    """Relate two columns over the rows where both are known.

    Raises:
        CalculationError: Fewer than three such rows, or a column that does not vary in them.
    """
    both = ~(np.isnan(first.values) | np.isnan(second.values))
    x, y, n = first.values[both], second.values[both], int(both.sum())
    if n < FEWEST:
        raise CalculationError(
            f"A correlation needs at least {FEWEST} rows where both are known; there are {n}."
        )
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        raise CalculationError("One of the two columns has the same value throughout.")
    if not (first.ordered and second.ordered):
        return _of_groups(first, second, x, y)
    found = numeric_association(x, y, method, _CONFIDENCE)
    ranks = numeric_association(x, y, "spearman", _CONFIDENCE)
    bent = max(_bent(x, y), _bent(y, x)) if n >= _FEWEST_BINNED else None
    straight = found if method == "pearson" else numeric_association(x, y, "pearson", _CONFIDENCE)
    kind = _type(straight.coefficient, straight.p_value, ranks.coefficient, ranks.p_value, bent)
    return Relation(
        found.method, found.coefficient, found.p_value, found.low, found.high,
        ranks.coefficient, ranks.p_value, bent, n, kind,
    )  # fmt: skip


def _of_groups(first: Coded, second: Coded, x: Floats, y: Floats) -> Relation:
    """A category against numbers by how far its groups lie apart, two categories by their counts."""
    numeric = {"number", "date"}
    if first.kind in numeric or second.kind in numeric:
        values, codes = (x, y) if first.kind in numeric else (y, x)
        found = correlation_ratio(codes.astype(np.int64), values)
    else:
        counts = np.zeros((len(first.levels), len(second.levels)))
        np.add.at(counts, (x.astype(np.int64), y.astype(np.int64)), 1)
        found = cramers_v(counts)
    kind: Literal["nonlinear", "none"] = "nonlinear" if found.p_value < CHANCE else "none"
    return Relation(
        found.method, found.coefficient, found.p_value, None, None, None, None, None, len(x), kind
    )


def _bent(x: Floats, y: Floats) -> float:
    """How far the averages of ``y`` in equally large ranges of ``x`` lie apart; 0 where chance may do that."""
    edges = np.unique(np.quantile(x, np.linspace(0, 1, _BINS + 1)[1:-1]))
    codes = np.searchsorted(edges, x, side="left")
    used = np.unique(codes, return_inverse=True)[1]
    found = correlation_ratio(used, y)
    return found.coefficient if found.p_value < _SURELY else 0.0


def _type(
    r: float, p: float, rank: float, rank_p: float, bent: float | None
) -> Literal["linear", "nonlinear", "none"]:
    """A line where it explains much, or no other shape explains clearly more; nothing where chance may do it."""
    bends = bent is not None and bent - abs(r) >= _BENT
    ranks = rank_p < CHANCE and abs(rank) - abs(r) >= _CLEARLY
    if abs(r) < _STRAIGHT and (bends or (ranks and (p < CHANCE or abs(rank) >= _BENT))):
        return "nonlinear"
    return "linear" if p < CHANCE else "none"
