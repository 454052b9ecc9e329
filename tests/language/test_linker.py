"""Words that no name says are linked to what they mean: by the meanings of both, by values, and by where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.language.linker import MOST_NAMES, Linker, Named, Sort

METRO = [
    Named("name", Sort.TEXT, ("Bastille", "Nation")),
    Named("passengers", Sort.NUMBER),
    Named("latitude", Sort.NUMBER),
    Named("opened", Sort.TIME),
    Named("stations", Sort.ROWS),
]
MENU = [
    Named("restaurant", Sort.TEXT, ("Mcdonalds", "Subway", "Taco Bell")),
    Named("item", Sort.TEXT, ("Cheeseburger", "Side Salad")),
    Named("calories", Sort.NUMBER),
    Named("sodium", Sort.NUMBER),
]
FIRMS = [
    Named("sector", Sort.TEXT, ("Banking", "Retail")),
    Named("staff", Sort.NUMBER),
    Named("profit", Sort.NUMBER),
    Named("founded", Sort.TIME),
    Named("firms", Sort.ROWS),
]


@pytest.mark.parametrize(
    ("names", "question", "word", "meant"),
    [
        (METRO, "Name the five stations with the most travellers.", "travellers", "passengers"),
        (MENU, "Which chain sells the most items?", "chain", "restaurant"),
        (FIRMS, "Which sector has the most employees?", "employees", "staff"),
        (FIRMS, "What are the average earnings by sector?", "earnings", "profit"),
        (FIRMS[:-1], "Which industry makes the largest profit?", "industry", "sector"),
    ],
)
def test_the_name_that_is_meant_is_the_likeliest(
    names: list[Named], question: str, word: str, meant: str
) -> None:
    chances = Linker(names).chances(question, word, 1)
    assert len(chances) == len(names) and all(0 <= c <= 1 for c in chances)
    assert names[int(np.argmax(chances))].label == meant


def test_what_the_data_lacks_is_less_likely_than_what_it_has() -> None:
    here = max(Linker(METRO).chances("Which station has the most travellers?", "travellers", 1))
    for word in ("escalators", "complaints", "staff"):
        assert max(Linker(METRO).chances(f"Which station has the most {word}?", word, 1)) < here


def test_the_order_of_names_changes_nothing() -> None:
    question, word = "Which sector has the most employees?", "employees"
    one = Linker(FIRMS).chances(question, word, 1)
    other = Linker(FIRMS[::-1]).chances(question, word, 1)
    assert np.allclose(one, other[::-1], atol=1e-6)
    assert one == Linker(FIRMS).chances(question, word, 1)


def test_no_more_names_are_looked_at_than_the_bound() -> None:
    many = [Named(f"measure {i}", Sort.NUMBER) for i in range(MOST_NAMES + 50)]
    assert len(Linker(many).chances("Which zone has the most travellers?", "travellers", 1)) == MOST_NAMES
    assert Linker([]).chances("Which zone has the most travellers?", "travellers", 1) == []
