"""What the presenter tells of several questions at once, refuses, and adds to an answer."""

from datetime import date
from itertools import pairwise

import pandas as pd
import pytest
from tests.agents.shop import LAST, fact, month, reading, request, shop

from gnomon.core.answer import AnswerStatus
from gnomon.core.operations import Tell, Walk
from gnomon.core.parts import Claim, Comparison, Course, QuestionKind, Share
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import requests_of

K = QuestionKind
MARCH, FEBRUARY = month(2024, 3), month(2024, 2)


def test_anomalies_are_found_by_the_series_tool() -> None:
    s = shop()
    answer = s.ask(K.ANOMALY, "revenue", grain=TimeGranularity.DAY)
    assert answer.status is AnswerStatus.ANSWERED
    assert (
        [step.tool for step in answer.plan.steps] == ["retrieve_orders", "anomaly_zscore"]
        if answer.plan
        else False
    )
    assert fact(answer, "revenue.checked").value == s.orders["order_date"].dt.date.nunique()
    daily = s.orders.groupby(s.orders["order_date"].dt.date)["revenue"].sum()
    for day, value in answer.tables[0].rows:
        assert value == pytest.approx(daily[day])


def test_where_a_change_happened() -> None:
    s = shop()
    answer = s.ask(K.CAUSE, "revenue", time_range=MARCH)
    now, before = s.month(2024, 3), s.month(2024, 2)
    change = now["revenue"].sum() - before["revenue"].sum()
    assert fact(answer, "revenue.change").value == pytest.approx(change)
    by = now.groupby("region")["revenue"].sum() - before.groupby("region")["revenue"].sum()
    top = by.idxmax() if change > 0 else by.idxmin()
    assert fact(answer, f"revenue.region.{top.lower()}.change").value == pytest.approx(by[top])
    assert "not yet why" in answer.prose


def test_two_questions_get_two_answers_in_one() -> None:
    s = shop()
    both = Reading(
        status=ReadingStatus.CLEAR,
        requests=requests_of(
            (request(K.VALUE, "orders"), request(K.RANKING, "revenue", dimensions=("region",), limit=1)),
            shop().model,
        ),
    )
    answer = s.presenter.present(both)
    assert answer.facts[0].value == 3000
    assert answer.prose.startswith("There were 3,000 orders.\nWest had the highest revenue: $")
    assert {f.step for f in answer.facts} == {"part1_retrieve", "part2_retrieve"}


def test_one_of_two_questions_out_of_scope_is_half_an_answer() -> None:
    future = month(2031, 1)
    both = Reading(
        status=ReadingStatus.CLEAR, requests=requests_of((request(K.VALUE, "orders"), request(K.VALUE, "orders", time_range=future)), shop().model)
    )  # fmt: skip
    answer = shop().presenter.present(both)
    assert answer.status is AnswerStatus.PARTIAL
    assert "There were 3,000 orders." in answer.prose and "there is nothing in January 2031" in answer.prose


def test_a_period_outside_of_the_data_is_refused_with_the_days_it_has() -> None:
    answer = shop().ask(K.VALUE, "revenue", time_range=month(2026, 3))
    assert answer.status is AnswerStatus.OUT_OF_SCOPE
    assert answer.facts == () and answer.tables == ()
    assert answer.prose == "Orders cover 1 January 2023 – 20 December 2024; there is nothing in March 2026."


def test_a_period_that_outlasts_the_data_gets_a_caveat() -> None:
    answer = shop().ask(
        K.VALUE, "revenue", time_range=TimeRange(start=date(2024, 12, 1), end=date(2025, 1, 5))
    )
    assert answer.status is AnswerStatus.ANSWERED
    assert f"Orders end on {LAST.day} December 2024" in answer.prose


def test_what_cannot_be_split_is_refused_with_what_can() -> None:
    answer = shop().ask(K.BREAKDOWN, "products", dimensions=("region",))
    assert answer.status is AnswerStatus.OUT_OF_SCOPE
    assert answer.prose.startswith("Products cannot be broken down by region; it can be by category")


def test_a_measure_is_not_split_by_itself() -> None:
    answer = shop().ask(K.BREAKDOWN, "revenue", dimensions=("revenue",))
    assert answer.status is AnswerStatus.OUT_OF_SCOPE
    assert answer.prose.startswith("Revenue cannot be broken down by itself.")


def test_finer_than_recorded_is_refused() -> None:
    answer = shop().ask(K.TREND, "revenue", grain=TimeGranularity.HOUR)
    assert answer.prose == "The data is recorded by day, so there is nothing by hour."


@pytest.mark.parametrize(
    ("status", "missing", "told"),
    [
        (ReadingStatus.AMBIGUOUS, (), AnswerStatus.CLARIFY),
        (ReadingStatus.PARTIAL, (), AnswerStatus.CLARIFY),
        (ReadingStatus.PARTIAL, ("conversion rate",), AnswerStatus.OUT_OF_SCOPE),
        (ReadingStatus.NOT_ABOUT_DATA, (), AnswerStatus.OUT_OF_SCOPE),
    ],
)
def test_what_was_not_read_clearly_is_not_computed(
    status: ReadingStatus, missing: tuple[str, ...], told: AnswerStatus
) -> None:
    unclear = Reading(
        status=status,
        requests=requests_of((request(K.VALUE, "orders"),), shop().model),
        missing=missing,
        message="Did you mean this",
        options=("orders by region",),
    )
    answer = shop().presenter.present(unclear)
    assert (answer.status, answer.prose, answer.facts) == (told, "Did you mean this.", ())
    assert answer.suggestions == ("orders by region",)


def test_suggestions_are_about_other_sides_of_the_same() -> None:
    answer = shop().ask(K.VALUE, "revenue", time_range=MARCH)
    assert answer.suggestions == (
        "revenue by channel in March 2024",
        "revenue by month",
        "revenue in March 2024 compared with February 2024",
    )


def test_the_same_question_gets_the_same_answer() -> None:
    asked = reading(K.BREAKDOWN, "revenue", dimensions=("category",), time_range=MARCH)
    first, second = (shop().presenter.present(asked).model_dump(exclude={"timings"}) for _ in range(2))
    assert first == second


def test_an_answer_is_json() -> None:
    told = shop().ask(K.TREND, "revenue", grain=TimeGranularity.MONTH).to_dict()
    assert told["tables"][0]["rows"][0][0] == "2023-01-01"
    assert pd.notna(told["facts"][0]["value"])


def test_two_rates_differ_by_percentage_points() -> None:
    s = shop()
    answer = s.ask(
        K.COMPARISON, "return_rate", dimensions=("region",), claim=Claim(side=">"),
        comparison=Comparison(kind="group", groups=("East", "West")),
    )  # fmt: skip
    by = s.orders.groupby("region")["returned"].mean()
    points = fact(answer, "return_rate.difference")
    assert (points.value, points.unit) == (
        pytest.approx(100 * (by["East"] - by["West"])),
        "percentage points",
    )
    assert (
        f"percentage points {'more' if by['East'] > by['West'] else 'less'} for East than for West"
        in answer.prose
    )
    assert answer.prose.startswith("Yes:" if by["East"] > by["West"] else "No:")


def test_shares_within_each_group_add_up_to_the_whole_of_it() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "revenue", dimensions=("channel", "region"), share=Share(within="region"))
    table = answer.tables[0]
    totals = s.orders.groupby("region")["revenue"].sum()
    both = s.orders.groupby(["channel", "region"])["revenue"].sum()
    found = {(r[0], r[1]): r[-1] for r in table.rows}
    assert found == {k: pytest.approx(100 * v / totals[k[1]]) for k, v in both.items()}
    assert answer.prose.startswith("Within each region, the largest share of revenue: ")


def test_what_else_is_told_about_those_that_a_ranking_found() -> None:
    s = shop()
    answer = s.ask(K.RANKING, "revenue", "orders", dimensions=("region",), limit=1)
    by = s.orders.groupby("region")["revenue"].sum()
    count = int((s.orders["region"] == by.idxmax()).sum())
    assert f"Orders were {count:,} for {by.idxmax()}." in answer.prose


def test_how_many_times_as_much() -> None:
    s = shop()
    answer = s.ask(
        K.COMPARISON, "revenue", dimensions=("region",), tells=(Tell.RATIO,),
        comparison=Comparison(kind="group", groups=("East", "West")),
    )  # fmt: skip
    assert "times as much for East as for West" in answer.prose


def test_two_measures_against_each_other() -> None:
    s = shop()
    answer = s.ask(K.VALUE, "units", "orders", claim=Claim(measures=True, side="<"))
    apart = s.orders["units"].sum() - len(s.orders)
    assert fact(answer, "units.difference").value == apart > 0
    assert answer.prose.startswith("No: units were ")


def test_a_time_may_be_the_part_of_a_share() -> None:
    s = shop()
    days = TimeRange(start=date(2024, 3, 1), end=date(2024, 3, 31), granularity=TimeGranularity.MONTH)
    year = TimeRange(start=date(2024, 1, 1), end=date(2024, 12, 31))
    answer = s.ask(K.SHARE, "revenue", time_range=year, share=Share(days=days))
    whole = s.orders[s.orders["order_date"].dt.year == 2024]["revenue"].sum()
    assert fact(answer, "revenue.share").value == pytest.approx(
        100 * s.month(2024, 3)["revenue"].sum() / whole
    )
    assert answer.prose.startswith("March 2024 made up ")


def test_days_that_meet_a_bound_are_a_share_of_all_days() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "count(orders per day > 4)", share=Share(whole="count(orders per day >= 0)"))
    by = s.orders.groupby("order_date").size()
    share = next(f for f in answer.facts if f.name.endswith(".share"))
    assert share.value == pytest.approx(100 * (by > 4).mean())
    assert f"of days: {(by > 4).sum():,} of {len(by):,}" in answer.prose


def test_growth_counts_from_the_period_before_the_first() -> None:
    s = shop()
    days = TimeRange(start=date(2024, 2, 1), end=date(2024, 4, 30))
    answer = s.ask(
        K.TREND, "orders", time_range=days, grain=TimeGranularity.MONTH, course=Course(walks=(Walk.GROWTH,))
    )
    counts = [len(s.month(2024, m)) for m in (1, 2, 3, 4)]
    assert [r[2] for r in answer.tables[0].rows] == [b - a for a, b in pairwise(counts)]


def test_rows_without_a_name_take_no_place_in_a_ranking() -> None:
    s = shop()
    answer = s.ask(K.RANKING, "orders", dimensions=("channel",), limit=1)
    assert answer.tables[0].rows[0][0] == s.orders["channel"].value_counts().index[0]
