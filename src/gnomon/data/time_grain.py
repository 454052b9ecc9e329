"""How a time column ticks: the grain, and the periods that have no rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gnomon.data.measurement import Family, Measurement, alias
from gnomon.data.profile_model import Gap, TimeGrain
from gnomon.data.quality import PLACEHOLDER_DATES

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    Moments = NDArray[np.int64]

_SECOND = 1_000_000
_HOUR = 3600 * _SECOND
_DAY = 24 * _HOUR
_EPOCH = dt.datetime(1970, 1, 1)
_UNITS = (
    ("day", _DAY),
    ("hour", _HOUR),
    ("minute", 60 * _SECOND),
    ("second", _SECOND),
    ("millisecond", 1000),
)
_MAX_GAPS = 10
_HINT_ROWS = 20_000


def grains(cursor: duckdb.DuckDBPyConnection, measured: Measurement) -> tuple[TimeGrain, ...]:
    """Grain and gaps of every time column of a measured table."""
    found: list[TimeGrain] = []
    for i, figures in enumerate(measured.columns):
        if figures.family not in (Family.DATE, Family.TIMESTAMP) or figures.distinct < 2:
            continue
        head = _distinct_moments(cursor, measured.head, i, None if measured.whole else _HINT_ROWS)
        moments = head if measured.whole else measured.moments.get(i, [])
        grain = infer_grain(figures.column.name, moments, hint=None if measured.whole else head)
        if grain:
            found.append(grain)
    return tuple(found)


def infer_grain(
    column: str, moments: Sequence[int] | Moments, hint: Sequence[int] | Moments | None = None
) -> TimeGrain | None:
    """The grain of different moments, given in microseconds since 1970.

    Args:
        column: Name to report.
        moments: Every different moment; cut to the hour where ``hint`` is given.
        hint: Uncut moments of the first rows, which show ticks shorter than an hour.

    Returns:
        The grain, or ``None`` where fewer than two moments are left without placeholder dates.
    """
    values = _without_placeholders(np.unique(np.asarray(moments, dtype=np.int64)))
    if len(values) < 2:
        return None
    fine = step_of(np.unique(np.asarray(hint, dtype=np.int64))) if hint is not None else None
    if fine and fine < _HOUR:
        return _describe(column, values // _HOUR, "hour", _HOUR, values, grain=step_name(fine), exact=False)
    midnight = bool(np.all(values % _DAY == 0)) and not (hint is not None and _intraday(hint))
    if midnight:
        return _calendar(column, values)
    step = step_of(values)
    if step:
        return _describe(column, values // step, step_name(step), step, values)
    return _counted_in(column, values)


def step_of(values: Moments) -> int | None:
    """The step between neighbouring moments, where most of them are one step apart on one grid."""
    if len(values) < 3:
        return None
    differences, counts = np.unique(np.diff(values), return_counts=True)
    step = int(differences[np.argmax(counts)])
    on_grid = float(np.mean((values - values[0]) % step == 0))
    return step if counts.max() / counts.sum() >= 0.5 and on_grid >= 0.9 else None


def step_name(step: int) -> str:
    """A step in words: ``hour``, ``15 minutes``."""
    if step % (7 * _DAY) == 0:
        return "week" if step == 7 * _DAY else f"{step // (7 * _DAY)} weeks"
    for name, size in _UNITS:
        if step % size == 0:
            return name if step == size else f"{step // size} {name}s"
    return f"{step} microseconds"


def _intraday(moments: Sequence[int] | Moments) -> bool:
    return bool(np.any(np.asarray(moments, dtype=np.int64) % _DAY != 0))


def _calendar(column: str, values: Moments) -> TimeGrain:
    """Moments that are all dates: years, quarters, months, weeks, working days or days."""
    days = values // _DAY
    months = _months(days)
    starts = _months(days - 1) != months
    ends = _months(days + 1) != months
    if bool(np.all(starts) or np.all(ends)) and len(values) >= 3:
        step = int(np.gcd.reduce(np.diff(months)))
        size = 12 if step % 12 == 0 else 3 if step % 3 == 0 else 1
        name = {12: "year", 3: "quarter", 1: "month"}[size]
        return _describe(column, (months - months[0]) // size, name, None, values)
    if len(days) >= 3 and np.gcd.reduce(np.diff(days)) % 7 == 0:
        return _describe(column, days // 7, "week", 7 * _DAY, values)
    weekdays = (days + 3) % 7
    if len(days) >= 10 and bool(np.all(weekdays < 5)) and np.mean(np.diff(days) <= 3) >= 0.5:
        working = (days + 3) // 7 * 5 + weekdays
        return _describe(column, working, "business day", None, values)
    if np.mean(np.diff(days) == 1) >= 0.8:
        return _describe(column, days, "day", _DAY, values)
    return _counted_in(column, values)


def _counted_in(column: str, values: Moments) -> TimeGrain:
    """Moments that fall anywhere: the finest period of which at least half have rows."""
    days = values // _DAY
    months = _months(days)
    options: list[tuple[str, Moments, int | None]] = [
        ("hour", values // _HOUR, _HOUR),
        ("day", days, _DAY),
        ("week", (days + 3) // 7, None),
        ("month", months, None),
        ("year", months // 12, None),
    ]
    if bool(np.all(values % _DAY == 0)):
        options = options[1:]
    for name, periods, step in options:
        present = np.unique(periods)
        if len(present) >= 2 and len(present) / (present[-1] - present[0] + 1) >= 0.5:
            return _describe(column, periods, name, step, values, regular=False)
    start, end = _text(int(values[0])), _text(int(values[-1]))
    return TimeGrain(column, "irregular", False, start, end, len(values), 0)


def _describe(
    column: str,
    periods: Moments,
    name: str,
    step: int | None,
    values: Moments,
    *,
    regular: bool = True,
    grain: str | None = None,
    exact: bool = True,
) -> TimeGrain:
    present, first = np.unique(periods, return_index=True)
    jumps = np.diff(present)
    where = np.flatnonzero(jumps > 1)
    longest = sorted(np.sort(where[np.argsort(-jumps[where], kind="stable")][:_MAX_GAPS]).tolist())
    offset = int(values[0]) % step if step and regular and not grain else 0
    gaps = tuple(_gap(values, first, int(k), int(jumps[k] - 1), step, offset) for k in longest)
    return TimeGrain(
        column=column,
        grain=grain or name,
        regular=regular,
        start=_text(int(values[0])),
        end=_text(int(values[-1])),
        periods=len(present),
        missing=int(present[-1] - present[0] + 1 - len(present)),
        gaps=gaps,
        exact=exact,
    )


def _gap(values: Moments, first: Moments, k: int, periods: int, step: int | None, offset: int) -> Gap:
    """First and last missing period where the step is fixed, otherwise the moments around the gap."""
    last, following = int(values[first[k + 1] - 1]), int(values[first[k + 1]])
    if not step:
        return Gap(f"after {_text(last)}", f"before {_text(following)}", periods)
    start = ((last - offset) // step + 1) * step + offset
    end = ((following - offset) // step - 1) * step + offset
    return Gap(_text(start), _text(end), periods)


def _months(days: Moments) -> Moments:
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _without_placeholders(values: Moments) -> Moments:
    """Drop dates such as 1900-01-01 that stand for "unknown", where they lie years from the rest."""
    far = 5 * 365 * _DAY
    while len(values) > 2 and _text(int(values[0]))[:10] in PLACEHOLDER_DATES and values[1] - values[0] > far:
        values = values[1:]
    while (
        len(values) > 2 and _text(int(values[-1]))[:10] in PLACEHOLDER_DATES and values[-1] - values[-2] > far
    ):
        values = values[:-1]
    return values


def _text(moment: int) -> str:
    try:
        text = (_EPOCH + dt.timedelta(microseconds=moment)).isoformat()
    except OverflowError:
        return "out of range"
    return text.removesuffix("T00:00:00")


def _distinct_moments(
    cursor: duckdb.DuckDBPyConnection, relation: str, index: int, rows: int | None
) -> Moments:
    name = alias(index)
    relation = f"(SELECT {name} FROM {relation} LIMIT {rows})" if rows else relation
    query = (
        f"SELECT DISTINCT epoch_us({name}::TIMESTAMP) AS m FROM {relation} "
        f"WHERE isfinite({name}) AND year({name}) BETWEEN 1 AND 9999 ORDER BY m"
    )
    # Whole arrays: a column of moments may be different in every row.
    return np.asarray(cursor.execute(query).fetchnumpy()["m"], dtype=np.int64)
