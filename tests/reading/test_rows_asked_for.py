"""Questions for columns of rows are answered with those rows: generated tables and wordings, truth by plain Python."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import gnomon
from gnomon.core.answer import AnswerStatus


@dataclass(frozen=True)
class World:
    """A table, the words for its rows, and the roles of its columns."""

    table: str
    noun: str
    name: str
    said_name: str
    category: str
    said_category: str
    values: tuple[str, ...]
    number: str
    said_number: str
    date: str
    said_date: str


WORLDS = (
    World("bridges", "bridges", "bridge_name", "name", "material", "material", ("steel", "stone", "timber"),
          "span", "span", "opening_date", "opening date"),
    World("violins", "violins", "maker", "maker", "home_town", "home town", ("Cremona", "Mirecourt", "Mittenwald"),
          "appraised_value", "appraised value", "sale_date", "sale date"),
    World("lectures", "lectures", "lecture_title", "title", "hall", "hall", ("Great Hall", "Aula", "North Room"),
          "seats", "seats", "held_on", "date"),
)  # fmt: skip


def rows_of(world: World) -> list[dict[str, Any]]:
    """Forty rows with names, numbers and dates of their own."""
    draw = random.Random(world.table)
    numbers = draw.sample(range(20, 900), 40)
    return [
        {
            "id": i + 1,
            world.name: f"{draw.choice(['Anna', 'Bela', 'Cara', 'Dora', 'Elin'])} {chr(65 + i % 26)}{'x' * (i // 26)}",
            world.category: draw.choice(world.values),
            world.number: numbers[i],
            world.date: f"20{10 + i % 12:02d}-{1 + i % 11:02d}-{1 + i % 27:02d}",
        }
        for i in range(40)
    ]


@pytest.fixture(scope="module", params=WORLDS, ids=lambda w: w.table)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    world: World = request.param
    path = tmp_path_factory.mktemp("rows") / f"{world.table}.csv"
    rows = rows_of(world)
    with Path(path).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return world, rows, gnomon.open(path)


def told(answer: Any) -> list[tuple[str, ...]]:
    """The rows of the only table, as text."""
    assert len(answer.tables) == 1, answer.prose
    return [tuple(str(v) for v in row) for row in answer.tables[0].rows]


def pairs(answer: Any) -> set[tuple[str, float]]:
    """The rows of the only table, of a name and a number."""
    return {(row[0], float(row[1])) for row in told(answer)}


WORDINGS = ("Show the {a} and {b} of all {rows}", "What are the {a} and {b} of the {rows}?", "List the {a} and {b} for each of the {rows}",
            "Give me the {a}s and {b}s of all {rows}")  # fmt: skip


@pytest.mark.parametrize(
    "ending", ["sorted by {n} in descending order", "in descending order of {n}", "ordered by {n} descending"]
)
@pytest.mark.parametrize("wording", WORDINGS[:2])
def test_columns_of_rows_come_in_the_order_that_was_asked_for(opened: Any, wording: str, ending: str) -> None:
    world, rows, analyst = opened
    asked = wording.format(a=world.said_name, b=world.said_category, rows=world.noun).rstrip("?")
    answer = analyst.ask(f"{asked} {ending.format(n=world.said_number)}")
    ordered = sorted(rows, key=lambda r: -r[world.number])
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    # What they are ordered by may stand beside.
    assert [row[:2] for row in told(answer)] == [(r[world.name], r[world.category]) for r in ordered]


@pytest.mark.parametrize("bound", ["more than", "less than", "at least"])
def test_rows_that_meet_a_bound_are_listed_and_not_counted(opened: Any, bound: str) -> None:
    world, rows, analyst = opened
    limit = sorted(r[world.number] for r in rows)[25]
    answer = analyst.ask(
        f"Show the {world.said_name} and {world.said_number} of {world.noun} with {world.said_number} {bound} {limit}"
    )
    keep = {
        "more than": lambda v: v > limit,
        "less than": lambda v: v < limit,
        "at least": lambda v: v >= limit,
    }[bound]
    wanted = {(r[world.name], r[world.number]) for r in rows if keep(r[world.number])}
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert pairs(answer) == wanted


def test_a_column_of_one_row_is_told_as_it_is(opened: Any) -> None:
    world, rows, analyst = opened
    for row in rows[:4]:
        answer = analyst.ask(
            f"What is the {world.said_category} and the {world.said_number} of {row[world.name]}?"
        )
        assert answer.status is AnswerStatus.ANSWERED, answer.prose
        assert row[world.category] in answer.prose, answer.prose
        assert f"{row[world.number]:,}" in answer.prose, answer.prose


def test_the_row_at_one_end_is_told_with_what_it_was_chosen_by(opened: Any) -> None:
    world, rows, analyst = opened
    for word, most in (("highest", max), ("lowest", min)):
        answer = analyst.ask(
            f"What is the {world.said_name} and {world.said_category} of the one with the {word} {world.said_number}?"
        )
        row = most(rows, key=lambda r: r[world.number])
        assert answer.status is AnswerStatus.ANSWERED, answer.prose
        for value in (row[world.name], row[world.category], f"{row[world.number]:,}"):
            assert str(value) in answer.prose, answer.prose


def test_values_of_two_conditions_joined_by_or_are_both_there(opened: Any) -> None:
    world, rows, analyst = opened
    first, second = world.values[:2]
    answer = analyst.ask(
        f"List the {world.said_name} and {world.said_number} of {world.noun} whose {world.said_category} is {first} or {second}"
    )
    wanted = {(r[world.name], r[world.number]) for r in rows if r[world.category] in (first, second)}
    assert pairs(answer) == wanted


def test_everything_about_some_rows_has_every_column(opened: Any) -> None:
    world, rows, analyst = opened
    answer = analyst.ask(
        f"Show all information about {world.noun} with {world.said_category} {world.values[0]}"
    )
    assert len(answer.tables[0].columns) == len(rows[0]), answer.prose
    assert len(told(answer)) == sum(r[world.category] == world.values[0] for r in rows)


def test_a_question_for_rows_is_never_answered_with_their_number(opened: Any) -> None:
    """What no reader can list is refused: another question is not answered in its place."""
    world, _, analyst = opened
    for asked in (f"Which {world.noun} are wobbly with {world.said_category} {world.values[0]}?",
                  f"List the owners of {world.noun} with {world.said_number} over 100",
                  f"Return the {world.said_name} of {world.noun} that shimmer, with {world.said_number} under 300"):  # fmt: skip
        answer = analyst.ask(asked)
        counted = [f for f in answer.facts if f.value == len(told(answer))] if answer.tables else answer.facts
        assert answer.status is not AnswerStatus.ANSWERED or answer.tables, (asked, answer.prose, counted)


def test_columns_that_are_named_are_never_left_out(opened: Any) -> None:
    world, _, analyst = opened
    if " " not in world.said_number:
        pytest.skip("a name of one word may also be a plain word")
    answer = analyst.ask(f"Which {world.said_category} glimmers by {world.said_number}?")
    used = " ".join([answer.prose, *(c for t in answer.tables for c in t.columns)]).lower()
    assert answer.status is not AnswerStatus.ANSWERED or world.said_number in used, answer.prose


@pytest.mark.parametrize(
    ("table", "state", "column"),
    [
        ("orders", "cancelled", "cancelled_on"),
        ("parcels", "returned", "returned"),
        ("claims", "settled", "settled_at"),
    ],
)
def test_rows_in_a_state_are_listed_with_what_is_theirs(
    table: str, state: str, column: str, tmp_path: Path
) -> None:
    draw = random.Random(table)
    rows: list[dict[str, Any]] = []
    for i in range(90):
        happened = draw.random() < 0.3
        day = f"2024-0{draw.randrange(1, 9)}-1{draw.randrange(9)}"
        held = ("yes" if happened else "no") if column == state else (day if happened else "")
        rows.append(
            {
                f"{table[:-1]}_no": f"N{i:03d}",
                "depot": draw.choice(["Arle", "Bex"]),
                "weight": 5 + i,
                column: held,
            }
        )
    with (tmp_path / f"{table}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    truth = {
        r[f"{table[:-1]}_no"]: r["weight"]
        for r in rows
        if r[column] not in ("", "no") and r["depot"] == "Bex"
    }
    with gnomon.open(tmp_path / f"{table}.csv") as analyst:
        listed = analyst.ask(f"list the {state} {table} in depot Bex")
        assert listed.status is AnswerStatus.ANSWERED, listed.prose
        assert {row[0] for row in listed.tables[0].rows} == set(truth)
        beside = analyst.ask(f"list the {state} {table} in depot Bex with their weight")
        assert {row[0]: row[1] for row in beside.tables[0].rows} == truth, beside.prose
