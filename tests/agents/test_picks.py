"""A question with one or two words that the data does not know comes back with readings to pick from, computed and said."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

# What the rows are called in a file, a category, a number, and words that nothing in the file is called.
WORLDS = {
    "sightings": ("habitat", ["marsh", "dune", "heath"], "wingspan", "critters"),
    "repairs": ("workshop", ["Leith", "Bow", "Cobh"], "mileage", "jobettes"),
    "concerts": ("venue", ["hall", "barn", "quay"], "loudness", "zibbles"),
}


@dataclass
class World:
    """An open table and its rows as pandas sees them."""

    analyst: Analyst
    rows: pd.DataFrame
    name: str
    category: str
    number: str
    unknown: str


def _rows(name: str) -> pd.DataFrame:
    category, values, number, _ = WORLDS[name]
    rng = random.Random(name)
    days = [date(2022, 1, 1) + timedelta(days=rng.randrange(1000)) for _ in range(240)]
    return pd.DataFrame(
        {
            f"{name[:-1]}_id": range(1, 241),
            "date": days,
            category: [rng.choice(values) for _ in days],
            number: [round(rng.uniform(3, 90), 1) for _ in days],
        }
    )


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    name = str(request.param)
    category, _, number, unknown = WORLDS[name]
    rows = _rows(name)
    file = tmp_path / f"{name}.csv"
    rows.to_csv(file, index=False)
    with gnomon.open(file) as analyst:
        yield World(analyst, rows, name, category, number, unknown)


def _figures(answer: Answer) -> list[list[object]]:
    return [[f.value for f in o.facts] for o in answer.options]


def test_a_noun_may_name_the_rows_and_is_asked_about_once(world: World) -> None:
    question = f"How many {world.unknown} were there in 2023?"
    asked = world.analyst.ask(question)
    assert asked.status is AnswerStatus.OUT_OF_SCOPE and not asked.facts
    wanted = int(pd.to_datetime(world.rows["date"]).dt.year.eq(2023).sum())
    (meant,) = [o for o in asked.options if [f.value for f in o.facts][:1] == [wanted]]
    assert f"taking “{world.unknown}” as {world.name}" in meant.said
    assert world.analyst.pick(meant).facts[0].value == wanted
    again = world.analyst.ask(f"How many {world.unknown} were there in 2022?")
    assert again.status is AnswerStatus.ANSWERED
    assert again.facts[0].value == int(pd.to_datetime(world.rows["date"]).dt.year.eq(2022).sum())


def test_one_word_names_the_rows_while_another_is_left_out(world: World) -> None:
    asked = world.analyst.ask(f"Which {world.category} had the most {world.unknown} frobnicated?")
    assert asked.status is AnswerStatus.OUT_OF_SCOPE
    most = world.rows[world.category].value_counts()
    assert any(int(most.iloc[0]) in found for found in _figures(asked)), asked.prose
    for option in asked.options:
        assert all(f"“{word}”" in option.said for word in (world.unknown, "frobnicated"))
        assert set(option.leaves) <= {world.unknown, "frobnicated"}


def test_what_was_picked_is_known_in_what_may_be_picked_next(world: World) -> None:
    asked = world.analyst.ask(f"How many {world.unknown} were there in 2023?")
    (meant,) = [o for o in asked.options if o.name.startswith("rows of")]
    world.analyst.pick(meant)
    again = world.analyst.ask(f"How many {world.unknown} were frobnicated in 2022?")
    wanted = int(pd.to_datetime(world.rows["date"]).dt.year.eq(2022).sum())
    assert any(o.leaves == ("frobnicated",) and wanted in [f.value for f in o.facts] for o in again.options)


def test_what_says_how_to_compute_is_never_left_out(world: World) -> None:
    low = f"How many {world.unknown} had a {world.number} above 50?"
    wanted = int(world.rows[world.number].gt(50).sum())
    asked = world.analyst.ask(low)
    assert all("50" in o.question and "above" in o.question for o in asked.options)
    assert any(wanted in found for found in _figures(asked)), asked.prose


def test_a_name_that_is_nowhere_in_the_data_is_not_left_out(world: World) -> None:
    asked = world.analyst.ask(f"What is the average {world.number} in Zanzibarland?")
    assert asked.status is not AnswerStatus.ANSWERED
    assert not any("Zanzibarland" in o.leaves for o in asked.options)


def test_there_are_three_at_most_and_no_two_say_the_same(world: World) -> None:
    for question in (
        f"How many {world.unknown} were there?",
        f"average {world.number} of the frobnicated {world.unknown}",
        f"{world.unknown} by {world.category}",
    ):
        found = _figures(world.analyst.ask(question))
        assert len(found) <= 3 and all(a != b for i, a in enumerate(found) for b in found[:i])


def test_a_word_that_only_then_has_no_place_is_taken_for_something_too(world: World) -> None:
    """Four words without a place, of which the question as it stands brings up no more than it must."""
    most = int(world.rows[world.category].value_counts().iloc[0])
    question = f"Which {world.category} had the most {world.unknown} won and frobnicated by the zorgs?"
    asked = world.analyst.ask(question)
    assert any(most in found for found in _figures(asked)), asked.prose


SIDES = {"north": "northern", "south": "southern", "east": "eastern", "west": "western"}


@pytest.mark.parametrize("side", SIDES)
def test_a_value_is_known_in_another_form_of_the_word(side: str, tmp_path: Path) -> None:
    rng = random.Random(side)
    rows = pd.DataFrame(
        {"id": range(120), "wing": [rng.choice([*SIDES]) for _ in range(120)], "size": range(120)}
    )
    rows.to_csv(tmp_path / "cabins.csv", index=False)
    with gnomon.open(tmp_path / "cabins.csv") as analyst:
        asked = analyst.ask(f"How many cabins are in the {SIDES[side]} wing?")
    wanted = int(rows["wing"].eq(side).sum())
    told = [asked.facts, *(o.facts for o in asked.options)]
    assert any(f.value == wanted for facts in told for f in facts), asked.prose


def test_a_no_names_the_rows_and_a_few_columns_in_plain_words(world: World) -> None:
    prose = world.analyst.ask(f"What is the {world.unknown} of the frobnicated zorgs?").prose
    first = prose.split("\n")[0]
    assert f"It has {world.name} with their" in first and len(first) < 300, first
    assert "average" not in first and "as far as I can tell" not in first


def test_what_is_offered_comes_to_what_its_question_comes_to(world: World) -> None:
    today = max(world.rows["date"]) - timedelta(days=20)
    asked = [
        f"are the {world.unknown} up on last month?",
        f"how do {world.unknown} compare month over month?",
    ]
    offered = [o for q in asked for o in world.analyst.ask(q, today=today).options if not o.leaves]
    told = [(o, world.analyst.ask(o.question, today=today)) for o in offered]
    shown = [(o, answer) for o, answer in told if "Read as: " in answer.prose]  # and not explained
    assert shown
    for option, answer in shown:
        assert [f.value for f in answer.facts] == [f.value for f in option.facts], option.question
