"""Values that read like words of a question (yes, no, top, other): beside their column they are values."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst

COLUMNS = {
    "stance": ["yes", "no", "undecided"],
    "quality grade": ["Top", "Middle", "Bottom"],
    "reply": ["No", "Yes", "Other"],
    "outcome": ["other", "all", "passed"],
}


def votes() -> pd.DataFrame:
    draw = random.Random("values like words")
    rows = 240
    columns = {c: [draw.choice(values) for _ in range(rows)] for c, values in COLUMNS.items()}
    towns = [draw.choice(["Aldby", "Brenton", "Corley"]) for _ in range(rows)]
    return pd.DataFrame({"town": towns, **columns, "weight": [draw.randrange(1, 900) for _ in range(rows)]})


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    file = tmp_path_factory.mktemp("votes") / "votes.csv"
    votes().to_csv(file, index=False)
    with gnomon.open(file) as opened:
        yield opened


CASES = [(c, v) for c, values in COLUMNS.items() for v in values]
SUMS = [
    "total weight for {c} {v}",
    "total weight where {c} is {v}",
    "total weight with a {c} of {v}",
    'total weight for {c} "{v}"',
]
COUNTS = ["How many votes have a {c} of {v}?", "How many votes with {c} {v} are there in Aldby?"]


@pytest.mark.parametrize("form", SUMS)
@pytest.mark.parametrize(("column", "value"), CASES)
def test_a_value_beside_its_column_is_no_word_of_the_question(
    analyst: Analyst, column: str, value: str, form: str
) -> None:
    frame = votes()
    asked = form.format(c=column, v=value)
    told = analyst.ask(asked)
    figures = [f.value for f in told.facts]
    assert figures[:1] == [frame[frame[column] == value].weight.sum()], (asked, told.prose)


@pytest.mark.parametrize("form", COUNTS)
@pytest.mark.parametrize(("column", "value"), CASES)
def test_rows_with_such_a_value_are_counted(analyst: Analyst, column: str, value: str, form: str) -> None:
    frame = votes()
    rows = frame[frame[column] == value]
    rows = rows[rows.town == "Aldby"] if "Aldby" in form else rows
    asked = form.format(c=column, v=value)
    told = analyst.ask(asked)
    counts = [f.value for f in told.facts]
    assert counts == [len(rows)], (asked, told.prose)


@pytest.mark.parametrize(
    ("asked", "found"),
    [("total weight for stance no higher than yes", None), ("top 2 towns by total weight", "town")],
)
def test_words_that_go_on_stay_words(analyst: Analyst, asked: str, found: str | None) -> None:
    told = analyst.ask(asked)
    assert (found is None and not told.facts) or (found is not None and len(told.tables[0].rows) == 2)


NAMED = [("animal name", "Name"), ("street name", "Name"), ("model title", "Title"), ("song title", "Title")]


@pytest.mark.parametrize(("column", "value"), NAMED)
def test_a_heading_is_no_value_that_happens_to_read_so(
    column: str, value: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Among many names one may be the word for a name: a question for those without one does not mean it."""
    draw = random.Random(column)
    names = [
        f"{a}{b}"
        for a in ("Lun", "Max", "Bel", "Zar", "Kio")
        for b in ("a", "imus", "lo", "dry", "xen", "or", "ith", "us")
    ]
    held: list[str | None] = [draw.choice([*names, value]) for _ in range(400)]
    held[:7] = [None] * 7
    file = tmp_path_factory.mktemp("named") / "visits.csv"
    pd.DataFrame({"visit": range(400), column: held}).to_csv(file, index=False)
    with gnomon.open(file) as opened:
        missing = opened.ask(f"How many visits have no {column.split()[-1]} on file?")
        assert [f.value for f in missing.facts][:1] == [7]
        named = opened.ask(f'How many visits have the {column} "{value}"?')
        assert [f.value for f in named.facts][:1] == [held.count(value)]
