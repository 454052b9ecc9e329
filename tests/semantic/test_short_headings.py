"""Headings cut short are told in full, where what they mean is plain; what is a word of its own stays one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.planning.readers import analyst_of

from gnomon.semantic.labels import as_written, entity_of, label_of
from gnomon.semantic.vocabulary import vocabulary

SURE, BESIDE = vocabulary().short, vocabulary().short_beside
STYLES = ("{}_{}", "{} {}", "{}.{}")


@pytest.mark.parametrize("style", STYLES)
def test_two_short_forms_are_told_in_full_in_any_style(style: str) -> None:
    for one, two in product([*SURE, *BESIDE], [*SURE, *BESIDE]):
        full = f"{(SURE | BESIDE)[one]} {(SURE | BESIDE)[two]}"
        for name in (style.format(one, two), style.format(one, two).upper()):
            assert label_of(name) == full, name
            assert as_written(name) == f"{one} {two}"


@pytest.mark.parametrize("word", sorted(BESIDE))
def test_what_may_be_a_word_stays_one_alone_or_beside_a_word(word: str) -> None:
    assert label_of(word) == word
    assert label_of(f"{word}_colour") == f"{word} colour"


def test_keys_are_called_by_the_thing_in_full() -> None:
    assert [entity_of(c) for c in ("ORD_NO", "cust_id", "TXN_ID", "prod_cd")] == ["order", "customer", "transaction", "product"]  # fmt: skip


def test_questions_in_full_words_are_answered_over_short_headings(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(2), 300
    made = pd.DataFrame({
        "ORD_NO": [f"SO{i:05d}" for i in range(rows)], "ORD_DT": pd.date_range("2023-01-01", periods=rows).strftime("%Y%m%d"),
        "CUST_NM": rng.choice(["Acme", "Birch", "Corvo"], rows, p=[0.5, 0.3, 0.2]), "PROD_CAT": rng.choice(["TOOLS", "PAINT"], rows),
        "QTY": rng.integers(1, 50, rows), "UNIT_PRC": rng.gamma(3, 5, rows).round(2), "RTN_FLG": rng.choice(["Y", "N"], rows, p=[0.1, 0.9]),
    })  # fmt: skip
    made["TOT_AMT"] = (made.QTY * made.UNIT_PRC).round(2)
    path = tmp_path / "sales_extract.csv"
    made.to_csv(path, index=False)
    ask = analyst_of(path).ask

    def told(question: str) -> list[float]:
        answer = ask(question)
        assert answer.status == "answered", answer.prose
        cells = [v for t in answer.tables for row in t.rows for v in row]
        return [v for v in [*(f.value for f in answer.facts), *cells] if isinstance(v, int | float)]

    assert told("total amount")[0] == pytest.approx(made.TOT_AMT.sum())
    means = made[made.PROD_CAT == "PAINT"].UNIT_PRC.mean()
    assert told("average unit price of paint")[0] == pytest.approx(means)
    for total in made.groupby("PROD_CAT").QTY.sum():
        assert total in told("total quantity by product category")
    best = made.loc[made.TOT_AMT.idxmax()]
    assert best.ORD_NO in ask("which order had the highest amount?").prose.split("\n")[0]
    assert told("how many orders were returned?")[0] == (made.RTN_FLG == "Y").sum()
    assert "product category" in ask("total quantity by product category").prose


def test_a_time_between_two_moments_leaves_a_column_its_name(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(4), 200
    opened = pd.date_range("2023-01-01", periods=rows)
    made = pd.DataFrame({
        "ticket_id": range(rows), "opened_at": opened.strftime("%Y-%m-%d"),
        "closed_at": (opened + pd.to_timedelta(rng.integers(5, 30, rows), unit="D")).strftime("%Y-%m-%d"),
        "handling_minutes": rng.integers(50, 900, rows),
    })  # fmt: skip
    path = tmp_path / "tickets.csv"
    made.to_csv(path, index=False)
    answer = analyst_of(path).ask("median handling time")
    assert answer.facts[0].value == made.handling_minutes.median(), answer.prose
