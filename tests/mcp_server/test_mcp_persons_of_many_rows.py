"""A person with many rows is still one person: figures, groups and names that few persons stand behind are not told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over, without_handles

import gnomon

KINDS = {"patients": ("visits", "fee"), "customers": ("orders", "amount"), "members": ("payments", "paid")}
"""Tables of persons, those of what they have many rows in, and the amounts there."""
GIVEN = ["Anna", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gerd", "Hilda", "Ines", "Jens"]
FAMILY = ["Okonkwo", "Petrov", "Quist", "Rasmussen", "Svensson", "Tanaka", "Ulrich", "Vega", "Wagner", "Xu"]
FEW = (1, 2, 4)


def tables(persons: str, few: int, town: str = "Zorblax") -> dict[str, pd.DataFrame]:
    """80 persons, a few of whom live in one town, and 8 rows of each."""
    rng = np.random.default_rng(3)
    rows, amount = KINDS[persons]
    towns = [*rng.choice(["Bergen", "Lucerne", "Utrecht"], 80 - few), *[town] * few]
    one = persons.removesuffix("s")
    of = np.repeat(np.arange(80), 8)
    return {
        persons: pd.DataFrame(
            {
                f"{one}_id": 7001 + np.arange(80),
                f"{one}_name": [f"{GIVEN[i % 10]} {FAMILY[i // 10]}" for i in range(80)],
                "town": towns,
            }
        ),
        rows: pd.DataFrame(
            {
                f"{one}_id": 7001 + of,
                "channel": rng.choice(["web", "desk"], len(of)),
                amount: rng.integers(2_000, 9_000, len(of)) / 100,
            }
        ),
    }


@pytest.fixture(scope="module", params=KINDS)
def agents(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[Call]]]:
    """Agents over towns of one, two and four persons, and over data that has another town."""
    with ExitStack() as open_:
        calls: list[Call] = []
        for few, town in (*((n, "Zorblax") for n in FEW), (4, "Snorbla")):
            folder: Path = tmp_path_factory.mktemp(f"persons{few}")
            files: list[Path] = []
            for name, frame in tables(request.param, few, town).items():
                frame.to_csv(file := folder / f"{name}.csv", index=False)
                files.append(file)
            calls.append(open_.enter_context(calling(open_.enter_context(server_over(*files)))))
        yield request.param, calls


@pytest.mark.parametrize(
    "question",
    [
        "total {amount} in Zorblax",
        "average {amount} in town Zorblax",
        "how many {rows} in Zorblax?",
        "total {amount} in Zorblax by channel",
    ],
)
def test_a_town_of_few_persons_is_not_known(agents: tuple[str, list[Call]], question: str) -> None:
    persons, calls = agents
    rows, amount = KINDS[persons]
    asked = {"question": question.format(rows=rows, amount=amount)}
    said = {without_handles(call("ask", asked)) for call in calls}
    assert len(said) == 1, said
    assert not json.loads(next(iter(said)))["facts"]


@pytest.mark.parametrize("question", ["total {amount} by town", "number of {rows} by town", "top 2 towns by {amount}", "which town has the lowest {amount}?"])  # fmt: skip
def test_groups_of_few_persons_and_what_would_tell_them_are_withheld(
    agents: tuple[str, list[Call]], question: str
) -> None:
    persons, calls = agents
    rows, amount = KINDS[persons]
    for few, call in zip(FEW, calls, strict=False):
        found = call("ask", {"question": question.format(rows=rows, amount=amount)}).structured_content
        told = {row[0] for table in found["tables"] for row in table["rows"]}
        told |= {v for fact in found["facts"] for v in fact["about"]["group"].values()}
        assert "Zorblax" not in json.dumps(found), (few, found["prose"])
        # The total less two towns would tell the third.
        assert len(told) < 3


def test_insights_tell_no_figure_of_a_town_of_few_persons(tmp_path: Path) -> None:
    for few in FEW:
        held = tables("patients", few)
        there = set(held["patients"].query("town == 'Zorblax'")["patient_id"])
        held["visits"].loc[held["visits"]["patient_id"].isin(there), "fee"] += 1000
        files: list[Path] = []
        for name, frame in held.items():
            frame.to_csv(file := tmp_path / f"{name}{few}.csv", index=False)
            files.append(file)
        with server_over(*files) as server, calling(server) as call:
            opened = call("list_datasets", {}).structured_content["datasets"][0]["dataset"]
            found = call("insights", {"dataset": opened, "top": 50}).structured_content["insights"]
        assert not [i["sentence"] for i in found if "withheld" in i["title"]]


def test_what_many_persons_stand_behind_is_told(agents: tuple[str, list[Call]]) -> None:
    persons, calls = agents
    _, amount = KINDS[persons]
    found = calls[0]("ask", {"question": f"total {amount} in Bergen"}).structured_content
    assert found["status"] == "answered"
    by_channel = calls[0]("ask", {"question": f"total {amount} by channel"}).structured_content
    assert {row[0] for row in by_channel["tables"][0]["rows"]} == {"web", "desk"}


@pytest.mark.parametrize("flat", [False, True], ids=["two tables", "one table"])
@pytest.mark.parametrize("few", [1, 3, 4, 5, 20])
def test_a_policy_counts_persons_and_not_their_rows(few: int, flat: bool) -> None:
    held = tables("patients", few, "gout")
    held["patients"] = held["patients"].rename(columns={"town": "diagnosis"})
    if flat:
        held = {"visits": held["visits"].merge(held["patients"], on="patient_id")}
    with gnomon.open(held) as analyst:
        answer = analyst.ask("average fee for diagnosis gout")
    if few < 5:
        assert not answer.facts
        assert "fewer than 5 persons" in answer.prose
    else:
        assert answer.facts


def test_numbers_of_persons_and_who_is_in_charge_are_not_whose_rows_they_are() -> None:
    rng = np.random.default_rng(2)
    wards = pd.DataFrame(
        {
            "day": np.repeat(pd.date_range("2024-01-01", periods=60), 4),
            "diagnosis": ["asthma", "flu", "gout", "burns"] * 60,
            "patients": rng.integers(1, 5, 240),
            "nurse": rng.choice(["Ana Conti", "Bo Lind", "Cy Moss"], 240),
            "cost": rng.integers(100, 900, 240),
        }
    )
    with gnomon.open({"wards": wards}) as analyst:
        for question in ("average cost for diagnosis gout", "total patients by diagnosis"):
            assert analyst.ask(question).facts
