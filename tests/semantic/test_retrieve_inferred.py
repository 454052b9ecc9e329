"""Inferred models at work: moments written as numbers, flags written as words, odd names, wide and empty tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import RetrievalQuery, Retrieved, Retriever, infer_model

N = 240


def opened(**frames: pd.DataFrame) -> Retriever:
    dataset = open_sources(frames)
    return Retriever.over(dataset, infer_model(profile_dataset(dataset), dataset))


def ask(retriever: Retriever, *metrics: str, **more: Any) -> Retrieved:
    return retriever.run(RetrievalQuery(metrics=metrics, **more))


DAYS = pd.Series(pd.date_range("2021-01-15", periods=N, freq="5D"))
WRITTEN = {
    "year": DAYS.dt.year,
    "date": DAYS.dt.strftime("%Y%m%d").astype(int),
    "month": DAYS.dt.strftime("%Y%m").astype(int),
    "timestamp": (DAYS - pd.Timestamp("1970-01-01")) // pd.Timedelta(seconds=1),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_moments_written_as_numbers_are_moments(name: str) -> None:
    frame = pd.DataFrame({name: WRITTEN[name], "quantity": range(N)})
    retriever = opened(things=frame)
    by_year = ask(retriever, "quantity", grain=TimeGranularity.YEAR)
    expected = frame.quantity.groupby(DAYS.dt.year).sum()
    assert dict(by_year.rows) == {date(int(y), 1, 1): int(v) for y, v in expected.items()}  # pyright: ignore[reportArgumentType]
    span = TimeRange(start=date(2022, 1, 1), end=date(2022, 12, 31))
    within = ask(retriever, "quantity", time_range=span)
    assert within.rows == ((int(frame.quantity[DAYS.dt.year == 2022].sum()),),)


def test_flags_written_as_words_have_shares() -> None:
    frame = pd.DataFrame({"ticket_id": range(60), "escalated": (["Yes", "No", "No"] * 20)})
    retriever = opened(tickets=frame)
    found = ask(retriever, "escalation_rate", "escalated_tickets", "tickets")
    assert found.rows[0] == pytest.approx((1 / 3, 20, 60))
    yes = Filter(field="escalated", operator=FilterOperator.EQUALS, values=(True,))
    assert ask(retriever, "tickets", filters=(yes,)).rows == ((20,),)


def test_odd_names_can_be_computed_with() -> None:
    frame = pd.DataFrame(
        {
            "class": ["a", "b"] * 30,
            "Größe (cm)": [1.5, 2.5] * 30,
            "from": range(60),
            "no. of `x`": [7] * 60,
            "% done": [10.0, 30.0] * 30,
        }
    )
    frame = frame.rename(columns={"no. of `x`": "no. of x/y"})
    retriever = opened(odd=frame)
    names = [m.name for m in retriever.model.metrics]
    found = ask(retriever, *names, dimensions=("class",))
    assert [r[0] for r in found.rows] == ["a", "b"]
    by_name = dict(zip(found.columns[1:], found.rows[0][1:], strict=True))
    assert by_name["average_größe"] == 1.5
    assert by_name["average_done"] == 10.0


def test_wide_tables_are_no_trouble() -> None:
    frame = pd.DataFrame(
        {f"measure_{i}_units": range(i, i + 50) for i in range(150)} | {"group": ["x", "y"] * 25}
    )
    retriever = opened(wide=frame)
    assert len(retriever.model.dimensions) == 151
    names = tuple(m.name for m in retriever.model.metrics)[:120]
    found = ask(retriever, *names, dimensions=("group",))
    assert len(found.rows) == 2
    assert found.rows[0][1] == 25


def test_empty_tables_answer_with_nothing() -> None:
    frame = pd.DataFrame({"order_id": pd.Series([], dtype="int64"), "amount": pd.Series([], dtype="float64")})
    retriever = opened(orders=frame)
    found = ask(retriever, "orders")
    assert (found.rows, found.rows_used) == (((0,),), 0)
    assert ask(retriever, "orders", dimensions=("order_id",)).rows == ()


def test_every_inferred_metric_can_be_asked_for_by_every_dimension_it_reaches() -> None:
    from tests.semantic import shop

    retriever = opened(**shop.frames())
    model = retriever.model
    asked = 0
    for metric in model.metrics:
        total = ask(retriever, metric.name)
        assert len(total.rows) == 1
        for dimension in model.dimensions:
            if model.reaches(metric, dimension) and dimension.distinct and dimension.distinct <= 20:
                found = ask(retriever, metric.name, dimensions=(dimension.name,))
                assert len(found.rows) <= dimension.distinct + 2
                asked += 1
    assert asked > 50


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_other_databases_are_reached_by_url(kind: str, tmp_path: Path) -> None:
    from tests.semantic import shop

    frames = shop.frames()
    path = tmp_path / f"shop.{kind}"
    if kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            for name, frame in frames.items():
                connection.register("given", frame)
                connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
    else:
        with closing(sqlite3.connect(path)) as connection:
            for name, frame in frames.items():
                frame.to_sql(name, connection, index=False)
    retriever = Retriever.at(f"{kind}:///{path}", shop.model())
    query = RetrievalQuery(metrics=("revenue", "orders"), dimensions=("country",), limit=2)
    here = Retriever.over(open_sources(frames), shop.model()).run(query)
    for found in (retriever.run(query), retriever.run(query, timeout_seconds=30)):
        assert [r[0] for r in found.rows] == [r[0] for r in here.rows]
        assert [r[2] for r in found.rows] == [r[2] for r in here.rows]
        assert [r[1] for r in found.rows] == pytest.approx([r[1] for r in here.rows])
