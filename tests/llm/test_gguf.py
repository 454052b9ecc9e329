"""A model from a file: a process that is started when needed, asked with a key, and gone when nobody needs it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psutil
import pytest
from pydantic import BaseModel
from pydantic_ai.models import override_allow_model_requests

from gnomon.core.errors import ApiFailure, Cancelled, ConfigurationError, MissingExtra, TimedOut
from gnomon.core.settings import Settings
from gnomon.llm import EgressLedger, ModelClient, gguf
from gnomon.llm.gguf import GgufModel, GgufServer

STUB = Path(__file__).parent / "stub_library"
SECONDS = 60


class Sum(BaseModel):
    total: int


@pytest.fixture(autouse=True)
def _allowed(_no_live_model: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(STUB)
    with override_allow_model_requests(True):
        yield


def file(folder: Path, does: str = "fine") -> Path:
    path = folder / f"{does}.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def client_of(path: Path) -> ModelClient:
    client = ModelClient.of(Settings.load(model=str(path)))
    assert client is not None
    return client


def server_of(client: ModelClient) -> GgufServer:
    assert isinstance(client._model, GgufModel) and client._model.server is not None
    return client._model.server


def test_a_file_is_served_when_it_is_first_needed_and_gone_after_close(tmp_path: Path) -> None:
    client = client_of(file(tmp_path))
    server = server_of(client)
    assert server.process_id is None, "nothing is started before it is needed"
    assert client.ask("add", "2 and 2", Sum) == Sum(total=gguf.CONTEXT)
    first = server.process_id
    assert first is not None
    client.ask("add", "2 and 2", Sum)
    assert server.process_id == first, "it is started once"
    client.close()
    assert not psutil.pid_exists(first)
    client.close()


def test_it_has_the_budget_of_this_machine_and_a_key_that_is_written_nowhere(tmp_path: Path) -> None:
    settings = Settings.load(model=str(file(tmp_path)))
    client = ModelClient.of(settings)
    assert client is not None and client.timeout == settings.local_model_timeout_seconds
    client.ask("add", "2 and 2", Sum)
    server = server_of(client)
    address = server.ready().result()
    process = psutil.Process(server.process_id)
    assert httpx2.post(f"{address.url}/chat/completions", json={}).status_code == 401
    (ledger,) = EgressLedger.of(settings).files
    written = f"{process.cmdline()} {process.environ()} {address!r} {ledger.read_text()}"
    assert address.key not in written
    assert address.url in ledger.read_text()
    client.close()


def test_many_clients_share_one_process_and_the_last_ends_it(tmp_path: Path) -> None:
    path = file(tmp_path)
    one, other = client_of(path), client_of(path)
    one.ask("add", "2 and 2", Sum)
    other.ask("add", "2 and 2", Sum)
    process = server_of(one).process_id
    assert process is not None and server_of(other).process_id == process
    one.close()
    assert psutil.pid_exists(process)
    other.close()
    assert not psutil.pid_exists(process)


def test_a_process_that_dies_is_started_again_a_few_times(tmp_path: Path) -> None:
    client = client_of(file(tmp_path))
    for _ in range(gguf.MOST_STARTS):
        client.ask("add", "2 and 2", Sum)
        process = psutil.Process(server_of(client).process_id)
        process.kill()
        process.wait(SECONDS)
    with pytest.raises(ApiFailure, match="has ended"):
        client.ask("add", "2 and 2", Sum)
    client.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
def test_the_process_ends_with_its_parent_even_when_that_is_killed(tmp_path: Path) -> None:
    code = f"from gnomon.llm.gguf import borrow; s = borrow({str(file(tmp_path))!r}); s.ready().result(); print(s.process_id, flush=True); input()"  # fmt: skip
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        served = psutil.Process(int(parent.stdout.readline()))
        assert served.is_running()
        parent.kill()
    served.wait(SECONDS)
    assert not served.is_running()


@pytest.mark.parametrize("does", ["damaged", "crashing"])
def test_a_file_that_cannot_be_loaded_says_what_to_do_and_is_not_tried_again(
    tmp_path: Path, does: str
) -> None:
    client = client_of(file(tmp_path, does))
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="damaged or cut short") as raised:
            client.ask("add", "2 and 2", Sum)
        assert raised.value.suggestions
    assert server_of(client)._starts == 1
    assert server_of(client).process_id is None
    client.close()


def test_a_file_that_takes_too_long_to_load_is_given_up(tmp_path: Path) -> None:
    server = GgufServer(file(tmp_path, "slow"), threads=1, start_seconds=0.5)
    with pytest.raises(TimedOut, match=r"0\.5 seconds"):
        server.ready().result(SECONDS)
    assert server.process_id is None


def test_closing_ends_a_start_that_is_under_way(tmp_path: Path) -> None:
    server = GgufServer(file(tmp_path, "slow"), threads=1)
    ready = server.ready()
    server.close()
    with pytest.raises(Cancelled):
        ready.result(SECONDS)
    assert server.process_id is None
    with pytest.raises(Cancelled):
        server.ready()


def test_a_task_that_waits_for_the_file_has_its_own_budget(tmp_path: Path) -> None:
    client = client_of(file(tmp_path, "slow"))
    client.timeout = 0.2
    with pytest.raises(TimedOut):
        client.ask("add", "2 and 2", Sum)
    client.close()


def test_what_is_no_model_is_told_when_it_is_named(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no model")
    for path, said in [(tmp_path / "gone.gguf", "cannot be opened"), (text, "no GGUF file")]:
        with pytest.raises(ConfigurationError, match=said) as raised:
            client_of(path)
        assert raised.value.suggestions


def test_a_name_at_an_address_is_no_file() -> None:
    assert ModelClient.of(Settings.load(model="small.gguf", model_url="http://127.0.0.1:9/v1")) is not None
    with pytest.raises(ConfigurationError, match="GNOMON_MODEL_URL"):
        ModelClient.of(Settings.load(model="small"))


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="local") as raised:
        client_of(file(tmp_path))
    assert raised.value.suggestions == ("pip install 'gnomon[local]'",)


@pytest.mark.long
@pytest.mark.parametrize("does", ["exit 3", "sleep 600"])
def test_a_server_that_does_not_come_up_is_passed_over_and_gone(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "bin" / "llama-server"
    other.parent.mkdir()
    other.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/started\n{does}\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent), prepend=os.pathsep)
    server = GgufServer(file(tmp_path), threads=1, start_seconds=3)
    if does == "exit 3":
        assert server.ready().result(SECONDS).url.startswith("http://127.0.0.1:")
    else:
        with pytest.raises(TimedOut):
            server.ready().result(SECONDS)
    server.close()
    until = time.monotonic() + 10
    while time.monotonic() < until and not ended(int((tmp_path / "started").read_text())):
        time.sleep(0.05)
    assert ended(int((tmp_path / "started").read_text()))


def ended(process_id: int) -> bool:
    try:
        return psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_cores_are_counted_once() -> None:
    physical = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    assert 1 <= gguf.cores() <= max(physical, 1)
