"""A small shop with two joined tables, for tests of the presenter: made from a fixed seed, checked with pandas."""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa

from gnomon.agents.presenter import DataPresenter
from gnomon.core.answer import Answer, Fact
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.settings import Settings
from gnomon.data import open_sources
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.language.calendar import month_end
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import request_of
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
from gnomon.semantic.registry import APIRegistry
from gnomon.semantic.retrieve import Retriever
from gnomon.tools import ToolRegistry
from gnomon.tools.calculation_tools import calculation_tools
from gnomon.tools.retrieval_tools import retrieval_tools
from gnomon.tools.row_calculations import row_tools
from gnomon.tools.series_tools import series_tools

FIRST, LAST = date(2023, 1, 1), date(2024, 12, 20)
TODAY = date(2025, 1, 6)
REGIONS = ("West", "East", "North")
T, N, C, B, I = (  # noqa: E741 - short names for a table of columns
    DimensionType.TIME,
    DimensionType.NUMBER,
    DimensionType.CATEGORY,
    DimensionType.BOOLEAN,
    DimensionType.ID,
)


def orders_frame() -> pd.DataFrame:
    """Two years of orders; some have no price, one region sells nothing in its last month."""
    rng = random.Random(20)
    days = (LAST - FIRST).days + 1
    rows: list[dict[str, Any]] = []
    for i in range(3000):
        day = FIRST + timedelta(days=i % days if i < days else rng.randrange(days))
        units = rng.randrange(1, 6)
        price = round(rng.uniform(5, 80), 2)
        rows.append(
            {
                "order_id": f"O{i:05d}",
                "order_date": day,
                "region": rng.choices(REGIONS, (5, 3, 2))[0],
                "channel": rng.choice(("web", "store")),
                "product_id": f"P{rng.randrange(12):02d}",
                "customer_id": f"C{rng.randrange(60):02d}",
                "units": units,
                "unit_price": None if i % 100 == 7 else price,
                "revenue": round(units * price, 2),
                "returned": rng.random() < 0.1,
            }
        )
    frame = pd.DataFrame(rows)
    frame["order_date"] = pd.to_datetime(frame["order_date"])
    return frame


def products_frame() -> pd.DataFrame:
    """Twelve products in three categories."""
    names = [f"{a} {b}" for a in ("Blue", "Green", "Red") for b in ("Chair", "Lamp", "Table", "Shelf")]
    kinds = ["Seating", "Light", "Tables"] * 4
    return pd.DataFrame({"product_id": [f"P{i:02d}" for i in range(12)], "name": names, "category": kinds})


def _dimension(name: str, kind: DimensionType, table: str = "orders", **more: Any) -> Dimension:
    label = more.pop("label", name.replace("_", " "))
    also = tuple(ColumnRef(table=t, column=name) for t in more.pop("also", ()))
    return Dimension(
        name=name, label=label, type=kind, locations=(ColumnRef(table=table, column=name), *also), **more
    )


def shop_model() -> SemanticModel:
    """What the two tables mean, written by hand."""
    own: dict[str, Any] = {"table": "orders", "time_dimension": "order_date"}
    rate: dict[str, Any] = {**own, "aggregation": Aggregation.MEAN, "additivity": Additivity.NON_ADDITIVE}
    total: dict[str, Any] = {**own, "aggregation": Aggregation.SUM}
    return SemanticModel(
        tables=(
            TableMeaning(name="orders", label="order", rows=3000, key=("order_id",), time_dimension="order_date"),
            TableMeaning(name="products", label="product", rows=12, key=("product_id",)),
        ),
        metrics=(
            Metric(
                name="revenue", label="revenue", expression="revenue", unit="USD",
                direction=Direction.HIGHER_IS_BETTER, **total,
            ),
            Metric(name="units", label="units", expression="units", **total),
            Metric(name="orders", label="orders", aggregation=Aggregation.COUNT, **own),
            Metric(name="average_price", label="average price", expression="unit_price", unit="USD", **rate),
            Metric(name="return_rate", label="return rate", expression="returned", unit="fraction", **rate),
            Metric(
                name="customers", label="customers", expression="customer_id",
                aggregation=Aggregation.COUNT_DISTINCT, additivity=Additivity.NON_ADDITIVE, **own,
            ),
            Metric(
                name="average_order_value", label="average order value", formula="revenue / orders", unit="USD",
                additivity=Additivity.NON_ADDITIVE,
            ),
            Metric(name="products", label="products", table="products", aggregation=Aggregation.COUNT),
        ),
        dimensions=(
            _dimension("order_date", T, grain=TimeGranularity.DAY, coverage=(FIRST, LAST)),
            _dimension("region", C, distinct=3),
            _dimension("channel", C, distinct=2),
            _dimension(
                "product_id", I, "products", also=("orders",), label="product", distinct=12,
                label_at=ColumnRef(table="products", column="name"),
            ),
            _dimension("name", C, "products", label="product name", distinct=12),
            _dimension("category", C, "products", distinct=3),
            _dimension("customer_id", I, label="customer", distinct=60),
            _dimension("order_id", I, label="order", distinct=3000),
            _dimension("units", N, distinct=5),
            _dimension("unit_price", N, unit="USD"),
            _dimension("revenue", N, unit="USD"),
            _dimension("returned", B, distinct=2),
        ),
        joins=(Join(table="orders", column="product_id", to_table="products", to_column="product_id"),),
    )  # fmt: skip


@dataclass(frozen=True)
class Shop:
    """Everything that answers questions about the shop."""

    model: SemanticModel
    orders: pd.DataFrame
    products: pd.DataFrame
    registry: APIRegistry
    tools: ToolRegistry
    layer: MCPToolsInvocationLayer
    presenter: DataPresenter

    def ask(self, kind: QuestionKind, *metrics: str, **fields: Any) -> Answer:
        """The answer to one request."""
        return self.presenter.present(reading(kind, *metrics, **fields), today=TODAY)

    def month(self, year: int, number: int) -> pd.DataFrame:
        """The orders of a month."""
        at = self.orders["order_date"].dt
        return self.orders[(at.year == year) & (at.month == number)]


@cache
def shop() -> Shop:
    """The shop, opened once."""
    orders, products = orders_frame(), products_frame()
    dated = pa.Table.from_pandas(orders, preserve_index=False)
    at = dated.schema.get_field_index("order_date")
    dated = dated.set_column(at, "order_date", dated.column(at).cast(pa.timestamp("us")).cast(pa.date32()))
    dataset = open_sources(
        {"orders": dated, "products": pa.Table.from_pandas(products, preserve_index=False)}
    )
    model = shop_model()
    retriever = Retriever.over(dataset, model)
    tools = ToolRegistry(
        [
            *retrieval_tools(model, retriever),
            *calculation_tools(),
            *row_tools(model, retriever),
            *series_tools(),
        ]
    )
    layer = MCPToolsInvocationLayer(tools, settings=Settings.load())
    registry = APIRegistry.of(model)
    return Shop(model, orders, products, registry, tools, layer, DataPresenter(model, registry, layer))


def request(kind: QuestionKind, *metrics: str, **fields: Any) -> Parts:
    """A request in short."""
    return Parts(**({"question": "a question", "kind": kind, "metrics": metrics} | fields))


def reading(kind: QuestionKind, *metrics: str, **fields: Any) -> Reading:
    """A clear reading of one request."""
    return Reading(
        status=ReadingStatus.CLEAR, requests=(request_of(request(kind, *metrics, **fields), SemanticModel()),)
    )


def month(year: int, first: int, last: int | None = None) -> TimeRange:
    """Whole months as a range."""
    end = month_end(date(year, last or first, 1))
    return TimeRange(start=date(year, first, 1), end=end, granularity=TimeGranularity.MONTH)


def where(field: str, *values: Any, operator: FilterOperator = FilterOperator.EQUALS) -> Filter:
    """A condition in short."""
    return Filter(field=field, operator=operator, values=values)


def fact(answer: Answer, name: str) -> Fact:
    """The fact of that name."""
    found = {f.name: f for f in answer.facts}
    assert name in found, f"{name} is not among {sorted(found)}"
    return found[name]
