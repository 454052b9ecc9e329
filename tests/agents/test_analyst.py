"""The analyst: what may be asked, what day is today, conversations, and the end."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.agents.managed import LAST, TODAY, orders_frame, store

import gnomon
from gnomon.agents.analyst import MAX_QUESTION, Analyst
from gnomon.core import clock
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import ErrorCode, InvalidInput
from gnomon.core.query import UserQuery
from gnomon.core.settings import Settings

NOTE = "The data ends on 30 Nov 2024, so that day is taken as today."


@pytest.fixture
def analyst() -> Analyst:
    return store().analyst()


def on(monkeypatch: pytest.MonkeyPatch, day: date) -> None:
    monkeypatch.setattr(clock, "today", lambda: day)


def revenue(start: date, end: date) -> float:
    orders = store().orders
    return float(orders.loc[orders["order_date"].between(start, end), "revenue"].sum())


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_an_error_that_says_what_to_ask(analyst: Analyst, question: str) -> None:
    with pytest.raises(InvalidInput, match="The question is empty") as caught:
        analyst.ask(question)
    assert caught.value.suggestions


def test_a_question_may_have_so_many_characters_and_no_more(analyst: Analyst) -> None:
    padding = " " * 50
    fits = "total revenue" + "?" * (MAX_QUESTION - len("total revenue"))
    assert analyst.ask(f"{padding}{fits}{padding}", today=TODAY).facts[0].value == pytest.approx(
        store().orders["revenue"].sum()
    )
    with pytest.raises(InvalidInput, match="2,001 characters; 2,000 are the most"):
        analyst.ask(fits + "?")


@pytest.mark.parametrize("text", [" ", "x" * (MAX_QUESTION + 1)])
def test_the_envelope_carries_what_is_wrong_with_a_question(analyst: Analyst, text: str) -> None:
    response = analyst.process_query(UserQuery(text=text))
    assert response.error_response is not None
    assert (response.success, response.error_response.error_code) == (False, ErrorCode.INVALID_INPUT)


def test_a_query_is_asked_at_its_own_time_and_leans_on_its_session(analyst: Analyst) -> None:
    at = datetime(2024, 10, 15, tzinfo=UTC)
    first = analyst.process_query(UserQuery(text="total revenue last month", session_id="one", timestamp=at))
    assert f"{revenue(date(2024, 9, 1), date(2024, 9, 30)):,.2f}" in first.content
    on = analyst.process_query(UserQuery(text="and in August 2024?", session_id="one", timestamp=at))
    assert f"{revenue(date(2024, 8, 1), date(2024, 8, 31)):,.2f}" in on.content
    alone = analyst.process_query(UserQuery(text="and in August 2024?", session_id="two", timestamp=at))
    assert alone.content != on.content


def test_data_that_ended_long_ago_ends_today(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    assert analyst.last_day == LAST
    on(monkeypatch, date(2026, 11, 15))
    answer = analyst.ask("total revenue last month")
    assert answer.facts[0].value == pytest.approx(revenue(date(2024, 10, 1), date(2024, 10, 31)))
    assert answer.prose.endswith(NOTE)


@pytest.mark.parametrize("question", ["total revenue", "total revenue in October 2024", "tell me a joke"])
def test_the_note_comes_only_where_the_day_matters(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    on(monkeypatch, date(2026, 11, 15))
    assert NOTE not in analyst.ask(question).prose


def test_data_of_these_weeks_is_read_with_the_clock(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(monkeypatch, date(2024, 12, 20))
    answer = analyst.ask("total revenue last month")
    assert answer.facts[0].value == pytest.approx(revenue(date(2024, 11, 1), date(2024, 11, 30)))
    assert NOTE not in answer.prose


def test_a_day_that_is_given_wins(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, date(2026, 11, 15))
    answer = analyst.ask("total revenue last month", today=date(2023, 6, 10))
    assert answer.facts[0].value == pytest.approx(revenue(date(2023, 5, 1), date(2023, 5, 31)))
    assert NOTE not in answer.prose


def test_a_conversation_goes_on_from_the_question_before(analyst: Analyst) -> None:
    talk = analyst.conversation()
    first = talk.ask("total revenue in October 2024", today=TODAY)
    october = revenue(date(2024, 10, 1), date(2024, 10, 31))
    assert first.facts[0].value == pytest.approx(october)
    split = talk.ask("and by region?", today=TODAY)
    assert {row[0] for row in split.tables[0].rows} == {"North", "South", "West"}
    assert sum(row[1] for row in split.tables[0].rows) == pytest.approx(october)
    other = analyst.conversation().ask("and by region?", today=TODAY)
    assert other.request is None or other.request.parts.time_range is None, (
        "another conversation knows nothing of this"
    )


def test_a_question_without_an_answer_is_not_what_the_next_goes_on_from(analyst: Analyst) -> None:
    talk = analyst.conversation()
    talk.ask("total revenue in October 2024", today=TODAY)
    assert talk.ask("what is the conversion rate?", today=TODAY).facts == ()
    after = talk.ask("and by region?", today=TODAY)
    assert after.request is not None and after.request.parts.metrics == ("revenue",)


def test_one_call_opens_asks_and_lets_go(tmp_path: Path) -> None:
    frame = orders_frame()
    frame.to_csv(tmp_path / "orders.csv", index=False)
    with gnomon.open(tmp_path / "orders.csv", settings=Settings.load(home=tmp_path / "home")) as analyst:
        response = analyst.process_query(UserQuery(text="total revenue"))
        assert response.success and response.metadata.accuracy_metrics is not None
        assert analyst.ask("tell me a joke about horses").status is AnswerStatus.OUT_OF_DOMAIN
        asked = analyst.ask("total revenue", today=TODAY)
        assert asked.facts[0].value == pytest.approx(frame["revenue"].sum())
    after = analyst.ask("total units in the South", today=TODAY)
    assert after.status is AnswerStatus.ERROR and after.facts == (), "closed tables answer nothing"
