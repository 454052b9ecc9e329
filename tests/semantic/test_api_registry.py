"""Retrieval APIs: one for each table, described for people and models, without a value of any cell."""

from __future__ import annotations

import json

import pytest
from tests.semantic import shop

from gnomon.core.errors import NotFound
from gnomon.data import open_sources
from gnomon.semantic import (
    APIRegistry,
    RetrievalQuery,
    Retriever,
    ValueIndex,
    generate_questions,
)


@pytest.fixture(scope="module")
def registry() -> APIRegistry:
    return APIRegistry.of(shop.model())


def test_each_table_with_metrics_has_an_api(registry: APIRegistry) -> None:
    assert [a.name for a in registry.get_all()] == ["retrieve_orders", "retrieve_visits", "retrieve_stock"]
    orders = registry.get("retrieve_orders")
    assert orders.endpoint == "semantic://retrieve_orders"
    assert {"revenue", "order_value", "conversion"} <= set(orders.metrics)
    assert {c.name for c in orders.columns if c.kind == "dimension"} >= {"country", "channel"}
    assert "country" not in {c.name for c in registry.get("retrieve_visits").columns}


def test_parameters_are_those_of_a_query(registry: APIRegistry) -> None:
    for api in registry:
        assert {p.name for p in api.parameters} == set(RetrievalQuery.model_fields)
        (metrics,) = (p for p in api.parameters if p.name == "metrics")
        assert metrics.allowed == api.metrics


def test_an_unknown_api_is_answered_with_the_closest(registry: APIRegistry) -> None:
    with pytest.raises(NotFound, match="retrieve_orders"):
        registry.get("retrieve_order")


def test_every_example_runs(registry: APIRegistry) -> None:
    retriever = Retriever.over(open_sources(shop.frames()), shop.model())
    assert all(api.examples for api in registry)
    for example in (e for api in registry for e in api.examples):
        found = retriever.run(RetrievalQuery(**example["payload"]))
        assert len(found.rows) > 0
        assert example["question"].strip().endswith(("?", "."))


def test_metadata_names_things_and_tells_no_value(registry: APIRegistry) -> None:
    text = json.dumps(registry.get_metadata())
    assert "revenue" in text
    for value in ("Kenya", "toys", "o'phone"):
        assert value not in text


def test_generated_questions_are_varied_and_repeatable() -> None:
    dataset = open_sources(shop.frames())
    model = shop.model()
    index = ValueIndex.build(dataset, model)
    questions = generate_questions(model, index, limit=200, seed=1)
    assert len(questions) == len(set(questions)) == 200
    assert questions == generate_questions(model, index, limit=200, seed=1)
    assert questions != generate_questions(model, index, limit=200, seed=2)
    text = " ".join(questions)
    assert "{" not in text
    for expected in ("revenue", "country", "Kenya", "Why", "Which"):
        assert expected in text
