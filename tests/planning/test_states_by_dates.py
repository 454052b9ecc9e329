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


ISSUED = pd.Series(pd.date_range("2023-01-02", periods=N, freq="40h"))
APPROVED = (ISSUED + pd.to_timedelta([1 + i % 40 for i in range(N)], unit="D")).where(
    pd.Series([i % 4 != 0 for i in range(N)])
)
INVOICES = pd.DataFrame(
    {
        "invoice_no": [f"I{i:05d}" for i in range(N)],
        "issued_dt": ISSUED,
        "approved_dt": APPROVED,
        "state": [("available", "listed", "posted", "approved")[i % 4] for i in range(N)],
        "amount_eur": [20 + i % 37 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def office() -> Analyst:
    return gnomon.open({"invoices": INVOICES})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many invoices were issued in 2023?", int((ISSUED.dt.year == 2023).sum())),
        ("How many invoices were approved in 2023?", int((APPROVED.dt.year == 2023).sum())),
        ("How many invoices are approved?", int((INVOICES.state == "approved").sum())),
        ("How many invoices are available?", int((INVOICES.state == "available").sum())),
        ("How many listed invoices are there?", int((INVOICES.state == "listed").sum())),
        ("How many invoices were issued?", N),
        (
            "Total amount of invoices that were posted",
            int(INVOICES.amount_eur[INVOICES.state == "posted"].sum()),
        ),
    ],
)
def test_a_state_is_a_value_or_a_date_that_the_data_has(
    office: Analyst, question: str, expected: int
) -> None:
    answer = office.ask(question, today=TODAY)
    assert [f.value for f in answer.facts][:1] == [expected], answer.prose


def test_what_was_done_to_some_rows_only_is_not_told_of_all() -> None:
    claims = gnomon.open(
        {"claims": INVOICES.drop(columns="state").rename(columns={"invoice_no": "claim_no"})}
    )
    answer = claims.ask("How many claims were approved?", today=TODAY)
    assert [f.value for f in answer.facts][:1] == [int(APPROVED.notna().sum())], answer.prose
