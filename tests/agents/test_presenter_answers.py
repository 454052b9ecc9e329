"""Answers of the presenter against the same computed with pandas, kind by kind."""

import numpy as np
import pandas as pd
import pytest
from tests.agents.shop import fact, month, shop, where

import gnomon
from gnomon.core.answer import AnswerStatus
from gnomon.core.operations import Walk
from gnomon.core.parts import Comparison, Course, Filter, FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.studies import Inspection

K = QuestionKind
MARCH, FEBRUARY = month(2024, 3), month(2024, 2)


def test_a_value_is_the_first_fact_and_the_first_sentence() -> None:
    s = shop()
    answer = s.ask(K.VALUE, "revenue", time_range=MARCH)
    truth = s.month(2024, 3)["revenue"].sum()
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.facts[0].value == pytest.approx(truth)
    assert answer.facts[0].unit == "USD"
    assert answer.prose.startswith(f"Revenue was ${truth:,.2f} in March 2024.")
    assert "Read as: revenue, March 2024." in answer.prose
    assert answer.facts[0].step == "retrieve" and "SELECT" in answer.facts[0].query.upper()
    assert answer.tables == () and answer.charts == ()


def test_counts_are_told_as_there_were() -> None:
    s = shop()
    answer = s.ask(K.VALUE, "orders", time_range=MARCH, filters=(where("region", "West"),))
    count = int((s.month(2024, 3)["region"] == "West").sum())
    assert answer.prose.startswith(f"There were {count} orders for West in March 2024.")
    assert answer.facts[0].value == count


def test_several_metrics_are_several_facts() -> None:
    s = shop()
    answer = s.ask(K.VALUE, "revenue", "customers", "average_order_value")
    o = s.orders
    assert [f.value for f in answer.facts] == [
        pytest.approx(o["revenue"].sum()),
        o["customer_id"].nunique(),
        pytest.approx(o["revenue"].sum() / len(o)),
    ]


def test_nulls_that_were_left_out_are_counted() -> None:
    s = shop()
    answer = s.ask(K.VALUE, "average_price")
    missing = int(s.orders["unit_price"].isna().sum())
    assert answer.facts[0].value == pytest.approx(s.orders["unit_price"].mean())
    assert fact(answer, "average_price.rows_without_value").value == missing
    assert f"{missing} rows have no value for average price and are left out." in answer.prose


def test_without_rows_a_sum_is_zero_and_an_average_unknown() -> None:
    nowhere = (where("region", "Atlantis"),)
    total = shop().ask(K.VALUE, "revenue", filters=nowhere)
    mean = shop().ask(K.VALUE, "average_price", filters=nowhere)
    count = shop().ask(K.VALUE, "orders", filters=nowhere)
    assert total.facts[0].value == 0 and count.facts[0].value == 0
    assert mean.facts[0].value is None
    assert mean.prose.startswith(
        "No rows meet the question for Atlantis. Average price for Atlantis is unknown"
    )
    assert "There were no orders for Atlantis" in count.prose


def test_a_breakdown_holds_every_group_largest_first() -> None:
    s = shop()
    answer = s.ask(K.BREAKDOWN, "revenue", dimensions=("region",), time_range=MARCH)
    truth = s.month(2024, 3).groupby("region")["revenue"].sum().sort_values(ascending=False)
    table = answer.tables[0]
    assert table.columns == ("region", "revenue (USD)")
    assert [r[0] for r in table.rows] == list(truth.index)
    assert [r[1] for r in table.rows] == pytest.approx(list(truth))
    top = fact(answer, "revenue.top")
    assert top.about.group == {"region": truth.index[0]} and top.value == pytest.approx(truth.iloc[0])
    assert fact(answer, "revenue.top_share").value == pytest.approx(100 * truth.iloc[0] / truth.sum())
    assert fact(answer, "revenue.total").value == pytest.approx(truth.sum())
    assert f"highest for {truth.index[0]}" in answer.prose and f"lowest for {truth.index[-1]}" in answer.prose
    assert answer.charts[0]["layer"][0]["mark"]["type"] == "bar"


def test_a_breakdown_across_a_join_and_by_two_dimensions() -> None:
    s = shop()
    answer = s.ask(K.BREAKDOWN, "units", dimensions=("category", "channel"))
    merged = s.orders.merge(s.products, on="product_id").groupby(["category", "channel"])["units"].sum()
    assert {r[:2]: r[2] for r in answer.tables[0].rows} == merged.to_dict()


def test_rates_have_no_total_and_no_shares() -> None:
    answer = shop().ask(K.BREAKDOWN, "return_rate", dimensions=("channel",))
    assert {f.name for f in answer.facts} == {"return_rate.top", "return_rate.bottom"}
    assert "%" in answer.prose


def test_a_ranking_names_its_first_and_keeps_its_order() -> None:
    s = shop()
    answer = s.ask(K.RANKING, "revenue", dimensions=("product_id",), limit=3)
    merged = s.orders.merge(s.products, on="product_id")
    truth = merged.groupby(["product_id", "name"])["revenue"].sum().sort_values(ascending=False).head(3)
    assert [r[:2] for r in answer.tables[0].rows] == list(truth.index)
    assert [r[2] for r in answer.tables[0].rows] == pytest.approx(list(truth))
    best, second, third = (name for _, name in truth.index)
    assert answer.prose.startswith(f"{best} had the highest revenue: $")
    values = [f"${v:,.2f}" for v in truth]
    assert f"followed by {second} ({values[1]}) and {third} ({values[2]})." in answer.prose


def test_as_many_of_a_ranking_are_named_as_were_asked_for() -> None:
    s = shop()
    truth = s.orders.groupby("customer_id")["revenue"].sum().sort_values(ascending=False)
    for asked in (2, 6, 12):
        answer = s.ask(K.RANKING, "revenue", dimensions=("customer_id",), limit=asked)
        told = answer.prose.split(" Read as")[0]
        assert all(str(name) in told for name in truth.index[: min(asked, 10)]), told
        assert ("2 more" in told) == (asked == 12)


def test_the_bottom_is_ranked_upwards() -> None:
    s = shop()
    answer = s.ask(K.RANKING, "orders", dimensions=("region",), limit=1, descending=False)
    truth = s.orders["region"].value_counts().sort_values()
    assert answer.prose.startswith(f"{truth.index[0]} had the fewest orders: {truth.iloc[0]:,}.")
    assert answer.tables[0].rows == ((truth.index[0], truth.iloc[0]),)


def test_ties_are_told() -> None:
    s = shop()
    by_day = s.orders.groupby([s.orders["order_date"].dt.date, "customer_id"]).size()
    day = next(d for d, c in by_day.groupby(level=0) if len(c) > 3 and c.max() == 1)
    one = TimeRange(start=day, end=day)
    tied = sorted(by_day[day].index)
    answer = s.ask(K.RANKING, "orders", dimensions=("customer_id",), limit=1, time_range=one)
    assert sorted(r[0] for r in answer.tables[0].rows) == tied
    assert f" tie for the most orders on {day.day} {day:%B %Y}: 1 each." in answer.prose
    two = s.ask(K.RANKING, "orders", dimensions=("customer_id",), limit=2, time_range=one)
    assert len(two.tables[0].rows) == 2
    assert "with the last of them." in two.prose


def test_a_place_in_a_ranking() -> None:
    s = shop()
    by = s.orders.merge(s.products, on="product_id").groupby("category")["revenue"].sum().sort_values()
    answer = s.ask(K.RANKING, "revenue", dimensions=("category",), limit=2, place=2)
    assert answer.tables[0].rows == ((by.index[1], pytest.approx(by.iloc[1])),)
    assert answer.prose.startswith(f"{by.index[1]} came second by revenue: $")
    assert answer.facts[0].about.group == {"category": by.index[1]}


def test_the_first_of_each_group() -> None:
    s = shop()
    answer = s.ask(K.RANKING, "revenue", dimensions=("region", "category"), limit=1, limit_per="region")
    merged = s.orders.merge(s.products, on="product_id").groupby(["region", "category"])["revenue"].sum()
    best = {r: merged[r].idxmax() for r in merged.index.get_level_values(0)}
    assert {r[0]: r[1] for r in answer.tables[0].rows} == best
    for region, category in best.items():
        assert f"{category} in {region}" in answer.prose


def test_periods_can_be_ranked() -> None:
    s = shop()
    answer = s.ask(K.RANKING, "revenue", grain=TimeGranularity.MONTH, limit=1)
    monthly = s.orders.groupby(s.orders["order_date"].dt.to_period("M"))["revenue"].sum()
    best = monthly.idxmax().start_time
    assert answer.tables[0].rows[0][0] == best.date()
    assert answer.prose.startswith(f"{best:%B %Y} had the highest revenue")


def test_a_share_leads_with_the_percentage() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "revenue", part=(where("region", "West"),), time_range=MARCH)
    march = s.month(2024, 3)
    part, whole = march.loc[march["region"] == "West", "revenue"].sum(), march["revenue"].sum()
    assert (answer.facts[0].unit, answer.facts[0].value) == ("%", pytest.approx(100 * part / whole))
    assert [f.value for f in answer.facts[1:3]] == pytest.approx([part, whole])
    assert answer.prose.startswith(f"West made up {100 * part / whole:.1f}".rstrip("0").rstrip("."))


def test_the_share_of_rows_under_a_condition() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "orders", part=(where("returned", True),))
    assert answer.facts[0].value == pytest.approx(100 * s.orders["returned"].mean())
    assert answer.prose.startswith("Orders with returned yes make up ")


def test_shares_of_groups_end_with_the_share() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "customers", dimensions=("region",))
    truth = 100 * s.orders.groupby("region")["customer_id"].nunique() / s.orders["customer_id"].nunique()
    assert {r[0]: r[-1] for r in answer.tables[0].rows} == pytest.approx(truth.to_dict())
    assert answer.tables[0].columns[-1] == "share (%)"


def test_the_share_of_each_group_under_a_condition() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "orders", dimensions=("region",), part=(where("returned", True),))
    truth = 100 * s.orders.groupby("region")["returned"].mean()
    assert {r[0]: r[-1] for r in answer.tables[0].rows} == pytest.approx(truth.to_dict())


def test_the_share_of_the_first_few() -> None:
    s = shop()
    answer = s.ask(K.SHARE, "revenue", dimensions=("customer_id",), limit=5)
    by = s.orders.groupby("customer_id")["revenue"].sum().sort_values(ascending=False)
    assert answer.facts[0].value == pytest.approx(100 * by.head(5).sum() / by.sum())
    assert answer.prose.startswith("The top 5 customers made up ")


def test_two_periods_are_compared_with_direction_and_size() -> None:
    s = shop()
    previous = Comparison(kind="period", period=FEBRUARY)
    answer = s.ask(K.COMPARISON, "revenue", time_range=MARCH, comparison=previous)
    now, before = s.month(2024, 3)["revenue"].sum(), s.month(2024, 2)["revenue"].sum()
    assert fact(answer, "revenue.current").value == pytest.approx(now)
    assert fact(answer, "revenue.previous").value == pytest.approx(before)
    assert fact(answer, "revenue.change").value == pytest.approx(now - before)
    assert fact(answer, "revenue.change_pct").value == pytest.approx(100 * (now / before - 1))
    way = "up" if now > before else "down"
    assert (
        f", {way} {abs(100 * (now / before - 1)):.1f} % from ${before:,.2f} in February 2024." in answer.prose
    )
    assert fact(answer, "revenue.previous").about.period == FEBRUARY


def test_a_period_before_the_data_leaves_half_an_answer() -> None:
    older = Comparison(kind="period", period=month(2021, 3))
    answer = shop().ask(K.COMPARISON, "revenue", time_range=MARCH, comparison=older)
    assert answer.status is AnswerStatus.PARTIAL
    assert [(f.name, f.value) for f in answer.facts[1:]] == [("compared.rows", 0)]
    assert answer.facts[0].name == "revenue.current"
    assert "The data has nothing in March 2021, so there is nothing to compare with." in answer.prose


def test_two_periods_group_by_group() -> None:
    s = shop()
    answer = s.ask(
        K.COMPARISON, "orders", dimensions=("region",), time_range=MARCH,
        comparison=Comparison(kind="period", period=FEBRUARY),
    )  # fmt: skip
    now = s.month(2024, 3)["region"].value_counts()
    before = s.month(2024, 2)["region"].value_counts()
    found = {r[0]: r[1:4] for r in answer.tables[0].rows}
    assert found == {r: (now[r], before[r], now[r] - before[r]) for r in now.index}


def test_groups_are_compared_with_difference_and_ratio() -> None:
    s = shop()
    answer = s.ask(
        K.COMPARISON, "revenue", dimensions=("region",), comparison=Comparison(kind="group", groups=("East", "West"))
    )  # fmt: skip
    by = s.orders.groupby("region")["revenue"].sum()
    assert [f.value for f in answer.facts[:2]] == pytest.approx([by["East"], by["West"]])
    assert fact(answer, "revenue.difference").value == pytest.approx(by["East"] - by["West"])
    assert fact(answer, "revenue.ratio").value == pytest.approx(by["East"] / by["West"])
    assert "less for East than for West." in answer.prose


def test_groups_that_are_split_further_are_not_told_by_one_of_their_rows() -> None:
    s = shop()
    answer = s.ask(
        K.COMPARISON, "revenue", dimensions=("region", "channel"),
        filters=(Filter(field="region", operator=FilterOperator.IN, values=("East", "West")),),
        comparison=Comparison(kind="group", groups=("East", "West")),
    )  # fmt: skip
    two = s.orders[s.orders["region"].isin(["East", "West"])]
    by = two.groupby(["region", "channel"])["revenue"].sum()
    assert fact(answer, "revenue.top").value == pytest.approx(by.max())
    assert fact(answer, "revenue.bottom").value == pytest.approx(by.min())
    assert not any(f.name in ("revenue.east", "revenue.west") for f in answer.facts)


def test_the_groups_may_come_as_a_condition() -> None:
    s = shop()
    either = Filter(field="channel", operator=FilterOperator.IN, values=("web", "store"))
    answer = s.ask(
        K.COMPARISON, "orders", filters=(either,), comparison=Comparison(kind="group", groups=("web", "store"))
    )  # fmt: skip
    assert [f.value for f in answer.facts[:2]] == list(s.orders["channel"].value_counts()[["web", "store"]])


def test_a_value_against_the_whole() -> None:
    s = shop()
    answer = s.ask(
        K.COMPARISON, "average_price", filters=(where("region", "West"),),
        comparison=Comparison(kind="benchmark", label="the average"),
    )  # fmt: skip
    west = s.orders.loc[s.orders["region"] == "West", "unit_price"].mean()
    overall = s.orders["unit_price"].mean()
    assert fact(answer, "average_price.current").value == pytest.approx(west)
    assert fact(answer, "average_price.benchmark").value == pytest.approx(overall)
    assert ("above" if west > overall else "below") + " the average (" in answer.prose


def test_a_trend_goes_from_whole_period_to_whole_period() -> None:
    s = shop()
    answer = s.ask(K.TREND, "revenue", grain=TimeGranularity.MONTH)
    monthly = s.orders.groupby(s.orders["order_date"].dt.to_period("M"))["revenue"].sum()
    assert [r[0] for r in answer.tables[0].rows] == [p.start_time.date() for p in monthly.index]
    assert [r[1] for r in answer.tables[0].rows] == pytest.approx(list(monthly))
    whole = monthly.iloc[:-1]  # December 2024 ends on the 20th
    assert fact(answer, "revenue.start").value == pytest.approx(whole.iloc[0])
    assert fact(answer, "revenue.end").value == pytest.approx(whole.iloc[-1])
    assert "in November 2024" in answer.prose.split("Read as")[0]
    assert "The rows end on 20 December 2024, so the month of that day is not whole." in answer.prose
    assert answer.charts[0]["layer"][0]["mark"]["type"] == "line"
    (cut,) = [r for r in answer.charts[0]["data"]["values"] if r.get("whole") is False]
    assert cut["when"] == "December 2024"


def test_the_grain_of_a_trend_follows_the_length_of_time() -> None:
    days = shop().ask(K.TREND, "orders", time_range=MARCH)
    assert days.tables[0].columns[0] == "day" and len(days.tables[0].rows) == 31
    all_of_it = shop().ask(K.TREND, "orders")
    assert all_of_it.tables[0].columns[0] == "month"


def test_a_trend_by_group_has_a_line_for_each() -> None:
    s = shop()
    answer = s.ask(K.TREND, "units", grain=TimeGranularity.QUARTER, dimensions=("region",))
    quarter = s.orders["order_date"].dt.to_period("Q")
    truth = s.orders.groupby([quarter, "region"])["units"].sum()
    assert {(r[0], r[1]): r[2] for r in answer.tables[0].rows} == {
        (q.start_time.date(), r): v for (q, r), v in truth.items()
    }
    assert answer.charts[0]["layer"][0]["encoding"]["color"]["title"] == "Regions"


def test_running_values_and_growth_when_asked() -> None:
    s = shop()
    monthly = s.orders.groupby(s.orders["order_date"].dt.to_period("M"))["revenue"].sum()
    total = s.ask(K.TREND, "revenue", grain=TimeGranularity.MONTH, course=Course(walks=(Walk.RUNNING,)))
    assert [r[-1] for r in total.tables[0].rows] == pytest.approx(list(monthly.cumsum()))
    mean = s.ask(
        K.TREND, "revenue", grain=TimeGranularity.MONTH, course=Course(walks=(Walk.MOVING,), window=3)
    )
    assert [r[-1] for r in mean.tables[0].rows][2:] == pytest.approx(list(monthly.rolling(3).mean())[2:])
    growth = s.ask(K.TREND, "revenue", grain=TimeGranularity.MONTH, course=Course(walks=(Walk.GROWTH,)))
    assert [r[-1] for r in growth.tables[0].rows][1:] == pytest.approx(list(100 * monthly.pct_change())[1:])


def test_a_list_under_a_condition_on_a_total() -> None:
    s = shop()
    rich = Filter(field="revenue", operator=FilterOperator.GREATER, values=(7000,), having=True)
    answer = s.ask(K.LIST, "revenue", dimensions=("customer_id",), filters=(rich,))
    by = s.orders.groupby("customer_id")["revenue"].sum()
    truth = by[by > 7000].sort_values(ascending=False)
    assert [r[0] for r in answer.tables[0].rows] == list(truth.index)
    assert answer.facts[0].value == len(truth)
    assert answer.prose.startswith(f"There are {len(truth)} customers with revenue > 7,000")


def test_a_list_of_values_and_of_one_value() -> None:
    s = shop()
    answer = s.ask(K.LIST, dimensions=("region",))
    assert answer.prose.startswith("There are 3 regions: East, North and West.")
    one = s.ask(K.LIST, dimensions=("category",), filters=(where("product_id", "P00"),))
    assert one.prose.startswith("The category for P00 is Seating.")
    assert one.facts[0].value == "Seating"


def test_a_list_that_is_empty_says_so() -> None:
    none = Filter(field="revenue", operator=FilterOperator.GREATER, values=(10**9,), having=True)
    answer = shop().ask(K.LIST, "revenue", dimensions=("customer_id",), filters=(none,))
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.prose.startswith("No rows meet the question")


def test_a_distribution_over_rows() -> None:
    s = shop()
    answer = s.ask(K.DISTRIBUTION, "average_price")
    prices = s.orders["unit_price"].dropna()
    for name, q in (
        ("minimum", 0),
        ("lower_quartile", 0.25),
        ("median", 0.5),
        ("upper_quartile", 0.75),
        ("maximum", 1),
    ):
        assert fact(answer, f"unit_price.{name}").value == pytest.approx(prices.quantile(q)), name
    assert sum(r[2] for r in answer.tables[0].rows) == len(prices)
    assert fact(answer, "unit_price.rows_without_value").value == int(s.orders["unit_price"].isna().sum())


def test_a_distribution_of_few_values_counts_each() -> None:
    s = shop()
    answer = s.ask(K.DISTRIBUTION, "orders", dimensions=("units",))
    assert dict(answer.tables[0].rows) == s.orders["units"].value_counts().to_dict()


def test_a_distribution_across_categories_is_a_breakdown() -> None:
    s = shop()
    answer = s.ask(K.DISTRIBUTION, "revenue", dimensions=("region",))
    by = s.orders.groupby("region")["revenue"].sum().sort_values(ascending=False)
    assert answer.tables[0].rows == tuple((r, pytest.approx(v)) for r, v in by.items())
    assert "Read as: the distribution of revenue by region" in answer.prose


def test_a_distribution_over_groups() -> None:
    s = shop()
    answer = s.ask(K.DISTRIBUTION, "revenue", dimensions=("customer_id",))
    by = s.orders.groupby("customer_id")["revenue"].sum()
    assert fact(answer, "revenue_per_customer.median").value == pytest.approx(by.median())


def test_a_correlation_over_rows_leads_with_r() -> None:
    s = shop()
    answer = s.ask(K.CORRELATION, "average_price", "revenue")
    both = s.orders.dropna(subset=["unit_price"])
    assert answer.facts[0].value == pytest.approx(np.corrcoef(both["unit_price"], both["revenue"])[0, 1])
    assert fact(answer, "pairs.count").value == len(both)
    assert answer.prose.startswith(
        "There is a moderate positive correlation between unit price and revenue"
    ) or (answer.prose.startswith("There is a strong positive correlation between unit price and revenue"))
    assert "not what causes what" in answer.prose


def test_another_pair_of_columns_is_another_correlation() -> None:
    s = shop()
    first = s.ask(K.CORRELATION, "average_price", "revenue").facts[0].value
    second = s.ask(K.CORRELATION, "units", "revenue").facts[0].value
    assert second == pytest.approx(np.corrcoef(s.orders["units"], s.orders["revenue"])[0, 1])
    assert first != second


def test_a_correlation_over_periods() -> None:
    s = shop()
    answer = s.ask(K.CORRELATION, "orders", "return_rate", grain=TimeGranularity.MONTH)
    by = s.orders.groupby(s.orders["order_date"].dt.to_period("M"))
    truth = np.corrcoef(by.size(), by["returned"].mean())[0, 1]
    assert answer.facts[0].value == pytest.approx(truth)
    assert "24 months" in answer.prose
    encoding = answer.charts[0]["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("Orders", "Return rate")
    assert encoding["color"]["scale"]["domain"] == ["whole month", "month that is not whole"]


def test_what_the_data_holds() -> None:
    answer = shop().ask(K.PROFILE)
    assert {r[0]: r[1] for r in answer.tables[0].rows} == {"orders": 3000, "products": 12}
    assert fact(answer, "tables").value == 2 and fact(answer, "rows").value == 3012
    one = shop().ask(K.PROFILE, study=Inspection(table="orders", about="columns"))
    assert fact(one, "columns").value == 10
    assert [r[0] for r in one.tables[0].rows if r[1] == "yes or no"] == ["returned"]


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_the_biggest_increase_is_not_one_where_nothing_rose(factor: float, descending: bool) -> None:
    rows = [
        (pd.Timestamp(year, 3, day), ward, 10.0 * (i + 1) * (factor if year == 2024 else 1))
        for year in (2023, 2024)
        for i, ward in enumerate(("Abbey", "Castle", "Quay"))
        for day in range(1, 11)
    ]
    wards = gnomon.open({"permits": pd.DataFrame(rows, columns=["issued", "ward", "cost"])})
    word = "increase" if descending else "decrease"
    answer = wards.ask(f"Which ward had the biggest {word} in cost from 2023 to 2024?")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    moved = (factor > 1) if descending else (factor < 1)
    assert answer.prose.startswith("There is no such ward") is not moved
    if moved:
        assert answer.tables[0].rows[0][0] == "Quay"
