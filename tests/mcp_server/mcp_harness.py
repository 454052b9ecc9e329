"""What the MCP tests share: a store with canaries in its cells, a tool that burns, servers on each transport."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import numpy as np
import pandas as pd
import psutil
import uvicorn
from mcp import Client, StdioServerParameters
from pydantic import BaseModel
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.core.errors import InvalidInput
from gnomon.mcp_server import GnomonServer, create_mcp_server
from gnomon.tools import Cost, Frame, FunctionTool, ToolContext
from gnomon.workbench import Workbench

T = TypeVar("T")
CANARY = "Zyxomma"
SERVE = "from gnomon.cli import main; main()"
"""The command ``gnomon``, whichever environment the tests run in."""


def sales(rows: int = 240) -> pd.DataFrame:
    """Daily sales whose text cells hold a word that occurs nowhere else."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=rows),
            "region": rng.choice(["West", "East", "North"], rows),
            "customer": [f"{CANARY} customer {i:04d}" for i in range(rows)],
            "email": [f"{CANARY.lower()}{i}@example.org" for i in range(rows)],
            "note": [f"{CANARY} wrote: please deliver to the back door, order {i}, and ring twice" for i in range(rows)],
            "units": rng.poisson(20, rows),
            "revenue": (100 + rng.normal(0, 5, rows)).round(2),
            "latitude": (52 + rng.normal(0, 0.1, rows)).round(5),
            "longitude": (13 + rng.normal(0, 0.1, rows)).round(5),
        }
    )  # fmt: skip
    frame.loc[40, "region"] = f"{CANARY} island"
    frame.loc[100, "revenue"] = 900.0
    return frame


def write_sales(folder: Path) -> Path:
    """The sales in a file, with a second version and customers beside it."""
    frame = sales()
    frame.to_csv(folder / "sales.csv", index=False)
    later = frame.copy()
    later.loc[5, "customer"] = f"{CANARY} renamed"
    later.iloc[:-3].to_csv(folder / "later.csv", index=False)
    segments = pd.DataFrame(
        {"customer": frame["customer"], "segment": np.where(frame.index % 2, "old", "new")}
    )
    segments.to_csv(folder / "customers.csv", index=False)
    return folder / "sales.csv"


class BurnInput(BaseModel):
    """Where to write the process id."""

    pid_file: str


class BurnOutput(BaseModel):
    """Never given."""

    summary: str


def burn(given: BurnInput, context: ToolContext) -> BaseModel:
    """Use a core without end, deaf to everything but a kill."""
    Path(given.pid_file).write_text(str(os.getpid()))
    context.progress(0.25, f"burning {CANARY}")
    while True:
        sum(range(10_000))


def burning_tool() -> FunctionTool:
    """A heavy tool that only a kill can end."""
    return FunctionTool("burn", burn, BurnInput, BurnOutput, description="Burns.", cost=Cost.HEAVY)


class LeakInput(BaseModel):
    """Rows to quote from."""

    data: Frame


class LeakOutput(BaseModel):
    """A quotation."""

    summary: str
    details: dict[str, Any]


def leak(given: LeakInput, context: ToolContext) -> BaseModel:
    """Quote cells in every way that a careless tool might."""
    from gnomon.tools.resolve import read_frame

    rows = read_frame(given.data, context)
    first = rows.iloc[0]
    return LeakOutput(
        summary=f"The first customer is {first['customer'].upper()}, region {first['region']}.",
        details={
            first["email"]: 1,
            "cut": first["note"][:30] + "…",
            "listed": [[{"deep": first["customer"]}]],
            "part": f"({first['customer']}; {first['customer']})",
        },
    )


def leaking_error(given: LeakInput, context: ToolContext) -> BaseModel:
    """Quote a cell in an error."""
    from gnomon.tools.resolve import read_frame

    cell = read_frame(given.data, context).iloc[3]["customer"]
    raise InvalidInput(f"Cannot read {cell!r}.", suggestions=[f"Remove {cell}."])


def leaking_tools() -> list[FunctionTool]:
    """Tools that quote cells."""
    return [
        FunctionTool("leak", leak, LeakInput, LeakOutput, description="Quotes cells."),
        FunctionTool("leak_error", leaking_error, LeakInput, LeakOutput, description="Quotes a cell in an error."),
    ]  # fmt: skip


@contextmanager
def server_over(*files: Path, share_rows: bool = False, **settings: Any) -> Generator[GnomonServer]:
    """A server over a workbench of its own, which lives beside its first file."""
    place = warmed(files[0].parent / "home")
    with Workbench(Settings.load(home=place, log_dir=place, **settings)) as workbench:
        server = create_mcp_server(workbench, share_rows=share_rows, files=[str(f) for f in files])
        try:
            yield server
        finally:
            server.close()


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run a test's coroutine."""

    async def bounded() -> T:
        with anyio.fail_after(400):
            return await main()

    return anyio.run(bounded)


def stdio(*arguments: str, home: Path | None = None, script: str = SERVE) -> StdioServerParameters:
    """How to start ``gnomon mcp``, or another script, as a process of its own."""
    place = str(warmed(home) if home else os.environ["GNOMON_HOME"])
    environment = {"GNOMON_HOME": place, "GNOMON_LOG_DIR": place}
    environment |= {k: os.environ[k] for k in ("PATH", "PYTHONPATH") if k in os.environ}
    given = ["mcp", *arguments] if script == SERVE else arguments
    return StdioServerParameters(command=sys.executable, args=["-c", script, *given], env=environment)


@contextmanager
def listening(app: Any) -> Generator[str]:
    """``app`` on a port of this machine, with its lifespan, until the block ends."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    started = threading.Event()

    class Announced(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            started.set()

    server = Announced(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        assert started.wait(30)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


async def cancelled_burn(client: Client, pid_file: Path) -> int:
    """Call the burning tool, cancel it when it burns, and give the process that burnt."""
    burning = anyio.Event()

    async def progress(fraction: float, total: float | None, message: str | None) -> None:
        assert total == 1.0
        assert CANARY not in str(message)
        if fraction >= 0.25:
            burning.set()

    async with anyio.create_task_group() as group:

        async def call() -> None:
            await client.call_tool("burn", {"pid_file": str(pid_file)}, progress_callback=progress)

        group.start_soon(call)
        await burning.wait()
        group.cancel_scope.cancel()
    return int(pid_file.read_text())


def error_of(result: Any) -> dict[str, Any]:
    """The typed error that a call ended with."""
    assert result.is_error
    assert result.structured_content is None
    return json.loads(result.content[0].text)["error"]


def assert_ends(pid: int) -> None:
    """The process ends within the time that cancellation may take."""
    try:
        psutil.Process(pid).wait(timeout=5)
    except psutil.NoSuchProcess:
        return


@asynccontextmanager
async def connected(target: Any, **options: Any) -> AsyncGenerator[Client]:
    """A client with a bound on every answer."""
    async with Client(target, read_timeout_seconds=240, **options) as client:
        yield client


def without_handles(told: Any) -> str:
    """What was told, as text without the names of results: their letters and digits are drawn and tell nothing."""
    text = (
        json.dumps(told)
        if told is None or isinstance(told, dict | list)
        else "".join(c.text for c in told.content)
    )
    return re.sub(r"\b[a-z]+_[0-9a-f]{12}\b", "", text)
