"""A diagnosis of one table of rows: the change, the segments it comes down to, and which other columns account for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.cause_evidence import Candidate, Effect, onset
from gnomon.analytics.causes import Cause, Verdict, judge, ranked
from gnomon.analytics.drivers import SegmentCut, decompose_segments
from gnomon.analytics.explanation import Explanation, Search
from gnomon.analytics.inputs import Bools, Floats, added_up, numbers, require_column, require_frame
from gnomon.analytics.parts import Part, parts_of
from gnomon.analytics.results import Result
from gnomon.analytics.segment_field import LARGEST, Field
from gnomon.analytics.significance import ChangeTest, ChangeVerdict, change_test
from gnomon.core.errors import InvalidInput
from gnomon.core.query import TimeRange

if TYPE_CHECKING:
    import pandas as pd

_HISTORY = 12
_LEAD_IN = 28
_ALPHA = 0.02
# No column of the data can be called so.
_WINDOW, _SQUARE = "\0window", "\0square"


@dataclass(frozen=True, slots=True)
class FrameDiagnosis(Result):
    """Why a column changed from one period to another, as far as one table tells.

    Attributes:
        change: The change, sized and tested.
        explanation: The fewest segments that it comes down to.
        cuts: The change over the segments of every dimension.
        causes: Other columns that moved, the most convincing first.
        ruled_out: Other columns that the data speaks against.
    """

    change: ChangeTest
    explanation: Explanation
    cuts: tuple[SegmentCut, ...]
    causes: tuple[Cause, ...]
    ruled_out: tuple[Cause, ...]


def diagnose_frame(
    frame: Any,
    *,
    time: str,
    value: str,
    dimensions: Sequence[str] = (),
    current: TimeRange,
    previous: TimeRange,
    weight: str | None = None,
    candidates: Mapping[str, bool] | None = None,
) -> FrameDiagnosis:
    """Explain why a column changed from one period to another.

    Args:
        frame: Rows of any grain.
        time: The column that tells when.
        value: The column that adds up.
        dimensions: The columns that segments are made of.
        current: The later period.
        previous: The earlier period.
        weight: For a ratio, the column that the value is divided by.
        candidates: Other columns of numbers that may have caused it, each with whether it adds up (else it is
            averaged).

    Raises:
        NotFound: A column is missing.
        InvalidInput: The periods overlap, or times cannot be read.
        CalculationError: There is nothing to compare.
    """
    import pandas as pd

    rows = require_frame(frame)
    others = dict(candidates or {})
    for name in (time, value, *dimensions, *([weight] if weight else []), *others):
        require_column(rows, name)
    day = pd.to_datetime(rows[time], errors="coerce").dt.normalize()
    if day.isna().all():
        raise InvalidInput(f"{time} holds no time stamps.", suggestions=["Name a column of dates as 'time'."])
    rows, day = rows[day.notna()], day[day.notna()]
    values = np.nan_to_num(numbers(rows[value], value))
    weights = np.nan_to_num(numbers(rows[weight], weight)) if weight else None
    for name, held_values in ((value, values), (weight, weights)):
        _check_squares(name, held_values)
    change = change_test(day.tolist(), values, current, previous, weights=weights)
    windows = _windows(current, previous, day.min().date())
    held = rows.assign(**{_WINDOW: _numbered(day, windows), _SQUARE: values**2})
    held = held[held[_WINDOW] >= 0]
    cuts = decompose_segments(
        held[held[_WINDOW] == 1],
        held[held[_WINDOW] == 0],
        dimensions,
        value=value,
        weight=weight,
        pairs=False,
    )
    field = Field.of(held, dimensions, value=value, window=_WINDOW, weight=weight, square=_SQUARE)
    expected, spread = _ordinary(change)
    search = Search(field)
    level, found = search.parts(expected=expected, spread=spread, alpha=_ALPHA)
    everything = np.ones(field.values.shape[1], dtype=np.bool_)
    whole = change.verdict is ChangeVerdict.UNUSUAL and not found
    parts = parts_of(field, everything, field, level, found, whole=whole, expected=expected)
    judged = [
        c
        for p in parts
        for c in _judged(p, parts, field, held, day, others, windows, change, value, dimensions)
    ]
    told = ranked(judged)
    return FrameDiagnosis(
        change,
        search.told(level, found),
        cuts,
        tuple(c for c in told if c.verdict is not Verdict.RULED_OUT),
        tuple(c for c in told if c.verdict is Verdict.RULED_OUT),
    )


def _check_squares(name: str | None, values: Floats | None) -> None:
    """Squares are added up and multiplied: what would overflow then is refused by the name of its column."""
    largest = float(np.abs(values).max(initial=0.0)) if values is not None else 0.0
    if largest > LARGEST:
        raise InvalidInput(
            f"{name} reaches {largest:g}, which is too large to compute with (limit {LARGEST:g}).",
            suggestions=["Check the values, or express them in a larger unit."],
        )


def _windows(current: TimeRange, previous: TimeRange, first: date) -> list[TimeRange]:
    windows = [current, previous]
    while len(windows) < _HISTORY + 2:
        end = windows[-1].start - timedelta(days=1)
        if (end - first).days + 1 < previous.days:
            break
        windows.append(TimeRange(start=end - timedelta(days=previous.days - 1), end=end))
    return windows


def _numbered(day: pd.Series[Any], windows: Sequence[TimeRange]) -> Any:
    import pandas as pd

    made = np.full(len(day), -1, dtype=np.int64)
    for i, w in enumerate(windows):
        made[((day >= pd.Timestamp(w.start)) & (day <= pd.Timestamp(w.end))).to_numpy()] = i
    return made


def _ordinary(change: ChangeTest) -> tuple[float | None, float | None]:
    if change.expected is None or change.low is None or change.high is None:
        return None, None
    return change.expected, math.log(change.high / change.low) / 4 if change.low > 0 else None


def _judged(
    part: Part,
    parts: Sequence[Part],
    field: Field,
    held: pd.DataFrame,
    day: pd.Series[Any],
    others: Mapping[str, bool],
    windows: Sequence[TimeRange],
    change: ChangeTest,
    value: str,
    dimensions: Sequence[str],
) -> list[Cause]:
    """Every candidate for one part; the leaves of the field are the units."""
    apart = np.zeros_like(part.leaves)
    for other in parts:
        apart |= other.leaves & ~part.leaves
    effect = Effect(
        actual=field.values[0],
        expected=part.expected,
        variance=field.leaf_variance(),
        inside=part.leaves,
        wider=part.leaves,
        size=part.size,
        change=change.change,
        apart=apart,
        everything=part.everything,
    )
    leaf = _leaf_of(field, held, dimensions)
    inside = held[part.leaves[leaf]]
    days = [windows[1].start - timedelta(days=_LEAD_IN) + timedelta(days=i)
            for i in range((windows[0].end - windows[1].start).days + 1 + _LEAD_IN)]  # fmt: skip
    began = onset(days, _daily(inside, day, days, value, adds_up=True), usual=_LEAD_IN)
    length = np.array([w.days for w in windows], dtype=np.float64)
    made: list[Cause] = []
    for name, adds_up in others.items():
        column = numbers(held[name], name)
        above = _spread(held, leaf, np.nan_to_num(column), field)
        below = None if adds_up else _spread(held, leaf, (~np.isnan(column)).astype(np.float64), field)
        candidate = Candidate(name, name, above, below, length[: len(above)])
        moved = onset(days, _daily(inside, day, days, name, adds_up=adds_up), usual=_LEAD_IN)
        made.append(
            judge(candidate, effect, segment=part.segment, began=began, moved=moved, tests=len(others))
        )
    return made


def _leaf_of(field: Field, held: pd.DataFrame, dimensions: Sequence[str]) -> Any:
    """The leaf of each row."""
    from gnomon.analytics.drivers import plain_value

    places = {
        key: i for i, key in enumerate(zip(*(field.codes[d].tolist() for d in dimensions), strict=True))
    }
    codes = []
    for d in dimensions:
        known = {v: i for i, v in enumerate(field.labels[d])}
        codes.append([known[plain_value(v)] for v in held[d]])
    if not dimensions:
        return np.zeros(len(held), dtype=np.int64)
    return np.array([places[key] for key in zip(*codes, strict=True)], dtype=np.int64)


def _spread(held: pd.DataFrame, leaf: Any, column: Floats, field: Field) -> Floats:
    windows, leaves = field.values.shape
    at = held[_WINDOW].to_numpy(np.int64) * leaves + leaf
    return added_up(at, column, windows * leaves).astype(np.float64).reshape(windows, leaves)


def _daily(
    rows: pd.DataFrame, day: pd.Series[Any], days: Sequence[date], name: str, *, adds_up: bool
) -> Floats:
    grouped = numbers(rows[name], name)
    at = day.loc[rows.index].dt.date.map({d: i for i, d in enumerate(days)}).to_numpy(np.float64)
    kept: Bools = ~np.isnan(at) & ~np.isnan(grouped)
    place = at[kept].astype(np.int64)
    total = added_up(place, grouped[kept], len(days)).astype(np.float64)
    if adds_up:
        return total
    count = np.bincount(place, minlength=len(days))
    return np.divide(total, count, out=np.full(len(days), np.nan), where=count > 0)
