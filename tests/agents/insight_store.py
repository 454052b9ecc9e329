"""A small shop in which one product ran out of stock, and the insight that a question about it gets."""

from datetime import date, timedelta
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from tests.agents.managed import layer_over

from gnomon.agents.insight import DomainPathRegistry, InsightGeneratorExecutor, InsightResult
from gnomon.agents.insight.topic import topic_of
from gnomon.data import open_sources, profile_dataset
from gnomon.planning.reader import GrammarReader
from gnomon.semantic import SemanticModel
from gnomon.semantic.infer import infer_model
from gnomon.semantic.registry import APIRegistry
from gnomon.semantic.retrieve import Retriever
from gnomon.semantic.values import ValueIndex

FIRST_DAY, LAST_DAY = date(2024, 1, 1), date(2024, 11, 30)
OUT = (date(2024, 11, 18), date(2024, 11, 24))
PRODUCTS = tuple(f"P{n:02d}" for n in range(1, 9))


@cache
def stocked() -> dict[str, pd.DataFrame]:
    """Orders and stock by day; product P03, the one that sells most, is out of stock for a week."""
    rng = np.random.default_rng(3)
    orders: list[dict[str, object]] = []
    stock: list[dict[str, object]] = []
    visits: list[dict[str, object]] = []
    number = 0
    day = FIRST_DAY
    while day <= LAST_DAY:
        for place, product in enumerate(PRODUCTS):
            gone = product == "P03" and OUT[0] <= day <= OUT[1]
            busy = 1.6 if day.weekday() == 5 else 1.0
            sold = 0 if gone else int(rng.poisson(busy * (14 if product == "P03" else 3)))
            visits.append(
                {
                    "date": day,
                    "product_id": product,
                    "sessions": int(rng.poisson(90 * busy)),
                    "ad_spend": 12.0 + rng.normal(),
                }
            )
            stock.append(
                {
                    "date": day,
                    "product_id": product,
                    "on_hand": 0 if gone else 200,
                    "stockout_hours": 24.0 if gone else 0.0,
                }
            )
            for _ in range(sold):
                number += 1
                price = 20.0 + 3 * place
                orders.append(
                    {"order_id": f"O{number:06d}", "order_date": day, "product_id": product,
                     "region": str(rng.choice(["north", "south", "west"])), "units": 1, "revenue": price}
                )  # fmt: skip
        day += timedelta(days=1)
    products = [
        {"product_id": p, "category": "Garden" if i % 2 else "Kitchen"} for i, p in enumerate(PRODUCTS)
    ]
    return {
        "orders": pd.DataFrame(orders),
        "inventory": pd.DataFrame(stock),
        "products": pd.DataFrame(products),
    }


@cache
def _opened() -> tuple[SemanticModel, ValueIndex, Retriever]:
    dataset = open_sources(stocked())
    model = infer_model(profile_dataset(dataset), dataset)
    return model, ValueIndex.build(dataset, model), Retriever.over(dataset, model)


def result_of(question: str, domains: tuple[str, ...], folder: Path | None = None) -> InsightResult:
    """What a question comes to along the paths of some domains, with those of a user's folder."""
    model, index, retriever = _opened()
    layer = layer_over(model, retriever)
    paths = DomainPathRegistry.load_from_config(folder)
    reading = GrammarReader(model, index).read(question, today=LAST_DAY)
    topic = topic_of(question, reading, model, index, paths, LAST_DAY)
    executor = InsightGeneratorExecutor(model, APIRegistry.of(model), layer, retriever)
    try:
        return executor.execute(topic, paths.get_path(domains))
    finally:
        layer.close()
