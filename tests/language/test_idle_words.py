"""The judge of words that name nothing tells those that ask for something from those that do not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from gnomon.language.idle_words import Asked, IdleWords, features

LABELLED = Path(__file__).parents[2] / "scripts" / "idle_words.jsonl"
ORDERS = IdleWords(["orders"], ["order_id", "ordered_on", "customer_id", "country", "amount_eur"])


@pytest.mark.parametrize(
    ("question", "idle", "adds"),
    [
        ("How many orders were {} in March?", "placed", "cancelled"),
        ("What is the average amount of orders {} from Spain?", "coming", "refunded"),
        ("total amount of {} orders by country", "individual", "online"),
    ],
)
def test_words_that_restrict_are_told_from_those_that_do_not(question: str, idle: str, adds: str) -> None:
    assert ORDERS.adds(question.format(idle), idle) < ORDERS.adds(question.format(adds), adds) - 0.2


def test_the_same_word_is_judged_by_the_headings() -> None:
    """“sold” says what sales are; of listings it says which."""
    question = "How many houses were sold in June?"
    sales = IdleWords(["sales"], ["sale_id", "sale_date", "house", "price", "agent"])
    listings = IdleWords(["listings"], ["listing_id", "listed_on", "asking_price", "beds", "views"])
    assert sales.adds(question, "sold") < listings.adds(question, "sold")


@pytest.mark.long
def test_the_shipped_weights_are_those_of_the_labelled_words() -> None:
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()][::40]
    asked = [Asked(r["question"], r["word"], tuple(r["tables"]), tuple(r["columns"])) for r in rows]
    judged = [IdleWords(a.tables, a.columns).adds(a.question, a.word) for a in asked]
    assert roc_auc_score([r["adds"] for r in rows], judged) > 0.93


def test_one_word_has_the_same_numbers_alone_and_among_others() -> None:
    asked = [
        Asked("How many orders were placed?", "placed", ("orders",), ("order_id", "amount")),
        Asked("orders shipped late by country", "late", ("orders",), ("order_id", "country")),
    ]
    together = features(asked)
    assert np.allclose(together[0], features(asked[:1])[0], atol=1e-3)
    assert np.isfinite(together).all()
