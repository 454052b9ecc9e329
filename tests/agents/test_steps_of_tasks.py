"""Tasks of several steps: what is answered is what pandas gives when every step is done, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus


def _kilns() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 240
    kilns = pd.DataFrame(
        {
            "firing_id": np.arange(1, n + 1),
            "potter": rng.choice(["Ames", "Brook", "Cole"], n),
            "clay": rng.choice(["red", "white"], n),
            "glaze_grams": rng.gamma(3, 40, n).round(1),
            "heat": rng.normal(1200, 30, n).round(1),
            "hours": rng.normal(9, 1.5, n).round(1),
        }
    )
    kilns.loc[:3, "heat"] = [1600.0, 1580.0, 700.0, 1700.0]
    kilns.loc[rng.choice(np.arange(10, n), 20, False), "glaze_grams"] = np.nan
    kilns.loc[rng.choice(np.arange(10, n), 15, False), "clay"] = np.nan
    return kilns


@pytest.fixture(scope="module")
def kilns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gnomon.Analyst]:
    path: Path = tmp_path_factory.mktemp("pottery") / "firings.csv"
    _kilns().to_csv(path, index=False)
    with gnomon.open(path) as analyst:
        yield analyst


def _holds(analyst: gnomon.Analyst, question: str, *expected: float) -> str:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    found = [f.value for f in answer.facts if isinstance(f.value, int | float)]
    found += [v for t in answer.tables for row in t.rows for v in row if isinstance(v, int | float)]
    for value in expected:
        assert any(f == pytest.approx(value, rel=1e-9, abs=1e-12) for f in found), (question, value, found)
    return answer.prose


def _near(values: pd.Series, factor: float = 3) -> pd.Series:
    return (values - values.mean()).abs() <= factor * values.std(ddof=0)


def test_rows_that_are_outliers_are_left_out_of_whatever_is_asked_next(kilns: gnomon.Analyst) -> None:
    data = _kilns()
    kept = data[_near(data["heat"])]
    prose = _holds(
        kilns,
        "Remove outliers in heat using the z-score method with a threshold of 3, then give the mean heat per potter.",
        *kept.groupby("potter")["heat"].mean(),
    )
    assert "outliers in heat by the z-score rule (beyond 3 standard deviations" in prose
    low, high = data["heat"].quantile([0.25, 0.75])
    inside = data[data["heat"].between(low - 1.5 * (high - low), high + 1.5 * (high - low))]
    _holds(
        kilns,
        "After removing outliers in heat by the IQR method, what is the correlation between heat and hours?",
        inside["heat"].corr(inside["hours"]),
    )


def test_figures_of_the_same_column_are_told_with_and_without_outliers(kilns: gnomon.Analyst) -> None:
    data = _kilns()["heat"]
    kept = data[_near(data)]
    question = "Remove the outliers from the heat column using the z-score method and report the new mean and standard deviation."
    prose = _holds(kilns, question, kept.mean(), kept.std())
    assert f"Without {len(data) - len(kept)} outliers" in prose


def test_figures_of_a_whole_column_are_taken_over_the_rows_that_earlier_steps_kept(
    kilns: gnomon.Analyst,
) -> None:
    data = _kilns()
    known = data.dropna(subset=["clay"])
    filled = known["glaze_grams"].fillna(known["glaze_grams"].median())
    prose = _holds(
        kilns,
        "Drop the rows with missing clay, fill the missing values of glaze_grams with the median, then compute the mean and standard deviation of glaze_grams.",
        filled.mean(),
        filled.std(),
    )
    assert "Rows without clay were left out." in prose
    assert "with the median over the rows that were kept" in prose
    near = known[_near(known["heat"])]
    _holds(
        kilns,
        "Drop rows with missing clay, then remove outliers in heat by the z-score method. How many rows remain?",
        len(near),
    )


def test_missing_values_are_filled_in_within_groups(kilns: gnomon.Analyst) -> None:
    data = _kilns()
    own = data.groupby("potter")["glaze_grams"].transform("median")
    filled = data["glaze_grams"].fillna(own)
    _holds(
        kilns,
        "Impute missing values in the glaze_grams column with the median of each potter and report the mean glaze_grams.",
        filled.mean(),
    )


def test_a_step_that_changes_nothing_is_said_to_change_nothing(kilns: gnomon.Analyst) -> None:
    hours = _kilns()["hours"]
    prose = _holds(
        kilns,
        "Handle missing values in the hours column with the median, then give the mean of hours.",
        hours.mean(),
    )
    assert "No value of hours is missing" in prose
    prose = _holds(kilns, "Remove the duplicate rows, then count the rows.", len(hours))
    assert "No row says the same as another one" in prose


def test_rows_said_twice_are_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "tides.csv"
    path.write_text("gate,level\nN,3\nN,3\nS,4\nS,5\nS,5\nS,5\n")
    with gnomon.open(path) as tides:
        prose = _holds(tides, "Remove duplicate rows, then calculate the average level.", 4.0)
    assert "counted once" in prose


def test_values_are_written_as_the_numbers_that_are_given_for_them(kilns: gnomon.Analyst) -> None:
    data = _kilns()
    coded = data["clay"].map({"red": 1, "white": 0})
    _holds(
        kilns,
        "Encode clay as 1 for red and 0 for white and compute the correlation between clay and heat.",
        coded.corr(data["heat"]),
    )


def test_an_announcement_and_words_about_steps_that_are_done_say_nothing_more(kilns: gnomon.Analyst) -> None:
    heat = _kilns()["heat"]
    scaled = (heat - heat.min()) / (heat.max() - heat.min())
    _holds(
        kilns,
        "Perform comprehensive data preprocessing on the dataset: scale the heat column using min-max normalization. Report the mean after scaling.",
        scaled.mean(),
    )


def test_two_questions_behind_a_step_are_both_answered(kilns: gnomon.Analyst) -> None:
    known = _kilns().dropna(subset=["glaze_grams"])
    _holds(
        kilns,
        "Drop the rows with missing glaze_grams. What is the median glaze_grams and how many rows are left?",
        known["glaze_grams"].median(),
        len(known),
    )


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Impute missing glaze_grams with k-nearest neighbors and report its mean.", "nearest"),
        ("Apply a Box-Cox transformation to heat and give its mean.", "box-cox"),
        (
            "Remove outliers in heat using isolation forest, then give the mean heat per potter.",
            "isolation forest",
        ),
        ("Fill missing values of clay with the mean and count the firings per clay.", "clay are no numbers"),
    ],
)
def test_a_step_that_cannot_be_done_is_refused_by_name(
    kilns: gnomon.Analyst, question: str, named: str
) -> None:
    answer = kilns.ask(question)
    assert answer.status is not AnswerStatus.ANSWERED
    assert named in answer.prose.lower()
