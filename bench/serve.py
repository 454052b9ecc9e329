"""Load on the service: how long questions take when many people ask at once, on loopback.

``python bench/serve.py`` starts a service of its own on the demo store, lets 1, 20 and 100 people ask one after
another for a bounded time, and prints latencies by percentile, errors, refusals with their ``Retry-After``, processor
time of a question, and whether a long analysis beside them keeps short questions waiting. The first line of each number
of people is all of them asking one question at the same moment; in the second they go on without a pause.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psutil

METRICS = ("revenue", "units", "cost", "number of orders", "ad spend", "sessions")
GROUPS = ("region", "channel", "category", "brand", "month")
TIMES = ("last month", "last quarter", "in 2025", "in Q2 2025", "this year", "")
ELSEWHERE = "What will the weather be like in Oslo tomorrow?"
"""What names nothing of the data is answered once the gate is there to judge it."""
QUESTIONS = [f"{m} by {g} {t}".strip() for m in METRICS for g in GROUPS for t in TIMES]


@dataclass
class Measured:
    """What one run saw."""

    seconds: list[float] = field(default_factory=list[float])
    health: list[float] = field(default_factory=list[float])
    errors: int = 0
    refused: int = 0
    without_retry_after: int = 0

    def row(self, users: int, wall: float, processor: float, memory: float) -> str:
        cuts = (
            statistics.quantiles(self.seconds, n=100, method="inclusive")
            if len(self.seconds) > 1
            else [0.0] * 99
        )
        health = max(self.health, default=0.0)
        return (
            f"{users:>5} {len(self.seconds):>9} {len(self.seconds) / wall:>7.1f} {cuts[49]:>7.3f} {cuts[94]:>7.3f} "
            f"{cuts[98]:>7.3f} {max(self.seconds, default=0.0):>7.3f} {self.errors:>6} {self.refused:>5} "
            f"{health:>8.3f} {1000 * processor / max(1, len(self.seconds)):>6.0f} {memory:>6.0f}"
        )


async def person(client: httpx.AsyncClient, number: int, until: float, count: int, seen: Measured) -> None:
    """Ask one question after another, coming back when asked to."""
    for i in range(count):
        if time.monotonic() > until:
            return
        question = QUESTIONS[(number * 37 + i * 11) % len(QUESTIONS)]
        started = time.monotonic()
        try:
            answer = await client.post(
                "/api/ask", json={"question": question, "session_id": f"bench-{number}"}
            )
        except httpx.HTTPError:
            seen.errors += 1
            continue
        if answer.status_code == 429:
            seen.refused += 1
            after = answer.headers.get("retry-after")
            seen.without_retry_after += after is None
            await asyncio.sleep(float(after or 1))
        elif answer.status_code != 200 or answer.json()["status"] == "error":
            seen.errors += 1
        else:
            seen.seconds.append(time.monotonic() - started)


async def watch(client: httpx.AsyncClient, done: asyncio.Event, seen: Measured) -> None:
    """How long the service takes to say that it is there."""
    while not done.is_set():
        started = time.monotonic()
        await client.get("/health")
        seen.health.append(time.monotonic() - started)
        await asyncio.sleep(0.1)


async def load(address: str, users: int, seconds: float, count: int) -> tuple[Measured, float]:
    """Let so many people ask for a while."""
    seen, done = Measured(), asyncio.Event()
    limits = httpx.Limits(max_connections=users + 2)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:
        started = time.monotonic()
        watcher = asyncio.create_task(watch(client, done, seen))
        await asyncio.gather(*(person(client, n, started + seconds, count, seen) for n in range(users)))
        wall = time.monotonic() - started
        done.set()
        await watcher
    return seen, wall


def served(home: Path, **more: str) -> tuple[subprocess.Popen[str], str]:
    """A service in a process of its own, and its address; ``more`` are settings from its environment."""
    environment = os.environ | {"GNOMON_HOME": str(home), "GNOMON_LOG_DIR": str(home / "logs"), **more}
    environment["GNOMON_REQUESTS_PER_MINUTE"] = "0"  # everybody comes from one address here
    command = [
        sys.executable,
        "-c",
        "from gnomon.cli import main; main()",
        "serve",
        "--port",
        "0",
        "--no-browser",
    ]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    found = re.search(r"http://[\d.:]+", process.stderr.readline())
    assert found, "the service did not start"
    said = (home / "stderr.txt").open("w")
    threading.Thread(target=shutil.copyfileobj, args=(process.stderr, said), daemon=True).start()
    return process, found[0]


def prepared(address: str) -> float:
    """Wait until the demo store is open and answers, and until the gate is fitted; how long the first took."""
    started = time.monotonic()
    with httpx.Client(base_url=address, timeout=300) as client:
        client.post("/api/ask", json={"question": QUESTIONS[0]}).raise_for_status()
        ready = time.monotonic() - started
        client.post("/api/ask", json={"question": ELSEWHERE}).raise_for_status()
    return ready


def alongside(address: str) -> tuple[float, float, str]:
    """The median and the slowest of ten questions while a template analyses the demo store, and how that ended."""
    with httpx.Client(base_url=address, timeout=300) as client:
        run: dict[str, Any] = client.post(
            "/api/start", json={"files": ["demo"], "template": "health_check"}
        ).json()
        took: list[float] = []
        for i in range(10):
            started = time.monotonic()
            client.post("/api/ask", json={"question": QUESTIONS[i * 17 % len(QUESTIONS)]}).raise_for_status()
            took.append(time.monotonic() - started)
        going = client.get("/api/status", params={"run_id": run["run_id"]}).json()["status"]
        client.post(f"/api/runs/{run['run_id']}/cancel")
    return statistics.median(took), max(took), going


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, nargs="+", default=[1, 20, 100])
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--count", type=int, default=30, help="Questions of one person at most.")
    parser.add_argument(
        "--home", type=Path, help="Where the demo store lies or is written; a temporary folder."
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, address = served(given.home or Path(folder))
        try:
            print(f"ready after {prepared(address):.1f} s; load of the machine {os.getloadavg()[0]:.1f}")
            print("users questions per s     p50     p95     p99     max errors   429  health CPU ms     MB")
            service = psutil.Process(process.pid)
            for users, count in [(u, c) for u in given.users for c in (1, given.count)]:
                before = sum(service.cpu_times()[:2])
                seen, wall = asyncio.run(load(address, users, given.seconds, count))
                spent = sum(service.cpu_times()[:2]) - before
                print(seen.row(users, wall, spent, service.memory_info().rss / 1e6), flush=True)
                assert seen.without_retry_after == 0
            median, slowest, status = alongside(address)
            print(f"beside a long analysis ({status}): median {median:.3f} s, slowest {slowest:.3f} s")
        finally:
            process.terminate()
            process.wait(timeout=30)


if __name__ == "__main__":
    main()
