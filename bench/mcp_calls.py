"""What the protocol costs: the same aggregate called directly, in memory, over stdio and over HTTP.

``python bench/mcp_calls.py`` prints a Markdown table of milliseconds, and one of what the cell guard costs on large tables.
"""

from __future__ import annotations

import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pandas as pd
from mcp import Client, StdioServerParameters

CALLS = 100
SUM = {"value": "revenue", "group_by": ["region"]}


def write(folder: Path, rows: int) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "region": rng.choice(["West", "East", "North", "South"], rows),
            "customer": [f"customer {i}" for i in rng.integers(0, rows, rows)],
            "note": [f"order {i} was delivered to the back door" for i in range(rows)],
            "revenue": rng.normal(100, 5, rows),
        }
    )
    file = folder / f"sales_{rows}.parquet"
    frame.to_parquet(file)
    return file


def quantiles(seconds: list[float]) -> str:
    ordered = sorted(s * 1000 for s in seconds)
    return f"{statistics.median(ordered):.2f} | {ordered[int(0.95 * len(ordered))]:.2f}"


def timed(call: Callable[[], Any], count: int = CALLS) -> list[float]:
    taken: list[float] = []
    call()
    for _ in range(count):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return taken


async def timed_async(call: Callable[[], Awaitable[Any]], count: int = CALLS) -> list[float]:
    taken: list[float] = []
    await call()
    for _ in range(count):
        began = time.perf_counter()
        result = await call()
        taken.append(time.perf_counter() - began)
        assert not getattr(result, "is_error", False), result
    return taken


async def over(target: Any, name: str, arguments: dict[str, Any], count: int = CALLS) -> list[float]:
    async with Client(target) as client:
        await client.list_tools()
        return await timed_async(lambda: client.call_tool(name, arguments), count)


def on_http(app: Any, work: Callable[[str], list[float]]) -> list[float]:
    import uvicorn

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        return work(f"http://127.0.0.1:{port}/mcp")
    finally:
        server.should_exit = True
        thread.join()


def protocol(folder: Path) -> None:
    from gnomon.core import Settings
    from gnomon.core.plan import Plan, Step, Strategy
    from gnomon.data import open_sources
    from gnomon.mcp_server import create_mcp_server
    from gnomon.server import create_app
    from gnomon.tools import ToolContext
    from gnomon.workbench import Workbench

    file = write(folder, 2000)
    settings = Settings.load(home=folder / "home", log_dir=folder, data_roots=(folder,))
    arguments = {**SUM, "data": {"source": str(file)}}
    started = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from gnomon.cli import main; main()", "mcp", str(file)],
        env={**os.environ, "GNOMON_HOME": str(folder / "home"), "GNOMON_LOG_DIR": str(folder)},
    )
    with Workbench(settings) as workbench, open_sources(file) as dataset:
        server = create_mcp_server(workbench, files=[str(file)])
        tool = workbench.registry.get("aggregate")
        table = {**SUM, "data": {"table": f"sales_{2000}"}}
        context = ToolContext(dataset=dataset, settings=settings)
        step = Plan(strategy=Strategy.SINGLE, steps=(Step(id="s", tool="aggregate", params=table),))
        rows = {
            "the tool itself": timed(lambda: tool(table, context)),
            "through the invocation layer (recorded as a run)": timed(lambda: workbench.layer.invoke(step, dataset=dataset)),
            "MCP in memory, a tool that computes nothing": anyio.run(over, server, "list_datasets", {}),
            "MCP in memory": anyio.run(over, server, "aggregate", arguments),
            "MCP over stdio": anyio.run(over, started, "aggregate", arguments),
        }  # fmt: skip
        server.close()
    rows["MCP over HTTP"] = on_http(
        create_app(settings), lambda url: anyio.run(over, url, "aggregate", arguments)
    )
    print(f"Aggregate of 2,000 rows by 4 groups, {CALLS} calls, milliseconds.\n")
    print("| way | median | 95 % |\n|---|---:|---:|")
    for name, seconds in rows.items():
        print(f"| {name} | {quantiles(seconds)} |")


def guarding(folder: Path) -> None:
    from gnomon.core import Settings
    from gnomon.mcp_server import create_mcp_server
    from gnomon.workbench import Workbench

    print(
        "\nThe same at the level aggregates (texts searched for cells) and with --share-rows, in memory, milliseconds.\n"
    )
    print("| rows | aggregates | --share-rows |\n|---:|---:|---:|")
    for count in (10_000, 100_000, 1_000_000):
        file = write(folder, count)
        medians: list[float] = []
        for share in (False, True):
            with Workbench(Settings.load(home=folder / "home", log_dir=folder)) as workbench:
                server = create_mcp_server(workbench, share_rows=share, files=[str(file)])
                arguments = {**SUM, "data": {"table": file.stem}}
                medians.append(statistics.median(anyio.run(over, server, "aggregate", arguments, 7)))
                server.close()
        print(f"| {count:,} | {medians[0] * 1000:.0f} | {medians[1] * 1000:.0f} |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        protocol(Path(place))
        guarding(Path(place))
