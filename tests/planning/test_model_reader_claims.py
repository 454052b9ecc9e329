"""What a language model claims of words is held against what such words can say: nothing is swallowed, nothing made up."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.planning.fake_models import O, condition, only, part, read, reading_of

from gnomon.planning.reading import ReadingStatus

TOWNS = [{"column": "column:town", "words": "towns"}]


@pytest.fixture(autouse=True)
def _no_live_model() -> Iterator[None]:
    with override_allow_model_requests(False):
        yield


@pytest.mark.parametrize(
    ("question", "said", "word"),
    [
        ("how many goblins", part("value", ("rows:parcels", "how many goblins")), "goblins"),
        ("how many goblins", part("value", ("column:town", "how many goblins")), "goblins"),
        ("how many goblins", part("value", ("metric:parcels", "how many goblins")), "goblins"),
        (
            "outlay of goblins last month",
            part("value", ("metric:postage", "outlay"), period="goblins last month"),
            "goblins",
        ),
        ("outlay that was fined", part("value", ("metric:postage", "outlay"), kind_words="fined"), "fined"),
        (
            "outlay of goblins in Quillborough",
            part(
                "value",
                ("metric:postage", "outlay"),
                conditions=[condition("column:town", "=", "VALUE1", words="goblins in VALUE1")],
            ),
            "goblins",
        ),
        ("cumulative outlay", part("value", ("metric:postage", "cumulative outlay")), "cumulative"),
    ],
)
def test_a_place_accounts_only_for_words_that_can_say_it(
    question: str, said: dict[str, Any], word: str
) -> None:
    found, _ = read(question, reading_of(said))
    assert found.status is not ReadingStatus.CLEAR
    assert word in " ".join(found.missing)


@pytest.mark.parametrize(
    ("question", "said", "complaint"),
    [
        ("outlay", part("value", ("metric:postage", "")), "No words of the question name metric:postage"),
        (
            "outlay",
            part("breakdown", ("metric:postage", "outlay"), groups=[{"column": "column:town", "words": ""}]),
            "No words of the question name column:town",
        ),
        (
            "outlay",
            part("value", ("metric:postage", "outlay"), ("metric:weight", "outlay")),
            "cannot name both metric:postage and metric:weight",
        ),
        (
            "outlay",
            part(
                "value",
                ("metric:postage", "outlay"),
                conditions=[condition("column:damaged", "=", "true", words="")],
            ),
            "No words of the question ask for the condition on column:damaged",
        ),
        (
            "outlay",
            part(
                "value",
                ("metric:postage", "outlay"),
                conditions=[condition("column:town", "is null", words="")],
            ),
            "No words of the question ask for the condition on column:town",
        ),
    ],
)
def test_what_no_word_asks_for_is_not_added(question: str, said: dict[str, Any], complaint: str) -> None:
    found, fake = read(question, reading_of(said))
    assert found.status is not ReadingStatus.CLEAR
    assert complaint in fake.sent[1]


def test_a_word_for_a_flag_is_what_asks_for_it() -> None:
    smashed = condition("column:damaged", "=", "true", words="smashed")
    found, _ = read(
        "outlay on smashed ones",
        reading_of(part("value", ("metric:postage", "outlay"), conditions=[smashed])),
    )
    assert [(f.field, f.values) for f in only(found).filters] == [("damaged", (True,))]


@pytest.mark.parametrize(("rank", "right"), [("smallest", True), ("largest", False)])
def test_the_end_that_was_asked_for_is_kept(rank: str, right: bool) -> None:
    said = part("ranking", ("metric:postage", "outlay"), groups=TOWNS, rank=rank)
    found, _ = read("towns with the least outlay", reading_of(said))
    assert (found.status is ReadingStatus.CLEAR) is right
    if right:
        assert only(found).descending is False


@pytest.mark.parametrize("kind", ["value", "breakdown"])
def test_an_end_that_is_passed_over_is_missing(kind: str) -> None:
    said = part(kind, ("metric:postage", "outlay"), groups=TOWNS if kind == "breakdown" else [])
    found, _ = read("least outlay of the towns", reading_of(said))
    assert found.status is not ReadingStatus.CLEAR


@pytest.mark.parametrize(("operator", "right"), [(">", True), ("<", False), (">=", False)])
def test_the_side_of_a_bound_is_kept(operator: str, right: bool) -> None:
    bound = condition("metric:postage", operator, "NUMBER1", words="more than NUMBER1", of_each="column:town")
    said = part("list", ("metric:postage", "outlay"), groups=TOWNS, conditions=[bound])
    found, _ = read("towns with an outlay of more than 500", reading_of(said))
    assert (found.status is ReadingStatus.CLEAR) is right
    if right:
        assert only(found).filters[0].operator is O.GREATER
