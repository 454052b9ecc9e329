"""Retrieval: every number is checked against pandas, computed from the same rows in another way."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.semantic import shop

from gnomon.core.errors import Cancelled, InvalidInput, NotFound, OutOfScope, TimedOut
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data import Dataset, open_sources
from gnomon.semantic import RetrievalQuery, Retrieved, Retriever

FRAMES = shop.frames()
MODEL = shop.model()


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return open_sources(FRAMES)


@pytest.fixture(scope="module")
def retriever(dataset: Dataset) -> Retriever:
    return Retriever.over(dataset, MODEL)


@pytest.fixture(scope="module")
def orders() -> pd.DataFrame:
    """Orders with what can be looked up for them; of the product that is there twice, one row."""
    found = FRAMES["orders"].copy()
    products = (
        FRAMES["products"].sort_values(["product_id", "category", "brand_id"]).drop_duplicates("product_id")
    )
    found = found.merge(products, on="product_id", how="left").merge(
        FRAMES["brands"], on="brand_id", how="left"
    )
    found["revenue"] = found.quantity * found.unit_price
    found["day"] = found.ordered_at.dt.date
    return found


def ask(retriever: Retriever, *metrics: str, **more: Any) -> Retrieved:
    return retriever.run(RetrievalQuery(metrics=metrics, **more))


def only(found: Retrieved) -> Any:
    assert len(found.rows) == 1
    return found.rows[0][-1]


def where(field: str, operator: str, *values: Any, **more: Any) -> Filter:
    return Filter(field=field, operator=FilterOperator(operator), values=values, **more)


def test_totals_and_what_they_rest_on(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = ask(retriever, "revenue", "orders", "customers", "price")
    assert found.columns == ("revenue", "orders", "customers", "price")
    expected = (orders.revenue.sum(), 600, orders.customer_id.nunique(), orders.unit_price.mean())
    assert found.rows[0] == pytest.approx(expected)
    assert found.rows_used == 600
    missing = int(orders.unit_price.isna().sum())
    assert found.nulls == {"revenue": missing, "price": missing, "customers": 0}


def test_groups_two_joins_away(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = ask(retriever, "revenue", dimensions=("country",))
    expected = orders.groupby("country").revenue.sum().to_dict()
    assert {c: v for c, v in found.rows if c} == pytest.approx(expected)
    assert found.rows[-1][0] is None, "orders of unknown products come last"
    assert sum(v for _, v in found.rows) == pytest.approx(orders.revenue.sum())


def test_repeated_keys_do_not_multiply_rows(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = ask(retriever, "orders", "revenue", dimensions=("category",))
    assert sum(n for _, n, _ in found.rows) == 600
    assert sum(v for *_, v in found.rows) == pytest.approx(orders.revenue.sum())
    assert found.notes == ("1 rows of products repeat a product_id; one row of each was used.",)
    by_category = {c: n for c, n, _ in found.rows if c}
    assert by_category == orders.groupby("category").size().to_dict()


def test_days_are_included_at_both_ends_of_a_range(retriever: Retriever, orders: pd.DataFrame) -> None:
    span = TimeRange(start=date(2023, 12, 1), end=date(2023, 12, 31))
    expected = orders[(orders.day >= span.start) & (orders.day <= span.end)]
    assert only(ask(retriever, "orders", time_range=span)) == len(expected)
    late = orders[orders.day == date(2023, 12, 31)]
    assert len(late) > 0
    one = TimeRange(start=date(2023, 12, 31), end=date(2023, 12, 31))
    assert only(ask(retriever, "orders", time_range=one)) == len(late)


@pytest.mark.parametrize("grain", list(TimeGranularity))
def test_periods_begin_on_their_first_day(
    retriever: Retriever, orders: pd.DataFrame, grain: TimeGranularity
) -> None:
    found = ask(retriever, "units", grain=grain)
    assert found.columns == ("period", "units")
    code = {"hour": "h", "day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}.get(grain)
    if grain == "hour":
        starts = orders.ordered_at.dt.floor("h").dt.to_pydatetime()
    elif grain == "decade":
        starts = [date(day.year // 10 * 10, 1, 1) for day in orders.ordered_at]
    else:
        starts = orders.ordered_at.dt.to_period(code).dt.start_time.dt.date
    expected: dict[Any, Any] = orders.quantity.groupby(pd.Series(list(starts))).sum().to_dict()
    assert dict(found.rows) == expected
    assert list(dict(found.rows)) == sorted(expected)
    if grain == "week":
        assert {d.weekday() for d in expected} == {0}


@pytest.mark.parametrize(
    ("part", "values", "test"),
    [
        ("weekday", (5, 6), lambda m: m.dt.weekday >= 5),
        ("month", (12,), lambda m: m.dt.month == 12),
        ("quarter", (1,), lambda m: m.dt.quarter == 1),
        ("hour", (0, 1, 2), lambda m: m.dt.hour < 3),
    ],
)
def test_parts_of_time_that_repeat(
    retriever: Retriever, orders: pd.DataFrame, part: str, values: tuple[int, ...], test: Any
) -> None:
    expected = int(test(orders.ordered_at).sum())
    assert 0 < expected < 600
    assert only(ask(retriever, "orders", recurring=(part, values))) == expected


def test_another_time_column_can_be_meant(retriever: Retriever, orders: pd.DataFrame) -> None:
    span = TimeRange(start=date(2023, 12, 5), end=date(2023, 12, 9))
    shipped = orders.shipped_at.dt.date
    expected = int(((shipped >= span.start) & (shipped <= span.end)).sum())
    assert only(ask(retriever, "orders", time_range=span, time_dimension="shipped_at")) == expected


def test_several_tables_are_aggregated_apart(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = ask(retriever, "orders", "sessions", "conversion", dimensions=("channel",))
    visits = FRAMES["visits"].groupby("channel").sessions.sum()
    counts = orders.groupby("channel").size()
    rows = {c: rest for c, *rest in found.rows}
    assert set(rows) == {"web", "shop", "mail", "o'phone"}
    assert rows["web"] == pytest.approx([counts["web"], visits["web"], counts["web"] / visits["web"]])
    assert rows["mail"] == [0, visits["mail"], 0.0]
    assert rows["o'phone"] == [counts["o'phone"], None, None]


def test_a_formula_with_its_own_condition(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = only(ask(retriever, "web_share"))
    assert found == pytest.approx(100 * orders[orders.channel == "web"].revenue.sum() / orders.revenue.sum())


def test_division_by_zero_is_unknown(retriever: Retriever) -> None:
    none = where("quantity", ">", 1000)
    assert ask(retriever, "order_value", filters=(none,)).rows == ((None,),)


def test_rates_and_durations(retriever: Retriever, orders: pd.DataFrame) -> None:
    rate, days = ask(retriever, "return_rate", "shipping_days").rows[0]
    assert rate == pytest.approx(orders.returned.mean())
    assert days == pytest.approx((orders.shipped_at - orders.ordered_at).dt.total_seconds().mean() / 86_400)


def test_stock_is_never_summed_over_time(retriever: Retriever) -> None:
    daily = FRAMES["stock"].groupby("day").on_hand.sum()
    found = ask(retriever, "on_hand")
    assert only(found) == pytest.approx(daily.mean())
    assert found.rows_used == len(FRAMES["stock"])
    by_product = dict(ask(retriever, "on_hand", dimensions=("product_id",)).rows)
    assert by_product == pytest.approx(FRAMES["stock"].groupby("product_id").on_hand.mean().to_dict())
    assert dict(ask(retriever, "on_hand", grain="day").rows) == pytest.approx(
        {d.date(): v for d, v in daily.items()}  # pyright: ignore[reportAttributeAccessIssue]
    )


def test_an_aggregate_of_an_aggregate(retriever: Retriever, orders: pd.DataFrame) -> None:
    daily = orders.groupby("day").revenue.sum(min_count=1)  # a day without a known price is unknown, not zero
    found = ask(retriever, "mean(revenue per day)", "max(revenue per day)")
    assert found.rows[0] == pytest.approx((daily.mean(), daily.max()))
    assert found.rows_used == 600
    per_customer = orders.groupby(["channel", "customer_id"]).size().groupby("channel").median()
    medians = dict(ask(retriever, "median(orders per customer_id)", dimensions=("channel",)).rows)
    assert medians == per_customer.to_dict()


def test_groups_that_meet_a_condition(retriever: Retriever, orders: pd.DataFrame) -> None:
    spent = orders.groupby("customer_id").revenue.sum()
    rich = spent[spent > 900].index
    assert 0 < len(rich) < 40
    condition = where("revenue", ">", 900, having=True, by="customer_id")
    found = ask(retriever, "customers", "orders", filters=(condition,))
    assert found.rows[0] == (len(rich), int(orders.customer_id.isin(rich).sum()))
    shown = ask(
        retriever, "revenue", dimensions=("customer_id",), filters=(where("revenue", ">", 900, having=True),)
    )
    assert {c for c, _ in shown.rows} == set(rich)
    assert shown.rows_used == 600


def test_a_condition_that_no_group_meets_still_tells_the_rows(retriever: Retriever) -> None:
    found = ask(
        retriever, "revenue", dimensions=("channel",), filters=(where("orders", ">", 10**6, having=True),)
    )
    assert (found.rows, found.rows_used) == ((), 600)


def test_rankings(retriever: Retriever, orders: pd.DataFrame) -> None:
    by_customer = orders.groupby("customer_id").revenue.sum().sort_values(ascending=False)
    found = ask(retriever, "revenue", dimensions=("customer_id",), limit=3)
    assert [c for c, _ in found.rows] == list(by_customer.index[:3])
    assert found.rows_used == 600
    lowest = ask(retriever, "revenue", dimensions=("customer_id",), limit=2, descending=False)
    assert [c for c, _ in lowest.rows] == list(by_customer.index[::-1][:2])


def test_the_top_of_each_group(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = ask(retriever, "revenue", dimensions=("channel", "customer_id"), limit=2, limit_per="channel")
    expected = (
        orders.groupby(["channel", "customer_id"])
        .revenue.sum()
        .sort_values(ascending=False)
        .groupby("channel")
        .head(2)
    )
    assert {(a, b) for a, b, _ in found.rows} == set(expected.index)
    assert [c for c, *_ in found.rows] == sorted(c for c, *_ in found.rows)


def test_equal_ranks_are_ordered_by_name(retriever: Retriever) -> None:
    found = ask(retriever, "count_distinct(orders.channel)", dimensions=("customer_id",), limit=40)
    values = [(-v, c) for c, v in found.rows]
    assert values == sorted(values)


def test_combinations_without_a_metric(retriever: Retriever) -> None:
    found = ask(retriever, dimensions=("category", "country"))
    products = FRAMES["products"].merge(FRAMES["brands"])
    expected = {
        tuple(None if pd.isna(x) else x for x in r) for r in products[["category", "country"]].to_numpy()
    }
    assert set(found.rows) == expected


@pytest.mark.parametrize(
    ("given", "test"),
    [
        (where("channel", "=", "o'phone"), lambda o: o.channel == "o'phone"),
        (where("channel", "!=", "web"), lambda o: o.channel != "web"),
        (where("channel", "in", "web", "shop"), lambda o: o.channel.isin(["web", "shop"])),
        (where("channel", "not in", "web", "shop"), lambda o: ~o.channel.isin(["web", "shop"])),
        (where("channel", "contains", "SHO"), lambda o: o.channel == "shop"),
        (where("quantity", "between", 2, 4), lambda o: o.quantity.between(2, 4)),
        (where("quantity", "outside", 2, 4), lambda o: ~o.quantity.between(2, 4)),
        (where("quantity", ">=", "3"), lambda o: o.quantity >= 3),
        (where("product_id", "is null"), lambda o: o.product_id.isna()),
        (where("category", "is not null"), lambda o: o.category.notna()),
        (where("returned", "=", True), lambda o: o.returned),
        (where("returned", "=", "no"), lambda o: ~o.returned),
        (where("ordered_at", "=", date(2023, 12, 6)), lambda o: o.day == date(2023, 12, 6)),
        (where("ordered_at", "<", datetime(2023, 12, 6, 12)), lambda o: o.ordered_at < datetime(2023, 12, 6, 12)),
        (where("country", "=", "Kenya"), lambda o: o.country == "Kenya"),
    ],
)  # fmt: skip
def test_conditions(retriever: Retriever, orders: pd.DataFrame, given: Filter, test: Any) -> None:
    expected = int(test(orders).fillna(False).sum())
    assert 0 < expected < 600
    assert only(ask(retriever, "orders", filters=(given,))) == expected


@pytest.mark.parametrize(
    ("query", "error", "said"),
    [
        (RetrievalQuery(metrics=("revenu",)), NotFound, "revenue"),
        (RetrievalQuery(metrics=("revenue",), dimensions=("chanel",)), NotFound, "channel"),
        (RetrievalQuery(metrics=("sessions",), dimensions=("category",)), OutOfScope, "category"),
        (RetrievalQuery(metrics=("orders",), filters=(where("quantity", "=", "many"),)), InvalidInput, "many"),
        (RetrievalQuery(metrics=("orders",), filters=(where("channel", "=", "a", "b"),)), InvalidInput, "one value"),
        (RetrievalQuery(), InvalidInput, "Nothing"),
        (RetrievalQuery(metrics=("count(products)",), grain=TimeGranularity.DAY), OutOfScope, "no date"),
        (RetrievalQuery(metrics=("orders",), dimensions=("channel",), limit=1, limit_per="country"), InvalidInput, "country"),
        (RetrievalQuery(metrics=("sum(orders.channel)",)), InvalidInput, "not numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(
    retriever: Retriever, query: RetrievalQuery, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        retriever.run(query)


@pytest.fixture(scope="module")
def slow(dataset: Dataset) -> Retriever:
    dataset.connection.execute(
        "CREATE VIEW IF NOT EXISTS endless AS SELECT hash(a.range, b.range) % 1000003 AS x FROM range(1000000) a, range(100000) b"
    )
    from dataclasses import replace

    from gnomon.semantic import ColumnRef, Dimension, DimensionType, SemanticModel, TableMeaning

    known = replace(dataset, tables={**dataset.tables, "endless": dataset.tables["orders"]})
    x = Dimension(
        name="x", label="x", type=DimensionType.NUMBER, locations=(ColumnRef(table="endless", column="x"),)
    )
    model = SemanticModel(tables=(TableMeaning(name="endless", label="row"),), dimensions=(x,))
    return Retriever.over(known, model)


def test_a_query_that_takes_too_long_is_stopped(slow: Retriever) -> None:
    with pytest.raises(TimedOut, match=r"0\.2 seconds"):
        slow.run(RetrievalQuery(metrics=("count_distinct(endless.x)",)), timeout_seconds=0.2)


def test_a_running_query_is_interrupted(slow: Retriever) -> None:
    class Later:
        @contextmanager
        def interrupting(self, callback: Any) -> Any:
            timer = threading.Timer(0.1, callback)
            timer.start()
            try:
                yield
            finally:
                timer.cancel()

    with pytest.raises(Cancelled):
        slow.run(RetrievalQuery(metrics=("median(endless.x)",)), cancel=Later())


def test_threads_do_not_disturb_each_other(retriever: Retriever, orders: pd.DataFrame) -> None:
    expected = {c: int((orders.channel == c).sum()) for c in ("web", "shop", "o'phone")}
    wrong: list[object] = []

    def work(channel: str) -> None:
        for n in range(1, 6):
            found = only(
                ask(
                    retriever,
                    "orders",
                    filters=(where("channel", "=", channel), where("quantity", "<", 5 + n)),
                )
            )
            if found != expected[channel]:
                wrong.append((channel, found))

    threads = [threading.Thread(target=work, args=(c,)) for c in expected for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


GROUPINGS = st.lists(
    st.sampled_from(["channel", "category", "country", "returned", "quantity", "product_id"]),
    unique=True,
    max_size=3,
)
CHANNELS = st.lists(
    st.sampled_from(["web", "shop", "o'phone", "nothing"]), min_size=1, max_size=3, unique=True
)


@pytest.mark.long
@given(dimensions=GROUPINGS, grain=st.none() | st.sampled_from(list(TimeGranularity)))
def test_groups_of_an_additive_metric_sum_to_the_total(
    retriever: Retriever, orders: pd.DataFrame, dimensions: list[str], grain: TimeGranularity | None
) -> None:
    found = ask(retriever, "revenue", "units", "orders", dimensions=tuple(dimensions), grain=grain)
    totals = [sum(r[-3 + i] or 0 for r in found.rows) for i in range(3)]
    assert totals == pytest.approx([orders.revenue.sum(), orders.quantity.sum(), 600])
    assert found.rows_used == 600


@pytest.mark.long
@given(channels=CHANNELS, low=st.integers(0, 6), high=st.integers(0, 6))
def test_a_condition_its_opposite_and_null_make_the_whole(
    retriever: Retriever, channels: list[str], low: int, high: int
) -> None:
    pairs = [
        (
            where("channel", "in", *channels),
            where("channel", "not in", *channels),
            where("channel", "is null"),
        ),
        (
            where("quantity", "between", low, high),
            where("quantity", "outside", low, high),
            where("quantity", "is null"),
        ),
        (where("unit_price", ">", low), where("unit_price", "<=", low), where("unit_price", "is null")),
        (where("category", "=", "toys"), where("category", "!=", "toys"), where("category", "is null")),
    ]
    for three in pairs:
        if three[0].operator == "between" and low > high:
            continue
        assert sum(only(ask(retriever, "orders", filters=(f,))) for f in three) == 600


def test_groups_that_repeat_in_time(retriever: Retriever, orders: pd.DataFrame) -> None:
    found = ask(retriever, "orders", dimensions=("@weekday",))
    expected = orders.groupby(orders.ordered_at.dt.weekday).size()
    names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert list(found.rows) == [(names[day], n) for day, n in expected.items()]  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_groups_within_a_bound_are_counted(retriever: Retriever, orders: pd.DataFrame) -> None:
    daily = orders.groupby("day").revenue.sum(min_count=1)
    found = ask(retriever, "count(revenue per day > 300)", "count(orders per customer_id between 10 and 15)")
    customers = orders.groupby("customer_id").size()
    assert found.rows[0] == (int((daily > 300).sum()), int(customers.between(10, 15).sum()))
