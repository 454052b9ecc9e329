"""Every word of a question is borne by its reading, or the reading is not clear: no number for half a question."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planning.readers import reader_of

from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reader.lengths import in_unit, unit_of_time
from gnomon.planning.reading import Reading, ReadingStatus

TODAY = date(2025, 1, 15)


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """A marina: boats with their own price and length, and rentals of them by guests."""
    rng = random.Random(7)
    folder: Path = tmp_path_factory.mktemp("harbour")
    boats = ["boat_id,boat_name,boat_type,day_price_eur,length_m"]
    for i in range(60):
        kind = ("Sailboat", "Motorboat", "Canoe")[i % 3]
        boats.append(f"B{i:03d},Boat {i},{kind},{40 + 7 * (i % 25)},{4 + i % 11}.5")
    rentals = [
        "rental_id,boat_id,guest_id,guest_age,start_date,cause,rental_days,total_cost_eur,downtime_min,pax,insured,pier,state"
    ]
    for i in range(1500):
        day = date.fromordinal(date(2023, 1, 1).toordinal() + (i * 13) % 730)
        pier, cause = ("North pier", "South pier", "West pier")[i % 3], ("Holiday", "Race", "Training")[i % 3]
        state = ("finished", "cancelled", "open")[rng.randrange(3)]
        rentals.append(
            f"R{i:05d},B{rng.randrange(60):03d},G{rng.randrange(400):04d},{18 + rng.randrange(60)},{day},{cause},"
            f"{1 + rng.randrange(30)},{90 + rng.randrange(4000)}.5,{rng.randrange(300)},{2 + rng.randrange(40)},"
            f"{str(rng.random() < 0.3).lower()},{pier},{state}"
        )
    (folder / "boats.csv").write_text("\n".join(boats))
    (folder / "rentals.csv").write_text("\n".join(rentals))
    return reader_of(folder)


def read(reader: GrammarReader, question: str) -> Reading:
    return reader.read(question, today=TODAY)


def clear(reader: GrammarReader, question: str) -> Parts:
    reading = read(reader, question)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0]


def bounds(request: Parts) -> list[tuple[str, FilterOperator, tuple[object, ...]]]:
    return [(f.field, f.operator, f.values) for f in request.filters]


@pytest.mark.parametrize(
    ("question", "aggregation"),
    [
        ("median cost of rentals", "median("),
        ("Which pier has the highest average cost?", "mean("),
        ("What is the maximum cost of a rental?", "max("),
    ],
)
def test_an_aggregation_that_was_said_is_in_the_request(
    harbour: GrammarReader, question: str, aggregation: str
) -> None:
    assert clear(harbour, question).metrics[0].startswith(aggregation)


def test_a_measure_is_no_grouping_unless_by_stands_before_it(harbour: GrammarReader) -> None:
    request = clear(harbour, "What do total cost and downtime look like per pier?")
    assert (len(request.metrics), request.dimensions) == (2, ("pier",))


def test_what_a_thing_costs_is_its_own_price(harbour: GrammarReader) -> None:
    request = clear(harbour, "How many boats cost under 100?")
    assert bounds(request) == [("day_price_eur", FilterOperator.LESS, (100,))]
    assert clear(harbour, "the cheapest boat").metrics == clear(harbour, "boats by day price").metrics


def test_persons_over_a_number_are_so_by_age(harbour: GrammarReader) -> None:
    request = clear(harbour, "How many guests over 70 were there?")
    assert bounds(request) == [("guest_age", FilterOperator.GREATER, (70,))]


@pytest.mark.parametrize(
    ("question", "days"), [("more than 10 days", 10), ("more than two weeks", 14), ("more than 48 hours", 2)]
)
def test_a_bound_is_told_in_the_unit_of_its_column(harbour: GrammarReader, question: str, days: int) -> None:
    request = clear(harbour, f"How many rentals lasted {question}?")
    assert bounds(request) == [("rental_days", FilterOperator.GREATER, (days,))]


def test_months_are_not_a_number_of_days(harbour: GrammarReader) -> None:
    assert read(harbour, "How many rentals lasted more than 2 months?").status is not ReadingStatus.CLEAR


@pytest.mark.parametrize(
    ("said", "held", "value"), [("week", "days", 14.0), ("hour", "min", 120.0), ("year", "months", 24.0)]
)
def test_lengths_convert_within_clock_and_calendar(said: str, held: str, value: float) -> None:
    assert in_unit((2.0,), said, held) == (value,)


def test_lengths_across_clock_and_calendar_do_not_convert() -> None:
    assert in_unit((2.0,), "month", "days") is None
    assert in_unit((2.0,), "day", "EUR") is None
    assert unit_of_time("metres") is None


def test_the_share_that_a_flag_marks_is_its_rate(harbour: GrammarReader) -> None:
    rate = clear(harbour, "What percentage of rentals were insured?")
    assert rate.kind is QuestionKind.SHARE or "rate" in rate.metrics[0]
    part = clear(harbour, "What percentage of insured rentals came from the West pier?")
    assert [f.field for f in part.part] == ["pier"]


def test_amounts_of_time_and_heads_add_up(harbour: GrammarReader) -> None:
    for question in ("Which boat had the most downtime?", "pax per month"):
        metric = harbour.model.metric(clear(harbour, question).metrics[0])
        assert metric.aggregation == "sum", question


def test_behind_by_a_word_of_questions_is_a_name(harbour: GrammarReader) -> None:
    request = clear(harbour, "average total cost by cause")
    assert (request.kind, request.dimensions) == (QuestionKind.BREAKDOWN, ("cause",))


def test_a_second_preposition_ends_an_exclusion(harbour: GrammarReader) -> None:
    request = clear(harbour, "rentals outside the North pier in cancelled state")
    assert {(f.field, f.operator) for f in request.filters} == {
        ("pier", FilterOperator.NOT_EQUALS),
        ("state", FilterOperator.EQUALS),
    }


@pytest.mark.parametrize(
    "question",
    [
        "How many rentals ended in a draw?",
        "Which pier is the friendliest?",
        "What is the average mood of rentals by pier?",
        "How many rentals were longer?",
        "median noise of rentals at the North pier",
        "Which boats were repainted most?",
        "What share of rentals was sponsored?",
    ],
)
def test_what_nothing_stands_for_is_not_dropped(harbour: GrammarReader, question: str) -> None:
    reading = read(harbour, question)
    assert reading.status is not ReadingStatus.CLEAR, reading.parts


_UNKNOWN = (
    "glacier",
    "violin",
    "parliament",
    "kettle",
    "orchard",
    "passport",
    "vaccine",
    "tariff",
    "quasar",
    "zorbulate",
)
_TEMPLATES = (
    "What is the {total cost} by {pier}?",
    "average {downtime} per {boat type} in 2024",
    "How many {rentals} were there at the {North pier} in 2023?",
    "Which {pier} had the most {rentals} in 2024?",
    "{total cost} of {cancelled} rentals by month",
    "How many {boats} have a {day price} over 100?",
    "top 5 {boats} by {total cost}",
    "correlation between {guest age} and {rental days}",
    "share of {rentals} with the cause {Race}",
    "median {total cost} for {Sailboat} rentals lasting more than 7 {days}",
)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(_TEMPLATES), st.integers(0, 1), st.sampled_from(_UNKNOWN))
def test_a_word_that_is_not_in_the_data_never_goes_unnoticed(
    harbour: GrammarReader, template: str, place: int, unknown: str
) -> None:
    filled = [part.partition("}") for part in template.split("{")[1:]]
    words = [unknown if n == place else known for n, (known, _, _) in enumerate(filled)]
    question = template.split("{")[0] + "".join(
        w + rest for w, (_, _, rest) in zip(words, filled, strict=True)
    )
    reading = read(harbour, question)
    assert reading.status is not ReadingStatus.CLEAR, (question, reading.parts)


@pytest.mark.parametrize("template", _TEMPLATES)
def test_the_same_questions_are_clear_with_their_own_words(harbour: GrammarReader, template: str) -> None:
    reading = read(harbour, template.replace("{", "").replace("}", ""))
    assert reading.status is ReadingStatus.CLEAR, (template, reading.missing, reading.message)


def test_how_much_is_never_a_number_of_rows(harbour: GrammarReader) -> None:
    assert read(harbour, "how much was rented in 2023").status is not ReadingStatus.CLEAR
    assert clear(harbour, "how many rentals were there in 2023").metrics == ("rentals",)


def test_which_asks_for_names(harbour: GrammarReader) -> None:
    request = clear(harbour, "which boats are more than 12 m in length")
    assert request.kind is QuestionKind.LIST
    assert request.dimensions == ("boat_id",)


def test_days_that_are_counted_are_not_what_happened_on_them(harbour: GrammarReader) -> None:
    reading = read(harbour, "on how many different days were there rentals")
    assert reading.status is not ReadingStatus.CLEAR or reading.parts[0].metrics != ("rentals",)


def test_rows_that_are_measured_are_no_second_group(harbour: GrammarReader) -> None:
    request = clear(harbour, "average total cost by pier, rentals of 2024 only")
    assert request.dimensions == ("pier",)


def test_an_article_is_no_part_of_a_name(tmp_path: Path) -> None:
    rows = ["screening_id,occupancy_pct,q_and_a"]
    rows += [f"S{i:04d},{20 + i % 70},{'Y' if i % 4 else 'N'}" for i in range(300)]
    (tmp_path / "screenings.csv").write_text("\n".join(rows))
    request = clear(reader_of(tmp_path), "what is the average occupancy of a screening")
    assert request.filters == ()


def test_an_average_that_is_said_is_what_is_bounded(harbour: GrammarReader) -> None:
    (bound,) = clear(harbour, "which piers have an average total cost above 2000").filters
    assert (bound.field, bound.having, bound.by) == ("mean(rentals.total_cost_eur)", True, "pier")
    (total,) = clear(harbour, "which piers have a total cost above 2000").filters
    assert total.field == "total_cost_eur"
