"""Everything that an answer says in numbers, dates and directions is bound to its facts."""

from datetime import date
from typing import Any

import pytest
from tests.agents.shop import month, shop, where

from gnomon.core.parts import Comparison, Filter, FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.guardrails import NumberBinding

K, G = QuestionKind, TimeGranularity
MARCH, FEBRUARY = month(2024, 3), month(2024, 2)
BEFORE = Comparison(kind="period", period=FEBRUARY)
RICH = Filter(field="revenue", operator=FilterOperator.GREATER, values=(7000,), having=True)
DEAR = where("unit_price", 20, operator=FilterOperator.GREATER)
CASES: list[tuple[QuestionKind, tuple[str, ...], dict[str, Any]]] = [
    (K.VALUE, ("revenue",), {"time_range": MARCH}),
    (K.VALUE, ("revenue", "customers", "average_order_value"), {}),
    (K.VALUE, ("average_price",), {}),
    (K.VALUE, ("average_price",), {"filters": (where("region", "Atlantis"),)}),
    (K.VALUE, ("orders",), {"filters": (DEAR,)}),
    (K.VALUE, ("orders",), {"time_range": TimeRange(start=date(2024, 5, 5), end=date(2024, 5, 9))}),
    (K.VALUE, ("revenue",), {"time_range": TimeRange(start=date(2024, 12, 1), end=date(2025, 1, 5))}),
    (K.VALUE, ("max(orders.order_date)",), {}),
    (K.VALUE, ("min(orders.unit_price)",), {}),
    (K.VALUE, ("count(revenue per customer_id > 7000)",), {}),
    (K.BREAKDOWN, ("revenue",), {"dimensions": ("region",), "time_range": MARCH}),
    (K.BREAKDOWN, ("orders",), {"dimensions": ("category", "channel")}),
    (K.BREAKDOWN, ("products",), {"dimensions": ("category",)}),
    (K.RANKING, ("revenue",), {"dimensions": ("product_id",), "limit": 3}),
    (K.RANKING, ("units",), {"dimensions": ("customer_id",), "limit": 5, "descending": False}),
    (K.RANKING, ("revenue",), {"dimensions": ("region", "category"), "limit": 1, "limit_per": "region"}),
    (K.RANKING, ("revenue",), {"grain": G.MONTH, "limit": 1}),
    (K.RANKING, ("revenue",), {"dimensions": ("category",), "limit": 2, "place": 2}),
    (K.RANKING, ("orders",), {"dimensions": ("@weekday",), "limit": 1}),
    (K.SHARE, ("revenue",), {"part": (where("region", "West"),), "time_range": MARCH}),
    (K.SHARE, ("orders",), {"dimensions": ("region",), "part": (where("returned", True),)}),
    (K.SHARE, ("revenue",), {"dimensions": ("customer_id",), "limit": 5}),
    (K.COMPARISON, ("revenue",), {"time_range": MARCH, "comparison": BEFORE}),
    (K.COMPARISON, ("orders", "average_price"), {"time_range": MARCH, "comparison": BEFORE}),
    (K.COMPARISON, ("orders",), {"dimensions": ("region",), "time_range": MARCH, "comparison": BEFORE}),
    (K.COMPARISON, ("revenue",), {"dimensions": ("region",), "comparison": Comparison(kind="group", groups=("East", "West"))}),
    (K.COMPARISON, ("average_price",), {"filters": (where("region", "West"),), "comparison": Comparison(kind="benchmark")}),
    (K.TREND, ("revenue",), {"grain": G.MONTH}),
    (K.TREND, ("revenue",), {"grain": G.YEAR}),
    (K.TREND, ("orders",), {"grain": G.WEEK, "time_range": month(2024, 2, 4)}),
    (K.TREND, ("units",), {"grain": G.QUARTER, "dimensions": ("region",), "time_range": month(2024, 1, 9)}),
    (K.LIST, ("revenue",), {"dimensions": ("customer_id",), "filters": (RICH,)}),
    (K.LIST, ("revenue",), {"grain": G.MONTH, "filters": (RICH,)}),
    (K.DISTRIBUTION, ("average_price",), {}),
    (K.DISTRIBUTION, ("orders",), {"dimensions": ("units",)}),
    (K.CORRELATION, ("average_price", "revenue"), {}),
    (K.CORRELATION, ("orders", "return_rate"), {"grain": G.MONTH}),
    (K.PROFILE, (), {}),
    (K.ANOMALY, ("revenue",), {"grain": G.DAY}),
    (K.CAUSE, ("revenue",), {"time_range": MARCH}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "metrics", "fields"), CASES)
def test_what_an_answer_says_is_bound_to_its_facts(
    kind: QuestionKind, metrics: tuple[str, ...], fields: dict[str, Any]
) -> None:
    answer = shop().ask(kind, *metrics, **fields)
    names = [str(v) for t in answer.tables for row in t.rows for v in row if isinstance(v, str)]
    claims = NumberBinding().bind(answer.prose, answer.facts, names)
    assert [(c.text, c.reason) for c in claims if not c.ok] == [], answer.prose


def test_a_wrong_number_in_the_same_prose_is_not_bound() -> None:
    answer = shop().ask(K.VALUE, "revenue", time_range=MARCH)
    wrong = answer.prose.replace(".", "1.", 1) if "." in answer.prose else answer.prose
    assert any(not c.ok for c in NumberBinding().bind(wrong, answer.facts))
