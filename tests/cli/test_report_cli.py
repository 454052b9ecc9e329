"""``--report`` and ``gnomon replay``: what is written computes again to the same, and says so when it does not."""

import json
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from tests.homes import warmed
from tests.tools.rows import daily_sales
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.reporting import load_bundle

run = CliRunner()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return warmed(tmp_path_factory.mktemp("shared-home"))


@pytest.fixture(autouse=True)
def _shared_home(_own_home: None, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One home for all tests here: the gate of the same columns is fitted once."""
    monkeypatch.setenv("GNOMON_HOME", str(home))


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    pd.DataFrame(daily_sales()).to_csv(path, index=False)
    return path


@pytest.fixture
def readings(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=["pressure", "heat", "flow"])
    frame.iloc[[20, 200]] = [[9, 9, 9], [-9, 9, -9]]
    path = tmp_path / "readings.csv"
    frame.to_csv(path, index=False)
    return path


def executed(path: Path) -> str:
    """What the cells of a notebook print when it runs."""
    notebook = nbformat.read(path, 4)
    NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    return "".join(o.get("text", "") for o in outputs)


@pytest.mark.long
def test_an_answer_is_written_replayed_and_run_again(sales: Path, tmp_path: Path) -> None:
    page, bundle, book = (tmp_path / f"out.{e}" for e in ("html", "json", "ipynb"))
    wanted = [part for p in (page, bundle, book) for part in ("--report", str(p))]
    done = run.invoke(app, ["ask", str(sales), "total sales by region", *wanted])
    assert done.exit_code == 0, done.output
    truth = pd.DataFrame(daily_sales()).groupby("region")["sales"].sum()
    held = {f.name: f.value for f in load_bundle(bundle).facts}
    assert held["sales.top"] == pytest.approx(truth.max())
    assert f"{truth.max():,.0f}" in page.read_text()
    again = run.invoke(app, ["replay", str(bundle)])
    assert again.exit_code == 0, again.output
    assert "The same" in again.stdout
    assert f"All {len(held)} figures are the same." in executed(book)


def test_changed_data_is_told_and_ends_with_one(sales: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "out.json"
    run.invoke(app, ["ask", str(sales), "total sales by region", "--report", str(bundle)])
    frame = pd.read_csv(sales)
    frame.loc[0, "sales"] += 1000
    frame.to_csv(sales, index=False)
    done = run.invoke(app, ["replay", str(bundle), "--json"])
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["same"] is False
    assert "has changed" in found["changed"][0]
    different = {d["name"] for d in found["facts"] if d["outcome"] == "different"}
    assert different and different < {d["name"] for d in found["facts"]} | {"sales.total"}
    assert [t["outcome"] for t in found["tables"]] == ["different"]


def test_a_file_that_was_only_touched_or_moved_has_not_changed(sales: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "out.json"
    run.invoke(app, ["ask", str(sales), "total sales by region", "--report", str(bundle)])
    sales.touch()
    assert run.invoke(app, ["replay", str(bundle)]).exit_code == 0
    (tmp_path / "other").mkdir()
    moved = sales.rename(tmp_path / "other" / "sales.csv")
    gone = run.invoke(app, ["replay", str(bundle)])
    assert gone.exit_code == 1
    assert "The data of this report is not here: sales.csv" in gone.output
    assert "--data" in gone.output
    assert run.invoke(app, ["replay", str(bundle), "--data", str(moved)]).exit_code == 0


def test_a_figure_that_was_tampered_with_is_found(sales: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "out.json"
    run.invoke(app, ["ask", str(sales), "total sales by region", "--report", str(bundle)])
    held = json.loads(bundle.read_text())
    held["document"]["facts"][0]["value"] += 0.01
    bundle.write_text(json.dumps(held))
    done = run.invoke(app, ["replay", str(bundle), "--json"])
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["changed"] == []
    assert [d["name"] for d in found["facts"] if d["outcome"] != "same"] == [
        held["document"]["facts"][0]["name"]
    ]


@pytest.mark.long
def test_an_investigation_is_written_replayed_and_run_again(readings: Path, tmp_path: Path) -> None:
    bundle, book, page = (tmp_path / f"i.{e}" for e in ("json", "ipynb", "html"))
    wanted = [part for p in (bundle, book, page) for part in ("--report", str(p))]
    done = run.invoke(
        app, ["investigate", str(readings), "--columns", "pressure,flow", "--priority", "speed", *wanted]
    )
    assert done.exit_code == 0, done.output
    document = load_bundle(bundle)
    facts = {f.name: f.value for f in document.facts}
    assert facts["rows"] == 300 and facts["flagged"] >= 2
    assert {document.tables[0].rows[i][0] for i in (0, 1)} == {"row 20", "row 200"}
    assert "Anomalies in readings.csv" in page.read_text()
    again = run.invoke(app, ["replay", str(bundle)])
    assert again.exit_code == 0, again.output
    assert "figures are the same" in executed(book)


def test_an_analysis_is_written_and_replayed(sales: Path, tmp_path: Path) -> None:
    bundle, page = tmp_path / "n.json", tmp_path / "n.html"
    task = "total sales by month then chart it"
    done = run.invoke(app, ["analyze", str(sales), task, "--report", str(bundle), "--report", str(page)])
    assert done.exit_code == 0, done.output
    frame = pd.DataFrame(daily_sales())
    monthly = frame.groupby(pd.to_datetime(frame["date"]).dt.to_period("M"))["sales"].sum()
    (table,) = load_bundle(bundle).tables
    assert [r[1] for r in table.rows] == pytest.approx(list(monthly))
    assert "May 2024 is not whole in the data." in page.read_text()
    assert run.invoke(app, ["replay", str(bundle)]).exit_code == 0


def test_a_mistyped_ending_is_told_before_any_work(tmp_path: Path) -> None:
    done = run.invoke(
        app, ["ask", str(tmp_path / "none.csv"), "total", "--report", str(tmp_path / "out.docx")]
    )
    assert done.exit_code == 1
    assert ".docx" in done.output and ".html, .pdf" in done.output


def test_a_bundle_cannot_make_gnomon_open_an_address(sales: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "out.json"
    run.invoke(app, ["ask", str(sales), "total sales by region", "--report", str(bundle)])
    held = json.loads(bundle.read_text())
    held["document"]["recipe"]["sources"] = ["http://127.0.0.1:9/sales.csv"]
    bundle.write_text(json.dumps(held))
    done = run.invoke(app, ["replay", str(bundle)])
    assert done.exit_code == 1
    assert "may not open addresses" in done.output.replace("\n", " ")


def test_a_refusal_can_be_taken_away_too(sales: Path, tmp_path: Path) -> None:
    page = tmp_path / "no.html"
    done = run.invoke(app, ["ask", str(sales), "what is the weather in Paris?", "--report", str(page)])
    assert done.exit_code == 1
    assert "What is the weather in Paris?" in page.read_text()


@pytest.mark.parametrize("command", ["ask", "analyze"])
def test_a_chart_of_another_ending_is_refused_before_the_work(tmp_path: Path, command: str) -> None:
    done = run.invoke(
        app, [command, str(tmp_path / "none.csv"), "total", "--chart", str(tmp_path / "out.gif")]
    )
    assert done.exit_code == 1 and "cannot be written as 'gif'" in done.output and ".svg" in done.output


def test_a_table_beside_a_template_is_refused_and_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("day,units\n2024-01-01,3\n")
    asked = ["analyze", str(tmp_path / "sales.csv"), "--template", "health_check", "--table", "sales"]
    done = run.invoke(app, asked)
    assert done.exit_code == 1 and "--table" in done.output and "all that are named" in done.output
