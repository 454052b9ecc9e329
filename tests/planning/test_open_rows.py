"""Files whose names say nothing: the question names their rows, and only where the data bears it."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 240
TODAY = date(2024, 12, 31)
DAYS = pd.Series(pd.date_range("2024-01-03", periods=N, freq="31h"))


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


SPENT = pd.DataFrame(
    {
        "number": [f"{i * 7919 % 99991:05x}-{i:04d}" for i in range(N)],
        "opened_at": DAYS,
        "amount": [40 + 13 * (i % 37) for i in range(N)],
        "state": _cycle("Submitted", "Processed", "Declined"),
        "user": _cycle("amber", "birk", "cato", "dora", "eli"),
        "department": _cycle("IT", "Sales", "HR", "Finance"),
        "category": _cycle("Travel", "Services"),
    }
)
AIMS = pd.DataFrame(
    {
        "sys_id": [f"G{i:05d}" for i in range(N)],
        "priority": _cycle("Critical", "High", "Low"),
        "percent_complete": [(7 * i) % 101 for i in range(N)],
        "department": _cycle("IT", "Sales", "HR", "Finance"),
        "state": _cycle("Done", "In Progress"),
        "start_date": DAYS.dt.date,
        "end_date": (DAYS + pd.Timedelta(days=40)).dt.date,
    }
)
ABOARD = pd.DataFrame(
    {
        "age": [2 + i % 71 for i in range(N)],
        "sex": _cycle("male", "female", "male"),
        "fare": [7.5 + i % 41 for i in range(N)],
        "cabin": [f"C{i % 60}" for i in range(N)],
        "embarked": _cycle("S", "C", "Q"),
    }
)
SHARES = pd.DataFrame(
    {
        "date": pd.date_range("2024-01-01", periods=N),
        "open": [10 + i % 9 for i in range(N)],
        "close": [11 + i % 7 for i in range(N)],
        "volume": [1000 + i for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def spent() -> Analyst:
    return gnomon.open({"part_7": SPENT})


@pytest.fixture(scope="module")
def aims() -> Analyst:
    return gnomon.open({"data": AIMS})


@pytest.fixture(scope="module")
def aboard() -> Analyst:
    return gnomon.open({"test_x": ABOARD})


def value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return answer.facts[0].value if answer.facts else None


def test_what_rows_are_taken_for_is_counted_and_told(spent: Analyst) -> None:
    answer = spent.ask("How many expenses were declined?", today=TODAY)
    assert answer.facts[0].value == N // 3
    assert "Each row was taken as one expense" in answer.prose
    assert value(spent, "How many expenses are there?") == N


def test_a_dealing_comes_to_the_one_amount_of_its_row(spent: Analyst) -> None:
    totals = SPENT.groupby("department").amount.sum()
    assert value(spent, "What are the total expenses by department?") == totals.max()
    means = SPENT.groupby("department").amount.mean()
    assert value(spent, "What is the average expense by department?") == pytest.approx(means.max())


def test_rows_own_their_columns(spent: Analyst, aims: Analyst) -> None:
    assert value(spent, "What is the median expense amount?") == SPENT.amount.median()
    assert value(spent, "the average amount of an expense in HR") == pytest.approx(
        SPENT[SPENT.department == "HR"].amount.mean()
    )
    done = AIMS[AIMS.priority == "Critical"].percent_complete.mean()
    assert value(aims, "average percent complete of critical goals") == pytest.approx(done)


def test_letters_of_numbers_speak_for_a_noun(aims: Analyst) -> None:
    assert value(aims, "How many goals are there?") == N
    assert value(aims, "Which state has the most goals?") == N // 2
    assert value(aims, "How many goals does the Legal department have?") is None
    assert value(aims, "What is the average budget of the goals?") is None


@pytest.mark.parametrize(
    "question",
    [
        "How many penguins were declined?",
        "What are the total refunds by department?",
        "What is the average salary by department?",
        "total profit by department",
        "How many patients were declined?",
        "What is the average discount of the expenses?",
        "How many expenses did the lawyers of the suppliers approve?",
        "How do expenses get their numbers?",
        "amount by colour",
    ],
)
def test_what_the_columns_do_not_bear_is_refused(spent: Analyst, question: str) -> None:
    assert spent.ask(question, today=TODAY).status is not AnswerStatus.ANSWERED


def test_persons_are_told_by_what_persons_have(aboard: Analyst) -> None:
    assert value(aboard, "mean age of the passengers") == pytest.approx(ABOARD.age.mean())
    assert value(aboard, "How many passengers are older than 60?") == int((ABOARD.age > 60).sum())
    assert value(aboard, "number of passengers by sex") == N * 2 // 3


@pytest.mark.parametrize(
    "question",
    [
        "average salary of the passengers",
        "How many survivors are older than 60?",
        "How many complaints are there by sex?",
        "How many penguins are older than 60?",
    ],
)
def test_others_than_the_persons_are_refused(aboard: Analyst, question: str) -> None:
    assert aboard.ask(question, today=TODAY).status is not AnswerStatus.ANSWERED


def test_figures_of_days_are_no_things() -> None:
    shares = gnomon.open({"data_3": SHARES})
    assert value(shares, "How many storms were there in March 2024?") is None
    assert value(shares, "average volume of the shares") in (None, pytest.approx(SHARES.volume.mean()))


DWELLINGS = pd.DataFrame(
    {
        "sqft": [400 + 31 * (i % 97) for i in range(N)],
        "bedrooms": _cycle(1, 2, 3, 4),
        "bathrooms": _cycle(1, 2),
        "price": [90_000 + 1_700 * (i % 83) for i in range(N)],
        "year_built": [1920 + i % 90 for i in range(N)],
        "waterfront": _cycle(0, 0, 1),
    }
)


def test_no_usual_thing_fits_far_better() -> None:
    dwellings = gnomon.open({"train": DWELLINGS})
    kept = DWELLINGS[DWELLINGS.bedrooms == 3].price.mean()
    assert value(dwellings, "average price of houses with 3 bedrooms") == pytest.approx(kept)
    assert value(dwellings, "average price of cars with 3 bedrooms") is None


def test_moments_that_happen_to_differ_make_no_series_and_names_make_rows() -> None:
    asked = pd.DataFrame(
        {
            "created": DAYS,
            "priority": _cycle("high", "low", "low"),
            "agent": _cycle("Ann", "Bo"),
            "channel": _cycle("mail", "phone", "chat"),
            "topic": _cycle("billing", "login"),
            "status": _cycle("open", "solved"),
            "satisfaction": _cycle(1, 4, 5),
        }
    )
    assert value(gnomon.open({"data_3": asked}), "How many requests are open?") == N // 2
    lands = pd.DataFrame(
        {"country": [f"Land {i}" for i in range(N)], "confirmed": range(N), "recovered": range(N)}
    )
    assert (
        value(gnomon.open({"data_4": lands}), "How many deaths were there with confirmed over 100?") is None
    )


def test_rows_with_a_name_have_no_other() -> None:
    orders = gnomon.open({"orders": SPENT.rename(columns={"number": "order_id"})})
    assert value(orders, "How many orders were declined?") == N // 3
    assert value(orders, "How many expenses were declined?") is None
    assert value(orders, "How many tasks were declined?") is None
