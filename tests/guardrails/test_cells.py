"""The guard that takes cells out of messages: what it finds, what it lets pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.core.errors import DataUnavailable
from gnomon.data import Dataset, open_sources
from gnomon.guardrails.release.cells import WITHHELD, CellGuard, FrameCells, TableCells
from gnomon.guardrails.release.origin import ColumnOrigin, Origin, Slot

LONG = "the quick brown fox jumps over the lazy dog of the neighbour and runs away"


def guard(**columns: list[Any]) -> CellGuard:
    return CellGuard([FrameCells(pa.table(columns), rows_of(*columns))])


def rows_of(*columns: str, closed: bool = False) -> Origin:
    """Rows of one table, in their order."""
    return Origin((Slot("t"),), {c: ColumnOrigin(frozenset({0}), closed) for c in columns})


@pytest.mark.parametrize(
    ("cell", "message", "expected"),
    [
        ("Ada Lovelace", "highest for Ada Lovelace (12)", f"highest for {WITHHELD} (12)"),
        ("Ada Lovelace", "HIGHEST FOR ADA LOVELACE.", f"HIGHEST FOR {WITHHELD}."),
        ("Ada", "Adam and Ada", f"Adam and {WITHHELD}"),
        ("xy", "xy", WITHHELD),
        ("xy", "x and xy", "x and xy"),
        (LONG, f"begins '{LONG[:40]}'.", f"begins '{WITHHELD}'."),
        (LONG, f"{LONG[:30]}… and more", f"{WITHHELD}… and more"),
        (LONG, f"all: {LONG}, end", f"all: {WITHHELD}, end"),
        ("a.b*c", "found a.b*c and aXbbc", f"found {WITHHELD} and aXbbc"),
        ("  padded  ", "it is padded", f"it is {WITHHELD}"),
        ("naïve Ünïcode", "NAÏVE ÜNÏCODE!", f"{WITHHELD}!"),
    ],
)
def test_a_cell_is_taken_out_wherever_it_stands(cell: str, message: str, expected: str) -> None:
    assert guard(text=[cell, "something else"]).masked(message) == expected


@pytest.mark.long
@given(st.from_regex(r"-?[0-9]{1,8}(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,6})?", fullmatch=True))
@settings(max_examples=60, deadline=None)
def test_whatever_looks_like_a_number_is_looked_up(numeral: str) -> None:
    made = guard(amount=[1.5, 2.5, 12345.678])
    told = {"run": f"{numeral}-4f1c", "figure": numeral, "amount": 12345.678}
    assert made.masked(told)["amount"] != 12345.678


def test_keys_and_nested_values_are_searched_and_other_values_stay() -> None:
    made = guard(text=["secret one", "secret two"])
    message = {"secret one": [1, None, {"k": ("secret two", True, 2.5)}], "fine": "fine"}
    assert made.masked(message) == {WITHHELD: [1, None, {"k": [WITHHELD, True, 2.5]}], "fine": "fine"}


def test_what_many_rows_share_is_a_category_and_passes() -> None:
    made = guard(text=["West"] * 5 + ["East"] * 4)
    assert made.masked(["West", "East"]) == ["West", WITHHELD]
    both = made.joined([guard(region=["East"] * 9)])
    assert both.masked(["West", "East"]) == ["West", "East"]


def test_personal_data_never_passes_however_many_rows_share_it() -> None:
    rows = pa.table({"email": ["a@example.org"] * 50})
    assert CellGuard([FrameCells(rows, rows_of("email"))]).masked("a@example.org") == "a@example.org"
    closed = CellGuard([FrameCells(rows, rows_of("email", closed=True))])
    assert closed.masked("a@example.org") == WITHHELD


def test_rows_that_were_repeated_are_counted_once() -> None:
    rows = pa.table({"note": ["rare thing"] * 40, "amount": [81234.5] * 40})
    once = Origin((Slot("t", np.zeros(40, dtype=np.int64)),), dict.fromkeys(rows.column_names, ColumnOrigin(frozenset({0}))))  # fmt: skip
    made = CellGuard([FrameCells(rows, once)])
    assert made.masked(["rare thing", 81234.5]) == [WITHHELD, 81200.0]


def test_long_numbers_of_single_rows_are_rounded_and_those_of_closed_columns_withheld() -> None:
    made = guard(salary=[52340.5, 61000.0], units=[7, 7])
    assert made.masked({"mean": 52340.5, "row_count": 61000, "n": 7}) == {
        "mean": 52300.0,
        "row_count": 61000,
        "n": 7,
    }
    assert made.masked("the median is 52,340.5 of 7") == "the median is 52,300 of 7"
    assert made.masked("it is 52,341") == "it is 52,300"
    assert made.masked("it is 52,342") == "it is 52,342"
    card = CellGuard([FrameCells(pa.table({"card": [4111222233334444] * 9}), rows_of("card", closed=True))])
    assert card.masked({"max": 4111222233334444, "say": "it is 4111222233334444"}) == {"max": None, "say": f"it is {WITHHELD}"}  # fmt: skip


def test_names_of_columns_and_what_the_receiver_sent_pass() -> None:
    made = guard(region=["region", "Avalon"])
    assert made.masked("region of Avalon", known=["avalon"]) == "region of Avalon"


def test_columns_without_text_are_not_searched_and_other_types_are() -> None:
    made = guard(n=[1234567, 7654321], raw=[b"bytes here", b"x"], tags=[["in a list"], []])
    assert made.masked(["1234568", "bytes here"]) == ["1234568", WITHHELD]


@pytest.fixture
def dataset() -> Iterator[Dataset]:
    with open_sources({"people": pa.table({"name": ["Grace Hopper", "Alan Turing"], "n": [1, 2]})}) as opened:
        yield opened


def test_a_table_that_was_closed_cannot_be_checked_and_nothing_is_sent(dataset: Dataset) -> None:
    made = CellGuard([TableCells(dataset, dataset.table("people"), rows_of("name", "n"))])
    assert made.masked("by Grace Hopper") == f"by {WITHHELD}"
    dataset.close()
    with pytest.raises(DataUnavailable, match="closed"):
        made.masked("by Grace Hopper")


@pytest.mark.long
@settings(max_examples=40)
@given(cell=st.text(min_size=3, max_size=60), before=st.text(max_size=10), after=st.text(max_size=10))
def test_a_whole_cell_never_survives_between_other_texts(cell: str, before: str, after: str) -> None:
    made = guard(text=[cell])
    alone, between = made.masked([cell, f"{before} {cell} {after}"])
    word = cell.strip()
    assert len(word) < 3 or (WITHHELD in alone and word not in alone.replace(WITHHELD, ""))
    assert len(word) < 3 or WITHHELD in between


def test_days_in_sentences_become_months_unless_they_are_known() -> None:
    from datetime import date

    from gnomon.guardrails.release.days import coarse

    day = date(2024, 6, 12)
    written = (
        f"{day:%Y-%m-%d}",
        f"{day:%Y-%m-%d}T15:38:17",
        "12 June 2024",
        "12th Jun 2024",
        "June 12, 2024",
        "12 jun. 2024 15:38",
    )
    for text in written:
        told = coarse(f"It began on {text}, and then went on.")
        assert "12" not in told, text
        assert "2024" in told
        assert coarse(text, {day}) == text
    assert coarse("May 2024, 1,204 rows") == "May 2024, 1,204 rows"


@pytest.mark.parametrize(
    "sentence",
    [
        "score: {held} 888, far from all others, which may stand for no value; it is taken as that number.",
        "score: {held} -99, which stands for no value and is read as missing.",
        "ended: {held} 2999-12-31, which may stand for no end; it is taken as that day.",
    ],
)
def test_what_a_few_cells_hold_is_not_said_in_a_note_and_what_five_hold_is(sentence: str) -> None:
    told = guard(score=[1, 2, 3])
    for held in ("1 cell holds", "3 cells hold", "4 cells hold"):
        said = told.masked({"notes": [sentence.format(held=held)]})["notes"][0]
        assert said == sentence.format(held="a few cells hold a value,").replace(
            "value, " + sentence.split()[2], "value,"
        )
    five = sentence.format(held="5 cells hold")
    assert told.masked([five]) == [five]
