"""Every command that reports writes every format, and what it writes computes again, wherever its data is."""

import json
from pathlib import Path

import pandas as pd
import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.homes import warmed
from tests.llm.endpoint import endpoint
from tests.reporting.opened import ENDINGS, check
from tests.server.shop import readings_csv
from tests.tools.rows import daily_sales
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.reporting import load_bundle

run = CliRunner()
COMMANDS = {
    "ask": ["ask", "sales.csv", "total sales by region"],
    "why": ["why", "sales.csv", "why did sales change in April 2024?"],
    "insights": ["insights", "sales.csv", "--top", "3"],
    "investigate": ["investigate", "readings.csv", "--priority", "speed"],
    "analyze": ["analyze", "sales.csv", "total sales by month then chart it"],
    "template": ["analyze", "sales.csv", "--template", "health_check"],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return warmed(tmp_path_factory.mktemp("shared-home"))


@pytest.fixture(autouse=True)
def _in_a_folder(_own_home: None, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with data that commands name as people do, and one home for all."""
    monkeypatch.setenv("GNOMON_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(daily_sales()).to_csv("sales.csv", index=False)
    Path("readings.csv").write_bytes(readings_csv())


def reported(command: list[str], *endings: str) -> dict[str, Path]:
    paths = {e: Path(f"out.{e}") for e in endings}
    done = run.invoke(app, [*command, *(part for p in paths.values() for part in ("--report", str(p)))])
    missing = [str(p) for p in paths.values() if not p.exists()]
    assert done.exit_code == (1 if missing else 0), done.output
    assert all(f"{name} was not written" in " ".join(done.output.split()) for name in missing)
    return {e: p for e, p in paths.items() if p.exists()}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_format_of_every_command_opens_and_the_bundle_computes_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = reported(COMMANDS[name], "json", *ENDINGS)
    document = load_bundle(written.pop("json"))
    assert document.facts
    assert {"html", "md", "pdf", "ipynb", "csv", "xlsx"} <= written.keys()
    assert bool(document.charts) is ({"png", "svg"} <= written.keys())
    for ending, path in written.items():
        parts = [path, *sorted(tmp_path.glob(f"out-*.{ending}"), key=lambda p: int(p.stem[4:]))]
        check(ending, [p.read_bytes() for p in parts], document)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = run.invoke(app, ["replay", str(tmp_path / "out.json"), "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["same"] is True


@pytest.mark.long
@pytest.mark.needs("bwrap")
def test_what_a_model_coded_computes_again_without_the_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    moves = [
        {"action": "generate_code", "description": "wrong", "code": "finding('x', sales['nope'].sum())"},
        {"action": "generate_code", "description": "half", "code": "half = sales['sales'].sum() / 2"},
        {"action": "generate_code", "description": "total", "code": "finding('total', 2 * half)\nfinding('by', sales.groupby('region')['sales'].sum())"},
        {"action": "analysis_complete", "description": "done", "conclusion": "All sales: {{total}}."},
    ]  # fmt: skip
    with override_allow_model_requests(True), endpoint(*(json.dumps(m) for m in moves)) as served:
        monkeypatch.setenv("GNOMON_MODEL_URL", served.url)
        written = reported(
            ["analyze", "sales.csv", "what are total sales?", "--model", "small"], "json", "ipynb"
        )
    document = load_bundle(written["json"])
    frame = pd.DataFrame(daily_sales())
    held = {f.name: f.value for f in document.facts}
    assert held["total"] == pytest.approx(frame["sales"].sum())
    monkeypatch.setenv("GNOMON_MODEL", "small")  # which is not there any more, and is not asked
    again = run.invoke(app, ["replay", "out.json", "--json"])
    assert again.exit_code == 0, again.output
    check("ipynb", [written["ipynb"].read_bytes()], document)
    frame.loc[0, "sales"] += 1000
    frame.to_csv("sales.csv", index=False)
    changed = json.loads(run.invoke(app, ["replay", "out.json", "--json"]).stdout)
    assert "sales.csv has changed" in changed["changed"][0]
    (differs,) = [f for f in changed["facts"] if f["name"] == "total"]
    assert differs["outcome"] == "different" and f"{frame['sales'].sum()}"[:6] in differs["now"].replace(
        ",", ""
    )
    monkeypatch.setenv("GNOMON_SANDBOX", "unsafe")
    refused = run.invoke(app, ["replay", "out.json"])
    assert refused.exit_code == 1 and "behind walls only" in " ".join(refused.output.split())


@pytest.mark.parametrize("named", ["shop", "shop/*.csv"])
def test_parts_of_a_table_that_changed_and_files_that_came_are_told(named: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(daily_sales())
    (tmp_path / "shop").mkdir()
    half = len(frame) // 2
    for name, part in (("part-1", frame[:half]), ("part-2", frame[half:])):
        part.to_csv(tmp_path / "shop" / f"{name}.csv", index=False)
    reported(["ask", named, "total sales"], "json")
    assert run.invoke(app, ["replay", "out.json"]).exit_code == 0
    Path("shop").rename("kept")
    gone = run.invoke(app, ["replay", "out.json"])
    assert gone.exit_code == 1 and "part-1.csv" in gone.output
    assert run.invoke(app, ["replay", "out.json", "--data", "kept"]).exit_code == 0
    frame[:5].to_csv(tmp_path / "kept" / "part-3.csv", index=False)
    found = json.loads(run.invoke(app, ["replay", "out.json", "--data", "kept", "--json"]).stdout)
    assert found["changed"] == ["part-3.csv was not among the data then."]
    assert [f["outcome"] for f in found["facts"] if f["name"] == "sales"] == ["different"]


def test_several_files_of_a_task_are_all_opened_again() -> None:
    Path("regions.csv").write_text("region,manager\nnorth,Ann\nsouth,Bo\n")
    task = ["analyze", "sales.csv", "regions.csv", "total sales by region", "--table", "sales"]
    reported(task, "json")
    assert len(load_bundle(Path("out.json")).sources) == 2
    assert run.invoke(app, ["replay", "out.json"]).exit_code == 0


def test_meanings_that_changed_are_told() -> None:
    Path("shop.yaml").write_text("metrics:\n  - name: sales\n    label: takings\n")
    reported(["ask", "sales.csv", "total takings", "--model", "shop.yaml"], "json")
    assert run.invoke(app, ["replay", "out.json"]).exit_code == 0
    Path("shop.yaml").write_text("metrics:\n  - name: sales\n    label: turnover\n")
    found = json.loads(run.invoke(app, ["replay", "out.json", "--json"]).stdout)
    assert not found["same"] and "shop.yaml has changed" in found["changed"][0]


def test_no_password_is_kept_in_a_bundle() -> None:
    from gnomon.reporting.places import absolute

    kept = absolute("postgresql://ann:hush@db.example/shop?password=hush#public.orders")
    assert "hush" not in kept and kept.startswith("postgresql://ann@db.example/shop")
    assert absolute("sqlite:///data/x.db") == "/data/x.db" == absolute("file:///data/x.db")
