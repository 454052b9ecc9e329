"""Agents that went away without a word do not keep others out."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.mcp_server import transports
from gnomon.server import create_app

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
ACCEPTS = {"accept": "application/json, text/event-stream"}


def begun(service: TestClient) -> str:
    said = service.post("/mcp", json=HELLO, headers=ACCEPTS)
    assert said.status_code == 200, said.text
    return said.headers["mcp-session-id"]


def listed(service: TestClient, session: str) -> int:
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    headers = ACCEPTS | {"mcp-session-id": session, "mcp-protocol-version": "2025-06-18"}
    return service.post("/mcp", json=body, headers=headers).status_code


def test_the_session_that_was_idle_longest_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "MAX_SESSIONS", 3)
    settings = Settings.load(home=warmed(tmp_path), log_dir=tmp_path / "logs")
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as service:
        first, second, third = begun(service), begun(service), begun(service)
        assert listed(service, first) == 200  # now the second has been idle longest
        fourth = begun(service)
        assert [listed(service, s) for s in (first, second, third, fourth)] == [200, 404, 200, 200]
        for _ in range(10):
            assert listed(service, begun(service)) == 200
