"""Answers to trees: sentences per shape whose every number is a fact of the result."""

import re

import pytest
from tests.planning.test_select import CASES, MODEL, shop

from gnomon.agents.opinions import agree
from gnomon.answering import Answering
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.planning.model_reader.select import read_select


def told(sql: str) -> Answer:
    _, retriever = shop()
    return Answering(retriever).answer(read_select(sql, MODEL, retriever.columns()).ask)


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("select count(*) from orders", "There were 600 orders."),
        ("select count(*) from customers where age > 200", "There were no customers where age is above 200."),
        (
            "select channel, count(*) from orders group by 1",
            r"Number of orders was highest for shop \(\d+\) .* In full: \d+ for Phone, \d+ for shop and \d+ for web.",
        ),
        ("select name from customers where age > 1000", "No rows of the data meet these conditions."),
        (
            "select sum(amount) from orders where channel='none'",
            "Total amount where channel is none is unknown: there is no value to compute it from.",
        ),
        (
            "select date_trunc('year', day), sum(amount) from orders group by 1",
            r"Total amount was [\d,.]+ in 2024, down [\d.]+ % from [\d,.]+ in 2023.",
        ),
    ],
)
def test_each_shape_is_a_sentence(sql: str, sentence: str) -> None:
    assert re.fullmatch(sentence, told(sql).prose.split("\n\n")[0]), told(sql).prose


@pytest.mark.parametrize("sql", CASES)
def test_an_answer_is_told_with_its_reading_and_its_rows(sql: str) -> None:
    answer = told(sql)
    assert answer.status is AnswerStatus.ANSWERED
    lead, reading, *_ = answer.prose.split("\n\n")
    assert lead.endswith(".") and reading.startswith("Read as: ")
    assert answer.facts or answer.tables
    assert all(f.query for f in answer.facts)


def test_two_answers_agree_by_their_figures_alone() -> None:
    one = told("select channel, count(*) from orders group by 1")
    same = told("select channel, count(oid) from orders group by channel order by 2 desc")
    other = told("select channel, count(distinct cust) from orders group by 1")
    assert agree(one, same)
    assert not agree(one, other)
    assert not agree(told("select count(*) from orders"), told("select count(*) from customers"))
