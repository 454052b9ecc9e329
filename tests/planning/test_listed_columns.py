"""Several columns of the same rows are listed side by side; a bound on rows bounds rows, whatever is asked of them."""

from __future__ import annotations

from datetime import date

import pytest
from tests.planning.readers import reader_over

from gnomon.core.operations import Tell
from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2024, 6, 1)
TOWNS = ("Oslo", "Leeds", "Lima")


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    boats = ["Boat_ID,Name,Owner_ID,Length_m,Built,Colour"]
    boats += [
        f"{i},Wave {i},{1 + i % 9},{6 + i % 23},{1960 + i % 60},{('red', 'blue')[i % 2]}"
        for i in range(1, 91)
    ]
    owners = [
        "Owner_ID,Name,Town,Age",
        *(f"{i},Skipper {i},{TOWNS[i % 3]},{24 + 5 * i}" for i in range(1, 10)),
    ]
    return reader_over(tmp_path_factory.mktemp("harbour"), {"boat": boats, "owner": owners})


def read(reader: GrammarReader, question: str) -> Parts:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.message)
    assert len(reading.parts) == 1
    return reading.parts[0]


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("Show the names and towns of owners", ["owner.Name", "Town"]),
        ("What are the name, colour and length of all boats?", ["Name", "Colour", "Length_m"]),
        ("List the name and age of every owner from Leeds", ["owner.Name", "Age"]),
        ("Give me the town and age of Skipper 4", ["Town", "Age"]),
    ],
)
def test_columns_side_by_side_are_listed(harbour: GrammarReader, question: str, columns: list[str]) -> None:
    request = read(harbour, question)
    assert request.kind is QuestionKind.LIST
    assert not request.metrics
    assert [harbour.model.dimension(d).home for d in request.dimensions] == [
        harbour.model.dimension(c).home for c in columns
    ]


@pytest.mark.parametrize(
    "question",
    ["Show the average length and the colour of boats", "Show the number of boats by colour and town"],
)
def test_what_is_computed_is_not_listed(harbour: GrammarReader, question: str) -> None:
    reading = harbour.read(question, today=TODAY)
    assert all(r.metrics for r in reading.parts)


def test_rows_are_bounded_and_not_what_is_asked_of_them(harbour: GrammarReader) -> None:
    request = read(harbour, "List the towns of owners older than 50")
    assert request.kind is QuestionKind.LIST
    assert [(f.field, f.operator, f.values, f.having) for f in request.filters] == [
        ("Age", FilterOperator.GREATER, (50,), False)
    ]


def test_groups_are_bounded_where_their_average_is_named(harbour: GrammarReader) -> None:
    request = read(harbour, "Which towns have an average age above 50?")
    assert [(f.operator, f.having, f.by) for f in request.filters] == [(FilterOperator.GREATER, True, "Town")]


def test_a_column_is_that_of_the_rows_that_are_spoken_of(harbour: GrammarReader) -> None:
    for question, table in (
        ("the names and ages of owners", "owner"),
        ("the names and colours of boats", "boat"),
    ):
        first = harbour.model.dimension(read(harbour, f"Show {question}").dimensions[0])
        assert (first.home.table, first.home.column) == (table, "Name")


@pytest.mark.parametrize(
    ("question", "descending"),
    [
        ("Rank the boats by length", True),
        ("List the boats by length from smallest to largest", False),
        ("Order boats by length in ascending order", False),
    ],
)
def test_rows_are_sorted_by_a_column_and_not_grouped_by_it(
    harbour: GrammarReader, question: str, descending: bool
) -> None:
    request = read(harbour, question)
    assert [harbour.model.metric(m).expression for m in request.metrics] == ["Length_m"]
    assert [harbour.model.dimension(d).home.column for d in request.dimensions] == ["Boat_ID"]
    assert request.descending is descending


def test_groups_are_told_from_the_end_that_was_asked_for(harbour: GrammarReader) -> None:
    assert read(harbour, "number of boats by colour in ascending order").descending is False
    assert read(harbour, "number of boats by colour in descending order").descending is True


@pytest.mark.parametrize(
    "question",
    [
        "What is the maximum and the average length of boats?",
        "What is the maximum length and the average length?",
    ],
)
def test_each_aggregation_of_a_list_is_kept(harbour: GrammarReader, question: str) -> None:
    found = {
        (m.aggregation.value, m.expression)
        for m in map(harbour.model.metric, read(harbour, question).metrics)
        if m.aggregation
    }
    assert found == {("max", "Length_m"), ("mean", "Length_m")}


def test_without_is_never_taken_for_with(harbour: GrammarReader) -> None:
    request = read(harbour, "List the owners without boats")
    assert [(f.operator, f.values) for f in request.filters] == [(FilterOperator.EQUALS, (0,))]


def test_a_ratio_of_two_values_is_no_share_of_both(harbour: GrammarReader) -> None:
    request = read(harbour, "What is the ratio of red to blue boats?")
    assert request.kind is QuestionKind.COMPARISON and request.tells == (Tell.RATIO,)
    assert request.comparison is not None and request.comparison.groups == ("red", "blue")


def test_by_and_a_value_says_whose_they_are(harbour: GrammarReader) -> None:
    request = read(harbour, "What is the total length of boats by Skipper 4?")
    assert not request.dimensions
    assert [f.values for f in request.filters] == [("Skipper 4",)]


def test_the_measure_behind_the_superlative_ranks(harbour: GrammarReader) -> None:
    request = read(harbour, "What is the age of the owner with the lowest average length?")
    assert harbour.model.metric(request.metrics[0]).expression == "Length_m"
    assert request.descending is False
