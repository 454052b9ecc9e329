"""Rebounds: a change that is only the end of something that happened in the earlier period."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

import numpy as np

from gnomon.analytics.explanation import Search
from gnomon.analytics.inputs import Bools, Floats, Ints
from gnomon.analytics.segment_field import Field
from gnomon.analytics.significance import ChangeTest, change_test
from gnomon.core.errors import GnomonError
from gnomon.core.query import TimeRange

_ALPHA = 0.02
_APART = 0.005
_SHORTEST = 3  # days: a single day that is off needs no end
_BACK = 0.5  # of what was lost (or gained) that has to have come back
_MOST = 0.5  # of the change that the return has to account for


def is_rebound(
    inner: Field,
    change: ChangeTest,
    windows: Sequence[TimeRange],
    days: Ints,
    above: Floats,
    below: Floats | None,
    *,
    mean: bool,
    apart: tuple[Field, Bools] | None = None,
) -> bool:
    """Whether the earlier period was the one out of the ordinary, and most of the change is that it ended.

    Args:
        inner: The metric by period and leaf, of the leaves that the question is about.
        change: The change, tested.
        windows: The periods of the field, the latest first.
        days: The days of the series, as ordinals.
        above: The metric by day.
        below: What it is divided by, by day, for a ratio.
        mean: Whether a period's figure is the average over its days.
        apart: All leaves, and which of them the question is about, where it is about some only.
    """
    if len(windows) < 4 or not change.change or windows[1].days < _SHORTEST:
        return False
    dated = [date.fromordinal(int(d)) for d in days]
    try:
        before = change_test(dated, above, windows[1], windows[2], weights=below, mean=mean)
        earlier = _earlier(inner)
    except GnomonError:
        return False
    if before.p_value is not None and before.p_value < _APART and before.expected is not None:
        lost = before.after - before.expected
        if lost * change.change < 0 and abs(change.after - before.expected) <= (1 - _BACK) * abs(lost):
            return True
    if apart is not None and (strayed := _strayed(*apart)) is not None:
        moved = float(inner.values[0].sum() - inner.values[1].sum())
        if strayed * moved < 0 and abs(moved) >= _BACK * abs(strayed):
            return True
    spread = math.log(before.high / before.low) / 4 if before.low and before.high and before.low > 0 else None
    scale = windows[1].days if mean else 1.0
    expected = before.expected * scale if before.expected is not None else None
    _, found = Search(earlier).parts(expected=expected, spread=spread, alpha=_ALPHA)
    per = 1.0 if earlier.weights is None else float(earlier.weights[0].sum()) or 1.0
    total = float(inner.values[0].sum()) / max(float(inner.base.sum()), 1e-300)
    told = 0.0
    for part in found:
        strayed = part.actual - part.expected
        usual = float(inner.base[_leaves(inner, part.segment)].sum()) * (
            total if inner.weights is None else 1.0
        )
        now = float(inner.values[0][_leaves(inner, part.segment)].sum())
        # What is expected now leans on the period that strayed, so that it is undone from it.
        if abs(now - usual) < abs(strayed) or (now - part.actual) * strayed < 0:
            told -= strayed / per
    return told * change.change > 0 and abs(told) >= _MOST * abs(change.change)


def _strayed(field: Field, focus: Bools) -> float | None:
    """How far some leaves were from how all others moved in the earlier period; None where they were not."""
    found = _earlier(field).departure(focus)
    return found.actual - found.expected if found is not None and found.p_value < _APART else None


def _leaves(field: Field, segment: Sequence[tuple[str, object]]) -> Bools:
    chosen = np.ones(field.values.shape[1], dtype=np.bool_)
    for name, value in segment:
        hit = np.array([x == value for x in field.labels[name]], dtype=np.bool_)
        chosen &= hit[field.codes[name]]
    return chosen


def _earlier(field: Field) -> Field:
    """The field as it was one period before."""
    windows, leaves = field.values.shape
    window = np.repeat(np.arange(windows - 1), leaves)
    codes = {d: np.tile(c, windows - 1) for d, c in field.codes.items()}
    weights = None if field.weights is None else field.weights[1:].ravel()
    return Field.coded(
        codes, field.labels, window, field.values[1:].ravel(), weights, field.squares[1:].ravel()
    )
