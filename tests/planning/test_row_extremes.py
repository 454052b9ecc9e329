"""A superlative before what one row is means that row; who, where and when are told of it."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

SPECIES = ("pike", "carp", "tench")
CATCHES = pd.DataFrame(
    {
        "catch_id": range(1, 61),
        "angler_id": [1 + i * 7 % 5 for i in range(60)],
        "lake_id": [1 + i * 11 % 4 for i in range(60)],
        "caught_on": pd.date_range("2024-03-01", periods=60, freq="4D"),
        "species": [SPECIES[i % 3] for i in range(60)],
        "weight_kg": [round(0.5 + (i * 37 % 101) * 0.07, 2) for i in range(60)],
    }
)
ANGLERS = pd.DataFrame(
    {"angler_id": range(1, 6), "name": ["Ada Moss", "Ben Hart", "Cy Lind", "Di Voss", "Eve Rook"]}
)
LAKES = pd.DataFrame(
    {
        "lake_id": range(1, 5),
        "lake_name": ["North Pool", "Mill Lake", "Old Canal", "Pit"],
        "area_ha": [2, 9, 4, 1],
    }
)
FULL = CATCHES.merge(ANGLERS, on="angler_id").merge(LAKES, on="lake_id")
PIKE = FULL[FULL.species == "pike"].nlargest(1, "weight_kg").iloc[0]


@pytest.fixture(scope="module")
def club() -> Analyst:
    assert FULL["weight_kg"].is_unique
    return gnomon.open({"catches": CATCHES, "anglers": ANGLERS, "lakes": LAKES})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which angler caught the heaviest pike, and how heavy was it?", ["name"]),
        ("Who caught the heaviest pike and where?", ["name", "lake_name"]),
        ("Where and by whom was the heaviest pike caught?", ["name", "lake_name"]),
        ("What is the heaviest pike and which angler caught it?", ["name"]),
        ("What is the heaviest pike, who caught it and when?", ["name", "caught_on"]),
        ("When was the heaviest pike caught?", ["caught_on"]),
    ],
)
def test_the_one_row_is_told_with_what_is_asked_of_it(club: Analyst, question: str, told: list[str]) -> None:
    answer = _answered(club, question)
    assert [f.value for f in answer.facts] == [PIKE["weight_kg"]]
    for column in told:
        said = PIKE[column]
        assert (f"{said:%-d %B %Y}" if column == "caught_on" else said) in answer.prose


def test_many_of_them_are_still_averaged(club: Analyst) -> None:
    pikes = FULL[FULL.species == "pike"].groupby("name")["weight_kg"].mean()
    answer = _answered(club, "Which angler catches the heaviest pike on average?")
    assert pikes.idxmax() in answer.prose and answer.facts[0].value == pytest.approx(pikes.max())


def test_the_lightest_row_of_a_table(club: Analyst) -> None:
    row = FULL.nsmallest(1, "weight_kg").iloc[0]
    answer = _answered(club, "Which lake produced the lightest catch?")
    assert row["lake_name"] in answer.prose and row["weight_kg"] in [f.value for f in answer.facts]


def test_whose_row_is_the_last(club: Analyst) -> None:
    last = FULL.nlargest(1, "caught_on").iloc[0]
    assert last["name"] in _answered(club, "Who had the most recent catch?").prose


def test_the_days_of_groups_are_told(club: Analyst) -> None:
    days = FULL.groupby("lake_name")["caught_on"].max()
    prose = _answered(club, "latest catch of each lake").prose
    assert days.idxmax() in prose and days.idxmin() in prose


def test_has_is_no_name_of_a_column_of_hectares(club: Analyst) -> None:
    counts = FULL["name"].value_counts()
    answer = _answered(club, "Which angler has the most catches?")
    assert answer.facts[0].value == counts.max()
