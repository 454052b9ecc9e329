"""``gnomon analyze``, ``gnomon tools`` and the ways they end."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2 as httpx
import pandas as pd
import pytest
from tests.homes import warmed
from tests.tools.rows import daily_sales
from typer.testing import CliRunner

from gnomon.cli.app import app

run = CliRunner()


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "sales.csv"
    pd.DataFrame(daily_sales()).to_csv(path, index=False)
    return path


def test_a_task_gives_the_reading_the_finding_and_a_picture(sales: Path, tmp_path: Path) -> None:
    picture = tmp_path / "c.svg"
    done = run.invoke(
        app, ["analyze", str(sales), "total sales by region as a bar chart", "--chart", str(picture)]
    )
    assert done.exit_code == 0, done.output
    total = pd.DataFrame(daily_sales()).groupby("region")["sales"].sum()
    assert "aggregate → render_chart" in done.stdout
    assert f"{total.max():,.0f}" in done.stdout
    drawn = picture.read_text()
    assert drawn.startswith("<svg")
    assert total.idxmax() in drawn


def test_json_is_the_published_structure(sales: Path) -> None:
    done = run.invoke(app, ["analyze", str(sales), "anomalies in sales with threshold 5", "--json"])
    said = json.loads(done.stdout)
    assert set(said) == {"request_id", "status", "result", "tool_meta"}
    assert said["result"]["results"][0]["output"]["threshold"] == 5


def test_a_question_ends_with_an_exit_code_and_the_options(sales: Path) -> None:
    done = run.invoke(app, ["analyze", str(sales), "forecast the next 7 days"])
    assert done.exit_code == 1
    assert "sales" in done.stdout
    assert "units" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "profile it"], "nowhere.csv"),
        (["{sales}", "  "], "prompt is empty"),
        (["{sales}", "trend of sales", "--chart", "x.png"], "no chart"),
        (["{folder}", "trend of sales"], "Name one with --table"),
    ],
    ids=str,
)
def test_errors_are_one_paragraph(sales: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("x,y\n1,2\n")
    filled = [a.format(sales=sales, folder=tmp_path) for a in arguments]
    done = run.invoke(app, ["analyze", *filled])
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output


def test_tools_are_listed_searched_and_added(tmp_path: Path) -> None:
    assert "timeseries_forecaster" in run.invoke(app, ["tools", "--json"]).stdout
    found = json.loads(run.invoke(app, ["tools", "--search", "hotspots of places", "--json"]).stdout)
    assert found[0]["name"] == "geo_summary"
    declared = tmp_path / "tool.yaml"
    declared.write_text(
        "name: by_region\ndescription: Sales per region.\n"
        "steps:\n  - {id: a, tool: aggregate, params: {value: sales, group_by: [region]}}\n"
    )
    assert "by_region version 1" in run.invoke(app, ["tools", "--add", str(declared)]).stdout
    assert "by_region" in run.invoke(app, ["tools", "--search", "by_region", "--json"]).stdout
    declared.write_text("name: [")
    done = run.invoke(app, ["tools", "--add", str(declared)])
    assert done.exit_code == 1
    assert "neither YAML nor JSON" in done.output


def test_what_was_run_is_listed(sales: Path) -> None:
    run.invoke(app, ["analyze", str(sales), "total sales by region"])
    runs = json.loads(run.invoke(app, ["runs", "--json"]).stdout)
    assert "aggregate" in json.dumps(runs)


@pytest.mark.long
def test_a_service_that_cannot_begin_says_why_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = {
        **os.environ,
        "GNOMON_HOME": str(tmp_path / "home"),
        "GNOMON_LOG_DIR": str(tmp_path / "file" / "x"),
    }
    command = [str(Path(sys.executable).with_name("gnomon")), "serve", "--port", "0"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr and "GNOMON_LOG_DIR" in ended.stderr


@pytest.mark.long
def test_a_server_for_others_makes_a_token_and_asks_for_it(tmp_path: Path) -> None:
    environment = {**os.environ, "GNOMON_HOME": str(warmed(tmp_path))}
    command = [str(Path(sys.executable).with_name("gnomon")), "serve", "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            told = next(line for line in server.stderr if "shown this once" in line)
            found = re.search(r"http://0\.0\.0\.0:(\d+)/\?token=(\S+)", told)
            assert found is not None
            port, token = found.groups()
            runs = f"http://127.0.0.1:{port}/api/runs"
            assert httpx.get(runs, timeout=60).status_code == 401
            assert (
                httpx.get(runs, timeout=60, headers={"Authorization": f"Bearer {token}"}).status_code == 200
            )
        finally:
            server.terminate()


def test_a_fault_of_ours_is_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    import gnomon.workbench

    def broken(*_: object, **__: object) -> None:
        raise KeyError("inner detail")

    monkeypatch.setattr(gnomon.workbench.Workbench, "__init__", broken)
    done = run.invoke(app, ["tools"])
    assert done.exit_code == 70
    assert "inner detail" not in done.output
    assert isinstance(run.invoke(app, ["--debug", "tools"]).exception, KeyError)
