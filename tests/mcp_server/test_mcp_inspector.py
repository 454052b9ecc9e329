"""The server as a client of another make sees it: the command line of the protocol's own inspector."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_harness import SERVE, listening, sales, write_sales
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.server import create_app

PACKAGES = ("node@22", "@modelcontextprotocol/inspector")


def installed(folder: Path) -> Path:
    """The folder with the inspector's commands, installed once and kept."""
    commands = folder / "node_modules" / ".bin"
    if not (commands / "mcp-inspector").exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("npm is not installed")
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES],
            cwd=folder, capture_output=True, text=True, timeout=240,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"the inspector cannot be installed here: {done.stderr.strip()[-200:]}")
    return commands


@pytest.mark.long
@pytest.mark.needs("node")
@pytest.mark.timeout(400)
def test_the_inspector_lists_reads_and_calls(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    cache = request.config.cache
    assert cache is not None
    commands = installed(cache.mkdir("mcp-inspector"))
    file = write_sales(tmp_path)
    start = tmp_path / "serve"
    start.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{SERVE}" mcp "$@"\n')
    start.chmod(0o755)
    environment = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}

    def inspect(server: list[str], method: str, *more: str) -> dict[str, Any]:
        done = subprocess.run(
            [str(commands / "mcp-inspector"), "--cli", *server, "--method", method, *more],
            env=environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout)

    total = inspect(
        [str(start), str(file)],
        "tools/call", "--tool-name", "aggregate", "--tool-arg", "data=sales", "--tool-arg", "value=revenue",
    )  # fmt: skip
    assert total["structuredContent"]["rows"]["rows"][0]["sum_revenue"] == pytest.approx(
        sales()["revenue"].sum()
    )
    home = warmed(tmp_path / "home")
    with listening(create_app(Settings.load(home=home, log_dir=home))) as address:
        served = [f"{address}/mcp", "--transport", "http"]
        tools = {t["name"]: t for t in inspect(served, "tools/list")["tools"]}
        assert tools["aggregate"]["annotations"]["readOnlyHint"] is True
        assert "outputSchema" in tools["investigation_start"]
        wrong = inspect(served, "tools/call", "--tool-name", "aggregate", "--tool-arg", "data=sale")
        assert wrong["isError"] is True
        assert json.loads(wrong["content"][0]["text"])["error"]["code"] == "not_found"
        assert inspect(served, "resources/list")["resources"][0]["uri"] == "gnomon://datasets"
        assert len(inspect(served, "prompts/list")["prompts"]) == 3
