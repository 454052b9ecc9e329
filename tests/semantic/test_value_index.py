"""Which words of a question name values: exact, in the plural, misspelt, in part, or not at all."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import ValueIndex, infer_model
from gnomon.semantic.value_text import distance

VALUES = {
    "state": ("New York", "West Virginia", "Oregon", "São Paulo"),
    "region": ("West", "East"),
    "category": ("Home & Kitchen", "Electronics", "Toys"),
    "company": ("Acme Corporation", "Globex Limited", "Initech Limited"),
    "code": ("12345", "777"),
    "product": ("Acme Widget 3000",),
}


@pytest.fixture(scope="module")
def index() -> ValueIndex:
    return ValueIndex(VALUES, personal=["company"])


def found(index: ValueIndex, text: str) -> list[tuple[str, object, str, int, int]]:
    return [(m.dimension, m.value, m.kind, m.start, m.end) for m in index.find(text.split())]


def test_values_of_several_words_are_found_whole(index: ValueIndex) -> None:
    assert found(index, "sales in new york")[0] == ("state", "New York", "exact", 2, 4)


@pytest.mark.parametrize("text", ["home & kitchen", "home and kitchen", "Home Kitchen"])
def test_and_is_written_in_many_ways(index: ValueIndex, text: str) -> None:
    best = index.find(["sales", *text.split()])[0]
    assert (best.value, best.kind, best.start, best.end) == (
        "Home & Kitchen",
        "exact",
        1,
        1 + len(text.split()),
    )


def test_a_word_that_two_dimensions_hold_is_found_in_both(index: ValueIndex) -> None:
    hits = {(m.dimension, m.value, m.kind) for m in index.find(["west"])}
    assert ("region", "West", "exact") in hits
    assert ("state", "West Virginia", "partial") in hits


def test_accents_and_plural_do_not_matter(index: ValueIndex) -> None:
    assert found(index, "sao paulo")[0][1:3] == ("São Paulo", "exact")
    assert found(index, "electronic")[0][1:3] == ("Electronics", "stem")
    assert found(index, "toy")[0][1:3] == ("Toys", "stem")


def test_misspelt_words_match_with_less_certainty(index: ValueIndex) -> None:
    (match,) = index.find(["electroncis"])
    assert (match.value, match.kind) == ("Electronics", "fuzzy")
    assert match.score < 0.9


def test_part_of_a_name_matches_where_it_is_distinctive(index: ValueIndex) -> None:
    hits = [m for m in index.find(["acme"]) if m.kind == "partial"]
    assert {m.value for m in hits} == {"Acme Corporation", "Acme Widget 3000"}
    assert all(m.score < 0.9 for m in hits)


def test_numbers_are_never_guessed(index: ValueIndex) -> None:
    assert index.find(["12346"]) == []
    assert index.find(["777"]) == []


def test_ordinary_words_match_nothing(index: ValueIndex) -> None:
    assert index.find(["what", "is", "the", "total", "of", "all", "orders", "in", "may"]) == []


def test_personal_values_are_flagged(index: ValueIndex) -> None:
    assert {m.personal for m in index.find(["globex", "limited"])} == {True}


def test_did_you_mean(index: ValueIndex) -> None:
    assert index.close("Oregno")[0].value == "Oregon"
    assert index.close("qqqq") == []


def test_values_are_read_from_the_tables_most_frequent_first() -> None:
    frame = pd.DataFrame(
        {
            "ticket": [f"T-{i:04}" for i in range(90)],
            "status": ["open"] * 50 + ["closed"] * 30 + ["on hold"] * 10,
            "notes": [
                f"The caller number {i} said that something long had gone wrong again today"
                for i in range(90)
            ],
            "hours": [i / 7 for i in range(90)],
        }
    )
    dataset = open_sources({"tickets": frame})
    index = ValueIndex.build(dataset, infer_model(profile_dataset(dataset)))
    assert index.values("status") == ("open", "closed", "on hold")
    assert index.values("notes") == ()
    assert index.values("hours") == ()
    assert index.find(["on", "hold"])[0].value == "on hold"
    assert index.find(["T-0042"])[0].value == "T-0042"


def _edits(a: str, b: str) -> int:
    """Edits between two words by the textbook, for comparison."""
    d = {(i, j): i + j for i in range(len(a) + 1) for j in range(len(b) + 1) if not i or not j}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[len(a), len(b)]


@given(a=st.text("abc", max_size=8), b=st.text("abc", max_size=8), most=st.integers(1, 3))
def test_edits_are_counted_up_to_a_bound(a: str, b: str, most: int) -> None:
    assert distance(a, b, most) == min(_edits(a, b), most + 1)


def test_columns_that_say_the_same_in_every_row_are_found_among_many() -> None:
    rng = np.random.default_rng(3)
    kinds = {f"flag_{i}": rng.choice(["yes", "no"], 60) for i in range(24)}
    kinds |= {f"again_{i}": kinds[f"flag_{i}"] for i in range(0, 24, 5)}
    kinds["nearly"] = np.where(np.arange(60) == 31, "no", "yes")
    kinds["nearly_too"] = np.where(np.arange(60) == 32, "no", "yes")
    frame = pd.DataFrame(kinds)
    with open_sources({"answers": frame}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        twins = ValueIndex.build(dataset, model).twins
        column = {d.name: d.home.column for d in model.dimensions}
    assert {column[b]: column[a] for b, a in twins.items()} == {
        f"again_{i}": f"flag_{i}" for i in range(0, 24, 5)
    }


@pytest.mark.parametrize("seed", range(5))
def test_names_that_are_written_turned_are_found_as_they_are_said(seed: int) -> None:
    """“Ada Byron”, of “Byron, Ada”; written with two commas it is a list, and no name."""
    rng = random.Random(seed)
    first, last = ["Ada", "Emmy", "Jean-Luc", "María José"], ["Byron", "Noether", "van der Waals", "O’Neill"]
    names = [f"{b}, {a}" for a, b in zip(rng.sample(first, 4), rng.sample(last, 4), strict=True)]
    index = ValueIndex({"artist": (*names, "Oil, Ink, Chalk")})
    for name in names:
        family, given = name.split(", ")
        words = f"how many works by {given} {family}".split()
        best = index.find(words)[0]
        assert (best.value, best.start, best.end) == (name, 4, len(words))
    assert not any(
        m.value == "Oil, Ink, Chalk" for m in index.find(["works", "in", "chalk", "ink"]) if m.score == 1
    )
