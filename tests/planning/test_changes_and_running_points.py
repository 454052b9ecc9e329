"""Changes in percent, two years that are set against each other, running totals at given ends, totals by a date."""

from datetime import date

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

DAYS = pd.date_range("2021-01-04", "2024-12-20", freq="2D")
JOBS = pd.DataFrame(
    {
        "job_no": range(7000, 7000 + len(DAYS)),
        "booked_on": DAYS,
        "done_on": [d + pd.Timedelta(days=i * 7 % 20) for i, d in enumerate(DAYS)],
        "garage": [("North", "South", "East")[(i * i + i // 9) % 3] for i in range(len(DAYS))],
        "charge_usd": [40.5 + (i * 53) % 311 + (i // 200) * 9 * (i % 3) for i in range(len(DAYS))],
    }
)


@pytest.fixture(scope="module")
def garage() -> Analyst:
    return gnomon.open({"jobs": JOBS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def _first(answer: Answer) -> float:
    value = answer.facts[0].value
    assert isinstance(value, (int, float))
    return float(value)


def _by_year(year: int, *, counted: bool = False) -> pd.Series:
    rows = JOBS[JOBS.booked_on.dt.year == year].groupby("garage").charge_usd
    return rows.count() if counted else rows.sum()


@pytest.mark.parametrize(
    ("question", "earlier", "later", "counted"),
    [
        ("Which garage grew most in percentage terms between 2022 and 2024, going by the number of jobs?", 2022, 2024, True),
        ("Which garage's charges grew most in percent from 2022 to 2023?", 2022, 2023, False),
        ("Which garage has grown the most since 2021? Compare the number of jobs in 2024 with 2021 and give the percentage increase.", 2021, 2024, True),
    ],
)  # fmt: skip
def test_the_largest_growth_in_percent_is_that_of_two_years(
    garage: Analyst, question: str, earlier: int, later: int, counted: bool
) -> None:
    growth = 100 * (_by_year(later, counted=counted) / _by_year(earlier, counted=counted) - 1)
    answer = _answered(garage, question)
    assert _first(answer) == pytest.approx(growth.max())
    assert str(growth.idxmax()) in answer.prose and len(answer.tables) == 1


def test_a_change_in_percent_comes_first_where_it_is_asked_for(garage: Analyst) -> None:
    change = 100 * (_by_year(2023).sum() / _by_year(2022).sum() - 1)
    answer = _answered(garage, "By what percentage did charges change from 2022 to 2023?")
    assert _first(answer) == pytest.approx(change)


def test_how_big_the_drop_was_is_told_of_the_one_that_fell_most(garage: Analyst) -> None:
    fell = _by_year(2022) - _by_year(2023)
    answer = _answered(
        garage, "Which garage's charges fell the most from 2022 to 2023, and how big was the drop?"
    )
    changes = [float(f.value) for f in answer.facts if f.name.endswith(".change") and f.value is not None]
    assert changes == pytest.approx([-fell.max()]) and str(fell.idxmax()) in answer.prose


def test_the_growth_of_a_share_is_not_that_of_a_number(garage: Analyst) -> None:
    answer = garage.ask("Which garage's share of jobs grew most from 2022 to 2023?")
    assert answer.status is not AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    ("question", "begin", "ends"),
    [
        ("Show the cumulative charges for 2023 at the end of March, June and September.", "2023-01-01", ("2023-03-31", "2023-06-30", "2023-09-30")),
        ("cumulative charges by the end of Q1, Q2 and Q3 2023", "2023-01-01", ("2023-03-31", "2023-06-30", "2023-09-30")),
        ("running total of charges at the end of June 2022", "2021-01-01", ("2022-06-30",)),
    ],
)  # fmt: skip
def test_a_running_total_is_told_at_the_ends_that_were_named(
    garage: Analyst, question: str, begin: str, ends: tuple[str, ...]
) -> None:
    answer = _answered(garage, question)
    sums = [JOBS[JOBS.booked_on.between(begin, end)].charge_usd.sum() for end in ends]
    told = [f.value for f in answer.facts if ".cumulative" in f.name]
    assert told == pytest.approx(sums)
    assert [row[0] for row in answer.tables[0].rows] == [date.fromisoformat(end) for end in ends]


@pytest.mark.parametrize(("said", "column"), [("done date", "done_on"), ("booking date", "booked_on")])
def test_a_total_by_a_date_tells_the_total_first_and_the_days_then(
    garage: Analyst, said: str, column: str
) -> None:
    answer = _answered(garage, f"Total charges in 2024, by {said}")
    rows = JOBS[JOBS[column].dt.year == 2024]
    assert _first(answer) == pytest.approx(rows.charge_usd.sum())
    assert len(answer.tables[0].rows) == rows[column].nunique()


def test_a_total_by_month_stays_a_series(garage: Analyst) -> None:
    answer = _answered(garage, "Total charges by month in 2024")
    assert len(answer.tables[0].rows) == JOBS[JOBS.booked_on.dt.year == 2024].booked_on.dt.month.nunique()
