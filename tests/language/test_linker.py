"""Words that no name says are linked to what they mean: by the meanings of both, by values, and by where they stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def _chances(names: list[Named], question: str, word: str) -> list[float]:
    """That a word means each name, or one of its values."""
    judged = Linker(names).judged(question, word, 1)
    return [n + v for n, v in zip(judged.names, judged.values, strict=True)]


@pytest.mark.parametrize(
    ("names", "question", "word", "meant"),
    [
        (METRO, "Name the five stations with the most travellers.", "travellers", "passengers"),
        (FIRMS, "Which sector has the most employees?", "employees", "staff"),
        (FIRMS, "What are the average earnings by sector?", "earnings", "profit"),
        (FIRMS[:-1], "Which industry makes the largest profit?", "industry", "sector"),
    ],
)
def test_the_name_that_is_meant_is_the_likeliest(
    names: list[Named], question: str, word: str, meant: str
) -> None:
    chances = _chances(names, question, word)
    assert len(chances) == len(names) and all(0 <= c <= 1 for c in chances)
    assert names[int(np.argmax(chances))].label == meant


def test_a_word_of_several_senses_is_near_what_it_means() -> None:
    """A chain is many things: what is meant is offered, among the two likeliest of four."""
    chances = _chances(MENU, "Which chain sells the most items?", "chain")
    assert "restaurant" in [MENU[i].label for i in np.argsort(chances)[::-1][:2]]


def test_what_the_data_lacks_is_less_likely_than_what_it_has() -> None:
    here = max(_chances(METRO, "Which station has the most travellers?", "travellers"))
    for word in ("escalators", "complaints", "staff"):
        assert max(_chances(METRO, f"Which station has the most {word}?", word)) < here


def test_the_order_of_names_changes_nothing() -> None:
    question, word = "Which sector has the most employees?", "employees"
    one = _chances(FIRMS, question, word)
    other = _chances(FIRMS[::-1], question, word)
    assert np.allclose(one, other[::-1], atol=1e-6)
    assert one == _chances(FIRMS, question, word)


def test_no_more_names_are_looked_at_than_the_bound() -> None:
    many = [Named(f"measure {i}", Sort.NUMBER) for i in range(MOST_NAMES + 50)]
    assert len(_chances(many, "Which zone has the most travellers?", "travellers")) == MOST_NAMES
    assert _chances([], "Which zone has the most travellers?", "travellers") == []


_WORDS = st.sampled_from(
    ["people", "won", "stadium", "postal", "zibbles", "caught", "Western", "bill", "the thing"]
)
_LABELS = st.sampled_from(["ball park", "zip code", "wins", "captures", "monthly charges", "conference", "x"])
_NAMES = st.lists(st.builds(Named, label=_LABELS, sort=st.sampled_from(Sort)), max_size=6)


@settings(max_examples=40, deadline=None)
@given(word=_WORDS, names=_NAMES, unknown=st.integers(1, 5))
def test_all_that_a_word_may_mean_is_at_most_certain(word: str, names: list[Named], unknown: int) -> None:
    judged = Linker(names).judged(f"How many {word} were there in 2020?", word, unknown)
    assert len(judged.names) == len(judged.values) == len(names)
    every = [*judged.names, *judged.values, judged.idle]
    assert all(0 <= c <= 1 for c in every) and sum(every) <= 1 + 1e-6
    for name, chance in zip(names, judged.values, strict=True):
        assert name.sort is Sort.TEXT or chance == 0


def test_what_adds_nothing_is_likelier_idle_than_what_tells_rows_apart() -> None:
    names = [Named("orders", Sort.ROWS), Named("price", Sort.NUMBER), Named("region", Sort.TEXT)]
    linker = Linker(names)
    question = "How many orders were {} in March?"
    idle = min(linker.judged(question.format(w), w, 1).idle for w in ("placed", "made", "recorded"))
    asked = max(linker.judged(question.format(w), w, 1).idle for w in ("refunded", "cancelled", "stolen"))
    assert idle > asked
