"""Every node of a tree knows the words that it was read from, whoever read them."""

import datetime as dt

import pyarrow as pa
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core import algebra as al

TODAY = dt.date(2024, 7, 1)


@pytest.fixture(scope="module")
def shop() -> Analyst:
    rows = [
        {"order no": f"A{i}", "ordered on": dt.date(2023, 1, 1) + dt.timedelta(days=i), "town": ["Ulm", "Gent", "Brno"][i % 3],
         "amount": 10.0 + i % 40, "weight": 1 + i % 9}
        for i in range(400)
    ]  # fmt: skip
    return gnomon.open({"orders": pa.Table.from_pylist(rows)})


def trees(shop: Analyst, question: str) -> list[al.Ask]:
    reading = shop.manager.reader.read(question, today=TODAY)
    assert reading.status == "clear", reading.message
    return [reading.ask] if reading.ask is not None else [r.ask for r in reading.requests]


def said(question: str, node: al.Node) -> list[str]:
    return [question[s.start : s.end] for s in node.said]


@pytest.mark.parametrize(
    ("question", "kind", "words"),
    [
        ("What was the total amount for Ulm in 2023?", al.Literally, ["Ulm"]),
        ("What was the total amount for Ulm in 2023?", al.Period, ["2023"]),
        ("What was the total amount for Ulm in 2023?", al.Shown, ["total", "amount"]),
        ("Which town had the most orders in 2023?", al.Order, ["the most", "orders"]),
        ("How many orders were there by month?", al.Key, ["by month"]),
        ("What is the average weight of orders with an amount over 30?", al.Test, ["amount", "30"]),
        ("How many orders were not from Ulm?", al.Test, ["Ulm"]),
        ("List the order no and town of orders with a weight above 8", al.Key, ["order no"]),
    ],
)
def test_a_node_knows_its_words(shop: Analyst, question: str, kind: type[al.Node], words: list[str]) -> None:
    nodes = [n for tree in trees(shop, question) for n in tree.walk() if isinstance(n, kind)]
    assert any(said(question, n) == words for n in nodes), [said(question, n) for n in nodes]


QUESTIONS = ["total amount by town in 2023", "Which town had the highest average weight?", "share of orders from Gent",
             "Is the amount up on last year?", "How many orders per month in 2023?", "orders with an amount between 20 and 30"]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_words_lie_in_the_question_and_those_of_parts_are_those_of_the_whole(
    shop: Analyst, question: str
) -> None:
    for tree in trees(shop, question):
        assert tree.said
        for node in tree.walk():
            assert all(0 <= s.start < s.end <= len(question) for s in node.said)
            held = [(s.start, s.end) for s in node.said]
            below = [(s.start, s.end) for part in node.parts() for s in part.said]
            assert all(any(a <= c and d <= b for a, b in held) for c, d in below)


def test_trees_that_differ_in_their_words_alone_are_equal(shop: Analyst) -> None:
    one, other = (trees(shop, q)[0] for q in ("total amount in 2023", "What was the total amount in 2023?"))
    assert one.said != other.said
    assert one == other and hash(one) == hash(other)
    assert type(one).model_validate_json(one.model_dump_json()).said == one.said
