"""Turns of speech put plainly, flags said as deeds, values that are first letters, heads of long names."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer

N = 240
TODAY = date(2024, 12, 31)
DAYS = pd.Series(pd.date_range("2023-02-01", periods=N, freq="60h"))


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


RACES = pd.DataFrame(
    {
        "race_name": _cycle("Half", "Ten", "Fell"),
        "race_date": DAYS,
        "runner_name": [f"Runner {'ABCDEFG'[i % 7]}{'KLMNOPQRSTU'[i % 11]}" for i in range(N)],
        "sex": _cycle("F", "M", "F", "M", "M"),
        "age_on_day": [20 + i * 7 % 40 for i in range(N)],
        "club_name": _cycle("Foxes", None, "Hares", "Foxes", None, None, "Hares"),
        "finish_min": [None if i % 8 == 5 else round(60 + (i * 13 % 97) / 2, 1) for i in range(N)],
        "avg_hr_pct_max": [70 + i * 3 % 25 for i in range(N)],
        "result_status": ["DNS" if i % 16 == 5 else "DNF" if i % 8 == 5 else "Finished" for i in range(N)],
    }
)
BOOKINGS = pd.DataFrame(
    {
        "booking_no": range(1, N + 1),
        "booked_on": DAYS,
        "referral_source": _cycle("Doctor", None, "Friend", "Web", "Web"),
        "deposit_paid": _cycle("yes", "no", "yes"),
        "attendance": _cycle("Attended", "Attended", "Cancelled", "No-show"),
        "patient_id": [f"P{i % 60:03d}" for i in range(N)],
        "weight_at_intake_kg": [50 + i * 11 % 37 for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def races() -> Analyst:
    return gnomon.open({"results": RACES})


@pytest.fixture(scope="module")
def clinic() -> Analyst:
    return gnomon.open({"bookings": BOOKINGS})


def _asked(analyst: Analyst, question: str) -> Answer:
    return analyst.ask(question, today=TODAY)


def _numbers(answer: Answer) -> list[float]:
    assert answer.status.value == "answered", answer.prose
    return [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]


NO_CLUB = int(RACES.club_name.isna().sum())
NO_SOURCE = int(BOOKINGS.referral_source.isna().sum())


@pytest.mark.parametrize(
    "question",
    [
        "How many entries came from people who don't belong to any club?",
        "How many entries simply have no club?",
        "For how many entries did nobody note a club?",
        "How many entries have the club left empty?",
    ],
)
def test_missing_values_in_everyday_words(races: Analyst, question: str) -> None:
    assert NO_CLUB in _numbers(_asked(races, question))


@pytest.mark.parametrize(
    "question",
    [
        "For how many bookings don't we know who referred the patient?",
        "How many bookings are there where nobody recorded a referral source?",
    ],
)
def test_a_clause_that_is_not_known_is_a_missing_column(clinic: Analyst, question: str) -> None:
    assert NO_SOURCE in _numbers(_asked(clinic, question))


def test_a_clause_about_no_column_is_refused(clinic: Analyst) -> None:
    answer = _asked(clinic, "For how many bookings don't we know who insured the patient?")
    assert answer.status.value != "answered"


def test_a_bigger_part_is_a_bigger_share(races: Analyst) -> None:
    answer = _asked(races, "Do women make up a bigger part of the entries at the Half than at the Ten?")
    shares = RACES.assign(f=RACES.sex == "F").groupby("race_name").f.mean()
    found = _numbers(answer)
    assert any(v == pytest.approx(shares["Half"]) or v == pytest.approx(100 * shares["Half"]) for v in found)
    assert any(v == pytest.approx(shares["Ten"]) or v == pytest.approx(100 * shares["Ten"]) for v in found)


@pytest.mark.parametrize(("said", "value"), [("didn't start", "DNS"), ("did not finish", "DNF")])
def test_first_letters_said_in_full(races: Analyst, said: str, value: str) -> None:
    answer = _asked(races, f"How many entries {said}?")
    assert (RACES.result_status == value).sum() in _numbers(answer)
    assert value in answer.prose


def test_a_state_goes_before_the_figure_that_it_resembles(races: Analyst) -> None:
    rows = (RACES.result_status == "Finished") & (RACES.race_date.dt.year == 2023)
    assert _numbers(_asked(races, "How many entries finished in 2023?")) == [rows.sum()]


def test_a_flag_said_as_a_deed(clinic: Analyst) -> None:
    paid = int((BOOKINGS.deposit_paid == "yes").sum())
    assert paid in _numbers(_asked(clinic, "In how many bookings did they pay the deposit?"))


def test_what_was_called_off_is_cancelled(clinic: Analyst) -> None:
    cancelled = int((BOOKINGS.attendance == "Cancelled").sum())
    assert cancelled in _numbers(_asked(clinic, "How many bookings were called off?"))


def test_the_head_of_a_long_name_is_enough(races: Analyst, clinic: Analyst) -> None:
    ages = RACES.groupby("sex").age_on_day.mean()
    answer = _asked(races, "Average age by sex over all entries")
    assert {r[0]: pytest.approx(float(str(r[1]))) for r in answer.tables[0].rows} == ages.to_dict()
    weight = BOOKINGS.weight_at_intake_kg.mean()
    assert any(v == pytest.approx(weight) for v in _numbers(_asked(clinic, "What is the average weight?")))


def test_a_heart_rate_as_a_percentage_of_the_maximum(races: Analyst) -> None:
    answer = _asked(races, "Average heart rate as a percentage of max, by race")
    rates = RACES.groupby("race_name").avg_hr_pct_max.mean()
    assert {r[0]: pytest.approx(float(str(r[1]))) for r in answer.tables[0].rows} == rates.to_dict()


def test_the_quickest_time_of_each_is_that_of_one_row(races: Analyst) -> None:
    answer = _asked(races, "What was the quickest time in each race?")
    best = RACES.groupby("race_name").finish_min.min()
    assert {r[0]: pytest.approx(float(str(r[1]))) for r in answer.tables[0].rows} == best.to_dict()
