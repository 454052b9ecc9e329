"""Canaries: words planted in text cells never go over the wire, whatever tool is called and however it fails."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_harness import (
    CANARY,
    connected,
    error_of,
    leaking_tools,
    run,
    sales,
    server_over,
    stdio,
    write_sales,
)

from gnomon.guardrails.release.cells import WITHHELD
from gnomon.mcp_server import EgressLedger, GnomonServer

TABLE = {"table": "sales"}
SERIES = {"data": TABLE, "value": "revenue", "time": "day"}
CALLS: dict[str, list[dict[str, Any]]] = {
    "profile_table": [{"data": TABLE}],
    "aggregate": [
        {"data": TABLE, "value": "revenue", "group_by": ["customer"]},
        {"data": TABLE, "group_by": ["region"]},
        {"data": TABLE, "group_by": ["region", "note"], "top": 3},
        {"data": TABLE, "value": "customer", "aggregate": "min"},
        {"data": TABLE, "value": "note", "aggregate": "max", "group_by": ["region"]},
        {"data": TABLE, "value": "customer", "aggregate": "sum"},
    ],
    "anomaly_zscore": [SERIES, {"data": TABLE, "value": "revenue", "group_by": ["customer"]}],
    "timeseries_forecaster": [{**SERIES, "horizon": 3}],
    "trend": [SERIES],
    "seasonality": [SERIES],
    "change_points": [SERIES],
    "correlation": [{"data": TABLE, "columns": ["region", "customer", "revenue", "units"]}],
    "cluster_segmentation": [{"data": TABLE, "columns": ["region", "customer", "revenue", "units"]}],
    "distribution": [{"data": TABLE, "value": "revenue"}],
    "geo_summary": [{"data": TABLE}],
    "hypothesis_test": [
        {"data": TABLE, "value": "revenue", "group_by": ["region"]},
        {"data": TABLE, "columns": ["region", "customer"]},
    ],
    "regression": [{"data": TABLE, "target": "revenue", "features": ["units", "region"]}],
    "derive_column": [{"data": TABLE, "expression": "upper(customer)", "new_column": "loud"}],
    "filter_rows": [{"data": TABLE, "condition": "units > 20"}, {"data": TABLE, "condition": "customer > 3"}],
    "bin_column": [{"data": TABLE, "column": "revenue"}, {"data": TABLE, "column": "customer"}],
    "clean_outliers": [{"data": TABLE, "value": "revenue"}],
    "join_tables": [{"data": TABLE, "other": {"table": "customers"}, "on": ["customer"]}],
    "compare_tables": [{"data": TABLE, "other": {"table": "later"}, "key": ["day"], "examples": 5}],
    "render_chart": [
        {"data": TABLE, "x": "day", "y": "revenue"},
        {"data": TABLE, "x": "customer", "y": "revenue", "chart": "bar"},
    ],
    "period_change": [{**SERIES, "days": 30}, {**SERIES, "days": 1}],
    "drivers": [{**SERIES, "days": 30, "group_by": ["customer", "region"]}],
    "causes": [{**SERIES, "days": 60}],
    "benchmark": [{"data": TABLE, "value": "revenue", "group_by": g} for g in ("region", "customer", "note")],
    "anomaly_investigate": [{"data": TABLE, "columns": ["revenue", "units", "region", "customer"]}],
    "list_datasets": [{}],
    "read_result": [{"result": "r_unknown"}],
}


def canaries(text: str) -> list[str]:
    """Where the canary sings, with its surroundings."""
    low, word = text.lower(), CANARY.lower()
    return [text[max(0, i - 80) : i + 60] for i in range(len(low)) if low.startswith(word, i)]


async def investigate(call: Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
    """A whole investigation, along what each result says is next."""
    columns = ["revenue", "units", "region"]
    state = await call("investigation_start", {"data": TABLE, "columns": columns, "data_type": "tabular"})
    handle = {"investigation": state["investigation"]}
    phases = [state["phase"]]
    while (tool := state["next_action"].get("tool")) in {
        f"investigation_{s}" for s in ("plan", "run", "analyze")
    }:
        state = await call(str(tool), handle)
        phases.append(state["phase"])
    assert phases == ["profiled", "planned", "detected", "analyzed"]
    top = {a["index"]: a for a in state["consensus"]["top_anomalies"][:2]}
    assert set(top) == {40, 100}
    assert "900" not in top[100]["narrative"]
    assert "revenue" in top[100]["narrative"]
    report = await call("investigation_report", handle)
    assert report["report"].startswith("# Investigation Report")
    as_data = await call("investigation_report", {**handle, "format": "json"})
    assert as_data["report"]["session"]["quality"]["verdict"] == state["quality"]["verdict"]
    await call("investigation_iterate", {**handle, "feedback": "why row 100"})
    changed = await call(
        "investigation_iterate", {**handle, "feedback": {"action": "adjust_contamination", "value": 0.02}}
    )
    assert (changed["phase"], changed["next_action"]["tool"]) == ("planned", "investigation_run")


@pytest.mark.long
def test_no_canary_goes_over_the_wire_from_any_tool(tmp_path: Path) -> None:
    write_sales(tmp_path)
    home = tmp_path / "home"

    async def main() -> list[str]:
        said: list[str] = []
        async with connected(stdio(str(tmp_path), home=home)) as client:
            names = {t.name for t in (await client.list_tools()).tools}
            investigation = {n for n in names if n.startswith("investigation_")}
            others = {"open_dataset", "insights", "ask", "why"}
            assert names - investigation - others == set(CALLS)

            async def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
                result = await client.call_tool(name, arguments)
                said.append(result.model_dump_json())
                assert result.is_error == (result.structured_content is None), name
                return result.structured_content or {}

            opened = await call("open_dataset", {"paths": [str(tmp_path / "sales.csv")]})
            assert opened["tables"][0]["rows"] == 240
            for goal in (None, f"revenue by customer, note and {CANARY[:4]}"):
                told = await call("insights", {"dataset": opened["dataset"], "goal": goal, "top": 50})
                assert told["tests"] > 0
            for name, variants in CALLS.items():
                for arguments in variants:
                    result = await call(name, arguments)
                    for cut in result.get("truncated", []):
                        await call(
                            "read_result", {"result": result["result"], "field": cut["field"], "limit": 500}
                        )
                    for field in [k for k, v in result.items() if isinstance(v, dict) and "handle" in v]:
                        again = {"data": {"table": result[field]["handle"]}}
                        await call("profile_table", again)
                        texts = [c["name"] for c in result[field]["columns"] if "string" in c["type"]]
                        await call("aggregate", {**again, "group_by": texts[:2]})
            await investigate(call)
            listed = (await client.list_resources()).resources
            assert len(listed) == 3
            said.extend([(await client.read_resource(str(r.uri))).model_dump_json() for r in listed])
        return said

    said = run(main)
    assert len(said) > 60
    assert [c for text in said for c in canaries(text)] == []
    assert canaries(EgressLedger(home / "egress", "aggregates").content().decode()) == []
    succeeded = [t for t in said if '"is_error":false' in t or '"isError":false' in t]
    assert len(succeeded) > 50
    assert not any("Traceback" in t or '"internal"' in t for t in said)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GnomonServer]:
    place = tmp_path_factory.mktemp("leaks")
    with server_over(write_sales(place)) as made:
        for tool in leaking_tools():
            made.desk.workbench.registry.register(tool)
        yield made


def result_of(server: GnomonServer, name: str, **arguments: Any) -> Any:
    async def main() -> Any:
        async with connected(server) as client:
            return await client.call_tool(name, arguments)

    return run(main)


def test_of_a_tool_without_a_rule_nothing_is_told(server: GnomonServer) -> None:
    result = result_of(server, "leak", data=TABLE)
    assert canaries(result.model_dump_json()) == []
    said = result.structured_content
    assert said["summary"] == WITHHELD
    assert "West" not in json.dumps(said)


@pytest.mark.parametrize("tool", ["ask", "why"])
def test_answers_in_words_hold_no_canary(server: GnomonServer, tool: str) -> None:
    questions = {
        "ask": ("revenue by region", "revenue by customer", "list the notes", "which customer bought most?", "latest day by region"),
        "why": ("why did revenue change in August 2024?",),
    }[tool]  # fmt: skip
    said = [result_of(server, tool, question=q) for q in questions]
    assert [c for r in said for c in canaries(r.model_dump_json())] == []
    if tool == "ask":
        assert said[0].structured_content["tables"][0]["rows"]
        assert said[-1].structured_content["tables"] == []


def test_errors_do_not_quote_cells(server: GnomonServer) -> None:
    result = result_of(server, "leak_error", data=TABLE)
    error = error_of(result)
    assert (error["message"], error["suggestions"]) == (f"Cannot read '{WITHHELD}'.", [f"Remove {WITHHELD}."])
    assert error["code"] == "invalid_input"


def test_a_condition_on_a_closed_column_is_refused_however_it_is_put(server: GnomonServer) -> None:
    where = [{"column": "email", "operator": ">=", "value": "m"}]
    for name, arguments in (
        ("aggregate", {"where": where}),
        ("filter_rows", {"condition": "EMAIL > 'm'"}),
        ("filter_rows", {"condition": "length(note) > 3 or units > 2"}),
    ):
        assert error_of(result_of(server, name, data=TABLE, **arguments))["code"] == "policy_violation"


def test_nothing_is_made_of_a_closed_column(server: GnomonServer) -> None:
    said: set[str] = set()
    for formula in ("concat('id-', units, '-', email)", "length(email) > 3", "date(email)", "EMAIL = 'a'"):
        refused = error_of(
            result_of(server, "derive_column", data=TABLE, expression=formula, new_column="tag")
        )
        assert refused["code"] == "policy_violation"
        said.add(refused["message"])
    assert len(said) == 1
    counted = result_of(
        server, "aggregate", data=TABLE, value="email", aggregate="nunique"
    ).structured_content
    assert counted["rows"]["rows"] == [{"nunique_email": 240}]


def test_frequent_categories_and_figures_pass_and_ends_do_not(server: GnomonServer) -> None:
    profile = result_of(server, "profile_table", data=TABLE).structured_content["profile"]
    columns = {c["name"]: c for c in profile["columns"]}
    assert columns["revenue"]["maximum"] is None
    assert columns["revenue"]["mean"] == pytest.approx(sales()["revenue"].mean())
    assert {v["value"] for v in columns["region"]["top_values"]} == {"West", "East", "North"}
    assert columns["email"]["minimum"] is None
    assert columns["email"]["top_values"] == []
    assert profile["source"] == "sales.csv"


def test_a_file_that_cannot_be_read_is_refused_without_its_content(tmp_path: Path) -> None:
    write_sales(tmp_path)
    broken = tmp_path / "broken.json"
    broken.write_text('[{"a": "' + CANARY + '", ' * 3)
    with server_over(tmp_path / "sales.csv", data_roots=(tmp_path,)) as server:
        result = result_of(server, "open_dataset", paths=[str(broken)])
        assert canaries(result.model_dump_json()) == []
        assert "broken.json" in error_of(result)["message"]
