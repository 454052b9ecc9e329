"""Denials and values that pass for idle words: they take part in the answer, or there is none."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 120
TODAY = date(2024, 12, 31)
LIFT = [i % 5 == 0 for i in range(N)]
CELLAR = [i % 3 == 0 for i in range(N)]
CHECKED = [i % 4 != 0 for i in range(N)]
WRITTEN = {"words": ("Yes", "No"), "letters": ("Y", "N"), "numbers": (1, 0), "truths": ("true", "false")}


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(N)]


@pytest.fixture(scope="module", params=WRITTEN)
def houses(request: pytest.FixtureRequest) -> Analyst:
    yes, no = WRITTEN[request.param]
    flags = {"lift": LIFT, "cellar": CELLAR, "checked": CHECKED}
    rows = pd.DataFrame(
        {
            "house_no": [f"H{i:03d}" for i in range(N)],
            "street": _cycle("Elm Row", "Quay Side"),
            **{name: [yes if x else no for x in marks] for name, marks in flags.items()},
        }
    )
    return gnomon.open({"houses": rows})


@pytest.fixture(scope="module")
def club() -> Analyst:
    people = pd.DataFrame({"member_no": range(1, 41), "age_band": _cycle("young", "old")[:40]})
    spent = pd.DataFrame(
        {
            "receipt": [f"R{i:03d}" for i in range(N)],
            "member_no": [1 + i % 40 for i in range(N)],
            "paid_for": ["Shop" if i % 40 < 25 and i >= 80 else "Rent" for i in range(N)],
            "desk": _cycle("Data", "Front", "Back office"),
            "amount": [5.5 + i % 17 for i in range(N)],
        }
    )
    return gnomon.open({"members": people, "payments": spent})


def _value(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question, today=TODAY)
    return answer.facts[0].value if answer.facts else None


@pytest.mark.parametrize(
    "said",
    [
        "don't have a lift",
        "do not have a lift",
        "do not have a lift yet",
        "don't yet have a lift",
        "haven't got a lift",
        "have not got a lift",
        "have no lift",
        "still have no lift",
        "lack a lift",
        "never had a lift",
    ],
)
def test_having_that_is_denied(houses: Analyst, said: str) -> None:
    assert _value(houses, f"How many houses {said}?") == N - sum(LIFT)


def test_denials_in_other_places(houses: Analyst) -> None:
    assert _value(houses, "How many houses have a lift?") == sum(LIFT)
    assert _value(houses, "How many houses without a lift are there?") == N - sum(LIFT)
    assert _value(houses, "How many houses lacking a lift are there?") == N - sum(LIFT)
    assert _value(houses, "How many houses haven't been checked?") == N - sum(CHECKED)
    assert _value(houses, "How many houses have not been checked yet?") == N - sum(CHECKED)
    both = sum(a and not b for a, b in zip(LIFT, CELLAR, strict=True))
    assert _value(houses, "How many houses have a lift but don't have a cellar?") == both
    on_elm = sum(not lift for lift in LIFT[::2])
    assert _value(houses, "How many houses in Elm Row don't have a lift?") == on_elm


@pytest.mark.parametrize(
    "question",
    [
        "How many houses can't have a lift?",
        "How many houses don't have a lift and a cellar?",
        "How many houses don't have a lift or a cellar?",
    ],
)
def test_a_denial_that_nothing_bears_is_not_left_out(houses: Analyst, question: str) -> None:
    assert _value(houses, question) is None


def test_a_second_verb_begins_anew(houses: Analyst) -> None:
    kept = sum(b and not a for a, b in zip(LIFT, CELLAR, strict=True))
    assert _value(houses, "How many houses don't have a lift and have a cellar?") == kept


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many different members have bought something from the shop?", 25),
        ("How many shop payments were there?", 25),
        ("How many payments were there?", N),
        ("How many payments were made in the data?", None),
    ],
)
def test_a_value_that_passes_for_an_idle_word(club: Analyst, question: str, expected: int | None) -> None:
    assert _value(club, question) == expected
