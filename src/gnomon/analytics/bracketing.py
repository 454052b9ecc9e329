"""Edges that people would draw between ranges of numbers: round ones, about as many rows on each side."""

from __future__ import annotations

import math
import sys

import numpy as np

from gnomon.analytics.inputs import Floats
from gnomon.core.errors import InvalidInput

_FEW = 5
_MOST = 50
_STEPS = (1, 2, 2.5, 5, 10)


def bracket_edges(values: Floats, *, width: float | None = None, bins: int | None = None) -> list[float]:
    """The edges between ranges; the first range lies below the first edge, the last one from the last edge on.

    Equal steps of a round size where the values spread evenly; where they trail off far, round numbers near the
    quantiles, so that no range is nearly empty.

    Args:
        values: The numbers, at least one.
        width: How wide each range is, where that was said.
        bins: How many ranges there are to be.

    Raises:
        InvalidInput: The width would make far too many ranges.
    """
    low, high = float(values.min()), float(values.max())
    if low == high:
        return [low]
    near, far = (float(q) for q in np.quantile(values, (0.02, 0.98)))
    if width is not None:
        many = (high - low) / width > _MOST  # the few that lie far off share the first and the last range
        return _even(near if many else low, far if many else high, width)
    wanted = bins or _FEW
    if bins is None and not _trails(values):
        return _even(near, far, _round_step((far - near) / wanted))
    places = np.quantile(values, np.arange(1, wanted) / wanted)
    edges = sorted({_rounded(float(p)) for p in places})
    return [e for e in edges if low < e <= high] or [float(np.median(values))]


def _trails(values: Floats) -> bool:
    """Whether the values trail off so far that equal steps would hold nearly all of them in one."""
    low, middle, high = (float(q) for q in np.quantile(values, (0.02, 0.5, 0.98)))
    return high > low and (middle - low) < 0.2 * (high - low)


def _even(low: float, high: float, step: float) -> list[float]:
    first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
    if last - first >= _MOST:
        raise InvalidInput(
            f"Ranges of {step:g} would make more than {_MOST} of them.", suggestions=["Ask for wider ranges."]
        )
    return [float(f"{step * k:.12g}") for k in range(first, max(first, last) + 1)]


def _round_step(raw: float) -> float:
    """The round step nearest to a size."""
    power = 10 ** math.floor(math.log10(raw)) if raw > 0 else 1.0
    return min((s * power for s in _STEPS), key=lambda s: abs(s - raw))


def _rounded(value: float) -> float:
    """A number to one digit, or to one and a half: 120 and 150 rather than 100 and 200."""
    if abs(value) < sys.float_info.min:  # too small for a power of ten
        return 0.0
    power = 10 ** math.floor(math.log10(abs(value)))
    lead = value / power
    step = 0.5 if abs(lead) < 5 else 1.0
    return float(f"{round(lead / step) * step * power:.12g}")
