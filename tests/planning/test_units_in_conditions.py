"""A bound in another unit than the column's is converted, and one that no column can be told in is refused."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

N = 120
TRIPS = pd.DataFrame(
    {
        "trip_id": range(1, N + 1),
        "boat": ["Ada", "Bea", "Cleo"] * (N // 3),
        "duration_min": [10 + (i * 37) % 290 for i in range(N)],
        "distance_m": [300 + (i * 791) % 26000 for i in range(N)],
        "cargo_weight_g": [100 + (i * 433) % 9000 for i in range(N)],
        "guest_age": [16 + (i * 7) % 60 for i in range(N)],
        "years_at_club": [(i * 5) % 30 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def trips() -> Analyst:
    return gnomon.open({"trips": TRIPS})


def _counted(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer.facts[0].value


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many trips were longer than 2 hours?", TRIPS.duration_min > 120),
        ("How many trips took less than half an hour?", TRIPS.duration_min < 30),
        ("How many trips lasted between 1 and 2 hours?", TRIPS.duration_min.between(60, 120)),
        ("How many trips were longer than 10 km?", TRIPS.distance_m > 10_000),
        ("How many trips were shorter than 5 miles?", TRIPS.distance_m < 5 * 1609.344),
        ("How many trips of 10 km or more were there?", TRIPS.distance_m >= 10_000),
        ("How many trips have a cargo weight over 3kg?", TRIPS.cargo_weight_g > 3000),
        ("How many trips are heavier than 3 kg?", TRIPS.cargo_weight_g > 3000),
        ("How many guests are aged 20-30?", TRIPS.guest_age.between(20, 30)),
        ("How many guests have been with the club for more than 10 years?", TRIPS.years_at_club > 10),
    ],
)
def test_a_bound_is_told_in_the_unit_of_its_column(
    trips: Analyst, question: str, rows: "pd.Series[bool]"
) -> None:
    assert _counted(trips, question) == int(rows.sum())


def test_a_bare_bound_on_people_is_one_on_their_age(trips: Analyst) -> None:
    answer = trips.ask("average duration of guests under 30")
    assert answer.facts[0].value == pytest.approx(TRIPS[TRIPS.guest_age < 30].duration_min.mean())


@pytest.mark.parametrize(
    "question",
    [
        "How many trips were longer than 3 months?",
        "How many trips are taller than 2 m?",
        "How many trips used more than 3 litres?",
    ],
)
def test_what_no_column_can_be_told_in_is_refused(trips: Analyst, question: str) -> None:
    assert trips.ask(question).status is not AnswerStatus.ANSWERED
