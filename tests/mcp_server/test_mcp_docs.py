"""docs/mcp.md is true: its snippets parse and start what they say, its tables name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp_harness import connected, run, server_over, write_sales
from typer.main import get_command

from gnomon.cli.app import app
from gnomon.guardrails.release import cells
from gnomon.mcp_server import calls, handles, investigations, ledger, results
from gnomon.mcp_server.datasets import MAX_DATASETS
from gnomon.mcp_server.prompts_offer import PROMPTS
from gnomon.tools import mcp_client
from gnomon.tools.mcp_client_config import CALL_SECONDS, read_config

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "mcp.md").read_text(encoding="utf-8")
PRIVACY = (DOCS / "privacy.md").read_text(encoding="utf-8")


def snippets(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def servers() -> dict[str, list[dict[str, Any]]]:
    """Every server of every snippet, by name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for snippet in snippets("json"):
        content = json.loads(snippet)
        (group,) = content.values()
        for name, entry in group.items():
            found.setdefault(name, []).append(entry)
    return found


def parsed(arguments: list[str]) -> dict[str, Any]:
    """What the command line makes of the arguments of ``gnomon mcp``; unknown options are an error."""
    group: Any = get_command(app)
    command = group.commands[arguments[0]]
    return command.make_context("gnomon mcp", arguments[1:]).params


def test_configurations_to_paste_parse_and_start_a_command_that_exists() -> None:
    entries = servers()["gnomon"]
    assert len(entries) == 3
    for entry in [e for e in entries if "command" in e]:
        assert entry["command"] == "gnomon"
        assert parsed(entry["args"]) == {"files": ["/home/me/shop"], "share_rows": False}
    (web,) = [e for e in entries if "url" in e]
    assert web["url"].endswith("/mcp")


def test_the_command_lines_are_accepted() -> None:
    lines = [line for s in snippets("") for line in s.splitlines() if line.startswith("gnomon mcp")]
    assert len(lines) == 3
    assert parsed(lines[-1].split()[1:]) == {"files": ["data/"], "share_rows": True}


def test_the_configuration_of_other_servers_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_KEY", "k")
    monkeypatch.setenv("WAREHOUSE_TOKEN", "t")
    file = tmp_path / "mcp.json"
    file.write_text(snippets("json")[-1])
    read = read_config(file)
    assert read["weather"].timeout == 20
    assert read["warehouse"].headers == {"Authorization": "Bearer t"}
    assert read["unused"].disabled


def test_every_tool_prompt_and_resource_is_named(tmp_path: Path) -> None:
    with server_over(write_sales(tmp_path)) as server:

        async def main() -> tuple[list[str], list[str]]:
            async with connected(server) as client:
                tools = [t.name for t in (await client.list_tools()).tools]
                templates = (await client.list_resource_templates()).resource_templates
                return tools, [t.uri_template for t in templates]

        tools, templates = run(main)
    table = PAGE[PAGE.index("| tool | does |") : PAGE.index("Tools that you declare")]
    assert set(re.findall(r"`([a-z_]+)`", table)) == set(tools)
    for name in [*PROMPTS, *templates, "gnomon://datasets"]:
        assert f"`{name}`" in PAGE


def test_the_numbers_are_those_of_the_code() -> None:
    assert (MAX_DATASETS, results.MAX_RESULTS, investigations.MAX_INVESTIGATIONS) == (16, 64, 16)
    assert handles.EXPIRES_SECONDS == 3600
    assert results.MESSAGE_LENGTH == 32_000
    assert cells.MIN_ROWS == 5
    assert (ledger.KEEP_FILES, ledger.FILE_BYTES) == (16, 8 * 1024 * 1024)
    assert (CALL_SECONDS, mcp_client.MAX_ROWS) == (30, 10_000)
    assert (calls.AGGREGATES, calls.FULL) == ("aggregates", "full")
    for said in ("16 data sets, 64 results and 16 investigations", "32,000 characters", "at least five rows",
                 "30 by default", "at most 10,000"):  # fmt: skip
        assert said in PAGE
    for said in ("at least 5 source rows", "Counts below 5", "16 files of 8 MB"):
        assert said in PRIVACY
