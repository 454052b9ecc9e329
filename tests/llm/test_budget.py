"""Budgets, errors that say what to change, streaming, and what the ledger tells of each request."""

from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.llm.endpoint import endpoint

from gnomon.core.errors import (
    ApiFailure,
    AuthenticationFailed,
    ConfigurationError,
    GnomonError,
    PolicyViolation,
    RateLimited,
)
from gnomon.core.settings import Settings
from gnomon.llm import Budget, EgressLedger, ModelClient, Privacy, Purpose, Usage
from gnomon.llm.privacy import level_of
from gnomon.llm.window import Message


class Sum(BaseModel):
    total: int


def client_at(url: str, **given: object) -> ModelClient:
    client = ModelClient.of(Settings.load(model="small", model_url=url, **given))
    assert client is not None
    return client


def test_a_run_that_has_used_its_tokens_sends_nothing_more() -> None:
    asked: list[int] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(1)
        return ModelResponse(parts=[TextPart("word " * 40)])

    client, budget = ModelClient(FunctionModel(answer)), Budget(tokens=120)
    client.ask("say", "something", str, budget=budget)
    assert budget.used.requests == 1 and budget.used.output_tokens >= 40
    with pytest.raises(PolicyViolation, match="tokens in this run"):
        client.ask("say", "x " * 400, str, budget=budget)
    assert len(asked) == 1


def test_cost_is_reckoned_by_the_prices_and_limited() -> None:
    budget = Budget(cost=0.01, price_in=1.0, price_out=10.0)
    budget.add(Usage(1, 1000, 0, 500))
    assert budget.cost == pytest.approx(0.001 + 0.005)
    budget.check(4000)
    with pytest.raises(PolicyViolation, match="cost"):
        budget.check(4 * 5000)
    with pytest.raises(ConfigurationError, match="no price"):
        Budget.of(Settings.load(model_cost_per_run=1.0))


@pytest.mark.parametrize(
    ("status", "error", "says", "tries"),
    [
        (401, AuthenticationFailed, "GNOMON_MODEL_KEY", 1),
        (403, AuthenticationFailed, "GNOMON_MODEL_KEY", 1),
        (404, ConfigurationError, "no language model named 'small'", 1),
        (400, ConfigurationError, "does not accept", 1),
        (500, ApiFailure, "no usable output", 3),
        (429, RateLimited, "left alone", 3),
    ],
)
def test_what_may_pass_is_tried_again_and_what_may_not_says_what_to_change(
    status: int, error: type[GnomonError], says: str, tries: int
) -> None:
    with override_allow_model_requests(True), endpoint(status) as served:
        client = client_at(served.url)
        with pytest.raises(error) as e:
            client.ask("add", "2 and 2", Sum)
        client.close()
    assert says in f"{e.value.message} {e.value.suggestions}"
    assert e.value.retryable == (tries > 1)
    assert len(served.bodies) == tries


def test_nobody_at_the_address_is_told_as_such() -> None:
    with override_allow_model_requests(True), pytest.raises(ApiFailure, match="does not answer"):
        client_at("http://127.0.0.1:9/v1").ask("add", "2 and 2", Sum)


def test_what_the_model_writes_is_passed_on_as_it_writes() -> None:
    heard: list[str] = []
    with override_allow_model_requests(True), endpoint('{"total": 4}') as served:
        client = client_at(served.url)
        assert client.ask("add", "2 and 2", Sum, on_text=heard.append) == Sum(total=4)
        client.close()
    assert "".join(heard) == '{"total": 4}' and len(heard) == 2


def test_the_ledger_tells_what_each_request_was_for_and_what_it_used() -> None:
    settings = Settings.load()
    with override_allow_model_requests(True), endpoint('{"total": 4}') as served:
        client = client_at(served.url)
        purpose = Purpose("a sum", "run-1", Privacy.STRICT)
        client.ask("add", "2 and 2", Sum, purpose=purpose)
        client.ask("add", "3 and 1", Sum, on_text=lambda _: None)
        client.close()
    ledger = EgressLedger.of(settings)
    first, second = ledger.entries()
    assert (first["why"], first["run"], first["level"]) == ("a sum", "run-1", "strict")
    assert first["used"]["input_tokens"] == 1 and second["used"]["output_tokens"] == 1
    assert ledger.entries("run-1") == [first]
    assert ledger.bodies() == served.bodies


def test_a_conversation_is_sent_in_order() -> None:
    with override_allow_model_requests(True), endpoint('{"total": 4}') as served:
        client = client_at(served.url)
        said = [Message("user", "one"), Message("assistant", "two"), Message("user", "three")]
        client.ask("add", said, Sum)
        client.close()
    import json

    messages = json.loads(served.bodies[0])["messages"]
    assert [(m["role"], m["content"]) for m in messages] == [
        ("system", "add"), ("user", "one"), ("assistant", "two"), ("user", "three"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("named", "tables", "level"),
    [
        ({}, [["a", "a.csv"]], "schema"),
        ({"a.csv": "full"}, [["a", "a.csv"]], "full"),
        ({"A.CSV": "full"}, [["a", "a.csv"]], "full"),
        ({"a": "full"}, [["a"], ["b"]], "schema"),
        ({"a": "full", "b": "strict"}, [["a"], ["b"]], "strict"),
        ({"other": "strict"}, [["a"]], "schema"),
    ],
)
def test_tables_that_are_open_together_have_the_strictest_of_their_levels(
    named: dict[str, str], tables: list[list[str]], level: str
) -> None:
    assert level_of(Settings.load(data_privacy=named), tables) == level


def test_a_model_that_was_not_installed_says_how(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No language model is installed") as e:
        ModelClient.of(Settings.load(model="installed", home=tmp_path))
    assert e.value.suggestions == ("gnomon llm install",)


def test_a_level_named_for_a_file_holds_for_questions_too(tmp_path: Path) -> None:
    import pandas as pd

    import gnomon

    path = tmp_path / "wages.csv"
    pd.DataFrame({"person": list("abcd"), "wage": [1.5, 2.5, 3.5, 4.5]}).to_csv(path, index=False)
    given = {"model": "small", "model_url": "http://127.0.0.1:9/v1", "data_privacy": {"wages.csv": "strict"}}
    with gnomon.open(path, settings=Settings.load(**given)) as analyst:
        assert analyst.manager._reader._model._client.privacy is Privacy.STRICT
