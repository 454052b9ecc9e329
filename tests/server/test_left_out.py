"""What a plan leaves aside is told with its results: rows that are totals, marks for missing, and words."""

import random
from typing import Any

import pandas as pd
import pytest
from fastapi.testclient import TestClient
from tests.server.test_scenarios import ask

from gnomon.tools import Frame, ToolContext
from gnomon.tools.builtin import builtin_registry

TOOLS = {
    "aggregate": {"value": "takings"},
    "anomaly_zscore": {"value": "takings"},
    "clean_outliers": {"value": "takings"},
    "filter_rows": {"condition": "`takings` > 0"},
    "cluster_segmentation": {"columns": ["takings", "staff"], "clusters": 2},
    "correlation": {"columns": ["takings", "staff"]},
    "distribution": {"value": "takings"},
    "bin_column": {"column": "takings", "bins": 3},
}


def sheet(seed: int) -> list[dict[str, Any]]:
    """Takings of stores with a row of totals below them."""
    rng = random.Random(seed)
    rows = [
        {"store": f"st{i}", "takings": float(rng.randrange(100, 999)), "staff": rng.randrange(3, 40)}
        for i in range(30)
    ]
    sums = {k: sum(r[k] for r in rows) for k in ("takings", "staff")}
    return [*rows, {"store": "Total", **sums}]


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_a_single_tool_says_which_rows_it_left_out(tool: str) -> None:
    found = builtin_registry().get(tool)({"data": Frame.of(sheet(3)), **TOOLS[tool]}, ToolContext())
    assert any("total of other rows" in note for note in found["notes"]), found["notes"]


@pytest.mark.parametrize("seed", range(3))
def test_the_results_of_a_task_say_which_rows_they_left_out(service: TestClient, seed: int) -> None:
    rows = sheet(seed)
    said = ask(service, "total takings", rows)
    (result,) = said["result"]["results"]
    assert result["output"]["rows"]["rows"][0]["sum_takings"] == pd.DataFrame(rows[:-1])["takings"].sum()
    assert any("total of other rows" in note for note in result["output"]["notes"])


def test_marks_for_missing_are_told_where_the_column_is_used() -> None:
    rng = random.Random(8)
    rows = [
        {"day": i, "heat": -999.0 if i % 9 == 0 else round(rng.gauss(20, 3), 1), "rain": rng.randrange(9)}
        for i in range(200)
    ]
    tool = builtin_registry().get("aggregate")
    told = tool({"data": Frame.of(rows), "value": "heat", "aggregate": "mean"}, ToolContext())
    truth = pd.DataFrame(rows).query("heat > -999")["heat"].mean()
    assert told["rows"].to_rows()[0]["mean_heat"] == pytest.approx(truth)
    assert any("999" in note for note in told["notes"])


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_words_that_were_left_aside_stand_in_the_result(service: TestClient, version: str) -> None:
    body = {"data_pointer": {"rows": sheet(1)[:-1]}, "context": {"task": "total takings and profit by store"}}
    said = service.post(f"/{version}/analyze", json=body).json()
    notes = (said if version == "v1" else said["result"])["notes"]
    assert any("'profit'" in note for note in notes)
