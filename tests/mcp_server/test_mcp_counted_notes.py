"""What is said beside a figure does not count what the figure itself withholds: how many rows had no value, none or three."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from mcp_harness import connected, run, server_over

from gnomon.mcp_server import GnomonServer

TOOLS: dict[str, dict[str, Any]] = {
    "trend": {"value": "fee", "time": "seen", "merge": "mean"},
    "change_points": {"value": "fee", "time": "seen", "merge": "mean"},
    "regression": {"target": "fee", "features": ["pain"]},
    "render_chart": {"x": "code", "y": "fee"},
}
SHAPES = ("missing", "coded")


def visits(count: int, shape: str) -> pd.DataFrame:
    """Visits of which some have no fee, or the same code as others; the rest is as regular as can be."""
    rows = 90
    frame = pd.DataFrame(
        {
            "seen": pd.date_range("2023-01-04", periods=rows, freq="5D"),
            "ward": ["east", "west", "north"] * (rows // 3),
            "pain": [3 + (7 * i) % 10 for i in range(rows)],
            "fee": [50.5 + (13 * i) % 29 for i in range(rows)],
            "code": [f"k{i % 45}" for i in range(rows)],
        }
    )
    picked = list(frame.index[frame["pain"] > 6])[:count]
    if shape == "missing":
        frame.loc[picked, "fee"] = None
    else:
        frame.loc[picked, "code"] = "k0"
    return frame


COUNTS = (0, 1, 4)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GnomonServer]:
    """Tables that differ in how many of a few visits are meant."""
    place = tmp_path_factory.mktemp("counted")
    files: list[Path] = []
    for shape in SHAPES:
        for count in COUNTS:
            files.append(place / f"{shape}_{count}.csv")
            visits(count, shape).to_csv(files[-1], index=False)
    with server_over(*files) as made:
        yield made


def _said(server: GnomonServer, table: str, name: str, *, by: list[str]) -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        async with connected(server) as client:
            data: dict[str, Any] = {"table": table}
            if not by:
                kept = await client.call_tool("filter_rows", {"data": data, "condition": "pain > 6"})
                assert not kept.is_error
                data = {"table": kept.structured_content["rows"]["handle"]}
            given = {"data": data, **TOOLS[name]} | ({"group_by": by} if by else {})
            result = await client.call_tool(name, given)
            assert not result.is_error, result.content
            return result.structured_content

    return run(main)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "shape"), [*((name, "missing") for name in TOOLS), ("render_chart", "coded")]
)
def test_notes_on_filtered_rows_are_the_same_whether_none_one_or_four_are_meant(
    server: GnomonServer, name: str, shape: str
) -> None:
    told = [_said(server, f"{shape}_{count}", name, by=[]) for count in COUNTS]
    assert len({json.dumps([t.get("notes"), t.get("groups_left_out")]) for t in told}) == 1


@pytest.mark.parametrize("name", ["trend", "change_points"])
def test_notes_on_groups_are_the_same_whether_none_one_or_four_are_meant(
    server: GnomonServer, name: str
) -> None:
    told = [_said(server, f"missing_{count}", name, by=["ward"]) for count in COUNTS]
    assert all(len(t["groups"]) == 3 for t in told)
    assert not any(re.search(r"\d", n) for t in told for g in t["groups"] for n in g["result"]["notes"])
