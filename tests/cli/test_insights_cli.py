"""``gnomon insights`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.homes import warmed
from typer.testing import CliRunner

import gnomon
from gnomon.cli.app import app
from gnomon.core.errors import Cancelled
from gnomon.tools import CancelToken

runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.fixture
def sales(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNOMON_HOME", str(warmed(tmp_path / "home")))
    rng = np.random.default_rng(2)
    region = rng.choice(["north", "south", "east"], 400, p=[0.7, 0.15, 0.15])
    path = tmp_path / "sales.csv"
    amount = rng.gamma(4, 20, 400) * np.where(region == "south", 2, 1)
    pd.DataFrame({"region": region, "amount": amount.round(2)}).to_csv(path, index=False)
    return path


def test_insights_are_printed_and_their_charts_written(sales: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["insights", str(sales), "--top", "2", "--chart", str(tmp_path / "charts")])
    assert result.exit_code == 0, result.output
    assert "north has most of the" in result.output and "tests made" in result.output
    pictures = sorted((tmp_path / "charts").glob("*.png"))
    assert len(pictures) == 2 and all(p.read_bytes().startswith(b"\x89PNG") for p in pictures)


def test_insights_as_json_with_a_goal(sales: Path) -> None:
    result = runner.invoke(app, ["insights", str(sales), "--goal", "amounts by region", "--json"])
    found = json.loads(result.stdout)
    assert found["goal"] == "amounts by region"
    assert any(i["kind"] == "difference" and "south" in i["sentence"] for i in found["insights"])


def test_a_conversation_ends_when_it_is_told_to(sales: Path) -> None:
    result = runner.invoke(app, ["chat", str(sales)], input="total amount\nexit\nhow many rows are there\n")
    assert result.exit_code == 0, result.output
    assert "amount was" in result.output
    assert "400" not in result.output and "exit" not in result.output


def test_a_fault_of_a_database_is_a_line_and_no_traceback(
    sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise duckdb.OutOfMemoryException("could not allocate")

    monkeypatch.setattr("gnomon.agents.auto_insight.tell_insights", full)
    result = runner.invoke(app, ["insights", str(sales)])
    assert result.exit_code == 70
    assert "OutOfMemoryException" in result.output and "Traceback" not in result.output


def test_rows_loaded_twice_are_told_of_a_wide_table_too(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    wide = pd.DataFrame(draw.normal(size=(60, 150)).round(4), columns=[f"m{i}" for i in range(150)])
    wide.insert(0, "code", [f"c{i}" for i in range(60)])
    pd.concat([wide, wide.head(7)]).to_csv(tmp_path / "wide.csv", index=False)
    with gnomon.open(tmp_path / "wide.csv") as analyst:
        found = analyst.insights(top=1)
    assert any("7 of 67 rows" in note for note in found.notes), found.notes


def test_a_search_that_is_cancelled_is_not_told_as_done(sales: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with gnomon.open(sales) as analyst, pytest.raises(Cancelled):
        analyst.insights(cancel=cancel)
