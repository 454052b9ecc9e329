"""``gnomon profile`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app

runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    pd.DataFrame(
        {
            "order_id": range(1, 41),
            "ordered_on": pd.date_range("2024-03-01", periods=41).delete(10).strftime("%d.%m.%Y"),
            "price": [f"€{v}.50" for v in range(10, 50)],
            "buyer_email": [f"person{i}@example.org" for i in range(40)],
        }
    ).to_csv(path, index=False)
    return path


def test_the_profile_is_readable(orders: Path) -> None:
    result = runner.invoke(app, ["profile", str(orders)])
    assert result.exit_code == 0, result.output
    assert "40 rows, 4 columns" in result.stdout
    assert "personal (email)" in result.stdout
    assert "money" in result.stdout and "EUR" in result.stdout
    assert "Key: order_id" in result.stdout
    assert "1 periods without rows: 2024-03-11 to 2024-03-11" in result.stdout
    assert "Read as date: ordered_on" in result.stdout


def test_json_is_one_document(orders: Path) -> None:
    result = runner.invoke(app, ["profile", "--json", str(orders)])
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert [c["role"] for c in data["tables"][0]["columns"]] == ["id", "time", "money", "personal"]
    assert data["tables"][0]["columns"][2]["maximum"] == 49.5


def test_the_safe_profile_shows_no_value(orders: Path) -> None:
    for arguments in (["--safe"], ["--safe", "--json"]):
        result = runner.invoke(app, ["profile", *arguments, str(orders)])
        assert result.exit_code == 0
        assert "buyer_email" in result.stdout and "personal data: e-mail addresses" in result.stdout
        assert (
            "example.org" not in result.stdout and "49.5" not in result.stdout and "2024" not in result.stdout
        )


def test_full_is_accepted_and_counts_exactly(orders: Path) -> None:
    result = runner.invoke(app, ["profile", "--full", str(orders)])
    assert "All 40 rows, counted exactly." in result.stdout


def test_a_missing_file_ends_with_one_paragraph(tmp_path: Path) -> None:
    result = runner.invoke(app, ["profile", str(tmp_path / "gone.csv")])
    assert result.exit_code == 1
    assert "gone.csv" in result.stderr and "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_bad_file_beside_a_good_one_is_named_and_the_exit_code_tells(orders: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"not parquet at all")
    result = runner.invoke(app, ["profile", str(orders), str(tmp_path / "bad.parquet")])
    assert result.exit_code == 1
    assert "40 rows, 4 columns" in result.stdout
    assert "Not profiled" in result.stdout and "bad.parquet" in result.stdout
