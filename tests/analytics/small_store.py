"""A small shop with one thing planted in it, for tests of diagnoses."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd

from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    ColumnRef,
    Dimension,
    DimensionType,
    Direction,
    Join,
    Metric,
    SemanticModel,
    TableMeaning,
)

FIRST = date(2024, 1, 1)
DAYS = 200
START = 180
PRODUCTS = 24
CHANNELS = ("web", "ads", "shop")
REGIONS = ("north", "south", "east")


def tables(what: str, seed: int = 1) -> dict[str, pd.DataFrame]:
    """Orders, products, traffic, stock and account of 200 days; what is planted lasts from day 180 on.

    Args:
        what: ``stockout`` (product p2), ``ads`` (spending on ads stops), ``region`` (north, nothing recorded),
            ``decoy`` (another product's stock-outs, without effect) or ``nothing``.
        seed: For the noise.
    """
    rng = np.random.default_rng(seed)
    size = np.linspace(30, 4, PRODUCTS)
    visits = np.broadcast_to(size[None, :, None] * np.array([2.0, 1.5, 1.0]), (DAYS, PRODUCTS, 3)).copy()
    visits *= np.tile([1, 0.9, 0.9, 1, 1.1, 1.3, 1.2], DAYS // 7 + 1)[:DAYS, None, None]
    spend = visits * np.array([0.0, 0.4, 0.0])
    hours = np.zeros((DAYS, PRODUCTS))
    chance = np.full((DAYS, PRODUCTS, 3, 3), 0.1) * np.array([0.5, 0.3, 0.2])
    if what == "stockout":
        hours[START:, 2] = 24
        chance[START:, 2] = 0
    elif what == "ads":
        visits[START:, :, 1] *= 0.3
        spend[START:, :, 1] = 0
    elif what == "region":
        chance[START:, :, :, 0] *= 0.1
    elif what == "decoy":
        hours[START:, 20] = 24
    seen = rng.poisson(visits)
    orders = rng.poisson(seen[:, :, :, None] * chance)
    d, p, c, r = (np.repeat(i, orders.ravel()) for i in np.indices(orders.shape).reshape(4, -1))
    when = np.array([np.datetime64(FIRST) + i for i in range(DAYS)])
    units = 1 + (rng.random(len(d)) < 0.3)
    names = np.array([f"p{i}" for i in range(PRODUCTS)])
    td, tp, tc = np.indices(seen.shape).reshape(3, -1)
    sd, sp = np.indices(hours.shape).reshape(2, -1)
    price = np.round(np.linspace(10, 60, PRODUCTS) + 0.37, 2)
    return {
        "orders": pd.DataFrame({
            "order_id": np.arange(len(d)), "order_date": when[d], "product_id": names[p], "channel": np.array(CHANNELS)[c],
            "region": np.array(REGIONS)[r], "units": units, "revenue": np.round(units * price[p], 2),
        }),
        "products": pd.DataFrame({"product_id": names, "category": [f"k{i % 4}" for i in range(PRODUCTS)]}),
        "traffic": pd.DataFrame({
            "date": when[td], "product_id": names[tp], "channel": np.array(CHANNELS)[tc], "sessions": seen.ravel(),
            "ad_spend": np.round(spend.ravel() * rng.lognormal(0, 0.05, spend.size), 2),
        }),
        "inventory": pd.DataFrame({"date": when[sd], "product_id": names[sp], "stockout_hours": hours.ravel()}),
        "account": pd.DataFrame({"date": when, "late_rate": np.round(0.02 * rng.lognormal(0, 0.1, DAYS), 5)}),
    }  # fmt: skip


def model(rename: dict[str, str] | None = None) -> SemanticModel:
    """What the tables mean; with ``rename`` under other names of tables and columns."""
    new = rename or {}

    def n(name: str) -> str:
        return new.get(name, name)

    def at(*places: tuple[str, str]) -> tuple[ColumnRef, ...]:
        return tuple(ColumnRef(table=n(t), column=n(c)) for t, c in places)

    def dimension(name: str, kind: DimensionType, *places: tuple[str, str], **more: Any) -> Dimension:
        return Dimension(name=n(name), label=n(name), type=kind, locations=at(*places), **more)

    def metric(name: str, table: str, how: Aggregation, column: str | None, **more: Any) -> Metric:
        adds = how in (Aggregation.SUM, Aggregation.COUNT)
        return Metric(
            name=n(name), label=n(name), table=n(table), aggregation=how, expression=f"`{n(column)}`" if column else None,
            additivity=Additivity.ADDITIVE if adds else Additivity.NON_ADDITIVE, **more,
        )  # fmt: skip

    day = {"coverage": (FIRST, FIRST + timedelta(days=DAYS - 1))}
    good, bad = Direction.HIGHER_IS_BETTER, Direction.LOWER_IS_BETTER
    keyed = ("orders", "traffic", "inventory")
    return SemanticModel(
        tables=(
            TableMeaning(name=n("orders"), label="order", key=(n("order_id"),), time_dimension=n("order_date"), rows=60_000),
            TableMeaning(name=n("products"), label="product", key=(n("product_id"),)),
            TableMeaning(name=n("traffic"), label="traffic", time_dimension=n("date")),
            TableMeaning(name=n("inventory"), label="stock", key=(n("date"), n("product_id")), time_dimension=n("date")),
            TableMeaning(name=n("account"), label="account", key=(n("date"),), time_dimension=n("date")),
        ),
        metrics=(
            metric("orders_count", "orders", Aggregation.COUNT, None, direction=good, time_dimension=n("order_date")),
            metric("units", "orders", Aggregation.SUM, "units", direction=good, time_dimension=n("order_date")),
            metric("revenue", "orders", Aggregation.SUM, "revenue", direction=good, time_dimension=n("order_date")),
            metric("sessions", "traffic", Aggregation.SUM, "sessions", direction=good, time_dimension=n("date")),
            metric("ad_spend", "traffic", Aggregation.SUM, "ad_spend", time_dimension=n("date")),
            metric("stockout_hours", "inventory", Aggregation.SUM, "stockout_hours", direction=bad, time_dimension=n("date")),
            metric("late_rate", "account", Aggregation.MEAN, "late_rate", direction=bad, time_dimension=n("date")),
            Metric(name=n("conversion"), label="conversion", formula=f"`{n('orders_count')}` / `{n('sessions')}`",
                   unit="fraction", additivity=Additivity.NON_ADDITIVE, direction=good),
        ),
        dimensions=(
            dimension("order_date", DimensionType.TIME, ("orders", "order_date"), **day),
            dimension("date", DimensionType.TIME, *((t, "date") for t in ("traffic", "inventory", "account")), **day),
            dimension("product_id", DimensionType.ID, ("products", "product_id"), *((t, "product_id") for t in keyed), distinct=PRODUCTS),
            dimension("category", DimensionType.CATEGORY, ("products", "category"), distinct=4),
            dimension("channel", DimensionType.CATEGORY, ("orders", "channel"), ("traffic", "channel"), distinct=3),
            dimension("region", DimensionType.CATEGORY, ("orders", "region"), distinct=3),
        ),
        joins=tuple(
            Join(table=n(t), column=n("product_id"), to_table=n("products"), to_column=n("product_id")) for t in keyed
        ),
    )  # fmt: skip


def renamed(held: dict[str, pd.DataFrame], rename: dict[str, str]) -> dict[str, pd.DataFrame]:
    """The same tables under other names."""
    return {rename.get(t, t): f.rename(columns=rename) for t, f in held.items()}
