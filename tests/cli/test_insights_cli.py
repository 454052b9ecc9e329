"""``gnomon insights`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.homes import warmed
from typer.testing import CliRunner

from gnomon.cli.app import app

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
