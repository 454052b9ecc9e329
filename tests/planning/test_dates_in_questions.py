"""Which of several dates a question means, and units of time that are no steps of time."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

N = 400
TODAY = date(2024, 12, 1)
_RNG = np.random.default_rng(3)
RECEIVED = pd.Series(pd.Timestamp(2024, 1, 1) + pd.to_timedelta(np.sort(_RNG.integers(0, 250, N)), unit="D"))
TAKEN = pd.to_timedelta(_RNG.integers(1, 45, N), unit="D")
REPORTED = (RECEIVED + TAKEN).where(pd.Series(_RNG.random(N) > 0.2))
SAMPLES = pd.DataFrame(
    {
        "sample_no": range(9000, 9000 + N),
        "received_on": RECEIVED,
        "reported_on": REPORTED,
        "lab": [("Kell", "Moss", "Tarn")[i % 3] for i in range(N)],
        "analyst_hours": _RNG.integers(1, 9, N),
    }
)
R, P = RECEIVED.dt.month, REPORTED.dt.month


@pytest.fixture(scope="module")
def bench() -> Analyst:
    return gnomon.open({"samples": SAMPLES})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many samples were received in May 2024?", int((R == 5).sum())),
        ("How many samples were reported in May 2024?", int((P == 5).sum())),
        ("In May 2024, how many samples were reported?", int((P == 5).sum())),
        (
            "How many samples were received in May and reported in June 2024?",
            int(((R == 5) & (P == 6)).sum()),
        ),
        ("How many samples received in 2024 were reported in June 2024?", int((P == 6).sum())),
        ("How many samples received in May 2024 were reported?", int(((R == 5) & REPORTED.notna()).sum())),
        ("How many of the May 2024 samples were reported?", int(((R == 5) & REPORTED.notna()).sum())),
        (
            "What is the total number of hours for Kell?",
            int(SAMPLES.analyst_hours[SAMPLES.lab == "Kell"].sum()),
        ),
    ],
)
def test_a_time_belongs_to_the_date_beside_it(bench: Analyst, question: str, expected: int) -> None:
    answer = bench.ask(question, today=TODAY)
    assert [f.value for f in answer.facts][:1] == [expected], answer.prose


@pytest.mark.parametrize(
    "question", ["number of samples by weekday of report", "samples by reporting weekday"]
)
def test_parts_of_a_week_are_those_of_the_date_that_is_named(bench: Analyst, question: str) -> None:
    answer = bench.ask(question, today=TODAY)
    rows = {str(row[0]): row[1] for row in answer.tables[0].rows}
    assert rows == REPORTED.dt.day_name().value_counts().to_dict(), answer.prose


@pytest.mark.parametrize("question", ["monthly reported samples", "samples by reporting month"])
def test_months_are_those_of_the_date_that_is_named(bench: Analyst, question: str) -> None:
    answer = bench.ask(question, today=TODAY)
    rows = {row[0].month: row[1] for row in answer.tables[0].rows}
    assert rows == {int(m): n for m, n in P.dropna().value_counts().items()}, answer.prose


def test_the_most_hours_are_a_measure(bench: Analyst) -> None:
    answer = bench.ask("Which lab had the most hours?", today=TODAY)
    totals = SAMPLES.groupby("lab").analyst_hours.sum()
    assert answer.tables[0].rows[0] == (totals.idxmax(), totals.max()), answer.prose


def test_another_unit_than_that_of_the_data_is_told_in_or_not_left_out(bench: Analyst) -> None:
    hours = bench.ask("analyst hours by lab", today=TODAY).facts[0]
    minutes = bench.ask("analyst hours by lab, in minutes", today=TODAY).facts[0]
    assert isinstance(hours.value, float)
    assert minutes.value == pytest.approx(60 * hours.value)
    assert minutes.unit == "minutes"
    assert not bench.ask("analyst hours by lab, in litres", today=TODAY).facts


def test_a_plain_verb_before_a_time_names_its_date() -> None:
    made = _RNG.integers(1880, 2010, N)
    works = pd.DataFrame(
        {
            "work_id": range(N),
            "title": [f"Study {i}" for i in range(N)],
            "year_made": made,
            "acquired_on": RECEIVED,
        }
    )
    gallery = gnomon.open({"works": works})
    for question, expected in (
        ("How many works were made in the 1920s?", int(((made >= 1920) & (made < 1930)).sum())),
        ("How many works made before 1900 were acquired in May 2024?", int(((made < 1900) & (R == 5)).sum())),
        ("How many works were acquired in May 2024?", int((R == 5).sum())),
    ):
        answer = gallery.ask(question, today=TODAY)
        assert [f.value for f in answer.facts][:1] == [expected], answer.prose
    latest = gallery.ask("Which work was acquired most recently?", today=TODAY)
    assert f"{N - 1} had the latest acquired on: {RECEIVED.max():%-d %B %Y}" in latest.prose


def test_a_verb_of_everyday_speech_names_the_date_that_is_called_so() -> None:
    people = pd.DataFrame({"employee_id": range(N), "hire_date": RECEIVED, "left_on": REPORTED})
    staff = gnomon.open({"employees": people})
    answer = staff.ask("How many employees were hired in May 2024?", today=TODAY)
    assert [f.value for f in answer.facts][:1] == [int((R == 5).sum())], answer.prose


@pytest.mark.parametrize(
    ("thing", "mark", "day", "first"),
    [
        ("patients", "biopsy", "biopsy_date", "admission_date"),
        ("policies", "claim", "claim_date", "signing_date"),
        ("machines", "repair", "repair_day", "purchase_day"),
    ],
)
def test_what_a_mark_singles_out_is_dated_as_the_mark_is_called(
    thing: str, mark: str, day: str, first: str
) -> None:
    marked = REPORTED.notna()
    rows = {f"{thing}_no": range(N), first: RECEIVED, day: REPORTED, mark: marked.astype(int)}
    with gnomon.open({thing: pd.DataFrame(rows)}) as analyst:
        for question, expected in (
            (f"How many {thing} had a {mark} in May 2024?", (P == 5).sum()),
            (f"How many {thing} without a {mark} were there in May 2024?", ((R == 5) & ~marked).sum()),
            (f"How many {thing} were there in May 2024?", (R == 5).sum()),
        ):
            answer = analyst.ask(question, today=TODAY)
            assert [f.value for f in answer.facts][:1] == [expected], answer.prose
            by = day if "had a" in question else first
            assert f"dated by {by.replace('_', ' ')}" in answer.prose
