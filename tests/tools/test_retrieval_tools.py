"""Retrieval APIs as tools: payloads are checked, results are rows with what they rest on, and they can be stopped."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from tests.semantic import shop

from gnomon.core.errors import Cancelled, InvalidInput, NotFound
from gnomon.data import open_sources
from gnomon.semantic import Retriever
from gnomon.tools.contract import CancelToken, Tool, ToolContext
from gnomon.tools.registry import ToolRegistry
from gnomon.tools.retrieval_tools import retrieval_tools


@pytest.fixture(scope="module")
def tools() -> ToolRegistry:
    model = shop.model()
    return ToolRegistry(retrieval_tools(model, Retriever.over(open_sources(shop.frames()), model)))


def call(tools: ToolRegistry, name: str, **payload: Any) -> dict[str, Any]:
    return tools.get(name)(payload, ToolContext())


def test_each_api_is_a_tool(tools: ToolRegistry) -> None:
    assert tools.names() == ["retrieve_orders", "retrieve_visits", "retrieve_stock"]
    tool = tools.get("retrieve_orders")
    assert isinstance(tool, Tool)
    assert tool.spec.produces_rows == "rows"
    assert "order_value" in tool.spec.parameters["metrics"]["description"]


def test_a_tool_that_is_made_late_is_made_once_and_only_for_who_asks(tools: ToolRegistry) -> None:
    made: list[str] = []

    def make(name: str) -> Tool:
        made.append(name)
        return tools.get(name)

    late = ToolRegistry(late={name: partial(make, name) for name in tools.names()})
    assert made == []
    assert late.get("retrieve_visits") is tools.get("retrieve_visits")
    assert late.get("retrieve_visits").spec.name == "retrieve_visits"
    assert made == ["retrieve_visits"]
    late.unregister("retrieve_stock")
    late.register(tools.get("retrieve_orders"), replace=True)
    assert sorted(late.names()) == ["retrieve_orders", "retrieve_visits"]
    assert made == ["retrieve_visits"]
    with pytest.raises(NotFound):
        late.get("retrieve_stock")


def test_a_payload_of_plain_json_gives_rows(tools: ToolRegistry) -> None:
    found = call(
        tools,
        "retrieve_orders",
        metrics=["units", "orders"],
        dimensions=["channel"],
        time_range={"start": "2023-12-01", "end": "2023-12-31"},
        filters=[{"field": "quantity", "operator": ">=", "values": [3]}],
    )
    orders = shop.frames()["orders"]
    month = orders[
        (orders.ordered_at >= "2023-12-01") & (orders.ordered_at < "2024-01-01") & (orders.quantity >= 3)
    ]
    expected = month.groupby("channel").quantity.sum().to_dict()
    assert {r["channel"]: r["units"] for r in found["rows"].to_rows()} == expected
    assert found["rows_used"] == len(month)
    assert found["columns"] == ["channel", "units", "orders"]
    assert "SELECT" in found["query"]
    assert found["nulls"] == {"units": 0}


def test_no_rows_are_rows_too(tools: ToolRegistry) -> None:
    found = call(
        tools, "retrieve_orders", metrics=["orders"], dimensions=["channel"],
        filters=[{"field": "quantity", "operator": ">", "values": [99]}],
    )  # fmt: skip
    assert len(found["rows"]) == 0
    assert found["rows"].columns == ["channel", "orders"]


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ({"metric": ["orders"]}, InvalidInput),
        ({"metrics": ["orders"], "limit": 0}, InvalidInput),
        ({"metrics": ["orders"], "grain": "fortnight"}, InvalidInput),
        ({"metrics": ["orders"], "filters": [{"field": "channel", "operator": "like"}]}, InvalidInput),
        ({"metrics": ["ordrs"]}, NotFound),
        ({"metrics": ["orders"], "time_range": {"start": "2024-02-01", "end": "2024-01-01"}}, InvalidInput),
    ],
)
def test_wrong_payloads_are_refused(
    tools: ToolRegistry, payload: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        tools.get("retrieve_orders")(payload, ToolContext())


def test_a_cancelled_tool_does_not_run(tools: ToolRegistry) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        tools.get("retrieve_orders")({"metrics": ["orders"]}, ToolContext(cancel=token))
