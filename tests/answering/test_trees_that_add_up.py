"""Trees add up only what adds up, and tell of days that the data has not as the grammar does."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.answering import Answering
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import OutOfScope
from gnomon.llm import Privacy
from gnomon.planning.model_reader.card import Card
from gnomon.planning.model_reader.select import Objections, read_select
from gnomon.planning.model_reader.task import QueryTask, SaidQuery
from gnomon.semantic.retrieve import Retriever

TODAY = dt.date(2025, 1, 6)
FIRST, DAYS = dt.date(2024, 2, 10), 120


def frames() -> dict[str, pd.DataFrame]:
    """Stock of twelve products on each day, and what was ordered of them."""
    rng = random.Random(2)
    days = [FIRST + dt.timedelta(days=n) for n in range(DAYS)]
    stock = [
        {"date": d, "product_id": f"P{p:02d}", "on_hand": 40 + rng.randrange(60), "inbound": rng.randrange(9)}
        for d in days
        for p in range(12)
    ]
    orders = [
        {
            "order_id": 7000 + n, "order_date": rng.choice(days), "product_id": f"P{rng.randrange(12):02d}",
            "units": rng.randrange(1, 6), "unit_price": round(rng.uniform(3, 90), 2), "revenue": round(rng.uniform(3, 400), 2),
            "discount_percent": rng.choice([0.0, 5.0, 12.5]), "rating": rng.randrange(1, 6), "region": rng.choice(["north", "south"]),
            "model_year": rng.randrange(2015, 2024), "returned": rng.random() < 0.2,
        }
        for n in range(900)
    ]  # fmt: skip
    orders[0]["order_date"], orders[1]["order_date"] = days[0], days[-1]
    return {"inventory": pd.DataFrame(stock), "orders": pd.DataFrame(orders)}


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with gnomon.open(frames()) as opened:
        yield opened


@pytest.fixture(scope="module")
def retriever(analyst: Analyst) -> Retriever:
    return Retriever.over(analyst.dataset, analyst.model)


def tree(retriever: Retriever, sql: str) -> Any:
    return read_select(sql, retriever.model, retriever.columns(), today=TODAY).ask


def told(retriever: Retriever, sql: str) -> Answer:
    return Answering(retriever).answer(tree(retriever, sql))


LEVELS = """
select sum(on_hand) from inventory
select product_id, sum(on_hand) from inventory group by 1
select date_trunc('month', date), sum(on_hand) from inventory group by 1
select sum(on_hand) from inventory where date >= '2024-05-01'
select sum(on_hand) filter (where product_id = 'P03') from inventory
select sum(case when product_id = 'P03' then on_hand end) from inventory
select sum(t) from (select date, sum(on_hand) t from inventory group by date)
select sum(x) from (select on_hand x from inventory)
select date, sum(on_hand) over (order by date) from inventory
select product_id, sum(on_hand) s from inventory group by 1 having sum(on_hand) > 5 order by s desc limit 2
select region, sum(o.units) from orders o where o.units > (select sum(on_hand) from inventory) group by 1
""".strip().splitlines()

VALUES = """
select sum(unit_price) from orders
select region, sum(unit_price) from orders group by 1
select sum(unit_price * 2) from orders
select sum(round(unit_price, 0)) - 1 from orders
select sum(discount_percent) from orders
select sum(rating) from orders
select sum(order_id) from orders
select sum(year(order_date)) from orders
select sum(p) from (select region, avg(unit_price) p from orders group by 1)
""".strip().splitlines()

ADDED = """
select date, sum(on_hand) from inventory group by 1
select sum(on_hand) from inventory where date = '2024-06-08'
select sum(on_hand) from inventory where date = (select max(date) from inventory)
select sum(on_hand) filter (where date = '2024-06-08') from inventory
select avg(t) from (select date, sum(on_hand) t from inventory group by date)
select sum(m) from (select product_id, avg(on_hand) m from inventory group by 1)
select sum(on_hand) from (select on_hand, row_number() over (partition by product_id order by date desc) n from inventory) where n = 1
select sum(on_hand) / count(distinct date) from inventory
select avg(on_hand) from inventory
select sum(inbound) from inventory
select sum(unit_price * units) from orders
select sum(unit_price * units) / sum(units) from orders
select sum(unit_price) / count(*) from orders
select avg(rating), max(unit_price), count(distinct order_id) from orders
select sum(case when returned then 1 else 0 end) from orders
select sum(n) from (select region, count(*) n from orders group by 1)
""".strip().splitlines()


@pytest.mark.parametrize("sql", [*LEVELS, *VALUES])
def test_what_does_not_add_up_is_refused_with_the_reason(retriever: Retriever, sql: str) -> None:
    with pytest.raises(OutOfScope, match="it is not added up") as refused:
        told(retriever, sql)
    assert ("is a level" in refused.value.message) == (sql in LEVELS)
    assert refused.value.suggestions


@pytest.mark.parametrize("sql", ADDED)
def test_what_adds_up_is_told(retriever: Retriever, sql: str) -> None:
    assert told(retriever, sql).status is AnswerStatus.ANSWERED


def test_a_level_is_the_same_as_the_grammar_tells_it(analyst: Analyst, retriever: Retriever) -> None:
    last = told(
        retriever, "select sum(on_hand) from inventory where date = (select max(date) from inventory)"
    )
    mean = told(retriever, "select avg(t) from (select date, sum(on_hand) t from inventory group by date)")
    assert analyst.ask("on hand").facts[0].value == last.facts[0].value
    assert analyst.ask("on hand in 2024").facts[0].value == pytest.approx(mean.facts[0].value)


@pytest.mark.parametrize(
    ("sql", "instead"),
    [
        ("select sum(on_hand) from inventory", "(WHERE date = (SELECT MAX(date) FROM inventory))"),
        ("select sum(unit_price) from orders", "use AVG(unit_price)"),
        ("select sum(order_id) from orders", "COUNT(DISTINCT order_id)"),
    ],
)
def test_a_model_is_told_what_to_do_instead(
    analyst: Analyst, retriever: Retriever, sql: str, instead: str
) -> None:
    reader: Any = analyst.manager.reader
    grammar = reader.grammar
    card = Card(grammar.model, retriever.columns(), Privacy.SCHEMA, grammar.index)
    task = QueryTask(grammar, card, "how much is there", TODAY)
    with pytest.raises(Objections) as objected:
        task.taken(SaidQuery(restated="", query=sql))
    assert instead in "\n".join(objected.value.found)


# Days -----------------------------------------------------------------------------------------------------------------

PERIODS = [
    ("in 2031", "order_date >= '2031-01-01' and order_date < '2032-01-01'"),
    ("in 2031", "year(order_date) = 2031"),
    ("in 2031", "order_date between '2031-01-01' and '2031-12-31'"),
    ("in 2020", "'2020-01-01' <= order_date and order_date <= '2020-12-31'"),
    ("in December 2024", "date_trunc('month', order_date) = '2024-12-01'"),
    ("in December 2024", "year(order_date) = 2024 and month(order_date) = 12"),
    ("in 2024", "year(order_date) = 2024"),
    ("in February 2024", "order_date >= '2024-02-01' and order_date < '2024-03-01'"),
    ("in June 2024", "year(order_date) = 2024 and month(order_date) = 6"),
    ("since March 2022", "order_date >= '2022-03-01'"),
    ("before January 2024", "order_date < '2024-01-01'"),
    ("in April 2024", "order_date >= '2024-04-01' and order_date < '2024-05-01'"),
]  # fmt: skip


def _limits(answer: Answer) -> list[str]:
    """What an answer says of the days that the data has, whether it is a no or a note."""
    return re.findall(r"Orders (?:cover|begin|end)[^.;]*(?:; there is nothing [^.]*)?", answer.prose)


@pytest.mark.parametrize(("said", "where"), PERIODS)
def test_days_are_refused_and_noted_as_the_grammar_does(
    analyst: Analyst, retriever: Retriever, said: str, where: str
) -> None:
    plain = analyst.ask(f"revenue {said}", today=TODAY)
    for sql in (
        f"select sum(revenue) from orders where {where}",
        f"select region, sum(revenue) from orders where {where} group by 1",
        f"select sum(revenue) filter (where {where}) from orders",
        f"select avg(r) from (select region, sum(revenue) r from orders where {where} group by 1)",
    ):
        answer = told(retriever, sql)
        assert answer.status is plain.status, (sql, plain.prose)
        assert _limits(answer) == _limits(plain), (sql, plain.prose)


def test_one_side_without_days_is_noted(retriever: Retriever) -> None:
    both = "select sum(revenue) filter (where year(order_date) = {}), sum(revenue) filter (where year(order_date) = 2024) from orders"
    answer = told(retriever, both.format(2031))
    assert answer.status is AnswerStatus.ANSWERED and "there is nothing in 2031" in answer.prose
