"""The grammar reader on tables made for the test: what binds, what is refused, and what never happens."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planning.readers import reader_of

from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import request_of

TODAY = date(2024, 12, 31)
SPECIES = ("dog", "cat", "rabbit", "parrot")
VETS = ("Ines Moreau", "Paul Okafor", "Mei Tanaka")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    folder: Path = tmp_path_factory.mktemp("clinic")
    visits = ["visit_id,animal_id,visit_date,vet,fee,duration_minutes,emergency,ward"]
    for i in range(900):
        day = date.fromordinal(date(2023, 1, 1).toordinal() + (i * 7) % 730)
        ward = ("North", "South", "East")[i % 3]
        visits.append(
            f"V{i:05d},A{i % 120:04d},{day},{VETS[i % 3]},{20 + i % 90}.5,{5 + i % 55},{str(i % 9 == 0).lower()},{ward}"
        )
    animals = ["animal_id,name,species,birth_date,weight_kg"]
    animals += [
        f"A{i:04d},Pet {i},{SPECIES[i % 4]},20{10 + i % 12}-03-0{1 + i % 9},{3 + i % 30}.2"
        for i in range(120)
    ]
    (folder / "visits.csv").write_text("\n".join(visits))
    (folder / "animals.csv").write_text("\n".join(animals))
    return reader_of(folder)


def read(reader: GrammarReader, question: str, previous: Parts | None = None) -> Reading:
    return reader.read(
        question, today=TODAY, previous=request_of(previous, reader.model) if previous is not None else None
    )


def clear(reader: GrammarReader, question: str, previous: Parts | None = None) -> Parts:
    reading = read(reader, question, previous)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    return reading.parts[0]


@pytest.mark.parametrize(
    "question",
    [
        "How many visits were there in March 2024?",
        "number of visits, March 2024",
        "visits in march 2024",
        "count visits for 2024-03",
    ],
)
def test_one_count_in_many_words(clinic: GrammarReader, question: str) -> None:
    request = clear(clinic, question)
    assert request.kind is QuestionKind.VALUE
    assert [clinic.model.metric(m).table for m in request.metrics] == ["visits"]
    assert request.time_range is not None
    assert (request.time_range.start, request.time_range.end) == (date(2024, 3, 1), date(2024, 3, 31))


def test_values_filter_and_their_noun_is_absorbed(clinic: GrammarReader) -> None:
    request = clear(clinic, "total fee in the North ward")
    assert [(f.field, f.operator, f.values) for f in request.filters] == [
        ("ward", FilterOperator.EQUALS, ("North",))
    ]
    assert request.dimensions == ()


@pytest.mark.parametrize(
    ("question", "operator", "values"),
    [
        ("fees excluding the South ward", FilterOperator.NOT_EQUALS, ("South",)),
        ("fees for neither North nor South", FilterOperator.NOT_IN, ("North", "South")),
        ("fees in North and East", FilterOperator.IN, ("North", "East")),
        ("fees outside of North and East", FilterOperator.NOT_IN, ("North", "East")),
    ],
)
def test_lists_and_exclusions(
    clinic: GrammarReader, question: str, operator: FilterOperator, values: tuple[str, ...]
) -> None:
    request = clear(clinic, question)
    assert [(f.operator, f.values) for f in request.filters] == [(operator, values)]


@pytest.mark.parametrize(
    ("question", "operator", "values"),
    [
        ("how many visits had a fee above 80", FilterOperator.GREATER, (80,)),
        ("visits with a fee of 80 or more", FilterOperator.AT_LEAST, (80,)),
        ("visits with a fee between 30 and 50", FilterOperator.BETWEEN, (30, 50)),
        ("number of visits with a fee under $40", FilterOperator.LESS, (40,)),
    ],
)
def test_bounds_on_a_column_filter_rows(
    clinic: GrammarReader, question: str, operator: FilterOperator, values: tuple[int, ...]
) -> None:
    request = clear(clinic, question)
    assert [(f.field, f.operator, f.values, f.having) for f in request.filters] == [
        ("fee", operator, values, False)
    ]


def test_bounds_on_what_groups_add_up_to(clinic: GrammarReader) -> None:
    request = clear(clinic, "Which animals paid more than 600 in total fees?")
    having = [f for f in request.filters if f.having]
    assert [(f.operator, f.values, f.by) for f in having] == [(FilterOperator.GREATER, (600,), "animal_id")]
    assert request.kind is QuestionKind.LIST


def test_groups_that_meet_a_bound_are_counted(clinic: GrammarReader) -> None:
    request = clear(clinic, "How many animals had more than 7 visits?")
    assert request.metrics == (f"count({clinic.names.count_of_table('visits').name} per animal_id > 7)",)


def test_a_ranking_names_its_limit_order_and_measure(clinic: GrammarReader) -> None:
    request = clear(clinic, "top 3 vets by fee in 2024")
    assert request.kind is QuestionKind.RANKING
    assert (request.dimensions, request.limit, request.descending) == (("vet",), 3, True)
    lowest = clear(clinic, "which ward has the lowest average fee?")
    assert (lowest.dimensions, lowest.limit, lowest.descending) == (("ward",), 1, False)
    assert lowest.metrics == ("mean(visits.fee)",)


def test_superlatives_without_a_group_are_extremes_of_the_column(clinic: GrammarReader) -> None:
    assert clear(clinic, "what is the highest fee?").metrics == ("max(visits.fee)",)
    assert clear(clinic, "shortest visit duration in minutes").kind in (
        QuestionKind.VALUE,
        QuestionKind.RANKING,
    )


def test_a_yes_or_no_column_is_an_adjective(clinic: GrammarReader) -> None:
    request = clear(clinic, "What percentage of visits in the East ward were emergency?")
    assert request.kind is QuestionKind.SHARE
    assert [f.field for f in request.part] == ["emergency"]
    assert [f.field for f in request.filters] == ["ward"]


def test_an_attribute_of_a_joined_table_groups(clinic: GrammarReader) -> None:
    request = clear(clinic, "average fee by species")
    assert request.kind is QuestionKind.BREAKDOWN
    assert request.dimensions == ("species",)


def test_two_values_set_against_each_other(clinic: GrammarReader) -> None:
    for question in (
        "fees of dogs vs cats",
        "compare the fees of dogs and cats",
        "Did dogs or cats bring more fees?",
    ):
        request = clear(clinic, question)
        assert request.kind is QuestionKind.COMPARISON, question
        assert request.comparison is not None
        assert set(request.comparison.groups) == {"dog", "cat"}


def test_periods_set_against_each_other(clinic: GrammarReader) -> None:
    request = clear(clinic, "How did fees change from Q1 to Q2 2024?")
    assert request.kind is QuestionKind.COMPARISON
    assert request.time_range is not None and request.comparison is not None
    assert request.comparison.period is not None
    assert (request.time_range.start, request.comparison.period.start) == (date(2024, 4, 1), date(2024, 1, 1))


def test_several_periods_become_several_requests(clinic: GrammarReader) -> None:
    reading = read(clinic, "fees in March and May 2024")
    starts = [r.time_range.start for r in reading.parts if r.time_range]
    assert starts == [date(2024, 3, 1), date(2024, 5, 1)]


def test_fragments_continue_the_question_before(clinic: GrammarReader) -> None:
    first = clear(clinic, "total fee in 2024")
    by_ward = clear(clinic, "and by ward?", first)
    assert (by_ward.metrics, by_ward.dimensions, by_ward.time_range) == (
        first.metrics,
        ("ward",),
        first.time_range,
    )
    earlier = clear(clinic, "only 2023", by_ward)
    assert earlier.time_range is not None
    assert earlier.time_range.start == date(2023, 1, 1)
    assert earlier.dimensions == ("ward",)
    other = clear(clinic, "what about the number of visits?", by_ward)
    assert clinic.model.metric(other.metrics[0]).table == "visits"
    assert other.dimensions == ("ward",)


def test_misspelt_words_are_read_and_cost_confidence(clinic: GrammarReader) -> None:
    request = clear(clinic, "averge fee by speceis")
    assert request.dimensions == ("species",)
    assert request.confidence < 1


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is the average blood pressure?", "blood"),
        ("fees in the West ward", "West"),
        ("How many nurses work in the North ward?", "nurses"),
        ("total fee for hamsters", "hamsters"),
    ],
)
def test_what_is_not_in_the_data_is_named(clinic: GrammarReader, question: str, missing: str) -> None:
    reading = read(clinic, question)
    assert reading.status in (ReadingStatus.PARTIAL, ReadingStatus.NOT_ABOUT_DATA)
    assert missing in reading.missing
    assert missing in reading.message


def test_an_acronym_is_never_taken_for_a_misspelling(clinic: GrammarReader) -> None:
    assert read(clinic, "WARF in 2024").status is not ReadingStatus.CLEAR


def test_a_bound_that_binds_to_nothing_is_not_dropped(clinic: GrammarReader) -> None:
    assert read(clinic, "visits between 100 and 200").status is not ReadingStatus.CLEAR
    assert read(clinic, "total fee except").status is not ReadingStatus.CLEAR


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_any_text_gets_a_reading(clinic: GrammarReader, text: str) -> None:
    reading = read(clinic, text)
    assert 0 <= reading.explained <= 1
    if reading.status is ReadingStatus.CLEAR:
        assert reading.parts and not reading.missing


_SALAD = """fee visits ward North South species dog vet average total top 3 5 by in per most than more between and 2024
last month not excluding who which how many share of compare versus over under without median growth zebra quark"""
_WORDS = st.sampled_from(_SALAD.split())


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(st.lists(_WORDS, min_size=1, max_size=10))
def test_salads_of_known_words_only_name_what_exists(clinic: GrammarReader, words: list[str]) -> None:
    reading = read(clinic, " ".join(words))
    for request in reading.parts:
        for metric in request.metrics:
            clinic.model.metric(metric)
        for dimension in request.dimensions:
            clinic.model.dimension(dimension)
    if {"zebra", "quark"} & set(words):
        assert reading.status is not ReadingStatus.CLEAR


def test_the_same_question_is_read_the_same_way(clinic: GrammarReader) -> None:
    question = "average fee by species and ward since January 2024"
    assert read(clinic, question) == read(clinic, question)
