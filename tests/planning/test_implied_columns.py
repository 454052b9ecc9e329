"""Bounds that name no column: a unit, a verb before the number or a word behind it says what is bounded."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.language import find_quantities

N = 240
TODAY = date(2024, 6, 1)
DELIVERIES = pd.DataFrame(
    {
        "delivery_id": [f"D{i:04d}" for i in range(N)],
        "sent_on": pd.date_range("2024-01-01", periods=N, freq="13h").date,
        "haulier": [("Brigg", "Tamber", "Ostrow")[i % 3] for i in range(N)],
        "dep_delay_min": [i * 7 % 130 - 10 for i in range(N)],
        "arr_delay_min": [i * 11 % 170 - 20 for i in range(N)],
        "hold_temp_c": [round((i * 13 % 47) / 2 - 8, 1) for i in range(N)],
        "freight_eur": [round(20 + i * 17.5 % 900, 2) for i in range(N)],
        "signed": [i % 4 != 0 for i in range(N)],
        "paid_by": [("card", "transfer", "cheque")[i % 3] for i in range(N)],
    }
)
GRADES = pd.DataFrame(
    {
        "pupil_id": range(1, N + 1),
        "year_group": [7 + i % 6 for i in range(N)],
        "band": [("A", "B", "C", "D")[i % 4] for i in range(N)],
        "mark": [20 + i * 7 % 80 for i in range(N)],
        "waited_min": [i * 3 % 90 for i in range(N)],
        "duration_min": [5 + i * 5 % 110 for i in range(N)],
        "status": [("in progress", "done", "on hold")[i % 3] for i in range(N)],
    }
)
RAIN = pd.DataFrame(
    {
        "day": pd.date_range("2023-01-01", periods=N).date,
        "rain_mm": [float(i * 5 % 23) if i % 3 else 0.0 for i in range(N)],
        "wind_kmh": [i * 7 % 80 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def yard() -> Analyst:
    return gnomon.open({"deliveries": DELIVERIES})


@pytest.fixture(scope="module")
def school() -> Analyst:
    return gnomon.open({"pupils": GRADES})


@pytest.fixture(scope="module")
def gauge() -> Analyst:
    return gnomon.open({"weather": RAIN})


def _first(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return next((f.value for f in answer.facts), answer.prose)


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How many deliveries are above 500 euros?", DELIVERIES.freight_eur > 500),
        ("How many deliveries were for less than €150?", DELIVERIES.freight_eur < 150),
        ("deliveries between 200 and 300 euros", DELIVERIES.freight_eur.between(200, 300)),
        ("How many deliveries are larger than five hundred euros?", DELIVERIES.freight_eur > 500),
        ("How many deliveries departed more than 60 minutes late?", DELIVERIES.dep_delay_min > 60),
        ("How many deliveries arrived more than an hour late?", DELIVERIES.arr_delay_min > 60),
        ("How many deliveries were below 3 degrees celsius?", DELIVERIES.hold_temp_c < 3),
        ("How many deliveries were not paid by card?", DELIVERIES.paid_by != "card"),
        ("How many deliveries were not carried by Brigg or Tamber?", DELIVERIES.haulier == "Ostrow"),
        (
            "How many deliveries except those by Brigg were signed?",
            (DELIVERIES.haulier != "Brigg") & DELIVERIES.signed,
        ),
        (
            "How many deliveries had a hold temp below -5 or above 10?",
            (DELIVERIES.hold_temp_c < -5) | (DELIVERIES.hold_temp_c > 10),
        ),
        (
            "How many deliveries had a hold temp above 0 and below 4?",
            (DELIVERIES.hold_temp_c > 0) & (DELIVERIES.hold_temp_c < 4),
        ),
        (
            "How many deliveries by Brigg or Tamber were colder than 4 degrees?",
            DELIVERIES.haulier.isin(["Brigg", "Tamber"]) & (DELIVERIES.hold_temp_c < 4),
        ),
        ("How many deliveries had a dep delay of 1 hour or more?", DELIVERIES.dep_delay_min >= 60),
        (
            "How many deliveries had a dep delay up to and including 20 minutes?",
            DELIVERIES.dep_delay_min <= 20,
        ),
    ],
)
def test_what_stands_around_a_number_says_what_it_bounds(
    yard: Analyst, question: str, kept: pd.Series
) -> None:
    assert _first(yard, question) == int(kept.sum())


def test_of_those_that_rows_are_about_the_rows_are_added_up(yard: Analyst) -> None:
    summed = DELIVERIES.groupby("haulier").freight_eur.sum()
    middle = int(summed.median())
    answer = yard.ask(f"Which hauliers charged more than {middle} euros?", today=TODAY)
    assert {row[0] for row in answer.tables[0].rows} == set(summed[summed > middle].index)


@pytest.mark.parametrize(
    "question",
    [
        "How many deliveries were more than 30 kilometres away?",  # no distance is kept
        "How many deliveries were above 500?",  # delays, degrees or money
        "How many deliveries were refunded for over 40 minutes?",
        "How many deliveries took more than 40 minutes to repair?",
        "How many deliveries were signed or over 500 euros?",  # either of two conditions
        "How many deliveries were by Brigg or over 500 euros?",
    ],
)
def test_a_number_that_bounds_nothing_for_sure_is_not_guessed(yard: Analyst, question: str) -> None:
    answer = yard.ask(question, today=TODAY)
    assert not answer.facts, answer.prose


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How many pupils are in year groups 8 to 10?", GRADES.year_group.between(8, 10)),
        ("How many pupils waited longer than 30 minutes?", GRADES.waited_min > 30),
        ("How many pupils are done or in progress?", GRADES.status != "on hold"),
        ("How many pupils had a duration of an hour or more?", GRADES.duration_min >= 60),
        (
            "How many pupils in year group 7 or 8 are not done?",
            GRADES.year_group.isin([7, 8]) & (GRADES.status != "done"),
        ),
        ("How many pupils are in band A or B?", GRADES.band.isin(["A", "B"])),
    ],
)
def test_groups_that_are_numbers_or_letters_are_bounded_and_listed(
    school: Analyst, question: str, kept: pd.Series
) -> None:
    assert _first(school, question) == int(kept.sum())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("On how many days did it rain?", int((RAIN.rain_mm > 0).sum())),
        (
            "How many days had at least 10 mm of rain and wind above 50?",
            int(((RAIN.rain_mm >= 10) & (RAIN.wind_kmh > 50)).sum()),
        ),
        ("average wind on days with rain", float(RAIN[RAIN.rain_mm > 0].wind_kmh.mean())),
    ],
)
def test_days_that_are_rows_are_bounded_as_rows(gauge: Analyst, question: str, expected: float) -> None:
    assert _first(gauge, question) == pytest.approx(expected)


def test_an_amount_behind_its_number_is_all_of_it(gauge: Analyst) -> None:
    months = RAIN.groupby(pd.to_datetime(RAIN.day).dt.month).rain_mm.sum()
    bound = int(months.median())
    answer = gauge.ask(f"In how many months did it rain more than {bound} mm?", today=TODAY)
    assert [f.value for f in answer.facts][:1] == [int((months > bound).sum())], answer.prose


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("half a million", 500_000.0),
        ("a quarter of a million", 250_000.0),
        ("a thousand", 1_000.0),
        ("half a dozen", 6.0),
        ("$1.5m", 1_500_000.0),
        ("1.5 m", 1.5),
    ],
)
def test_numbers_in_words_and_with_a_scale(text: str, value: float) -> None:
    assert [q.value for q in find_quantities(text)] == [value]
