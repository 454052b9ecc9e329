"""Questions in so many words need no judge; all others meet gate and router as before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from tests.agents.managed import store

from gnomon.agents.plain_question import PlainQuestions
from gnomon.core.query import AgentType
from gnomon.language import load_questions

TODAY = date(2025, 12, 31)


@pytest.fixture(scope="module")
def plain() -> PlainQuestions:
    return PlainQuestions(store().model, store().index)


@pytest.mark.parametrize(
    "question",
    [
        "total revenue by region",
        "What was the average revenue in October 2024?",
        "How many orders are there in each region?",
        "top 5 regions by revenue",
        "revenue in the north",
    ],
)
def test_figures_asked_for_in_so_many_words_are_plain(plain: PlainQuestions, question: str) -> None:
    assert plain.has(question, TODAY)


def test_no_question_that_asks_for_an_insight_is_plain(plain: PlainQuestions) -> None:
    asked = [q.text for q in load_questions() if q.agent_type is AgentType.INSIGHT_GENERATOR]
    assert len(asked) > 900
    assert [q for q in asked if plain.has(q, TODAY)] == []


@pytest.mark.parametrize(
    "question",
    [
        "",
        "why is revenue low in the north",
        "revenue of the moon",
        "is it the price",
        "total",
        "who are you",
        "revenue " * 40,
    ],
)
def test_what_says_more_or_names_nothing_is_not(plain: PlainQuestions, question: str) -> None:
    assert not plain.has(question, TODAY)


def test_a_plain_question_asks_no_judge_and_any_other_both() -> None:
    asked: list[str] = []

    class Judge:
        def judge(self, question: str) -> None:
            asked.append("gate")
            raise ValueError

        def route(self, query: str) -> None:
            asked.append("router")
            raise ValueError

    manager = store().manager(
        gate=Judge(), router=Judge(), plain=PlainQuestions(store().model, store().index)
    )
    outcome = manager.process("total revenue by region", today=TODAY)
    assert outcome.answer.facts and asked == []
    assert outcome.domain is not None and not outcome.domain.is_out_of_domain
    manager.process("tell me about horses", today=TODAY)
    assert sorted(asked) == ["gate", "router"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "loaded"),
    [("average fee by level", False), ("why did the fee fall so much in the last months", True)],
)
def test_the_command_line_loads_the_networks_only_for_what_has_to_be_judged(
    tmp_path: Path, question: str, loaded: bool
) -> None:
    days = pd.date_range("2024-01-01", periods=120)
    frame = pd.DataFrame({"day": days, "level": ["low", "high"] * 60, "fee": range(120)})
    frame.to_csv(tmp_path / "lessons.csv", index=False)
    code = (
        "import sys, json, atexit\n"
        "from gnomon.cli import main\n"
        "atexit.register(lambda: print(json.dumps([m in sys.modules for m in ('onnxruntime', 'pandas')])))\n"
        "main()"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, "ask", str(tmp_path / "lessons.csv"), question],
        env={**os.environ, "GNOMON_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = json.loads(told.stdout.splitlines()[-1])
    assert found[0] is loaded, told.stdout + told.stderr
    assert loaded or found == [False, False], told.stdout
