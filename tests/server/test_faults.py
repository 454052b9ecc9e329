"""Hostile and unlucky callers: each gets a clear error, and nobody else has to wait for it."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.running import running_service

from gnomon.server import guards, listening, rendering

ROWS = [{"day": f"2024-01-{1 + i % 28:02d}", "sales": 100 + i, "region": "ab"[i % 2]} for i in range(56)]
ODD_TASKS = [
    "total sales since 2024-02-30",
    "total sales between 2024-13-01 and 2024-99-99",
    "sales on 0000-00-00",
    "forecast the next 99999999999999 weeks",
    "top 99999999999999999999 sales",
    "anomalies with threshold " + "9" * 400,
    "last 1e400 days",
    "sales where region = '\x00'",
    "2^" * 900,
    "(" * 1900,
    "\u202e\u200b\ufeff",
    "💥" * 500,
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_service(tmp_path_factory.mktemp("faults"), max_json_mb=4, max_upload_mb=4) as url:
        yield url


@pytest.fixture(scope="module")
def dataset(address: str) -> str:
    text = "day,sales,region\n" + "\n".join(",".join(str(v) for v in r.values()) for r in ROWS)
    made = httpx.post(
        f"{address}/api/datasets", files={"files": ("shop.csv", text.encode())}, timeout=280
    ).json()
    return made["id"]


def analysed(address: str, task: str, **body: Any) -> httpx.Response:
    sent = {"context": {"task": task}, "data_pointer": {"rows": ROWS}, **body}
    return httpx.post(f"{address}/v2/analyze", json=sent, timeout=280)


def connected(address: str) -> tuple[socket.socket, str]:
    where = urlsplit(address)
    assert where.hostname
    return socket.create_connection((where.hostname, where.port or 80), timeout=30), where.netloc


def read_all(wire: socket.socket) -> bytes:
    found = b""
    while part := wire.recv(65536):
        found += part
    return found


@pytest.mark.long
def test_no_words_of_a_task_or_question_make_a_fault(address: str, dataset: str) -> None:
    for task in ODD_TASKS:
        said = analysed(address, task)
        assert said.status_code < 500, (task[:60], said.text)
        asked = httpx.post(
            f"{address}/api/ask", json={"question": task[:2000], "dataset_id": dataset}, timeout=280
        )
        assert asked.status_code < 500, (task[:60], asked.text)
        assert "Traceback" not in asked.text


@pytest.mark.parametrize(
    "value",
    [
        "9" * 4000,
        "9" * 5000,
        "-" + "9" * 400,
        "1e400",
        "NaN",
        "Infinity",
        '"\\ud800"',
        "[" * 3000 + "]" * 3000,
    ],
)
def test_no_value_in_a_body_makes_a_fault(address: str, value: str) -> None:
    rows = '[{"x": 1}, {"x": ' + value + '}, {"x": 3}]'
    for params in ("{}", '{"threshold": ' + value + "}"):
        start = '{"context": {"task": "average x"}, "data_pointer": {"rows": '
        body = start + rows + '}, "params": ' + params + "}"
        said = httpx.post(
            f"{address}/v2/analyze",
            content=body.encode(),
            headers={"content-type": "application/json"},
            timeout=280,
        )
        assert said.status_code < 500, said.text
        said.json()


@pytest.mark.parametrize(
    "origin", ["http://[bad", "http://", "null", "http://127.0.0.1:bad", "ftp://[::1", "\xff"]
)
def test_an_origin_that_cannot_be_read_is_refused(address: str, origin: str) -> None:
    said = httpx.get(f"{address}/health", headers=[(b"origin", origin.encode("latin-1"))])
    assert said.status_code == 403
    assert said.json()["request_id"] == said.headers["x-request-id"]


def test_pages_of_another_port_change_nothing(address: str) -> None:
    body = {"question": "total sales"}
    for headers in ({"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"}):
        assert httpx.post(f"{address}/api/ask", json=body, headers=headers).status_code == 403
    own = httpx.post(f"{address}/api/ask", json={"question": ""}, headers={"origin": address})
    assert own.status_code == 422


def test_a_half_sent_head_is_given_up(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.5)
    wire, _ = connected(address)
    with wire:
        wire.sendall(b"POST /v2/analyze HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ")
        started = time.monotonic()
        assert read_all(wire) == b""
        assert time.monotonic() - started < 10


def test_a_half_sent_body_is_given_up_with_a_reason(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "BODY_SECONDS", 0.5)
    wire, netloc = connected(address)
    with wire:
        head = f"POST /v2/analyze HTTP/1.1\r\nHost: {netloc}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
        wire.sendall(head.encode() + b'{"context": ')
        said = read_all(wire)
    assert said.startswith(b"HTTP/1.1 408")
    assert json.loads(said.partition(b"\r\n\r\n")[2])["error_code"] == "invalid_input"


def test_bodies_are_bounded_one_by_one_and_together(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    big = b'{"data_pointer": {"rows": [' + b",".join([b'{"a": "%s"}' % (b"x" * 1000)] * 5000) + b"]}}"
    headers = {"content-type": "application/json"}
    assert httpx.post(f"{address}/v2/analyze", content=big, headers=headers).status_code == 413
    monkeypatch.setattr(guards, "BODIES_AT_ONCE", 0)
    refused = httpx.post(f"{address}/v2/analyze", content=big[:2_000_000], headers=headers)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1


@pytest.mark.long
def test_large_bodies_do_not_stop_the_others(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = rendering.loads
    on_the_loop: list[bool] = []

    def watched(body: bytes) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            on_the_loop.append(False)
        else:
            on_the_loop.append(True)
        return read(body)

    assert analysed(address, "average sales by region").status_code == 200  # what is loaded first is loaded
    monkeypatch.setattr(rendering, "loads", watched)
    rows = [{"a": i, "b": i % 7, "c": "x"} for i in range(90_000)]
    body = json.dumps({"data_pointer": {"rows": rows}, "context": {"task": "average a by c"}}).encode()
    assert len(body) > 2_500_000
    ended: list[int] = []

    def send() -> None:
        sent = httpx.post(
            f"{address}/v2/analyze", content=body, headers={"content-type": "application/json"}, timeout=280
        )
        ended.append(sent.status_code)

    senders = [threading.Thread(target=send) for _ in range(2)]
    for sender in senders:
        sender.start()
    slowest = 0.0
    while any(s.is_alive() for s in senders):
        started = time.monotonic()
        assert httpx.get(f"{address}/health", timeout=30).status_code == 200
        slowest = max(slowest, time.monotonic() - started)
    assert set(ended) <= {200, 429}
    assert on_the_loop
    assert not any(on_the_loop)
    assert slowest < 10.0


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("../../evil.csv", b"a,b\n1,2\n", 201),
        ("..\\..\\evil.csv", b"a,b\n1,2\n", 201),
        ("a\x00b.csv", b"a,b\n1,2\n", 201),
        ("x.exe", b"MZ", 422),
        (".csv", b"a\n1\n", 422),
        ("a" * 500 + ".csv", b"a,b\n1,2\n", 201),
        ("e.csv", b"", 422),
        ("d.duckdb", b"12345678DUCK" + b"\0" * 100, 422),
        ("sneaky.csv", b"12345678DUCK" + b"\0" * 100, 422),
    ],
    ids=lambda v: repr(v)[:20],
)
def test_names_and_kinds_of_uploads_are_checked(
    address: str, name: str, content: bytes, status: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    said = httpx.post(f"{address}/api/datasets", files={"files": (name, content)}, timeout=280)
    assert said.status_code in ({status, 400} if status == 422 else {status}), said.text
    if status == 201:
        kept = said.json()["files"][0]["name"]
        assert "/" not in kept
        assert "\\" not in kept
        assert len(kept) <= 120


def test_an_upload_over_the_limit_is_refused(address: str) -> None:
    said = httpx.post(
        f"{address}/api/datasets", files={"files": ("big.csv", b"a\n" + b"1\n" * 3_000_000)}, timeout=280
    )
    assert said.status_code == 413


def test_every_answer_has_the_headers_that_keep_a_page_safe(address: str) -> None:
    for path in ("/", "/health", "/nowhere", "/api/datasets", "/static/index.html"):
        said = httpx.get(f"{address}{path}")
        assert "default-src 'self'" in said.headers["content-security-policy"]
        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["x-frame-options"] == "DENY"
        assert "server" not in said.headers or "uvicorn" in said.headers["server"]


@pytest.mark.long
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=30,
    )
)
def test_bodies_read_in_small_steps_are_read_as_json_is(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    padded = text + b" " * (rendering.SMALL + 1)
    assert rendering.loads(padded) == json.loads(text)
    with pytest.raises(json.JSONDecodeError):
        rendering.loads(padded + b"x")
