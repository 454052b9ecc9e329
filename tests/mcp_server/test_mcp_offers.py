"""What a question may mean is offered without what it comes to, and nothing is told along a date of birth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over, without_handles

import gnomon

ROWS = 120
QUESTIONS = ["salary of the CEO", "total salary of CEO", "highest salary", "who earns most", "sick days of the CEO", "lowest sick days",
             "list employees in Narvik", "median salary in Narvik", "first start", "salary by job", "oldest employee", "highest salary by job"]  # fmt: skip
UNKNOWN = ["blorp {0}", "{0} blorp", "flurbish {0} please"]
BORN = ["salary by birth year", "salary by weekday of birth date", "number of employees by birth year", "average salary of those born in 1975",
        "how did salary develop by birth date"]  # fmt: skip


def employees() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    jobs = rng.choice(["Clerk", "Engineer", "Driver"], ROWS)
    jobs[7], jobs[8] = "CEO", "CFO"
    return pd.DataFrame(
        {
            "employee_name": [f"Qyxomma{chr(97 + i % 26)}{chr(97 + i // 26)} Vorrisson" for i in range(ROWS)],
            "birth_date": pd.to_datetime("1960-01-03") + pd.to_timedelta(rng.permutation(12_000)[:ROWS], unit="D"),
            "city": rng.choice(["Oslo", "Bergen", "Narvik"], ROWS, p=[0.6, 0.37, 0.03]),
            "job": jobs,
            "salary": [round(31_017.37 + 513.59 * i, 2) for i in rng.permutation(ROWS)],
            "sick_days": [37 if i == 7 else 3 if i == 9 else int(d) for i, d in enumerate(rng.poisson(9, ROWS) + 4)],
            "start": pd.to_datetime("2019-02-03") + pd.to_timedelta(rng.permutation(1500)[:ROWS], unit="D"),
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("offers") / "employees.csv"
    employees().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def agent(file: Path) -> Iterator[Call]:
    with server_over(file) as server, calling(server) as call:
        yield call


def said(result: Any) -> str:
    told = result.structured_content
    return json.dumps(told, ensure_ascii=False) if told else result.content[0].text


@pytest.mark.parametrize("odd", UNKNOWN)
def test_an_unknown_word_brings_no_figure_out(agent: Call, odd: str) -> None:
    offered = 0
    for question in QUESTIONS:
        text = without_handles(agent("ask", {"question": odd.format(question)}))
        offered += "It may be meant so" in text
        assert not re.search(r"\d{2,}|\bone\b|\btwo\b|: \d", text.replace("fewer than 5", "")), (
            question,
            text,
        )
        assert "qyx" not in text.lower()
    assert offered > len(QUESTIONS) // 3


def test_an_offer_is_held_to_the_policies_that_its_question_is_held_to(file: Path) -> None:
    own = int(employees()["salary"][7])
    with gnomon.open(file) as analyst:
        for question in (
            "blorp average salary of the CEO",
            "average salary of CEO blorp",
            "average salary of the CEO by city",
        ):
            answer = analyst.ask(question)
            text = (answer.prose + json.dumps([o.model_dump(mode="json") for o in answer.options])).replace(
                ",", ""
            )
            assert str(own) not in text


@pytest.mark.parametrize("question", BORN)
def test_nothing_is_told_along_a_date_of_birth(agent: Call, question: str) -> None:
    result = agent("ask", {"question": question})
    text = said(result)
    told = result.structured_content or {}
    assert not [f for f in told.get("facts", []) if (f["rows"] or 0) < ROWS], text
    assert not told.get("tables"), text
    assert not re.search(r"Monday|Sunday|19[6-9]\d", text.replace("born in 1975", "")) or result.is_error, (
        text
    )


def test_what_is_known_of_groups_is_told_along_another_date(agent: Call) -> None:
    told = agent("ask", {"question": "average salary by start year"}).structured_content
    assert told["tables"][0]["rows"]


def test_why_a_file_was_left_out_is_not_told(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    employees().to_csv(folder / "employees.csv", index=False)
    (folder / "visits.json").write_text('[{"name": "Qyxomma Vorr"} {"name": 1}]')
    (folder / "fees.xlsx").write_bytes(b"PK\x03\x04Qyxomma")
    with server_over(folder) as server, calling(server) as call:
        [listed] = call("list_datasets", {}).structured_content["datasets"]
        asked = [call("open_dataset", {"paths": [str(folder)]})]
        asked += [call("ask", {"question": "how many visits are there", "dataset": listed["dataset"]})]
        for result in asked:
            text = said(result)
            assert "visits cannot be read and is left out" in text
            assert not re.search(r"Malformed|byte|Zip|tmp|Qyxomma|shop/", text), text
