"""The same queries give the same numbers on a real Postgres server as on the embedded database."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest
from tests.semantic import shop

from gnomon.core.errors import Cancelled, SourceUnreachable, TimedOut
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data import open_sources
from gnomon.semantic import RetrievalQuery, Retriever

pytestmark = pytest.mark.needs("postgres")
FRAMES = shop.frames()
TYPES = {"int64": "bigint", "Int64": "bigint", "float64": "double precision", "bool": "boolean"}


def _load(url: str, name: str, frame: pd.DataFrame) -> None:
    import psycopg

    columns = ", ".join(
        f'"{c}" {"timestamp" if str(kind).startswith("datetime") else TYPES.get(str(kind), "text")}'
        for c, kind in frame.dtypes.items()
    )
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f'DROP TABLE IF EXISTS "{name}"')
        cursor.execute(f'CREATE TABLE "{name}" ({columns})')
        with cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
            for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False):
                copy.write_row(row)


@pytest.fixture(scope="module")
def both(postgres_url: str) -> tuple[Retriever, Retriever]:
    for name, frame in FRAMES.items():
        _load(postgres_url, name, frame)
    model = shop.model()
    return Retriever.over(open_sources(FRAMES), model), Retriever.at(postgres_url, model)


def where(field: str, operator: str, *values: Any, **more: Any) -> Filter:
    return Filter(field=field, operator=FilterOperator(operator), values=values, **more)


SPAN = TimeRange(start=date(2023, 12, 1), end=date(2024, 1, 15))
ALL = ("revenue", "orders", "customers", "price", "return_rate", "shipping_days", "order_value", "web_share")
QUERIES = {
    "totals": RetrievalQuery(metrics=ALL),
    "a period": RetrievalQuery(metrics=ALL, time_range=SPAN),
    "by country": RetrievalQuery(metrics=ALL, dimensions=("country",)),
    "by category": RetrievalQuery(metrics=("revenue", "orders"), dimensions=("category", "channel")),
    "drill across": RetrievalQuery(metrics=("conversion", "sessions", "revenue"), dimensions=("channel",), grain=TimeGranularity.MONTH),
    "stock": RetrievalQuery(metrics=("on_hand",), grain=TimeGranularity.WEEK, dimensions=("category",)),
    "nested": RetrievalQuery(metrics=("mean(revenue per day)", "median(orders per customer_id)"), dimensions=("channel",)),
    "derived columns": RetrievalQuery(
        metrics=(
            "mean(orders.{worth: [quantity] * [unit_price]})",
            "sum(orders.{share: [quantity] / [unit_price]})",
            "stddev(orders.{z: ([unit_price] - mean_of([unit_price])) / std_of([unit_price])})",
            "max(orders.{step: percent([unit_price] / previous([unit_price], [order_id]) - 1)})",
            "sum(orders.{filled: fill([unit_price], median_of([unit_price]))})",
            "mean(orders.{long: length([channel])})",
            "mean(orders.{log: log([unit_price])})",
        ),
        dimensions=("orders.{size: ranges([quantity], 'few', '>=', 0, '<', 3, 'many', '>=', 3, '', 0)}",),
    ),
    "derived parts of time": RetrievalQuery(
        metrics=("orders",), dimensions=("orders.{day: weekday([ordered_at])}", "orders.{month: month([ordered_at])}")
    ),
    "statistics": RetrievalQuery(metrics=("median(orders.unit_price)", "stddev(orders.unit_price)", "min(orders.ordered_at)")),
    "shapes": RetrievalQuery(
        metrics=tuple(f"{how}(orders.unit_price)" for how in ("skewness", "kurtosis", "variance", "range", "iqr", "mode", "variation", "standard_error", "geometric_mean")),
        dimensions=("channel",),
    ),
    "top": RetrievalQuery(metrics=("revenue",), dimensions=("customer_id",), limit=5),
    "top per group": RetrievalQuery(metrics=("revenue",), dimensions=("channel", "customer_id"), limit=2, limit_per="channel"),
    "having by": RetrievalQuery(metrics=("customers", "revenue"), filters=(where("revenue", ">", 900, having=True, by="customer_id"),)),
    "having": RetrievalQuery(metrics=("revenue",), dimensions=("customer_id",), filters=(where("orders", ">=", 15, having=True),)),
    "weekend": RetrievalQuery(metrics=("orders",), recurring=("weekday", (5, 6))),
    "december": RetrievalQuery(metrics=("orders",), recurring=("month", (12,))),
    "conditions": RetrievalQuery(
        metrics=("orders",),
        filters=(where("channel", "in", "o'phone", "web"), where("quantity", "outside", 2, 3), where("channel", "contains", "PHONE")),
    ),
    "flag": RetrievalQuery(metrics=("orders", "price"), dimensions=("returned",), filters=(where("ordered_at", ">", date(2023, 12, 6)),)),
    "list": RetrievalQuery(dimensions=("category", "country")),
    "hours": RetrievalQuery(metrics=("units",), grain=TimeGranularity.HOUR, time_range=TimeRange(start=date(2024, 1, 1), end=date(2024, 1, 2))),
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
def test_both_give_the_same(both: tuple[Retriever, Retriever], name: str) -> None:
    here, there = (r.run(QUERIES[name]) for r in both)
    assert len(here.rows) > 0
    assert here.columns == there.columns
    assert here.rows_used == there.rows_used
    assert here.nulls == there.nulls
    assert here.notes == there.notes
    key = len(here.columns) - len(QUERIES[name].metrics)
    assert [r[:key] for r in here.rows] == [r[:key] for r in there.rows]
    for mine, theirs in zip(here.rows, there.rows, strict=True):
        assert [type(v) for v in mine[:key]] == [type(v) for v in theirs[:key]]
        for a, b in zip(mine[key:], theirs[key:], strict=True):
            assert a == (pytest.approx(b, rel=1e-9) if isinstance(b, float) else b)


def test_a_slow_query_is_stopped_on_the_server(both: tuple[Retriever, Retriever], postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute(
            "CREATE OR REPLACE VIEW endless AS SELECT a * b AS x FROM generate_series(1, 100000) a, generate_series(1, 100000) b"
        )
    from gnomon.semantic import ColumnRef, Dimension, DimensionType, SemanticModel, TableMeaning

    x = Dimension(
        name="x", label="x", type=DimensionType.NUMBER, locations=(ColumnRef(table="endless", column="x"),)
    )
    model = SemanticModel(tables=(TableMeaning(name="endless", label="row"),), dimensions=(x,))
    retriever = Retriever.at(postgres_url, model)
    with pytest.raises(TimedOut):
        retriever.run(RetrievalQuery(metrics=("count_distinct(endless.x)",)), timeout_seconds=0.3)

    class Now:
        def interrupting(self, callback: Any) -> Any:
            import threading
            from contextlib import contextmanager

            @contextmanager
            def soon() -> Any:
                timer = threading.Timer(0.2, callback)
                timer.start()
                yield
                timer.cancel()

            return soon()

    with pytest.raises(Cancelled):
        retriever.run(RetrievalQuery(metrics=("count_distinct(endless.x)",)), cancel=Now())
    with psycopg.connect(postgres_url) as connection:
        running = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%endless%' AND pid <> pg_backend_pid()"
        ).fetchone()
    assert running == (0,)


def test_a_server_that_is_not_there_is_said_without_the_password() -> None:
    retriever = Retriever.at("postgresql://someone:secret@localhost:1/none", shop.model())
    with pytest.raises(SourceUnreachable) as told:
        retriever.run(RetrievalQuery(metrics=("orders",)))
    assert "secret" not in str(told.value)
