"""Nouns before nouns: the rows' name before a column, and words that hold of every value of a column."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import Parts
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2024, 12, 31)


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["number,opened_at,amount,department,category,assigned_to,location"]
    rows += [
        f"EXP{i:05d},2024-0{1 + i % 9}-11,{20 + 7 * (i % 31)},{('IT', 'HR')[i % 2]},{('Travel', 'Rent', 'Food')[i % 3]},"
        f"{('Ada Byron', 'Jon Snow', 'Mia Wong')[i % 3]},{('Europe', 'Asia')[i % 2]}"
        for i in range(240)
    ]
    return reader_over(tmp_path_factory.mktemp("claims"), {"flag_8": rows})


def request(reader: GrammarReader, question: str) -> Parts:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0]


@pytest.mark.parametrize("question", ["expense cost by category", "the cost of an expense by category"])
def test_the_cost_of_expenses_is_their_amount_and_not_their_number(
    claims: GrammarReader, question: str
) -> None:
    asked = request(claims, question)
    assert asked.metrics == ("amount",) and asked.dimensions == ("category",)


def test_categories_are_counted_and_not_the_rows_before_them(claims: GrammarReader) -> None:
    counted = request(claims, "How many categories are there?").metrics
    assert request(claims, "How many expense categories are there?").metrics == counted
    each = request(claims, "number of expense categories per department")
    assert each.metrics == counted and each.dimensions == ("department",)


def test_what_varies_of_expenses_is_their_amount_first(claims: GrammarReader) -> None:
    assert request(claims, "How do expenses vary across departments?").metrics == ("amount",)
    number = request(claims, "How does the number of expenses vary across departments?").metrics
    assert number == ("expenses_count",)


@pytest.mark.parametrize("said", ["human agents", "individual agents"])
def test_words_that_hold_of_every_person_say_nothing_more(claims: GrammarReader, said: str) -> None:
    assert request(claims, f"number of expenses by {said}").dimensions == ("assigned_to",)


def test_other_words_before_a_column_are_not_left_out(claims: GrammarReader) -> None:
    assert request(claims, "total amount by geographic location").dimensions == ("location",)
    for question in ("number of expenses by human department", "number of expenses by junior agents"):
        assert claims.read(question, today=TODAY).status is not ReadingStatus.CLEAR


def test_films_by_genre_are_not_told_one_by_one(tmp_path: Path) -> None:
    rows = ["name,genre,votes"] + [f"Film {i},{('Drama', 'Horror')[i % 2]},{i}" for i in range(60)]
    films = reader_over(tmp_path, {"movies": rows})
    assert films.model.tables[0].label == "movie"
    assert request(films, "total votes of movies by genre").dimensions == ("genre",)
