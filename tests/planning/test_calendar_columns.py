"""Days, months and times that columns tell by name, in data without dates; and one column's share of another."""

from collections.abc import Callable

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 180
DAYS = ("Mon", "Tues", "Wed", "Thur", "Fri", "Sat", "Sun")
SERVED = pd.DataFrame(
    {
        "total_check": [10 + (i * 37) % 53 + 0.25 for i in range(N)],
        "service": [1 + (i * 11) % 7 + 0.5 for i in range(N)],
        "day": [DAYS[(i * 5 + i // 9) % 7] for i in range(N)],
        "time": [("Brunch", "Dinner", "Dinner")[(i + i // 4) % 3] for i in range(N)],
        "month": [("Jan", "Feb", "Mar", "Apr")[(i * 3 + i // 5) % 4] for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def served() -> Analyst:
    return gnomon.open({"served": SERVED})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many rows were there on Saturday?", lambda d: d.day == "Sat"),
        ("How many rows on weekends?", lambda d: d.day.isin(["Sat", "Sun"])),
        ("How many rows were there in February?", lambda d: d.month == "Feb"),
        ("How many brunches were there on Thursday?", lambda d: (d.day == "Thur") & (d.time == "Brunch")),
    ],
)
def test_a_time_is_the_value_that_the_data_writes(
    served: Analyst, question: str, rows: Callable[[pd.DataFrame], pd.Series]
) -> None:
    assert _answered(served, question).facts[0].value == int(rows(SERVED).sum())


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("average service by day", "day"),
        ("average service by time of day", "time"),
        ("average service per month", "month"),
        ("monthly average service", "month"),
    ],
)
def test_a_grain_is_the_column_that_is_called_so(served: Analyst, question: str, column: str) -> None:
    told = {row[0]: row[1] for row in _answered(served, question).tables[0].rows}
    assert told == pytest.approx(SERVED.groupby(column).service.mean().to_dict())


def test_which_day_is_one_of_the_column(served: Analyst) -> None:
    best = SERVED.groupby("day").total_check.mean()
    answer = _answered(served, "Which day has the highest average total check?")
    assert answer.tables[0].rows[0][:2] == (best.idxmax(), pytest.approx(best.max()))


def test_a_time_that_no_column_tells_is_still_refused(served: Analyst) -> None:
    for question in ("service in 2024", "service by year", "service last week"):
        assert served.ask(question).status is AnswerStatus.OUT_OF_SCOPE, question


def test_dates_go_before_columns_that_are_called_like_times() -> None:
    dated = SERVED.assign(served_on=pd.date_range("2024-01-01", periods=N, freq="D"))
    answer = _answered(gnomon.open({"served": dated}), "total service in February 2024")
    inside = dated[dated.served_on.between("2024-02-01", "2024-02-29")]
    assert answer.facts[0].value == pytest.approx(inside.service.sum())


def test_a_column_of_years_tells_no_months() -> None:
    opened = SERVED.assign(opened=[1863 + (i * 7) % 60 + 40 for i in range(N)])
    answer = _answered(gnomon.open({"served": opened}), "total service in February")
    assert answer.facts[0].value == pytest.approx(SERVED[SERVED.month == "Feb"].service.sum())


@pytest.mark.parametrize(
    "question",
    [
        "service as a percentage of total check",
        "What share of the check is the service on average?",
        "What percentage of the total check is the service?",
    ],
)
def test_one_column_as_a_share_of_another_is_told_in_percent(served: Analyst, question: str) -> None:
    answer = _answered(served, question)
    share = SERVED.service.sum() / SERVED.total_check.sum()
    assert answer.facts[0].value == pytest.approx(share)
    assert f"{100 * share:.1f} %" in answer.prose


def test_a_column_whose_name_begins_with_a_word_for_sums_is_correlated_itself(served: Analyst) -> None:
    answer = _answered(served, "What is the correlation between total check and service?")
    wanted = SERVED.total_check.corr(SERVED.service)
    assert any(f.value == pytest.approx(wanted) for f in answer.facts if isinstance(f.value, float))
