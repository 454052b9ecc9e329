"""States that only a missing or known date tells, and conditions that stand before what is counted."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 200
TODAY = date(2024, 6, 1)
FEBRUARY = pd.Timestamp(2024, 2, 1)
OPENED = pd.Series(pd.date_range("2024-01-01", periods=N, freq="9h"))
ENDED = pd.Series([i % 5 != 0 for i in range(N)])
CLOSED = (OPENED + pd.to_timedelta([5 + i % 90 for i in range(N)], unit="h")).where(ENDED)
JOBS = pd.DataFrame(
    {
        "job_id": range(700, 700 + N),
        "opened_on": OPENED,
        "closed_on": CLOSED,
        "crew": [("red", "blue", "green")[i % 3] for i in range(N)],
        "priority": [1 + i % 4 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def desk() -> Analyst:
    return gnomon.open({"jobs": JOBS})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many jobs are still open?", int(CLOSED.isna().sum())),
        ("How many open jobs are there?", int(CLOSED.isna().sum())),
        ("How many jobs are closed?", int(CLOSED.notna().sum())),
        ("How many jobs have not been closed?", int(CLOSED.isna().sum())),
        ("How many jobs were opened in January 2024?", int((OPENED < FEBRUARY).sum())),
        ("How many jobs were closed in January 2024?", int((CLOSED < FEBRUARY).sum())),
        ("How many priority 1 jobs are there?", int((JOBS.priority == 1).sum())),
        ("How many open jobs does the red crew have?", int((CLOSED.isna() & (JOBS.crew == "red")).sum())),
    ],
)
def test_a_missing_date_tells_what_is_not_over(desk: Analyst, question: str, expected: int) -> None:
    answer = desk.ask(question, today=TODAY)
    assert [f.value for f in answer.facts][:1] == [expected], answer.prose


def test_a_column_that_names_the_state_is_asked_instead() -> None:
    state = ["open" if i % 7 == 0 else "done" for i in range(N)]
    answer = gnomon.open({"jobs": JOBS.assign(state=state)}).ask("How many open jobs are there?", today=TODAY)
    assert [f.value for f in answer.facts][:1] == [state.count("open")], answer.prose


def test_have_no_is_not_the_end_of_a_name() -> None:
    tips = pd.Series([float(i % 9) for i in range(N)]).where(ENDED)
    bills = pd.DataFrame({"bill_no": range(N), "paid_on": OPENED, "tip": tips})
    answer = gnomon.open({"bills": bills}).ask("How many bills have no tip?", today=TODAY)
    assert [f.value for f in answer.facts][:1] == [int(tips.isna().sum())], answer.prose
