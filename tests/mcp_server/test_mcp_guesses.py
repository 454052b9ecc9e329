"""A guess is answered alike whether it is right: at a person, at a cell, at how few rows stand behind a group."""

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

N = 200
GIVEN = ["Anna", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gerd", "Hilda", "Ines", "Jens"]
FAMILY = ["Okonkwo", "Petrov", "Quist", "Rasmussen", "Svensson", "Tanaka", "Ulrich", "Vega", "Wagner", "Xu"]


def staff(lone: int = 1) -> pd.DataFrame:
    """Employees, of whom a few are alone in their department; these earn least."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "employee": [
                f"{GIVEN[i % 10]} {FAMILY[i // 10 % 10]}{'' if i < 100 else ' Jr'}" for i in range(N)
            ],
            "email": [f"u{i}@corp.example" for i in range(N)],
            "department": ["Sales"] * 80 + ["Support"] * 50 + ["Research"] * 70,
            "salary": rng.integers(50_000, 90_000, N) + 0.5,
        }
    )
    frame.loc[frame["department"] == "Sales", "salary"] += 20_000
    frame.loc[N - lone :, "department"] = "Zorblax"
    frame.loc[frame["department"] == "Zorblax", "salary"] = 41_413.5
    return frame


@pytest.mark.parametrize(
    "question",
    [
        "best and worst departments by salary",
        "which department has the lowest average salary",
        "average salary by department",
        "lowest department by salary",
    ],
)
def test_one_person_behind_a_group_is_not_told_from_four(question: str, tmp_path: Path) -> None:
    said: set[str] = set()
    for lone in (1, 2, 4):
        (folder := tmp_path / str(lone)).mkdir()
        staff(lone).to_csv(folder / "staff.csv", index=False)
        with server_over(folder / "staff.csv") as server, calling(server) as call:
            found = call("ask", {"question": question}).structured_content
        said.add(f"{found['status']} {sorted(f['name'] for f in found['facts'])} {len(found['tables'])}")
        assert "single person" not in str(found)
    assert len(said) == 1, said


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Call]]:
    """Agents of servers over a table that holds what is guessed, and over ones that hold other persons, or another group, there."""
    held = staff()
    other = held.replace("u3@corp.example", "x3@corp.example")
    other["employee"] = other["employee"].str.replace("Okonkwo", "Oconnor")
    with ExitStack() as open_:
        calls: list[Call] = []
        for i, frame in enumerate((held, other, held.replace("Zorblax", "Snorbla"))):
            path: Path = tmp_path_factory.mktemp(f"guesses{i}") / "staff.csv"
            frame.to_csv(path, index=False)
            calls.append(open_.enter_context(calling(open_.enter_context(server_over(path)))))
        yield calls


GUESSES = ["Dora Okonkwo", "u3@corp.example", "Okonkwo"]
ASKED = [
    "salary of {}",
    "average salary of {}",
    "what is the salary of {}?",
    "total salary for {}",
    "how many rows have {}",
    "which department is {} in?",
    "salary where employee is {}",
    "salary of {} compared with Carl Quist",
    "{}",
]


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("guess", GUESSES)
def test_a_question_says_alike_whether_there_is_such_a_person(
    agents: list[Call], guess: str, question: str
) -> None:
    said = {without_handles(call("ask", {"question": question.format(guess)})) for call in agents[:2]}
    assert len(said) == 1, said
    assert "There is no" not in str(said) and "withheld]" not in str(said)


RARE = [
    *ASKED,
    "average salary in {}",
    "average salary in department {}",
    "average salary outside {}",
    "total salary of {} compared with Sales",
    "how many people work in {}?",
    "salary by department without {}",
    "share of {} in total salary",
    "is there a department called {}?",
    "average salary in Zorblax and Sales",
    "average salary in zorblaxx",
    "why is the salary in {} so low",
]


@pytest.mark.parametrize("question", RARE)
def test_a_question_says_alike_whether_a_group_of_few_rows_is_there(
    agents: list[Call], question: str
) -> None:
    for tool in ("ask", "why") if question.startswith("why") else ("ask",):
        held, other = agents[0], agents[2]
        said = {
            without_handles(call(tool, {"question": question.format("Zorblax")})) for call in (held, other)
        }
        assert len(said) == 1, said


def test_groups_of_enough_rows_are_known_by_their_names(agents: list[Call]) -> None:
    said = agents[0]("ask", {"question": "average salary in Research"}).structured_content
    assert said["status"] == "answered" and said["facts"]


def test_values_of_a_table_of_groups_are_known_by_the_rows_that_lead_to_them(tmp_path: Path) -> None:
    regions = pd.DataFrame(
        {"region_id": range(6), "region": ["Alto", "Basso", "Centro", "Delta", "Estuary", "Faro"]}
    )
    orders = pd.DataFrame(
        {
            "order_id": range(300),
            "region_id": [i % 5 for i in range(300)],
            "amount": [i % 37 for i in range(300)],
        }
    )
    orders.loc[299, "region_id"] = 5
    regions.to_csv(tmp_path / "regions.csv", index=False)
    orders.to_csv(tmp_path / "orders.csv", index=False)
    with server_over(tmp_path / "orders.csv", tmp_path / "regions.csv") as server, calling(server) as call:
        common = call("ask", {"question": "total amount in Basso"}).structured_content
        rare, none = (
            without_handles(call("ask", {"question": f"total amount in {name}"})).replace(name, "")
            for name in ("Faro", "Wolby")
        )
    expected = orders[orders["region_id"] == 1]["amount"].sum()
    assert expected in [f["value"] for f in common["facts"]]
    assert rare == none


FORMULAS: list[tuple[str, dict[str, Any]]] = [
    ("filter_rows", {"condition": "`{}` = 1"}),
    ("filter_rows", {"condition": '"{}" = 1'}),
    ("filter_rows", {"condition": 'salary > 50000 and "{}" > 2'}),
    ("derive_column", {"expression": '"{}" + 1', "new_column": "x"}),
    ("aggregate", {"where": [{"column": "{}", "operator": "=", "value": 1}]}),
    ("aggregate", {"value": "{}"}),
    ("aggregate", {"group_by": ["{}"]}),
    ("filter_rows", {"condition": "'{}' ("}),
    ("filter_rows", {"condition": "salary > '{}'"}),
]


@pytest.mark.parametrize(("tool", "arguments"), FORMULAS)
@pytest.mark.parametrize("guess", [*GUESSES, "Zorblax"])
def test_a_column_that_there_is_not_is_answered_alike_whatever_it_is_called(
    agents: list[Call], guess: str, tool: str, arguments: dict[str, Any]
) -> None:
    filled = json.dumps(arguments).replace("{}", guess)
    said = {
        without_handles(call(tool, {"data": {"table": "staff"}, **json.loads(filled)})) for call in agents
    }
    assert len(said) == 1, said
    assert "personal" not in str(said), said


def test_the_columns_that_there_are_are_listed(agents: list[Call]) -> None:
    said = without_handles(agents[0]("filter_rows", {"data": {"table": "staff"}, "condition": "nobody = 1"}))
    assert "department" in said and "salary" in said and "nobody" not in said
