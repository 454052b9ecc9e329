"""The three scenarios of the tool-chaining source, over HTTP, with real computation."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.homes import warmed
from tests.tools.rows import SPIKE_DAY, daily_sales

from gnomon.core import Settings
from gnomon.server import create_app

SALES = [{k: r[k] for k in ("date", "sales")} for r in daily_sales()]


def customers(count: int = 120) -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    kinds = [(20, 30), (55, 300)]
    return [
        {
            "age": float(rng.normal(kinds[i % 2][0], 2)),
            "spend": float(rng.normal(kinds[i % 2][1], 8)),
            "plan": "ab"[i % 2],
        }
        for i in range(count)
    ]


def ask(service: TestClient, task: str, rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    body = {
        "tenant_id": "t1",
        "data_pointer": {"rows": rows},
        "params": {},
        "context": {"task": task},
        **more,
    }
    response = service.post("/v2/analyze", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_scenario_1_one_tool_with_the_stated_threshold(service: TestClient) -> None:
    said = ask(service, "Detect anomalies in sales data with threshold 2.5", SALES)
    assert said["status"] == "ok"
    meta = said["tool_meta"]
    assert meta["pipeline_version"] == "v2_simplified"
    assert meta["context_extraction"]["goal"] == "detect_anomalies"
    assert meta["context_extraction"]["data_type"] == "timeseries"
    assert meta["context_extraction"]["parameters"]["threshold"] == 2.5
    assert meta["execution_plan"]["execution_plan"]["strategy"] == "single"
    assert [t["tool_id"] for t in meta["execution_plan"]["execution_plan"]["tools"]] == ["anomaly_zscore"]
    assert meta["duration_seconds"] > 0
    (result,) = said["result"]["results"]
    assert result["output"]["threshold"] == 2.5
    assert SPIKE_DAY in [a["position"] for a in result["output"]["anomalies"]]
    assert said["result"]["summary"] == {"total_tools": 1, "successful": 1, "failed": 0, "unavailable": 0}
    assert said["result"]["user_feedback"] is None


@pytest.fixture(scope="module")
def without_segments(tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = warmed(tmp_path_factory.mktemp("limited"))
    settings = Settings.load(
        home=home, log_dir=home / "logs", disabled_tools=frozenset({"cluster_segmentation"})
    )
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        yield client


def test_scenario_2_a_tool_that_is_not_there_is_asked_about(without_segments: TestClient) -> None:
    said = ask(without_segments, "Analyze customer segments", customers())
    assert said["status"] == "needs_feedback"
    (conflict,) = said["tool_meta"]["execution_plan"]["conflicts"]
    assert conflict["type"] == "tool_unavailable"
    assert conflict["resolution"] == "USER_FEEDBACK"
    assert said["result"]["summary"] == {"total_tools": 1, "successful": 0, "failed": 0, "unavailable": 1}
    options = [o["option"] for o in said["result"]["user_feedback"]["options"]]
    assert "create_new" in options
    chosen = next(o for o in options if o != "create_new")
    answer = without_segments.post(
        "/v2/analyze",
        json={
            "tenant_id": "t1",
            "params": {"feedback": {"request_id": said["request_id"], "choice": chosen}},
        },
    ).json()
    assert answer["status"] == "ok"
    assert answer["result"]["results"][0]["status"] == "success"


def test_scenario_2_the_user_can_declare_the_missing_tool(without_segments: TestClient) -> None:
    said = ask(without_segments, "Analyze customer segments", customers())
    declared = {
        "name": "segments_by_plan",
        "description": "Average spend per plan.",
        "goals": ["segment_analysis"],
        "parameters": {"by": {"type": "string", "default": "plan"}},
        "steps": [
            {
                "id": "a",
                "tool": "aggregate",
                "params": {"value": "spend", "aggregate": "mean", "group_by": ["plan"]},
            }
        ],
    }
    feedback = {"request_id": said["request_id"], "choice": "create_new", "tool": declared}
    answer = without_segments.post(
        "/v2/analyze", json={"tenant_id": "t1", "params": {"feedback": feedback}}
    ).json()
    assert answer["status"] == "ok", answer
    (result,) = answer["result"]["results"]
    assert result["tool_id"] == "segments_by_plan"
    spend = {r["plan"]: r["mean_spend"] for r in result["output"]["rows"]["rows"]}
    expected = {p: np.mean([c["spend"] for c in customers() if c["plan"] == p]) for p in "ab"}
    assert spend == pytest.approx(expected)
    mine = without_segments.get("/tools", headers={"X-Gnomon-Tenant": "t1"}).json()["tools"]
    assert {t["name"]: t["origin"] for t in mine}["segments_by_plan"] == "saved"
    theirs = without_segments.get("/tools").json()["tools"]
    assert "segments_by_plan" not in {t["name"] for t in theirs}


@pytest.mark.long
def test_scenario_2_enabled_gives_segments(service: TestClient) -> None:
    said = ask(service, "Analyze customer segments", customers())
    (result,) = said["result"]["results"]
    assert result["tool_id"] == "cluster_segmentation"
    assert result["output"]["k"] == 2
    by_row = [r["segment"] for r in result["output"]["rows"]["rows"]]
    assert len({by_row[0::2][0], by_row[1::2][0]}) == 2
    assert len(set(by_row[0::2])) == len(set(by_row[1::2])) == 1


@pytest.mark.long
def test_scenario_3_the_second_tool_works_on_what_the_first_left(service: TestClient) -> None:
    said = ask(service, "Forecast sales after detecting outliers", SALES)
    plan = said["tool_meta"]["execution_plan"]["execution_plan"]
    assert plan["strategy"] == "sequential"
    assert [t["tool_id"] for t in plan["tools"]] == ["anomaly_zscore", "timeseries_forecaster"]
    anomalies, forecast = said["result"]["results"]
    assert anomalies["output"]["anomalies"][0]["position"] == SPIKE_DAY
    assert "interpolated" in " ".join(forecast["output"]["notes"])  # the flagged day never reached the model
    values = [p["value"] for p in forecast["output"]["points"]]
    assert 90 < min(values) < max(values) < 220


def test_a_question_about_the_column_is_answered_over_http(service: TestClient) -> None:
    rows = [{**r, "cost": i} for i, r in enumerate(SALES)]
    said = ask(service, "forecast the next 7 days", rows)
    assert said["status"] == "needs_feedback"
    assert {"sales", "cost"} == {o["option"] for o in said["result"]["user_feedback"]["options"]}
    stolen = service.post(
        "/v2/analyze",
        json={
            "tenant_id": "other",
            "params": {"feedback": {"request_id": said["request_id"], "choice": "cost"}},
        },
    )
    assert stolen.status_code == 404
    answer = service.post(
        "/v2/analyze",
        json={
            "tenant_id": "t1",
            "params": {"feedback": {"request_id": said["request_id"], "choice": "cost"}},
        },
    ).json()
    points = answer["result"]["results"][0]["output"]["points"]
    assert [round(p["value"]) for p in points] == [len(SALES) + i for i in range(7)]


def test_parameters_win_over_words(service: TestClient) -> None:
    said = ask(service, "Detect anomalies in sales with threshold 2.5", SALES, params={"threshold": 100})
    (result,) = said["result"]["results"]
    assert result["output"]["threshold"] == 100
    assert result["output"]["anomalies"] == []


def test_the_log_has_the_published_lines(service: TestClient) -> None:
    said = ask(service, "Detect anomalies in sales data with threshold 2.5", SALES)
    log = (service.home / "logs" / "agent_v2.log").read_text()  # type: ignore[attr-defined]
    lines = [line.split("] ", 1)[1] for line in log.splitlines() if said["request_id"] in line]
    assert lines[:12] == [
        "Starting V2 pipeline",
        "STEP 1: Context Extraction - START",
        "Context extracted - Goal: detect anomalies",
        "Data type: timeseries",
        "STEP 1: Context Extraction - COMPLETE",
        "STEP 2: MCP Tools Chaining Manager - START",
        "Strategy: single",
        "Tools: ['anomaly_zscore']",
        "STEP 2: MCP Tools Chaining Manager - COMPLETE",
        "STEP 3: Tools Invocation - START",
        "Invoking tool: anomaly_zscore",
        "Tool anomaly_zscore succeeded",
    ]
    assert lines[-1] == "Pipeline FINISHED - Status: success"
