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
