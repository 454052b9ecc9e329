"""What surrounds a question changes no number: its own number, imperatives, tools, rounding, calls for explanations."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.core.parts import Parts, QuestionKind
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus

TODAY = date(2025, 6, 2)
BREEDS = ("Angus", "Jersey", "Holstein")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GrammarReader:
    """Cows of a herd and what they were weighed."""
    folder: Path = tmp_path_factory.mktemp("herd")
    rows = [
        f"C{i:04d},{BREEDS[i % 3]},{380 + i * 31 % 173},{2 + i * 7 % 11},{'yes' if i % 4 else 'no'}"
        for i in range(150)
    ]
    return reader_over(folder, {"cattle": ["cow_id,breed,weight_kg,age_years,vaccinated", *rows]})


def _request(reader: GrammarReader, question: str) -> Parts:
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    assert len(reading.parts) == 1, question
    return reading.parts[0].model_copy(update={"question": ""})


PLAIN = "What is the median weight by breed?"


@pytest.mark.parametrize(
    "dressed",
    [
        "3. What is the median weight by breed?",
        "Question 12: What is the median weight by breed?",
        "b) Determine the median weight by breed.",
        "Q7) Identify the median weight by breed in the dataset.",
        "Additionally, report the median weight by breed.",
        "Explore the median weight by breed in the given cattle dataset.",
        "Calculate the median weight by breed using pandas.",
        "Using Python's statistics module, compute the median weight by breed.",
        "Find the median weight by breed, rounded to two decimal places.",
        "Find the median weight by breed (rounded to 3 decimals). Interpret the result.",
        "Examine the median weight by breed and explain your answer.",
        "Please check the median weight by breed. Provide a brief explanation of the findings.",
        "Investigate the median weight by breed of the table. Use the Python pandas library's function for it.",
        "Analyze the median weight by breed. Provide statistical evidence to support your conclusion.",
        "Assess the median weight by breed. Create a bar chart. Briefly explain.",
        "For example, what is the median weight (W) by breed as a bar chart?",
        "Show the median weight by breed, in tabular form.",
        "Looking at the data, what is the median weight by breed (to 2 d.p.)?",
        "Based on the given cattle dataset, select the median weight by breed.",
        "Your task is to compute the median weight by breed.",
        "What is the median weight by breed in the Farmland dataset?",
    ],
)
def test_the_dress_of_a_question_changes_nothing(reader: GrammarReader, dressed: str) -> None:
    assert _request(reader, dressed) == _request(reader, PLAIN)


def test_what_was_left_aside_is_told(reader: GrammarReader) -> None:
    reading = reader.read(f"{PLAIN} Interpret the results for a farmer.", today=TODAY)
    assert any("Interpret the results for a farmer" in note for note in reading.notes)


@pytest.mark.parametrize(
    "question",
    [
        "What is the median weight by breed in the training dataset?",
        "What is the median weight by breed in the dairy?",
        "Perform a milk analysis on weight.",
        "How many cows did the vet check in the parlour?",
        "Inspect the cows.",
        "Explain the median weight of the pregnant cows.",
        "What is the median weight in the U.K. by breed?",
    ],
)
def test_words_that_may_narrow_are_kept(reader: GrammarReader, question: str) -> None:
    assert reader.read(question, today=TODAY).status is not ReadingStatus.CLEAR


def test_sentences_that_ask_for_themselves_stay_apart(reader: GrammarReader) -> None:
    reading = reader.read(
        "Calculate the mean weight for each breed separately. Then, calculate the mean, median, and standard deviation "
        "of the age for each breed.",
        today=TODAY,
    )
    first, second = reading.parts
    assert first.metrics == ("average_weight",) or first.metrics == ("mean(cattle.weight_kg)",)
    assert [m.partition("(")[0] for m in second.metrics if "(" in m] == ["median", "stddev"]
    assert len(second.metrics) == 3 and second.dimensions == first.dimensions == ("breed",)


@pytest.mark.parametrize("marks", [("a.", "b."), ("1.", "2."), ("1)", "2)"), ("", "")])
def test_questions_that_are_numbered_are_read_one_by_one(
    reader: GrammarReader, marks: tuple[str, str]
) -> None:
    question = f"{marks[0]} Determine the mean weight by breed. {marks[1]} What is the highest age?"
    reading = reader.read(question, today=TODAY)
    assert reading.status is ReadingStatus.CLEAR, (question, reading.missing, reading.message)
    first, second = reading.parts
    assert first.dimensions == ("breed",)
    assert (second.metrics, second.dimensions) == (("max(cattle.age_years)",), ())


def test_initials_in_brackets_stand_for_the_words_later(reader: GrammarReader) -> None:
    reading = reader.read("What is the mean body weight (BW)? Which breed has the highest BW?", today=TODAY)
    plain = reader.read("What is the mean body weight? Which breed has the highest body weight?", today=TODAY)
    assert [r.metrics for r in reading.parts] == [r.metrics for r in plain.parts]
    assert reading.parts[-1].dimensions == ("breed",)


def test_a_column_to_be_described_is_told_by_its_distribution(reader: GrammarReader) -> None:
    for question in ("Describe the weight_kg column.", "Tell me about 'weight_kg'."):
        request = _request(reader, question)
        assert request.kind is QuestionKind.DISTRIBUTION or len(request.metrics) > 2, question
        assert all("weight" in m for m in request.metrics)


def test_what_a_figure_is_of_may_come_first(reader: GrammarReader) -> None:
    for question in ("For the weight, what is the median?", "With regard to weight: what is the median?"):
        assert _request(reader, question).metrics == ("median(cattle.weight_kg)",)


def test_a_flag_listed_behind_another_group_is_a_group(reader: GrammarReader) -> None:
    for question in (
        "the mean weight by breed and vaccinated",
        "the mean weight across breed and 'vaccinated'",
    ):
        request = _request(reader, f"What is {question}?")
        assert request.dimensions == ("breed", "vaccinated") and not request.filters


def test_an_analysis_to_be_performed_is_what_is_asked(reader: GrammarReader) -> None:
    alone = _request(reader, "Perform a statistical analysis of the weight.")
    assert alone.kind is QuestionKind.DISTRIBUTION or len(alone.metrics) > 2
    split = _request(reader, "Conduct a detailed analysis of weight by breed.")
    assert split.dimensions == ("breed",)
    both = reader.read(
        "Perform a distribution analysis on the weight and age variables separately.", today=TODAY
    )
    assert both.status is ReadingStatus.CLEAR, (both.missing, both.message)
    assert [(r.kind, len(r.metrics)) for r in both.parts] == [(QuestionKind.DISTRIBUTION, 1)] * 2
