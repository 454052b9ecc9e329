"""First days of periods as DuckDB computes them: what Python says of the same day, for days and moments of any year."""

import datetime as dt
import random
from typing import Any

import ibis
import pandas as pd
import pytest

from gnomon.core.query import TimeGranularity
from gnomon.data import open_sources
from gnomon.semantic.backends import DuckDBBackend
from gnomon.semantic.duckdb_sql import Compiler, Templates
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


@pytest.mark.long
def test_a_query_kept_without_its_days_is_the_one_that_is_compiled_with_them() -> None:
    draw = random.Random("days in queries")
    table = ibis.table({"day": "date", "moment": "timestamp", "note": "string"}, name="moments")
    compiler, compiled = Compiler(), list[str]()

    def plain(asked: Any) -> str:
        return str(compiler.to_sqlglot(asked).sql("duckdb", pretty=True))

    def counted(asked: Any) -> str:
        compiled.append("")
        return plain(asked)

    templates = Templates(counted)
    spans = [dt.date(800, 2, 3), dt.date(2024, 2, 29), dt.date(2024, 12, 31), dt.date(2300, 1, 1)]

    def moment() -> dt.date | dt.datetime:
        day = draw.choice(spans) + dt.timedelta(days=draw.randrange(400))
        return draw.choice([day, dt.datetime.combine(day, dt.time(draw.choice([0, 0, 13])))])

    for _ in range(300):
        asked: Any = table
        for _ in range(draw.randrange(1, 3)):
            column, at = asked[draw.choice(["day", "moment"])], moment()
            test = draw.choice([column >= at, column.between(at, moment()), column == at])
            asked = asked.filter(test | (asked.note == draw.choice(["MAKE_DATE(2024, 12, 31)", "it's"])))
        if draw.random() < 0.5:
            first = period(asked.day, TimeGranularity.MONTH)
            asked = asked.group_by(first=first).aggregate(n=asked.count()).order_by("first")
        assert templates.sql(asked) == plain(asked)
    assert 10 < len(compiled) < 250
