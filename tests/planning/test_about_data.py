"""Questions about the data itself are told from questions about what it records."""

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import QuestionKind
from gnomon.core.studies import Inspection
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 6, 1)
TREES = ["tree_no,species,height_m,soil,surveyed_on"] + [
    f"{i},{('Oak', 'Beech', 'Pine')[i % 3]},{'' if i % 7 == 0 else 8 + i % 9},{'' if i % 5 == 0 else ('clay', 'sand')[i % 2]},2024-0{1 + i % 9}-1{i % 9}"
    for i in range(60)
]
FIELDS = ["field,crop,yield_t,condition"] + [
    f"F{i},{('rye', 'oats')[i % 2]},{i % 11 + 2},{('good', 'empty', 'poor')[i % 3]}" for i in range(40)
]


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Trees, some without a height or a soil."""
    return reader_over(tmp_path_factory.mktemp("trees"), {"trees": TREES})


@pytest.fixture(scope="module")
def fields(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Fields of a farm, of which some are in the condition "empty"."""
    return reader_over(tmp_path_factory.mktemp("fields"), {"fields": FIELDS})


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which column(s) contain missing values?", Inspection(about="missing", gaps="columns")),
        (
            "2. Which columns have null values in the dataset?",
            Inspection(about="missing", gaps="columns"),
        ),
        ("How many columns have missing values?", Inspection(about="missing", gaps="columns")),
        ("Which columns have no missing values?", Inspection(about="missing", gaps="full")),
        (
            "How many missing values are there for each column?",
            Inspection(about="missing", gaps="each"),
        ),
        ("How many NaN values are there in total?", Inspection(about="missing")),
        (
            "Is there any missing data? If so, which column has the most?",
            Inspection(about="missing", gaps="most"),
        ),
        ("How many rows have no missing value?", Inspection(about="missing", gaps="complete")),
        ("How many rows contain at least one empty cell?", Inspection(about="missing", gaps="rows")),
        ("How many rows and columns does the table have?", Inspection(about="shape")),
        ("What is the shape of the data?", Inspection(about="shape")),
        ("What are the names of the columns?", Inspection(about="columns")),
        ("What data types do the columns have?", Inspection(about="types")),
        ("Which variables are numeric?", Inspection(about="types", holding="numeric")),
        ("How many duplicate rows are there?", Inspection(about="duplicates")),
        ("How many unique values does each column have?", Inspection(about="distinct")),
        ("What period does the data cover?", Inspection(about="period")),
    ],
)
def test_the_data_itself_is_asked_about(trees: GrammarReader, question: str, asked: Inspection) -> None:
    reading = trees.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR
    assert reading.parts[0].kind is QuestionKind.PROFILE
    assert reading.parts[0].study == asked


@pytest.mark.parametrize(
    "question",
    [
        "How many missing values are there in the height_m column?",
        "What percentage of height_m is missing?",
        'How many nulls are in "height_m"?',
        "How many trees have null values in height_m?",
    ],
)
def test_missing_values_of_a_named_column_are_those_of_its_table(trees: GrammarReader, question: str) -> None:
    request = trees.read(question, today=TODAY).parts[0]
    assert request.kind is QuestionKind.PROFILE
    assert request.study == Inspection(
        about="missing", columns=("height_m",), table="trees", share="percentage" in question
    )


@pytest.mark.parametrize(
    "question",
    [
        "How many trees are there per species?",
        "How many rows are there?",
        "What is the average height_m by soil?",
        "How many oak trees have no soil?",
        "How many trees were surveyed in March 2024?",
        "What is the number of different species?",
        "Would you be so kind as to give the height_m for each species?",
    ],
)
def test_what_the_data_records_is_no_question_about_the_data(trees: GrammarReader, question: str) -> None:
    reading = trees.read(question, today=TODAY)
    assert all(r.kind is not QuestionKind.PROFILE for r in reading.parts)


def test_fields_of_a_farm_are_no_columns_and_a_value_called_empty_is_a_value(fields: GrammarReader) -> None:
    counted = fields.read("How many fields are there?", today=TODAY)
    assert counted.parts[0].kind is not QuestionKind.PROFILE
    most = fields.read("Which fields have the most records?", today=TODAY)
    assert all(r.kind is not QuestionKind.PROFILE for r in most.parts)
    state = fields.read("How many rows are empty?", today=TODAY)
    assert all(r.kind is not QuestionKind.PROFILE for r in state.parts)


def test_what_no_word_explains_is_not_left_out(trees: GrammarReader) -> None:
    reading = trees.read("How many missing values are there in the bark column?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR


def test_columns_called_like_words_for_data_are_columns_where_they_are_said_to_be(tmp_path: Path) -> None:
    reader = reader_over(tmp_path, {"data": ["value,type", *(f"{i},{'ab'[i % 2]}" for i in range(20))]})
    request = reader.read("How many missing values are there?", today=TODAY).parts[0]
    assert request.study == Inspection(about="missing")
    named = reader.read("How many missing values are in the value column?", today=TODAY).parts[0]
    assert named.options(Inspection).columns == ("value",)
