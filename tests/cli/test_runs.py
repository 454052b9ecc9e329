"""``gnomon runs`` lists what was done and shows one run with its plan and events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from pydantic import BaseModel
from typer.testing import CliRunner

from gnomon.cli.runs import runs
from gnomon.core.errors import NotFound
from gnomon.core.plan import OutputRef, Plan, Step, Strategy
from gnomon.core.settings import Settings
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.store import Store
from gnomon.tools import Frame, FunctionTool, ToolContext, ToolRegistry


class Rows(BaseModel):
    data: Frame


class Total(BaseModel):
    total: float


class Half(BaseModel):
    x: float


def add_up(given: Rows, context: ToolContext) -> Total:
    return Total(total=sum(row["v"] for row in given.data.to_rows()))


def halve(given: Half, context: ToolContext) -> Total:
    return Total(total=given.x / 2)


def run_command(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(runs)
    return CliRunner(env={"COLUMNS": "250"}).invoke(app, list(arguments))


@pytest.fixture
def one_run() -> Iterator[None]:
    tools = [
        FunctionTool("add_up", add_up, Rows, Total, description="Adds up."),
        FunctionTool("halve", halve, Half, Total, description="Halves."),
    ]
    steps = (
        Step(id="first", tool="add_up"),
        Step(id="second", tool="halve", inputs={"x": OutputRef(step="first", field="total")}, order=2),
    )
    plan = Plan(strategy=Strategy.SEQUENTIAL, steps=steps, reasoning="Sum [then] halve.")
    rows = [{"v": 777001.0}, {"v": 777002.0}]
    with (
        Store.open(Settings.load()) as store,
        MCPToolsInvocationLayer(ToolRegistry(tools), store=store) as layer,
    ):
        layer.invoke(plan, rows, request_id="run-one")
        own_rows = Step(id="own", tool="add_up", params={"data": rows})
        layer.invoke(Plan(strategy=Strategy.SINGLE, steps=(own_rows,)), request_id="run-two")
        yield


def test_nothing_done_yet_is_said() -> None:
    assert run_command().output == "No runs yet.\n"
    assert json.loads(run_command("--json").output) == []


@pytest.mark.usefixtures("one_run")
def test_runs_are_listed_newest_first() -> None:
    lines = run_command().output.splitlines()
    assert lines[0].split() == ["Run", "Started", "Status", "Strategy", "Tools", "Seconds"]
    assert [line.split()[0] for line in lines[1:]] == ["run-two", "run-one"]
    assert "add_up, halve" in lines[2]
    assert "success" in lines[2]
    assert [r["id"] for r in json.loads(run_command("--json", "--limit", "1").output)] == ["run-two"]


@pytest.mark.usefixtures("one_run")
def test_a_run_is_shown_with_its_plan_and_events() -> None:
    shown = run_command("run-o").output
    assert "Run run-one" in shown
    assert "Sum [then] halve." in shown
    assert "x=first.total" in shown
    assert [line.split()[1] for line in shown.splitlines() if line.lstrip().startswith("20")] == [
        "started", "queued", "queued", "started", "finished", "started", "finished", "finished",
    ]  # fmt: skip
    read = json.loads(run_command("run-one", "--json").output)
    assert read["results"][1]["output"] == {"total": 777001.5}
    assert {e["step"] for e in read["events"]} == {None, "first", "second"}


@pytest.mark.usefixtures("one_run")
def test_rows_are_counted_in_stored_plans_and_never_in_events() -> None:
    read = json.loads(run_command("run-two", "--json").output)
    assert read["plan"]["steps"][0]["params"] == {"data": {"row_count": 2}}
    assert "77700" not in json.dumps([read["plan"], read["events"]])


@pytest.mark.usefixtures("one_run")
def test_a_run_that_is_not_there_is_a_typed_error() -> None:
    assert isinstance(run_command("nothing").exception, NotFound)
