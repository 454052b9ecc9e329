"""Whatever a generated client sends, the service answers as its schema says, and never with a fault."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings

from gnomon.core import Settings
from gnomon.server import create_app


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service on a loopback port of its own."""
    home: Path = tmp_path_factory.mktemp("schema")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = create_app(Settings.load(home=home, log_dir=home / "logs"))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.started
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=10)


OPERATIONS = [("POST", "/v2/analyze"), ("POST", "/v1/analyze"), ("GET", "/tools"), ("GET", "/health")]


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=str)
def test_generated_requests_never_break_the_service(address: str, method: str, path: str) -> None:
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operation = described[path][method]
    seen: set[int] = set()

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: schemathesis.Case) -> None:
        response = case.call()
        seen.add(response.status_code)
        assert response.status_code < 500
        assert response.headers["content-type"][0].startswith("application/json")

    check()
    assert seen


def test_every_operation_is_tried(address: str) -> None:
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    found = {(o.ok().method.upper(), o.ok().path) for o in described.get_all_operations()}
    assert found == set(OPERATIONS)
