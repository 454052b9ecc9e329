"""Words for weather and the like: what it did by itself, adjectives of values, the ends of a column that has two of them."""

from collections.abc import Callable

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

N = 400
DAYS = pd.DataFrame(
    {
        "date": pd.date_range("1936-01-01", periods=N, freq="D"),
        "rainfall": [(i * 13) % 17 for i in range(N)],
        "temp_max": [10 + (i * 29) % 43 * 0.5 for i in range(N)],
        "temp_min": [(i * 31) % 47 * 0.25 - 4 for i in range(N)],
        "sky": [("sun", "fog", "hail", "sun", "snow")[(i * 7 + i // 6) % 5] for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def days() -> Analyst:
    return gnomon.open({"days": DAYS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, (question, answer.prose)
    return answer


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many days did it snow?", lambda d: d.sky == "snow"),
        ("How many days was it foggy in 1936?", lambda d: (d.sky == "fog") & (d.date.dt.year == 1936)),
        ("How many sunny days were there in March 1936?", lambda d: (d.sky == "sun") & (d.date.dt.month == 3) & (d.date.dt.year == 1936)),
    ],
)  # fmt: skip
def test_what_it_did_by_itself_is_a_value(
    days: Analyst, question: str, rows: Callable[[pd.DataFrame], pd.Series]
) -> None:
    assert _answered(days, question).facts[0].value == int(rows(DAYS).sum())


def test_the_hottest_is_a_highest_and_the_coldest_a_lowest(days: Analyst) -> None:
    for question, column, at in (
        ("What was the hottest day?", "temp_max", DAYS.temp_max.max()),
        ("What was the coldest day?", "temp_min", DAYS.temp_min.min()),
    ):
        answer = _answered(days, question)
        assert column.replace("_", " ") in answer.prose
        assert any(f.value == pytest.approx(at) for f in answer.facts if isinstance(f.value, float)), question


def test_one_temperature_of_two_is_asked_back(days: Analyst) -> None:
    assert days.ask("average temperature in 1936").status is AnswerStatus.CLARIFY


def test_years_long_ago_are_years_where_the_data_has_them(days: Analyst) -> None:
    answer = _answered(days, "Did the rainfall go up from 1936 to 1937?")
    by_year = DAYS.groupby(DAYS.date.dt.year).rainfall.sum()
    told = [f.value for f in answer.facts]
    assert by_year[1936] in told
    assert by_year[1937] in told


def test_an_adjective_of_no_value_is_refused(days: Analyst) -> None:
    assert days.ask("How many stormy days were there?").status is AnswerStatus.OUT_OF_SCOPE
