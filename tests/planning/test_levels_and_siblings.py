"""What a word alone does not settle: a running balance, one of two measures of a name, both of two values."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import gnomon

DRAW = np.random.default_rng(3)
SIZE = 200

LEDGER = pd.DataFrame(
    {
        "txn_id": range(1, SIZE + 1),
        "posted": [date(2023, 3, 1) + timedelta(days=int(d)) for d in np.sort(DRAW.integers(0, 400, SIZE))],
        "account": DRAW.choice(["A-101", "A-102", "A-103"], SIZE),
        "amount_eur": np.round(DRAW.normal(0, 300, SIZE), 2),
        "balance_eur": np.round(DRAW.normal(900, 300, SIZE), 2),
    }
)
STOCK = pd.DataFrame(
    [
        (date(2024, 4, 1) + timedelta(days=d), item, int(DRAW.integers(100, 900)))
        for d in range(90)
        for item in ("Bolt", "Nut")
    ],
    columns=["day", "item", "stock_on_hand"],
)
MATCHES = pd.DataFrame(
    {
        "match_id": range(1, SIZE + 1),
        "home_team": DRAW.choice(["Rovers", "United", "City"], SIZE),
        "home_goals": DRAW.integers(0, 6, SIZE),
        "away_goals": DRAW.integers(0, 5, SIZE),
    }
)
EXAMS = pd.DataFrame(
    {
        "student": [f"S{i:02d}" for i in DRAW.integers(0, 60, SIZE)],
        "subject": DRAW.choice(["Maths", "Physics", "Art"], SIZE),
        "mark": DRAW.integers(20, 100, SIZE),
    }
)
DEALS = pd.DataFrame(
    {
        "deal": [f"D-{i}" for i in range(SIZE)],
        "stage": DRAW.choice(["lead", "won", "lost"], SIZE),
        "new_customer": DRAW.choice(["yes", "no"], SIZE),
        "value_usd": np.round(DRAW.gamma(2, 4000, SIZE)),
    }
)


@pytest.fixture(scope="module")
def matches() -> gnomon.Analyst:
    return gnomon.open({"matches": MATCHES})


def test_a_running_balance_is_asked_back() -> None:
    ledger = gnomon.open({"ledger": LEDGER})
    for question in ("What is the balance of account A-101?", "total balance of all accounts"):
        assert ledger.ask(question).status.value == "clarify", question
    held = LEDGER[LEDGER.account == "A-103"].balance_eur
    assert ledger.ask("average balance of A-103").facts[0].value == pytest.approx(held.mean())
    assert ledger.ask("highest balance of A-103").facts[0].value == pytest.approx(held.max())


def test_a_level_at_the_end_is_that_of_the_last_day() -> None:
    stock = gnomon.open({"stock": STOCK})
    last = STOCK[(STOCK.day == date(2024, 5, 31)) & (STOCK.item == "Bolt")].stock_on_hand.sum()
    answer = stock.ask("stock on hand of bolts at the end of May 2024")
    assert answer.facts[0].value == last, answer.prose


def test_one_of_two_measures_is_never_picked(matches: gnomon.Analyst) -> None:
    for question in ("average goals per match", "how many matches had no goals"):
        assert matches.ask(question).status.value == "clarify", question
    answer = matches.ask("average home goals per match")
    assert answer.facts[0].value == pytest.approx(MATCHES.home_goals.mean())


def test_what_a_subject_did_is_not_left_aside(matches: gnomon.Analyst) -> None:
    assert matches.ask("what percentage of matches did the home team win").status.value != "answered"
    deals = gnomon.open({"deals": DEALS})
    won = ((DEALS.stage == "won") & (DEALS.new_customer == "yes")).sum()
    answer = deals.ask("how many new customers did we win")
    assert answer.status.value != "answered" or answer.facts[0].value == won


def test_who_did_both_did_each() -> None:
    exams = gnomon.open({"exams": EXAMS})
    taken = EXAMS[EXAMS.subject != "Art"].groupby("student").subject.nunique()
    answer = exams.ask("how many students took both maths and physics")
    assert answer.facts[0].value == (taken == 2).sum(), answer.prose


PATIENTS = pd.DataFrame({"patient_id": range(1, 61), "age": DRAW.integers(1, 95, 60)})
STAYS = pd.DataFrame(
    {
        "admission_no": range(5000, 5000 + SIZE),
        "patient_id": (drawn := np.minimum(60, 1 + DRAW.geometric(0.06, SIZE))),
        "age": PATIENTS.set_index("patient_id").age.loc[drawn].to_numpy(),
        "admitted": [date(2023, 1, 1) + timedelta(days=int(d)) for d in np.sort(DRAW.integers(0, 600, SIZE))],
        "ward": DRAW.choice(["ICU", "Surgery", "Medicine"], SIZE),
        "cost_eur": np.round(DRAW.gamma(2, 800, SIZE), 2),
    }
)


@pytest.fixture(scope="module")
def stays() -> gnomon.Analyst:
    return gnomon.open({"admissions": STAYS})


def test_what_a_thing_has_once_counts_once(stays: gnomon.Analyst) -> None:
    once = STAYS.drop_duplicates("patient_id").age.mean()
    assert once != pytest.approx(STAYS.age.mean())
    assert stays.ask("average age of patients").facts[0].value == pytest.approx(once)
    assert stays.ask("average age").facts[0].value == pytest.approx(STAYS.age.mean())
    assert stays.ask("average cost of patients").facts[0].value == pytest.approx(STAYS.cost_eur.mean())


def test_only_and_days_of_something_are_not_left_out(stays: gnomon.Analyst) -> None:
    for question in ("how many patients only visited the ICU", "cost per day of stay"):
        assert stays.ask(question).status.value != "answered", question


def test_a_column_called_industry_is_no_benchmark() -> None:
    rows = DEALS.assign(industry=DRAW.choice(["Retail", "Energy", "Health"], SIZE))
    deals = gnomon.open({"deals": rows})
    rates = (rows.stage == "won").groupby(rows.industry).mean()
    answer = deals.ask("which industry has the highest win rate")
    assert answer.tables[0].rows[0][0] == rates.idxmax(), answer.prose


def test_a_difference_in_brackets_adds_up() -> None:
    flows = pd.DataFrame(
        {
            "date": [date(2023, 1, 1) + timedelta(days=d) for d in range(120)],
            "consumption_kwh": np.round(DRAW.gamma(5, 4, 120), 1),
            "solar_kwh": np.round(DRAW.gamma(2, 3, 120), 1),
        }
    )
    march = flows[[d.month == 3 for d in flows.date]]
    answer = gnomon.open({"energy": flows}).ask("net consumption (consumption minus solar) in March 2023")
    assert answer.facts[0].value == pytest.approx((march.consumption_kwh - march.solar_kwh).sum())
