"""The whole way with a real language model, a very small one: whatever it says, nothing wrong is believed.

The file is fetched once, see ``scripts/fetch_small_model.py``; without a network these tests are skipped.
"""

import os
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import httpx2
import pandas as pd
import psutil
import pytest
from pydantic import BaseModel
from pydantic_ai.models import override_allow_model_requests

import gnomon
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import PolicyViolation, TimedOut
from gnomon.core.settings import Settings
from gnomon.llm import Budget, EgressLedger, ModelClient, Purpose, transport
from gnomon.llm.gguf import GgufModel

TODAY = date(2025, 1, 6)
BUDGET = 12.0
CANARIES = ("zanzibel", "kreuzotter", "marvik", "2024-")


SERVER = """#!{python} -P
import os, sys, time
import xllamacpp

open({log!r}, "w").write(repr(sys.argv))
said = dict(zip(sys.argv[1::2], sys.argv[2::2]))
p = xllamacpp.CommonParams()
p.model.path, p.model_alias = said["-m"], {{said["-a"]}}
p.hostnames, p.port = [said["--host"]], int(said["--port"])
p.api_keys = [os.environ["LLAMA_API_KEY"]]
p.n_ctx, p.n_predict, p.n_parallel = int(said["-c"]), int(said["-n"]), int(said["-np"])
p.cpuparams.n_threads = int(said["-t"])
p.warmup, p.cache_ram_mib = False, 0
server = xllamacpp.Server(p)
time.sleep(600)
"""


class Sum(BaseModel):
    total: int


@pytest.fixture(autouse=True)
def _allowed(_no_live_model: None) -> Iterator[None]:
    with override_allow_model_requests(True):
        yield


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The bodies that leave for the model, as they leave."""
    bodies: list[bytes] = []

    class Watched(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            bodies.append(await request.aread())
            return await super().handle_async_request(request)

    monkeypatch.setattr(transport, "sender", lambda _: Watched())
    return bodies


def hauls() -> pd.DataFrame:
    days = pd.date_range("2024-01-01", "2024-12-31", freq="D")
    towns = ["Zanzibel", "Kreuzotter", "Marvik"]
    return pd.DataFrame(
        {
            "shipped_on": days,
            "town": [towns[i % 3] for i in range(len(days))],
            "cost": [10 + i * 37 % 101 for i in range(len(days))],
        }
    )


def figures(answer: Answer) -> list[object]:
    return [f.value for f in answer.facts]


@pytest.mark.long
def test_a_real_model_streams_typed_output_within_a_budget_keeps_its_time_and_is_gone_after_close(
    small_model: str,
) -> None:
    settings = Settings.load(model=small_model, local_model_timeout_seconds=240)
    client = ModelClient.of(settings)
    assert client is not None and isinstance(client._model, GgufModel) and client._model.server is not None
    heard: list[str] = []
    budget = Budget(tokens=2000)
    purpose = Purpose("a sum", "run-1")
    found = client.ask(
        "Add the numbers.", "2 and 2", Sum, purpose=purpose, budget=budget, on_text=heard.append
    )
    assert isinstance(found.total, int)
    assert len(heard) > 1 and Sum.model_validate_json("".join(heard)) == found
    (entry,) = EgressLedger.of(settings).entries("run-1")
    assert entry["used"] == budget.used.to_dict() and budget.used.output_tokens > 0
    with pytest.raises(PolicyViolation):
        client.ask("Add the numbers.", "2 and 2 " * 2000, Sum, budget=budget)
    process = client._model.server.process_id
    assert process is not None
    client.timeout = 0.3
    started = time.perf_counter()
    with pytest.raises(TimedOut):
        client.ask("Tell a very long story in many words.", "a story", str)
    assert time.perf_counter() - started < 10
    client.close()
    assert not psutil.pid_exists(process)


@pytest.mark.long
def test_a_real_model_makes_no_answer_wrong_and_sees_no_value(
    small_model: str, sent: list[bytes], tmp_path: Path
) -> None:
    frame, path = hauls(), tmp_path / "hauls.parquet"
    frame.to_parquet(path)
    total = frame.loc[frame.town == "Zanzibel", "cost"].sum()
    settings = Settings.load(model=small_model, local_model_timeout_seconds=BUDGET)
    with gnomon.open(path, settings=settings) as analyst:
        clear = analyst.ask("total cost for Zanzibel", today=TODAY)
        assert sent == [], "what the grammar reads is not for the model"
        assert total in figures(clear)
        unknown = analyst.ask("How many goblins of Zanzibel were fined?", today=TODAY)
        assert sent, "the model was asked"
        assert unknown.status is not AnswerStatus.ANSWERED
        assert figures(unknown) == []
        outlay = analyst.ask("outlay for Zanzibel", today=TODAY)
        if outlay.status is AnswerStatus.ANSWERED:
            assert total in figures(outlay)
        else:
            assert figures(outlay) == []
    assert EgressLedger.of(settings).bodies() == sent
    text = b"\n".join(sent).decode().lower()
    assert [c for c in CANARIES if c in text] == []


@pytest.mark.long
def test_a_real_model_writes_nothing_false(small_model: str, sent: list[bytes], tmp_path: Path) -> None:
    frame, path = hauls(), tmp_path / "hauls.parquet"
    frame.to_parquet(path)
    question = "total cost for Marvik"
    with gnomon.open(path) as plain:
        template = plain.ask(question, today=TODAY)
    settings = Settings.load(model=small_model, model_prose=True, local_model_timeout_seconds=BUDGET)
    with gnomon.open(path, settings=settings) as analyst:
        told = analyst.ask(question, today=TODAY)
    assert sent and EgressLedger.of(settings).bodies() == sent
    assert b"marvik" not in sent[0].lower()
    assert figures(told) == figures(template)
    assert f"{frame.loc[frame.town == 'Marvik', 'cost'].sum():,}" in told.prose


@pytest.mark.long
def test_a_server_of_llama_cpp_is_used_where_there_is_one(
    small_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of that name takes the arguments and the key as the real one does, and serves the real model."""
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text(SERVER.format(python=sys.executable, log=str(tmp_path / "args")))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    client = ModelClient.of(Settings.load(model=small_model, local_model_timeout_seconds=240))
    assert client is not None
    client.ask("Answer with numbers.", "2 and 2", Sum)
    assert isinstance(client._model, GgufModel) and client._model.server is not None
    (child,) = psutil.Process(client._model.server.process_id).children()
    address = client._model.server.ready().result()
    assert httpx2.post(f"{address.url}/chat/completions", json={}).status_code == 401
    assert address.key not in (tmp_path / "args").read_text()
    client.close()
    until = time.monotonic() + 10
    while time.monotonic() < until and not ended(child):
        time.sleep(0.05)
    assert ended(child)


def ended(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
