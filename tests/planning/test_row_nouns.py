"""What rows are called where only their columns and values tell it, and what they are not."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 240
TODAY = date(2024, 12, 31)
DAYS = pd.Series(pd.date_range("2023-02-01", periods=N, freq="60h"))


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


@pytest.fixture(scope="module")
def harbour() -> Analyst:
    vessels = pd.DataFrame(
        {
            "vessel_code": [f"V{i:03d}" for i in range(N)],
            "berth": _cycle("east", "west"),
            "crew_size": _cycle(2, 3, 5),
        }
    )
    return gnomon.open({"vessels": vessels})


@pytest.fixture(scope="module")
def lettings() -> Analyst:
    listings = pd.DataFrame(
        {
            "listing_id": [f"L{i:04d}" for i in range(N)],
            "dwelling": _cycle("house", "condo", "cottage", "hotel"),
            "bedrooms": _cycle(1, 2, 3, 4, 5),
            "rent_eur": [700 + i % 91 for i in range(N)],
        }
    )
    return gnomon.open({"listings": listings})


@pytest.fixture(scope="module")
def swims() -> Analyst:
    rows = pd.DataFrame(
        {
            "bib_no": [f"B{i:04d}" for i in range(N)],
            "sex": _cycle("Female", "Male"),
            "age": [18 + i % 50 for i in range(N)],
            "entry_fee": _cycle(30, 45),
            "outcome": _cycle("Finished", "DNF", "Finished"),
            "team": _cycle("Coastal Swimmers", "Otters", "Tritons"),
        }
    )
    return gnomon.open({"swimming_results": rows})


@pytest.fixture(scope="module")
def licences() -> Analyst:
    rows = pd.DataFrame(
        {
            "licence_no": [f"X{i:04d}" for i in range(N)],
            "applied_on": DAYS,
            "renewed_on": (DAYS + pd.Timedelta(days=300)).where(pd.Series([i % 3 == 0 for i in range(N)])),
            "trade": _cycle("taxi", "market", "bar"),
        }
    )
    return gnomon.open({"licences": rows})


@pytest.fixture(scope="module")
def unnamed() -> Analyst:
    rows = pd.DataFrame(
        {
            "state": _cycle("Open", "Done", "Rejected"),
            "priority": _cycle("Critical", "Low"),
            "effort_hours": _cycle(2, 5, 9),
        }
    )
    return gnomon.open({"part_12": rows})


def value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return answer.facts[0].value if answer.facts else None


def test_a_plain_word_stands_for_a_rarer_wide_one_and_a_rare_kind_does_not(harbour: Analyst) -> None:
    assert value(harbour, "How many boats are there?") == N
    assert value(harbour, "How many boats are in the east berth?") == N // 2
    assert value(harbour, "How many canoes are there?") is None
    assert value(harbour, "How many sailors are there?") is None


def test_rows_are_what_most_of_their_kinds_are(lettings: Analyst) -> None:
    assert value(lettings, "How many homes have at least 4 bedrooms?") == N * 2 // 5
    assert value(lettings, "How many tenants have at least 4 bedrooms?") is None
    assert value(lettings, "How many mortgages are there?") is None


def test_what_homes_were_taken_for_is_told(lettings: Analyst) -> None:
    assert "“homes” was read as listings" in lettings.ask("How many homes are there?", today=TODAY).prose


def test_persons_are_those_that_the_table_is_about(swims: Analyst) -> None:
    assert value(swims, "How many swimmers are older than 60?") == sum(18 + i % 50 > 60 for i in range(N))
    assert value(swims, "How many entrants are there?") == N
    assert value(swims, "How many people are older than 60?") == sum(18 + i % 50 > 60 for i in range(N))
    assert value(swims, "How many finishers are there?") == N * 2 // 3


@pytest.mark.parametrize("word", ["volunteers", "sponsors", "winners", "doctors"])
def test_other_persons_are_refused(swims: Analyst, word: str) -> None:
    assert value(swims, f"How many {word} are older than 60?") is None


def test_what_was_done_on_a_day_that_all_rows_have_is_a_row(licences: Analyst) -> None:
    assert value(licences, "How many taxi applications are there?") == N // 3
    assert value(licences, "How many inspections were there?") is None


def test_rows_of_a_file_that_says_nothing_are_what_a_condition_is_put_on(unnamed: Analyst) -> None:
    assert value(unnamed, "How many tasks are critical?") == N // 2
    assert value(unnamed, "How many nurses are critical?") is None
    assert value(unnamed, "How many penguins are critical?") is None
