"""Hostile, unlucky and heavy users: what held and what did not, against processes that this script starts itself.

``python bench/faults.py`` starts a service on loopback over temporary folders and tries, entry by entry, what has
once brought cells out, lost rows or made it fall over, each with generated variants; one line each, ``held`` or ``did
not`` with the reason. ``--load`` lets 1, 20 and 100 people ask for ``--seconds`` each, ``--soak`` asks questions one
after another; both watch latencies, refusals, memory and open files. Nothing outside the temporary folders is touched.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx2 as httpx
import psutil

import faults_files
import faults_leaks
import faults_persons
import faults_service
import faults_tasks
import faults_wire
import serve
from faults_world import Fault, World
from gnomon.server.faults import place_of


def causes(error: BaseException) -> list[str]:
    """What an error comes from, each with its place: what a client of MCP raises comes wrapped in groups."""
    if isinstance(error, BaseExceptionGroup):
        return [cause for e in error.exceptions for cause in causes(e)]
    under = causes(error.__cause__) if error.__cause__ is not None else []
    return [*under, f"{type(error).__name__}: {error} ({place_of(error)})"]


def tried(faults: Sequence[Fault], world: World) -> int:
    """Try each, print what came of it, and say how many did not hold."""
    lost = 0
    group = ""
    for fault in faults:
        if fault.group != group:
            group = fault.group
            print(f"\n{group}", flush=True)
        started = time.monotonic()
        try:
            reasons = fault.run(world)
        except Exception as e:  # one entry that breaks says nothing about the others
            reasons = causes(e)
        took = time.monotonic() - started
        lost += bool(reasons)
        said = "held   " if not reasons else "did not"
        first = f": {reasons[0][:200]}" if reasons else ""
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        print(f"  {said} {took:6.1f} s  {fault.name}{first}{more}", flush=True)
    return lost


def watched(process: psutil.Process) -> tuple[float, int]:
    """Memory in MB and open files of a process."""
    return process.memory_info().rss / 1e6, process.num_fds()


def loaded(world: World, users: Sequence[int], seconds: float) -> int:
    """So many people at once, each number of them for so long."""
    print("\nload: everybody asks one question after another")
    print(
        "users questions per s     p50     p95     p99     max errors   429  health CPU ms     MB  files",
        flush=True,
    )
    process = psutil.Process(world.process.pid)
    lost = 0
    for count in users:
        before = sum(process.cpu_times()[:2])
        seen, wall = asyncio.run(serve.load(world.address, count, seconds, 1_000_000))
        spent = sum(process.cpu_times()[:2]) - before
        memory, files = watched(process)
        print(f"{seen.row(count, wall, spent, memory)} {files:>6}", flush=True)
        lost += seen.errors + seen.without_retry_after
    return lost


def soaked(world: World, questions: int) -> int:
    """Many questions one after another; memory and open files in ten steps."""
    print(f"\nsoak: {questions} questions\nasked      s     MB  files errors", flush=True)
    process = psutil.Process(world.process.pid)
    chosen = random.Random(7)
    errors, started = 0, time.monotonic()
    with httpx.Client(base_url=world.address, timeout=120) as client:
        for i in range(questions):
            asked = {"question": chosen.choice(serve.QUESTIONS), "session_id": f"soak-{i % 50}"}
            said = client.post("/api/ask", json=asked)
            errors += said.status_code != 200 or said.json()["status"] == "error"
            if (i + 1) % max(1, questions // 10) == 0:
                memory, files = watched(process)
                print(f"{i + 1:>5} {time.monotonic() - started:>6.0f} {memory:>6.0f} {files:>6} {errors:>6}", flush=True)  # fmt: skip
    return errors


def main() -> None:
    """Run it; ends with 1 where anything did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="Only entries whose group or name holds one of these."
    )
    parser.add_argument("--seed", type=int, default=1, help="Of the generated variants.")
    parser.add_argument("--chains", type=int, default=20, help="Random chains of tools over each transport.")
    parser.add_argument("--load", type=int, nargs="*", help="People at once; 1, 20 and 100 by default.")
    parser.add_argument("--seconds", type=float, default=60.0, help="How long each number of people asks.")
    parser.add_argument("--soak", type=int, nargs="?", const=2000, help="Questions one after another.")
    given = parser.parse_args()
    lost = 0
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="gnomon-faults-") as folder,
        World.started(Path(folder), seed=given.seed, chains=given.chains) as world,
    ):
        if given.load is None and given.soak is None:
            rooms = (faults_leaks, faults_persons, faults_tasks, faults_wire, faults_service, faults_files)
            faults = [fault for room in rooms for fault in room.FAULTS]
            chosen = [
                f for f in faults if any(w.lower() in f"{f.group} {f.name}".lower() for w in given.only)
            ]
            lost += tried(chosen, world)
        else:
            print(
                f"ready after {serve.prepared(world.address):.1f} s; load of the machine {os.getloadavg()[0]:.1f}"
            )
            if given.load is not None:
                lost += loaded(world, given.load or [1, 20, 100], given.seconds)
            if given.soak:
                lost += soaked(world, given.soak)
    print(
        f"\n{'everything held' if not lost else f'{lost} did not hold'}; {time.monotonic() - started:.0f} s"
    )
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
