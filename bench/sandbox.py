"""What the walls cost: start, one cell and a large picture, in the sandbox and in a plain ipykernel, in one run.

``python bench/sandbox.py [--starts 7] [--cells 300] [--megabytes 8]`` prints a Markdown table; every figure of one
column is taken turn by turn with those of the others, so that other work on the machine falls on all alike.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, Protocol

from gnomon.core.errors import ToolUnavailable
from gnomon.core.settings import Settings
from gnomon.sandbox import CodeExecutor, Limits

PNG = "b'\\x89PNG\\r\\n\\x1a\\n' + os.urandom({size})"


class Peer(Protocol):
    """Something that runs cells."""

    def run(self, code: str) -> None: ...
    def picture(self, megabytes: int) -> None: ...
    def close(self) -> None: ...


class Sandboxed:
    """Gnomon's own, behind the walls named."""

    def __init__(self, mode: str) -> None:
        settings = Settings.load(sandbox=mode)
        self.executor = CodeExecutor(
            settings=settings, limits=Limits(artefacts_mb=64, files_mb=64), warm=False
        )
        self.run("1")

    def run(self, code: str) -> None:
        result = self.executor.run(code)
        assert result.ok, result.error

    def picture(self, megabytes: int) -> None:
        result = self.executor.run("open('x.png', 'wb').write(data);")
        (figure,) = result.figures
        assert figure.data is not None
        assert len(figure.data) > megabytes << 20

    def close(self) -> None:
        self.executor.close()


class Kernel:
    """A plain ipykernel with its own client."""

    def __init__(self) -> None:
        from jupyter_client.manager import start_new_kernel

        self.manager, self.client = start_new_kernel(
            kernel_name="python3", extra_arguments=["--log-level=ERROR"]
        )
        self.shown: list[dict[str, Any]] = []
        self.run("1")

    def run(self, code: str) -> None:
        self.shown = []
        reply = self.client.execute_interactive(code, output_hook=self.shown.append, timeout=60)
        assert reply["content"]["status"] == "ok"

    def picture(self, megabytes: int) -> None:
        self.run("from IPython.display import Image\nImage(data=data, format='png')")
        (shown,) = [m for m in self.shown if m["msg_type"] == "execute_result"]
        assert len(shown["content"]["data"]["image/png"]) > megabytes << 20

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measured(
    makers: dict[str, Callable[[], Peer]], starts: int, cells: int, megabytes: int
) -> dict[str, list[float]]:
    """For each peer: start (ms), cell (ms), slow cell (ms), picture (MB/s)."""
    began: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(starts):
        for name, make in makers.items():
            started = time.perf_counter()
            peer = make()
            began[name].append(time.perf_counter() - started)
            peer.close()
    peers = {name: make() for name, make in makers.items()}
    took: dict[str, list[float]] = {name: [] for name in makers}
    sent: dict[str, list[float]] = {name: [] for name in makers}
    try:
        for _ in range(cells):
            for name, peer in peers.items():
                took[name].append(seconds(lambda peer=peer: peer.run("1")))
        for peer in peers.values():
            peer.run("import os\ndata = " + PNG.format(size=megabytes << 20))
        for _ in range(5):
            for name, peer in peers.items():
                sent[name].append(seconds(lambda peer=peer: peer.picture(megabytes)))
    finally:
        for peer in peers.values():
            peer.close()
    return {
        name: [
            1000 * statistics.median(began[name]),
            1000 * statistics.median(took[name]),
            1000 * statistics.quantiles(took[name], n=20)[-1],
            megabytes / statistics.median(sent[name]),
        ]
        for name in makers
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=8)
    given = parser.parse_args()
    makers: dict[str, Callable[[], Peer]] = {}
    for mode in ("bubblewrap", "landlock", "unsafe"):
        try:
            Sandboxed(mode).close()
        except ToolUnavailable as e:
            print(f"{mode} is left out: {e.message}")
            continue
        makers[mode] = lambda mode=mode: Sandboxed(mode)
    makers["ipykernel"] = Kernel
    found = measured(makers, given.starts, given.cells, given.megabytes)
    print(
        "| | start until the first answer, ms | a cell, ms | a cell, 95th percentile, ms | a picture, MB/s |"
    )
    print("|---|---:|---:|---:|---:|")
    for name, (start, cell, slow, rate) in found.items():
        shown = f"sandbox, {name}" if name != "ipykernel" else name
        print(f"| {shown} | {start:,.0f} | {cell:.2f} | {slow:.2f} | {rate:,.0f} |")
    if "bubblewrap" in found:
        ours, theirs = found["bubblewrap"], found["ipykernel"]
        ratios = [f"{a / b:.2f}×" for a, b in zip(ours, theirs, strict=True)]
        print(f"| bubblewrap against ipykernel | {' | '.join(ratios)} |")


if __name__ == "__main__":
    main()
