"""Tools of external MCP servers, against a real second server that is slow, lies, is killed and comes back."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import validate_server_result

from gnomon.core import Settings
from gnomon.core.errors import (
    ApiFailure,
    Cancelled,
    ConfigurationError,
    GnomonError,
    InvalidInput,
    TimedOut,
    ToolUnavailable,
)
from gnomon.tools import CancelToken, Cost, Frame, ToolContext, ToolRegistry
from gnomon.tools.mcp_client import ExternalServers, connect_servers
from gnomon.tools.mcp_client_config import read_config
from gnomon.tools.mcp_client_connection import mend_listing

SCRIPT = str(Path(__file__).with_name("mcp_second_server.py"))
HERE: dict[str, Any] = {"command": sys.executable, "args": [SCRIPT], "timeout": 20}


def written(folder: Path, servers: dict[str, Any], **more: Any) -> Settings:
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    return Settings.load(mcp_config=file, **more)


@contextmanager
def connected(folder: Path, **servers: Any) -> Iterator[tuple[ToolRegistry, ExternalServers]]:
    registry = ToolRegistry()
    handle = connect_servers(registry, written(folder, servers))
    try:
        yield registry, handle
    finally:
        handle.close()


def call(registry: ToolRegistry, name: str, **params: Any) -> dict[str, Any]:
    return registry.usable(name)(params, ToolContext())


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolRegistry]:
    with connected(tmp_path_factory.mktemp("second"), second=HERE) as (registry, _):
        yield registry


@pytest.mark.long
def test_the_tools_enter_the_registry_under_the_name_of_their_server(second: ToolRegistry) -> None:
    assert "second.add" in second
    assert "second.process_id" in second
    spec = second.get("second.add").spec
    assert spec.cost is Cost.REMOTE
    assert (spec.origin, spec.endpoint) == ("mcp:second", "mcp:second/second.add")
    assert spec.read_only
    assert not second.get("second.slow").spec.read_only
    assert spec.required_parameters == ("a", "b")
    assert call(second, "second.add", a=2, b=3)["structured"] == {"n": 5}


@pytest.mark.long
def test_rows_are_sent_as_json_within_a_bound(second: ToolRegistry) -> None:
    rows = Frame.of([{"a": i} for i in range(7)])
    assert call(second, "second.count_rows", data=rows)["structured"] == {"n": 7}
    with pytest.raises(InvalidInput, match="too many to send"):
        call(second, "second.count_rows", data=Frame.of({"a": list(range(10_001))}))
    with pytest.raises(InvalidInput, match="cannot read tables"):
        call(second, "second.count_rows", data=Frame.of({"table": "sales"}))


@pytest.mark.long
@pytest.mark.parametrize("name", ["liar", "silent_liar"])
def test_a_result_that_breaks_its_own_schema_is_a_typed_error(second: ToolRegistry, name: str) -> None:
    with pytest.raises(ToolUnavailable, match="breaks its own schema"):
        call(second, f"second.{name}")
    assert call(second, "second.add", a=1, b=1)["structured"] == {"n": 2}


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bad_input_schema", "its input schema is not valid JSON Schema"),
        ("bad_output_schema", "its output schema is not valid JSON Schema"),
        ("huge_schema", "its input schema is larger than 64,000 characters"),
    ],
)
def test_a_schema_that_cannot_be_used_makes_the_tool_unavailable(
    second: ToolRegistry, name: str, reason: str
) -> None:
    assert second.unavailable(f"second.{name}") == reason
    with pytest.raises(ToolUnavailable, match=r"JSON Schema|larger"):
        second.usable(f"second.{name}")


@pytest.mark.long
def test_words_of_strangers_are_bounded_and_have_no_control_characters(second: ToolRegistry) -> None:
    description = second.get("second.long_winded").spec.description
    assert len(description) == 1000
    assert description.isprintable()
    with pytest.raises(InvalidInput, match="answered with an error: that was") as refused:
        call(second, "second.angry")
    assert refused.value.message.isprintable()
    with pytest.raises(InvalidInput, match="more than 4,000,000"):
        call(second, "second.flood")


class Noticed(CancelToken):
    """Says when somebody waits who can be interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = threading.Event()

    @contextmanager
    def interrupting(self, callback: Any) -> Iterator[None]:
        with super().interrupting(callback):
            self.waiting.set()
            yield


@pytest.mark.long
def test_cancelling_ends_the_wait_for_a_slow_server(second: ToolRegistry) -> None:
    cancel = Noticed()
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            second.get("second.slow")({}, ToolContext(cancel=cancel))
        except GnomonError as e:
            ended.append(e)

    thread = threading.Thread(target=wait)
    thread.start()
    assert cancel.waiting.wait(10)
    cancel.cancel()
    thread.join(10)
    assert [type(e) for e in ended] == [Cancelled]
    assert call(second, "second.add", a=1, b=1)["structured"] == {"n": 2}


@pytest.mark.long
def test_a_slow_call_ends_at_its_timeout(tmp_path: Path) -> None:
    with connected(tmp_path, second={**HERE, "timeout": 0.5}) as (registry, _):
        with pytest.raises(TimedOut, match=r"within 0\.5 s|in time"):
            call(registry, "second.slow")
        assert call(registry, "second.add", a=1, b=2)["structured"] == {"n": 3}


@pytest.mark.long
def test_a_step_waits_as_long_as_the_server_is_allowed_to_take(tmp_path: Path) -> None:
    from gnomon.core.plan import Plan, Step, Strategy
    from gnomon.workbench import Workbench

    settings = written(tmp_path, {"second": {**HERE, "timeout": 1.5}}, step_timeout_seconds=0.2)
    with Workbench(settings) as workbench:
        step = Step(id="s", tool="second.slow", retry_count=0)
        ended = workbench.layer.invoke(Plan(strategy=Strategy.SINGLE, steps=(step,))).step("s")
    assert isinstance(ended.error, TimedOut)
    assert "1.5 s" in ended.error.message
    assert 1.4 < ended.duration_seconds < 6


@pytest.mark.long
def test_servers_that_are_down_have_a_reason_and_do_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.tools import mcp_client_connection

    monkeypatch.setattr(mcp_client_connection, "CONNECT_SECONDS", 4.0)
    mute = {**HERE, "args": [SCRIPT, "--mute"]}
    nowhere = {"command": str(tmp_path / "no-such-program")}
    closed = {"url": "http://127.0.0.1:9/mcp"}
    off = {**HERE, "disabled": True}
    with connected(tmp_path, good=HERE, mute=mute, nowhere=nowhere, closed=closed, off=off) as (
        registry,
        handle,
    ):
        handle.wait_connected("good", 20)
        reasons = handle.reasons()
        assert reasons.pop("good") is None
        assert set(reasons) == {"mute", "nowhere", "closed"}
        assert all(r and ("not reachable" in r or "not connected" in r) for r in reasons.values())
        assert "FileNotFoundError" in str(reasons["nowhere"])
        assert "not reachable" in str(registry.unavailable("nowhere.server"))
        with pytest.raises(ToolUnavailable, match="not reachable"):
            registry.usable("nowhere.server")
        assert call(registry, "good.add", a=1, b=2)["structured"] == {"n": 3}


def after_loss(registry: ToolRegistry, handle: ExternalServers, name: str) -> dict[str, Any]:
    """What a tool gives once its server is back; until then each failure is a typed one."""
    for _ in range(200):
        handle.wait_connected(name.partition(".")[0], 40)
        try:
            return call(registry, name)
        except (ApiFailure, ToolUnavailable):
            continue
    raise AssertionError("the server did not come back")


@pytest.mark.long
def test_a_killed_server_is_started_again(tmp_path: Path) -> None:
    with connected(tmp_path, second=HERE) as (registry, handle):
        first = int(call(registry, "second.process_id")["text"])
        os.kill(first, signal.SIGKILL)
        again = int(after_loss(registry, handle, "second.process_id")["text"])
        assert again != first
        assert call(registry, "second.add", a=20, b=22)["structured"] == {"n": 42}
    assert not psutil.pid_exists(again)


@pytest.mark.long
def test_an_http_server_that_was_restarted_is_reached_again(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    entry = {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"X-Test": "1"}, "timeout": 20}
    process = _http_server(port)
    try:
        with connected(tmp_path, web=entry) as (registry, handle):
            handle.wait_connected("web", 30)
            assert call(registry, "web.add", a=1, b=2)["structured"] == {"n": 3}
            first = int(call(registry, "web.process_id")["text"])
            process.kill()
            process.wait()
            with pytest.raises((ApiFailure, ToolUnavailable, TimedOut)):
                call(registry, "web.add", a=1, b=2)
            process = _http_server(port)
            assert int(after_loss(registry, handle, "web.process_id")["text"]) != first
    finally:
        process.kill()
        process.wait()


def _http_server(port: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, SCRIPT, "--http", str(port)])


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "mcpServers"),
        ('{"mcpServers": {"a b": {"command": "x"}}}', "cannot be the name"),
        ('{"mcpServers": {"a": {}}}', "either a command or a url"),
        ('{"mcpServers": {"a": {"command": "x", "url": "http://h"}}}', "either a command or a url"),
        ('{"mcpServers": {"a": {"url": "ftp://h"}}}', "http:// or https://"),
        ('{"mcpServers": {"a": {"command": 5}}}', "command"),
        ('{"mcpServers": {"a": {"command": "${NO_SUCH_VARIABLE}"}}}', "NO_SUCH_VARIABLE"),
    ],
)
def test_a_configuration_that_cannot_be_used_says_where_it_is_wrong(
    tmp_path: Path, content: str, says: str
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=says):
        read_config(file)


@pytest.mark.long
def test_a_configuration_in_the_common_shape_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s3cret")
    file = tmp_path / "mcp.json"
    file.write_text(
        json.dumps(
            {
                "mcpServers": {
                    "files": {"type": "stdio", "command": "npx", "args": ["-y", "server"], "env": {"K": "${SECRET}"}},
                    "web": {"type": "http", "url": "${HOST:-https://example.org}/mcp", "headers": {"Authorization": "Bearer ${SECRET}"}},
                }
            }
        )
    )  # fmt: skip
    servers = read_config(file)
    assert servers["files"].env == {"K": "s3cret"}
    assert servers["web"].url == "https://example.org/mcp"
    assert servers["web"].headers == {"Authorization": "Bearer s3cret"}
    with pytest.raises(ConfigurationError, match=r"nowhere\.json cannot be read"):
        read_config(tmp_path / "nowhere.json")


@pytest.mark.long
def test_a_workbench_offers_external_tools_and_runs_them_in_plans(tmp_path: Path) -> None:
    from gnomon.core.plan import Plan, Step, Strategy
    from gnomon.workbench import Workbench

    with Workbench(written(tmp_path, {"second": HERE})) as workbench:
        step = Step(id="s", tool="second.add", params={"a": 40, "b": 2}, timeout_seconds=20)
        result = workbench.layer.invoke(Plan(strategy=Strategy.SINGLE, steps=(step,)))
        assert result.step("s").output["structured"] == {"n": 42}
        declared = workbench.declare_tool(
            {"name": "add_two", "description": "Adds.", "steps": [{"id": "a", "tool": "second.add", "params": {"a": 1, "b": 1}}]}
        )  # fmt: skip
        assert declared.spec.origin == "saved"
    with Workbench(Settings.load()) as without:
        assert "second.add" not in without.registry
        assert "add_two" not in without.registry
        assert "aggregate" in without.registry


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "properties", "required", "$ref", "x"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.long
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["inputSchema", "outputSchema", "description", "annotations", "title"]), _JUNK),
        max_size=4,
    )
)  # fmt: skip
def test_whatever_a_listing_holds_the_good_tools_of_its_server_are_kept(junk: list[dict[str, Any]]) -> None:
    good = {"name": "good", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    tools = [{"name": f"t{i}", **t} for i, t in enumerate(junk)] + [good, 7, {"name": 3}]
    message = SimpleNamespace(message=SimpleNamespace(result={"tools": tools}))
    mend_listing(message)
    told = message.message.result["tools"]
    assert [t["name"] for t in told] == [*(f"t{i}" for i in range(len(junk))), "good"]
    assert told[-1] == good
    for version in ("2025-06-18", "2026-07-28"):
        validate_server_result("tools/list", version, {"tools": told, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})  # fmt: skip


FLOODING = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        said = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}}
    elif asked["method"] == "tools/list":
        said = {"tools": [{"name": str(os.getpid()), "inputSchema": {"type": "object"}}]}
    elif asked["method"] == "tools/call":
        print("no message {" * 10, flush=True)
        while sys.argv[1] == "line":
            sys.stdout.write("a" * 1_000_000)
        sys.stdin.read()
    elif "id" in asked:
        said = {}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["line", "silence"])
def test_a_server_that_answers_nothing_any_more_is_ended(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from gnomon.tools import mcp_client_connection

    monkeypatch.setattr(mcp_client_connection, "GRACE_SECONDS", 0.2)
    (tmp_path / "flooding.py").write_text(FLOODING)
    server = {"command": sys.executable, "args": [str(tmp_path / "flooding.py"), kind], "timeout": 1}
    with connected(tmp_path, flooding=server) as (registry, _):
        (name,) = (t.spec.name for t in registry)
        process = psutil.Process(int(name.rpartition(".")[2]))
        with pytest.raises(TimedOut, match="did not answer within 1 s"):
            call(registry, name)
        process.wait(10)
    assert not [r for r in caplog.records if r.exc_info]


@pytest.mark.long
def test_a_server_that_is_being_ended_is_not_left_behind_when_everything_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends a server closes its input and waits for it, and kills it then: a cancelled task would do neither."""
    from gnomon.tools import mcp_client_connection

    monkeypatch.setattr(mcp_client_connection, "GRACE_SECONDS", 0.2)
    (tmp_path / "deaf.py").write_text(FLOODING.replace("sys.stdin.read()", "import time; time.sleep(300)"))
    server = {"command": sys.executable, "args": [str(tmp_path / "deaf.py"), "silence"], "timeout": 1}
    with connected(tmp_path, deaf=server) as (registry, _):
        (name,) = (t.spec.name for t in registry)
        process = psutil.Process(int(name.rpartition(".")[2]))
        with pytest.raises(TimedOut, match="did not answer within 1 s"):
            call(registry, name)
        until = time.monotonic() + 10
        while registry.get(name).unavailable() is None:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert process.is_running()
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
