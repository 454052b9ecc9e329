"""``gnomon investigate``: a table with reasons, JSON, limits, and a conversation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from anomaly_cases import finished, payments
from typer.testing import CliRunner

from gnomon.anomaly import ADEngine
from gnomon.cli.app import app as gnomon_app
from gnomon.cli.investigate import answer, converse, investigate
from gnomon.core.errors import UnreadableSource


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "payments.csv"
    payments().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    made = typer.Typer()
    made.command()(investigate)
    return made


def run(app: typer.Typer, *arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_file_gives_a_table_with_reasons_a_verdict_and_the_next_step(app: typer.Typer, file: Path) -> None:
    out = run(app, str(file), "--top", "8")
    assert "anomalies detected out of 600 samples" in out
    assert "Top 8 rows, 8 of them flagged" in out
    assert "Amount 9,120 where 95 % lie below" in out
    assert "Verdict: " in out and "Next: " in out


def test_json_holds_the_report_and_the_top_rows(app: typer.Typer, file: Path) -> None:
    report = json.loads(run(app, str(file), "--json", "--contamination", "0.01", "--top", "4"))
    assert {"session", "best_detector", "top_anomalies", "next_action"} <= set(report)
    assert sum(report["session"]["consensus"]["labels"]) == 6
    assert len(report["top_anomalies"]) == 4
    assert report["top_anomalies"][0]["reasons"][0]["text"]


def test_a_time_limit_and_a_priority_are_passed_on(app: typer.Typer, file: Path) -> None:
    report = json.loads(run(app, str(file), "--json", "--max-seconds", "60", "--priority", "speed"))
    assert all(d["status"] == "success" for d in report["session"]["detectors"])


def test_a_missing_file_is_named(app: typer.Typer, tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"nothing\.csv"):
        run(app, str(tmp_path / "nothing.csv"))


def test_feedback_in_words_runs_again() -> None:
    engine = ADEngine()
    state = answer(engine, finished(), "flag 2 %")
    assert state.phase == "analyzed" and int(state.consensus["labels"].sum()) == 12  # type: ignore[index]


def test_yes_carries_out_what_was_proposed() -> None:
    engine = ADEngine()
    state = answer(engine, finished(), "too many false positives")
    proposed = state.next_action["proposed_change"]["value"]
    state = answer(engine, state, "yes")
    assert state.contamination == proposed and state.phase == "analyzed"


def test_a_conversation_ends_on_an_empty_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = iter(["undo that", "why row 0", "too many false positives", "yes", ""])
    monkeypatch.setattr("builtins.input", lambda *_: next(said))
    state = converse(ADEngine(), finished(), 3)
    captured = capsys.readouterr()
    out = captured.out
    assert "no earlier change to undo" in captured.err
    assert "Amount 9,120" in out and "Proceed?" in out and "Top 3 rows" in out
    assert state.iteration == 1


def test_only_the_named_columns_are_looked_into(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "c": rng.normal(size=300)})
    frame.loc[5:7, "c"] = [40.0, 41.0, 42.0]
    frame.to_csv(tmp_path / "t.csv", index=False)
    runner = CliRunner()
    without = runner.invoke(
        gnomon_app, ["investigate", str(tmp_path / "t.csv"), "--columns", "a, b", "--json"]
    )
    assert without.exit_code == 0, without.output
    assert sum(json.loads(without.stdout)["session"]["consensus"]["labels"]) == 0
    with_it = json.loads(
        runner.invoke(
            gnomon_app, ["investigate", str(tmp_path / "t.csv"), "--columns", "a,c", "--json"]
        ).stdout
    )
    assert with_it["session"]["consensus"]["labels"][5] == 1
    wrong = runner.invoke(gnomon_app, ["investigate", str(tmp_path / "t.csv"), "--columns", "a,d"])
    assert wrong.exit_code == 1
    assert "no column named 'd'" in wrong.output
