"""What is taken away from the page is what was shown there, computes again to the same, and is told whole or as cut."""

from __future__ import annotations

import io
import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from fastapi.testclient import TestClient
from tests.server.shop import ended, uploaded

from gnomon.core import clock
from gnomon.replaying import replay

START = datetime(2026, 8, 1)
HOURS = [START + timedelta(hours=i) for i in range(1400)]


@pytest.fixture(scope="module")
def shop(service: TestClient) -> str:
    return uploaded(service)


@pytest.fixture(scope="module")
def meters(service: TestClient) -> str:
    """One reading an hour: more rows than an answer keeps on record."""
    lines = ["read_at,kwh", *(f"{at.isoformat(' ')},{100 + i % 37}.5" for i, at in enumerate(HOURS))]
    made = service.post("/api/datasets", files={"files": ("meters.csv", "\n".join(lines).encode())})
    assert ended(service, made.json()["run_id"])["status"] == "success"
    return made.json()["id"]


@pytest.fixture(scope="module")
def quay(service: TestClient) -> str:
    """Fares of two piers, one of which lost most of them in its last month."""
    days = [date(2024, 1, 1) + timedelta(days=n) for n in range(547)]
    rows = [(d, p, (120 if p == "East" else 200) + d.day % 7) for d in days for p in ("East", "West")]
    rows = [(d, p, n // 4 if p == "West" and d >= date(2025, 6, 1) else n) for d, p, n in rows]
    lines = ["sailed_on,pier,fares", *(f"{d},{p},{n}" for d, p, n in rows)]
    made = service.post("/api/datasets", files={"files": ("quay.csv", "\n".join(lines).encode())})
    assert ended(service, made.json()["run_id"])["status"] == "success"
    return made.json()["id"]


def asked(service: TestClient, dataset: str, question: str) -> dict[str, Any]:
    said = service.post("/api/ask", json={"question": question, "dataset_id": dataset}).json()
    assert said["status"] == "answered", said
    return said


def taken(service: TestClient, run: str, ending: str) -> bytes:
    got = service.get(f"/api/runs/{run}/report.{ending}")
    assert got.status_code == 200, got.text
    return got.content


@pytest.mark.parametrize("question", ["sales by region", "sales by month", "sales last month"])
def test_a_bundle_of_an_answer_computes_again_to_the_same(
    service: TestClient, shop: str, question: str, tmp_path: Path
) -> None:
    bundle = tmp_path / "report.json"
    bundle.write_bytes(taken(service, asked(service, shop, question)["run_id"], "json"))
    with clock.frozen(date(2031, 5, 5)):  # whenever that is
        found = replay(bundle)
    assert found.is_same
    assert found.facts


def test_a_notebook_names_the_day_it_was_asked_on(service: TestClient, shop: str) -> None:
    said = asked(service, shop, "sales last month")
    cells = json.loads(taken(service, said["run_id"], "ipynb"))["cells"]
    code = "".join(c["source"] for c in cells if c["cell_type"] == "code")
    assert "today=datetime.date.fromisoformat('2024-04-28')" in code  # where the data ends, long ago


def test_what_is_asked_again_means_the_days_it_meant(
    service: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [clock.today() - timedelta(days=i) for i in range(120)]
    lines = ["day,sales", *(f"{d},{100 + i}" for i, d in enumerate(days))]
    made = service.post("/api/datasets", files={"files": ("now.csv", "\n".join(lines).encode())}).json()
    ended(service, made["run_id"])
    said = asked(service, made["id"], "total sales in the last 30 days")

    class Later(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + timedelta(days=9)

    monkeypatch.setattr(clock, "datetime", Later)
    assert asked(service, made["id"], "total sales in the last 30 days")["facts"] != said["facts"]
    replayed = service.post(f"/api/runs/{said['run_id']}/replay").json()
    assert replayed["differences"] == []


@pytest.mark.long
def test_moments_are_moments_in_excel_and_a_cut_table_says_so(
    service: TestClient, meters: str, tmp_path: Path
) -> None:
    said = asked(service, meters, "kwh by hour")
    assert said["tables"][0]["total_rows"] == len(HOURS)
    book = openpyxl.load_workbook(io.BytesIO(taken(service, said["run_id"], "xlsx")))
    rows = list(book.worksheets[1].iter_rows(min_row=2, max_row=30))
    assert [r[0].value for r in rows] == HOURS[: len(rows)]
    assert {r[0].number_format for r in rows} == {"yyyy-mm-dd hh:mm"}
    kept = len(said["tables"][0]["rows"])
    left = f"{len(HOURS) - kept:,} of {len(HOURS):,} rows are not"
    assert left in taken(service, said["run_id"], "html").decode()
    bundle = tmp_path / "report.json"
    bundle.write_bytes(taken(service, said["run_id"], "json"))
    assert replay(bundle).is_same


def test_the_report_of_a_template_has_its_sections(service: TestClient, shop: str) -> None:
    begun = service.post("/api/start", json={"requirement": "", "files": [shop], "template": "health_check"})
    run = begun.json()["run_id"]
    assert ended(service, run)["status"] == "success"
    answer = service.get(f"/api/runs/{run}").json()["answer"]
    page = taken(service, run, "html").decode()
    assert "<h1>Health check</h1>" in page
    places = [page.index(f"<h2>{s['title']}</h2>") for s in answer["sections"]]
    assert places == sorted(places)
    bundle = json.loads(taken(service, run, "json"))
    told = {s["heading"]: s for s in bundle["document"]["sections"]}
    for section in answer["sections"]:
        held = told[section["title"]]
        assert len(held["charts"]) == len(section["charts"])
        assert [t["rates"] for t in held["tables"]] == [t["rates"] for t in section["tables"]]


def test_each_table_and_chart_is_taken_away_by_its_number(service: TestClient, quay: str) -> None:
    said = asked(service, quay, "why did fares fall in June 2025?")
    tables, charts = said["tables"], said["charts"]
    assert len(tables) > 1 and charts
    for number, table in enumerate(tables, 1):
        at = f"/api/runs/{said['run_id']}/tables/{number}"
        lines = service.get(f"{at}.csv").text.splitlines()
        assert lines[0].split(",")[0] == table["columns"][0] and len(lines) == 1 + len(table["rows"])
        book = openpyxl.load_workbook(io.BytesIO(service.get(f"{at}.xlsx").content))
        assert book.worksheets[0].max_row == 1 + len(table["rows"])
    for number in range(1, len(charts) + 1):
        at = f"/api/runs/{said['run_id']}/charts/{number}"
        assert service.get(f"{at}.png").content.startswith(b"\x89PNG")
        assert service.get(f"{at}.svg").text.startswith("<svg")
    for wrong in (f"tables/{len(tables) + 1}.csv", f"charts/{len(charts) + 1}.png"):
        assert service.get(f"/api/runs/{said['run_id']}/{wrong}").status_code == 404
    for wrong in ("tables/0.csv", "tables/1.pdf", "charts/x.png"):
        assert service.get(f"/api/runs/{said['run_id']}/{wrong}").status_code == 422


def test_the_report_of_a_why_has_its_tables_under_a_heading_of_their_own(
    service: TestClient, quay: str
) -> None:
    said = asked(service, quay, "why did fares fall in June 2025?")
    page = taken(service, said["run_id"], "html").decode()
    assert "<h2>Why</h2>" in page and "<h2>Tables</h2>" in page
