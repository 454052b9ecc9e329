"""Days beside their numbers, a day's high and low, titles that are plain words: drawn, with pandas beside."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

PLACES = ["Oban", "Perth", "Wick"]


def measured() -> pd.DataFrame:
    draw = np.random.default_rng(21)
    days = pd.date_range("2021-01-01", "2022-12-31")
    table = pd.DataFrame({"station": np.repeat(PLACES, len(days)), "date": np.tile(days, 3)})
    table["year"], table["month"], table["day"] = table.date.dt.year, table.date.dt.month, table.date.dt.day
    middle = draw.normal(10, 6, len(table)).round(1)
    table["avg_temp"] = middle
    table["high_temp"] = (middle + draw.uniform(1, 9, len(table))).round(1)
    table["low_temp"] = (middle - draw.uniform(1, 9, len(table))).round(1)
    table["weather"] = draw.choice(
        ["Dry", "Rain", "Snow", "Rain , Snow", "Snow , Fog", "Fog , Rain"], len(table)
    )
    return table


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Analyst, pd.DataFrame]]:
    table = measured()
    path = tmp_path_factory.mktemp("days") / "climate.csv"
    table.to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        yield analyst, table


def figures(answer: Answer) -> list[float]:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]


@pytest.mark.parametrize("kind", ["Snow", "Rain", "Fog"])
@pytest.mark.parametrize("place", PLACES)
def test_days_are_those_of_the_calendar(days: tuple[Analyst, pd.DataFrame], kind: str, place: str) -> None:
    analyst, table = days
    met = table[(table.station == place) & (table.year == 2021) & table.weather.str.contains(kind)]
    assert met.date.nunique() in figures(
        analyst.ask(f"How many days of {kind.lower()} did {place} have in 2021?")
    )


@pytest.mark.parametrize("kind", ["Snow", "Rain", "Fog"])
def test_what_is_counted_in_each_group_is_no_further_group(
    days: tuple[Analyst, pd.DataFrame], kind: str
) -> None:
    analyst, table = days
    met = table[table.weather.str.contains(kind)].groupby("station").date.nunique()
    told = analyst.ask(f"Which station had the most days with {kind.lower()}?")
    assert told.prose.startswith(met.idxmax()) and met.max() in figures(told), told.prose


@pytest.mark.parametrize("place", PLACES)
def test_the_highest_is_the_highest_high_and_the_lowest_the_lowest_low(
    days: tuple[Analyst, pd.DataFrame], place: str
) -> None:
    analyst, table = days
    own = table[table.station == place]
    assert own.high_temp.max() in figures(analyst.ask(f"What was the highest temperature in {place}?"))
    assert own.low_temp.min() in figures(analyst.ask(f"What was the lowest temperature in {place}?"))
    assert own.avg_temp.max() in figures(analyst.ask(f"What was the highest average temperature in {place}?"))


TITLES = ["Shelf, The", "Women, The", "Men, The", "Season", "Library", "Archive, The"]


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Analyst, pd.DataFrame]]:
    draw = np.random.default_rng(22)
    made = [f"{a} of {b}" for a in ("Song", "Fall", "Night", "King", "Stone", "Road", "House", "Sea") for b in (
        "Ardent", "Bellow", "Corvin", "Dunmar", "Eskil", "Farrow", "Galen", "Hestia", "Imber", "Jorvik", "Kestrel", "Lorne",
        "Mirren", "Nadir", "Orrin", "Pellin", "Quarr", "Rosmer", "Selwyn", "Torrin", "Ulver", "Varden", "Wessel", "Yarrow",
        "Zennor", "Astor", "Brome", "Calder", "Dorn", "Ember")]  # fmt: skip
    titles = pd.DataFrame({"book_id": range(1, len(made) + 7), "title": [*made, *TITLES]})
    titles["written"] = draw.integers(1700, 2020, len(titles))
    marks = pd.DataFrame(
        {"book_id": draw.integers(1, len(titles) + 1, 3000), "rating": draw.integers(1, 6, 3000)}
    )
    folder = tmp_path_factory.mktemp("books")
    titles.to_csv(folder / "books.csv", index=False)
    marks.to_csv(folder / "ratings.csv", index=False)
    with gnomon.open(folder / "books.csv", folder / "ratings.csv") as analyst:
        yield analyst, titles


@pytest.mark.parametrize(
    "question",
    ["Do women give higher ratings than men?", "How many books are on the shelf?", "How many books does the library have?",
     "average rating of the season", "books in the archive"],
)  # fmt: skip
def test_a_plain_noun_is_none_of_hundreds_of_titles(
    books: tuple[Analyst, pd.DataFrame], question: str
) -> None:
    told = books[0].ask(question)
    assert not any(title in told.prose for title in TITLES), told.prose


def test_a_title_is_found_where_it_is_written_as_one(books: tuple[Analyst, pd.DataFrame]) -> None:
    told = books[0].ask("In which year was Song of Kestrel written?")
    assert "Song of Kestrel" in told.prose


def test_how_often_is_never_told_by_an_average(books: tuple[Analyst, pd.DataFrame]) -> None:
    for often in ("most often", "most frequently", "least often"):
        told = books[0].ask(f"Which book was rated the {often}?")
        assert told.status is not AnswerStatus.ANSWERED or "average" not in told.prose.split("\n")[0], (
            told.prose
        )


@pytest.mark.parametrize("became", ["got better", "got worse", "felt better"])
def test_what_became_of_them_is_not_left_out(became: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(23)
    table = pd.DataFrame({"patient_id": range(200), "drug": draw.choice(["Albion", "Placebo"], 200)})
    table["dose_mg"] = draw.integers(1, 40, 200)
    table.to_csv(tmp_path / "patients.csv", index=False)
    with gnomon.open(tmp_path / "patients.csv") as analyst:
        told = analyst.ask(f"What percentage of the patients on Albion {became}?")
    assert told.status is not AnswerStatus.ANSWERED, told.prose
