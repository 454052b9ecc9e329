"""The client: typed output, one more try, budgets, and settings that cannot work."""

import logging
import threading

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from gnomon.core.errors import ApiFailure, Cancelled, ConfigurationError, TimedOut
from gnomon.core.settings import Settings
from gnomon.llm import ModelClient, Privacy, Rejected
from gnomon.llm.transport import is_local


class Sum(BaseModel):
    total: int


def saying(*texts: str) -> tuple[FunctionModel, list[str]]:
    sent: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append(f"{info.instructions} {messages}")
        return ModelResponse(parts=[TextPart(texts[min(len(sent), len(texts)) - 1])])

    return FunctionModel(answer), sent


def even(found: Sum) -> None:
    if found.total % 2:
        raise Rejected(f"{found.total} is odd, an even number is wanted")


def test_output_comes_back_typed() -> None:
    assert ModelClient(TestModel(custom_output_args={"total": 4}), output="tool").ask("add", "2 and 2", Sum) == Sum(total=4)  # fmt: skip


def test_rejected_output_gives_one_more_try_with_the_reason() -> None:
    model, sent = saying('{"total": 3}', '{"total": 4}')
    assert ModelClient(model).ask("add", "2 and 2", Sum, even) == Sum(total=4)
    assert len(sent) == 2
    assert "3 is odd" in sent[1]
    assert "3 is odd" not in sent[0]


def test_output_that_is_rejected_twice_is_a_failure() -> None:
    model, sent = saying('{"total": 3}')
    with pytest.raises(ApiFailure, match="no usable output"):
        ModelClient(model).ask("add", "2 and 2", Sum, even)
    assert len(sent) == 2


def test_output_of_another_shape_is_a_failure() -> None:
    model, sent = saying("four, I think")
    with pytest.raises(ApiFailure):
        ModelClient(model).ask("add", "2 and 2", Sum)
    assert len(sent) == 2


class Stuck:
    def __init__(self) -> None:
        self.asked, self.stopped = threading.Event(), threading.Event()

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        import asyncio

        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()
        raise AssertionError("never let go")


def test_a_task_that_takes_too_long_is_stopped() -> None:
    stuck = Stuck()
    with pytest.raises(TimedOut, match=r"0\.1 seconds"):
        ModelClient(FunctionModel(stuck), timeout=0.1).ask("wait", "", Sum)
    assert stuck.stopped.wait(10)


def test_a_task_can_be_stopped() -> None:
    stuck = Stuck()
    call = ModelClient(FunctionModel(stuck)).start("wait", "", Sum)
    assert stuck.asked.wait(10)
    call.cancel()
    with pytest.raises(Cancelled):
        call.result()
    assert stuck.stopped.wait(10)


def test_closing_stops_what_runs() -> None:
    stuck = Stuck()
    client = ModelClient(FunctionModel(stuck))
    client.start("wait", "", Sum)
    assert stuck.asked.wait(10)
    client.close()
    assert stuck.stopped.wait(10)


def test_without_a_model_there_is_no_client() -> None:
    assert ModelClient.of(Settings.load()) is None


@pytest.mark.parametrize("url", [None, "", "localhost:8080", "ftp://host/v1", "http://"])
def test_a_model_needs_an_address(url: str | None) -> None:
    with pytest.raises(ConfigurationError, match="GNOMON_MODEL_URL"):
        ModelClient.of(Settings.load(model="small", model_url=url))


def test_a_local_model_has_its_own_budget_and_raised_levels_are_taken_by_name() -> None:
    local = ModelClient.of(Settings.load(model="small", model_url="http://localhost:8080/v1"))
    hosted = ModelClient.of(
        Settings.load(model="small", model_url="https://models.example/v1", privacy="full")
    )
    assert local is not None and hosted is not None
    assert (local.timeout, local.privacy) == (60.0, Privacy.SCHEMA)
    assert (hosted.timeout, hosted.privacy) == (12.0, Privacy.FULL)
    with pytest.raises(ConfigurationError, match="GNOMON_PRIVACY"):
        Settings.load(privacy="everything")


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:8080/v1", True),
        ("https://localhost.example/v1", False),
        ("http://10.0.0.7/v1", False),
        ("http://127.0.0.1.example/v1", False),
    ],
)
def test_only_loopback_is_local(url: str, local: bool) -> None:
    assert is_local(url) is local


def test_tests_cannot_reach_a_model_by_accident() -> None:
    client = ModelClient.of(Settings.load(model="small", model_url="http://127.0.0.1:9/v1"))
    assert client is not None
    with pytest.raises(RuntimeError, match="not allowed"):
        client.ask("add", "2 and 2", Sum)


def test_the_key_is_in_no_log_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings.load(model="small", model_url="http://127.0.0.1:9/v1", model_key="k-4711-secret")
    with caplog.at_level(logging.DEBUG):
        client = ModelClient.of(settings)
    assert "4711" not in f"{settings!r} {settings} {settings.model_dump_json()} {client!r} {caplog.text}"
