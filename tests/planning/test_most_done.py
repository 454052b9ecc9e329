"""What was done most often, to things of another table, and what was done by whom."""

from __future__ import annotations

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus

BOOKS = pd.DataFrame({
    "book_id": range(1, 41),
    "title": [f"Book {i}" for i in range(1, 41)],
    "genre": [("Crime", "History", "Science")[i * i % 3 if i % 7 else 2] for i in range(40)],
    "pages": [90 + (i * 37) % 400 for i in range(40)],
})  # fmt: skip
MEMBERS = pd.DataFrame(
    {"card_no": [f"L{i}" for i in range(30)], "student": ["Y" if i % 3 else "N" for i in range(30)]}
)
LOANS = pd.DataFrame({
    "loan_id": range(1, 401),
    "card_no": [f"L{(i * 7) % 30}" for i in range(400)],
    "book_id": [1 + (i * i + 3 * i) % 40 for i in range(400)],
    "loan_date": [pd.Timestamp("2024-01-01") + pd.Timedelta(days=i % 300) for i in range(400)],
    "fine_eur": [round((i * 13) % 9 * 0.5, 2) for i in range(400)],
})  # fmt: skip


@pytest.fixture(scope="module")
def library() -> Analyst:
    return gnomon.open({"books": BOOKS, "members": MEMBERS, "loans": LOANS})


@pytest.mark.parametrize("question", ["which genre is borrowed the most?", "the most borrowed genre"])
def test_what_was_done_most_is_counted(library: Analyst, question: str) -> None:
    counts = LOANS.merge(BOOKS, on="book_id").genre.value_counts()
    answer = library.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert tuple(answer.tables[0].rows[0]) == (counts.idxmax(), counts.max())


def test_what_is_by_persons_is_theirs(library: Analyst) -> None:
    theirs = LOANS.merge(MEMBERS, on="card_no").student.eq("Y")
    assert library.ask("How many loans are by students?").facts[0].value == theirs.sum()
    share = library.ask("what share of loans are by students?")
    assert any(f.value == pytest.approx(100 * theirs.mean()) for f in share.facts)


AMOUNTS = [
    ("minutes_late", "late"),
    ("days_absent", "absent"),
    ("hours_idle", "idle"),
    ("litres_spilt", "spilt"),
]


@pytest.mark.parametrize("least", [0, 2])
@pytest.mark.parametrize(("column", "word"), AMOUNTS)
def test_how_often_is_no_number_of_rows_where_the_amount_may_be_none(
    column: str, word: str, least: int
) -> None:
    crews = ["North", "South", "East"]
    rows = pd.DataFrame({
        "shift_no": range(1, 301),
        "crew": [crews[(i * i + i // 7) % 3] for i in range(300)],
        column: [least + (0 if i % 5 else 1 + i % 40) for i in range(300)],
    })  # fmt: skip
    shifts = gnomon.open({"shifts": rows})
    happened = rows[rows[column] > 0].crew.value_counts()
    for question in (f"Which crew was {word} most often?", f"Which crews were {word} more than 90 times?"):
        answer = shifts.ask(question)
        if answer.status is not AnswerStatus.ANSWERED:
            assert f"no “{word}” in this data" not in answer.prose  # it is in a heading
            assert all(word not in option.leaves for option in answer.options)
            continue
        told = {row[0] for t in answer.tables for row in t.rows}
        assert told == ({happened.idxmax()} if "most" in question else {*happened[happened > 90].index})


def test_what_the_data_holds_is_not_said_to_be_missing(library: Analyst) -> None:
    answer = library.ask("who shelves the crime books nowadays?")
    assert answer.status is not AnswerStatus.ANSWERED
    assert "“crime”" not in answer.prose.split("It has")[0]
