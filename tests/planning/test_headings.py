"""Columns said outright: quoted, by raw headings, beside the word column, and in brackets behind other words."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 6, 2)
SITES = ("North pit", "South pit", "Quarry")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Samples of ore with headings as instruments write them."""
    folder: Path = tmp_path_factory.mktemp("assays")
    head = "SampleNo,ASSAYTYPE,Site,grade.score,row p/q,MaxTemp_C,DEPTH,High,Low,Open"
    rows = [
        f"{1000 + i},{i % 7},{SITES[i % 3]},{0.1 + (i * 37 % 101) / 100:.2f},{300 + (i * 53 % 211) / 10:.1f},"
        f"{20 + (i * 17 % 90) / 10:.1f},{40 + i * 29 % 173},{8 + (i * 7 % 31) / 10:.1f},{3 + (i * 11 % 29) / 10:.1f},"
        f"{5 + (i * 13 % 23) / 10:.1f}"
        for i in range(180)
    ]
    return reader_over(folder, {"assays": [head, *rows]})


def _read(reader: GrammarReader, question: str) -> tuple[list[str], list[str], QuestionKind]:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    request = reading.parts[-1]
    columns = [m.partition("(")[2].rstrip(")") or m for m in request.metrics]
    return columns, list(request.dimensions), request.kind


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ('the "grade.score" column', "grade.score"),
        ("the “Grade.Score” variable", "grade.score"),
        ("`row p/q`", "row p/q"),
        ("row p/q", "row p/q"),
        ("'MaxTemp_C'", "MaxTemp_C"),
        ("MaxTemp_C", "MaxTemp_C"),
        ("the values in the DEPTH field", "DEPTH"),
        ("the attribute ‘High’", "High"),
        ("the Low column", "Low"),
        ("ore richness (grade.score)", "grade.score"),
        ("the boring depth column (DEPTH)", "DEPTH"),
        ("furnace reading ('MaxTemp_C')", "MaxTemp_C"),
    ],
)
def test_a_column_said_outright_is_that_column(reader: GrammarReader, said: str, column: str) -> None:
    columns, groups, kind = _read(reader, f"Calculate the median of {said}.")
    assert (columns, groups, kind) == ([f"assays.{column}"], [], QuestionKind.VALUE)


def test_a_list_of_columns_holds_for_each(reader: GrammarReader) -> None:
    for said in (
        "the High, Low and Open columns",
        "the columns High, Low and Open",
        '"High", "Low" and "Open"',
    ):
        columns, _, _ = _read(reader, f"What is the maximum of {said}?")
        assert columns == ["assays.High", "assays.Low", "assays.Open"], said


def test_a_capital_tells_a_heading_from_a_word_of_questions(reader: GrammarReader) -> None:
    reading = reader.read("What is the correlation between High and Low?", today=TODAY)
    request = reading.parts[0]
    assert request.kind is QuestionKind.CORRELATION
    assert [name.lower().rpartition("_")[2] for name in request.columns or request.metrics] == ["high", "low"]


def test_the_mean_of_codes_is_told_with_a_word_of_caution(reader: GrammarReader) -> None:
    reading = reader.read("What is the mean of the ASSAYTYPE column by Site?", today=TODAY)
    assert reading.parts[0].metrics == ("mean(assays.ASSAYTYPE)",)
    assert reading.parts[0].dimensions == ("Site",)
    assert any("code" in note for note in reading.notes)


def test_no_noun_for_rows_means_the_numbers_of_their_key(reader: GrammarReader) -> None:
    reading = reader.read("What is the average sample?", today=TODAY)
    assert not any("SampleNo" in m and m.startswith("mean") for r in reading.parts for m in r.metrics)


def test_a_quoted_value_stays_a_value_and_an_unknown_one_is_refused(reader: GrammarReader) -> None:
    known = reader.read('What is the mean "DEPTH" where Site is "Quarry"?', today=TODAY)
    assert [(f.field, f.values) for f in known.parts[0].filters] == [("Site", ("Quarry",))]
    unknown = reader.read('What is the mean of the "Porosity" column?', today=TODAY)
    assert unknown.status is not ReadingStatus.CLEAR


def test_brackets_do_not_turn_one_column_into_another(reader: GrammarReader) -> None:
    reading = reader.read("What is the mean depth (High)?", today=TODAY)
    assert reading.status is not ReadingStatus.CLEAR or "High" not in str(reading.parts[0].metrics)


@pytest.fixture(scope="module")
def guests(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Guests of a hotel, some of whom cancelled, in rooms of three grades."""
    folder: Path = tmp_path_factory.mktemp("guests")
    rows = [f"G{i:03d},{i * 7 % 3 + 1},{int(i % 4 == 0)},{80 + i * 19 % 97}" for i in range(120)]
    return reader_over(folder, {"guests": ["guest_id,Grade,Cancelled,price_eur", *rows]})


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("How many rows have Cancelled = 1?", [("Cancelled", "=", 1)]),
        ("What is the mean price where 'Cancelled' is 0?", [("Cancelled", "=", 0)]),
        ("What is the mean price where Cancelled is not 1?", [("Cancelled", "!=", 1)]),
        ("What is the mean price of guests with a Grade value of 2?", [("Grade", "=", 2)]),
        ("What is the mean price where Grade is not 3?", [("Grade", "!=", 3)]),
        ("What is the mean price of guests who cancelled?", [("Cancelled", "=", 1)]),
    ],
)
def test_a_column_and_what_it_equals(
    guests: GrammarReader, question: str, filters: list[tuple[str, str, int]]
) -> None:
    reading = guests.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    request = reading.parts[0]
    assert [(f.field, f.operator.value, f.values[0]) for f in request.filters] == filters
    assert request.dimensions == ()


def test_words_that_brackets_explained_mean_the_same_ever_after(reader: GrammarReader) -> None:
    reading = reader.read(
        "What is the mean furnace heat (MaxTemp_C)? Then, calculate the maximum furnace heat by Site.",
        today=TODAY,
    )
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert reading.parts[-1].metrics == ("max(assays.MaxTemp_C)",)
    assert reading.parts[-1].dimensions == ("Site",)


def test_brackets_may_say_that_a_column_represents_something(reader: GrammarReader) -> None:
    reading = reader.read(
        "How many different rock families (represented by ASSAYTYPE values) are there?", today=TODAY
    )
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert reading.parts[0].metrics == ("count_distinct(assays.ASSAYTYPE)",)


def test_a_unit_that_the_data_does_not_tell_is_trusted_and_told(reader: GrammarReader) -> None:
    reading = reader.read("What is the mean DEPTH in cm?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert any("unit" in note for note in reading.notes)
    for other in ("What is the mean DEPTH in celsius?", "What is the mean MaxTemp_C in cm?"):
        assert reader.read(other, today=TODAY).status is not ReadingStatus.CLEAR


def test_a_superlative_before_brackets_keeps_its_say(reader: GrammarReader) -> None:
    reading = reader.read("How deep is the deepest boring (DEPTH)?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert reading.parts[0].metrics == ("max(assays.DEPTH)",)


def test_a_word_that_only_one_heading_has_explains_in_brackets(reader: GrammarReader) -> None:
    reading = reader.read("What is the mean heat of the furnace (maxtemp) by Site?", today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (reading.missing, reading.message)
    assert "max_temp" in reading.parts[0].metrics[0]


def test_a_quoted_letter_or_number_is_the_value_that_it_is(guests: GrammarReader) -> None:
    reading = guests.read("How many guests have 'Grade' equal to '3'?", today=TODAY)
    assert [(f.field, f.values) for f in reading.parts[0].filters] == [("Grade", (3,))]
    unknown = guests.read("What is the mean price for Grade 'X'?", today=TODAY)
    assert unknown.status is not ReadingStatus.CLEAR


def test_a_column_that_is_not_there_is_never_left_out(reader: GrammarReader) -> None:
    for column in ("status", "level"):
        reading = reader.read(f"What is the mean DEPTH by the {column} column?", today=TODAY)
        assert reading.status is not ReadingStatus.CLEAR, column


def test_quotes_around_a_measure_change_nothing(guests: GrammarReader) -> None:
    quoted = guests.read('What is the "average price" by Grade?', today=TODAY)
    plain = guests.read("What is the average price by Grade?", today=TODAY)
    assert quoted.parts[0].metrics == plain.parts[0].metrics
    assert quoted.status is ReadingStatus.CLEAR


def test_a_ratio_of_one_value_to_another_is_no_share_of_both(reader: GrammarReader) -> None:
    reading = reader.read("What is the ratio of site North pit to site South pit?", today=TODAY)
    assert not any(r.kind is QuestionKind.SHARE for r in reading.parts) or reading.missing


def test_rows_to_be_counted_are_counted_though_a_column_is_called_count(tmp_path: Path) -> None:
    rows = [f"{('Oak', 'Elm')[i % 2]},{1 + i % 5},{2 + i % 9}" for i in range(60)]
    trees = reader_over(tmp_path, {"plots": ["Kind,Count,Height", *rows]})
    counted = trees.read("Count the rows where Kind is 'Oak'.", today=TODAY).parts[0]
    assert trees.names.model.metric(counted.metrics[0]).expression is None
    summed = trees.read("What is the total of the Count column?", today=TODAY).parts[0]
    assert (trees.names.model.metric(summed.metrics[0]).expression or "").strip("`") == "Count"
