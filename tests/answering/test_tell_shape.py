"""Outliers, normality and skew, asked in words and told: every figure as SciPy and pandas have it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnomon import open as open_data
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    draw = np.random.default_rng(21)
    made = pd.DataFrame(
        {
            "berth_id": range(1, 401),
            "quay": draw.choice(["North", "South"], 400),
            "load_kg": np.round(draw.lognormal(3, 0.9, 400), 2),
            "draught_cm": np.round(draw.normal(6, 0.8, 400), 3),
        }
    )
    made.loc[:6, "draught_cm"] = np.nan
    return made


@pytest.fixture(scope="module")
def port(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    folder: Path = tmp_path_factory.mktemp("port")
    frame.to_csv(folder / "berths.csv", index=False)
    return open_data(folder)


def ask(port: Analyst, question: str) -> Answer:
    answer = port.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def fact(answer: Answer, name: str, **group: str) -> object:
    found = [
        f.value for f in answer.facts if f.name.split("_2")[0].startswith(name) and f.about.group == group
    ]
    assert found, [f.name for f in answer.facts]
    return found[0]


def test_the_rule_that_is_named_is_told_with_its_bounds(port: Analyst, frame: pd.DataFrame) -> None:
    answer = ask(port, "Identify the outliers in load using the Z-score method with a threshold of 2.5")
    far = np.abs(stats.zscore(frame.load_kg)) > 2.5
    assert fact(answer, "load.outliers") == int(far.sum())
    middle, step = frame.load_kg.mean(), frame.load_kg.std(ddof=0)
    assert fact(answer, "load.low") == pytest.approx(middle - 2.5 * step)
    assert f"There are {int(far.sum())} outliers in load by the z-score rule" in answer.prose
    assert answer.tables[0].rows[0][-2] == frame.load_kg.max()


def test_without_a_rule_the_quartiles_decide_and_the_other_count_is_told(
    port: Analyst, frame: pd.DataFrame
) -> None:
    answer = ask(port, "Are there any outliers in load? If so, how many?")
    low, high = frame.load_kg.quantile([0.25, 0.75])
    reach = 1.5 * (high - low)
    number = int(((frame.load_kg < low - reach) | (frame.load_kg > high + reach)).sum())
    assert fact(answer, "load.outliers") == number
    assert fact(answer, "load.outliers_by_z_score") == int((np.abs(stats.zscore(frame.load_kg)) > 3).sum())
    assert "by the quartile rule" in answer.prose


def test_no_outliers_is_said_outright(port: Analyst) -> None:
    answer = ask(port, "Are there outliers in draught beyond 6 standard deviations from the mean?")
    assert answer.prose.startswith("No: there are no outliers in draught")
    assert "7 rows have no value for draught and are left out" in answer.prose


def test_each_group_is_judged_by_its_own_values(port: Analyst, frame: pd.DataFrame) -> None:
    answer = ask(port, "How many outliers are there in load for each quay, by the z-score method?")
    for quay, held in frame.groupby("quay"):
        assert fact(answer, "load.outliers", quay=str(quay)) == int(
            (np.abs(stats.zscore(held.load_kg)) > 3).sum()
        )


def test_figures_without_outliers(port: Analyst, frame: pd.DataFrame) -> None:
    answer = ask(
        port,
        "What are the mean and standard deviation of load after removing outliers with the z-score method?",
    )
    kept = frame.load_kg[np.abs(stats.zscore(frame.load_kg)) <= 3]
    assert fact(answer, "load.mean_without_outliers") == pytest.approx(kept.mean())
    assert fact(answer, "load.stddev_without_outliers") == pytest.approx(kept.std())
    left = ask(port, "How many values of load are left after removing outliers by the z-score method?")
    assert fact(left, "load.values_left") == len(kept)


def test_normality_is_a_verdict_with_its_test(port: Analyst, frame: pd.DataFrame) -> None:
    no = ask(port, "Is load normally distributed?")
    assert no.prose.startswith("No: load is not normally distributed (Shapiro–Wilk W = ")
    assert fact(no, "load.p_value") == pytest.approx(stats.shapiro(frame.load_kg).pvalue)
    yes = ask(port, "Does draught follow a normal distribution? Use D'Agostino's test.")
    held = frame.draught_cm.dropna()
    assert yes.prose.startswith("Yes: draught")
    assert fact(yes, "draught.p_value") == pytest.approx(stats.normaltest(held).pvalue)
    assert fact(yes, "draught.skewness") == pytest.approx(held.skew())


def test_skew_is_told_with_its_direction(port: Analyst, frame: pd.DataFrame) -> None:
    answer = ask(port, "Is the distribution of load skewed? Positively or negatively?")
    assert "strongly skewed to the right (positively): skewness" in answer.prose
    assert fact(answer, "load.skewness") == pytest.approx(frame.load_kg.skew())
    even = ask(port, "Is the distribution of draught skewed?")
    assert "fairly symmetric" in even.prose


def test_distances_from_the_mean_are_counted(port: Analyst, frame: pd.DataFrame) -> None:
    answer = ask(port, "How many values of load are within one standard deviation of the mean?")
    near = np.abs(stats.zscore(frame.load_kg)) <= 1
    assert fact(answer, "load.values_within") == int(near.sum())
    high = ask(port, "How many berths have a load more than 2 standard deviations above the mean?")
    assert fact(high, "load.values_above") == int((stats.zscore(frame.load_kg) > 2).sum())


def test_several_figures_of_few_groups_are_all_told(port: Analyst, frame: pd.DataFrame) -> None:
    answer = ask(port, "mean, median and skewness of load for each quay")
    held = frame.groupby("quay").load_kg
    for quay in ("North", "South"):
        told = [f.value for f in answer.facts if f.about.group == {"quay": quay}]
        assert told == pytest.approx([held.mean()[quay], held.median()[quay], held.skew()[quay]])
    assert "Skewness of load: " in answer.prose
