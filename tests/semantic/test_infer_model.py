"""Models of tables never seen before: what is summed, averaged, counted, and what things are called."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import Additivity, Aggregation, DimensionType, Direction, SemanticModel, infer_model


def model_of(**frames: pd.DataFrame) -> SemanticModel:
    dataset = open_sources(frames)
    return infer_model(profile_dataset(dataset), dataset)


@pytest.fixture(scope="module")
def shop() -> SemanticModel:
    n = 400
    days = pd.date_range("2024-01-01", periods=100).repeat(4)
    orders = pd.DataFrame(
        {
            "order_id": range(1000, 1000 + n),
            "order_date": days,
            "customer_id": [i % 37 for i in range(n)],
            "quantity": [1 + i % 5 for i in range(n)],
            "unit_price": [9.5 + (i * 7 % 50) / 4 for i in range(n)],
            "discount": [(i % 4) / 10 for i in range(n)],
            "returned": [i % 9 == 0 for i in range(n)],
            "ship_date": days + pd.Timedelta(days=3),
        }
    )
    customers = pd.DataFrame(
        {
            "customer_id": range(37),
            "name": [f"Acme {i} Limited" for i in range(37)],
            "city": [f"City{i % 6}" for i in range(37)],
            "region": [("North", "South")[i % 6 % 2] for i in range(37)],
        }
    )
    stock = pd.DataFrame(
        {
            "date": pd.date_range("2024-01-01", periods=60).repeat(3),
            "warehouse": ["A1", "B1", "C1"] * 60,
            "on_hand": [100 + i % 17 for i in range(180)],
        }
    )
    return model_of(orders=orders, customers=customers, stock=stock)


def test_revenue_is_derived_from_quantity_price_and_discount(shop: SemanticModel) -> None:
    revenue = shop.metric("revenue")
    assert revenue.expression == "quantity * unit_price * (1 - discount)"
    assert (revenue.aggregation, revenue.table) == (Aggregation.SUM, "orders")
    assert "sales" in revenue.synonyms
    assert shop.metric("average_order_value").formula == "revenue / orders"


def test_prices_are_averaged_and_quantities_summed(shop: SemanticModel) -> None:
    price, quantity = shop.metric("average_unit_price"), shop.metric("quantity")
    assert (price.aggregation, price.additivity) == (Aggregation.MEAN, Additivity.NON_ADDITIVE)
    assert (quantity.aggregation, quantity.additivity) == (Aggregation.SUM, Additivity.ADDITIVE)


def test_stock_levels_are_not_summed_over_time(shop: SemanticModel) -> None:
    assert shop.metric("on_hand").additivity is Additivity.SEMI_ADDITIVE


def test_things_are_counted_once_under_their_own_name(shop: SemanticModel) -> None:
    orders, customers = shop.metric("orders"), shop.metric("customers")
    assert (orders.table, orders.aggregation) == ("orders", Aggregation.COUNT)
    assert (customers.table, customers.aggregation) == ("customers", Aggregation.COUNT)
    assert shop.metric("customers_with_orders").aggregation is Aggregation.COUNT_DISTINCT


def test_flags_become_shares_and_counts(shop: SemanticModel) -> None:
    rate = shop.metric("return_rate")
    assert (rate.aggregation, rate.unit, rate.direction) == (
        Aggregation.MEAN,
        "fraction",
        Direction.LOWER_IS_BETTER,
    )
    assert "returns" in shop.metric("returned_orders").synonyms


def test_the_time_between_two_dates_is_a_metric(shop: SemanticModel) -> None:
    assert shop.metric("average_shipping_time").expression == "days(ship_date, order_date)"


def test_a_shared_key_is_one_dimension_that_shows_names(shop: SemanticModel) -> None:
    customer = shop.dimension("customer_id")
    assert customer.label == "customer"
    assert {ref.table for ref in customer.locations} == {"orders", "customers"}
    assert str(customer.home) == "customers.customer_id"
    assert str(customer.label_at) == "customers.name"


def test_cities_lie_in_regions(shop: SemanticModel) -> None:
    assert shop.dimension("city").parent == "region"
    assert shop.dimension("region").parent is None


def test_periods_refer_to_when_things_happened(shop: SemanticModel) -> None:
    assert shop.table("orders").time_dimension == "order_date"
    covered = shop.dimension("order_date").coverage
    assert covered is not None
    assert [d.isoformat() for d in covered] == ["2024-01-01", "2024-04-09"]


def test_years_are_time_and_codes_are_not_summed() -> None:
    model = model_of(
        data=pd.DataFrame(
            {
                "year": [1990 + i % 30 for i in range(300)],
                "zip": [10000 + i * 13 % 900 for i in range(300)],
                "pclass": [1 + i % 3 for i in range(300)],
                "temperature": [15 + i % 20 / 3 for i in range(300)],
            }
        )
    )
    assert model.dimension("year").type is DimensionType.TIME
    assert [d.isoformat() for d in model.dimension("year").coverage or ()] == ["1990-01-01", "2019-12-31"]
    assert model.dimension("pclass").type is DimensionType.CATEGORY
    assert {m.name for m in model.metrics} == {"rows", "average_temperature"}
    assert model.table("data").label == "row"


def test_odd_names_keep_their_columns() -> None:
    model = model_of(
        odd=pd.DataFrame({"Größe (cm)": [1.5, 2.5, 3.5], "% done": [10.0, 20.5, 30.1], "売上": [1, 900, 7]})
    )
    assert {d.name for d in model.dimensions} == {"Größe (cm)", "% done", "売上"}
    assert {m.expression for m in model.metrics} == {None, "`Größe (cm)`", "`% done`", "`売上`"}


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_without_rows_have_models_too(rows: int) -> None:
    frame = pd.DataFrame({"order_id": [7], "amount": [1.5], "when": pd.to_datetime(["2024-01-01"])})[:rows]
    model = model_of(orders=frame)
    assert model.metric("orders").aggregation is Aggregation.COUNT
    assert len(model.dimensions) == 3


def test_running_numbers_say_what_rows_are() -> None:
    model = model_of(
        export_3=pd.DataFrame(
            {
                "number": [f"INC{i:05}" for i in range(40)],
                "state": ["open", "closed"] * 20,
                "hours": [1.5, 2.5] * 20,
            }
        )
    )
    assert model.table("export_3").label == "incident"
    assert {"row", "record", "incidents", "ticket"} <= set(model.table("export_3").synonyms)
    assert model.metric("incidents").aggregation is Aggregation.COUNT


def test_rows_are_not_what_a_column_counts() -> None:
    days = pd.date_range("2024-01-01", periods=60)
    model = model_of(cases=pd.DataFrame({"day": days, "new_cases": [i * 7 % 90 for i in range(60)]}))
    assert model.table("cases").label == "row"
    assert model.metric("new_cases").aggregation is Aggregation.SUM
    assert not any("cases" in m.synonyms for m in model.metrics)


def test_a_key_under_another_name_is_the_same_thing_but_a_role_is_not() -> None:
    users = pd.DataFrame({"id": range(100, 130), "name": [f"Person number {i}" for i in range(30)]})
    tickets = pd.DataFrame(
        {
            "ticket_id": range(90),
            "user_id": [100 + i % 30 for i in range(90)],
            "approver_user_id": [100 + i * 7 % 30 for i in range(90)],
        }
    )
    model = model_of(users=users, tickets=tickets)
    user = model.dimension("user_id")
    assert [str(ref) for ref in user.locations] == ["users.id", "tickets.user_id"]
    assert str(user.label_at) == "users.name"
    assert [str(r) for r in model.dimension("approver_user_id").locations] == ["tickets.approver_user_id"]


@pytest.mark.parametrize(
    ("name", "values", "how"),
    [
        ("salary", [40000.0, 52000.5, 71000.25], Aggregation.MEAN),
        ("unit_cost", [1.5, 2.5, 9.75], Aggregation.MEAN),
        ("processing_time_hours", [1.5, 2.5, 30.25], Aggregation.MEAN),
        ("stockout_hours", [1.5, 2.5, 30.25], Aggregation.SUM),
        ("years_at_company", [1, 12, 30], Aggregation.MEAN),
        ("no_of_trades", [12, 430, 61], Aggregation.SUM),
        ("satisfaction", [1, 4, 5], Aggregation.MEAN),
        ("avg_revenue", [1.5, 2.5, 9.75], Aggregation.MEAN),
        ("revenue_per_user", [1.5, 2.5, 9.75], Aggregation.MEAN),
        ("energy_kwh", [1.5, 2.5, 9.75], Aggregation.SUM),
        ("conversion_rate", [0.5, 0.25, 0.75], Aggregation.MEAN),
        ("humidity", [41.0, 52.5, 63.25], Aggregation.MEAN),
        ("quantity", [1, 2, 3], Aggregation.SUM),
    ],
)
def test_what_adds_up_is_summed_and_the_rest_averaged(
    name: str, values: list[float], how: Aggregation
) -> None:
    model = model_of(things=pd.DataFrame({"thing_id": range(60), name: values * 20}))
    (metric,) = [m for m in model.metrics if m.expression == name]
    assert metric.aggregation is how


def test_what_was_paid_for_orders_is_revenue() -> None:
    paid = pd.DataFrame({"order_id": range(50), "total": [i * 1.5 + 3 for i in range(50)]})
    model = model_of(orders=paid)
    assert "revenue" in model.metric("total").synonyms
    assert "total" not in model.metric("total").synonyms, "the word is an operation in questions"
    assert model.metric("average_order_value").formula == "total / orders"


def test_a_column_called_like_its_table_keeps_its_name() -> None:
    model = model_of(sales=pd.DataFrame({"sale_id": range(40), "sales": [i * 2.5 + 1 for i in range(40)]}))
    assert (model.metric("sales").aggregation, model.metric("sales").expression) == (Aggregation.SUM, "sales")
    assert model.metric("sales_count").aggregation is Aggregation.COUNT
    assert "sales" not in model.metric("sales_count").synonyms


def test_columns_that_read_alike_stay_apart() -> None:
    model = model_of(
        odd=pd.DataFrame(
            {"Total Cost": [1.5, 2.5, 3.5], "total-cost": [9.5, 8.5, 7.5], "total_cost": [4.5, 5.5, 7.0]}
        )
    )
    expressions = {m.expression for m in model.metrics if m.expression}
    assert expressions == {"`Total Cost`", "`total-cost`", "total_cost"}


def test_orders_of_several_lines_are_counted_by_their_number() -> None:
    model = model_of(
        orders=pd.DataFrame(
            {"order_id": [i // 3 for i in range(60)], "units": [1 + i % 7 for i in range(60)]}
        )
    )
    assert model.metric("orders").aggregation is Aggregation.COUNT_DISTINCT
    lines = model.metric("order_lines")
    assert (lines.aggregation, lines.label) == (Aggregation.COUNT, "number of order lines")
    assert "orders" not in lines.synonyms


@pytest.mark.parametrize(
    ("thing", "level"), [("turbine", "power_kw"), ("glacier", "thickness_m"), ("pump", "pressure_bar")]
)
def test_rows_that_name_a_thing_again_and_again_are_records_of_it(thing: str, level: str) -> None:
    """The table is named after the things, and a column names them: its rows are not the things."""
    draw = np.random.default_rng(len(thing))
    names = [f"{thing[0].upper()}-{i}" for i in range(6)]
    days = pd.date_range("2025-01-01", periods=40)
    frame = pd.DataFrame([(d, n, draw.normal(50 + i, 9)) for d in days for i, n in enumerate(names)])
    frame.columns = ["day", thing, level]
    analyst = gnomon.open({f"{thing}s": frame})
    means = frame.groupby(thing)[level].mean()
    assert analyst.ask(f"How many {thing}s are there?").facts[0].value == 6
    for word, truth in (("highest", means.idxmax()), ("lowest", means.idxmin())):
        asked = level.rpartition("_")[0]
        answer = analyst.ask(f"Which {thing} has the {word} average {asked}?")
        assert truth in answer.prose and answer.tables[0].rows[0][1] == pytest.approx(means[truth])


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    "moments", [("departed_at", "returned_at"), ("began", "ended"), ("admitted_on", "left_on")]
)
def test_parts_of_what_happened_are_dated_by_it_and_parts_of_things_are_not(
    moments: tuple[str, str], named: bool
) -> None:
    n = 120
    days = [pd.Timestamp("2023-03-01") + pd.Timedelta(days=5 * i) for i in range(n)]
    stays = pd.DataFrame({
        "stay_id": range(1, n + 1),
        "ward_id": [1 + i % 4 for i in range(n)],
        moments[0]: days,
        moments[1]: [d + pd.Timedelta(days=1 + i % 9) for i, d in enumerate(days)],
    })  # fmt: skip
    if named:  # somebody, whatever day is known of them
        stays["stay_name"] = [f"Case of {i}" for i in range(n)]
    parts = pd.DataFrame({
        "stay_id": [1 + (i * 7) % n for i in range(400)],
        "kind": [("x-ray", "blood", "scan")[(i // n) % 3] for i in range(400)],
        "minutes": [5 + (i * 11) % 50 for i in range(400)],
    })  # fmt: skip
    wards = pd.DataFrame({"ward_id": [1, 2, 3, 4], "ward": ["North", "South", "East", "West"]})
    analyst = gnomon.open({"stays": stays, "checks": parts, "wards": wards})
    answer = analyst.ask("total minutes in 2024")
    if named:
        assert answer.status is not AnswerStatus.ANSWERED
        return
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    both = parts.merge(stays, on="stay_id")
    assert answer.facts[0].value == both[both[moments[0]].dt.year == 2024].minutes.sum()
    assert "dated by" in answer.prose


@pytest.mark.parametrize("name", ["days_to_decision", "Hours until repair", "minutes_to_first_reply", "time_to_close", "weeks_after_visit"])  # fmt: skip
def test_how_long_each_took_is_averaged_and_what_was_done_is_added_up(name: str) -> None:
    n = 150
    rows = pd.DataFrame({
        "case_no": [f"C{i}" for i in range(n)],
        "opened": [pd.Timestamp("2024-01-01") + pd.Timedelta(days=i) for i in range(n)],
        name: [1 + (i * 37) % 90 for i in range(n)],
        "hours_worked": [1 + (i * 11) % 30 for i in range(n)],
    })  # fmt: skip
    model = infer_model(profile_dataset(open_sources({"cases": rows})), None)
    how = {m.expression.strip("`"): m.aggregation for m in model.metrics if m.expression is not None}
    assert how[name] is Aggregation.MEAN
    assert how["hours_worked"] is Aggregation.SUM


@pytest.mark.parametrize("step", ["D", "MS", "QS", "YS"])
@pytest.mark.parametrize("name", ["headcount", "cash_at_end", "closing_balance"])
def test_a_level_is_that_of_the_last_step_of_the_data(name: str, step: str) -> None:
    days = pd.date_range("2012-01-01", periods=14, freq=step)
    rows = pd.DataFrame({"day": days, name: [100 + 7 * i for i in range(14)], "sales": [1000 + i * 31 % 70 for i in range(14)]})  # fmt: skip
    if step == "YS":
        rows["day"] = days.year
    answer = gnomon.open({"books": rows}).ask(f"{name.replace('_', ' ')} now")
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.facts[0].value == 100 + 7 * 13
    if step in ("MS", "QS"):
        why = gnomon.open({"books": rows}).ask(f"why did the {name.replace('_', ' ')} rise in 2013?")
        held = rows[rows.day.dt.year == 2013][name].mean() if step == "MS" else None
        told = [f.value for f in why.facts if isinstance(f.value, int | float)]
        assert held is None or why.status is not AnswerStatus.ANSWERED or pytest.approx(held) in told, (
            why.prose
        )


def test_what_is_called_by_a_column_is_not_told_by_another() -> None:
    rows = pd.DataFrame({"month": pd.date_range("2022-01-01", periods=30, freq="MS"), "income": [900 + i * 13 % 80 for i in range(30)], "cash_at_end": [5000 + 40 * i for i in range(30)]})  # fmt: skip
    answer = gnomon.open({"books": rows}).ask("how much cash do we have?")
    income = rows.income.sum()
    assert answer.status is not AnswerStatus.ANSWERED or answer.facts[0].value != income
