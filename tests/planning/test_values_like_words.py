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
