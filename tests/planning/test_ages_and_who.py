"""Persons said by their age, “who” where a column names the persons, and verbs of two words that no column bears."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus
from gnomon.planning.reading import Reading, ReadingStatus

TODAY = date(2025, 7, 1)
RNG = np.random.default_rng(31)
N = 150
DAYS = pd.Series(pd.date_range("2024-01-01", periods=N, freq="3D"))
RIDERS = pd.DataFrame(
    {
        "rider_id": [f"R{i}" for i in range(N)],
        "age": RNG.integers(6, 88, N),
        "joined_on": DAYS,
        "club": RNG.choice(["Elm", "Oak"], N),
    }
)
CHECKS = pd.DataFrame(
    {
        "check_id": range(N),
        "checked_on": DAYS,
        "site": RNG.choice(["Mill", "Quay"], N),
        "checker": RNG.choice(["Ida", "Jon", "Kit"], N, p=[0.5, 0.3, 0.2]),
        "cost": RNG.integers(5, 90, N),
        "supplier": RNG.choice(["Ames", "Bell", "Cole"], N, p=[0.2, 0.3, 0.5]),
    }
)


@pytest.fixture(scope="module")
def riders() -> Analyst:
    return gnomon.open({"riders": RIDERS})


@pytest.fixture(scope="module")
def checks() -> Analyst:
    return gnomon.open({"checks": CHECKS})


def reading(analyst: Analyst, question: str) -> Reading:
    return analyst.manager._reader.read(question, today=TODAY)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many adults are there?", (RIDERS.age >= 18).sum()),
        ("How many children joined in 2024?", ((RIDERS.age < 18) & (DAYS.dt.year == 2024)).sum()),
        ("How many over-60s are there?", (RIDERS.age > 60).sum()),
        ("How many under-30s are in Oak?", ((RIDERS.age < 30) & (RIDERS.club == "Oak")).sum()),
        ("How many teenagers are there?", RIDERS.age.between(13, 19).sum()),
    ],
)
def test_an_age_is_a_bound_on_the_column(riders: Analyst, question: str, expected: int) -> None:
    answer = riders.ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == int(expected), answer.prose


def test_the_answer_says_which_ages_were_taken(riders: Analyst) -> None:
    assert any("age below 18" in note for note in reading(riders, "How many kids are there?").notes)


def test_who_is_the_one_whose_deed_it_is(checks: Analyst) -> None:
    request = reading(checks, "Who checked Mill most often?").parts[0]
    assert request.dimensions == ("checker",) and request.metrics == ("checks",)


def test_what_is_used_most_is_in_the_most_rows(checks: Analyst) -> None:
    request = reading(checks, "Which supplier do we use most?").parts[0]
    assert request.dimensions == ("supplier",) and request.metrics == ("checks",)


@pytest.mark.parametrize(
    "question",
    ["How many riders dropped out?", "How many riders logged in?", "How many pensioners are there?"],
)
def test_what_no_column_tells_is_not_lost(riders: Analyst, question: str) -> None:
    assert reading(riders, question).status is not ReadingStatus.CLEAR


def test_without_ages_nobody_is_an_adult(checks: Analyst) -> None:
    assert reading(checks, "How many adults are there?").status is not ReadingStatus.CLEAR
