"""Agents that ask for rows in words are told none: the same questions that list rows to the user tell them no cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest
from chains import Call, calling
from mcp_harness import server_over

import gnomon

FIRST = ["Quorvath", "Zelindra", "Mopkin", "Tarquill", "Obwexler", "Jarnskog"]
TOWNS = ["Ghyllbeck", "Nortoft", "Vexmoor"]


def _table(folder: Path) -> Path:
    rows = [
        {
            "ticket": f"TK-{7300 + i}",
            "holder": f"{FIRST[i % 6]} {chr(65 + i // 6)}elmstrom{i}",
            "town": TOWNS[i % 3],
            "price": 100.25 + 3 * i,
        }
        for i in range(60)
    ]
    pd.DataFrame(rows).to_csv(path := folder / "tickets.csv", index=False)
    return path


QUESTIONS = [
    "List the holder and price of all tickets in Nortoft",
    "What is the price and town of ticket TK-7305?",
    "Show the ticket and price of tickets with price over 250, sorted by price in descending order",
    "What is the holder of the ticket with the highest price?",
    "Show all information about tickets in Vexmoor",
    "List the holders of tickets with price under 110 or in town Ghyllbeck",
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Call, Path]]:
    path = _table(tmp_path_factory.mktemp("tickets"))
    with ExitStack() as open_:
        yield open_.enter_context(calling(open_.enter_context(server_over(path)))), path


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_cell_of_a_row_is_told_to_an_agent(asked: tuple[Call, Path], question: str) -> None:
    call, path = asked
    cells = pd.read_csv(path, dtype=str)
    told = json.dumps(call("ask", {"question": question}).structured_content, default=str)
    closed = [*cells["holder"], *cells["ticket"], *cells["price"]]
    assert [c for c in closed if c in told and c not in question] == []


def test_the_user_is_told_those_rows(tmp_path: Path) -> None:
    analyst = gnomon.open(_table(tmp_path))
    for question in QUESTIONS:
        answer = analyst.ask(question)
        assert answer.tables or "TK-73" in answer.prose or "Nortoft" in answer.prose, (question, answer.prose)
