"""The demo store is consistent with itself, follows its seed, and holds what its manifest says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from gnomon.core.errors import DataUnavailable, InvalidInput
from gnomon.data.demo_store import TABLES, DemoStore, write_demo_store

COLUMNS = {
    "orders": "order_id order_date product_id channel region units unit_price discount revenue cost returned",
    "products": "product_id name category brand launch_date list_price",
    "traffic": "date product_id channel sessions page_views ad_spend",
    "inventory": "date product_id on_hand inbound stockout_hours",
    "prices": "date product_id price competitor_price buy_box_share",
    "reviews": "review_id date product_id rating text",
    "account": "date late_shipment_rate defect_rate policy_warnings seller_rating",
    "benchmarks": "month category metric p25 p50 p75",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> DemoStore:
    return write_demo_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def frames(store: DemoStore) -> dict[str, pd.DataFrame]:
    return {name: pd.read_parquet(path) for name, path in store.tables.items()}


@pytest.fixture(scope="module")
def db(store: DemoStore) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, path in store.tables.items():
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
    return connection


@pytest.fixture(scope="module")
def manifest(store: DemoStore) -> dict[str, Any]:
    return json.loads(store.manifest_path.read_text())


def one(db: duckdb.DuckDBPyConnection, query: str) -> Any:
    row = db.execute(query).fetchone()
    assert row is not None
    return row[0]


def digests(store: DemoStore) -> dict[str, str]:
    paths = [*store.tables.values(), store.manifest_path]
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


def test_the_tables_have_the_columns_of_the_design(frames: dict[str, pd.DataFrame], store: DemoStore) -> None:
    assert {name: " ".join(frame.columns) for name, frame in frames.items()} == COLUMNS
    assert {name: len(frame) for name, frame in frames.items()} == dict(store.rows)


def test_the_size_is_two_years_of_a_few_hundred_products(db: duckdb.DuckDBPyConnection) -> None:
    assert one(db, "SELECT count(*) FROM products") == 300
    assert 150_000 <= one(db, "SELECT count(*) FROM orders") <= 250_000
    assert one(db, "SELECT max(order_date) - min(order_date) + 1 FROM orders") == 728
    assert one(db, "SELECT count(DISTINCT date) FROM account") == 728


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    first = write_demo_store(tmp_path / "a", seed=3, scale=0.2)
    again = write_demo_store(tmp_path / "b", seed=3, scale=0.2)
    other = write_demo_store(tmp_path / "c", seed=4, scale=0.2)
    assert digests(first) == digests(again)
    assert digests(first)["orders.parquet"] != digests(other)["orders.parquet"]


def test_scale_multiplies_products_across_blocks_and_keeps_ids_unique(tmp_path: Path) -> None:
    shares: list[float] = []
    store = write_demo_store(tmp_path, scale=1.4, progress=shares.append)
    orders = pd.read_parquet(store.tables["orders"])
    products = pd.read_parquet(store.tables["products"])
    assert len(products) == 420
    assert products["product_id"].is_unique
    assert products["name"].is_unique
    assert orders["order_id"].is_unique
    assert orders["product_id"].nunique() == 420
    assert shares == [pytest.approx(300 / 420), 1.0]


@pytest.mark.long
def test_rows_grow_with_the_scale(db: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    twice = write_demo_store(tmp_path, scale=2)
    for table in ("orders", "traffic", "inventory", "prices", "reviews"):
        rows = one(db, f"SELECT count(*) FROM {table}")
        assert twice.rows[table] == pytest.approx(2 * rows, rel=0.1), table


def test_revenue_is_units_times_price_less_discount(frames: dict[str, pd.DataFrame]) -> None:
    o = frames["orders"]
    cents = (
        np.rint(o["unit_price"] * 100).astype(int)
        * o["units"]
        * (100 - np.rint(o["discount"] * 100).astype(int))
    )
    assert ((cents + 50) // 100 == np.rint(o["revenue"] * 100).astype(int)).all()
    assert (o["revenue"] - o["units"] * o["unit_price"] * (1 - o["discount"])).abs().max() <= 0.00501
    assert o["units"].between(1, 4).all()
    assert set(np.rint(o["discount"] * 100).astype(int)) == {0, 5, 10, 15, 20}


def test_every_order_has_the_price_of_its_day(db: duckdb.DuckDBPyConnection) -> None:
    joined = """FROM orders o JOIN prices p ON p.date = o.order_date AND p.product_id = o.product_id"""
    assert one(db, f"SELECT count(*) {joined}") == one(db, "SELECT count(*) FROM orders")
    assert one(db, f"SELECT max(abs(o.unit_price - p.price)) {joined}") == 0
    assert (
        one(db, "SELECT max(abs(price / list_price - 1)) FROM prices JOIN products USING (product_id)") < 0.1
    )


@pytest.mark.parametrize("table", ["orders", "traffic", "inventory", "prices", "reviews"])
def test_every_row_belongs_to_a_product_that_was_on_sale(db: duckdb.DuckDBPyConnection, table: str) -> None:
    day = "order_date" if table == "orders" else "date"
    lost = f"""SELECT count(*) FROM {table} t LEFT JOIN products p USING (product_id)
               WHERE p.product_id IS NULL OR t.{day} < p.launch_date"""
    assert one(db, lost) == 0
    nulls = db.execute(f"SELECT * FROM {table}").df().isna().sum().sum()
    assert nulls == 0


def test_keys_are_unique_and_benchmarks_name_known_categories(db: duckdb.DuckDBPyConnection) -> None:
    keys = {
        "traffic": "date, product_id, channel", "inventory": "date, product_id", "prices": "date, product_id",
        "orders": "order_id", "reviews": "review_id", "products": "product_id", "account": "date",
        "benchmarks": "month, category, metric",
    }  # fmt: skip
    for table, columns in keys.items():
        assert one(db, f"SELECT count(*) - count(DISTINCT ({columns})) FROM {table}") == 0, table
    assert (
        one(db, "SELECT count(*) FROM benchmarks WHERE category NOT IN (SELECT category FROM products)") == 0
    )
    assert one(db, "SELECT count(*) FROM benchmarks WHERE NOT (p25 < p50 AND p50 < p75)") == 0


def test_orders_never_exceed_the_visits_they_come_from(db: duckdb.DuckDBPyConnection) -> None:
    excess = """SELECT count(*) FROM (SELECT order_date AS date, product_id, channel, count(*) AS n FROM orders
                GROUP BY ALL) o LEFT JOIN traffic t USING (date, product_id, channel)
                WHERE t.sessions IS NULL OR o.n > t.sessions"""
    assert one(db, excess) == 0
    rate = one(db, "SELECT (SELECT count(*) FROM orders) / sum(sessions) FROM traffic")
    assert 0.015 < rate < 0.05
    assert one(db, "SELECT count(*) FROM traffic WHERE page_views < sessions OR sessions < 0") == 0


def test_stock_follows_from_deliveries_and_sales(frames: dict[str, pd.DataFrame]) -> None:
    sold = frames["orders"].groupby(["order_date", "product_id"])["units"].sum()
    stock = frames["inventory"].set_index(["date", "product_id"]).sort_index()
    stock["sold"] = sold.reindex(stock.index).fillna(0)
    stock = stock.reset_index().sort_values(["product_id", "date"])
    before = stock.groupby("product_id")["on_hand"].shift()
    gap = stock["on_hand"] - (before + stock["inbound"] - stock["sold"])
    assert gap.dropna().abs().max() == 0
    assert (stock["on_hand"] >= 0).all()
    assert (stock["inbound"] >= 0).all()


def test_nothing_is_sold_without_stock(db: duckdb.DuckDBPyConnection, manifest: dict[str, Any]) -> None:
    out = """inventory i LEFT JOIN orders o ON o.order_date = i.date AND o.product_id = i.product_id
             WHERE i.stockout_hours = 24"""
    assert one(db, f"SELECT count(o.order_id) FROM {out}") == 0
    planned = sum(
        (pd.Timestamp(e["end"]) - pd.Timestamp(e["start"])).days + 1
        for e in manifest["events"]
        if e["kind"] == "stockout"
    )
    assert one(db, f"SELECT count(*) FROM {out}") == planned == 27
    assert one(db, f"SELECT max(i.on_hand) FROM {out}") == 0


def test_ratings_and_texts_agree(frames: dict[str, pd.DataFrame]) -> None:
    reviews = frames["reviews"]
    assert reviews["rating"].between(1, 5).all()
    assert reviews["text"].nunique() > 1000
    praise = reviews["text"].str.contains("Recommended|Five stars|excellent|Great value", regex=True)
    blame = reviews["text"].str.contains("regret|refund|Avoid|disappointed", regex=True)
    praise &= ~reviews["text"].str.contains("Not recommended")
    assert reviews.loc[praise, "rating"].min() >= 4
    assert reviews.loc[blame, "rating"].max() <= 2
    assert praise.sum() > 300
    assert blame.sum() > 100


def test_sales_have_a_week_a_year_and_promotions(
    db: duckdb.DuckDBPyConnection, manifest: dict[str, Any]
) -> None:
    week = dict(db.execute("SELECT isodow(date), sum(sessions) FROM traffic GROUP BY 1").fetchall())
    assert week[7] > week[5] * 1.05
    garden = """SELECT sum(sessions) FROM traffic JOIN products USING (product_id) WHERE category = 'Garden'
                AND date BETWEEN '{}' AND '{}'"""
    for year in (2024, 2025):
        summer = one(db, garden.format(f"{year}-05-20", f"{year}-06-10"))
        winter = one(db, garden.format(f"{year - 1}-12-27", f"{year}-01-17"))
        assert summer > 1.6 * winter
    daily = "SELECT count(*) / count(DISTINCT order_date) FROM orders WHERE order_date BETWEEN DATE '{0}' {2} AND DATE '{1}' {2}"
    for sale in manifest["promotions"]:
        during = one(db, daily.format(sale["start"], sale["end"], "+ 0"))
        after = one(db, daily.format(sale["start"], sale["end"], "+ 14"))
        assert during > 1.15 * after, sale["name"]
        least = one(
            db,
            f"SELECT min(discount) FROM orders WHERE order_date BETWEEN '{sale['start']}' AND '{sale['end']}'",
        )
        assert least == pytest.approx(sale["discount_percent"] / 100)


def test_only_tables_lie_where_a_source_looks(store: DemoStore) -> None:
    visible = sorted(p.name for p in store.folder.iterdir() if not p.name.startswith("."))
    assert visible == sorted(f"{name}.parquet" for name in TABLES)
    assert [p.name for p in store.manifest_path.parent.iterdir()] == ["manifest.json"]


def test_a_store_is_found_only_when_complete_and_current(tmp_path: Path) -> None:
    store = write_demo_store(tmp_path, seed=5, scale=0.2)
    assert DemoStore.find(tmp_path) == store
    written = store.manifest_path.read_text()
    store.manifest_path.write_text(written.replace('"generation": ', '"generation": 9'))
    assert DemoStore.find(tmp_path) is None
    store.manifest_path.write_text(written)
    store.tables["prices"].unlink()
    assert DemoStore.find(tmp_path) is None
    assert DemoStore.find(tmp_path / "elsewhere") is None


@pytest.mark.parametrize("scale", [0, -1, float("nan"), 1e9])
def test_a_scale_that_cannot_be_is_refused(tmp_path: Path, scale: float) -> None:
    with pytest.raises(InvalidInput, match="scale must be above 0"):
        write_demo_store(tmp_path / "x", scale=scale)
    assert not (tmp_path / "x").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataUnavailable, match="cannot be written to"):
        write_demo_store(tmp_path / "file" / "store", scale=0.2)
