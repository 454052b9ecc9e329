"""Answers about groups: tests of significance against SciPy, what is named against the rest, even spreads."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 360
TODAY = date(2025, 3, 1)


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "job_no": [f"J{i:04d}" for i in range(N)],
            "crew": rng.choice(["Amber", "Birch", "Cedar", "Delta"], N, p=[0.4, 0.2, 0.2, 0.2]),
            "kind": rng.choice(["repair", "inspection", "install"], N),
            "urgent": rng.choice(["yes", "no"], N),
            "done_on": pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(N) * 2, "D"),
            "minutes": np.round(rng.normal(60, 12, N), 1),
        }
    )
    frame.loc[frame.crew == "Amber", "minutes"] += 9
    frame.loc[::40, "minutes"] = np.nan
    return frame


FRAME = _frame()


@pytest.fixture(scope="module")
def jobs() -> Analyst:
    return gnomon.open({"jobs": FRAME})


def ask(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


def fact(answer: Answer, name: str) -> Any:
    return next(f.value for f in answer.facts if f.name == name)


def minutes(**where: str) -> Any:
    rows = FRAME
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows["minutes"].dropna().to_numpy()


def test_two_groups_are_tested_and_answered_yes_or_no(jobs: Analyst) -> None:
    answer = ask(jobs, "Is there a significant difference in minutes between Amber and Birch?")
    expected: Any = stats.ttest_ind(minutes(crew="Amber"), minutes(crew="Birch"), equal_var=False)
    assert answer.prose.startswith("Yes: ") and "Welch's t-test" in answer.prose
    assert fact(answer, "p_value") == pytest.approx(expected.pvalue)
    assert fact(answer, "minutes.mean.amber") == pytest.approx(minutes(crew="Amber").mean())
    assert (
        fact(answer, "minutes.mean.rows_without_value")
        == FRAME[FRAME.crew.isin(["Amber", "Birch"])]["minutes"].isna().sum()
    )
    none = ask(jobs, "Is there a significant difference in minutes between Cedar and Delta?")
    assert none.prose.startswith("No: ")


@pytest.mark.parametrize(
    ("question", "test", "expected"),
    [
        ("Run a t-test on minutes between Amber and Cedar", "Student's t-test",
         stats.ttest_ind(minutes(crew="Amber"), minutes(crew="Cedar")).pvalue),
        ("Welch's t-test of minutes between Amber and Cedar", "Welch's t-test",
         stats.ttest_ind(minutes(crew="Amber"), minutes(crew="Cedar"), equal_var=False).pvalue),
        ("Perform a Mann-Whitney U test of minutes by urgent", "Mann–Whitney",
         stats.mannwhitneyu(minutes(urgent="yes"), minutes(urgent="no")).pvalue),
        ("Run a one-way ANOVA of minutes across crews", "one-way ANOVA",
         stats.f_oneway(*(minutes(crew=c) for c in ("Amber", "Birch", "Cedar", "Delta"))).pvalue),
        ("Kruskal-Wallis test of minutes by kind", "Kruskal–Wallis",
         stats.kruskal(*(minutes(kind=k) for k in ("repair", "inspection", "install"))).pvalue),
    ],
)  # fmt: skip
def test_a_test_that_is_named_is_made(jobs: Analyst, question: str, test: str, expected: float) -> None:
    answer = ask(jobs, question)
    assert test in answer.prose
    assert fact(answer, "p_value") == pytest.approx(expected)


def test_the_level_of_significance_is_heard(jobs: Analyst) -> None:
    low = ask(jobs, "Do minutes differ significantly between crews at the 0.01 level?")
    assert fact(low, "significance_level") == 0.01 and low.prose.startswith("Yes: ")
    strict = ask(jobs, "Do minutes differ significantly between kinds at a significance level of 0.001?")
    assert fact(strict, "significance_level") == 0.001 and strict.prose.startswith("No: ")


def test_two_categories_are_tested_for_independence(jobs: Analyst) -> None:
    table = pd.crosstab(FRAME.urgent, FRAME.kind)
    answer = ask(jobs, "Is urgent independent of kind?")
    found: Any = stats.chi2_contingency(table)
    assert fact(answer, "p_value") == pytest.approx(found.pvalue)
    assert answer.prose.startswith("Yes: " if found.pvalue >= 0.05 else "No: ")
    named = ask(jobs, "Chi-square test of crew and kind")
    other: Any = stats.chi2_contingency(pd.crosstab(FRAME.crew, FRAME.kind))
    assert fact(named, "p_value") == pytest.approx(other.pvalue)
    assert fact(named, "statistic") == pytest.approx(other.statistic)


def test_parts_of_time_are_groups(jobs: Analyst) -> None:
    days = FRAME.dropna(subset=["minutes"])
    weekend = days.done_on.dt.weekday >= 5
    expected: Any = stats.ttest_ind(days[~weekend].minutes, days[weekend].minutes, equal_var=False)
    answer = ask(jobs, "Is there a significant difference in minutes between weekdays and weekends?")
    assert fact(answer, "p_value") == pytest.approx(expected.pvalue)
    assert fact(answer, "minutes.mean.weekdays") == pytest.approx(days[~weekend].minutes.mean())
    years = ask(jobs, "Are there significant differences in the average minutes between years?")
    by_year = [days[days.done_on.dt.year == y].minutes for y in (2023, 2024)]
    assert fact(years, "p_value") == pytest.approx(stats.ttest_ind(*by_year, equal_var=False).pvalue)


def test_counts_are_tested_against_an_even_spread(jobs: Analyst) -> None:
    counts = FRAME.crew.value_counts()
    answer = ask(jobs, "Are jobs evenly distributed across crews?")
    expected: Any = stats.chisquare(counts)
    assert answer.prose.startswith("No: ") and fact(answer, "p_value") == pytest.approx(expected.pvalue)
    assert fact(answer, "jobs.amber") == counts["Amber"]
    assert ask(jobs, "Are jobs concentrated in a specific crew?").prose.startswith("Yes: ")
    assert ask(jobs, "Are the repair jobs evenly spread over urgent?").prose.startswith(("Yes: ", "No: "))


def test_a_group_against_all_others_is_computed_over_their_rows(jobs: Analyst) -> None:
    answer = ask(jobs, "How do the average minutes of Amber compare to other crews?")
    rest = FRAME[FRAME.crew != "Amber"]["minutes"].mean()
    assert fact(answer, "minutes.mean.rest") == pytest.approx(rest)
    assert fact(answer, "minutes.mean.amber") == pytest.approx(minutes(crew="Amber").mean())
    assert "highest of 4 crews" in answer.prose
    counted = ask(jobs, "Does Amber have more jobs than the other crews?")
    assert counted.prose.startswith("Yes: ") and fact(counted, "jobs.rest") == (FRAME.crew != "Amber").sum()
    fewer = ask(jobs, "Does Birch have more jobs than other crews?")
    assert fewer.prose.startswith("No: ")


def test_what_is_claimed_has_to_hold_and_to_be_significant(jobs: Analyst) -> None:
    assert ask(
        jobs, "Is the average minutes of Amber significantly higher than that of other crews?"
    ).prose.startswith("Yes: ")
    assert ask(
        jobs, "Is the average minutes of Amber significantly lower than that of other crews?"
    ).prose.startswith("No: ")


def test_a_measure_without_rows_is_not_tested(jobs: Analyst) -> None:
    answer = jobs.ask("Is the profit of Amber significantly higher than that of other crews?", today=TODAY)
    assert answer.status is not AnswerStatus.ANSWERED


def _series() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    days = pd.date_range("2023-01-01", "2024-12-31")
    rising = 40 + 0.05 * np.arange(len(days)) + rng.normal(0, 3, len(days))
    return pd.DataFrame({"day": days, "plant": "Nord", "output": np.round(rising, 1), "waste": np.round(rng.normal(9, 1, len(days)), 2)})  # fmt: skip


@pytest.fixture(scope="module")
def plants() -> Analyst:
    flat = _series().assign(plant="Sund", output=lambda f: np.round(50 + f.waste, 1))
    return gnomon.open({"logbook": pd.concat([_series(), flat])})


def test_whether_there_is_a_trend_is_judged(plants: Analyst) -> None:
    rising = ask(plants, "Is there an upward trend in output for Nord?")
    assert rising.prose.startswith("Yes: ") and "Mann–Kendall" in rising.prose
    assert fact(rising, "p_value") < 0.001
    assert ask(plants, "Is there a decreasing trend in output for Nord?").prose.startswith("No: ")
    flat = ask(plants, "Is there a trend in waste over time?")
    assert flat.prose.startswith("No: ") and fact(flat, "p_value") > 0.05


def test_each_group_has_its_own_trend(plants: Analyst) -> None:
    answer = ask(plants, "What is the trend of output for each plant over time?")
    assert "an upward trend for Nord" in answer.prose and "Sund (" not in answer.prose


def test_ranges_of_a_column_are_groups(jobs: Analyst) -> None:
    answer = ask(jobs, "How many jobs are there in each minutes bracket?")
    ranges = answer.tables[0].rows
    assert sum(r[1] for r in ranges) == FRAME["minutes"].notna().sum()
    assert fact(answer, "rows_without_value") == FRAME["minutes"].isna().sum()
    wide = ask(jobs, "How many jobs are there by minutes in bins of 20?")
    inside = FRAME["minutes"].between(60, 80, inclusive="left").sum()
    assert {r[0]: r[1] for r in wide.tables[0].rows}["60 to below 80"] == inside


def test_whether_a_part_is_more_than_half(jobs: Analyst) -> None:
    share = 100 * (FRAME.crew == "Amber").mean()
    answer = ask(jobs, "Are most of the jobs from Amber?")
    assert fact(answer, "jobs.share") == pytest.approx(share)
    assert answer.prose.startswith("No: ")
    assert ask(jobs, "Are the majority of jobs repair?").prose.startswith("No: ")


def test_a_share_in_one_group_is_set_against_that_in_the_others(jobs: Analyst) -> None:
    answer = ask(jobs, "What proportion of jobs in Amber are repair compared to other crews?")
    rest = FRAME[FRAME.crew != "Amber"]
    assert fact(answer, "repair.rest_share") == pytest.approx(100 * (rest.kind == "repair").mean())
    assert fact(answer, "repair.amber_share") == pytest.approx(
        100 * (FRAME[FRAME.crew == "Amber"].kind == "repair").mean()
    )


def test_a_second_part_may_ask_how_sure_the_first_is(jobs: Analyst) -> None:
    answer = ask(
        jobs,
        "Which crew has the highest average minutes, and how significant is the difference compared to others?",
    )
    assert answer.prose.startswith("Amber had the highest average minutes") and "p = " in answer.prose


def test_rates_are_compared_by_counts_and_medians_by_ranks(jobs: Analyst) -> None:
    answer = ask(jobs, "Is the urgent rate significantly different between Amber and Birch?")
    two = FRAME[FRAME.crew.isin(["Amber", "Birch"])]
    found: Any = stats.chi2_contingency(pd.crosstab(two.crew, two.urgent))
    assert fact(answer, "p_value") == pytest.approx(found.pvalue)
    ranks = ask(jobs, "Mann-Whitney U test of minutes between Amber and Birch")
    expected: Any = stats.mannwhitneyu(minutes(crew="Amber"), minutes(crew="Birch"))
    assert fact(ranks, "p_value") == pytest.approx(expected.pvalue)
    assert "edian minutes differ" in ranks.prose


def test_a_distribution_over_few_groups_names_them_all(jobs: Analyst) -> None:
    counts = FRAME.kind.value_counts()
    answer = ask(jobs, "What is the distribution of jobs across all kinds?")
    assert {k: fact(answer, f"jobs.{k}") for k in counts.index} == counts.to_dict()
    assert all(f"{n} for {k}" in answer.prose for k, n in counts.items())
    assert "In full" not in ask(jobs, "How many jobs are there by kind?").prose
