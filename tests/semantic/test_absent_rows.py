"""Things of which another table has no rows, and figures spread over a column for each month."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import OutOfScope
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.semantic import RetrievalQuery, Retriever

TODAY = date(2024, 6, 1)
MEMBERS = pd.DataFrame(
    {
        "member_id": range(1, 31),
        "plan": ["A", "B", "C"] * 10,
        "joined_on": pd.date_range("2020-01-01", periods=30),
    }
)
VISITS = pd.DataFrame(
    {
        "visit_id": range(100),
        "member_id": [1 + i % 20 for i in range(100)],
        "visited_on": pd.date_range("2024-01-01", periods=100),
        "room": ["x", "y"] * 50,
    }
)


@pytest.fixture(scope="module")
def club() -> Analyst:
    return gnomon.open({"members": MEMBERS, "visits": VISITS})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many members have no visits?", 10),
        ("How many members never visited?", 10),
        ("How many members on plan B have no visits?", 3),
        ("How many members had no visits in the first week of January 2024?", 23),
        ("How many members have never visited room x?", 20),
        ("How many members have visits?", 20),
    ],
)
def test_members_without_visits_are_counted_where_members_are(
    club: Analyst, question: str, expected: int
) -> None:
    answer = club.ask(question, today=TODAY)
    assert [f.value for f in answer.facts][:1] == [expected], answer.prose


def test_members_without_visits_are_listed(club: Analyst) -> None:
    answer = club.ask("Which members have no visits?", today=TODAY)
    assert [row[0] for row in answer.tables[0].rows] == list(range(21, 31))


def test_rows_are_not_asked_of_what_has_none(club: Analyst) -> None:
    retriever = Retriever.over(club.dataset, club.model)
    none = Filter(field="visits", operator=FilterOperator.EQUALS, values=(0,), having=True, by="member_id")
    with pytest.raises(OutOfScope, match="without rows"):
        retriever.run(RetrievalQuery(metrics=("visits",), dimensions=("plan",), filters=(none,)))
    by_plan = retriever.run(RetrievalQuery(metrics=("members",), dimensions=("plan",), filters=(none,)))
    assert by_plan.rows == (("A", 3), ("B", 3), ("C", 4))
    days = TimeRange(start=date(2024, 1, 1), end=date(2024, 1, 5))
    nested = retriever.run(RetrievalQuery(metrics=("count(visits per member_id = 0)",), time_range=days))
    assert nested.rows == ((25,),)


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@pytest.fixture(scope="module")
def spread() -> tuple[Analyst, pd.DataFrame]:
    frame = pd.DataFrame({"Crop": ["rye", "oats", "hops", "flax"], "Farm": ["Hill", "Vale", "Hill", "Moor"]})
    for k, month in enumerate(MONTHS):
        frame[month] = [100 + 7 * k + 13 * i for i in range(4)]
    frame.loc[2, "Dec"] = None
    return gnomon.open({"production_2023": frame}), frame


@pytest.mark.parametrize(
    "question", ["What was production in March?", "March production", "production for Mar"]
)
def test_a_month_that_is_a_column_is_summed(spread: tuple[Analyst, pd.DataFrame], question: str) -> None:
    analyst, frame = spread
    assert [f.value for f in analyst.ask(question, today=TODAY).facts][:1] == [frame.Mar.sum()]


def test_columns_of_months_have_a_total(spread: tuple[Analyst, pd.DataFrame]) -> None:
    analyst, frame = spread
    total = analyst.ask("total production by farm", today=TODAY)
    expected = frame.groupby("Farm")[MONTHS].sum().sum(axis=1)
    assert {row[0]: row[1] for row in total.tables[0].rows} == expected.to_dict()


def test_a_month_that_has_no_column_is_refused() -> None:
    frame = pd.DataFrame({"Crop": ["rye", "oats"] * 2, **{m: [5, 6, 7, 8] for m in MONTHS[:5]}})
    answer = gnomon.open({"production": frame}).ask("production in October", today=TODAY)
    assert answer.status in (AnswerStatus.OUT_OF_SCOPE, AnswerStatus.CLARIFY)


def test_the_period_says_when_rows_were_not_there(club: Analyst) -> None:
    there = set(VISITS[VISITS["visited_on"].dt.month == 4]["member_id"])
    missing = sorted(set(MEMBERS["member_id"]) - there)
    assert 0 < len(missing) < 30
    for question in (
        "Which members had no visit in April 2024?",
        "Which members did not have a visit in April 2024?",
    ):
        answer = club.ask(question, today=TODAY)
        assert sorted(row[0] for row in answer.tables[0].rows) == missing
