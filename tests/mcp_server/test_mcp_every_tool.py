"""Every tool works on an open table, on the rows of an earlier result and on a file, over both transports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import listening, stdio
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.server import create_app

SERIES = {"value": "revenue", "time": "day"}
CALLS: dict[str, dict[str, Any]] = {
    "profile_table": {},
    "aggregate": {"value": "revenue", "group_by": ["region"]},
    "anomaly_zscore": SERIES,
    "timeseries_forecaster": {**SERIES, "horizon": 2},
    "trend": SERIES,
    "seasonality": SERIES,
    "change_points": SERIES,
    "anomaly_investigate": {},
    "correlation": {},
    "cluster_segmentation": {"clusters": 3},
    "distribution": {"value": "revenue"},
    "geo_summary": {},
    "hypothesis_test": {"value": "revenue", "group_by": ["region"]},
    "regression": {"target": "revenue", "features": ["units", "region"]},
    "derive_column": {"expression": "revenue / units", "new_column": "each"},
    "filter_rows": {"condition": "units > 21"},
    "bin_column": {"column": "revenue"},
    "clean_outliers": {"value": "revenue"},
    "join_tables": {"other": "SAME", "on": ["day"]},
    "compare_tables": {"other": "SAME", "key": ["day"]},
    "render_chart": {"x": "day", "y": "revenue"},
    "period_change": {"value": "revenue"},
    "drivers": {"value": "revenue", "days": 14, "group_by": ["region"]},
    "causes": {"value": "revenue", "days": 14, "group_by": ["region"], "candidates": ["units"]},
    "benchmark": {"value": "revenue", "group_by": "region", "middle": 100, "low": 80, "high": 120},
    "investigation_start": {},
}


def sales() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = 70
    return pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=rows),
            "region": rng.choice(["West", "East", "North"], rows),
            "remark": [f"the customer number {i} said that all of it was fine and left" for i in range(rows)],
            "units": 10 + rng.poisson(10, rows),
            "revenue": (100 + 10 * np.sin(np.arange(rows) * 2 * np.pi / 7) + rng.normal(0, 3, rows)).round(3),
            "latitude": (52 + rng.normal(0, 0.1, rows)).round(5),
            "longitude": (13 + rng.normal(0, 0.1, rows)).round(5),
        }
    )


WAYS = {"stdio": ("table", "handle", "source"), "http": ("handle", "source")}
"""How tools are given rows. Those of an earlier result are a table too: over HTTP they stand for both."""


@pytest.fixture(scope="module", params=WAYS)
def agent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Call, Path, str]]:
    folder = tmp_path_factory.mktemp("every")
    file, home = folder / "sales.csv", warmed(folder / "home")
    sales().to_csv(file, index=False)
    if request.param == "stdio":
        with calling(stdio(str(file), home=home)) as call:
            yield call, file, request.param
        return
    app = create_app(Settings.load(home=home, log_dir=home, data_roots=(folder,)))
    with listening(app) as address, calling(f"{address}/mcp") as call:
        call("open_dataset", {"paths": [str(file)]})
        yield call, file, request.param


@pytest.mark.long
def test_every_tool_succeeds(agent: tuple[Call, Path, str]) -> None:
    call, file, transport = agent
    failed: dict[tuple[str, str], str] = {}
    for way in WAYS[transport]:
        data: dict[str, str] = {"table": "sales"} if way != "source" else {"source": str(file)}
        if way == "handle":
            kept = call("filter_rows", {"data": data, "condition": "units > 17"})
            data = {"table": kept.structured_content["rows"]["handle"]}
        for name, arguments in CALLS.items():
            given = {k: data if v == "SAME" else v for k, v in arguments.items()}
            result = call(name, {"data": data, **given})
            if result.is_error:
                failed[way, name] = result.content[0].text
    assert failed == {}


@pytest.mark.long
def test_no_tool_is_left_out(agent: tuple[Call, Path, str]) -> None:
    from gnomon.guardrails.release.rules import RULES
    from gnomon.tools.builtin import builtin_registry

    call, *_ = agent
    names = {t.spec.name for t in builtin_registry(Settings.load())}
    assert names <= set(CALLS)
    assert names == set(RULES)
    told = call("ask", {"question": "total revenue by region"}).structured_content
    assert told["status"] == "answered"
    rows = {r[0]: r[1] for r in told["tables"][0]["rows"]}
    assert rows == pytest.approx(sales().groupby("region")["revenue"].sum().to_dict())


@pytest.mark.long
def test_an_investigation_over_text_columns_ends(agent: tuple[Call, Path, str]) -> None:
    call, *_ = agent
    state = call("investigation_start", {"data": {"table": "sales"}}).structured_content
    handle = {"investigation": state["investigation"]}
    while str(tool := state["next_action"].get("tool")).rpartition("_")[2] in {"plan", "run", "analyze"}:
        result = call(str(tool), handle)
        assert not result.is_error, result.content[0].text
        state = result.structured_content
    assert state["phase"] == "analyzed"
    assert not call("investigation_report", handle).is_error
