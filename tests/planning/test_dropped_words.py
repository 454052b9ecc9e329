"""Words that name nothing and ask for nothing more are left aside and told; what the data lacks is still refused."""

from __future__ import annotations

from datetime import date

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus

TODAY = date(2024, 12, 31)


def _day(i: int) -> date:
    return date.fromordinal(date(2024, 1, 1).toordinal() + (i * 3) % 360)


@pytest.fixture(scope="module")
def prices(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["Date,Open,High,Low,Close,Volume"]
    rows += [
        f"{_day(i)},{20 + i % 7},{25 + i % 7},{15 + i % 7},{21 + i % 5},{1000 + i * 37 % 900}"
        for i in range(120)
    ]
    return reader_over(tmp_path_factory.mktemp("prices"), {"stock_prices": rows})


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["appointment_id,held_on,patient_id,therapist,fee_eur,minutes"]
    rows += [
        f"A{i:04d},{_day(i)},P{i % 60:03d},{('Ann', 'Bo', 'Cy')[i % 3]},{40 + i % 30},{(30, 45, 60)[i % 3]}"
        for i in range(400)
    ]
    return reader_over(tmp_path_factory.mktemp("clinic"), {"appointments": rows})


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    rows = ["sale_id,sold_on,shop,pastry,pieces,takings_eur,flour_kg"]
    rows += [
        f"{i},{_day(i)},{('Dock', 'Mill', 'Quay')[i % 3]},{('tart', 'bagel')[i % 2]},{1 + i % 9},{3 + i * 7 % 60}.5,{1 + i % 4}"
        for i in range(300)
    ]
    return reader_over(tmp_path_factory.mktemp("bakery"), {"bakery_sales": rows})


def read(reader: GrammarReader, question: str) -> Reading:
    return reader.read(question, today=TODAY)


def test_a_verb_that_says_what_the_rows_are_is_left_aside(prices: GrammarReader) -> None:
    """The figure is the one of the question without the verb, and the answer says what was left aside."""
    reading = read(prices, "What was the total volume handled in August 2024?")
    plain = read(prices, "What was the total volume in August 2024?")
    assert reading.status is ReadingStatus.CLEAR
    assert [r.metrics for r in reading.parts] == [r.metrics for r in plain.parts]
    assert [r.time_range for r in reading.parts] == [r.time_range for r in plain.parts]
    assert any("“handled”" in note for note in reading.notes)
    assert reading.parts[0].question == "What was the total volume handled in August 2024?"


@pytest.mark.parametrize(
    "question",
    [
        "How many appointments were handled in March 2024?",
        "Which therapist conducted the most appointments?",
    ],
)
def test_everyday_wording_of_rows_is_answered(clinic: GrammarReader, question: str) -> None:
    assert read(clinic, question).status is ReadingStatus.CLEAR


@pytest.mark.parametrize(
    "question",
    [
        "How many cancelled appointments were there in March 2024?",
        "How many appointments were cancelled in March 2024?",
        "What was the average insurance fee in March 2024?",
        "How many online appointments did Ann have?",
        "How many first appointments did Ann have in May 2024?",
        "How many referrals did Ann get?",
        "How many appointments had a female patient?",
        "total refunded fees in 2024",
    ],
)
def test_what_the_data_does_not_have_is_still_refused(clinic: GrammarReader, question: str) -> None:
    assert read(clinic, question).status is not ReadingStatus.CLEAR, question


def test_another_sort_of_the_same_figure_is_refused(prices: GrammarReader) -> None:
    assert read(prices, "total volume shorted in August 2024").status is ReadingStatus.PARTIAL


def test_numbers_and_comparisons_are_never_left_aside(prices: GrammarReader) -> None:
    for question in ("the several highest closes on before", "Which was the zaniest close?"):
        assert read(prices, question).status is not ReadingStatus.CLEAR, question


@pytest.mark.parametrize(
    "question",
    [
        "Of the patients who have gone, what was the average fee?",
        "What was the average fee of appointments that lapsed?",
        "Top 2 therapists by total annual payroll",
        "average minutes of appointments in the annex",
    ],
)
def test_who_is_meant_and_what_is_ranked_by_are_never_left_aside(
    clinic: GrammarReader, question: str
) -> None:
    assert read(clinic, question).status is not ReadingStatus.CLEAR, question


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Which shop racks up the most takings?", "Which shop has the highest takings?"),
        ("Which shop guzzles the most flour?", "Which shop has the highest flour?"),
        ("Which shop turns out the most pieces?", "Which shop has the most pieces?"),
        ("total takings banked in 2024 by shop", "total takings in 2024 by shop"),
    ],
)
def test_a_colourful_verb_says_no_more_than_a_plain_one(
    bakery: GrammarReader, question: str, plain: str
) -> None:
    reading, other = read(bakery, question), read(bakery, plain)
    assert reading.status is ReadingStatus.CLEAR
    assert [(r.metrics, r.dimensions, r.filters, r.time_range) for r in reading.parts] == [
        (r.metrics, r.dimensions, r.filters, r.time_range) for r in other.parts
    ]
    assert any("was taken to say no more" in note for note in reading.notes)


@pytest.mark.parametrize(
    "question",
    [
        "Which shop throws away the most pieces?",
        "Which shop throws out the most pieces?",
        "Which shop sends back the most pieces?",
        "Which shop refunds the most takings?",
        "Which shop discounts the most pieces?",
        "Which shop wastes the most flour?",
        "How many pieces did we donate in 2024?",
        "takings of vegan pastries",
        "takings from loyal customers by shop",
        "What share of the ovens sold tarts?",
        "takings from sales that nobody wanted",
        "Is Dock better at discounting pieces than Mill?",
    ],
)
def test_a_verb_or_an_adjective_that_asks_for_something_else_is_refused(
    bakery: GrammarReader, question: str
) -> None:
    assert read(bakery, question).status is not ReadingStatus.CLEAR, question
