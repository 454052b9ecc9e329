"""Retrievals as trees of the algebra: they say what was asked in plain data, and give what SQL written by hand gives."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.semantic import shop

from gnomon.core import algebra as al
from gnomon.core.parts import Filter, FilterOperator, Relative
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data import open_sources
from gnomon.semantic import (
    Aggregation,
    ColumnRef,
    Dimension,
    DimensionType,
    Join,
    Metric,
    RetrievalQuery,
    Retriever,
    SemanticModel,
    TableMeaning,
)
from gnomon.semantic.asks import Asks
from gnomon.semantic.backends import DuckDBBackend
from gnomon.semantic.group_figures import GroupFigures
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.relations import Tables

DATASET = open_sources(shop.frames())
MODEL = shop.model()
RETRIEVER = Retriever.over(DATASET, MODEL)
MEASURES = {
    "orders": "count(*)",
    "units": "sum(quantity)",
    "revenue": "sum(quantity * unit_price)",
    "price": "avg(unit_price)",
    "return_rate": "avg(returned::int)",
    "customers": "count(distinct customer_id)",
    "web_revenue": "sum(quantity * unit_price) filter (where channel = 'web')",
    "order_value": "sum(quantity * unit_price) / count(*)",
    "median(orders.unit_price)": "median(unit_price)",
    "max(orders.quantity)": "max(quantity)",
    "sum(orders.{worth: [quantity] * 2 + 1})": "sum(quantity * 2 + 1)",
    "count(orders.{dear: unless([unit_price], [unit_price] > 30)})": "count(*) filter (where unit_price <= 30)",
    "mean(revenue per day)": "avg_per_day",
}
GROUPS = {
    "channel": "channel",
    "category": "category",
    "country": "country",
    "returned": "returned",
    "orders.{size: ranges([quantity], 'few', '>=', 0, '<', 3, 'many', '>=', 3, '', 0)}": (
        "case when quantity < 3 then 'few' else 'many' end"
    ),
}
CONDITIONS: list[tuple[Filter, str]] = [
    (Filter(field="channel", operator=FilterOperator.EQUALS, values=("o'phone",)), "channel = 'o''phone'"),
    (Filter(field="channel", operator=FilterOperator.NOT_IN, values=("web", "mail")), "channel not in ('web', 'mail')"),
    (Filter(field="category", operator=FilterOperator.IS_NULL), "category is null"),
    (Filter(field="country", operator=FilterOperator.CONTAINS, values=("E",)), "country ilike '%e%'"),
    (Filter(field="unit_price", operator=FilterOperator.BETWEEN, values=(10, 30)), "unit_price between 10 and 30"),
    (Filter(field="quantity", operator=FilterOperator.OUTSIDE, values=(2, 4)), "(quantity < 2 or quantity > 4)"),
    (Filter(field="returned", operator=FilterOperator.EQUALS, values=("no",)), "not returned"),
    (Filter(field="shipped_at", operator=FilterOperator.AT_LEAST, values=("2024-01-05",)), "shipped_at::date >= '2024-01-05'"),
    (Filter(field="@weekday", operator=FilterOperator.IN, values=(5, 6)), "isodow(ordered_at) in (6, 7)"),
    (
        Filter(field="orders", operator=FilterOperator.GREATER, values=(15,), having=True, by="customer_id"),
        "customer_id in (select customer_id from flat where {others} group by 1 having count(*) > 15)",
    ),
]  # fmt: skip
FLAT = """
    with flat as (
        select o.*, p.category, b.country from orders o
        left join (
            select distinct on (product_id) * from products order by product_id, category nulls last, brand_id
        ) p using (product_id)
        left join brands b using (brand_id)
    )
"""


def asked(query: RetrievalQuery, *, counting: bool = False) -> al.Query:
    backend = DuckDBBackend(DATASET)
    tables = Tables(backend.table, lambda e: backend.run(backend.compile(e), None, None)[0])
    return Asks(GroupFigures(Meanings(MODEL, tables), counting=counting)).asked(query).query


def by_hand(query: RetrievalQuery, conditions: list[str]) -> list[tuple[Any, ...]]:
    """The rows that SQL gives, in the order that is asked for."""
    days = query.time_range
    timed = (
        [f"ordered_at >= '{days.start}' and ordered_at < '{days.end + timedelta(days=1)}'"] if days else []
    )
    plain = [c for c in conditions if "{others}" not in c] + timed
    others = " and ".join(plain) or "true"
    where = " and ".join([others, *(c.format(others=others) for c in conditions if "{others}" in c)])
    keys = [f"date_trunc('{query.grain}', ordered_at)::date"] if query.grain else []
    keys += [GROUPS[d] for d in query.dimensions]
    if query.metrics == ("mean(revenue per day)",):
        inner = ", ".join(f"{k} as k{i}" for i, k in enumerate(keys))
        per = (
            f"select {inner}{', ' if inner else ''} ordered_at::date as day, sum(quantity * unit_price) as v"
        )
        body = f"{per} from flat where {where} group by all"
        listed, figures, source = [f"k{i}" for i in range(len(keys))], ["avg(v)"], f"({body})"
        where = "true"
    else:
        listed, figures, source = keys, [MEASURES[m] for m in query.metrics], "flat"
    many = f" limit {query.limit}" if query.limit else ""
    down = "desc" if query.descending else "asc"
    order = [f"{len(listed) + 1} {down} nulls last"] if query.order_by or query.limit else []
    order += [f"{i + 1} nulls last" for i in range(len(listed))]
    grouped = f" group by {', '.join(map(str, range(1, len(listed) + 1)))}" if listed else ""
    ordered = f" order by {', '.join(order)}" if listed else ""
    cursor = DATASET.cursor()
    try:
        return cursor.execute(
            f"{FLAT} select {', '.join([*listed, *figures])} from {source} where {where}{grouped}{ordered}{many}"
        ).fetchall()
    finally:
        cursor.close()


@st.composite
def queries(draw: st.DrawFn) -> tuple[RetrievalQuery, list[str]]:
    names = [m for m in MEASURES if m != "mean(revenue per day)"]
    metrics = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    metrics = draw(st.sampled_from([metrics, metrics, ["mean(revenue per day)"]]))
    dimensions = draw(st.lists(st.sampled_from([*GROUPS]), max_size=2, unique=True))
    conditions = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2, unique_by=lambda c: c[1]))
    start = date(2023, 11, 25) + timedelta(days=draw(st.integers(0, 60)))
    days = TimeRange(start=start, end=start + timedelta(days=draw(st.integers(0, 70))))
    grains = [None, None, TimeGranularity.MONTH, TimeGranularity.WEEK]
    query = RetrievalQuery(
        metrics=tuple(metrics),
        dimensions=tuple(dimensions),
        filters=tuple(f for f, _ in conditions),
        time_range=draw(st.sampled_from([None, days])),
        grain=draw(st.sampled_from(grains)),
        order_by=draw(st.sampled_from([None, metrics[0]])),
        descending=draw(st.booleans()),
        limit=draw(st.sampled_from([None, None, 1, 4])),
    )
    return query, [c for _, c in conditions]


def close(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    return len(one) == len(other) and all(
        a == (pytest.approx(b, rel=1e-9, abs=1e-9) if isinstance(b, float) else b)
        for x, y in zip(one, other, strict=True)
        for a, b in zip(x, y, strict=True)
    )


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(queries())
def test_what_a_tree_gives_is_what_sql_by_hand_gives(drawn: tuple[RetrievalQuery, list[str]]) -> None:
    query, conditions = drawn
    found = RETRIEVER.run(query)
    assert close([*found.rows], by_hand(query, conditions)), found.query


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(queries())
def test_a_tree_goes_to_json_and_back_and_gives_the_same_rows(
    drawn: tuple[RetrievalQuery, list[str]],
) -> None:
    query, _ = drawn
    tree = asked(query)
    again = al.Query.model_validate_json(tree.model_dump_json())
    assert al.same(tree, again)
    lowered, rows, _ = RETRIEVER.ask(again)
    assert len(lowered.parts) == len(query.metrics) + len(query.dimensions) + bool(query.grain)
    assert close(rows, [*RETRIEVER.run(query).rows])


def test_a_plain_question_is_a_plain_tree() -> None:
    days = TimeRange(start=date(2024, 1, 1), end=date(2024, 1, 31))
    tree = asked(
        RetrievalQuery(metrics=("orders",), dimensions=("country",), time_range=days, order_by="orders")
    )
    assert tree.rows.table == "orders" and isinstance(tree.rows.where, al.Every)
    assert [k.of for k in tree.keys] == [al.Column(table="brands", column="country")]
    assert [m.measure for m in tree.measures] == [al.Aggregate(how=al.How.COUNT)]
    assert tree.order == (al.Order(by=al.Aggregate(how=al.How.COUNT), descending=True),)


def test_formulas_are_arithmetic_over_what_is_aggregated() -> None:
    (shown,) = asked(RetrievalQuery(metrics=("web_share",))).measures
    assert isinstance(shown.measure, al.Arithmetic) and shown.measure.function is al.Function.MULTIPLY
    aggregates = [n for n in shown.measure.walk() if isinstance(n, al.Aggregate)]
    assert [a.where is None for a in aggregates] == [False, True]


def scalar(frame: pd.DataFrame, measure: al.Measure) -> Any:
    model = SemanticModel(tables=(TableMeaning(name="rows", label="row"),))
    retriever = Retriever.over(open_sources({"rows": frame}), model)
    query = al.Query(rows=al.Rows(table="rows"), measures=(al.Shown(measure=measure),))
    return retriever.ask(query)[1][0][0]


def column(name: str) -> al.Column:
    return al.Column(table="rows", column=name)


def test_times_between_moments_keep_fractions_of_a_second() -> None:
    start = pd.Timestamp("2024-01-01 10:00:00.900")
    frame = pd.DataFrame(
        {"a": [start, start], "b": [start + pd.Timedelta("0.2s"), start + pd.Timedelta("1.5s")]}
    )
    between = al.Call(function=al.Function.SECONDS_BETWEEN, arguments=(column("a"), column("b")))
    assert scalar(frame, al.Aggregate(how=al.How.MEAN, of=between)) == pytest.approx(0.85)


@pytest.mark.parametrize("values", [["b", "a", "b", "a", "c"], ["a", "b", "a", "b", "c"]])
def test_of_equally_frequent_values_the_smallest_is_told(values: list[str]) -> None:
    assert scalar(pd.DataFrame({"v": values}), al.Aggregate(how=al.How.MODE, of=column("v"))) == "a"


def test_products_of_small_whole_numbers_do_not_overflow() -> None:
    frame = pd.DataFrame({"a": [100, 120, 7], "b": [90, 110, 3]}).astype("int8")
    product = al.Call(function=al.Function.MULTIPLY, arguments=(column("a"), column("b")))
    assert scalar(frame, al.Aggregate(how=al.How.SUM, of=product)) == 100 * 90 + 120 * 110 + 21


@pytest.mark.parametrize(
    ("expression", "truth"),
    [
        ("[returned] == 1", lambda f: f.returned),
        ("missing([unit_price]) == 0", lambda f: f.unit_price.notna()),
        ("holds(missing([unit_price]) == 1)", lambda f: f.unit_price.isna()),
        ("missing([unit_price]) + ([quantity] > 3)", lambda f: f.unit_price.isna() + 0 + (f.quantity > 3)),
        ("equals([channel], 'web') == [returned]", lambda f: (f.channel == "web") == f.returned),
        ("([quantity] > 3) != ([quantity] < 2)", lambda f: (f.quantity > 3) != (f.quantity < 2)),
        ("outlying([quantity], 2, 4) * [quantity]", lambda f: ((f.quantity < 2) | (f.quantity > 4)) * f.quantity),
    ],
)  # fmt: skip
def test_truths_of_a_row_are_computed_with_as_numbers(expression: str, truth: Any) -> None:
    found = RETRIEVER.run(RetrievalQuery(metrics=(f"mean(orders.{{told: {expression}}})",)))
    assert found.rows[0][0] == pytest.approx(truth(shop.frames()["orders"]).mean())


@pytest.mark.parametrize(
    ("operator", "value"),
    [(">", "2023-11-28"), (">=", "2023-11-28"), ("=", "2023-11-29"), ("<=", "2023-12-01")],
)
def test_groups_are_kept_by_the_day_of_a_moment(operator: str, value: str) -> None:
    first = Filter(
        field="min(orders.ordered_at)",
        operator=FilterOperator(operator),
        values=(value,),
        having=True,
        by="customer_id",
    )
    found = RETRIEVER.run(RetrievalQuery(metrics=("customers",), filters=(first,)))
    days = shop.frames()["orders"].groupby("customer_id").ordered_at.min().dt.strftime("%Y-%m-%d")
    meets = {">": days > value, ">=": days >= value, "=": days == value, "<=": days <= value}[operator]
    assert 0 < meets.sum() < len(days) and found.rows == ((meets.sum(),),)


def test_times_of_day_are_compared_as_times() -> None:
    frame = pd.DataFrame({"at": [time(7, 30), time(8, 0), time(12, 15)]})
    at = Dimension(
        name="at",
        label="at",
        type=DimensionType.CATEGORY,
        locations=(ColumnRef(table="rows", column="at"),),
    )
    count = Metric(name="rows", label="rows", table="rows", aggregation=Aggregation.COUNT)
    model = SemanticModel(
        tables=(TableMeaning(name="rows", label="row"),), metrics=(count,), dimensions=(at,)
    )
    late = Filter(field="at", operator=FilterOperator.AT_LEAST, values=("08:00",))
    retriever = Retriever.over(open_sources({"rows": frame}), model)
    assert retriever.run(RetrievalQuery(metrics=("rows",), filters=(late,))).rows == ((2,),)


def test_rows_are_held_against_the_average_of_what_is_computed_for_them() -> None:
    above = Filter(
        field="unit_price",
        operator=FilterOperator.GREATER,
        relative=Relative(how="mean", per="orders.{many: [quantity] > 3}"),
    )
    orders = shop.frames()["orders"]
    usual = orders.groupby(orders.quantity > 3).unit_price.transform("mean")
    found = RETRIEVER.run(RetrievalQuery(metrics=("orders",), filters=(above,)))
    assert found.rows == (((orders.unit_price > usual).sum(),),)


@pytest.mark.parametrize("grain", [*TimeGranularity])
def test_every_length_of_period_is_a_key(grain: TimeGranularity) -> None:
    key = al.Key(of=al.Column(table="visits", column="day"), grain=grain, name="when")
    count = al.Shown(measure=al.Aggregate(how=al.How.COUNT))
    _, rows, _ = RETRIEVER.ask(al.Query(rows=al.Rows(table="visits"), keys=(key,), measures=(count,)))
    assert sum(n for _, n in rows) == len(shop.frames()["visits"])


@pytest.mark.parametrize("grain", [g for g in TimeGranularity if g is not TimeGranularity.HOUR])
def test_the_first_day_of_a_period_is_a_day(grain: TimeGranularity) -> None:
    days = pd.DataFrame({"day": [date(2024, 5, 17), date(2025, 2, 3)]})
    model = SemanticModel(tables=(TableMeaning(name="rows", label="row"),))
    key = al.Key(of=column("day"), grain=grain, name="when")
    query = al.Query(rows=al.Rows(table="rows"), keys=(key,))
    _, rows, _ = Retriever.over(open_sources({"rows": days}), model).ask(query)
    assert [type(r[0]) for r in rows] == [date] * len(rows)


def test_growth_is_unknown_where_what_it_was_is_not_above_zero() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3, 4, 5, 6], "v": [10.0, 15.0, -5.0, 20.0, 0.0, 4.0]})
    model = SemanticModel(tables=(TableMeaning(name="rows", label="row"),))
    retriever = Retriever.over(open_sources({"rows": frame}), model)
    total = al.Shown(measure=al.Aggregate(how=al.How.SUM, of=column("v")))
    query = al.Query(rows=al.Rows(table="rows"), keys=(al.Key(of=column("n")),), measures=(total,))
    _, rows, _ = retriever.ask(al.Along(query=query, step=al.Walk.GROWTH))
    assert [r[-1] for r in rows] == [None, 0.5, None, None, -1.0, None]
    negative = al.Test(left=column("n"), operator=al.Comparison.EQUAL, right=al.Literally(value=3))
    sides = [al.Query(rows=al.Rows(table="rows", where=w), measures=(total,)) for w in (None, negative)]
    _, ((*_, change),), _ = retriever.ask(al.Against(left=sides[0], right=sides[1]))
    assert change is None


def test_the_first_rows_of_each_group_are_those_of_each_group() -> None:
    show = tuple(al.Key(of=al.Column(table="orders", column=c), name=c) for c in ("channel", "order_id"))
    rows = al.Rows(table="orders")
    _, found, _ = RETRIEVER.ask(al.Query(rows=rows, show=show, per=show[:1], limit=2))
    truth = shop.frames()["orders"].sort_values(["channel", "order_id"]).groupby("channel").head(2)
    assert found == [*truth[["channel", "order_id"]].itertuples(index=False, name=None)]


def test_a_part_is_reached_by_the_join_of_the_rows_that_are_asked_about() -> None:
    frames = {
        "people": pd.DataFrame({"id": [1, 2], "city": ["Oslo", "Rome"]}),
        "calls": pd.DataFrame({"buyer": [1, 1, 2], "seller": [2, 2, 1]}),
        "deals": pd.DataFrame({"buyer": [2, 2, 2], "seller": [1, 1, 2]}),
    }
    sides = [(t, c) for t in ("calls", "deals") for c in ("buyer", "seller")]
    model = SemanticModel(
        tables=tuple(TableMeaning(name=n, label=n) for n in frames),
        metrics=tuple(Metric(name=n, label=n, table=n, aggregation=Aggregation.COUNT) for n in frames),
        dimensions=tuple(
            Dimension(
                name=f"{t}.{c} city",
                label="city",
                type=DimensionType.CATEGORY,
                locations=(ColumnRef(table="people", column="city"),),
                via=ColumnRef(table=t, column=c),
            )
            for t, c in sides
        ),
        joins=tuple(Join(table=t, column=c, to_table="people", to_column="id") for t, c in sides),
    )
    retriever = Retriever.over(open_sources(frames), model)
    for table, side in sides:
        found = retriever.run(RetrievalQuery(metrics=(table,), dimensions=(f"{table}.{side} city",)))
        truth = frames[table][side].map({1: "Oslo", 2: "Rome"}).value_counts().to_dict()
        assert dict(found.rows) == truth
