"""Correlations and regressions asked in words, answered in sentences whose every number is a fact."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 160


def table() -> pd.DataFrame:
    rng = np.random.default_rng(21)
    weight = rng.gamma(4, 3, N).round(2)
    distance = rng.uniform(5, 400, N).round(1)
    cost = (3 + 0.9 * weight + 0.03 * distance + rng.normal(0, 2, N)).round(2)
    cost[::20] = np.nan
    return pd.DataFrame(
        {
            "parcel_id": range(1, N + 1),
            "weight_kg": weight,
            "distance_km": distance,
            "shipping_cost": cost,
            "insured_value": np.exp(weight / 2).round(2),
            "carrier": rng.choice(["Alba", "Borea", "Corvo"], N),
            "fragile": rng.choice(["yes", "no"], N),
            "stops": rng.integers(0, 9, N),
        }
    )


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return table()


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory, frame: pd.DataFrame) -> Analyst:
    path = tmp_path_factory.mktemp("parcels") / "parcels.csv"
    frame.to_csv(Path(path), index=False)
    return gnomon.open(str(path))


def fact(answer: Answer, name: str) -> object:
    return next(f.value for f in answer.facts if f.name == name)


def told(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def test_a_pair_is_told_with_sign_strength_and_chance(analyst: Analyst, frame: pd.DataFrame) -> None:
    answer = told(analyst, "Is there a correlation between weight and shipping cost?")
    known = frame.dropna()
    wanted = stats.pearsonr(known["weight_kg"], known["shipping_cost"])
    assert answer.prose.startswith(
        "Yes: there is a strong positive correlation between weight and shipping cost"
    )
    assert fact(answer, "correlation") == pytest.approx(wanted.statistic)
    assert fact(answer, "p_value") == pytest.approx(wanted.pvalue)
    assert fact(answer, "pairs.count") == len(known)
    assert "statistically significant" in answer.prose


def test_what_is_not_related_is_said_to_be_so(analyst: Analyst) -> None:
    answer = told(analyst, "Are weight and stops correlated?")
    assert answer.prose.startswith("No:")
    assert "not statistically significant" in answer.prose
    assert fact(answer, "relationship_type") == "none"


def test_a_curve_is_told_by_the_ranks(analyst: Analyst) -> None:
    answer = told(analyst, "Is the relationship between weight and insured value linear or nonlinear?")
    assert answer.prose.startswith("Nonlinear:")
    assert "monotonic but not linear" in answer.prose
    assert fact(answer, "rank_correlation") == pytest.approx(1.0, abs=1e-3)


def test_each_group_has_its_own_coefficient(analyst: Analyst, frame: pd.DataFrame) -> None:
    answer = told(analyst, "What is the correlation between weight and shipping cost for each carrier?")
    for carrier, rows in frame.dropna().groupby("carrier"):
        wanted = stats.pearsonr(rows["weight_kg"], rows["shipping_cost"]).statistic
        assert f"{round(wanted, 3):g} for {carrier}" in answer.prose


def test_one_column_against_all_names_the_strongest(analyst: Analyst) -> None:
    answer = told(analyst, "Which column correlates most with shipping cost?")
    assert answer.prose.startswith("The strongest correlation of shipping cost is that with ")
    names = [row[1] for row in answer.tables[0].rows]
    assert set(names) == {"weight", "distance", "insured value", "fragile", "stops"}


def test_a_model_is_told_with_its_quality_and_terms(analyst: Analyst, frame: pd.DataFrame) -> None:
    answer = told(analyst, "Predict shipping cost from weight and distance")
    known = frame.dropna()
    x = np.column_stack([np.ones(len(known)), known["weight_kg"], known["distance_km"]])
    wanted = np.linalg.lstsq(x, known["shipping_cost"], rcond=None)[0]
    assert answer.prose.startswith("A linear regression of shipping cost on weight and distance, fitted to")
    assert fact(answer, "weight.coefficient") == pytest.approx(wanted[1])
    assert fact(answer, "intercept") == pytest.approx(wanted[0])
    assert "8 rows where something is unknown are left out" in answer.prose
    assert "not what causes what" in answer.prose


def test_rows_set_apart_are_told_with_the_seed(analyst: Analyst) -> None:
    answer = told(analyst, "Predict shipping cost from weight, 80/20 split, random_state=3. Report the RMSE.")
    assert "(seed 3)" in answer.prose
    assert answer.facts[0].name == "rmse"
    assert fact(answer, "rows.tested") == 31


@pytest.mark.parametrize(
    "question",
    [
        "Is weight related to distance?",
        "Correlation matrix of the numeric columns",
        "Which carrier has the strongest correlation between weight and shipping cost?",
        "Which two columns have the strongest negative correlation?",
        "Predict fragile from weight and distance with a 70-30 split",
        "Is there an association between carrier and fragile?",
    ],
)
def test_sentences_are_told_and_not_lists_of_facts(analyst: Analyst, question: str) -> None:
    answer = told(analyst, question)
    first = answer.prose.split("\n")[0]
    assert re.match(r"(Yes: |No: )?(T|t)here is|The |A |In these", first), first


def test_a_chance_too_small_for_a_computer_is_not_said_to_be_none(tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    width = draw.normal(size=3000)
    file = tmp_path / "leaves.csv"
    pd.DataFrame({"width": width, "height": 2 * width + draw.normal(size=3000) / 1000}).to_csv(
        file, index=False
    )
    with gnomon.open(file) as analyst:
        told = analyst.ask("correlation between width and height")
    assert "p ≈ 0" in told.prose and "p = 0" not in told.prose
