"""Conditions that compare with an average or a median, as people say them."""

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

RNG = np.random.default_rng(8)
N = 90
NURSES = pd.DataFrame(
    {
        "nurse": [f"N{i:02d}" for i in range(N)],
        "ward": RNG.choice(["Surgery", "Children", "Eyes"], N),
        "wage": RNG.normal(3000, 500, N).round(0),
        "age": RNG.integers(22, 64, N),
    }
)
WAGE, AGE = NURSES["wage"], NURSES["age"]


@pytest.fixture(scope="module")
def nurses() -> Analyst:
    return gnomon.open({"nurses": NURSES})


def _first(analyst: Analyst, question: str) -> object:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer.facts[0].value


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many nurses have a wage above the average wage?", (WAGE.mean() < WAGE).sum()),
        ("How many nurses have an above-average wage?", (WAGE.mean() < WAGE).sum()),
        ("How many nurses have a below average age?", (AGE.mean() > AGE).sum()),
        ("How many nurses are older than average?", (AGE.mean() < AGE).sum()),
        ("How many nurses have a wage greater than the median?", (WAGE.median() < WAGE).sum()),
        ("How many nurses have a wage of at least 1.2 times the mean wage?", (1.2 * WAGE.mean() <= WAGE).sum()),
        ("How many nurses have a wage lower than half the maximum wage?", (0.5 * WAGE.max() > WAGE).sum()),
        ("What is the average age of nurses with a wage higher than the overall average?", AGE[WAGE.mean() < WAGE].mean()),
        ("What is the median age of nurses in Eyes whose wage is above the mean wage?", AGE[(WAGE.mean() < WAGE) & (NURSES["ward"] == "Eyes")].median()),
        ("How many nurses have a wage above the average of their ward?", (NURSES.groupby("ward")["wage"].transform("mean") < WAGE).sum()),
    ],
)  # fmt: skip
def test_the_bound_is_computed(nurses: Analyst, question: str, truth: float) -> None:
    assert _first(nurses, question) == pytest.approx(truth)


def test_the_bound_is_a_fact_with_a_query_of_its_own(nurses: Analyst) -> None:
    answer = nurses.ask("How many nurses have a wage above the average wage?")
    bound = next(f for f in answer.facts if f.name.endswith("bound"))
    assert bound.value == pytest.approx(WAGE.mean())
    assert "AVG" in bound.query.upper()
    assert "The average wage over all rows is" in answer.prose
    assert "with wage > the average" in answer.prose


def test_a_bound_times_a_factor_tells_both(nurses: Analyst) -> None:
    answer = nurses.ask("How many nurses have a wage of at least 1.2 times the median wage?")
    found = {f.name: f.value for f in answer.facts}
    assert found["wage.median.bound"] == pytest.approx(WAGE.median())
    assert found["limit"] == pytest.approx(1.2 * WAGE.median())
    assert "multiplied by 1.2" in answer.prose


def test_groups_above_average_are_listed(nurses: Analyst) -> None:
    answer = nurses.ask("Which wards have an above-average wage?")
    means = NURSES.groupby("ward")["wage"].mean()
    for ward, mean in means.items():
        assert (str(ward) in answer.prose) == (mean > WAGE.mean())


@pytest.mark.parametrize(
    "question",
    [
        "How many nurses have a wage above the average wage of 2019?",
        "How many nurses have a wage above the national average?",
    ],
)
def test_a_bound_of_something_else_is_not_taken_for_the_whole(nurses: Analyst, question: str) -> None:
    assert nurses.ask(question).status is not AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many nurses have a wage less than or equal to the mean?", (WAGE.mean() >= WAGE).sum()),
        ("How many nurses are above the average age and below the average wage?", ((AGE.mean() < AGE) & (WAGE.mean() > WAGE)).sum()),
        ("What is the average wage of nurses older than the median age?", WAGE[AGE.median() < AGE].mean()),
        ("Which ward has the most nurses with a wage above the average?", NURSES[WAGE.mean() < WAGE]["ward"].value_counts().max()),
        ("Which ward has the most nurses with a wage above 3100?", NURSES[WAGE > 3100]["ward"].value_counts().max()),
    ],
)  # fmt: skip
def test_the_rows_are_bounded(nurses: Analyst, question: str, truth: float) -> None:
    assert _first(nurses, question) == pytest.approx(truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("What is the difference between the maximum and minimum wage?", WAGE.max() - WAGE.min()),
        ("What is the difference between the lowest and the highest wage?", WAGE.max() - WAGE.min()),
        ("What is the difference between the highest and the average wage?", WAGE.max() - WAGE.mean()),
        ("What is the gap between the mean and the median age?", AGE.mean() - AGE.median()),
        ("What is the ratio of the highest to the lowest wage?", WAGE.max() / WAGE.min()),
        ("How many nurses have the lowest age?", (AGE.min() == AGE).sum()),
    ],
)
def test_two_figures_of_a_column_and_those_at_its_end(nurses: Analyst, question: str, truth: float) -> None:
    assert _first(nurses, question) == pytest.approx(truth)
