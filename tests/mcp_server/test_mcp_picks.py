"""What a question may mean comes to an agent as typed options without a figure; one that is picked is answered and remembered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from chains import calling
from mcp_harness import error_of, server_over, without_handles

from gnomon.core.safe_yaml import load_yaml

HABITATS = ("marsh", "dune", "heath")
OPTION = {"pick", "said", "question", "leaves", "word", "name"}


def sightings(folder: Path, dunes: int = 40, rows: int = 120) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [
        f"{i},{'dune' if i < dunes else HABITATS[2 * (i % 2)]},{10 + i % 7},{i % 3}" for i in range(rows)
    ]
    file = folder / "sightings.csv"
    file.write_text("\n".join(["sighting_id,first_habitat,wingspan,weight", *lines]))
    return file


@pytest.mark.parametrize("share_rows", [False, True])
def test_a_picked_option_is_answered_and_asked_about_once(tmp_path: Path, share_rows: bool) -> None:
    file = sightings(tmp_path / "data")
    with server_over(file, share_rows=share_rows) as server, calling(server) as call:
        result = call("ask", {"question": "How many critters were there?"})
        offer = result.structured_content
        assert offer["status"] == "out_of_scope"
        if not share_rows:
            assert all(set(o) == OPTION for o in offer["options"])
            assert not re.search(r"\d{2,}", without_handles(result))
        meant = next(o for o in offer["options"] if o["name"] == "rows of sightings")
        told = call("ask", {"pick": meant["pick"]}).structured_content
        assert told["status"] == "answered" and told["facts"][0]["value"] == 120
        again = call("ask", {"question": "How many critters had a weight of 1?"}).structured_content
        assert again["status"] == "answered" and again["facts"][0]["value"] == 40
    (kept,) = file.parent.glob("home/meanings/*.yaml")
    assert load_yaml(kept.read_text())["synonyms"] == {"critters": "rows of sightings"}


def test_what_is_asked_back_about_can_be_picked_without_figures(tmp_path: Path) -> None:
    lines = [f"{i},{HABITATS[i % 3]},{HABITATS[i // 7 % 3]}" for i in range(120)]
    file = tmp_path / "nests.csv"
    file.write_text("\n".join(["nest_id,first_habitat,later_habitat", *lines]))
    with server_over(file) as server, calling(server) as call:
        result = call("ask", {"question": "number of nests by habitat"})
        offer = result.structured_content
        assert offer["status"] == "clarify" and len(offer["options"]) == 2
        assert not re.search(r"\d{2,}", without_handles(result))
        told = call("ask", {"pick": offer["options"][1]["pick"]}).structured_content
        assert told["status"] == "answered" and told["tables"][0]["columns"][0] == "later habitat"
        once = call("ask", {"question": "number of nests by habitat"}).structured_content
        assert once["tables"] == told["tables"]


@pytest.mark.parametrize(
    "question",
    ["How many critters were seen in the dune?", "critters in the dune by habitat", "How many frobnicated dune critters?",
     "total wingspan of the duney critters", "blorp weight in dune"],
)  # fmt: skip
def test_what_is_offered_is_the_same_whether_one_or_four_rows_meet_it(tmp_path: Path, question: str) -> None:
    told: list[str] = []
    for dunes in (0, 1, 4):
        file = sightings(tmp_path / str(dunes), dunes)
        with server_over(file) as server, calling(server) as call:
            told.append(without_handles(call("ask", {"question": question}).structured_content))
    assert told[0] == told[1] == told[2]


def test_values_of_the_data_are_not_offered_and_unknown_options_are_refused(tmp_path: Path) -> None:
    with server_over(sightings(tmp_path / "data")) as server, calling(server) as call:
        for odd in ("How many sightings in the marshy habitat?", "total weight of heathlike sightings"):
            offer: dict[str, Any] = call("ask", {"question": odd}).structured_content
            assert not any(re.search(rf"\b{h}\b", str(o)) for o in offer["options"] for h in HABITATS)
        assert error_of(call("ask", {"pick": "o_000000000000"}))["code"] == "not_found"
        assert error_of(call("ask", {}))["code"] == "invalid_input"


def test_nobody_teaches_words_to_other_tenants(tmp_path: Path) -> None:
    tokens = {"acme": "a" * 40, "globex": "b" * 40}
    file = sightings(tmp_path / "data")
    with server_over(file, tenant_tokens=tokens) as server, calling(server) as call:
        question = {"question": "How many critters were there?"}
        offer = call("ask", question).structured_content
        meant = next(o for o in offer["options"] if o["name"] == "rows of sightings")
        assert call("ask", {"pick": meant["pick"]}).structured_content["status"] == "answered"
        assert call("ask", question).structured_content["status"] == "out_of_scope"
    assert not list(file.parent.glob("home/meanings/*"))
