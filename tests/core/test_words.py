"""The words of a question's journey: query, request, fact, answer, event."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gnomon.core import (
    AccuracyMetrics,
    Answer,
    AnswerStatus,
    Event,
    EventKind,
    Fact,
    QuestionKind,
    Request,
    ResultTable,
    TimeRange,
    UserQuery,
    clock,
)
from gnomon.core import algebra as al
from gnomon.core.parts import Parts


def test_a_question_knows_when_it_was_asked() -> None:
    with clock.frozen(date(2025, 3, 3)):
        assert UserQuery(text="sales?").timestamp.date() == date(2025, 3, 3)


def test_an_empty_question_is_refused() -> None:
    with pytest.raises(ValidationError):
        UserQuery(text="")


def test_a_time_range_includes_both_ends() -> None:
    assert TimeRange(start=date(2024, 2, 28), end=date(2024, 3, 1)).days == 3


def test_a_time_range_runs_forward() -> None:
    with pytest.raises(ValidationError, match=r"ends .* before it starts"):
        TimeRange(start=date(2024, 3, 1), end=date(2024, 2, 1))


@given(st.tuples(*[st.floats(0, 1)] * 3), st.floats(0, 0.99))
def test_an_answer_is_accurate_only_when_all_three_are(
    values: tuple[float, float, float], threshold: float
) -> None:
    relevance, correctness, completeness = values
    metrics = AccuracyMetrics(relevance=relevance, correctness=correctness, completeness=completeness)
    assert metrics.is_accurate(threshold) == all(v > threshold for v in values)


def test_an_answer_is_json_whatever_its_facts_hold() -> None:
    request = Request(
        question="sales in 2024",
        ask=al.Query(
            rows=al.Rows(
                where=al.Among(
                    left=al.Dimension(name="region"),
                    values=(al.Literally(value="West"), al.Literally(value=None)),
                ),
                during=al.Period(days=TimeRange(start=date(2024, 1, 1), end=date(2024, 12, 31))),
            ),
            measures=(al.Shown(measure=al.Metric(name="sales")),),
        ),
    )
    answer = Answer(
        status=AnswerStatus.ANSWERED,
        prose="Sales were 12.",
        facts=(
            Fact(name="sales.total", value=12.5, unit="USD", step="s1"),
            Fact(name="day", value=date(2024, 1, 1), step="s1"),
        ),
        tables=(ResultTable(name="t", columns=("a",), rows=((1,), (None,))),),
        request=request,
    )
    read = json.loads(json.dumps(answer.to_dict()))
    assert read["facts"][0]["value"] == 12.5
    assert read["facts"][1]["value"] == "2024-01-01"
    assert read["tables"][0]["rows"] == [[1], [None]]
    again = Request.model_validate(read["request"])
    assert again == request and again.parts.filters[0].values == ("West", None)


def test_a_reading_refuses_words_that_no_schema_knows() -> None:
    with pytest.raises(ValidationError, match="extra"):
        Parts(question="q", kind=QuestionKind.VALUE, sql="DROP TABLE x")  # pyright: ignore[reportCallIssue]


def test_progress_is_a_fraction() -> None:
    with pytest.raises(ValidationError):
        Event(request_id="r", kind=EventKind.PROGRESS, fraction=1.2)
