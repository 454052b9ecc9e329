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
