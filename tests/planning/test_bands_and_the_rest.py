"""Ranges of ages set against each other or listed, and rows of a kind set against all others by an adjective."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

DRAW = np.random.default_rng(41)
SIZE = 400


def _calls() -> pd.DataFrame:
    patients = DRAW.integers(0, 120, SIZE)
    return pd.DataFrame(
        {
            "call_no": range(1, SIZE + 1),
            "call_date": [date(2023, 1, 2) + timedelta(days=int(d)) for d in DRAW.integers(0, 700, SIZE)],
            "patient_id": [f"P{p:03d}" for p in patients],
            "age": [16 + (int(p) * 13) % 70 for p in patients],
            "urgent": DRAW.choice(["yes", "no"], SIZE, p=[0.3, 0.7]),
            "reason": DRAW.choice(["Skin", "Dental", "Eye"], SIZE),
            "outcome": DRAW.choice(["Attended", "Cancelled", "No-show"], SIZE, p=[0.7, 0.2, 0.1]),
            "fee_eur": np.round(DRAW.gamma(3, 30, SIZE), 2),
            "duration_min": np.where(DRAW.random(SIZE) < 0.1, np.nan, DRAW.integers(10, 60, SIZE)),
        }
    )


CALLS = _calls()


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder = tmp_path_factory.mktemp("practice")
    CALLS.to_csv(folder / "calls.csv", index=False)
    return gnomon.open(folder)


def _told(answer: Answer, *true: float) -> None:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    values = [float(f.value) for f in answer.facts if isinstance(f.value, int | float)]
    for wanted in true:
        assert any(v == pytest.approx(wanted) for v in values), (wanted, answer.prose)


def _verdict(answer: Answer, first: float, second: float, *, less: bool = False) -> None:
    _told(answer, first, second)
    assert answer.prose.startswith("Yes" if (first < second if less else first > second) else "No"), (
        answer.prose
    )


@pytest.mark.parametrize(
    "question",
    [
        "Is the no-show rate higher for patients aged 65 and over than for those under 65?",
        "Is the no-show rate, as a share of all calls, higher for those aged 65 and over than for younger people?",
    ],
)
def test_rates_of_two_ranges_of_ages_are_compared(practice: gnomon.Analyst, question: str) -> None:
    missed, old = CALLS["outcome"] == "No-show", CALLS["age"] >= 65
    _verdict(practice.ask(question), missed[old].mean(), missed[~old].mean())


def test_averages_of_the_over_and_the_under_are_compared(practice: gnomon.Analyst) -> None:
    fees = CALLS["fee_eur"]
    answer = practice.ask("Is the average fee higher for the over-60s than for the under-30s?")
    _verdict(answer, fees[CALLS["age"] > 60].mean(), fees[CALLS["age"] < 30].mean())


def test_ranges_behind_a_column_group_by_them(practice: gnomon.Analyst) -> None:
    bands = pd.cut(CALLS["age"], [0, 29, 59, 200], labels=["under 30", "30-59", "60 and over"])
    answer = practice.ask("Number of calls by age: under 30, 30-59, 60 and over")
    assert dict(answer.tables[0].rows) == bands.value_counts().to_dict()


@pytest.mark.parametrize(
    ("question", "column", "less"),
    [
        ("Are urgent calls dearer than the rest, and what does each kind cost on average?", "fee_eur", False),
        ("Do urgent calls cost more than other calls?", "fee_eur", False),
        ("Are urgent calls cheaper than the others?", "fee_eur", True),
        ("Do urgent calls take longer than others?", "duration_min", False),
    ],
)
def test_flagged_rows_are_set_against_the_rest_by_an_adjective(
    practice: gnomon.Analyst, question: str, column: str, less: bool
) -> None:
    means = CALLS.groupby("urgent")[column].mean()
    _verdict(practice.ask(question), means["yes"], means["no"], less=less)


def test_rows_of_a_value_are_set_against_all_others_together(practice: gnomon.Analyst) -> None:
    skin = CALLS["reason"] == "Skin"
    answer = practice.ask("Are Skin calls more expensive than the rest?")
    _verdict(answer, CALLS["fee_eur"][skin].mean(), CALLS["fee_eur"][~skin].mean())


def test_an_adjective_that_no_column_of_the_rows_answers_is_refused(practice: gnomon.Analyst) -> None:
    assert practice.ask("Are urgent calls heavier than the rest?").status is AnswerStatus.OUT_OF_SCOPE
