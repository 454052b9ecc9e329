"""A condition that names its column keeps rows, wherever it stands; highest and lowest are figures where none is asked for."""

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

_CHANCE = np.random.default_rng(11)
_ROWS = 160
PLANTS = pd.DataFrame(
    {
        "bed": _CHANCE.choice(["A", "I", "N", "Walled"], _ROWS),
        "species": _CHANCE.choice(["aster", "phlox", "other"], _ROWS),
        "height": _CHANCE.integers(20, 180, _ROWS),
        "leaves": _CHANCE.integers(5, 60, _ROWS),
        "days": _CHANCE.integers(1, 90, _ROWS),
        "watered": _CHANCE.choice(["Y", "N"], _ROWS),
    }
)
GROUP = PLANTS.groupby("species")


@pytest.fixture(scope="module")
def garden() -> Analyst:
    return gnomon.open({"plants": PLANTS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def _table(answer: Answer) -> dict[str, tuple[float, ...]]:
    return {str(row[0]): tuple(float(v) for v in row[1:]) for row in answer.tables[0].rows}


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Where species is aster, what is the average height?", PLANTS.species == "aster"),
        ("When the species is aster, what is the average height?", PLANTS.species == "aster"),
        ("average height when species is aster", PLANTS.species == "aster"),
        ("average height where species is not aster", PLANTS.species != "aster"),
        ("average height where the species isn't aster", PLANTS.species != "aster"),
        ("average height where species is other", PLANTS.species == "other"),
        ("I need the average height for bed I", PLANTS.bed == "I"),
        ("average height where bed is A", PLANTS.bed == "A"),
        ("average height with bed = N", PLANTS.bed == "N"),
        ("mean height with species = other and bed = A", (PLANTS.species == "other") & (PLANTS.bed == "A")),
        ("average height for watered N", PLANTS.watered == "N"),
        ("average height with watered no", PLANTS.watered == "N"),
        ("average height where watered is Y", PLANTS.watered == "Y"),
        (
            "With watered yes where species is phlox, what is the average height?",
            (PLANTS.watered == "Y") & (PLANTS.species == "phlox"),
        ),
    ],
)
def test_a_named_column_keeps_its_rows(garden: Analyst, question: str, rows: "pd.Series[bool]") -> None:
    answer = _answered(garden, question)
    assert answer.facts[0].value == pytest.approx(PLANTS[rows]["height"].mean())


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Show me the smallest height by species", GROUP["height"].min()),
        ("For each species, what is the highest height?", GROUP["height"].max()),
        ("How does the largest height vary by species?", GROUP["height"].max()),
        ("lowest height by species where leaves is at least 30", PLANTS[PLANTS.leaves >= 30].groupby("species")["height"].min()),
        ("median height for each species with leaves between 10 and 20", PLANTS[PLANTS.leaves.between(10, 20)].groupby("species")["height"].median()),
    ],
)  # fmt: skip
def test_ends_of_each_group_are_figures(garden: Analyst, question: str, truth: "pd.Series[float]") -> None:
    told = _table(_answered(garden, question))
    assert told == {str(k): (pytest.approx(v),) for k, v in truth.items()}


def test_two_ends_are_each_of_their_column(garden: Analyst) -> None:
    values = [f.value for f in _answered(garden, "highest height and smallest leaves").facts]
    assert values == [PLANTS.height.max(), PLANTS.leaves.min()]
    told = _table(_answered(garden, "lowest height and the average leaves by species"))
    assert told["aster"] == pytest.approx((GROUP["height"].min()["aster"], GROUP["leaves"].mean()["aster"]))


def test_a_group_that_is_asked_for_is_still_ranked(garden: Analyst) -> None:
    answer = _answered(garden, "Which species has the highest average height?")
    assert str(GROUP["height"].mean().idxmax()) in answer.prose.split(".")[0]
    assert len(_answered(garden, "species with the lowest average leaves").tables[0].rows) == 1


def test_rows_are_what_a_share_of_rows_is_of(garden: Analyst) -> None:
    answer = _answered(garden, "What is the share of rows with species aster?")
    assert answer.facts[0].value == pytest.approx(100 * (PLANTS.species == "aster").mean(), rel=1e-3)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many different values does species have?", 3),
        ("Count the distinct values of bed", 4),
        ("number of distinct values of watered", 2),
        ("number of distinct species with height under 40", PLANTS[PLANTS.height < 40].species.nunique()),
        ("highest days", PLANTS.days.max()),
        ("total days with species aster", PLANTS[PLANTS.species == "aster"].days.sum()),
    ],
)
def test_values_are_told_apart_and_a_column_may_be_called_days(
    garden: Analyst, question: str, truth: int
) -> None:
    assert _answered(garden, question).facts[0].value == truth


@pytest.mark.parametrize(
    "question",
    [
        "average height where species is tulip",
        "average height with bed Z",
        "Where soil is wet, what is the average height?",
        "average height when fertiliser is used",
    ],
)
def test_what_is_not_there_is_still_refused(garden: Analyst, question: str) -> None:
    assert garden.ask(question).status is not AnswerStatus.ANSWERED
