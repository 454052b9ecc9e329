"""The benchmark over foreign tables holds well-formed cases; its data is not needed to know that."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from gnomon.agents.evaluation import load_cases

QUESTIONS = Path(__file__).parents[2] / "bench" / "ask_unseen" / "questions.jsonl"


def test_there_are_enough_questions_over_enough_tables() -> None:
    cases = load_cases(QUESTIONS)
    assert sum(c.answerable for c in cases) >= 120
    assert sum(not c.answerable for c in cases) >= 30
    assert len({c.table for c in cases if c.answerable}) >= 20
    held = sum(c.split == "held" for c in cases)
    assert 0.28 <= held / len(cases) <= 0.38


def test_cases_of_a_table_stand_together_and_ask_only_that_table() -> None:
    cases = load_cases(QUESTIONS)
    runs = [t for i, t in enumerate(c.table for c in cases) if i == 0 or t != cases[i - 1].table]
    assert len(runs) == len(set(runs))
    assert all(" FROM data" in sql for c in cases for p in c.parts for sql in p.sql)
    asked = Counter((c.table, c.question.casefold(), c.history) for c in cases)
    assert max(asked.values()) == 1
