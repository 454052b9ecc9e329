"""A data set that is forgotten is nowhere in the home any more: no file, cache, record, log or page of the database."""

from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.server.shop import ended, investigated, uploaded

from gnomon.core.errors import RateLimited

CANARY = b"Zqkanarienvogel"


def canary_csv() -> bytes:
    towns = ("Zqkanarienvogel", "Ulm", "Bonn")
    lines = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d},{towns[i % 3]},{100 + 3 * i}" for i in range(112)]
    return ("day,town,sales\n" + "\n".join(lines)).encode()


def begun(service: TestClient, body: dict[str, Any]) -> str:
    run = service.post("/api/start", json=body).json()["run_id"]
    assert ended(service, run)["status"] == "success"
    return run


@pytest.mark.long
def test_nothing_of_a_forgotten_data_set_is_left_in_the_home(service: TestClient) -> None:
    home: Path = service.home  # type: ignore[attr-defined]
    other = uploaded(service)
    made = service.post("/api/datasets", files={"files": ("towns.csv", canary_csv())}).json()
    assert ended(service, made["run_id"])["status"] == "success"
    about = {"dataset_id": made["id"]}
    said = service.post("/api/ask", json={"question": "sales by town", **about}).json()
    assert CANARY.decode() in said["prose"]
    service.post(
        "/api/ask", json={"question": f"and for {CANARY.decode()}?", "session_id": said["session_id"]}
    )
    service.post(f"/api/runs/{said['run_id']}/replay")
    second = begun(service, {"files": [other, made["id"]], "template": "health_check"})
    looked = investigated(service, made["id"], "sales")
    for place in (*(f"runs/{r}" for r in (said["run_id"], second)), f"investigations/{looked}"):
        assert service.get(f"/api/{place}/report.html").status_code == 200
    assert holding(home), "the test would see nothing"
    forgotten = service.delete(f"/api/datasets/{made['id']}")
    assert forgotten.status_code == 200
    assert holding(home) == []
    assert service.get(f"/api/runs/{second}").status_code == 404
    assert (
        service.post("/api/ask", json={"question": "sales by region", "dataset_id": other}).status_code == 200
    )
    assert holding(home) == []


def test_a_conversation_that_is_forgotten_leaves_no_words_behind(service: TestClient) -> None:
    home: Path = service.home  # type: ignore[attr-defined]
    shop = uploaded(service)
    question = f"sales of {CANARY.decode()}"
    said = service.post("/api/ask", json={"question": question, "dataset_id": shop}).json()
    assert service.delete(f"/api/conversations/{said['session_id']}").status_code == 204
    assert service.delete(f"/api/datasets/{shop}").status_code == 200
    assert holding(home) == []


def holding(home: Path) -> list[str]:
    """The files below the home that hold the canary."""
    files = [p for p in home.rglob("*") if p.is_file() and not p.is_symlink()]
    return [str(p.relative_to(home)) for p in files if CANARY in p.read_bytes()]


def test_an_upload_that_is_turned_away_leaves_nothing_behind(service: TestClient) -> None:
    home: Path = service.home  # type: ignore[attr-defined]
    lane = service.app.state.service.lanes.opening  # type: ignore[attr-defined]
    free, kept = Event(), list[Future[bool]]()
    with suppress(RateLimited):
        while True:
            kept += [lane.submit(free.wait, 60)]
    refused = service.post("/api/datasets", files={"files": ("towns.csv", canary_csv())})
    free.set()
    wait(kept, 60)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert holding(home) == []
    assert all(d["name"] != "towns" for d in service.get("/api/datasets").json()["datasets"])
