"""The service: no body, word, header or habit of one caller makes a 5xx, stops the others or keeps them waiting."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import psutil

import serve
from faults_world import COMMAND, Fault, World

FALLS = "Falls over: the service"
ROWS = [{"day": f"2024-01-{1 + i % 28:02d}", "sales": 100 + i, "region": "ab"[i % 2]} for i in range(56)]
ODD_WORDS = [
    "total sales since 2024-02-30", "sales between 2024-13-01 and 2024-99-99", "sales on 0000-00-00", "sales since 99999-01-01", "sales in year -5",
    "forecast the next 99999999999999 weeks", "top 99999999999999999999 sales", "anomalies with threshold " + "9" * 400, "last 1e400 days",
    "sales where region = '\x00'", "2^" * 900, "(" * 1900, "\u202e\u200b\ufeff", "💥" * 500, "sales " * 300, "9" * 1900, "a and " * 300,
    "sales in the " + "last " * 200 + "week", "not " * 400 + "sales",
]  # fmt: skip
ODD_VALUES = ["9" * 4000, "9" * 5000, "-" + "9" * 400, "1e400", "NaN", "Infinity", '"\\ud800"', "[" * 3000 + "]" * 3000, "-0.0", '"' + "x" * 100_000 + '"']  # fmt: skip
ORIGINS = [
    "http://[bad",
    "http://",
    "null",
    "http://127.0.0.1:bad",
    "ftp://[::1",
    "\xff",
    "http://evil.example",
    "//",
    "http://[::1]:99999",
]
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
ACCEPTS = {"accept": "application/json, text/event-stream"}


def slowest_health(world: World, going: list[threading.Thread]) -> float:
    """The longest that /health took while threads are at work."""
    slowest = 0.0
    while any(t.is_alive() for t in going):
        started = time.monotonic()
        world.sent("/health", timeout=120)
        slowest = max(slowest, time.monotonic() - started)
        time.sleep(0.05)
    return slowest


def odd_words(world: World) -> list[str]:
    """Tasks and questions that mean nothing, or too much."""
    chosen = random.Random(world.seed)
    alphabet = "0123456789 .,-/()'\"%^$€<>=:;ab\u00e9\u4e2d\U0001f600"
    made = ["".join(chosen.choices(alphabet, k=chosen.randint(1, 300))) for _ in range(20)]
    made += [
        f"total sales since {chosen.randint(0, 99999)}-{chosen.randint(0, 99)}-{chosen.randint(0, 99)}"
        for _ in range(10)
    ]
    shop = world.uploaded(
        "shop.csv",
        ("day,sales,region\n" + "\n".join(",".join(str(v) for v in r.values()) for r in ROWS)).encode(),
    )
    found: list[str] = []
    for task in [*ODD_WORDS, *made]:
        for said in (
            world.analysed(task, rows=ROWS),
            world.sent("/api/ask", {"question": task[:2000], "dataset_id": shop.json()["id"]}),
        ):
            found += (
                [f"{said.status_code} for {task[:60]!r}"]
                if said.status_code >= 500 or "Traceback" in said.text
                else []
            )
    return found + world.lives()  # fmt: skip


def odd_values(world: World) -> list[str]:
    """Numbers and texts in a body that JSON allows and nothing else does."""
    found: list[str] = []
    for value in ODD_VALUES:
        for params in ("{}", '{"threshold": ' + value + "}"):
            body = (
                '{"context": {"task": "average x"}, "data_pointer": {"rows": [{"x": 1}, {"x": '
                + value
                + '}, {"x": 3}]}, "params": '
                + params
                + "}"
            )
            said = world.sent(
                "/v2/analyze", content=body.encode(), headers={"content-type": "application/json"}
            )
            found += [f"{said.status_code} for {value[:30]}"] if said.status_code >= 500 else []
    return found + world.lives()  # fmt: skip


def origins(world: World) -> list[str]:
    """Origins that cannot be read, or are somebody else's."""
    said = [
        (o, world.sent("/health", headers=[(b"origin", o.encode("latin-1"))]).status_code) for o in ORIGINS
    ]
    return [f"{status} for {origin!r}" for origin, status in said if status != 403]


def large_bodies(world: World) -> list[str]:
    """Three bodies of 90 MB at once: refused or done, and the others do not wait."""
    row = b'{"day": "2024-01-01", "sales": 123.5, "region": "north", "note": "' + b"x" * 100 + b'"}'
    body = (
        b'{"context": {"task": "average sales by region"}, "data_pointer": {"rows": ['
        + b",".join([row] * (90_000_000 // (len(row) + 1)))
        + b"]}}"
    )
    process = psutil.Process(world.process.pid)
    before = process.memory_info().rss
    statuses: list[int] = []
    most = [0]

    def send() -> None:
        try:
            said = httpx.post(
                f"{world.address}/v2/analyze",
                content=body,
                headers={"content-type": "application/json"},
                timeout=300,
            )
            statuses.append(said.status_code)
        except httpx.HTTPError:
            statuses.append(0)  # refused before all of it was read

    senders = [threading.Thread(target=send) for _ in range(3)]
    for sender in senders:
        sender.start()
    watching = threading.Thread(target=lambda: _most_memory(process, senders, most))
    watching.start()
    slowest = slowest_health(world, senders)
    watching.join()
    found = [f"status {s}" for s in statuses if s >= 500]
    found += [f"/health took {slowest:.1f} s"] if slowest > 3 else []
    found += [f"{(most[0] - before) / 1e6:.0f} MB more"] if most[0] - before > 1.2e9 else []
    return found + world.lives()  # fmt: skip


def _most_memory(process: psutil.Process, going: list[threading.Thread], most: list[int]) -> None:
    while any(t.is_alive() for t in going):
        most[0] = max(most[0], process.memory_info().rss)
        time.sleep(0.1)


def half_sent(world: World) -> list[str]:
    """Heads and bodies that stop half way are given up within a minute."""
    where = urlsplit(world.address)
    heads = [
        b"POST /v2/analyze HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ",
        f"POST /v2/analyze HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{{".encode(),
        b"",
    ]  # fmt: skip

    def waited(head: bytes) -> float:
        with socket.create_connection((where.hostname, where.port), timeout=90) as wire:
            wire.sendall(head)
            started = time.monotonic()
            while wire.recv(65536):
                pass
            return time.monotonic() - started

    with ThreadPoolExecutor() as pool:
        took = list(pool.map(waited, heads))
    return [f"kept open for {t:.0f} s" for t in took if t > 60] + world.lives()


def endless_reading(world: World) -> list[str]:
    """Sixteen callers who send what takes long to read, and hang up; the next one is answered."""
    found: list[str] = []
    for task in ("2^" * 5000, "sales and " * 400, "(" * 5000):
        body = {"context": {"task": task}, "data_pointer": {"rows": ROWS}, "params": {}}

        def hang_up(body: dict[str, Any] = body) -> None:
            with contextlib.suppress(httpx.HTTPError):
                httpx.post(f"{world.address}/v2/analyze", json=body, timeout=0.5)

        callers = [threading.Thread(target=hang_up) for _ in range(16)]
        for caller in callers:
            caller.start()
        slowest = slowest_health(world, callers)
        time.sleep(2)
        started = time.monotonic()
        said = world.analysed("average sales by region", rows=ROWS)
        took = time.monotonic() - started
        found += (
            [f"then {said.status_code} after {took:.1f} s"] if said.status_code != 200 or took > 20 else []
        )
        found += [f"/health took {slowest:.1f} s"] if slowest > 3 else []
    return found


def refusals(world: World) -> list[str]:
    """Sixty people at once: those refused are told when to come back."""
    body = {"context": {"task": "forecast sales"}, "data_pointer": {"rows": ROWS}, "params": {}}
    with ThreadPoolExecutor(60) as pool:
        said = list(
            pool.map(lambda _: httpx.post(f"{world.address}/v2/analyze", json=body, timeout=300), range(60))
        )
    found = [f"status {s.status_code}" for s in said if s.status_code not in (200, 429)]
    return found + [
        "429 without Retry-After" for s in said if s.status_code == 429 and "retry-after" not in s.headers
    ]


def many_sessions(world: World) -> list[str]:
    """300 agents that went away without a word keep nobody out."""
    with httpx.Client(base_url=world.address, timeout=120) as client:
        said = [client.post("/mcp", json=HELLO, headers=ACCEPTS).status_code for _ in range(300)]
    return [f"session {i + 1}: {s}" for i, s in enumerate(said) if s != 200][:3]


def clear_errors(world: World) -> list[str]:
    """A plain path for the data roots, a taken port, Ctrl+C: a sentence each, and never a traceback."""
    found: list[str] = []
    port = str(urlsplit(world.address).port)
    for what, arguments, more, status in (
        ("a plain path in GNOMON_DATA_ROOTS", ("tools",), {"GNOMON_DATA_ROOTS": str(world.data)}, None),
        ("nonsense in GNOMON_DATA_ROOTS", ("tools",), {"GNOMON_DATA_ROOTS": "[1,"}, 2),
        ("a taken port", ("serve", "--port", port, "--no-browser"), {}, 2),
        ("a file that is not there", ("ask", str(world.folder / "nothing.csv"), "total"), {}, 2),
    ):
        done = world.command(*arguments, environment=more, seconds=120)
        if "Traceback" in done.stderr + done.stdout or (status is not None and done.returncode == 0):
            found.append(f"{what}: {done.stderr[-150:]}")
    return found + interrupted(world)


def interrupted(world: World) -> list[str]:
    """Ctrl+C as soon as the address is told."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--no-browser"], stderr=subprocess.PIPE, text=True,
        env=os.environ | {"GNOMON_HOME": str(world.folder / "stopped")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )  # fmt: skip
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    try:
        rest = process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return ["Ctrl+C: still there after a minute"]
    return [f"Ctrl+C: {rest[-150:]}"] if "Traceback" in rest or process.returncode not in (0, 130) else []


def killed(world: World) -> list[str]:
    """A service that is killed: runs are interrupted, not running for ever, and open questions can be answered."""
    home = world.folder / "killed"
    home.mkdir()
    file = world.data / "two.json"
    file.write_text(json.dumps([{**row, "units": i} for i, row in enumerate(ROWS)]))
    roots = {"GNOMON_DATA_ROOTS": json.dumps([str(world.data)])}
    process, address = serve.served(home, **roots)
    unclear = {"context": {"task": "forecast"}, "data_pointer": {"source": str(file)}, "params": {}}
    asked = httpx.post(f"{address}/v2/analyze", json=unclear, timeout=300).json()
    begun = {"requirement": "", "files": ["demo"], "template": "health_check"}
    run = httpx.post(f"{address}/api/start", json=begun, timeout=300).json()
    process.kill()
    process.wait()
    process, address = serve.served(home, **roots)
    try:
        status = httpx.get(f"{address}/api/status", params={"run_id": run["run_id"]}, timeout=300).json()[
            "status"
        ]
        found = [f"the run is {status}"] if status == "running" else []
        found += [] if asked["status"] == "needs_feedback" else [f"nothing was asked: {asked['status']}"]
        answer = {"feedback": {"request_id": asked["request_id"], "choice": "sales"}}
        said = httpx.post(f"{address}/v2/analyze", json={"params": answer}, timeout=300)
        found += [f"the question is {said.status_code}"] if said.status_code != 200 else []
        return found
    finally:
        process.terminate()
        process.wait(timeout=60)  # fmt: skip


def damaged(world: World) -> list[str]:
    """Every kept file of a home cut short, one after another: the same answer, or a sentence that says what is wrong."""
    file = world.folder / "damaged.csv"
    file.write_text("kind,amount\n" + "".join(f"{'ab'[i % 2]},{i}.5\n" for i in range(200)))
    home = {"GNOMON_HOME": str(world.folder / "lived"), "GNOMON_LOG_DIR": str(world.folder / "lived")}
    asked = ("ask", str(file), "total amount by kind")
    told = world.command(*asked, environment=home).stdout
    found: list[str] = []
    for kept in [p for p in (world.folder / "lived").rglob("*") if p.is_file()]:
        kept.write_bytes(kept.read_bytes()[: kept.stat().st_size // 2])
        done = world.command(*asked, environment=home)
        found += [] if done.stdout == told else [f"{kept.name}: {(done.stdout + done.stderr)[-120:]}"]
    (world.folder / "lived" / "gnomon.db").write_bytes(b"SQLite format 3\0" + b"damaged" * 2000)
    done = world.command("serve", "--port", "0", "--no-browser", environment=home, seconds=60)
    found += (
        []
        if "damaged" in done.stderr and "Traceback" not in done.stderr
        else [f"store: {done.stderr[-120:]}"]
    )
    return found


def no_tracebacks(world: World) -> list[str]:
    """Whatever was tried before, the service wrote no traceback and no canary."""
    text = (world.home / "stderr.txt").read_text(errors="replace")
    found = ["a traceback on standard error"] if "Traceback" in text else []
    return found + world.leaked(text, "standard error")


def settings_of_mcp(world: World) -> list[str]:
    """An external server with one schema that is none loses that tool, not the others."""
    server = world.folder / "odd_server.py"
    server.write_text(ODD_SERVER)
    config = world.folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"odd": {"command": COMMAND[0], "args": [str(server)]}}}))
    done = world.command("tools", "--json", environment={"GNOMON_MCP_CONFIG": str(config)})
    found = [] if "good_tool" in done.stdout else [f"good_tool is gone: {(done.stdout + done.stderr)[-200:]}"]
    return found + (["a traceback"] if "Traceback" in done.stderr else [])


ODD_SERVER = """
import json, sys
TOOLS = [
    {"name": "good_tool", "description": "Adds.", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    {"name": "bad_tool", "description": "Broken.", "inputSchema": {"type": "object", "properties": {"a": {"type": "no such type", "$ref": "#/nowhere"}}, "required": "a"}},
]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = {}
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "odd", "version": "1"}}
    elif asked["method"] == "tools/list":
        result = {"tools": TOOLS}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""

FAULTS = [
    Fault(FALLS, "words that mean nothing: no 5xx", odd_words),
    Fault(FALLS, "4,000-digit integers and other values", odd_values),
    Fault(FALLS, "origins that cannot be read", origins),
    Fault(FALLS, "three bodies of 90 MB", large_bodies),
    Fault(FALLS, "half-sent requests", half_sent),
    Fault(FALLS, "sixteen endless readings, hung up", endless_reading),
    Fault(FALLS, "sixty people at once", refusals),
    Fault(FALLS, "300 sessions of /mcp", many_sessions),
    Fault(FALLS, "plain path in the data roots, taken port, Ctrl+C", clear_errors),
    Fault(FALLS, "killed in the middle", killed),
    Fault(FALLS, "an external MCP server with one invalid schema", settings_of_mcp),
    Fault(FALLS, "kept files cut short, a damaged store", damaged),
    Fault(FALLS, "no traceback in all of this", no_tracebacks),
]
