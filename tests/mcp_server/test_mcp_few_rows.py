"""What too few rows meet is told alike whether none, one or four do: else a bound that is moved would tell single cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over, without_handles

N = 200
TOP = (100_000, 110_000, 120_000, 130_000)
BOUNDS = (135_000, 125_000, 115_000, 95_000)
"""None, one, two and four are above."""
QUESTIONS = [
    "How many staff have a salary above {}?",
    "average salary of staff with a salary above {}",
    "total bonus of staff with a salary above {} by city",
    "which city has the most staff with a salary above {}?",
    "what share of staff have a salary above {}?",
    "share of remote staff among staff with a salary above {}",
    "number of staff with a salary above {} by year",
    "median bonus of staff with salary above {}",
    "which staff have a salary above {}",
    "show 5 staff with a salary above {}",
    "highest bonus of staff with salary above {}",
    "compare average bonus of grade A and grade B for staff with salary above {}",
    "correlation between bonus and salary for staff with salary above {}",
    "Is there a significant difference in bonus between grade A and grade B for staff with salary above {}?",
    "distribution of bonus for staff with salary above {}",
    "Why did bonus change for staff with salary above {}?",
    "forecast bonus for staff with salary above {}",
    "anomalies in bonus for staff with salary above {}",
    "bonus of staff with salary above {} in 2021 compared with 2022",
    "top 3 cities by bonus for staff with salary above {}",
    "How many staff in Harbour have a salary above {}?",
    "number of folks with a salary above {}",
]
TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("aggregate", {"value": "bonus", "aggregate": "mean", "group_by": ["city"]}),
    ("correlation", {"columns": ["bonus", "salary"]}),
    ("distribution", {"value": "bonus"}),
    ("trend", {"value": "bonus"}),
    ("regression", {"target": "salary", "features": ["bonus"]}),
    ("timeseries_forecaster", {"value": "bonus"}),
    ("period_change", {"value": "bonus"}),
    ("benchmark", {"value": "bonus", "group_by": "city"}),
    ("anomaly_zscore", {"value": "bonus"}),
    ("cluster_segmentation", {"columns": ["bonus", "salary"]}),
    ("profile_table", {}),
    ("derive_column", {"expression": "bonus * 2", "new_column": "x"}),
]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    rng = np.random.default_rng(1)
    staff = pd.DataFrame(
        {
            "staff_id": range(N),
            "name": [f"P{i} Q{i}" for i in range(N)],
            "city": rng.choice(["Oslo", "Rome", "Bern"], N),
            "office": rng.choice(["Harbour", "Station"], N),
            "home_office": rng.choice(["Harbour", "Station"], N),
            "hired_on": pd.Timestamp(2020, 1, 1) + pd.to_timedelta(rng.integers(0, 1400, N), "D"),
            "salary": rng.integers(40_000, 90_000, N),
            "bonus": rng.integers(100, 900, N),
            "grade": rng.choice(["A", "B"], N),
            "remote": rng.choice(["yes", "no"], N),
        }
    )
    staff.loc[10:13, "salary"] = TOP
    staff.loc[20:21, "office"] = "Attic"
    staff.loc[30:31, "hired_on"] = pd.Timestamp(2024, 6, 1)
    path: Path = tmp_path_factory.mktemp("few") / "staff.csv"
    staff.to_csv(path, index=False)
    with server_over(path) as server, calling(server) as call:
        yield call


def _said(result: Any, bound: int) -> str:
    told = without_handles(result.structured_content or result)
    return re.sub(rf"{bound:,}|{bound}(\.0)?", "N", told)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_alike_however_few_rows_meet_it(agent: Call, question: str) -> None:
    said = {_said(agent("ask", {"question": question.format(b)}), b) for b in BOUNDS}
    assert len(said) == 1, said


@pytest.mark.parametrize("question", [q.replace("above", "below") for q in QUESTIONS])
def test_a_question_is_answered_alike_however_few_rows_it_leaves_out(agent: Call, question: str) -> None:
    said = {_said(agent("ask", {"question": question.format(b)}), b) for b in BOUNDS}
    assert len(said) == 1, said


@pytest.mark.parametrize(
    "question",
    [
        "average salary of staff whose office is not Attic",
        "average salary of staff whose office is Harbour or Station",
        "total salary of staff hired before 2024",
        "total salary of staff hired from 5 January 2020 to 31 December 2024",
    ],
)
def test_what_leaves_few_out_is_not_told(agent: Call, question: str) -> None:
    answer = agent("ask", {"question": question}).structured_content
    assert not answer["facts"] and not answer["tables"], answer


@pytest.mark.parametrize(
    "question",
    [
        "average salary of staff in Oslo",
        "total salary of staff hired in 2021",
        "average bonus of staff hired since 2020",
        "average bonus of staff hired after June 2021",
        "average bonus of staff hired before March 2022",
        "average bonus since 2021 by office",
        "average bonus until the end of 2022 compared with since 2023",
        "average bonus of staff with a salary below 60000",
        "how many staff are not remote?",
    ],
)
def test_what_leaves_many_out_or_nobody_is_told(agent: Call, question: str) -> None:
    answer = agent("ask", {"question": question}).structured_content
    assert answer["facts"] or answer["tables"], answer


@pytest.mark.parametrize(("tool", "more"), TOOLS)
def test_a_tool_says_alike_of_few_rows_however_few_they_are(
    agent: Call, tool: str, more: dict[str, Any]
) -> None:
    said: set[str] = set()
    for bound in BOUNDS:
        kept = agent("filter_rows", {"data": {"table": "staff"}, "condition": f"salary > {bound}"})
        rows = {"table": kept.structured_content["rows"]["handle"]}
        said.add(_said(agent(tool, {"data": rows, **more}), bound))
    assert len(said) == 1, said


@pytest.mark.parametrize(
    "more", [{"group_by": ["city"]}, {"grain": "year"}, {"group_by": ["city"], "grain": "month"}, {}]
)
def test_groups_of_a_condition_are_told_alike_however_few_rows_meet_it(
    agent: Call, more: dict[str, Any]
) -> None:
    said: set[str] = set()
    for bound in BOUNDS:
        where = [{"column": "salary", "operator": ">", "value": bound}]
        asked = {"data": {"table": "staff"}, "value": "bonus", "aggregate": "mean", "where": where, **more}
        said.add(_said(agent("aggregate", asked), bound))
    assert len(said) == 1, said


def test_enough_rows_are_told(agent: Call) -> None:
    told = agent(
        "ask", {"question": "average bonus of staff with a salary above 60000 by city"}
    ).structured_content
    assert told["status"] == "answered" and len(told["tables"][0]["rows"]) == 3, told
    where = [{"column": "salary", "operator": ">", "value": 60_000}]
    asked = {
        "data": {"table": "staff"},
        "value": "bonus",
        "aggregate": "mean",
        "where": where,
        "group_by": ["city"],
    }
    assert len(agent("aggregate", asked).structured_content["rows"]["rows"]) == 3


def test_an_error_reads_alike_whether_the_numbers_in_its_examples_are_cells_or_not(tmp_path: Path) -> None:
    """“For example edges=[0, 10, 100]” without its 100 would tell that somebody has 100."""
    said: set[str] = set()
    for name, lowest in (("with", 100), ("without", 101)):
        path = tmp_path / name / "fees.csv"
        path.parent.mkdir()
        path.write_text("town,fee\n" + "".join(f"{'AB'[i % 2]},{lowest + 3 * i}\n" for i in range(40)))
        with server_over(path) as server, calling(server) as call:
            asked = {"data": {"table": "fees"}, "column": "fee", "edges": [5, 5]}
            said.add("".join(c.text for c in call("bin_column", asked).content))
    assert len(said) == 1 and "ascending order" in said.pop()
