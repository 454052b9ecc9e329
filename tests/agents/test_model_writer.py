"""Prose by a language model: what it is told, what is refused of it, and that the template stands otherwise."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.function import AgentInfo, FunctionModel
from shop import month, request, shop, where

from gnomon.agents.model_writer import ModelWriter
from gnomon.agents.presenter import DataPresenter
from gnomon.agents.presenter_writer import Slot
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import ApiFailure
from gnomon.core.parts import Comparison, FilterOperator, Parts, QuestionKind
from gnomon.guardrails import Guardrails
from gnomon.llm import ModelClient, Privacy
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import requests_of
from gnomon.semantic.model import SemanticModel

K = QuestionKind
GOOD = "Revenue in {{condition1}} came to {{figure1}}."


@pytest.fixture(autouse=True)
def _no_live_model() -> Iterator[None]:
    with override_allow_model_requests(False):
        yield


class Fake:
    """A model that writes what it is told to, and remembers what it was sent."""

    def __init__(self, *texts: str | Exception) -> None:
        self.texts = texts
        self.sent: list[str] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [str(getattr(p, "content", p)) for m in messages for p in m.parts]
        self.sent.append("\n".join([info.instructions or "", *parts]))
        text = self.texts[min(len(self.sent), len(self.texts)) - 1]
        if isinstance(text, Exception):
            raise text
        return ModelResponse(parts=[TextPart(json.dumps({"text": text}))])


def writer(fake: Fake, privacy: Privacy = Privacy.SCHEMA) -> ModelWriter:
    return ModelWriter(ModelClient(FunctionModel(fake), privacy=privacy), shop().model)


def west(**more: Any) -> Parts:
    return request(K.VALUE, "revenue", filters=(where("region", "West"),), **more)


REVENUE = (Slot("revenue", "USD"),)


def test_the_model_writes_around_slots_and_values_are_put_in_here() -> None:
    fake = Fake(GOOD)
    assert writer(fake).write(west(), REVENUE) == "Revenue in West came to {{fact.revenue}}."
    assert "{{figure1}}: revenue in USD" in fake.sent[0]
    assert "{{condition1}}: what the region is" in fake.sent[0]


def test_no_value_is_sent_even_when_the_names_of_facts_hold_one() -> None:
    fake = Fake(GOOD)
    slots = (*REVENUE, Slot("revenue.zanzibel_gmbh", "USD"), Slot("revenue.change_pct", "%"))
    asked = west(time_range=month(2024, 3))
    asked = asked.model_copy(
        update={"filters": (where("region", "Kreuzotter"),), "question": "and Kreuzotter?"}
    )
    assert writer(fake).write(asked, slots) == "Revenue in Kreuzotter came to {{fact.revenue}}."
    sent = fake.sent[0].lower()
    assert [v for v in ("kreuzotter", "zanzibel", "gmbh", "2024") if v in sent] == []
    assert "revenue, change pct in %" in sent


def test_strict_sends_no_names_of_columns() -> None:
    fake = Fake("In {{condition1}} it came to {{figure1}}.")
    assert writer(fake, Privacy.STRICT).write(west(), REVENUE) == "In West it came to {{fact.revenue}}."
    sent = fake.sent[0].lower()
    assert "revenue" not in sent
    assert "region" not in sent


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Revenue in {{condition1}} came to {{figure1}}, some 40 more.", "no numbers of your own"),
        ("Revenue in {{condition1}} came to {{figure1}}, twice the plan.", "no numbers of your own"),
        ("Revenue in {{condition1}} rose to {{figure1}}.", "claims what you cannot know"),
        ("Revenue in {{condition1}} came to {{figure9}} and {{figure1}}.", "There is no slot figure9"),
        ("Revenue came to {{figure1}}.", "condition1 has to be used"),
        ("Revenue was collected in {{condition1}}.", "figure1 has to be used"),
        ("**Revenue** in {{condition1}} came to {{figure1}}.", "without markup"),
        (GOOD + " It is what it is, dear reader." * 20, "two plain sentences at most"),
    ],
)
def test_prose_that_claims_more_than_slots_is_refused_and_tried_once_more(text: str, complaint: str) -> None:
    fake = Fake(text, GOOD)
    assert writer(fake).write(west(), REVENUE) == "Revenue in West came to {{fact.revenue}}."
    assert complaint in fake.sent[1]
    again = Fake(text)
    assert writer(again).write(west(), REVENUE) is None
    assert len(again.sent) == 2


@pytest.mark.parametrize(
    "asked",
    [
        request(K.BREAKDOWN, "revenue", dimensions=("region",)),
        request(K.RANKING, "revenue", dimensions=("region",), limit=1),
        request(K.TREND, "revenue"),
        request(K.VALUE, "revenue", filters=(where("units", 3, operator=FilterOperator.GREATER),)),
        request(K.VALUE, "revenue", filters=(where("region", "West", "East", operator=FilterOperator.IN),)),
    ],
)
def test_answers_that_name_groups_stay_with_the_template(asked: Parts) -> None:
    fake = Fake(AssertionError("asked"))
    assert writer(fake).write(asked, REVENUE) is None
    assert fake.sent == []


def test_a_failure_of_the_model_leaves_the_template() -> None:
    assert writer(Fake(ApiFailure("the server is on fire"))).write(west(), REVENUE) is None


def presented(fake: Fake, asked: Parts) -> tuple[str, str]:
    """The first paragraphs with the model's prose and with the template."""
    s = shop()
    reading = Reading(status=ReadingStatus.CLEAR, requests=requests_of([asked], SemanticModel()))
    own = DataPresenter(s.model, s.registry, s.layer, writer=writer(fake)).present(reading)
    plain = s.presenter.present(reading)
    assert own.status is AnswerStatus.ANSWERED
    assert own.facts == plain.facts
    written = own.prose.partition("\n")[0]
    assert Guardrails().check(written, own.facts).violations == ()
    return written, plain.prose.partition("\n")[0]


def test_the_presenter_fills_the_slots_with_computed_figures() -> None:
    written, template = presented(Fake(GOOD), west())
    orders = shop().orders
    total = orders.loc[orders.region == "West", "revenue"].sum()
    assert written == f"Revenue in West came to ${total:,.0f}."
    assert written != template


def test_the_presenter_falls_back_to_the_template() -> None:
    written, template = presented(Fake("Revenue in {{condition1}} rose to {{figure1}}."), west())
    assert written == template


def test_a_comparison_is_told_without_a_direction() -> None:
    period = month(2024, 3)
    asked = request(
        K.COMPARISON,
        "revenue",
        time_range=period,
        comparison=Comparison(kind="period", period=month(2024, 2)),
    )
    text = "Revenue was {{figure1}}, against {{figure2}} in the period before."
    written, template = presented(Fake(text), asked)
    now, before = (shop().month(2024, m).revenue.sum() for m in (3, 2))
    assert f"${now:,.2f}" in written and f"${before:,.2f}" in written
    assert written != template
