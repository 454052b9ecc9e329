"""``gnomon analyze --template``, ``gnomon templates``, ``gnomon doctor``, ``gnomon llm`` and ``gnomon runs show``."""

import json
from pathlib import Path

import pandas as pd
import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.llm.endpoint import endpoint
from tests.tools.rows import daily_sales
from typer.testing import CliRunner

from gnomon.agents.coder import TEMPLATE_REGISTRY
from gnomon.cli.app import app
from gnomon.cli.coding import parted
from gnomon.cli.llm import told_apart
from gnomon.core.errors import InvalidInput
from gnomon.core.settings import Settings
from gnomon.llm.trust import Measured, Trust

run = CliRunner()


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "sales.csv"
    pd.DataFrame(daily_sales()).to_csv(path, index=False)
    return path


def test_a_template_runs_without_a_model_and_its_run_is_kept(sales: Path, tmp_path: Path) -> None:
    kept, picture = tmp_path / "record.json", tmp_path / "chart.json"
    done = run.invoke(
        app, ["analyze", str(sales), "--template", "period_comparison", "--record", str(kept), "--chart", str(picture)]
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "nothing left this machine" in done.stdout
    record = json.loads(kept.read_text())
    assert record["findings"] and record["template"] == "period_comparison"
    assert json.loads(picture.read_text())["$schema"].startswith("https://vega.github.io")
    shown = run.invoke(app, ["runs", "show", record["id"]])
    assert "Nothing was sent to a language model." in shown.stdout and "cell_1" in shown.stdout


def test_an_unknown_template_lists_the_names(sales: Path) -> None:
    done = run.invoke(app, ["analyze", str(sales), "--template", "nope"])
    assert done.exit_code == 1
    assert all(name in " ".join(done.stderr.split()) for name in TEMPLATE_REGISTRY)


def test_templates_are_listed() -> None:
    listed = json.loads(run.invoke(app, ["templates", "--json"]).stdout)
    assert {t["name"] for t in listed} == set(TEMPLATE_REGISTRY)
    assert "health_check" in run.invoke(app, ["templates"]).stdout


@pytest.mark.long
@pytest.mark.needs("bwrap")
def test_with_a_model_the_analysis_is_coded_and_what_was_sent_is_shown(
    sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = [
        {"action": "generate_code", "description": "total", "code": "finding('total', sales['sales'].sum())"},
        {"action": "analysis_complete", "description": "done", "conclusion": "All sales: {{total}}."},
    ]
    with override_allow_model_requests(True), endpoint(*(json.dumps(m) for m in moves)) as served:
        monkeypatch.setenv("GNOMON_MODEL_URL", served.url)
        done = run.invoke(app, ["analyze", str(sales), "what are total sales?", "--model", "small", "--json"])
        record = json.loads(done.stdout)
        shown = run.invoke(app, ["runs", "show", record["id"]])
        told = json.loads(run.invoke(app, ["runs", record["id"], "--json"]).stdout)
    total = pd.DataFrame(daily_sales())["sales"].sum()
    assert record["findings"][0]["value"] == pytest.approx(total)
    assert "Sent to a language model" in shown.stdout and "round 1 of an analysis" in shown.stdout
    assert [e["text"].encode() for e in told["sent"]] == served.bodies


@pytest.mark.long
def test_doctor_tells_what_works_and_mends_what_does_not(
    sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = json.loads(run.invoke(app, ["doctor", str(sales), "--json"]).stdout)
    by_name = {c["what"]: c for c in fine}
    assert by_name["Data"]["state"] == "ok" and by_name["Store"]["state"] == "ok"
    assert by_name["Language model"]["state"] == "absent"
    monkeypatch.setenv("GNOMON_MODEL_URL", "http://127.0.0.1:9/v1")
    with override_allow_model_requests(True):
        broken = run.invoke(app, ["doctor", "gone.csv", "--model", "small"])
    assert broken.exit_code == 1
    said = " ".join(broken.stdout.split())
    assert "does not answer" in said and "GNOMON_MODEL_URL" in said and "gone.csv" in said


def test_doctor_asks_a_model_that_is_there_and_tells_how_far_it_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trust = Trust.of(Settings.load())
    with override_allow_model_requests(True), endpoint("ready") as served:
        monkeypatch.setenv("GNOMON_MODEL_URL", served.url)
        trust.keep(f"small at {served.url}", Measured(30, 11, 12, "2026-11-16"))
        done = run.invoke(app, ["doctor", "--model", "small"])
        listed = run.invoke(app, ["llm"])
    assert done.exit_code == 0, done.output
    assert "small answers" in done.stdout
    assert f"small at {served.url} was right in 11 and wrong in 12 of 30" in listed.stdout
    assert "right in 11 and wrong in 12 of 30" in done.stdout and "offered, not stated" in done.stdout


def test_a_model_that_is_not_installed_says_how() -> None:
    assert "gnomon llm install" in run.invoke(app, ["llm"]).stdout
    assert run.invoke(app, ["llm", "instal"]).exit_code == 1


def test_models_of_meaning_and_of_language_are_told_apart() -> None:
    assert told_apart(["shop.yaml", "installed"]) == (Path("shop.yaml"), "installed")
    assert told_apart(None) == (None, None)


def test_files_and_tasks_are_told_apart(sales: Path) -> None:
    here = str(sales)
    assert parted([here, here], task_needed=False) == ([here, here], "")
    assert parted([here, "look at it"], task_needed=False) == ([here], "look at it")
    assert parted([here, "trend"], task_needed=True) == ([here], "trend")
    with pytest.raises(InvalidInput, match="Name the data"):
        parted([here], task_needed=True)
