"""Bounds on how often something happened, flags said by their other side, and numbers said as places or full price."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 600
TODAY = date(2024, 12, 1)
GUESTS = pd.DataFrame({"guest_id": range(1, 81), "town": [("Ely", "Wells")[i % 2] for i in range(80)]})
SALES = pd.DataFrame(
    {
        "sale_id": range(1, N + 1),
        "guest_id": [1 + (i * i) % 71 for i in range(N)],
        "sold_on": pd.date_range("2023-01-01", periods=N, freq="17h").date,
        "product": [("Tea", "Jam", "Bread", "Cheese")[i % 4] for i in range(N)],
        "quantity": [1 + i * 3 % 7 for i in range(N)],
        "price": [round(2 + i * 1.7 % 40, 2) for i in range(N)],
        "discount": [(0.0, 0.0, 0.1, 0.25)[i % 4] for i in range(N)],
        "refunded": [i % 9 == 0 for i in range(N)],
        "payment": [("card", "cash", "voucher")[i % 3] for i in range(N)],
    }
).assign(total=lambda t: (t.quantity * t.price * (1 - t.discount)).round(2))
LIFTS = pd.DataFrame(
    {
        "inspection_id": range(1, N + 1),
        "seen_on": pd.date_range("2024-01-01", periods=N, freq="7h").date,
        "building": [("Crane House", "Mill", "Old Bank")[i % 3] for i in range(N)],
        "floor": [i % 9 for i in range(N)],
        "passed": [i % 5 != 0 for i in range(N)],
        "alarm_tested": [i % 6 != 0 for i in range(N)],
        "came_from": [("Ashby", "Corby", "Derby")[i % 3] for i in range(N)],
        "went_to": [("Corby", "Derby", "Ashby")[i // 3 % 3] for i in range(N)],
        "Doors are safe": [("Agree", "Disagree")[i % 2] for i in range(N)],
        "Cabin is clean": [("Agree", "Disagree")[i // 2 % 2] for i in range(N)],
        "outage_min": [0 if i % 4 else i % 50 for i in range(N)],
    }
)
BOUGHT = SALES.groupby("guest_id")


@pytest.fixture(scope="module")
def shop() -> Analyst:
    return gnomon.open({"guests": GUESTS, "sales": SALES})


@pytest.fixture(scope="module")
def lifts() -> Analyst:
    return gnomon.open({"inspections": LIFTS})


def _first(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return next((f.value for f in answer.facts), answer.prose)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many guests made at least 10 purchases?", int((BOUGHT.size() >= 10).sum())),
        ("How many guests bought more than 40 items?", int((BOUGHT.quantity.sum() > 40).sum())),
        ("How many sales of five or more items were paid by card?",
         int(((SALES.quantity >= 5) & (SALES.payment == "card")).sum())),
        ("How many guests made at least one purchase of over 150?", SALES[SALES.total > 150].guest_id.nunique()),
        ("How many guests have never bought anything?", len(set(GUESTS.guest_id) - set(SALES.guest_id))),
        ("How many sales were above 100 in value?", int((SALES.total > 100).sum())),
        ("How many sales had no discount?", int((SALES.discount == 0).sum())),
        ("How many sales were at full price?", int((SALES.discount == 0).sum())),
        ("How many sales went out at 25% off?", int((SALES.discount == 0.25).sum())),
    ],
)  # fmt: skip
def test_how_often_how_many_and_at_what_price(shop: Analyst, question: str, expected: int) -> None:
    assert _first(shop, question) == expected


def test_a_bound_on_groups_needs_groups(shop: Analyst) -> None:
    answer = shop.ask("How many sales are over 30 tea?", today=TODAY)
    assert not answer.facts, answer.prose


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How many inspections were failed?", ~LIFTS.passed),
        ("How many failed inspections were there in Mill?", ~LIFTS.passed & (LIFTS.building == "Mill")),
        ("How many inspections were on the 5th floor or higher?", LIFTS.floor >= 5),
        ("How many inspections were on the 3rd floor?", LIFTS.floor == 3),
        ("In how many inspections was the alarm not tested?", ~LIFTS.alarm_tested),
        (
            "How many inspections from Ashby to Derby were there?",
            (LIFTS.came_from == "Ashby") & (LIFTS.went_to == "Derby"),
        ),
        ("How many inspections agree that the cabin is clean?", LIFTS["Cabin is clean"] == "Agree"),
        ("How many inspections did not come from Ashby?", LIFTS.came_from != "Ashby"),
        ("How many inspections were neither passed nor in Mill?", ~LIFTS.passed & (LIFTS.building != "Mill")),
    ],
)
def test_the_other_side_of_a_flag_and_a_numbered_place(
    lifts: Analyst, question: str, kept: pd.Series
) -> None:
    assert _first(lifts, question) == int(kept.sum())


def test_days_on_which_there_was_any_of_it(lifts: Analyst) -> None:
    down = LIFTS[LIFTS.outage_min > 0].groupby("building").seen_on.nunique()
    bound = int(down.median())
    answer = lifts.ask(f"How many buildings had outages on more than {bound} days?", today=TODAY)
    assert [f.value for f in answer.facts][:1] == [int((down > bound).sum())], answer.prose


def test_things_of_which_there_is_nothing_are_listed(shop: Analyst) -> None:
    answer = shop.ask("Which guests have never bought anything?", today=TODAY)
    assert {row[0] for row in answer.tables[0].rows} == set(GUESTS.guest_id) - set(SALES.guest_id)


def test_missing_is_never_dropped(lifts: Analyst) -> None:
    answer = lifts.ask("How many inspections in March are missing?", today=TODAY)
    assert not answer.facts, answer.prose
