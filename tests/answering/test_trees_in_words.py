"""Trees over an inferred model are told as requests in words are: by its names, with every condition, with what is not whole."""

import re
from pathlib import Path

import pytest

import gnomon
from gnomon.answering import Answering
from gnomon.core.answer import Answer
from gnomon.planning.model_reader.select import read_select
from gnomon.semantic.retrieve import Retriever


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> gnomon.Analyst:
    folder: Path = tmp_path_factory.mktemp("shop")
    people = [f"{i},Person {chr(65 + i)},{('Oslo', 'Rome', 'Bonn')[i % 3]},{20 + i}" for i in range(24)]
    (folder / "customers.csv").write_text(
        "\n".join(["customer_id,customer_name,city,age", *people]) + "\n", encoding="utf-8"
    )
    orders = [
        f"{n},{n * 7 % 22},{(n * 13) % 90 + 1}.50,2024-{n % 9 + 1:02d}-{n % 27 + 2:02d},{('web', 'shop')[n % 2]},"
        f"{'yes' if n % 5 == 0 else 'no'}"
        for n in range(1, 181)
    ]
    (folder / "orders.csv").write_text(
        "\n".join(["order_id,customer_id,amount_usd,order_date,channel,returned", *orders]) + "\n",
        encoding="utf-8",
    )
    return gnomon.open(folder)


def told(shop: gnomon.Analyst, sql: str) -> Answer:
    retriever = Retriever.over(shop.dataset, shop.model)
    return Answering(retriever).answer(read_select(sql, shop.model, retriever.columns()).ask)


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (
            "select count(*) from orders where channel = 'web' and amount_usd > 50",
            r"There were \d+ orders with channel web and order amount > 50\.",
        ),
        (
            "select count(*) from customers where city = 'Oslo' or age > 40",
            r"There were \d+ customers where customer city is Oslo or age is above 40\.",
        ),
        (
            "select c.city, sum(o.amount_usd) from orders o join customers c using (customer_id) group by 1 order by 2 desc limit 1",
            r"(Oslo|Rome|Bonn) had the highest total order amount: \$[\d,.]+\.",
        ),
        (
            "select avg(s) from (select customer_id, sum(amount_usd) s from orders group by 1)",
            r"Average total order amount per customer was \$[\d,.]+\.",
        ),
        (
            "select count(*) from (select customer_id, count(*) n from orders group by 1 having count(*) > 8)",
            r"There were \d+ customers where number of orders is above 8\.",
        ),
        (
            "select customer_name from customers c where not exists (select 1 from orders o where o.customer_id = c.customer_id)",
            r"There are 2 customer names with no orders: Person \w and Person \w\.",
        ),
        (
            "select channel from orders group by channel order by sum(amount_usd) desc limit 1",
            r"With the highest total order amount, the channel is (web|shop)\.",
        ),
        ("select avg(amount_usd) > 3 from orders", r"Yes: average order amount is above 3\."),
        ("select count(distinct customer_id) from orders where returned = 'yes'", r"There were \d+ different customers .*"),
    ],
)  # fmt: skip
def test_each_result_is_told_by_names_and_with_its_conditions(
    shop: gnomon.Analyst, sql: str, sentence: str
) -> None:
    lead = told(shop, sql).prose.split("\n\n")[0]
    assert re.fullmatch(sentence, lead), lead


def test_a_period_that_is_not_whole_is_told_and_the_chart_says_what_was_found(shop: gnomon.Analyst) -> None:
    answer = told(
        shop, "select date_trunc('month', order_date) m, sum(amount_usd) from orders group by 1 order by 1"
    )
    assert "is not whole" in answer.prose
    title = answer.charts[0]["title"]
    said = title if isinstance(title, str) else title["text"]
    assert "Total order amount was $" in " ".join([said] if isinstance(said, str) else said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("customers with more than 8 orders", "with more than 8 orders"),
        ("which customers have no orders", "with no orders"),
        ("how many customers had exactly one order in May 2024", "with exactly 1 order"),
        ("what is the age of Person B", "Age for Person B was 21."),
        ("what is the name of the oldest customer", "Person X had the highest age: 43."),
    ],
)
def test_numbers_of_things_and_single_rows_are_told_in_plain_english(
    shop: gnomon.Analyst, question: str, said: str
) -> None:
    assert said in shop.ask(question).prose.split("\n\n")[0]
