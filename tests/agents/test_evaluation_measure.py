"""Metrics of an answer without a truth: words addressed, claims that rest on facts, requests answered."""

from __future__ import annotations

import pytest

from gnomon.agents.evaluation import AccuracyTracker, key_words, measure
from gnomon.core.answer import About, Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.query import TimeRange
from gnomon.planning.trees import request_of
from gnomon.semantic.model import SemanticModel

QUESTION = "What was the total revenue in the west?"


def told(prose: str, *facts: Fact, question: str = QUESTION, **request: object) -> Answer:
    reading = Parts.model_validate({"question": question, "kind": QuestionKind.VALUE, **request})
    return Answer(
        status=AnswerStatus.ANSWERED, prose=prose, facts=facts, request=request_of(reading, SemanticModel())
    )


def revenue(value: float, metric: str = "revenue") -> Fact:
    return Fact(name=f"{metric}.total", value=value, step="s1", about=About(metric=metric))


def test_key_words_are_what_is_asked_not_how() -> None:
    assert key_words("Could you please tell me what Lumora's revenue was in 2024?") == [
        "lumora's",
        "revenue",
        "2024",
    ]
    assert key_words("How many orders were there?") == ["orders"]
    assert key_words("and what about it?") == []


def test_relevance_falls_with_each_word_that_is_left_out() -> None:
    whole = told("Revenue was 5,000.", revenue(5000))
    assert measure(QUESTION, whole).relevance == 1.0
    part = told("Revenue was 5,000.", revenue(5000), unexplained=("west",))
    assert measure(QUESTION, part).relevance == pytest.approx(2 / 3)


def test_without_a_reading_nothing_was_addressed() -> None:
    refused = Answer(status=AnswerStatus.OUT_OF_DOMAIN, prose="That is not about this data.")
    found = measure(QUESTION, refused)
    assert (found.relevance, found.correctness, found.completeness) == (0.0, 1.0, 0.0)
    assert not found.is_accurate()


def test_a_number_of_the_question_has_to_be_in_the_reading() -> None:
    question = "orders above 500"
    more = Filter(field="revenue", operator=FilterOperator.GREATER, values=(500,))
    assert measure(question, told("", question=question, filters=(more,))).relevance == 1.0
    assert measure(question, told("", question=question)).relevance == 0.5
    percent = Filter(field="discount", operator=FilterOperator.EQUALS, values=(0.2,))
    assert measure("orders at 20 %", told("", question="orders at 20 %", filters=(percent,))).relevance == 1.0
    year = TimeRange.model_validate({"start": "2024-01-01", "end": "2024-12-31"})
    assert measure("orders 2024", told("", question="orders 2024", time_range=year)).relevance == 1.0


def test_a_number_that_no_fact_has_lowers_correctness() -> None:
    right = told("The total revenue was 5,432.", revenue(5432))
    wrong = told("The total revenue was 6,432.", revenue(5432))
    assert measure(QUESTION, right).correctness == 1.0
    assert measure(QUESTION, wrong).correctness == 0.0


def test_completeness_is_the_share_of_the_metrics_that_came() -> None:
    one = told("", revenue(1.0), metrics=("revenue", "units"))
    both = told("", revenue(1.0), revenue(2.0, "units"), metrics=("revenue", "units"))
    assert measure(QUESTION, one).completeness == 0.5
    assert measure(QUESTION, both).completeness == 1.0


def test_a_table_counts_as_an_answer_and_nothing_at_all_does_not() -> None:
    table = ResultTable(name="t", columns=("region", "revenue"), rows=(("west", 1.0),))
    assert (
        measure(QUESTION, told("", metrics=("revenue",)).model_copy(update={"tables": (table,)})).completeness
        == 1
    )
    assert measure(QUESTION, told("", metrics=("revenue",))).completeness == 0


def test_the_tracker_counts_answers_and_leaves_refusals_out_of_accuracy() -> None:
    tracker = AccuracyTracker()
    assert tracker.so_far.accuracy is None
    tracker.track(QUESTION, told("Revenue was 5,000.", revenue(5000)))
    tracker.track(QUESTION, told("Revenue was 5,000.", revenue(5000), unexplained=("west",)))
    tracker.track("hello", Answer(status=AnswerStatus.OUT_OF_DOMAIN, prose="No."))
    seen = tracker.so_far
    assert (seen.questions, seen.answered, seen.accurate) == (3, 2, 1)
    assert seen.accuracy == 0.5
