"""Verbs that only say what rows are add nothing, those that say more are never dropped; words of the frame are plain."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 300
TODAY = date(2024, 12, 31)
DAYS = pd.Series(pd.date_range("2024-01-01", periods=N, freq="26h"))
DELIVERIES = pd.DataFrame(
    {
        "delivery_id": [f"D{i:05d}" for i in range(N)],
        "driver_id": [f"R{i * 7 % 23:03d}" for i in range(N)],
        "delivered_on": DAYS.dt.date,
        "distance_km": [3 + i % 41 for i in range(N)],
        "depot": [("north", "south", "quay")[i % 3] for i in range(N)],
    }
)
DRIVERS = pd.DataFrame(
    {
        "driver_id": [f"R{i:03d}" for i in range(30)],
        "hired_on": pd.date_range("2019-02-01", periods=30, freq="60D").date,
        "grade": [("junior", "senior")[i % 2] for i in range(30)],
    }
)
REQUESTS = pd.DataFrame(
    {
        "request_id": [f"Q{i:05d}" for i in range(N)],
        "created_at": DAYS,
        "assigned_agent": [("Ines", "Otto", "Per", "Ines")[i % 4] for i in range(N)],
        "customer_tier": [("basic", "plus")[i % 2] for i in range(N)],
    }
)
MAY = DAYS.dt.month == 5


@pytest.fixture(scope="module")
def fleet() -> Analyst:
    return gnomon.open({"deliveries": DELIVERIES, "drivers": DRIVERS})


@pytest.fixture(scope="module")
def desk() -> Analyst:
    return gnomon.open({"requests": REQUESTS})


def value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return answer.facts[0].value if answer.facts else None


def test_those_who_did_it_are_counted_where_it_was_done(fleet: Analyst) -> None:
    assert value(fleet, "How many drivers delivered in May 2024?") == DELIVERIES.driver_id[MAY].nunique()
    assert value(fleet, "How many drivers were hired in 2021?") == sum(
        str(d)[:4] == "2021" for d in DRIVERS.hired_on
    )


@pytest.mark.parametrize(
    "question",
    [
        "How many drivers resigned in 2024?",
        "How many drivers were fined in May 2024?",
        "total distance wasted",
    ],
)
def test_a_verb_that_says_more_is_not_dropped(fleet: Analyst, question: str) -> None:
    assert value(fleet, question) is None


def test_handling_tells_whose_rows_they_are(desk: Analyst) -> None:
    answer = desk.ask("Who handled the most requests?", today=TODAY)
    assert answer.prose.startswith("Ines had the most requests: 150")
    assert value(desk, "How many requests did Otto handle?") == 75
    assert value(desk, "Who escalated the most requests?") is None


def test_volume_new_and_opened_are_put_plainly(desk: Analyst) -> None:
    assert value(desk, "request volume in May 2024") == int(MAY.sum())
    assert value(desk, "How many new requests were there in May 2024?") == int(MAY.sum())
    assert value(desk, "How many requests were opened in May 2024?") == int(MAY.sum())
    assert value(desk, "How many requests were cancelled in May 2024?") is None
    assert value(desk, "sales volume in May 2024") is None
