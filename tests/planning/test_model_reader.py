"""The model reader: what is sent, what is believed, and what happens when the model is wrong, slow or gone."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.planning.fake_models import (
    TODAY,
    VALUES,
    Fake,
    K,
    O,
    condition,
    only,
    parcels,
    part,
    read,
    reading_of,
    told,
)

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Filter
from gnomon.llm import ModelClient, Privacy
from gnomon.planning.model_reader import ModelReader
from gnomon.planning.model_reader.names import Catalogue
from gnomon.planning.model_reader.task import ReadingTask
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.semantic.values import ValueIndex


@pytest.fixture(autouse=True)
def _no_live_model() -> Iterator[None]:
    with override_allow_model_requests(False):
        yield


def test_a_question_that_the_grammar_reads_clearly_asks_no_model() -> None:
    found, fake = read("total postage by service", AssertionError("asked"))
    assert only(found).metrics == ("postage",)
    assert fake.sent == []


def test_a_question_about_nothing_here_is_not_sent_when_the_gate_refuses_it() -> None:
    model, index = parcels(), ValueIndex(VALUES)
    fake = Fake([reading_of()])
    reader = ModelReader(
        ModelClient(FunctionModel(fake)), model, index, GrammarReader(model, index), in_domain=lambda _: False
    )
    assert reader.read("who wrote the odyssey", today=TODAY).status is ReadingStatus.NOT_ABOUT_DATA
    assert fake.sent == []
    assert reader.read("parcels of the shade", today=TODAY).status is ReadingStatus.PARTIAL
    assert len(fake.sent) == 1


def test_an_unknown_word_is_read_by_the_model_and_the_time_by_the_grammar() -> None:
    found, fake = read(
        "outlay on stamps last month",
        reading_of(part("value", ("metric:postage", "outlay on stamps"), period="last month")),
    )
    request = only(found)
    assert (request.kind, request.metrics) == (K.VALUE, ("postage",))
    assert request.time_range == TimeRange(
        start=date(2024, 12, 1), end=date(2024, 12, 31), granularity=TimeGranularity.MONTH
    )
    assert request.confidence <= 0.85
    assert len(fake.sent) == 1


def test_values_are_marks_to_the_model_and_are_looked_up_afterwards() -> None:
    found, fake = read(
        "outlay for Quillborough",
        reading_of(
            part(
                "value",
                ("metric:postage", "outlay"),
                conditions=[condition("column:town", "=", "VALUE1", words="for VALUE1")],
            )
        ),
    )
    assert only(found).filters == (Filter(field="town", operator=O.EQUALS, values=("Quillborough",)),)
    assert "VALUE1: a value of column:town" in fake.sent[0]
    assert "uillborough" not in fake.sent[0]


@pytest.mark.parametrize(
    ("question", "secret"),
    [
        ("outlay for Quillborough", "uillborough"),
        ("outlay for quilborough", "quilborough"),
        ("outlay under Ottilie Brandvold", "randvold"),
        ("outlay under Brandvold", "randvold"),
        ("outlay for overnight plus parcels", "overnight"),
        ("outlay for parcel 4829471", "4829471"),
        ("outlay for parcel ZX81-Q", "zx81"),
        ("outlay for mail from kim.rask@example.org", "rask"),
        ('outlay noted as "fragile heirloom"', "heirloom"),
        ("outlay for the customer Zyntraxis", "zyntraxis"),
        ("outlay on 17 March 2024", "17"),
        ("outlay on 2024-03-17 and after", "2024"),
    ],
)
@pytest.mark.parametrize("privacy", [Privacy.STRICT, Privacy.SCHEMA])
def test_what_may_be_a_value_is_never_sent(question: str, secret: str, privacy: Privacy) -> None:
    _, fake = read(question, reading_of(), privacy=privacy)
    assert fake.sent, "the model was not asked, so nothing was tested"
    assert secret.lower() not in "".join(fake.sent).lower()


LETTERS = st.text("bcdfghjklmnpqrstvwxz", min_size=5, max_size=9)


@given(
    st.lists(LETTERS, min_size=1, max_size=3),
    st.sampled_from(["outlay for {}", "{} and its outlay", "how did {} fare moneywise in May", "outlay, {}, shade"]),
    st.sampled_from([str.title, str.upper, str.lower]),
    st.sampled_from([Privacy.STRICT, Privacy.SCHEMA]),
    st.booleans(),
)  # fmt: skip
def test_no_word_of_a_planted_value_is_shown(
    words: list[str], frame: str, case: Callable[[str], str], privacy: Privacy, crowded: bool
) -> None:
    value = " ".join(words)
    beside = [f"{words[0]} no {n}" for n in range(9)] if crowded else []
    model, index = parcels(), ValueIndex({**VALUES, "town": (value, *beside)})
    catalogue = Catalogue(model, privacy, index)
    question = frame.format(case(value))
    task = ReadingTask(GrammarReader(model, index), catalogue, privacy, question, TODAY, None)
    sent = task.prompt().lower()
    assert [w for w in words if w in sent] == []


def test_values_that_nobody_typed_are_not_sent_either() -> None:
    _, fake = read("outlay by shade", reading_of())
    everything = fake.sent[0].lower()
    assert [v for held in VALUES.values() for v in held if str(v).lower() in everything and v not in (True, False)] == []  # fmt: skip


def test_levels_that_were_raised_by_name_show_more_and_personal_values_never() -> None:
    _, low = read("outlay for Quillborough", reading_of(), privacy=Privacy.AGGREGATES)
    assert "Quillborough" in low.sent[0]
    assert "2023-01-01" in low.sent[0]
    assert "Oststadt" not in low.sent[0]
    _, full = read("outlay for Quillborough", reading_of(), privacy=Privacy.FULL)
    assert "such as Quillborough, Marvik, Oststadt" in full.sent[0]
    assert "Thune" not in full.sent[0]


def test_strict_hides_the_names_of_columns_and_reads_them_back() -> None:
    question = "how does postage go, shade by shade, per service"
    fake = Fake([])

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        fake.sent.append(told(messages, info))
        said = reading_of(
            part(
                "breakdown",
                ("metric:m1", "NAME1"),
                groups=[{"column": "column:c3", "words": "NAME2"}],
            ),
            missing=("shade",),
        )
        return ModelResponse(parts=[TextPart(json.dumps(said))])

    model, index = parcels(), ValueIndex(VALUES)
    client = ModelClient(FunctionModel(answer), privacy=Privacy.STRICT)
    found = ModelReader(client, model, index, GrammarReader(model, index)).read(question, today=TODAY)
    sent = fake.sent[0].lower()
    assert [n for n in ("postage", "service", "parcel", "depot", "origin", "manager") if n in sent] == []
    assert "metric:m1 (sum; eur)" in sent
    assert found.status is ReadingStatus.PARTIAL
    assert "shade" in found.missing


def test_a_name_that_does_not_exist_gives_one_more_try() -> None:
    wrong = reading_of(part("value", ("metric:profit", "outlay")))
    right = reading_of(part("value", ("metric:postage", "outlay")))
    found, fake = read("what was the outlay", wrong, right)
    assert only(found).metrics == ("postage",)
    assert len(fake.sent) == 2
    assert "metric:profit" in fake.sent[1]


def test_a_second_wrong_name_leaves_the_grammars_reading() -> None:
    wrong = reading_of(part("value", ("metric:profit", "outlay")))
    found, fake = read("what was the outlay", wrong, wrong)
    assert found.status is ReadingStatus.NOT_ABOUT_DATA
    assert len(fake.sent) == 2


@pytest.mark.parametrize(
    ("question", "said", "complaint"),
    [
        ("outlay", reading_of(part("value", ("metric:postage", "total outlay"))), "does not stand in the question"),
        (
            "outlay in the year of the comet",
            reading_of(part("value", ("metric:postage", "outlay"), period="the year of the comet")),
            "cannot be read as a time",
        ),
        (
            "outlay by depot crew",
            reading_of(
                part(
                    "breakdown",
                    ("metric:staff", "outlay"),
                    groups=[{"column": "column:service", "words": "crew"}],
                )
            ),
            "cannot be combined with column:service",
        ),
        (
            "outlay for Quillborough",
            reading_of(
                part(
                    "value",
                    ("metric:postage", "outlay"),
                    conditions=[condition("column:service", "=", "VALUE1", words="VALUE1")],
                )
            ),
            "That value is one of column:town",
        ),
        ("outlay ranked", reading_of(part("ranking", ("metric:postage", "outlay"))), "A ranking needs a group"),
        (
            "outlay and heft, are they akin",
            reading_of(part("correlation", ("metric:postage", "outlay"), kind_words="akin")),
            "A correlation needs two measures",
        ),
        (
            "mean heft each day",
            reading_of(
                {
                    "kind": "value",
                    "measures": [
                        {"of": "column:weight", "aggregation": "mean", "per": "day", "words": "mean heft each day"}
                    ],
                }
            ),
            "“per” goes with a metric",
        ),
        (
            "outlay for Quillborough",
            reading_of(
                part(
                    "value",
                    ("metric:postage", "outlay"),
                    conditions=[condition("column:town", "=", "", words="VALUE1")],
                )
            ),
            "A value is empty",
        ),
        (
            "the first 3 outlays",
            reading_of(part("value", ("metric:postage", "outlays"), limit="NUMBER1")),
            "A limit needs a group",
        ),
        (
            "and by haulage tier",
            reading_of(
                part(
                    "breakdown",
                    groups=[{"column": "column:service", "words": "haulage tier"}],
                    continues=True,
                )
            ),
            "Nothing is measured",
        ),
        (
            "outlay before tax after shipping without insurance plus handling",
            reading_of(
                part("value", ("metric:postage", "outlay before tax after shipping without insurance plus handling"))
            ),
            "says more than one thing",
        ),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_told_to_the_model(question: str, said: dict[str, Any], complaint: str) -> None:
    found, fake = read(question, said, said)
    assert found.status is not ReadingStatus.CLEAR
    assert complaint in fake.sent[1]
