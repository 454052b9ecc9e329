"""Who came and who paid: people in a column, joining said otherwise, several columns of money, things in a list."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

TODAY = date(2025, 7, 1)
RNG = np.random.default_rng(29)
N = 180
DAYS = pd.Series(pd.date_range("2024-01-01", periods=N, freq="3D"))
PUPILS = pd.DataFrame(
    {
        "pupil_id": [f"P{i}" for i in range(N)],
        "enrolled_on": DAYS,
        "monthly_fee": RNG.choice([30, 45], N),
        "joining_fee": RNG.choice([0, 25], N),
        "school": RNG.choice(["Elm", "Oak"], N),
    }
)
TICKETS = pd.DataFrame(
    {
        "ticket_id": range(N),
        "bought_on": DAYS,
        "guest": RNG.choice(["Ada", "Ben", "Cy", "Dot"], N),
        "show": RNG.choice(["Hamlet", "Medea"], N),
        "price": RNG.choice([12, 20, 31], N),
        "steward": RNG.choice(["Xu", "Yo"], N),
    }
)
HOMES = pd.DataFrame(
    {
        "listing_id": range(N),
        "listed_on": DAYS,
        "district": RNG.choice(["Dock", "Hill"], N),
        "beds": RNG.integers(1, 5, N),
        "baths": RNG.integers(1, 3, N),
        "price": RNG.integers(100, 900, N) * 1000,
        "sqft": RNG.integers(400, 3000, N),
    }
)
STAFF = pd.DataFrame(
    {
        "employee": [f"E{i}" for i in range(N)],
        "hired": DAYS,
        "base_salary": RNG.integers(20, 80, N) * 1000,
        "bonus": RNG.integers(0, 9, N) * 500,
        "office": RNG.choice(["Bath", "York"], N),
    }
)


@pytest.fixture(scope="module")
def desks() -> dict[str, Analyst]:
    tables = {"pupils": PUPILS, "tickets": TICKETS, "listings": HOMES, "staff": STAFF}
    return {name: gnomon.open({name: table}) for name, table in tables.items()}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("pupils", "How many pupils signed up in 2024?", (DAYS.dt.year == 2024).sum()),
        ("pupils", "How many sign-ups were there in March 2024?", ((DAYS.dt.year == 2024) & (DAYS.dt.month == 3)).sum()),
        ("pupils", "How much do pupils pay to join?", PUPILS.joining_fee.mean()),
        ("pupils", "What do pupils pay per month on average?", PUPILS.monthly_fee.mean()),
        ("tickets", "How much did Ada spend?", TICKETS.price[TICKETS.guest == "Ada"].sum()),
        ("listings", "How many houses are there?", N),
        ("listings", "How many homes have 3 bedrooms?", (HOMES.beds == 3).sum()),
        ("listings", "average price of homes in the Dock district", HOMES.price[HOMES.district == "Dock"].mean()),
        ("staff", "How much do we pay in bonuses?", STAFF.bonus.sum()),
        ("staff", "How much do we spend on salaries?", STAFF.base_salary.sum()),
        ("staff", "How many people joined in 2024?", (DAYS.dt.year == 2024).sum()),
    ],
)  # fmt: skip
def test_people_and_what_they_pay(
    desks: dict[str, Analyst], table: str, question: str, expected: float
) -> None:
    answer = desks[table].ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == pytest.approx(float(expected)), answer.prose


def test_hires_are_counted_in_rows_and_not_in_days(desks: dict[str, Analyst]) -> None:
    request = desks["staff"].ask("How many hires per year?", today=TODAY).request
    assert (
        request is not None
        and request.parts.metrics == ("employees",)
        and request.parts.time_dimension == "hired"
    )


def test_two_fees_are_asked_back(desks: dict[str, Analyst]) -> None:
    assert desks["pupils"].ask("How much do pupils pay?", today=TODAY).status is AnswerStatus.CLARIFY


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("pupils", "What do pupils weigh on average?"),
        ("tickets", "How many people were stewarded?"),
        ("tickets", "How many guests did not see Hamlet?"),
        ("listings", "How many schools are there?"),
        ("listings", "How many houses have a pool?"),
        ("staff", "How much did E3 spend?"),
        ("staff", "How much do we spend on marketing?"),
    ],
)
def test_what_the_data_does_not_tell_is_refused(desks: dict[str, Analyst], table: str, question: str) -> None:
    answer = desks[table].ask(question, today=TODAY)
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose
