"""Where a word stands and what it has to do with the headings, and the small networks that judge by it."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.language.small_nets import SmallNets
from gnomon.language.word_places import acts, mentioned, place, relations, words_of


@pytest.mark.parametrize(
    ("heading", "words"),
    [("ShipCity", ("ship", "city")), ("ship_city", ("ship", "city")), ("Price (EUR)", ("price", "eur"))],
)
def test_headings_are_split_into_words(heading: str, words: tuple[str, ...]) -> None:
    assert words_of(heading) == words


def test_a_word_that_is_mostly_a_thing_may_be_a_verb_where_it_stands() -> None:
    assert acts("shop", "racks", ["up", "the"])
    assert not acts("the", "racks", ["in", "the"])
    assert acts("were", "handled", ["in", "may"])


def test_headings_that_the_question_names_are_found_by_any_form_of_the_word() -> None:
    headings = ("order_date", "city", "amount_eur")
    assert mentioned("Which cities burned the biggest amounts?", "burned", headings) == ["city", "amount_eur"]


def test_a_wider_name_of_a_heading_is_related_to_it_and_a_stranger_is_not() -> None:
    headings, tables = ("car", "price"), ("cars",)
    vehicles = relations("How many vehicles cost more?", "vehicles", headings, tables)
    clouds = relations("How many clouds cost more?", "clouds", headings, tables)
    assert max(vehicles) > max(clouds)


def test_every_word_has_as_many_numbers() -> None:
    lengths = {
        len(place(q, w, ("price",))) for q, w in (("price paid", "paid"), ("the odd price of it?", "odd"))
    }
    assert len(lengths) == 1


def test_small_nets_learn_what_no_straight_line_tells_apart() -> None:
    rng = np.random.default_rng(3)
    rows = rng.choice([-1.0, 1.0], size=(4000, 2)) + rng.normal(scale=0.2, size=(4000, 2))
    labels = rows[:, 0] * rows[:, 1] > 0
    nets = SmallNets.fit(np.hstack([rows, rows]), labels, nets=2)
    right = (nets.scores(np.hstack([rows, rows])) > 0) == labels
    assert right.mean() > 0.9


def test_stored_nets_judge_as_those_that_were_fitted() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(200, 6))
    nets = SmallNets.fit(rows, rows[:, 0] > 0, nets=2)
    again = SmallNets.from_arrays(nets.arrays())
    assert np.allclose(nets.scores(rows), again.scores(rows), atol=0.02)
