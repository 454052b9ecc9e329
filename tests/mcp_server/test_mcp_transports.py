"""The server over real transports: a process on standard input and output, and HTTP on a port of this machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp_harness import (
    assert_ends,
    burning_tool,
    cancelled_burn,
    connected,
    listening,
    run,
    sales,
    server_over,
    stdio,
    write_sales,
)
from starlette.applications import Starlette
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.mcp_server import EgressLedger, mcp_routes
from gnomon.server import create_app

TABLE = {"table": "sales"}
SUM = {"data": TABLE, "value": "revenue"}
SERVE_BURNING = """
import sys, anyio
sys.path.insert(0, sys.argv.pop())
from mcp_harness import burning_tool
from gnomon.core import Settings
from gnomon.mcp_server import create_mcp_server, serve_stdio
from gnomon.workbench import Workbench
with Workbench(Settings.load()) as workbench:
    workbench.registry.register(burning_tool())
    anyio.run(serve_stdio, create_mcp_server(workbench))
"""


def request(number: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


@pytest.mark.long
def test_stdout_carries_only_the_protocol_and_the_ledger_has_it_byte_for_byte(tmp_path: Path) -> None:
    file = write_sales(tmp_path)
    home = tmp_path / "home"
    started = stdio(str(file), home=home)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    sent = [
        request(1, "initialize", **hello),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        request(2, "tools/list"),
        request(3, "tools/call", name="aggregate", arguments=SUM, _meta={"progressToken": "p"}),
        request(4, "tools/call", name="no_such_tool", arguments={}),
    ]
    process = subprocess.Popen(
        [started.command, *started.args], env=started.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"".join(sent))
    process.stdin.flush()
    received = b""
    answered: dict[Any, dict[str, Any]] = {}
    progress: list[dict[str, Any]] = []
    while not {1, 2, 3, 4} <= set(answered):
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()[-2000:]
        received += line
        message = json.loads(line)
        if "id" in message:
            answered[message["id"]] = message
        else:
            progress.append(message)
    _, complained = process.communicate(timeout=30)
    assert process.returncode == 0
    assert b"Traceback" not in complained
    assert [p["params"]["progressToken"] for p in progress] == ["p"] * len(progress)
    assert progress
    total = answered[3]["result"]["structuredContent"]["rows"]["rows"][0]["sum_revenue"]
    assert total == pytest.approx(sales()["revenue"].sum())
    assert answered[4]["result"]["isError"] is True
    ledger = EgressLedger(home / "egress", "aggregates")
    assert ledger.content() == received
    assert {(e["channel"], e["level"]) for e in ledger.entries()} == {("mcp-stdio", "aggregates")}


@pytest.mark.long
def test_share_rows_is_a_choice_of_the_one_who_starts_it(tmp_path: Path) -> None:
    file = write_sales(tmp_path)
    home = tmp_path / "home"

    async def main() -> dict[str, Any]:
        async with connected(stdio("--share-rows", str(file), home=home)) as client:
            result = await client.call_tool("filter_rows", {"data": TABLE, "condition": "units > 20"})
            return result.structured_content

    shown = run(main)
    assert shown["rows"]["rows"][0]["customer"] == sales().query("units > 20")["customer"].iloc[0]
    assert shown["privacy"]["level"] == "full"
    assert {e["level"] for e in EgressLedger(home / "egress", "full").entries()} == {"full"}


@pytest.mark.long
def test_cancelling_over_stdio_ends_the_process_that_computes(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)

    async def main() -> int:
        async with connected(stdio(here, home=tmp_path, script=SERVE_BURNING), mode="legacy") as client:
            pid = await cancelled_burn(client, tmp_path / "pid")
            assert_ends(pid)
            tools = (await client.list_tools()).tools
            assert any(t.name == "burn" for t in tools)
            return pid

    assert run(main) > 0


@pytest.mark.long
def test_cancelling_over_http_ends_the_process_that_computes(tmp_path: Path) -> None:
    with server_over(write_sales(tmp_path)) as server:
        server.desk.workbench.registry.register(burning_tool())

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None]:
            async with server.session_manager.run():
                yield

        app = Starlette(routes=mcp_routes(server), lifespan=lifespan)

        async def main(url: str, mode: str) -> int:
            async with connected(f"{url}/mcp", mode=mode) as client:
                return await cancelled_burn(client, tmp_path / f"pid-{mode}")

        with listening(app) as url:
            for mode in ("auto", "legacy"):
                assert_ends(run(lambda mode=mode: main(url, mode)))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    write_sales(tmp_path)
    return Settings.load(
        home=warmed(tmp_path / "home"), log_dir=tmp_path, data_roots=(tmp_path,), api_token="t0ken"
    )


def test_http_serves_the_same_tools_behind_the_token_and_the_host_check(
    settings: Settings, tmp_path: Path
) -> None:
    path = str(tmp_path / "sales.csv")

    async def main(url: str) -> tuple[dict[str, Any], list[int]]:
        headers = {"Authorization": "Bearer t0ken"}
        async with httpx2.AsyncClient(headers=headers) as http:
            async with connected(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
                opened = await client.call_tool("open_dataset", {"paths": [path]})
                assert opened.structured_content["tables"][0]["rows"] == 240
                result = await client.call_tool("aggregate", SUM)
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            accept = {"Accept": "application/json, text/event-stream"}

            async def status(**more: str) -> int:
                answer = await http.post(f"{url}/mcp", json=body, headers={**accept, **more})
                assert "Traceback" not in answer.text
                return answer.status_code

            statuses = [
                await status(Authorization="Bearer wrong"),
                await status(Host="evil.example"),
                await status(Origin="https://evil.example"),
            ]
            return result.structured_content, statuses

    with listening(create_app(settings)) as url:
        result, statuses = run(lambda: main(url))
    assert result["rows"]["rows"][0]["sum_revenue"] == pytest.approx(sales()["revenue"].sum())
    assert statuses == [401, 400, 403]
    assert b"sum_revenue" in EgressLedger(tmp_path / "home" / "egress", "aggregates").content()


def test_an_application_can_be_made_and_started_twice(settings: Settings) -> None:
    for _ in range(2):
        with listening(create_app(settings)) as url:
            assert httpx2.get(f"{url}/health").json()["status"] == "ok"
