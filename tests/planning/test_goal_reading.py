import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.planning.goal_reading import GoalReading, goal_label, parse_label, read_goals
from gnomon.tools import Goal


@pytest.mark.parametrize(
    ("prompt", "goals"),
    [
        ("Detect anomalies in sales data with threshold 2.5", [Goal.DETECT_ANOMALIES]),
        ("Analyze customer segments", [Goal.SEGMENTS]),
        ("Forecast sales after detecting outliers", [Goal.DETECT_ANOMALIES, Goal.FORECAST]),
        ("forecast sales after removing outliers, then chart it", [Goal.CLEAN, Goal.FORECAST, Goal.CHART]),
        ("Before forecasting, clean the data", [Goal.CLEAN, Goal.FORECAST]),
        ("After cleaning, forecast revenue", [Goal.CLEAN, Goal.FORECAST]),
        ("Once the outliers are removed, cluster the customers", [Goal.CLEAN, Goal.SEGMENTS]),
        ("predict churn from age and income", [Goal.REGRESSION]),
        ("Do not forecast, just show the trend", [Goal.TREND]),
        ("plot total revenue by region", [Goal.AGGREGATE, Goal.CHART]),
        ("show the trend and the seasonality of orders", [Goal.TREND, Goal.SEASONALITY]),
        ("hello there", []),
    ],
)
def test_goals_come_in_the_order_in_which_they_are_done(prompt: str, goals: list[Goal]) -> None:
    assert list(read_goals(prompt).goals) == goals


def test_the_published_name_of_a_combination() -> None:
    assert read_goals("Forecast sales after detecting outliers").label == "forecast_with_cleaning"
    assert read_goals("hello").label == "unknown"


@given(st.permutations(list(Goal)), st.integers(1, 4))
def test_a_label_tells_the_goals_it_was_made_of(goals: list[Goal], n: int) -> None:
    chosen = tuple(goals[:n])
    reading = GoalReading(chosen, tuple((g, chosen[-1]) for g in chosen[:-1]), chosen[-1])
    parsed = parse_label(goal_label(reading))
    assert parsed is not None
    assert set(parsed.goals) == set(chosen)
    assert parsed.main == chosen[-1]


@pytest.mark.parametrize("label", ["", "unknown", "make_coffee", "forecast_with_magic"])
def test_a_word_that_is_no_label_is_none(label: str) -> None:
    assert parse_label(label) is None


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    reading = read_goals(text)
    assert len(set(reading.goals)) == len(reading.goals)
    assert (reading.main is None) == (not reading.goals)
