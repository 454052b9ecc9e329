"""Limits come from one place: what is set rules every retrieval, and a limit that is reached says how to raise it."""

from pathlib import Path

import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus
from gnomon.core.settings import Settings


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("limits") / "orders.csv"
    path.write_text(
        "region,sales,units\n" + "".join(f"{'NSWE'[i % 4]},{i * 7 % 97}.5,{i % 5}\n" for i in range(60))
    )
    return path


def _opened(path: Path, **limits: float) -> Analyst:
    return gnomon.open(path, settings=Settings.load(**limits))


def test_the_limit_of_a_step_rules_every_step(rows: Path) -> None:
    with _opened(rows, step_timeout_seconds=7.5) as analyst:
        for question in ("total sales by region", "correlation of sales and units"):
            plan = analyst.ask(question).plan
            assert plan is not None
            assert all(s.timeout_seconds is None or s.timeout_seconds >= 7.5 for s in plan.steps)
        assert any(s.timeout_seconds == 7.5 for s in (analyst.ask("total sales").plan or plan).steps)


def test_answers_have_as_long_as_their_steps_need() -> None:
    settings = Settings.load(step_timeout_seconds=40)
    assert settings.answer_seconds == settings.insight_seconds == 160


@pytest.mark.long
def test_a_limit_that_is_reached_says_what_to_do(rows: Path) -> None:
    with _opened(rows, step_timeout_seconds=1e-6) as analyst:
        answer = analyst.ask("total sales by region")
    assert answer.status is AnswerStatus.ERROR
    assert "GNOMON_STEP_TIMEOUT_SECONDS" in " ".join([answer.prose, *answer.suggestions])
