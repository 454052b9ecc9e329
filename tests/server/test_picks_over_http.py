"""What a question may mean comes over HTTP as typed choices: picked by place or id, answered, and remembered per tenant."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.server.shop import ended

from gnomon.core.safe_yaml import load_yaml
from gnomon.server.models import PickTold

ROWS = [("marsh", "dune", "heath")[random.Random(i).randrange(3)] for i in range(90)]


def sightings(service: TestClient, **headers: str) -> str:
    lines = [f"{i},{habitat},{i % 7}" for i, habitat in enumerate(ROWS, 1)]
    content = "\n".join(["sighting_id,habitat,wingspan", *lines]).encode()
    made = service.post("/api/datasets", files={"files": ("sightings.csv", content)}, headers=headers)
    assert ended(service, made.json()["run_id"], 240, **headers)["status"] == "success"
    return made.json()["id"]


def asked(service: TestClient, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    told = service.post("/api/ask", json=body, headers=headers)
    assert told.status_code == 200, told.text
    return told.json()


def value(answer: dict[str, Any]) -> Any:
    return answer["facts"][0]["value"]


@pytest.mark.parametrize("by", ["place", "id"])
def test_what_is_picked_is_answered_and_asked_about_once(service: TestClient, by: str) -> None:
    mine, other = {"X-Gnomon-Tenant": f"mine-{by}"}, {"X-Gnomon-Tenant": f"other-{by}"}
    about, theirs = sightings(service, **mine), sightings(service, **other)
    question = "How many critters were there?"
    offer = asked(service, {"question": question, "dataset_id": about}, **mine)
    assert offer["status"] == "out_of_scope" and offer["picked"] is None
    picks = [PickTold.model_validate(p) for p in offer["picks"]]
    assert [p.place for p in picks] == list(range(1, len(picks) + 1))
    meant = next(
        p for p in picks if p.name == "rows of sightings" and len(ROWS) in [f["value"] for f in p.facts]
    )
    body = {"session_id": offer["session_id"], "pick": getattr(meant, by)}
    told = asked(service, body, **mine)
    assert told["status"] == "answered" and value(told) == len(ROWS) and told["picked"] == meant.id
    assert told["question"] == meant.question
    again = asked(
        service, {"question": "How many critters were there in the marsh?", "dataset_id": about}, **mine
    )
    assert again["status"] == "answered" and value(again) == ROWS.count("marsh")
    home: Path = service.home  # type: ignore[attr-defined]
    kept = [
        load_yaml(f.read_text())["synonyms"]
        for f in home.glob("datasets/*/*/meanings/*.yaml")
        if about in str(f)
    ]
    assert kept == [{"critters": "rows of sightings"}]
    assert asked(service, {"question": question, "dataset_id": theirs}, **other)["status"] == "out_of_scope"


def test_a_reply_by_number_is_remembered_too_and_a_replay_tells_the_same(service: TestClient) -> None:
    headers = {"X-Gnomon-Tenant": "replies"}
    about = sightings(service, **headers)
    offer = asked(service, {"question": "How many flyers were there?", "dataset_id": about}, **headers)
    place = next(p["place"] for p in offer["picks"] if p["name"] == "rows of sightings")
    for body in ({"question": str(place)}, {"pick": place}):
        if "pick" in body:
            words = {"question": "How many wanderers were there?", "session_id": offer["session_id"]}
            again = asked(service, words, **headers)
            body = {"pick": next(p["id"] for p in again["picks"] if p["name"] == "rows of sightings")}
        told = asked(service, {"session_id": offer["session_id"], **body}, **headers)
        assert value(told) == len(ROWS) and told["picked"]
        replay = service.post(f"/api/runs/{told['run_id']}/replay", headers=headers).json()
        assert replay["same"], replay["differences"]
    fresh = asked(
        service,
        {"question": "How many flyers and wanderers were in the dune?", "dataset_id": about},
        **headers,
    )
    assert "flyers" not in fresh["reading"]["missing"] and "wanderers" not in fresh["reading"]["missing"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"pick": 9, "session_id": "{s}"}, 404),
        ({"pick": "0123456789ab", "session_id": "{s}"}, 404),
        ({"pick": 1, "session_id": "nobodys"}, 404),
        ({"pick": 1}, 422),
        ({"pick": 1, "question": "How many?", "session_id": "{s}"}, 422),
        ({"session_id": "{s}"}, 422),
    ],
)  # fmt: skip
def test_what_is_not_on_offer_cannot_be_picked(
    service: TestClient, body: dict[str, Any], status: int
) -> None:
    first = asked(service, {"question": "sessions in 2025", "dataset_id": "demo"})
    body = {k: first["session_id"] if v == "{s}" else v for k, v in body.items()}
    assert service.post("/api/ask", json=body).status_code == status
