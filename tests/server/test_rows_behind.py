"""The rows behind a number: those of its period and group, whatever was asked, or none."""

from __future__ import annotations

import random
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.server.shop import ROWS, ended, uploaded


@pytest.fixture(scope="module")
def shop(service: TestClient) -> str:
    return uploaded(service)


def parts(service: TestClient, run: str, fact: str) -> list[dict[str, Any]]:
    found = service.get(f"/api/runs/{run}/rows", params={"fact": fact})
    assert found.status_code == 200, found.text
    return found.json()["parts"]


@pytest.mark.parametrize(
    "question",
    [
        "Why did sales rise in April 2024?",
        "sales by region in March 2024",
        "total sales in February 2024",
        "sales by month",
    ],
)
def test_the_rows_of_a_number_add_up_to_it(service: TestClient, shop: str, question: str) -> None:
    told = service.post("/api/ask", json={"question": question, "dataset_id": shop}).json()
    looked = 0
    for fact in told["facts"]:
        period = fact["about"]["period"]
        if fact["about"]["metric"] != "sales" or not isinstance(fact["value"], (int, float)) or fact["unit"]:
            continue
        meant = [
            r["sales"]
            for r in ROWS
            if (period is None or period["start"] <= r["day"] <= period["end"])
            and all(r.get(k) == v for k, v in fact["about"]["group"].items())
        ]
        if sum(meant) != fact["value"]:  # a change, a share: no sum of rows
            continue
        (part,) = parts(service, told["run_id"], fact["name"])
        assert part["total_rows"] == len(meant), fact
        looked += 1
    assert looked


def test_a_change_that_an_explanation_tells_lists_no_rows_as_its_own(service: TestClient, shop: str) -> None:
    told = service.post(
        "/api/ask", json={"question": "Why did sales rise in April 2024?", "dataset_id": shop}
    ).json()
    assert parts(service, told["run_id"], "sales.change") == []


def test_rows_of_a_person_who_is_not_named_are_not_listed(service: TestClient) -> None:
    draw = random.Random("mail")
    rows = [f"p{draw.randrange(9)}@example.org,{draw.randrange(100)}" for _ in range(90)]
    content = "\n".join(["customer_email,amount", *rows]).encode()
    made = service.post("/api/datasets", files={"files": ("mail.csv", content)}).json()
    ended(service, made["run_id"])
    asked = {"question": "amount by customer email", "dataset_id": made["id"]}
    told = service.post("/api/ask", json=asked).json()
    top = next(f for f in told["facts"] if f["name"].endswith(".top"))
    assert "•••" in str(top["about"]["group"])
    assert parts(service, told["run_id"], top["name"]) == []
