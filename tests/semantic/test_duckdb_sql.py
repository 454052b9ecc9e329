"""First days of periods as DuckDB computes them: what Python says of the same day, for days and moments of any year."""

import datetime as dt

import pandas as pd
import pytest

from gnomon.core.query import TimeGranularity
from gnomon.data import open_sources
from gnomon.semantic.backends import DuckDBBackend
from gnomon.semantic.time_columns import period

DAYS = [dt.date(1583, 1, 1) + dt.timedelta(days=11 * n) for n in range(23_000)]


def first_day(day: dt.date, grain: TimeGranularity) -> dt.date:
    if grain is TimeGranularity.WEEK:
        return day - dt.timedelta(days=day.weekday())
    if grain is TimeGranularity.QUARTER:
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(day=1) if grain is TimeGranularity.MONTH else day.replace(month=1, day=1)


@pytest.fixture(scope="module")
def backend() -> DuckDBBackend:
    late = [dt.datetime.combine(d, dt.time(23, 59, 59)) for d in DAYS]
    frame = pd.DataFrame({"day": pd.Series([*DAYS, None], dtype=object), "moment": [*late, None]})
    return DuckDBBackend(open_sources({"moments": frame}))


@pytest.mark.parametrize("column", ["day", "moment"])
@pytest.mark.parametrize("grain", ["week", "month", "quarter", "year"])
def test_the_first_day_of_a_period_is_that_of_the_calendar(
    grain: str, column: str, backend: DuckDBBackend
) -> None:
    table, unit = backend.table("moments"), TimeGranularity(grain)
    asked = table.select(at=table[column], first=period(table[column], unit))
    found = backend.run(backend.compile(asked), None, None)
    assert len(found) == len(DAYS) + 1
    for moment, first in found:
        day = moment.date() if isinstance(moment, dt.datetime) else moment
        assert first == (first_day(day, unit) if day is not None else None), moment


def test_moments_are_not_truncated_row_by_row_where_days_can_be_counted(backend: DuckDBBackend) -> None:
    table = backend.table("moments")
    sql = backend.compile(table.select(first=period(table.moment, TimeGranularity.MONTH)))
    assert "DATE_TRUNC" not in sql and "DAY(" in sql
