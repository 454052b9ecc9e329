"""Profiles against figures computed independently with pandas and numpy."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.data import Dataset, open_sources
from gnomon.data.profile import profile_dataset, profile_table
from gnomon.data.profile_model import Role


def _orders(rows: int, seed: int = 7) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "order_id": np.arange(rows) + 1000,
            "ordered_at": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(np.sort(rng.integers(0, 90 * 86400, rows)), "s"),
            "channel": rng.choice(["web", "store", "app"], rows, p=[0.6, 0.3, 0.1]),
            "units": rng.integers(1, 9, rows),
            "price": np.round(rng.lognormal(3, 1, rows), 2),
            "score": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(0, 1, rows)),
            "returned": rng.random(rows) < 0.05,
        }
    )


@pytest.fixture(scope="module")
def orders() -> pd.DataFrame:
    return _orders(30_000)


@pytest.fixture(scope="module")
def dataset(orders: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    path = tmp_path_factory.mktemp("orders") / "orders.parquet"
    orders.to_parquet(path, row_group_size=5_000)
    return open_sources(path)


def test_a_small_table_is_measured_exactly(dataset: Dataset, orders: pd.DataFrame) -> None:
    profile = profile_table(dataset, "orders")
    assert profile.rows == 30_000
    assert profile.duplicates_exact and profile.duplicate_rows == 0
    price = profile.column("price")
    assert price.mean == pytest.approx(orders["price"].mean(), rel=1e-10)
    assert price.stddev == pytest.approx(orders["price"].std(), rel=1e-10)
    assert price.minimum == orders["price"].min() and price.maximum == orders["price"].max()
    assert price.quantiles is not None
    for name, level in (("p01", 0.01), ("p25", 0.25), ("p50", 0.5), ("p95", 0.95)):
        assert price.quantiles[name] == pytest.approx(orders["price"].quantile(level), rel=1e-9)
    score = profile.column("score")
    assert score.nulls == orders["score"].isna().sum()
    assert score.distinct == orders["score"].nunique()
    counts = orders["channel"].value_counts()
    assert {t.value: t.count for t in profile.column("channel").top_values} == counts.to_dict()


def test_the_one_pass_profile_agrees_with_the_exact_one(dataset: Dataset, orders: pd.DataFrame) -> None:
    profile = profile_table(dataset, "orders", exact_rows=2_000)
    assert profile.rows == 30_000
    assert "One pass" in profile.basis
    price = profile.column("price")
    assert price.mean == pytest.approx(orders["price"].mean(), rel=1e-9)
    assert price.stddev == pytest.approx(orders["price"].std(), rel=1e-9)
    assert price.minimum == orders["price"].min() and price.maximum == orders["price"].max()
    assert not price.distinct_exact and not price.quantiles_exact
    assert price.distinct == pytest.approx(orders["price"].nunique(), rel=0.12)
    assert price.quantiles is not None
    rank = (orders["price"] <= price.quantiles["p50"]).mean()
    assert rank == pytest.approx(0.5, abs=0.02)
    channel = profile.column("channel")
    assert channel.distinct_exact and channel.distinct == 3
    assert {t.value: t.count for t in channel.top_values} == orders["channel"].value_counts().to_dict()
    exact = profile_table(dataset, "orders")
    assert [c.role for c in profile.columns] == [c.role for c in exact.columns]


def test_the_one_pass_profile_is_the_same_every_time(dataset: Dataset) -> None:
    first, second = (
        json.dumps(profile_table(dataset, "orders", exact_rows=2_000).to_dict()) for _ in range(2)
    )
    assert first == second


def test_roles_follow_values_and_names(dataset: Dataset) -> None:
    roles = {c.name: c.role for c in profile_table(dataset, "orders").columns}
    assert roles == {
        "order_id": Role.ID,
        "ordered_at": Role.TIME,
        "channel": Role.CATEGORY,
        "units": Role.MEASURE,
        "price": Role.MONEY,
        "score": Role.MEASURE,
        "returned": Role.BOOLEAN,
    }


@pytest.mark.parametrize("exact_rows", [None, 2_000])
def test_duplicates_are_found(tmp_path: Path, exact_rows: int | None) -> None:
    frame = _orders(10_000)
    doubled = pd.concat([frame, frame.iloc[:2_000]], ignore_index=True)
    doubled.to_parquet(tmp_path / "doubled.parquet")
    profile = profile_table(open_sources(tmp_path / "doubled.parquet"), "doubled", exact_rows=exact_rows)
    assert profile.duplicate_rows == pytest.approx(2_000, rel=0 if exact_rows is None else 0.2)
    assert profile.duplicates_exact is (exact_rows is None)
    assert profile.keys == ()
    assert any("repeat another row" in w for w in profile.warnings)


def test_a_table_of_few_different_rows_is_sampled_by_position(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "blue"], 40_000, p=[0.7, 0.3]), "size": rng.integers(1, 4, 40_000)}
    )
    frame.to_parquet(tmp_path / "few.parquet")
    profile = profile_table(open_sources(tmp_path / "few.parquet"), "few", exact_rows=2_000)
    assert profile.duplicate_rows == pytest.approx(40_000 - 6, rel=0.01)
    size = profile.column("size")
    assert size.quantiles is not None and size.quantiles["p50"] == 2


def test_keys_are_single_columns_or_pairs(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01", periods=50).repeat(4)
    stock = pd.DataFrame({"date": days, "product_id": [1, 2, 3, 4] * 50, "on_hand": np.arange(200) % 7})
    stock.to_csv(tmp_path / "stock.csv", index=False)
    profile = profile_table(open_sources(tmp_path / "stock.csv"), "stock")
    assert [k.columns for k in profile.keys] == [("date", "product_id")]


def test_joins_point_from_many_to_one(tmp_path: Path) -> None:
    products = pd.DataFrame({"product_id": [f"P{i:03d}" for i in range(40)], "brand": ["a", "b"] * 20})
    rng = np.random.default_rng(1)
    sales = pd.DataFrame(
        {"product_id": rng.choice(products["product_id"], 500), "units": rng.integers(1, 5, 500)}
    )
    products.to_csv(tmp_path / "products.csv", index=False)
    sales.to_csv(tmp_path / "sales.csv", index=False)
    joins = profile_dataset(open_sources(tmp_path / "sales.csv", tmp_path / "products.csv")).joins
    assert len(joins) == 1
    join = joins[0]
    assert (join.table, join.column, join.to_table, join.to_column) == (
        "sales",
        "product_id",
        "products",
        "product_id",
    )
    assert join.kind == "many-to-one" and join.containment == 1.0


def test_a_profile_is_json(dataset: Dataset) -> None:
    data = json.loads(json.dumps(profile_dataset(dataset).to_dict()))
    assert data["tables"][0]["columns"][0]["role"] == "id"
    assert data["tables"][0]["columns"][1]["minimum"].startswith("2024-01-01T")


def test_wrong_names_and_numbers_are_refused(dataset: Dataset) -> None:
    with pytest.raises(NotFound, match="ordrs"):
        profile_table(dataset, "ordrs")
    with pytest.raises(InvalidInput, match="at least 1"):
        profile_table(dataset, "orders", exact_rows=0)
    with pytest.raises(NotFound, match="prize"):
        profile_table(dataset, "orders").column("prize")


def test_an_empty_table_has_a_profile_and_a_warning() -> None:
    profile = profile_table(
        open_sources({"empty": pd.DataFrame({"a": pd.Series([], dtype="int64")})}), "empty"
    )
    assert profile.rows == 0 and profile.column("a").null_rate == 0.0
    assert "the table has no rows" in profile.warnings


@pytest.mark.long
def test_thousands_of_columns_are_profiled() -> None:
    wide = pd.DataFrame(np.arange(40_000).reshape(20, 2_000), columns=[f"v{i}" for i in range(2_000)])
    profile = profile_table(open_sources({"wide": wide}), "wide")
    assert len(profile.columns) == 2_000
    assert profile.column("v1999").maximum == 39_999
