"""Values said otherwise than the data writes them: where somebody comes from, part of a name, another form of a word."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 160
TODAY = date(2024, 12, 31)


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


CLIENTS = pd.DataFrame(
    {
        "client_id": range(1, N + 1),
        "country": _cycle("France", "Germany", "Netherlands", "Spain", "France"),
        "segment": _cycle("Consumer", "Enterprise", "Consumer"),
        "spend_eur": [20.0 + (13 * i) % 97 for i in range(N)],
    }
)
CODED = CLIENTS.assign(country=_cycle("FR", "DE", "NL", "ES", "FR"))


@pytest.fixture(scope="module")
def clients() -> Analyst:
    return gnomon.open({"clients": CLIENTS})


@pytest.fixture(scope="module")
def coded() -> Analyst:
    return gnomon.open({"clients": CODED})


def _only(analyst: Analyst, question: str) -> float:
    answer = analyst.ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return float(answer.facts[0].value)  # type: ignore[arg-type]


def test_where_somebody_comes_from_is_a_country(clients: Analyst, coded: Analyst) -> None:
    french = CLIENTS.country == "France"
    assert _only(clients, "How many French clients are there?") == french.sum()
    assert _only(coded, "How many French clients are there?") == french.sum()
    dutch = CLIENTS[CLIENTS.country == "Netherlands"].spend_eur.mean()
    assert _only(clients, "average spend of Dutch clients") == pytest.approx(dutch)


def test_people_of_a_country_that_the_data_lacks_are_not_all_people(clients: Analyst) -> None:
    answer = clients.ask("How many Swedish clients are there?", today=TODAY)
    assert answer.status is not AnswerStatus.ANSWERED, answer.prose


DEALS = pd.DataFrame(
    {
        "MLS#": range(7001, 7001 + N),
        "dob": [f"19{50 + i % 49}-03-11" for i in range(N)],
        "office": _cycle("Central Plaza", "Riverside", "Old Mill"),
        "SqFt": [500 + (31 * i) % 900 for i in range(N)],
        "DOM": [(17 * i) % 150 for i in range(N)],
        "freight_amt_eur": [5.0 + (11 * i) % 60 for i in range(N)],
        "intl_plan": _cycle("yes", "no", "no", "no"),
        "on_time": _cycle("Y", "Y", "N"),
        "churn": _cycle("No", "No", "Yes", "No", "No"),
        "budget_musd": [1.5 + (7 * i) % 80 for i in range(N)],
        "term": _cycle("Spring", "Autumn"),
    }
)


@pytest.fixture(scope="module")
def deals() -> Analyst:
    return gnomon.open({"deals": DEALS})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many deals are at Plaza?", (DEALS.office == "Central Plaza").sum()),
        ("How many deals have an international plan?", (DEALS.intl_plan == "yes").sum()),
        ("average days on market", DEALS.DOM.mean()),
        ("average size of the deals", DEALS.SqFt.mean()),
        ("total freight cost", DEALS.freight_amt_eur.sum()),
        ("How many deals were late?", (DEALS.on_time == "N").sum()),
        ("How many deals stayed?", (DEALS.churn == "No").sum()),
        ("deals with a budget between 20 and 40 million", DEALS.budget_musd.between(20, 40).sum()),
        ("average DOM in the spring term", DEALS[DEALS.term == "Spring"].DOM.mean()),
        ("how many deals were born before 1970", (DEALS.dob < "1970").sum()),
    ],
)
def test_headings_cut_short_are_said_in_full(deals: Analyst, question: str, expected: float) -> None:
    assert _only(deals, question) == pytest.approx(expected)


def test_the_share_of_what_happened_to_rows_is_told_within_each_group() -> None:
    held = DEALS.assign(customs_hold=[i % 7 == 0 for i in range(N)]).rename(columns={"office": "country"})
    answer = gnomon.open({"parcels": held}).ask("share of parcels held in customs by country", today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    highest = 100 * held.groupby("country").customs_hold.mean().max()
    told = [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]
    assert any(v == pytest.approx(highest) or v == pytest.approx(highest / 100) for v in told)
