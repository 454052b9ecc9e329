"""The Ibis operations that we use work with the pinned DuckDB and sqlglot (a bad pair passes ``pip check``)."""

import datetime as dt

import pandas as pd
import pytest


@pytest.fixture
def orders(tmp_path):
    import ibis

    backend = ibis.duckdb.connect()
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2025-01-06", "2025-01-07", "2025-01-14", "2025-02-03"]),
            "region": ["west", "east", "west", None],
            "units": [1, 2, 3, 4],
            "price": [2.0, 3.0, 4.0, None],
        }
    )
    frame.to_parquet(tmp_path / "orders.parquet")
    table = backend.read_parquet(tmp_path / "orders.parquet", table_name="orders")
    yield backend, table
    backend.disconnect()


def test_filter_group_aggregate_order(orders) -> None:
    _, t = orders
    result = (
        t.filter(t.units > 1).group_by("region").aggregate(total=t.units.sum(), mean=t.price.mean())
        .order_by("total").execute()
    )  # fmt: skip
    assert result["total"].tolist() == [2, 3, 4]
    assert result["mean"].fillna(-1).tolist() == [3.0, 4.0, -1.0]


def test_time_truncation_and_range(orders) -> None:
    _, t = orders
    weekly = t.filter(t.day.between(dt.date(2025, 1, 1), dt.date(2025, 1, 31))).group_by(
        week=t.day.truncate("W")
    )
    result = weekly.aggregate(units=t.units.sum()).order_by("week").execute()
    assert result["units"].tolist() == [3, 3]
    assert result["week"].dt.strftime("%a").tolist() == ["Mon", "Mon"]


def test_window_share_and_rank(orders) -> None:
    import ibis

    _, t = orders
    by_region = t.group_by("region").aggregate(units=t.units.sum())
    shared = by_region.mutate(
        share=by_region.units / by_region.units.sum(), place=ibis.rank().over(order_by=ibis.desc("units"))
    )
    assert abs(shared.execute()["share"].sum() - 1) < 1e-12


def test_join_and_distinct(orders) -> None:
    backend, t = orders
    names = backend.create_table("names", pd.DataFrame({"region": ["west", "east"], "label": ["W", "E"]}))
    joined = (
        t.join(names, "region").group_by("label").aggregate(n=t.day.nunique()).order_by("label").execute()
    )
    assert joined.to_dict("list") == {"label": ["E", "W"], "n": [1, 2]}
    backend.drop_table("names")
    assert "names" not in backend.list_tables()


def test_quantile_correlation_and_count_where(orders) -> None:
    _, t = orders
    row = t.aggregate(
        q=t.units.quantile(0.5), c=t.units.corr(t.price, how="pop"), nulls=t.price.isnull().sum()
    ).execute()
    assert row.loc[0, "q"] == 2.5
    assert row.loc[0, "nulls"] == 1
    assert row.loc[0, "c"] == pytest.approx(1.0)
