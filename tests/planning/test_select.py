"""SELECTs as trees: the same figures as the data base gives for the text, and objections to whatever is not listed."""

import datetime as dt
import math
import random
from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from gnomon.core import algebra as al
from gnomon.data import open_sources
from gnomon.planning.model_reader.select import Objections, read_select
from gnomon.semantic.model import Join, SemanticModel, TableMeaning
from gnomon.semantic.retrieve import Retriever

MODEL = SemanticModel(
    tables=(TableMeaning(name="orders", label="order"), TableMeaning(name="customers", label="customer")),
    joins=(Join(table="orders", column="cust", to_table="customers", to_column="id"),),
)


@cache
def shop() -> tuple[Any, Retriever]:
    """Orders with gaps, customers without orders, and names that need quoting."""
    rng = random.Random(3)
    first = dt.date(2023, 1, 1)
    customers = [
        {
            "id": i,
            "name": f"N{i:02d}",
            "city": rng.choice(["Oslo", "Rome", "Bonn", None]),
            "age": rng.randrange(18, 80),
        }
        for i in range(40)
    ]
    orders = [
        {
            "oid": i, "cust": rng.randrange(36), "amount": round(rng.uniform(1, 100), 2) if rng.random() > 0.05 else None,
            "day": first + dt.timedelta(days=rng.randrange(700)), "shipped": first + dt.timedelta(days=rng.randrange(700)),
            "channel": rng.choice(["web", "shop", "Phone"]), "returned": rng.random() < 0.2, "SibSp": rng.randrange(4),
        }
        for i in range(600)
    ]  # fmt: skip
    frame = pd.DataFrame(orders).assign(cust=lambda f: f["cust"])
    dataset = open_sources(
        {"orders": pa.Table.from_pandas(frame), "customers": pa.Table.from_pylist(customers)}
    )
    return dataset, Retriever.over(dataset, MODEL)


def plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return None if value is None else int(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return None if math.isnan(number) else round(number, 6)


def both(sql: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    dataset, retriever = shop()
    selected = read_select(sql, MODEL, retriever.columns(), today=dt.date(2024, 6, 1))
    assert al.same(selected.ask, type(selected.ask).model_validate_json(selected.ask.model_dump_json()))
    _, rows, _ = retriever.ask(selected.ask)
    truth = dataset.cursor().execute(sql).fetchall()
    return [tuple(map(plain, r)) for r in rows], [tuple(map(plain, r)) for r in truth]


CASES = """
select count(*) from orders
select avg(amount) from orders where channel='web'
select c.city, avg(o.amount) as m, count(*) from orders o join customers c on o.cust=c.id where o.day between '2023-03-01' and '2024-02-01' group by 1 having avg(o.amount)>3 order by m desc limit 3
select date_trunc('month', day) as month, sum(amount) from orders group by 1 order by 1
select extract(year from day) y, channel, median(amount), quantile_cont(amount,0.9), count(*) filter (where amount>30) from orders group by all order by 1,2
select sum(case when amount>30 then 1 else 0 end)*1.0/nullif(count(*),0) from orders
with m as (select cust, sum(amount) s from orders group by cust) select avg(s), count(*) from m where s>100
select avg(s) from (select cust, sum(amount) s from orders group by cust) x
select max(n)-min(n) from (select channel, count(*) n from orders group by channel)
select name from customers c where not exists (select 1 from orders o where o.cust=c.id) order by name
select name from customers c where exists (select 1 from orders o where o.cust=c.id and o.amount > 99) order by name
select name, age from customers where age > (select avg(age) from customers) order by age desc, name limit 5
select count(*) from orders o where amount > (select avg(o2.amount) from orders o2 where o2.channel=o.channel)
select channel, count(*)*1.0/sum(count(*)) over () as share from orders group by channel order by channel
select channel, sum(amount)/(select sum(amount) from orders) from orders group by channel order by 1
select date_trunc('quarter',day) q, sum(amount) s, sum(amount)-lag(sum(amount)) over (order by date_trunc('quarter',day)) as d from orders group by 1 order by 1
select count(distinct cust) from orders where not returned and (channel='web' or "SibSp">=2)
select avg(date_diff('day', day, shipped)) from orders where shipped>=day
select channel, avg(returned::int) from orders group by channel order by 1
select channel from orders group by channel order by sum(amount) desc limit 1
select distinct channel from orders order by channel
select * from orders where amount is not null order by amount desc limit 1
select city, count(*) from customers where city is not null group by city order by 2 desc, 1
select case when age<30 then 'young' when age<60 then 'middle' else 'old' end as band, count(*) from customers group by 1 order by 1
select corr(amount, "SibSp"), stddev(amount), min(day), max(amount) from orders where amount is not null
select avg(age) from customers where id in (select cust from orders where channel='web' group by cust having count(*)>5)
select count(*) from customers where city like 'O%' or city ilike '%ON%'
select dayofweek(day), count(*) from orders group by 1 order by 1
select month(day), sum(amount) from orders where year(day)=2023 group by 1 having count(*)>20 order by 1
select channel, date_trunc('year', day), sum(amount) from orders group by 1,2 order by 3 desc limit 2
select channel, max(amount) from orders where day >= date '2024-01-01' group by channel order by channel
select avg(amount) filter (where returned) - avg(amount) filter (where not returned) from orders
""".strip().splitlines()  # fmt: skip


@pytest.mark.parametrize("sql", CASES)
def test_a_tree_gives_the_figures_of_the_text(sql: str) -> None:
    got, truth = both(sql)
    assert got == truth or sorted(map(str, got)) == sorted(map(str, truth)), sql


def _generated(rng: random.Random) -> str:
    """A random SELECT over the shop, of the constructs that people ask for."""
    tests = [
        f"channel {rng.choice(['=', '<>'])} '{rng.choice(['web', 'shop', 'Phone'])}'",
        f"amount {rng.choice(['<', '<=', '>', '>='])} {rng.randrange(100)}",
        f"day >= '2023-0{rng.randrange(1, 10)}-11'",
        "returned", "not returned", "amount is null", f'"SibSp" in ({rng.randrange(4)}, {rng.randrange(4)})',
        f"cust in (select id from customers where age > {rng.randrange(20, 70)})",
        "amount > (select avg(amount) from orders)",
    ]  # fmt: skip
    where = rng.choice([" and ", " or "]).join(rng.sample(tests, rng.randrange(1, 4)))
    where = f" where {where}" if rng.random() < 0.8 else ""
    measures = ["count(*)", "sum(amount)", "avg(amount)", "min(amount)", "max(day)", "count(distinct cust)", "median(amount)",
                "sum(amount)/nullif(count(*),0)", "count(*) filter (where returned)*1.0/count(*)", 'avg(amount*2 - "SibSp")']  # fmt: skip
    keys = [
        "channel",
        "returned",
        '"SibSp"',
        "date_trunc('month', day)",
        "year(day)",
        "channel || '-' || year(day)",
    ]
    chosen = rng.sample(measures, rng.randrange(1, 3))
    if rng.random() < 0.6:
        key = rng.choice(keys)
        having = " having count(*) > 12" if rng.random() < 0.3 else ""
        return f"select {key}, {', '.join(chosen)} from orders{where} group by 1{having} order by 1"
    return f"select {', '.join(chosen)} from orders{where}"


@pytest.mark.parametrize("seed", range(60))
def test_generated_queries_give_the_figures_of_the_data_base(seed: int) -> None:
    sql = _generated(random.Random(seed))
    got, truth = both(sql)
    assert sorted(map(str, got)) == sorted(map(str, truth)), sql


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("drop table orders", "one SELECT"),
        ("select 1; select 2", "one SELECT"),
        ("select foo from orders", "not listed"),
        ("select count(*) from elsewhere", "no table"),
        ("select count(*) from orders, customers", "joined"),
        ("select count(*) from orders o join customers c on o.oid = c.id", "not declared"),
        ("select avg(c.age) from orders o join customers c on o.cust=c.id", "more than once"),
        ("select regexp_replace(channel,'a','b') from orders", "not available"),
        ("select count(*) from read_csv('secret.csv')", "no functions"),
        ("select percent_rank() over (order by amount) from orders", "window"),
        ("select count(*) from orders where town = :VALUE9", "not listed"),
        ("select count(*) from orders where channel = :VALUE9", "stands for nothing"),
        ("select count(*) from orders where day > 'soon'", "no day"),
        ("select " + "1+" * 5000 + "1 from orders", "characters"),
        ("copy orders to 'x.csv'", "one SELECT"),
        ("select * from orders union all select * from orders", "one SELECT"),
    ],
)
def test_what_has_no_place_is_an_objection(sql: str, why: str) -> None:
    _, retriever = shop()
    with pytest.raises(Objections, match=why):
        read_select(sql, MODEL, retriever.columns())
