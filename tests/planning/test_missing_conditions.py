"""Missing values as conditions, and asides about them that change nothing."""

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

RNG = np.random.default_rng(21)
N = 150
WELLS = pd.DataFrame(
    {
        "well": [f"W{i:03d}" for i in range(N)],
        "region": RNG.choice(["north", "south", "west"], N, p=[0.5, 0.3, 0.2]),
        "depth_m": RNG.normal(60, 12, N).round(1),
        "rock": RNG.choice(["chalk", "slate"], N),
        "flow": RNG.normal(9, 2, N).round(2),
    }
)
WELLS.loc[RNG.choice(N, 30, replace=False), "depth_m"] = np.nan
WELLS.loc[RNG.choice(N, 40, replace=False), "rock"] = None
DEPTH, ROCK = WELLS["depth_m"], WELLS["rock"]


@pytest.fixture(scope="module")
def wells() -> Analyst:
    return gnomon.open({"wells": WELLS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("What is the average depth, ignoring nulls?", DEPTH.mean()),
        ("Calculate the mean depth excluding missing values.", DEPTH.mean()),
        (
            "What is the median depth in the north? Calculate only the depths that are not null.",
            DEPTH[WELLS["region"] == "north"].median(),
        ),
        ("What is the median depth? Null depths are not taken into account.", DEPTH.median()),
        ("What is the average flow, only depths that are not null?", WELLS["flow"][DEPTH.notna()].mean()),
        ("What is the average flow of wells with a missing depth?", WELLS["flow"][DEPTH.isna()].mean()),
        ("How many wells have both depth and rock missing?", (DEPTH.isna() & ROCK.isna()).sum()),
        ("How many missing depths are there in the north?", DEPTH[WELLS["region"] == "north"].isna().sum()),
    ],
)
def test_missing_values_are_left_out_or_looked_for(wells: Analyst, question: str, truth: float) -> None:
    assert _answered(wells, question).facts[0].value == pytest.approx(truth)


def test_the_most_missing_values_are_rows_without_one(wells: Analyst) -> None:
    answer = _answered(wells, "Which region has the most missing depths?")
    counts = DEPTH.isna().groupby(WELLS["region"]).sum()
    assert answer.facts[0].value == counts.max()
    assert str(counts.idxmax()) in answer.prose.lower()


def test_rows_counted_without_missing_values_are_not_all_rows(wells: Analyst) -> None:
    answer = wells.ask("How many wells are there excluding missing values?")
    values = [f.value for f in answer.facts]
    assert answer.status is not AnswerStatus.ANSWERED or len(WELLS.dropna()) in values
