"""A generated shop with nulls, several tables, a planted duplicate key, and its model, for the tests of retrieval."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gnomon.semantic import (
    Additivity,
    Aggregation,
    ColumnRef,
    Dimension,
    DimensionType,
    Join,
    Metric,
    SemanticModel,
    TableMeaning,
)


def frames(rows: int = 600, seed: int = 3) -> dict[str, pd.DataFrame]:
    """Orders, products (one key twice), brands, visits and stock, made of fixed random numbers."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2023-11-20", periods=120)
    moments = pd.Series(rng.choice(days, rows)) + pd.to_timedelta(rng.integers(0, 86_400, rows), unit="s")
    orders = pd.DataFrame(
        {
            "order_id": np.arange(rows),
            "ordered_at": moments,
            "shipped_at": moments + pd.to_timedelta(rng.integers(1, 96, rows), unit="h"),
            "product_id": pd.array(rng.integers(1, 14, rows), dtype="Int64"),
            "customer_id": pd.array(rng.integers(100, 140, rows), dtype="Int64"),
            "channel": rng.choice(["web", "shop", "o'phone"], rows),
            "quantity": rng.integers(1, 6, rows),
            "unit_price": np.round(rng.gamma(3, 8, rows), 2),
            "returned": rng.random(rows) < 0.2,
        }
    )
    orders.loc[rng.random(rows) < 0.1, "product_id"] = pd.NA
    orders.loc[rng.random(rows) < 0.1, "unit_price"] = np.nan
    products = pd.DataFrame(
        {
            "product_id": [*range(1, 12), 5],  # 12 and 13 are missing, 5 is there twice
            "category": [*("toys", "books", "garden", None) * 2, "toys", "books", "toys", "books"],
            "brand_id": [1 + i % 3 for i in range(12)],
        }
    )
    brands = pd.DataFrame({"brand_id": [1, 2, 3], "country": ["France", "Kenya", "Peru"]})
    visits = pd.DataFrame(
        {
            "day": rng.choice(days, rows // 2),
            "channel": rng.choice(["web", "shop", "mail"], rows // 2),
            "sessions": rng.integers(0, 50, rows // 2),
        }
    )
    stock = pd.DataFrame(
        {
            "day": days.repeat(3),
            "product_id": [1, 2, 3] * len(days),
            "on_hand": rng.integers(0, 90, 3 * len(days)),
        }
    )
    return {"orders": orders, "products": products, "brands": brands, "visits": visits, "stock": stock}


def _dimension(name: str, kind: DimensionType, *places: str) -> Dimension:
    refs = tuple(ColumnRef(table=p.split(".")[0], column=p.split(".")[1]) for p in places)
    return Dimension(name=name, label=name.replace("_", " "), type=kind, locations=refs)


def model() -> SemanticModel:
    """The meaning of :func:`frames`, written by hand."""
    category, number, time = DimensionType.CATEGORY, DimensionType.NUMBER, DimensionType.TIME
    return SemanticModel(
        tables=(
            TableMeaning(name="orders", label="order", time_dimension="ordered_at"),
            TableMeaning(name="products", label="product"),
            TableMeaning(name="brands", label="brand"),
            TableMeaning(name="visits", label="visit", time_dimension="day"),
            TableMeaning(name="stock", label="stock", time_dimension="day"),
        ),
        metrics=(
            Metric(name="orders", label="orders", table="orders", aggregation=Aggregation.COUNT),
            Metric(name="units", label="units", table="orders", aggregation=Aggregation.SUM, expression="quantity"),
            Metric(
                name="revenue", label="revenue", table="orders", aggregation=Aggregation.SUM,
                expression="quantity * unit_price",
            ),
            Metric(name="price", label="price", table="orders", aggregation=Aggregation.MEAN, expression="unit_price"),
            Metric(name="return_rate", label="rate", table="orders", aggregation=Aggregation.MEAN, expression="returned"),
            Metric(
                name="shipping_days", label="shipping", table="orders", aggregation=Aggregation.MEAN,
                expression="days(shipped_at, ordered_at)",
            ),
            Metric(
                name="customers", label="customers", table="orders", aggregation=Aggregation.COUNT_DISTINCT,
                expression="customer_id", additivity=Additivity.NON_ADDITIVE,
            ),
            Metric(
                name="web_revenue", label="web revenue", table="orders", aggregation=Aggregation.SUM,
                expression="quantity * unit_price", where=({"field": "channel", "operator": "=", "values": ("web",)},),  # pyright: ignore[reportArgumentType]
            ),
            Metric(name="sessions", label="sessions", table="visits", aggregation=Aggregation.SUM, expression="sessions"),
            Metric(
                name="on_hand", label="on hand", table="stock", aggregation=Aggregation.SUM, expression="on_hand",
                additivity=Additivity.SEMI_ADDITIVE,
            ),
            Metric(name="order_value", label="order value", formula="revenue / orders"),
            Metric(name="conversion", label="conversion", formula="orders / sessions"),
            Metric(name="web_share", label="web share", formula="web_revenue / revenue * 100"),
        ),
        dimensions=(
            _dimension("order_id", DimensionType.ID, "orders.order_id"),
            _dimension("ordered_at", time, "orders.ordered_at"),
            _dimension("shipped_at", time, "orders.shipped_at"),
            _dimension("product_id", DimensionType.ID, "products.product_id", "orders.product_id", "stock.product_id"),
            _dimension("customer_id", DimensionType.ID, "orders.customer_id"),
            _dimension("channel", category, "orders.channel", "visits.channel"),
            _dimension("quantity", number, "orders.quantity"),
            _dimension("unit_price", number, "orders.unit_price"),
            _dimension("returned", DimensionType.BOOLEAN, "orders.returned"),
            _dimension("category", category, "products.category"),
            _dimension("brand_id", DimensionType.ID, "brands.brand_id", "products.brand_id"),
            _dimension("country", category, "brands.country"),
            _dimension("day", time, "visits.day", "stock.day"),
        ),
        joins=(
            Join(table="orders", column="product_id", to_table="products", to_column="product_id"),
            Join(table="stock", column="product_id", to_table="products", to_column="product_id"),
            Join(table="products", column="brand_id", to_table="brands", to_column="brand_id"),
        ),
    )  # fmt: skip
