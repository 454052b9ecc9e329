"""A question understood in part is offered without the rest, and answered so only when the asker says yes."""

from __future__ import annotations

from datetime import date

import pytest
from managed import TODAY, store

from gnomon.agents.analyst import Conversation
from gnomon.agents.offers import accepts, offered
from gnomon.core.answer import AnswerStatus
from gnomon.planning.reading import Reading, ReadingStatus


def test_what_is_left_is_offered_and_computed_on_yes() -> None:
    s = store()
    talk = Conversation(s.analyst())
    refused = talk.ask("total revenue in October 2024 frobnicated", today=TODAY)
    assert refused.status is AnswerStatus.OUT_OF_SCOPE and refused.facts == ()
    assert "Without “frobnicated” I could tell you: revenue, October 2024. Would that do?" in refused.prose
    agreed = talk.ask("Yes, please!", today=TODAY)
    month = s.orders["order_date"].between(date(2024, 10, 1), date(2024, 10, 31))
    assert agreed.facts[0].value == pytest.approx(s.orders.loc[month, "revenue"].sum())
    assert "leaves “frobnicated” aside" in agreed.prose


def test_an_offer_holds_for_one_reply_only() -> None:
    talk = Conversation(store().analyst())
    talk.ask("total revenue in October 2024 frobnicated", today=TODAY)
    talk.ask("total revenue in September 2024", today=TODAY)
    late = talk.ask("yes", today=TODAY)
    assert late.facts == ()


def test_a_question_of_which_little_was_understood_is_not_offered() -> None:
    assert offered(Reading(status=ReadingStatus.PARTIAL, missing=("a", "b"), explained=0.3)) is None
    assert offered(Reading(status=ReadingStatus.AMBIGUOUS)) is None
    assert offered(None) is None


@pytest.mark.parametrize("said", ["yes", "Yes please", "ok", "go ahead", "sure, do that", "Yep!"])
def test_yes_is_understood(said: str) -> None:
    assert accepts(said)


@pytest.mark.parametrize("said", ["no", "yes but by region", "why", "", "ok so what about 2023?"])
def test_anything_more_is_a_question_of_its_own(said: str) -> None:
    assert not accepts(said)
