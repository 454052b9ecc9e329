"""What cannot be read is told by its name: where files lie on the server is told to nobody."""

from __future__ import annotations

import tempfile

import pytest
from fastapi.testclient import TestClient
from tests.server.shop import ended

BROKEN = {
    "x.json": b"[1,2", "y.jsonl": b'{"a":1}\n{bad', "z.ndjson": b"\xff\xfe{", "p.parquet": b"PAR1zzzzPAR1",
    "b.xlsx": b"PKzz", "f.feather": b"ARROW1zz", "d.db": b"SQLite format 3\x00zz",
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_is_told_by_its_name(service: TestClient, name: str) -> None:
    made = service.post("/api/datasets", files={"files": (name, BROKEN[name])})
    told = [made]
    if made.status_code == 201:
        run = made.json()["run_id"]
        ended(service, run)
        asked = {"question": "how many rows", "dataset_id": made.json()["id"]}
        told += [service.get(f"/api/runs/{run}"), service.get(f"/api/status?run_id={run}")]
        told += [service.post("/api/ask", json=asked), service.get(f"/api/runs/{run}/events")]
    home = str(service.home)  # type: ignore[attr-defined]
    for said in told:
        assert said.status_code < 500
        assert home not in said.text and tempfile.gettempdir() not in said.text, said.text


@pytest.mark.parametrize("today", ["9999-12-31", "0001-01-01"])
def test_a_day_at_the_end_of_the_calendar_is_refused(service: TestClient, today: str) -> None:
    said = service.post("/api/ask", json={"question": "revenue next year", "today": today})
    assert said.status_code == 422
