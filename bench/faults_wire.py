"""The wire: odd methods, heads, paths, bodies and hung-up callers on every route; nothing breaks, stalls or stays behind."""

from __future__ import annotations

import json
import random
import re
import socket
import threading
import time
from urllib.parse import quote, urlsplit

import psutil

from faults_world import Fault, World

IDS = [
    "demo",
    "..",
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "%ff",
    quote("💥"),
    "x" * 5000,
    "-1",
    "9" * 400,
    "%",
    "%zz",
    "*",
]
ASKED = [
    "",
    "?limit=-1",
    "?limit=99999999999999999999999",
    "?limit=NaN",
    "?run_id=%00",
    "?session_id=" + "x" * 9000,
    "?dimension=%ff",
    "?fact=%ed%a0%80",
    "?format=../../x",
]
BODIES = [
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"1e999",
    b"NaN",
    b'{"a":' + b"9" * 4000 + b"}",
    b"[" * 50_000,
    b'{"question":"\\ud800"}',
    b'{"question":"total sales","dataset_id":"\\u0000"}',
]
METHODS = ("HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "CONNECT", "FOO", "get")
HEADS = [
    "", "Content-Type: application/json\r\n", "Content-Type: text/plain\r\n", "Content-Type: multipart/form-data; boundary=x\r\n", "Content-Type: multipart/form-data\r\n",
    "Content-Type: application/json; charset=utf-16\r\n", "Content-Encoding: gzip\r\nContent-Type: application/json\r\n", "X-Gnomon-Tenant: ../x\r\n",
    "X-Gnomon-Tenant: other\r\n", "Origin: http://127.0.0.1.evil\r\n", "Last-Event-ID: 99999999999999999999999\r\n", "Range: bytes=0-99999999999999999999\r\n",
    "Cookie: gnomon_token=\xff\x01\r\n", "Authorization: Bearer \xff\r\n", "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
]  # fmt: skip
PLAIN = [
    b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00" * 9, b"\r\n" * 500, b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"GET http://evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\n\r\n", b"GET / HTTP/1.1\r\nHost: 127.0.0.1@evil\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", b"GET /static/../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"b" * 70_000 + b"\r\n\r\n", b"POST /v2/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    b"POST /v2/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
]  # fmt: skip
_STATUS = re.compile(rb"HTTP/1\.[01] (\d+)")
_PLACE = re.compile(r"\{[^}]+\}")


def sent_raw(world: World, content: bytes) -> bytes:
    """What comes back for bytes as they are."""
    where = urlsplit(world.address)
    back = b""
    try:
        with socket.create_connection((where.hostname, where.port), timeout=20) as wire:
            wire.sendall(content)
            while (part := wire.recv(65536)) and len(back) < 100_000:
                back += part
    except OSError:  # refused before all of it was read
        pass
    return back


def request(world: World, method: str, path: str, heads: str, body: bytes) -> bytes:
    """A request as bytes."""
    first = (
        f"{method} {path} HTTP/1.1\r\nHost: {urlsplit(world.address).netloc}\r\nConnection: close\r\n{heads}"
    )
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    return (first + length + "\r\n").encode("latin-1") + body


def odd_requests(world: World) -> list[str]:
    """Every route by odd methods, ids, heads and bodies, and bytes that are no request."""
    chosen = random.Random(world.seed)
    process = psutil.Process(world.process.pid)
    before = process.num_threads(), len(process.children(recursive=True))
    routes = [
        (m.upper(), path) for path, ms in world.sent("/openapi.json").json()["paths"].items() for m in ms
    ]
    made = [*PLAIN]
    for method, path in routes:
        if path == "/api/evaluation":  # asks a hundred questions
            continue
        filled = _PLACE.sub(lambda _: chosen.choice(IDS), path) + chosen.choice(ASKED)
        by = chosen.choice((method, method, *METHODS))
        made.append(request(world, by, filled, chosen.choice(HEADS), chosen.choice(BODIES)))
    slowest, found = 0.0, list[str]()
    for content in made:
        back = sent_raw(world, content)
        status = _STATUS.match(back)
        if (status and status[1].startswith(b"5")) or b"Traceback" in back or b"root:" in back:
            found.append(f"{content[:120]!r}: {back[:80]!r}")
        started = time.monotonic()
        world.sent("/health", timeout=60)
        slowest = max(slowest, time.monotonic() - started)
    found += [f"/health took {slowest:.1f} s"] if slowest > 3 else []
    return found + left_behind(process, before) + world.lives()


def hung_up(world: World) -> list[str]:
    """Callers who go away in the middle of what they send, or as soon as it is sent."""
    chosen = random.Random(world.seed)
    process = psutil.Process(world.process.pid)
    before = process.num_threads(), len(process.children(recursive=True))
    where = urlsplit(world.address)
    body = json.dumps(
        {"context": {"task": "forecast salary"}, "data_pointer": {"source": str(world.data / "staff.csv")}}
    )
    content = request(world, "POST", "/v2/analyze", "Content-Type: application/json\r\n", body.encode())
    for _ in range(40):
        with socket.create_connection((where.hostname, where.port), timeout=20) as wire:
            wire.sendall(content[: chosen.choice((len(content), chosen.randrange(len(content))))])
    return left_behind(process, before) + world.lives()


def swapped_links(world: World) -> list[str]:
    """A file that becomes a link out of the data roots while it is asked about."""
    chosen = random.Random(world.seed)
    outside, place = world.folder / "outside" / "swapped.csv", world.data / "swapped.csv"
    outside.write_text("town\n" + "Qyxomma\n" * 30)
    found: list[str] = []

    def swap() -> None:
        place.unlink()
        place.symlink_to(outside)

    for _ in range(20):
        place.unlink(missing_ok=True)
        place.write_text("town\n" + "Bergen\n" * 9)
        later = threading.Timer(chosen.random() * 0.1, swap)
        later.start()
        said = world.analysed("count the rows by town", source=str(place))
        later.join()
        found += world.leaked(said.text, "a file that was swapped for a link")
    place.unlink()
    return found


def left_behind(process: psutil.Process, before: tuple[int, int]) -> list[str]:
    """Threads and processes that are there half a minute later and were not before."""
    until = time.monotonic() + 30
    while True:
        threads, children = process.num_threads(), len(process.children(recursive=True))
        if threads <= before[0] + 16 and children <= before[1] + 3:  # pools that fill once
            return []
        if time.monotonic() > until:
            return [f"{threads} threads and {children} processes, {before[0]} and {before[1]} before"]
        time.sleep(1)


GROUP = "Falls over: the wire"
FAULTS = [
    Fault(GROUP, "odd methods, heads, ids and bodies on every route", odd_requests),
    Fault(GROUP, "forty callers who hang up", hung_up),
    Fault(GROUP, "files swapped for links while they are read", swapped_links),
]
