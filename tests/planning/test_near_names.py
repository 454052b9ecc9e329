"""Nouns that come close to what rows are called, what an amount was brought in by, the one row at an end."""

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


CHECKS = pd.DataFrame(
    {
        "inspection_id": range(1, N + 1),
        "inspected_on": DAYS,
        "orchard": _cycle("Hill", "Dale", "Brook"),
        "keeper": _cycle("Ana", "Bo"),
        "apples_kg": [round(3 + (i * 7 % 41) / 4, 2) for i in range(N)],
        "spray_used_l": [round((i * 5 % 17) / 3, 2) for i in range(N)],
        "status": _cycle("ok", "ok", "treat", "ok", "watch"),
    }
)
CRASHES = pd.DataFrame(
    {
        "accident_id": range(1, N + 1),
        "happened_on": DAYS,
        "road": _cycle("A1", "B7", "M4"),
        "weather": _cycle("dry", "wet"),
        "vehicles": _cycle(1, 2, 3),
    }
)
PETS = pd.DataFrame(
    {
        "animal_id": [f"AN{i:03d}" for i in range(N)],
        "owner_id": [f"OW{i % 80:03d}" for i in range(N)],
        "pet_name": _cycle("Milo", "Luna", "Rex", "Coco"),
        "species": _cycle("Cat", "Dog"),
    }
)
OWNERS = pd.DataFrame(
    {
        "owner_id": [f"OW{i:03d}" for i in range(90)],
        "town": ["Ashby" if i % 3 else "Corby" for i in range(90)],
    }
)
RESULTS = pd.DataFrame(
    {
        "race_name": _cycle("Half", "Ten", "Fell"),
        "race_date": DAYS,
        "runner_name": [f"Runner {'ABCDEFG'[i % 7]}{'KLMNOPQRSTU'[i % 11]}" for i in range(N)],
        "sex": _cycle("F", "M"),
        "age_on_day": [20 + i % 40 for i in range(N)],
        "entry_fee": [10 + i % 9 for i in range(N)],
        "club_name": _cycle("Foxes", "Foxes", "Hares"),
    }
)


@pytest.fixture(scope="module")
def orchards() -> Analyst:
    return gnomon.open({"inspections": CHECKS})


@pytest.fixture(scope="module")
def roads() -> Analyst:
    return gnomon.open({"accidents": CRASHES})


@pytest.fixture(scope="module")
def clinic() -> Analyst:
    return gnomon.open({"animals": PETS, "owners": OWNERS})


@pytest.fixture(scope="module")
def races() -> Analyst:
    return gnomon.open({"results": RESULTS})


def _asked(analyst: Analyst, question: str) -> Answer:
    return analyst.ask(question, today=TODAY)


def _numbers(answer: Answer) -> list[float]:
    return [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]


@pytest.mark.parametrize("noun", ["visits", "checks"])
def test_rows_are_called_by_a_near_noun(orchards: Analyst, noun: str) -> None:
    answer = _asked(orchards, f"How many {noun} did Ana make at Hill?")
    assert len(CHECKS[(CHECKS.keeper == "Ana") & (CHECKS.orchard == "Hill")]) in _numbers(answer)
    assert f"“{noun}” was read as inspections" in answer.prose


def test_a_near_noun_is_weighed_where_no_list_has_it(roads: Analyst) -> None:
    answer = _asked(roads, "How many collisions were there on A1 when it was wet?")
    wet = len(CRASHES[(CRASHES.road == "A1") & (CRASHES.weather == "wet")])
    assert wet in _numbers(answer)


@pytest.mark.parametrize(
    "noun", ["refunds", "complaints", "calls", "invoices", "sales", "accidents", "frosts"]
)
def test_another_thing_than_the_rows_is_refused(orchards: Analyst, noun: str) -> None:
    assert _asked(orchards, f"How many {noun} were there at Hill?").status.value != "answered"


@pytest.mark.parametrize("noun", ["arrests", "deaths", "fines", "repairs", "drivers"])
def test_what_goes_with_accidents_is_none(roads: Analyst, noun: str) -> None:
    assert _asked(roads, f"How many {noun} were there on A1?").status.value != "answered"


def test_a_share_of_the_rows_named_first(orchards: Analyst) -> None:
    answer = _asked(orchards, "Of all the visits to Hill, what percentage had the status treat?")
    at_hill = CHECKS[CHECKS.orchard == "Hill"]
    share = (at_hill.status == "treat").mean()
    assert any(v == pytest.approx(share) or v == pytest.approx(100 * share) for v in _numbers(answer))


@pytest.mark.parametrize(
    "question",
    [
        "How many kilos of apples were harvested in 2023?",
        "What was the apples harvest in 2023?",
        "What was the crop of apples in 2023?",
    ],
)
def test_what_an_amount_was_got_by_says_no_more(orchards: Analyst, question: str) -> None:
    total = CHECKS[CHECKS.inspected_on.dt.year == 2023].apples_kg.sum()
    assert any(v == pytest.approx(total) for v in _numbers(_asked(orchards, question)))


@pytest.mark.parametrize(
    "question",
    [
        "How many kilos of apples were sold in 2023?",
        "How many kilos of apples were lost in 2023?",
        "How much spray was harvested in 2023?",
    ],
)
def test_what_happened_otherwise_to_an_amount_is_refused(orchards: Analyst, question: str) -> None:
    assert _asked(orchards, question).status.value != "answered"


def test_the_most_at_one_visit_is_one_row(orchards: Analyst) -> None:
    answer = _asked(orchards, "Which orchard gave us the most apples at one visit?")
    row = CHECKS.loc[CHECKS.apples_kg.idxmax()]
    assert answer.tables[0].rows[0][0] == row.orchard
    assert float(str(answer.tables[0].rows[0][1])) == pytest.approx(row.apples_kg)


def test_bearers_of_names_are_counted_by_rows(clinic: Analyst) -> None:
    assert len(PETS) in _numbers(_asked(clinic, "How many pets do we have?"))
    several = int((PETS.groupby("owner_id").size() > 2).sum())
    assert several in _numbers(_asked(clinic, "How many clients have more than two pets?"))


def test_the_most_entries_are_rows_and_no_fee(races: Analyst) -> None:
    answer = _asked(races, "Which club has the most entries?")
    assert tuple(answer.tables[0].rows[0]) == ("Foxes", (RESULTS.club_name == "Foxes").sum())


def test_people_who_come_in_several_rows_are_told_apart_by_name(races: Analyst) -> None:
    answer = _asked(races, "How many different people have ever entered one of our races?")
    assert _numbers(answer) == [RESULTS.runner_name.nunique()]


RUNS = pd.DataFrame(
    {
        "run_id": range(1, N + 1),
        "run_on": DAYS,
        "driver": _cycle("Ivo", "Mia", "Sam"),
        "km_driven": [5 + i * 7 % 83 for i in range(N)],
        "parcels": [1 + i * 3 % 11 for i in range(N)],
    }
)


def test_a_unit_said_in_full_is_the_one_column_in_it() -> None:
    runs = gnomon.open({"runs": RUNS})
    driven = RUNS[RUNS.driver == "Mia"].km_driven.sum()
    assert driven in _numbers(_asked(runs, "How many kilometres did Mia drive in total?"))
    assert _asked(runs, "How many litres did Mia use in total?").status.value != "answered"
