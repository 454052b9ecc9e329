"""Points of a scatter plot are rows: over MCP neither they nor the charts that hold them are told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mcp_harness import connected, run, server_over

import gnomon

QUESTIONS = (
    "is depth related to catch?",
    "correlation between depth and catch",
    "which columns are correlated?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_point_of_a_related_pair_goes_over_the_wire(question: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    depth = rng.uniform(1000, 9000, 300).round(4)
    catch = (50_000 - 3 * depth + rng.normal(0, 900, 300)).round(4)
    pd.DataFrame({"depth": depth, "catch": catch}).to_csv(tmp_path / "hauls.csv", index=False)
    cells = {f"{v:.4f}".rstrip("0") for v in (*depth, *catch)}
    assert gnomon.open(tmp_path / "hauls.csv").ask(question).charts  # there is something to withhold

    async def asked() -> str:
        with server_over(tmp_path / "hauls.csv") as server:
            async with connected(server) as client:
                result = await client.call_tool("ask", {"question": question})
                assert not result.is_error
                assert "charts" not in (result.structured_content or {})
                return result.model_dump_json()

    said = run(asked)
    assert [c for c in cells if c in said] == []
