"""Things that a table tells of in several rows each: what they have once, what they lack, and when their rows happened."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon

SEASONS = (2021, 2022, 2023, 2024)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Nettings of ponds: a pond has one depth and one volume, and not every season a netting."""
    rng = random.Random(5)
    made: list[tuple[object, ...]] = []
    for pond in range(1, 71):
        region, depth, volume = (
            rng.choice(["North", "South"]),
            rng.randrange(10, 90) / 10,
            rng.randrange(200, 4000),
        )
        for season in SEASONS:
            if rng.random() < 0.12:
                continue
            stocked = date(season, 3, 1) + timedelta(days=rng.randrange(40))
            netted = stocked + timedelta(days=rng.randrange(90, 160))
            species, catch = rng.choice(["Carp", "Trout", "Perch"]), rng.randrange(10, 500)
            made.append((f"P{pond:03d}", region, season, species, depth, volume, stocked, netted, catch))
    columns = [
        "Pond",
        "Region",
        "Season",
        "Species",
        "Depth (m)",
        "Volume (m3)",
        "Stocked On",
        "Netted On",
        "Catch (kg)",
    ]
    return pd.DataFrame(made, columns=columns)


@pytest.fixture(scope="module")
def ponds(rows: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder: Path = tmp_path_factory.mktemp("ponds")
    rows.to_csv(folder / "nettings.csv", index=False)
    return gnomon.open(str(folder))


def told(analyst: gnomon.Analyst, question: str) -> float:
    answer = analyst.ask(question)
    assert answer.status.value == "answered", (question, answer.prose)
    return float(str(answer.facts[0].value))


@pytest.mark.parametrize(
    ("question", "column", "bound"),
    [
        ("How many of our ponds are deeper than 5 metres?", "Depth (m)", 5),
        ("How many ponds are larger than 2000 m3?", "Volume (m3)", 2000),
        ("How many ponds have a volume of more than 2000?", "Volume (m3)", 2000),
    ],
)
def test_what_a_thing_has_once_is_not_added_up_over_its_rows(
    ponds: gnomon.Analyst, rows: pd.DataFrame, question: str, column: str, bound: float
) -> None:
    assert told(ponds, question) == rows[rows[column] > bound]["Pond"].nunique()


def test_what_its_rows_bring_is_added_up(ponds: gnomon.Analyst, rows: pd.DataFrame) -> None:
    total = rows.groupby("Pond")["Catch (kg)"].sum()
    assert told(ponds, "How many ponds gave more than 800 kg of catch?") == (total > 800).sum()


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("How many ponds were netted in all four seasons?", "Season"),
        ("How many ponds were netted in every season?", "Season"),
        ("How many ponds were netted for all three species?", "Species"),
    ],
)
def test_all_of_something_is_a_condition_on_each_thing(
    ponds: gnomon.Analyst, rows: pd.DataFrame, question: str, column: str
) -> None:
    met = rows.groupby("Pond")[column].nunique() == rows[column].nunique()
    assert told(ponds, question) == met.sum()


def test_rows_happened_when_their_verb_says(ponds: gnomon.Analyst, rows: pd.DataFrame) -> None:
    def within(column: str, month: int) -> pd.DataFrame:
        return rows[rows[column].map(lambda d: (d.year, d.month) == (2023, month))]

    assert told(ponds, "How many nettings were there in July 2023?") == len(within("Netted On", 7))
    assert (
        told(ponds, "How many ponds were stocked in March 2023?") == within("Stocked On", 3)["Pond"].nunique()
    )


def test_things_without_rows_in_a_period_have_some_in_another(
    ponds: gnomon.Analyst, rows: pd.DataFrame
) -> None:
    absent = set(rows["Pond"]) - set(rows[rows["Season"] == 2023]["Pond"])
    assert told(ponds, "How many ponds have no netting in 2023?") == len(absent)
    listed = ponds.ask("Which ponds have no netting in 2023?")
    assert {row[0] for row in listed.tables[0].rows} == absent


def test_who_never_had_a_value_is_counted(ponds: gnomon.Analyst, rows: pd.DataFrame) -> None:
    without = set(rows["Pond"]) - set(rows[rows["Species"] == "Carp"]["Pond"])
    assert told(ponds, "How many ponds have never had carp?") == len(without)


@pytest.mark.parametrize(
    "question",
    [
        "How many ponds were netted in all three seasons?",
        "How many ponds have no netting?",
        "How many ponds in the North have no netting in 2023?",
        "How many nettings with a catch above 300 and below 200?",
    ],
)
def test_what_cannot_be_told_is_no_number(ponds: gnomon.Analyst, question: str) -> None:
    assert ponds.ask(question).status.value != "answered"


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ("from 100 kg up to and including 200 kg", 100, 200),
        ("from 100 kg up to but not including 200 kg", 100, 199),
        ("over 100 kg but not over 200 kg", 101, 200),
        ("between 100 and 200 kg exclusive", 101, 199),
        ("between 100 and 200 kg inclusive", 100, 200),
    ],
)
def test_whether_the_ends_of_a_range_belong_to_it_is_heard(
    ponds: gnomon.Analyst, rows: pd.DataFrame, said: str, low: int, high: int
) -> None:
    expected = rows["Catch (kg)"].between(low, high).sum()
    assert told(ponds, f"How many nettings had a catch {said}?") == expected


@pytest.mark.parametrize(
    ("way", "up"), [("go up", True), ("rise", True), ("go down", False), ("fall", False)]
)
def test_whether_something_went_up_is_answered_with_both_periods(
    ponds: gnomon.Analyst, rows: pd.DataFrame, way: str, up: bool
) -> None:
    halves = [
        rows["Netted On"].map(lambda d, year=year: d.year == year and d.month <= 6).sum()
        for year in (2022, 2023)
    ]
    question = f"Did nettings {way} from the first half of 2022 to the first half of 2023? Give both counts."
    prose = ponds.ask(question).prose
    right = halves[1] > halves[0] if up else halves[1] < halves[0]
    assert prose.startswith("Yes" if right else "No")
    assert str(halves[0]) in prose and str(halves[1]) in prose
