"""A small shop to ask about, and how to put it into a service."""

import random
import time
from typing import Any

ROWS = [
    {
        "day": f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}",
        "region": ("north", "south")[i % 2],
        "sales": 100 + 3 * i,
    }
    for i in range(112)
]


def shop_csv() -> bytes:
    """The rows as a CSV file."""
    return ("day,region,sales\n" + "\n".join(f"{r['day']},{r['region']},{r['sales']}" for r in ROWS)).encode()


def readings_csv() -> bytes:
    """Readings of two sensors, three of which stand out."""
    draw = random.Random(5)
    rows = [[draw.gauss(20, 1), draw.gauss(5, 0.2)] for _ in range(150)]
    for at in (30, 90, 120):
        rows[at] = [60.0, -4.0]
    return ("heat,flow\n" + "\n".join(f"{a:.4f},{b:.4f}" for a, b in rows)).encode()


def uploaded(client: Any, **headers: str) -> str:
    """The id of the shop as a data set, opened."""
    made = client.post("/api/datasets", files={"files": ("shop.csv", shop_csv())}, headers=headers)
    assert made.status_code == 201, made.text
    assert ended(client, made.json()["run_id"], **headers)["status"] == "success"
    return made.json()["id"]


def ended(client: Any, run_id: str, seconds: float = 240, **headers: str) -> dict[str, Any]:
    """The status of a run once it has ended."""
    deadline = time.monotonic() + seconds
    while True:
        status = client.get("/api/status", params={"run_id": run_id}, headers=headers).json()
        if not status["is_running"] or time.monotonic() > deadline:
            return status
        time.sleep(0.05)


def investigated(service: Any, dataset: str, *columns: str) -> str:
    """The id of an investigation that went twice around."""
    told = service.post("/api/investigations", json={"dataset_id": dataset, "columns": columns}).json()
    at = f"/api/investigations/{told['investigation_id']}"
    steps: list[tuple[str, dict[str, Any]]] = [("plan", {"priority": "speed"}), ("run", {}), ("analyze", {})]
    for step, body in [*steps, ("feedback", {"feedback": "flag 2 %"}), ("run", {}), ("analyze", {})]:
        done = service.post(f"{at}/{step}", json=body)
        assert done.status_code == 200, done.text
    return told["investigation_id"]
