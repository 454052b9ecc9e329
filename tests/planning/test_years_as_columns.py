"""One column for each year: the year names its column, and a change is that between two of them."""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from tests.planning.readers import reader_over

import gnomon
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 6, 1)
FARMS = ("Ash", "Birk", "Clover")
CROPS = ("wheat", "oats")
YIELDS = ["farm,crop,2019,2020,2021,2022"] + [
    f"{farm},{crop},{5 + i},{6 + 2 * i},{9 - i},{7 + i % 2}"
    for i, (farm, crop) in enumerate((f, c) for f in FARMS for c in CROPS)
]
TOWNS = [
    "town,county,pop_1990,pop_2000,pop_2010",
    "Ayr,South,10,12,15",
    "Wick,North,7,6,5",
    "Oban,West,8,8,9",
]


@pytest.fixture(scope="module")
def yields(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Yields of farms, one column a year."""
    return reader_over(tmp_path_factory.mktemp("yields"), {"yields": YIELDS})


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Inhabitants of towns, one column a decade."""
    return reader_over(tmp_path_factory.mktemp("towns"), {"towns": TOWNS})


@pytest.mark.parametrize(
    ("question", "metrics"),
    [
        ("Total for wheat in 2021", ("yields_2021",)),
        ("What was the average value for oats in 2020?", ("mean(yields.2020)",)),
        ("Which farm had the highest figure for wheat in 2022?", ("yields_2022",)),
        (
            "How did wheat at Ash change from 2019 to 2022?",
            ("yields_2019", "yields_2022", "yields_2022 - yields_2019"),
        ),
        ("Total by year", ("yields_2019", "yields_2020", "yields_2021", "yields_2022")),
        ("Total for oats from 2019 to 2021", ("yields_2019", "yields_2020", "yields_2021")),
    ],
)
def test_a_year_names_its_column(yields: GrammarReader, question: str, metrics: tuple[str, ...]) -> None:
    reading = yields.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, reading.message
    assert reading.parts[0].metrics == metrics


@pytest.mark.parametrize(
    "question", ["Total for wheat in 2018", "Total rainfall in 2020", "total for rye in 2020"]
)
def test_a_year_or_a_figure_that_is_not_there_is_refused(yields: GrammarReader, question: str) -> None:
    assert yields.read(question, today=TODAY).status is not ReadingStatus.CLEAR


def test_what_is_grown_did_not_become_more(yields: GrammarReader) -> None:
    request = yields.read("How many farms grow oats?", today=TODAY).parts[0]
    assert request.metrics == ("count_distinct(yields.farm)",) and request.kind == "value"


def test_a_change_is_that_of_the_two_years(towns: GrammarReader) -> None:
    request = towns.read("how did the population of Wick change from 1990 to 2010?", today=TODAY).parts[0]
    assert request.metrics == ("pop_1990", "pop_2010", "pop_2010 - pop_1990")


def test_figures_are_those_of_the_column(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("\n".join(TOWNS))
    answer = gnomon.open(tmp_path).ask("total population in 2000")
    expected = pd.read_csv(tmp_path / "towns.csv").pop_2000.sum()
    assert any(f.value == pytest.approx(expected) for f in answer.facts)
