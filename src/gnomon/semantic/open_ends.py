"""Days and hours that the rows begin or end in the middle of: on others they begin earlier, or go on for longer.

A day is not over where hardly any other day ended so early, and where that is no accident: it was held against
enough other days, or so many rows usually come later that none of them would be a rare chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Literal

from gnomon.core.query import TimeGranularity
from gnomon.data.table import quote
from gnomon.semantic.model import Dimension, DimensionType

if TYPE_CHECKING:
    from gnomon.data import Dataset

Unit = Literal["day", "hour"]
_UNITS: tuple[Unit, Unit] = ("day", "hour")
_RARE = 0.05
_MANY = 19  # so many others make the earliest of all a rare chance
_EXPECTED = 3.0  # where so many rows are expected, none is a rare chance

_NEAR = timedelta(days=60)  # habits are those of the days around


def with_open_ends(dimensions: Sequence[Dimension], dataset: Dataset | None) -> list[Dimension]:
    """The dimensions of moments with the days and hours at either end that their rows cut short."""
    return [_ended(d, dataset) if dataset is not None else d for d in dimensions]


def _ended(dimension: Dimension, dataset: Dataset) -> Dimension:
    ticks = dimension.type is DimensionType.TIME and dimension.grain is TimeGranularity.HOUR
    if not ticks or dimension.coverage is None or len(dimension.locations) != 1:
        return dimension
    column = quote(dimension.home.column)
    moment = f"CAST({column} AS DATE) + TRY_CAST({quote(dimension.beside[0])} AS TIME)" if dimension.beside else column  # fmt: skip
    first, last = dimension.coverage
    near = f"({column} BETWEEN ? AND ?) OR ({column} BETWEEN ? AND ?)"
    start, end = datetime.combine(first, time.min), datetime.combine(last, time.max)
    bound = (start, start + _NEAR, end - _NEAR, end)
    cursor = dataset.cursor()
    try:
        days, hours = (
            open_ends(cursor, quote(dimension.home.table), moment, unit, near, bound) for unit in _UNITS
        )
    finally:
        cursor.close()
    return dimension.model_copy(update={"open_days": tuple(d.date() for d in days), "open_hours": tuple(hours)})  # fmt: skip


def open_ends(
    cursor: Any, relation: str, moment: str, unit: Unit, condition: str = "TRUE", bound: Sequence[Any] = ()
) -> list[datetime]:
    """The beginnings of the first and of the last day, or hour, where the rows cut them short.

    Args:
        cursor: Where the rows can be asked for.
        relation: The table, as SQL.
        moment: The time of a row, as SQL.
        unit: The length of the periods.
        condition: Which rows are looked at, as SQL.
        bound: Values of that condition.
    """
    rows = (
        f"SELECT date_trunc('{unit}', moment) AS period, epoch(moment) - epoch(date_trunc('{unit}', moment)) AS inside "
        f"FROM (SELECT CAST({moment} AS TIMESTAMP) AS moment FROM {relation} WHERE {condition}) WHERE moment IS NOT NULL"
    )
    ends = (
        f"WITH given AS ({rows}), periods AS (SELECT period, min(inside) AS low, max(inside) AS high FROM given GROUP BY period), "
        "cut AS (SELECT min(period) AS first, max(period) AS last, min_by(low, period) AS low, max_by(high, period) AS high, "
        "count(*) - 1 AS others FROM periods) "
        "SELECT first, last, others, "
        "(SELECT count(*) FROM periods, cut WHERE period > first AND periods.low >= cut.low), "
        "(SELECT count(*) FROM periods, cut WHERE period < last AND periods.high <= cut.high), "
        "(SELECT count(*) FROM given, cut WHERE period > first AND inside < cut.low), "
        "(SELECT count(*) FROM given, cut WHERE period < last AND inside > cut.high) FROM cut"
    )
    found = cursor.execute(ends, list(bound)).fetchone()
    if found is None or not found[2]:
        return []
    first, last, others, late, early, before, after = found
    sides = ((first, late, before), (last, early, after))
    return [
        at for at, alike, beyond in sides
        if alike <= _RARE * others and (others >= _MANY or beyond >= _EXPECTED * others)
    ]  # fmt: skip
