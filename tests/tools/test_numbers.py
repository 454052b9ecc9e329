"""Tools state the numbers that pandas finds for the same rows."""

import pandas as pd
import pytest
from tests.tools.rows import SPIKE_DAY, daily_sales

from gnomon.core.errors import InvalidInput
from gnomon.tools import Frame, ToolContext
from gnomon.tools.builtin import builtin_registry

REGISTRY = builtin_registry()
ROWS = daily_sales()
FRAME = pd.DataFrame(ROWS).assign(date=lambda f: pd.to_datetime(f["date"]))


def call(name: str, **params: object) -> dict[str, object]:
    return REGISTRY.get(name)({"data": ROWS, **params}, ToolContext())


def rows(output: dict[str, object], field: str = "rows") -> pd.DataFrame:
    frame = output[field]
    assert isinstance(frame, Frame)
    return frame.to_pandas()


@pytest.mark.parametrize("how", ["sum", "mean", "median", "count", "min", "max", "nunique", "stddev"])
def test_aggregates_by_group_agree_with_pandas(how: str) -> None:
    found = rows(call("aggregate", value="sales", aggregate=how, group_by=["region"]))
    expected = FRAME.groupby("region")["sales"].agg({"stddev": "std"}.get(how, how))
    assert found.set_index("region")[f"{how}_sales"].to_dict() == pytest.approx(expected.to_dict())


def test_periods_are_calendar_periods() -> None:
    found = rows(call("aggregate", value="sales", grain="month"))
    expected = FRAME.groupby(FRAME["date"].dt.to_period("M"))["sales"].sum()
    assert found["sum_sales"].tolist() == pytest.approx(expected.tolist())
    assert found["month"].dt.to_period("M").tolist() == list(expected.index)


def test_weeks_begin_on_monday() -> None:
    found = rows(call("aggregate", grain="week"))
    assert set(found["week"].dt.dayofweek) == {0}
    assert found["count"].sum() == len(FRAME)


def test_conditions_filter_and_top_keeps_the_largest() -> None:
    found = call(
        "aggregate", value="sales", group_by=["units"], top=2, where=[{"column": "region", "value": "north"}]
    )
    expected = FRAME[FRAME.region == "north"].groupby("units")["sales"].sum().nlargest(2)
    assert rows(found)["units"].tolist() == expected.index.tolist()
    assert found["row_count"] == (FRAME.region == "north").sum()


@pytest.mark.parametrize(
    ("where", "mask"),
    [
        ({"column": "units", "operator": ">=", "value": 5}, FRAME.units >= 5),
        ({"column": "units", "operator": "in", "value": [1, 2]}, FRAME.units.isin([1, 2])),
        ({"column": "region", "operator": "!=", "value": "north"}, FRAME.region != "north"),
        ({"column": "region", "operator": "is not null"}, FRAME.region.notna()),
    ],
    ids=str,
)
def test_every_operator_means_what_it_says(where: dict[str, object], mask: "pd.Series[bool]") -> None:
    assert rows(call("aggregate", where=[where]))["count"].tolist() == [mask.sum()]


def test_a_value_in_a_condition_is_never_read_as_sql() -> None:
    found = call("aggregate", where=[{"column": "region", "value": "x' OR '1'='1"}])
    assert rows(found)["count"].tolist() == [0]


def test_missing_values_are_left_out_and_counted() -> None:
    holed = [{**r, "sales": None if i < 10 else r["sales"]} for i, r in enumerate(ROWS)]
    found = REGISTRY.get("aggregate")({"data": holed, "value": "sales", "aggregate": "mean"}, ToolContext())
    assert found["null_count"] == 10
    assert rows(found)["mean_sales"][0] == pytest.approx(FRAME["sales"][10:].mean())


def test_adding_up_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="works on numbers, and region holds"):
        call("aggregate", value="region", aggregate="sum")


def test_the_planted_spike_is_the_anomaly() -> None:
    found = call("anomaly_zscore", value="sales", threshold=4)
    flagged = rows(found)
    assert flagged.index[flagged["is_anomaly"]].tolist() == [SPIKE_DAY]
    assert len(rows(found, "cleaned")) == len(ROWS) - 1


def test_series_of_their_own_are_judged_on_their_own() -> None:
    mixed = [{"shop": "a", "x": v} for v in [1, 2, 1, 2, 1, 2, 50]] + [
        {"shop": "b", "x": v} for v in [49, 50, 51, 49, 50, 51]
    ]
    tool = REGISTRY.get("anomaly_zscore")
    together = rows(tool({"data": mixed, "value": "x"}, ToolContext()))
    apart = rows(tool({"data": mixed, "value": "x", "group_by": ["shop"]}, ToolContext()))
    assert not together["is_anomaly"][6]
    assert apart.index[apart["is_anomaly"]].tolist() == [6]


def test_a_horizon_in_months_counts_the_days_of_the_calendar() -> None:
    found = rows(call("timeseries_forecaster", value="sales", horizon=1, horizon_unit="month"))
    future = found[found["kind"] == "forecast"]
    last = FRAME["date"].max()
    assert len(future) == ((last + pd.DateOffset(months=1)) - last).days
    assert (future["lower"] <= future["sales"]).all()
    assert (future["sales"] <= future["upper"]).all()


def test_rows_of_one_day_add_up_for_amounts_and_average_for_rates() -> None:
    double = [dict(r, conversion_rate=0.5) for r in ROWS for _ in range(2)]
    tool = REGISTRY.get("trend")
    amount = rows(tool({"data": double, "value": "sales"}, ToolContext()))
    rate = rows(tool({"data": double, "value": "conversion_rate"}, ToolContext()))
    assert amount["sales"].tolist() == pytest.approx((2 * FRAME["sales"]).tolist())
    assert set(rate["conversion_rate"]) == {0.5}


def test_a_derived_column_is_the_formula() -> None:
    found = rows(call("derive_column", expression="sales / units", new_column="per_unit"))
    assert found["per_unit"].tolist() == pytest.approx((FRAME["sales"] / FRAME["units"]).tolist())


def test_filtering_keeps_exactly_what_meets_the_condition() -> None:
    found = call("filter_rows", condition="units > 3 and region = 'north'")
    assert found["kept"] == ((FRAME.units > 3) & (FRAME.region == "north")).sum()
    assert found["kept"] + found["removed"] == len(FRAME)  # type: ignore[operator]


def test_the_last_days_count_back_from_the_latest_row() -> None:
    found = call("filter_rows", latest=30, latest_unit="day")
    last = FRAME["date"].max()
    assert found["kept"] == (FRAME["date"] > last - pd.Timedelta(days=30)).sum() == 30
    month = call("filter_rows", latest=1, latest_unit="month", condition="units > 3")
    assert month["kept"] == ((FRAME["date"] > last - pd.DateOffset(months=1)) & (FRAME.units > 3)).sum()


def test_nothing_to_filter_by_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing to filter by"):
        call("filter_rows")


def test_a_formula_is_not_a_condition() -> None:
    with pytest.raises(InvalidInput, match="is not a condition"):
        call("filter_rows", condition="units + 3")


def test_correlation_agrees_with_pandas() -> None:
    found = rows(call("correlation", columns=["sales", "units"], method="pearson"))
    assert found["coefficient"][0] == pytest.approx(FRAME["sales"].corr(FRAME["units"]), abs=1e-9)


def test_text_that_is_numbers_and_dates_is_read_as_such() -> None:
    texts = [{"day": f"{d} Jan 2024", "amount": f"$1,{d:03d}.50"} for d in range(1, 29)]
    found = rows(
        REGISTRY.get("aggregate")({"data": texts, "value": "amount", "grain": "year"}, ToolContext())
    )
    assert found["sum_amount"].tolist() == pytest.approx([sum(1000.5 + d for d in range(1, 29))])


@pytest.mark.long
def test_a_forecast_per_region_is_the_forecast_of_that_region_alone() -> None:
    together = call("timeseries_forecaster", value="sales", horizon=5, group_by=["region"])
    assert [g["group"] for g in together["groups"]] == [{"region": "north"}, {"region": "south"}]
    south = [r for r in ROWS if r["region"] == "south"]
    alone = REGISTRY.get("timeseries_forecaster")(
        {"data": south, "value": "sales", "horizon": 5}, ToolContext()
    )
    assert together["groups"][1]["summary"] == alone["summary"]
    assert together["groups"][1]["result"]["points"] == alone["points"]
    assert together["points"] == call("timeseries_forecaster", value="sales", horizon=5)["points"]


def test_a_group_that_is_too_small_says_so_and_the_others_are_answered() -> None:
    rows_ = [*ROWS, {**ROWS[0], "region": "new"}]
    found = REGISTRY.get("seasonality")(
        {"data": rows_, "value": "sales", "group_by": ["region"]}, ToolContext()
    )
    by_region = {g["group"]["region"]: g for g in found["groups"]}
    assert "needs at least" in by_region["new"]["summary"]
    assert by_region["north"]["result"]["grain"]
