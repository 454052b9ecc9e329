"""Two columns of a table are compared row by row, and rows that meet it are counted, shared and told."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

_DAY = pd.Timestamp("2024-01-01")
ORDERS = pd.DataFrame(
    {
        "order_id": range(100, 160),
        "order_date": [_DAY + pd.Timedelta(days=i) for i in range(60)],
        "promised_date": [_DAY + pd.Timedelta(days=i + 3 + i % 4) for i in range(60)],
        "delivered_date": [
            _DAY + pd.Timedelta(days=i + 1 + i * 7 % 10) if i % 9 else pd.NaT for i in range(60)
        ],
        "channel": ["web", "phone", "desk"] * 20,
    }
)
PROJECTS = pd.DataFrame(
    {
        "project": [f"P{i:02d}" for i in range(30)],
        "department": ["IT", "Law", "Sales"] * 10,
        "planned_hours": [50 + i * 13 % 90 for i in range(30)],
        "actual_hours": [40 + i * 29 % 120 for i in range(30)],
        "budget": [1000 * (5 + i * 7 % 40) for i in range(30)],
        "spent": [900 * (4 + i * 11 % 47) for i in range(30)],
    }
)
LATE = ORDERS["delivered_date"] > ORDERS["promised_date"]
TIMELY = ORDERS["delivered_date"] <= ORDERS["promised_date"]
OVER = PROJECTS["spent"] > PROJECTS["budget"]
BEHIND = PROJECTS["actual_hours"] > PROJECTS["planned_hours"]


@pytest.fixture(scope="module")
def orders() -> Analyst:
    return gnomon.open({"orders": ORDERS})


@pytest.fixture(scope="module")
def projects() -> Analyst:
    return gnomon.open({"projects": PROJECTS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many orders were delivered after the promised date?", LATE.sum()),
        ("How many orders were delivered late?", LATE.sum()),
        ("How many orders were delivered on time?", TIMELY.sum()),
        ("How many orders were not delivered on time?", LATE.sum()),
        ("How many orders have a delivered date before the promised date?", (ORDERS["delivered_date"] < ORDERS["promised_date"]).sum()),
        ("How many orders were delivered more than 2 days after the promised date?", ((ORDERS["delivered_date"] - ORDERS["promised_date"]).dt.days > 2).sum()),
        ("How many orders were delivered after 20 January 2024?", (ORDERS["delivered_date"] > "2024-01-20").sum()),
    ],
)  # fmt: skip
def test_days_are_compared(orders: Analyst, question: str, count: int) -> None:
    assert _answered(orders, question).facts[0].value == count


def test_the_share_of_rows_is_that_of_all_rows(orders: Analyst) -> None:
    answer = _answered(orders, "What share of orders was delivered late?")
    assert 100 * LATE.mean() in [pytest.approx(f.value) for f in answer.facts]


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many projects went over budget?", OVER.sum()),
        ("How many projects stayed within or under budget?", None),
        ("How many projects did not exceed their budget?", (~OVER).sum()),
        ("How many projects exceeded their planned hours?", BEHIND.sum()),
        ("In how many projects are the actual hours higher than the planned hours?", BEHIND.sum()),
        ("How many projects have actual hours that exceed planned hours by more than 20?", None),
        ("How many projects spent more than their budget?", OVER.sum()),
        ("How many projects spent more than 20000?", (PROJECTS["spent"] > 20000).sum()),
        ("How many projects have a budget over 20000?", (PROJECTS["budget"] > 20000).sum()),
    ],
)
def test_numbers_are_compared(projects: Analyst, question: str, count: int | None) -> None:
    answer = projects.ask(question)
    if count is None:  # it may be refused, but never answered otherwise
        far = (PROJECTS["actual_hours"] - PROJECTS["planned_hours"] > 20).sum()
        right = {far, (~OVER).sum(), (PROJECTS["spent"] < PROJECTS["budget"]).sum()}
        assert answer.status is not AnswerStatus.ANSWERED or answer.facts[0].value in right
        return
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == count


def test_what_is_compared_narrows_what_is_asked(projects: Analyst) -> None:
    answer = _answered(projects, "Average spent of the projects that spent less than their budget")
    under = PROJECTS[PROJECTS["spent"] < PROJECTS["budget"]]["spent"].mean()
    assert answer.facts[0].value == pytest.approx(under)
    by = _answered(projects, "Number of projects where spent exceeds budget by department")
    counts = PROJECTS[OVER].groupby("department").size()
    assert {tuple(r) for r in by.tables[0].rows} == set(counts.items())


def test_more_of_one_column_than_of_another() -> None:
    towns = pd.DataFrame({"town": ["A", "B", "C", "D"], "cars": [5, 9, 2, 7], "homes": [6, 4, 1, 8]})
    answer = _answered(gnomon.open({"towns": towns}), "How many towns have more cars than homes?")
    assert answer.facts[0].value == (towns["cars"] > towns["homes"]).sum()
