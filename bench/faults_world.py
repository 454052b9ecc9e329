"""Where faults are tried: a service of its own, folders of its own, and tables full of canaries."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx

import serve

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "mcp_server"))
from chains import Canaries, write_tables
from tests.homes import share_in

COMMAND = [sys.executable, "-c", "from gnomon.cli import main; main()"]


@dataclass
class World:
    """What every entry has at hand.

    Args:
        folder: Where files are written; the service may read those under ``data``.
        home: What the service keeps.
        address: Where it listens.
        process: The service.
        seed: Of the generated variants.
        chains: How many random chains of tools are tried over each transport.
    """

    folder: Path
    home: Path
    address: str
    process: subprocess.Popen[str]
    seed: int
    chains: int
    canaries: Canaries = field(default_factory=Canaries.planted)

    @property
    def data(self) -> Path:
        """The folder that the service may read."""
        return self.folder / "data"

    @classmethod
    @contextmanager
    def started(cls, folder: Path, *, seed: int, chains: int) -> Generator[World]:
        """A service over tables of canaries, which ends with the block."""
        (folder / "data").mkdir()
        (folder / "outside").mkdir()
        write_tables(folder / "data")
        share_in(folder / "shared")  # what the clients of the tests find already made
        home = folder / "home"
        process, address = serve.served(home, GNOMON_DATA_ROOTS=f'["{folder / "data"}"]')
        world = cls(folder, home, address, process, seed, chains)
        try:
            yield world
        finally:
            process.terminate()
            process.wait(timeout=60)

    def sent(self, path: str, body: Any = None, *, timeout: float = 300, **more: Any) -> httpx.Response:
        """A request to the service: POST where there is a body."""
        if body is None and not more.get("files") and not more.get("content"):
            return httpx.get(f"{self.address}{path}", timeout=timeout, **more)
        return httpx.post(f"{self.address}{path}", json=body, timeout=timeout, **more)

    def analysed(self, task: str, **pointer: Any) -> httpx.Response:
        """A task on rows or on a file."""
        params = pointer.pop("params", {})
        return self.sent(
            "/v2/analyze", {"context": {"task": task}, "data_pointer": pointer, "params": params}
        )

    def uploaded(self, name: str, content: bytes, timeout: float = 300) -> httpx.Response:
        """A file that is sent to the service."""
        return self.sent("/api/datasets", files={"files": (name, content)}, timeout=timeout)

    def lives(self) -> list[str]:
        """Why the service is not well, if it is not."""
        if self.process.poll() is not None:
            return [f"the service ended with {self.process.returncode}"]
        started = time.monotonic()
        said = self.sent("/health", timeout=60)
        took = time.monotonic() - started
        return (
            []
            if said.status_code == 200 and took < 5
            else [f"/health: {said.status_code} after {took:.1f} s"]
        )

    def leaked(self, text: str, where: str) -> list[str]:
        """The canaries in a text."""
        return [f"{where}: …{hit}…" for hit in self.canaries.found(text)[:3]]

    def command(
        self, *arguments: str, seconds: float = 180, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """The command line, with a home of its own."""
        own = os.environ | {
            "GNOMON_HOME": str(self.folder / "cli"),
            "GNOMON_LOG_DIR": str(self.folder / "cli"),
        }
        return subprocess.run(
            [*COMMAND, *arguments], env=own | dict(environment or {}), capture_output=True, text=True, timeout=seconds, check=False
        )  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One thing that must not happen, and how it is tried: the reasons why it did, or none."""

    group: str
    name: str
    run: Callable[[World], list[str]]
