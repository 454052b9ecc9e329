"""Dates that are spread over columns: a year and the month or quarter beside it, a day and the time of day beside it."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.data import ColumnProfile, DatasetProfile, TableProfile
from gnomon.data.table import quote
from gnomon.semantic.infer_dimensions import period_end
from gnomon.semantic.labels import lower_words
from gnomon.semantic.measures import is_numeric
from gnomon.semantic.model import Dimension, DimensionType
from gnomon.semantic.time_columns import MONTHS, Written, month_number

if TYPE_CHECKING:
    from gnomon.data import Dataset

_MONTH = frozenset({"month", "mon", "mo", "mth", "mnth"})
_QUARTER = frozenset({"quarter", "qtr", "q"})
_NUMBERED = regex(r"(?:q|qtr|quarter)? ?[1-4]", re.IGNORECASE)
_DAY = frozenset({"day", "dy", "dom"})
_DATED = frozenset({"date", "day", "dt", "on"})
_TIMED = frozenset({"time", "hour", "clock", "at"})
_CLOCK = regex(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?")
_MOST = 20_000


def with_parts_beside(
    dimensions: list[Dimension], profile: DatasetProfile, dataset: Dataset | None
) -> list[Dimension]:
    """Years with their months in a column beside them tick by month or day, days with times beside them by the hour.

    Args:
        dimensions: What the columns are.
        profile: What the tables hold.
        dataset: The tables themselves, to see the first and the last day.
    """
    return [_read(d, profile.table(d.home.table), dataset) for d in dimensions]


def _read(dimension: Dimension, table: TableProfile, dataset: Dataset | None) -> Dimension:
    if _is_year(dimension):
        return _whole(dimension, table, dataset)
    written = dimension.written
    if written is not None and written.is_text and dataset is not None and len(dimension.locations) == 1:
        texts = _distinct((dimension.home.column,), table.name, dataset)
        days = [written.day(str(row[0])) for row in texts if row[0] is not None]
        return dimension.model_copy(update={"coverage": (min(days), period_end(max(days), written))})
    if dimension.type is DimensionType.TIME and dimension.grain is TimeGranularity.DAY and written is None:
        clock = _clock_of(dimension.home.column, table)
        if clock is not None and len(dimension.locations) == 1:
            return dimension.model_copy(update={"beside": (clock,), "grain": TimeGranularity.HOUR})
    return dimension


def _clock_of(column: str, table: TableProfile) -> str | None:
    """The column of times of day that belongs to a column of days: ``start_time`` to ``start_date``."""
    days = [c for c in table.columns if c.type.upper().startswith(("DATE", "TIMESTAMP"))]
    times = [c for c in table.columns if _tells_times(c)]
    whose = [w for w in lower_words(column) if w not in _DATED]
    same = [c for c in times if [w for w in lower_words(c.name) if w not in _TIMED] == whose]
    found = same or (times if len(days) == 1 else [])
    return found[0].name if len(found) == 1 else None


def _tells_times(column: ColumnProfile) -> bool:
    if column.nulls:
        return False  # days without a time would be lost
    if column.type.upper() == "TIME":
        return True
    if not {*lower_words(column.name)} & _TIMED or not column.type.upper().startswith("VARCHAR"):
        return False
    values = [str(t.value) for t in column.top_values]
    ends = [str(v) for v in (column.minimum, column.maximum) if v is not None]
    return bool(values or ends) and all(_CLOCK.fullmatch(v.strip()) for v in (*values, *ends))


def _is_year(dimension: Dimension) -> bool:
    return (
        dimension.type is DimensionType.TIME
        and dimension.written is Written.YEAR
        and len(dimension.locations) == 1
    )


def _whole(dimension: Dimension, table: TableProfile, dataset: Dataset | None) -> Dimension:
    year = lower_words(dimension.home.column)
    if year[-1:] not in (["year"], ["yr"], ["yyyy"]):
        return dimension
    months = [c for c in table.columns if _is_part(c, year[:-1], _MONTH) and _tells_months(c)]
    if len(months) != 1:
        return _quartered(dimension, table, year[:-1], dataset)
    days = [c for c in table.columns if _is_part(c, year[:-1], _DAY) and _is_within(c, 31)]
    beside = (months[0].name, *(days[0].name for _ in days[:1] if len(days) == 1))
    grain = TimeGranularity.DAY if len(beside) > 1 else TimeGranularity.MONTH
    ends = _ends(dimension.home.column, beside, table.name, dataset) if dataset is not None else None
    told = {"beside": beside, "grain": grain, "coverage": ends or dimension.coverage}
    return dimension.model_copy(update=told)


def _quartered(
    dimension: Dimension, table: TableProfile, whose: list[str], dataset: Dataset | None
) -> Dimension:
    """Years with quarters beside them, where all of the rows have one: 2008 and 4."""
    quarters = [c for c in table.columns if _is_part(c, whose, _QUARTER) and _tells_quarters(c)]
    if len(quarters) != 1 or dataset is None:
        return dimension
    rows = _distinct((dimension.home.column, quarters[0].name), table.name, dataset)
    days = [d for y, q in rows if y is not None and (d := _day(y, 3 * _quarter(q) - 2))]
    if not days or len(rows) == _MOST:
        return dimension
    ends = (min(days), (max(days) + dt.timedelta(days=95)).replace(day=1) - dt.timedelta(days=1))
    told = {"beside": (quarters[0].name,), "grain": TimeGranularity.QUARTER, "coverage": ends}
    return dimension.model_copy(update={**told, "written": Written.YEAR_AND_QUARTER})


def _quarter(value: Any) -> int:
    """The number of a quarter, whether it is written 4, 4.0 or Q4."""
    return int(value.strip()[-1]) if isinstance(value, str) else int(value)


def _tells_quarters(column: ColumnProfile) -> bool:
    if column.nulls or not 1 < column.distinct <= 4:
        return False
    if is_numeric(column):
        return _is_within(column, 4)
    values = [str(t.value).strip() for t in column.top_values]
    return len(values) == column.distinct and all(_NUMBERED.fullmatch(v) for v in values)


def _is_part(column: ColumnProfile, whose: list[str], names: frozenset[str]) -> bool:
    """Whether a column is the month of the same thing as the year: ``ship_month`` of ``ship_year``."""
    words = lower_words(column.name)
    words = words[:-1] if words[-1:] in (["name"], ["no"], ["number"], ["num"]) else words
    return bool(words) and words[:-1] == whose and words[-1] in names


def _tells_months(column: ColumnProfile) -> bool:
    if column.nulls:
        return False
    if is_numeric(column):
        return _is_within(column, 12)
    values = [str(t.value) for t in column.top_values]
    return column.distinct <= len(MONTHS) and bool(values) and all(month_number(v) for v in values)


def _is_within(column: ColumnProfile, last: int) -> bool:
    if not is_numeric(column) or column.minimum is None or column.distinct < 2 or column.nulls:
        return False
    return 1 <= float(column.minimum) <= float(column.maximum) <= last


def _ends(year: str, beside: tuple[str, ...], table: str, dataset: Dataset) -> tuple[dt.date, dt.date] | None:
    """The first and the last day that the parts tell."""
    rows = _distinct((year, *beside), table, dataset)
    days = [day for row in rows if (day := _day(*row)) is not None]
    if not days or len(rows) == _MOST:
        return None
    last = max(days)
    if len(beside) == 1:
        last = (last + dt.timedelta(days=31)).replace(day=1) - dt.timedelta(days=1)
    return min(days), last


def _distinct(columns: tuple[str, ...], table: str, dataset: Dataset) -> list[tuple[Any, ...]]:
    listed = ", ".join(quote(c) for c in columns)
    cursor = dataset.cursor()
    try:
        return cursor.execute(f"SELECT DISTINCT {listed} FROM {quote(table)} LIMIT {_MOST}").fetchall()
    finally:
        cursor.close()


def _day(year: Any, month: Any, day: Any = 1) -> dt.date | None:
    number = month_number(str(month)) if isinstance(month, str) else month
    try:
        return dt.date(int(year), int(number or 0), int(day))
    except (TypeError, ValueError):
        return None
